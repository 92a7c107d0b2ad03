/* SPDX-License-Identifier: MIT */
/* Points to curves: closed loops that differ in nothing but depth. */
#ifndef ANALYZE_CURVE_H
#define ANALYZE_CURVE_H

#include "model/answer.h"

/*
 * Group points (of one run) into curves in report order; those with a rate are left to
 * responses_build. Valid points (point_is_valid with
 * accepted) enter pt, ascending in depth; repeats of a depth become one: mean IOPS, latency
 * weighted by completions, and percentiles only when there is one repeat, since they cannot be
 * averaged. Fills *out with *nr curves whose row pointers point into points.
 */
void curves_build(const struct point *points, size_t nr_points, flag_set accepted,
		  struct curve **out, size_t *nr);
void curves_free(struct curve *curves, size_t nr);

/* The span chart: the curve's point at this depth, NULL where there is none. */
const struct curve_point *curve_at_depth(const struct curve *c, uint32_t iodepth);

#endif
