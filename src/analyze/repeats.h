/* SPDX-License-Identifier: MIT */
/* One point of what was measured several times. */
#ifndef ANALYZE_REPEATS_H
#define ANALYZE_REPEATS_H

#include "model/answer.h"

/* Valid and with IOPS in this direction: a point from a table may be valid without having any. */
bool repeats_usable(const struct point *p, enum dir dir, flag_set accepted);

/*
 * Put the usable ones of row[0..nr), which differ in their repeat only, together as curve.h says,
 * from the figures of one direction. False where none is usable.
 */
bool repeats_merge(const struct point *const *row, size_t nr, enum dir dir, flag_set accepted,
		   struct curve_point *pt);

/*
 * The percentiles (not the mean) of all latencies of these repeats together, from their
 * histograms, since percentiles cannot be averaged; all UNKNOWN where one repeat has no histogram.
 */
void repeats_percentiles(const struct point *const *repeat, size_t nr, enum dir dir,
			 double lat_ns[LAT_STAT_NR]);

#endif
