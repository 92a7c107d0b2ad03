/* SPDX-License-Identifier: MIT */
/* What a LUN sizing chart is drawn from; for the chart files only. */
#ifndef REPORT_CHART_LUN_DRAW_H
#define REPORT_CHART_LUN_DRAW_H

#include "report/chart_lun.h"

#define LUN_MAX_COLUMNS 3 /* the reference depth and two caps */

/* What a line has at a span in one column; UNKNOWN for what is not known. */
struct lun_figure {
	enum cell_kind kind;
	double iops, low, high;			/* with the 95 % interval */
	double lat_ms, lat_low_ms, lat_high_ms; /* at the reference depth */
	double depth;				/* that reaches the IOPS under the cap */
};

struct lun_place {
	double bytes;
	struct lun_figure of[LUN_MAX_COLUMNS];
};

/* One kind of I/O over all spans, ascending. */
struct lun_line {
	struct buf name;
	struct lun_place *place; /* owned */
	size_t nr, cap;
	double base_bytes; /* the span that losses are against; UNKNOWN: the smallest with a figure */
	bool is_only_shown; /* sizes are not judged by it */
};

struct lun_chart {
	struct lun_line *line; /* at most PICTURE_MAX_SERIES of them are drawn; owned */
	size_t nr_lines, line_cap;
	uint32_t depth;			     /* of the first column */
	struct cap cap[LUN_MAX_COLUMNS - 1]; /* of the others */
	unsigned nr_caps;
	double loss_max;	  /* 0 to 1 */
	double recommended_bytes; /* UNKNOWN: none */
	const char *x_title;
	void (*add_size)(struct buf *b, double bytes);
};

struct lun_line *lun_add_line(struct lun_chart *c);
struct lun_place *lun_add_place(struct lun_line *l, double bytes);
void lun_release(struct lun_chart *c);

/* Nothing known. */
struct lun_figure lun_no_figure(void);
/* What a cap answer gives. */
struct lun_figure lun_cap_figure(const struct cap_answer *a);
struct lun_figure lun_depth_figure(const struct curve *c, uint32_t depth);

/* Draw lines [first, end) into a picture of 3 rows and 1 + nr_caps columns with the scales of all of them, and
 * say how to read it and what it shows. */
void lun_draw(struct picture *p, const struct lun_chart *c, size_t first, size_t end);
/* How to read it: the first line of the caption. */
void lun_explain(struct picture *p, const struct lun_chart *c);

#endif
