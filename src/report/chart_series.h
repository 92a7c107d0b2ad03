/* SPDX-License-Identifier: MIT */
/* Series over time: what completed while a point was measured. */
#ifndef REPORT_CHART_SERIES_H
#define REPORT_CHART_SERIES_H

#include "report/chart_group.h"

/* A point of which a reader may want to see the series, and why. */
struct series_choice {
	const struct point *p;
	unsigned rank; /* 0 is the most telling */
	char why[64];  /* "stall, unsteady", "knee of its curve" */
};

/*
 * The points of a run that a look at the series may explain, the most telling first: those with I/O errors, a stall,
 * an unsteady end, or that differ when measured again; then knees and the deepest points of all
 * curves; then imprecise ones. Only of this run, and none that was imported. The caller frees *out.
 */
size_t series_choose(const struct report_run *run, struct series_choice **out);

extern const char series_how_to_read[];

/* IOPS above, mean latency below, against the time since the window began. */
void series_draw(struct picture *p, const struct measurement *m, const struct point *point,
		 flag_set accepted);
/* "point 17: randread 4k iodepth 16 span 1G" */
void series_add_point(struct buf *b, const struct point *p);

#endif
