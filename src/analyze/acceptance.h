/* SPDX-License-Identifier: MIT */
/*
 * The points of a run against the limits of a class (method.md b: a verdict by the 95 % interval).
 *
 * A requirement holds at every point that meets its conditions (anchors aside; a limit of one
 * direction, where that is asked for). Repeats are put together as in curves. A limit
 * passes when the whole interval lies on its good side, fails when it lies on the other, and is
 * undecided when the limit lies within, or when the figure is not there to be believed. Where
 * there is no interval the figure itself is compared: points of less than 40 intervals, unsteady ones,
 * tables, p50, p90, p99.9 and the maximum.
 *
 * A point that a client or a host limited bounds the truth from one side, and decides only there.
 * Spoiled points decide nothing, but a stall leaves percentiles, the maximum and guarantees.
 */
#ifndef ANALYZE_ACCEPTANCE_H
#define ANALYZE_ACCEPTANCE_H

#include "model/acceptance.h"

/* Fewer intervals than this can break a guarantee, but not keep it. */
#define ACCEPTANCE_MIN_INTERVALS 10

struct acceptance_run {
	const struct point
		*points; /* of one run, in report order, as store_load_points gives them */
	size_t nr;
	const struct point_series *series; /* of each; NULL where none was loaded */
	uint64_t target_size_bytes;	   /* 0 where not known */
	flag_set accepted;		   /* flags that count as not raised */
};

/* Whether a point meets the conditions of a requirement; target_size_bytes 0 where not known. */
bool acceptance_matches(const struct requirement *r, const struct point_spec *s,
			uint64_t target_size_bytes);

/* Every limit of the class at every point that it holds at; *out is to be released. Pointers in it
 * are into c and run. */
void acceptance_judge(const struct disk_class *c, const struct acceptance_run *run,
		      struct class_result *out);

/*
 * The IOPS that this share of the intervals of the series reach, where each is as many stored ones as
 * make over_ns; a part of one at the end is left out. *nr is how many intervals there are, *reached
 * the share of them with at least limit; both 0 without any, and the result is UNKNOWN. Several
 * series are those of repeats.
 */
double series_guaranteed_iops(const struct point_series *series, size_t nr_series,
			      const struct limit *l, double *nr, double *reached);

#endif
