/* SPDX-License-Identifier: MIT */
#include "run/stop.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "stats/ci.h"

#include <stdlib.h>

/* From method.md (c): with 100, coverage on bursts falls to 78 %. */
#define MIN_INTERVALS 200
#define MIN_IOS	      20
/* t(.975) for the 20 batches that there are at least. */
#define T_FEWEST_BATCHES 2.093024

static double ios_of(const struct interval *iv)
{
	return (double)iv->ios[DIR_READ] + (double)iv->ios[DIR_WRITE];
}

static double lat_of(const struct interval *iv)
{
	return (double)iv->lat_ns[DIR_READ] + (double)iv->lat_ns[DIR_WRITE];
}

/* How many intervals make one of MIN_IOS completions on average. */
static size_t merge_factor(const struct interval *series, size_t nr)
{
	double total = 0;

	for (size_t i = 0; i < nr; i++)
		total += ios_of(&series[i]);
	if (total <= 0)
		return nr;
	return (size_t)ceil(MIN_IOS * (double)nr / total);
}

struct stop_state stop_judge(const struct interval *series, size_t nr, double precision)
{
	struct stop_state st = {STOP_NOT_YET, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN};
	size_t factor = nr ? merge_factor(series, nr) : 1, merged;
	double *ios, *lat;
	struct steady steady;

	factor = factor ? factor : 1;
	merged = nr / factor;
	if (merged < MIN_INTERVALS)
		return st;
	ios = xcalloc(merged, sizeof(*ios));
	lat = xcalloc(merged, sizeof(*lat));
	for (size_t i = 0; i < merged * factor; i++) {
		ios[i / factor] += ios_of(&series[i]);
		lat[i / factor] += lat_of(&series[i]);
	}
	steady = series_steady(ios, merged);
	st.drift = steady.drift;
	st.range = steady.range;
	st.iops_half = T_FEWEST_BATCHES * series_se_rel(ios + steady.skip, merged - steady.skip);
	st.lat_half = T_FEWEST_BATCHES *
		      ratio_se_rel(lat + steady.skip, ios + steady.skip, merged - steady.skip);
	st.answer = !steady.is_steady					    ? STOP_UNSTEADY
		    : st.iops_half <= precision && st.lat_half <= precision ? STOP_PRECISE
									    : STOP_IMPRECISE;
	free(ios);
	free(lat);
	return st;
}
