/* SPDX-License-Identifier: MIT */
/* Points to curves: closed loops that differ in nothing but depth. */
#ifndef ANALYZE_CURVE_H
#define ANALYZE_CURVE_H

#include "model/answer.h"

/*
 * Group points (of one run) into curves in report order; those with a rate are left to
 * responses_build. Valid points (point_is_valid with
 * accepted) enter pt, ascending in depth. Repeats of a depth become one: mean IOPS with their
 * spread, mean latency weighted by completions, each with the larger of the errors that the
 * repeats' series and their spread give; percentiles of all latencies together (lat_hist; UNKNOWN without),
 * since percentiles cannot be averaged, with the interval that holds those of all repeats. A depth
 * without a valid point, but with one that only a stall spoils, is kept aside in stalled. Fills
 * *out with *nr curves whose row pointers point into points. Anchors are compared with the points of
 * their depths, and belong to neither row nor pt.
 */
void curves_build(const struct point *points, size_t nr_points, flag_set accepted,
		  struct curve **out, size_t *nr);
/* All that one call of curves_build made: the curves share their arrays. */
void curves_free(struct curve *curves, size_t nr);

/* The span chart: the curve's point at this depth, NULL where there is none. */
const struct curve_point *curve_at_depth(const struct curve *c, uint32_t iodepth);

/*
 * The depths of which an anchor tells whether the target has changed: the first and the peak.
 * Returns how many they are: 0 below three valid points, where no knee is judged; 1 where both
 * are the same.
 */
size_t curve_anchor_depths(const struct curve *c, uint32_t depth[CURVE_MAX_ANCHORS]);

#endif
