/* SPDX-License-Identifier: MIT */
/* The charts of single points: series over time, tail and distribution of the latencies. */
#ifndef REPORT_CHART_POINT_H
#define REPORT_CHART_POINT_H

#include "report/chart.h"
#include "report/point_text.h"

/* Those for which the point has data: run3-point17-series, -tail and -latency. The caller calls
 * charts_release. */
void charts_build_point(const struct point_view *v, struct charts *out);

/* In a report at most so many points have a chart of their series. */
#define CHART_MAX_SERIES 8

/* Which points of the run these are, by their seq, the most telling first; returns how many, at most max. */
size_t charts_choose_series(const struct report_run *run, uint32_t *seq, size_t max);

#endif
