/* SPDX-License-Identifier: MIT */
/* Percentiles of a point that was measured several times. */
#ifndef ANALYZE_REPEATS_H
#define ANALYZE_REPEATS_H

#include "model/point.h"

/*
 * The percentiles (not the mean) of all latencies of these repeats together, from their
 * histograms, since percentiles cannot be averaged; all UNKNOWN where one repeat has no histogram.
 */
void repeats_percentiles(const struct point *const *repeat, size_t nr, double lat_ns[LAT_STAT_NR]);

#endif
