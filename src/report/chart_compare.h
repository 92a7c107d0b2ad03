/* SPDX-License-Identifier: MIT */
/*
 * Charts of comparisons:
 *   ratios   B / A of each point with its 95 % interval, one row for a point; several where there are many
 *   targets  bars of many runs beside each other, point by point
 * and those of report/chart_free.h that lay the curves of all runs over each other.
 */
#ifndef REPORT_CHART_COMPARE_H
#define REPORT_CHART_COMPARE_H

#include "report/chart.h"
#include "report/compare.h"
#include "report/run_table.h"

void chart_draw_ratios(struct charts *out, const struct compare_report *r);

/* All charts of a comparison: its ratios, and the curves of r, which has its runs. */
void charts_build_compare(const struct compare_report *c, const struct report *r,
			  struct charts *out);
/* All charts of a table. */
void charts_build_table(const struct run_table *t, const struct report *r, struct charts *out);

#endif
