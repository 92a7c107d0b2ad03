/* SPDX-License-Identifier: MIT */
/* Axes of pivot tables as they are compared and named; for the pivot files only. */
#ifndef REPORT_PIVOT_AXES_H
#define REPORT_PIVOT_AXES_H

#include "report/pivot.h"

/* By the values of one axis; without one (AXIS_NR) all are equal. The pattern (AXIS_RW) holds the mix and the share of random
 * offsets, unless these are asked for. */
int pivot_compare_axis(const struct pivot_ask *ask, enum axis axis, const struct point_spec *a,
		       const struct point_spec *b);
/* By all axes that are neither in rows nor in columns: 0 for points of one table. */
int pivot_compare_panels(const struct pivot_ask *ask, const struct point_spec *a,
			 const struct point_spec *b);
/* What a table is called: these axes. */
void pivot_name_panel(struct buf *b, const struct pivot_ask *ask, const struct point_spec *s);

bool pivot_has_value(const struct pivot_ask *ask, const struct pivot_where *w,
		     const struct point_spec *s);
/* Whether it meets all conditions. */
bool pivot_is_wanted(const struct pivot_ask *ask, const struct point_spec *s);

/* LAT_STAT_NR for figures that are no latency. */
enum lat_stat pivot_figure_stat(enum pivot_figure f);

#endif
