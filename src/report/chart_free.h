/* SPDX-License-Identifier: MIT */
/*
 * Charts of free axes: any axis of the points as x, as curves and as panels, any figures as rows.
 *   x-bs-series-iodepth-panel-rw-span-500GB   what was chosen, then the axes that split it into pictures
 * And the comparison of targets, which is such a choice:
 *   targets-depth-*     figures against iodepth, one curve for each run, one panel for each span
 *   targets-response-*  latency against achieved IOPS, likewise
 *   targets-load-*      achieved IOPS and latency against the offered load, likewise
 */
#ifndef REPORT_CHART_FREE_H
#define REPORT_CHART_FREE_H

#include "base/opt.h"
#include "report/chart.h"
#include "report/chart_axis.h"

enum chart_figure {
	CHART_Y_IOPS,
	CHART_Y_MIB,
	CHART_Y_MEAN,
	CHART_Y_P50,
	CHART_Y_P90,
	CHART_Y_P95,
	CHART_Y_P99,
	CHART_Y_P999,
	CHART_Y_UTIL,
	CHART_Y_CPU,
	CHART_Y_NR,
};

/* What is drawn: CHART_AXIS_NR for an axis that was not chosen. Each figure is a row of panels. */
struct chart_choice {
	enum chart_axis x, series, panel;
	enum chart_figure y[CHART_Y_NR];
	size_t nr_y;
	bool is_y_usual; /* nobody asked for these figures */
};

/*
 * Understand names of axes (series and panel may be NULL) and figures (lists with commas; none: IOPS and
 * mean latency). -1 and a usage error for names that there are not, and for what is there twice.
 */
int chart_choice_parse(struct chart_choice *c, const char *x, const char *series, const char *panel,
		       const struct str_list *y, struct err *e);

/*
 * Pictures of the choice, added to out: the axes that vary and were not chosen split it; more than eight
 * curves or four panels go into further pictures of the same scale. -1 with ERR_DATA when no point has
 * a place on the x axis.
 */
int chart_draw_free(struct charts *out, const struct report *r, const struct chart_choice *c,
		    struct err *e);

/* All comparisons of the runs of a report, of curves that two of them have at least. */
void chart_draw_targets(struct charts *out, const struct report *r);

#endif
