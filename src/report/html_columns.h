/* SPDX-License-Identifier: MIT */
/* The columns of the page's tables of points; for html*.c only. */
#ifndef REPORT_HTML_COLUMNS_H
#define REPORT_HTML_COLUMNS_H

#include "report/report.h"
#include "report/table.h"

/* One line of a table: a point, or one direction of it. */
struct html_row {
	const struct report_run *run;
	const struct point *p;
	enum dir dir;
};

struct html_column {
	struct table_col head;
	void (*add)(struct buf *s, const struct html_row *r);
	/* Shown where any row says so; NULL: where any cell says something. */
	bool (*is_wanted)(const struct html_row *r);
	/* The same of all repeats of a depth together; NULL: nothing is said. */
	void (*add_mean)(struct buf *s, const struct curve_point *pt);
};

#define HTML_NR_COLUMNS 17

extern const struct html_column html_curve_columns[HTML_NR_COLUMNS];
extern const struct html_column html_load_columns[HTML_NR_COLUMNS];

/* Whether its point both reads and writes, and has lines for both. */
bool html_has_directions(const struct html_row *r);

#endif
