/* SPDX-License-Identifier: MIT */
/*
 * Pivot tables of stored runs: one axis of the sweep in rows, and in columns either the figures of each point, or a
 * second axis, with a table for each figure. There is a table for each combination of the axes that are neither, so that
 * all points of a table differ in these two only. Repeats of a point stand together, as in the curves; offered loads
 * are left out, since they have no common axis.
 */
#ifndef REPORT_PIVOT_H
#define REPORT_PIVOT_H

#include "base/err.h"
#include "report/report.h"
#include "report/text.h"

enum pivot_figure {
	PIVOT_IOPS,
	PIVOT_MIB_S,
	PIVOT_LAT_MEAN,
	PIVOT_LAT_P50,
	PIVOT_LAT_P90,
	PIVOT_LAT_P95,
	PIVOT_LAT_P99,
	PIVOT_LAT_P999,
	PIVOT_UTIL,
	PIVOT_FIGURE_NR
};

#define PIVOT_MAX_WHERE 16

/* Points that have this value only; text is as people write it: 16, 4k, randread, 70%, or the span as reports do. */
struct pivot_where {
	enum axis axis;
	char *text; /* owned */
};

/* What is asked for. */
struct pivot_ask {
	enum axis rows;
	enum axis cols; /* AXIS_NR: the figures */
	enum pivot_figure figure[PIVOT_FIGURE_NR];
	size_t nr_figures;
	struct pivot_where where[PIVOT_MAX_WHERE];
	size_t nr_where;
	size_t least_rows; /* tables with fewer are left out */
};

/* "span" or "span,iodepth" into rows and cols. */
int pivot_parse_axes(const char *text, struct pivot_ask *ask, struct err *e);
/* "iops,lat_mean,util"; the figures are added. */
int pivot_parse_figures(const char *text, struct pivot_ask *ask, struct err *e);
/* "iodepth=16,bs=4k"; the conditions are added. */
int pivot_parse_where(const char *text, struct pivot_ask *ask, struct err *e);
void pivot_ask_release(struct pivot_ask *ask);

struct pivot_cell {
	bool is_there;		  /* the run has the point */
	bool is_valid;		  /* its figures are of measurements that decide */
	enum point_status status; /* of its first repeat */
	flag_set flags;
	double figure[PIVOT_FIGURE_NR]; /* in the unit of its column; UNKNOWN where not known */
};

struct pivot_table {
	const struct report_run *run;
	struct buf name; /* of the axes that are the same in all points */
	/* Of each row and column the spec of a point there, of which its axis counts; owned. Without an axis in columns
	 * there is one column. */
	struct point_spec *row, *col;
	size_t nr_rows, nr_cols;
	struct pivot_cell *cell; /* row by row; owned */
};

struct pivot {
	const struct pivot_ask *ask; /* borrowed */
	struct pivot_table *table;   /* by run, then in the order of reports */
	size_t nr;
};

/* All tables of these runs; -1 and e where a condition is met by no point. */
int pivot_build(const struct report *r, const struct pivot_ask *ask, struct pivot *p,
		struct err *e);
void pivot_release(struct pivot *p);

/* The depth that spans of a run are compared at: the largest that was measured up to the one of the run (16 where it has
 * none), else the smallest; 0 without points. */
uint32_t pivot_span_depth(const struct report_run *run);

static inline const struct pivot_cell *pivot_cell(const struct pivot_table *t, size_t row,
						  size_t col)
{
	return &t->cell[row * t->nr_cols + col];
}

/* The value of an axis as reports write it. */
void pivot_add_value(struct buf *b, const struct pivot_ask *ask, enum axis axis,
		     const struct point_spec *s);
/* The column of an axis for programs, with its unit, and its value there. */
const char *pivot_axis_name(enum axis axis);
uint64_t pivot_axis_number(enum axis axis, const struct point_spec *s); /* not of AXIS_RW */
/* The column of a figure: "IOPS", "mean ms" for people, "iops", "lat_mean_ms" for programs. */
const char *pivot_figure_title(enum pivot_figure f);
const char *pivot_figure_name(enum pivot_figure f);
/* The figure of a cell as a text of a report. */
void pivot_add_figure(struct buf *b, enum pivot_figure f, double v);

void pivot_text(struct buf *b, const struct pivot *p, struct text_style style);
/* What IOPS and latency do against the span at one depth, in the report of a run; nothing where there are no two spans to
 * compare. */
void pivot_text_spans(struct buf *b, const struct report_run *run, struct text_style style);
/* One table with the columns run, table, with an axis in columns figure, the axis in rows, and the columns. */
void pivot_csv(struct buf *b, const struct pivot *p);
void pivot_json(struct buf *b, const struct pivot *p);

#endif
