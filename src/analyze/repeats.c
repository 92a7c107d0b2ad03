/* SPDX-License-Identifier: MIT */
#include "analyze/repeats.h"

#include "base/mem.h"
#include "base/num.h"
#include "stats/ci.h"
#include "stats/hist.h"

#include <stdlib.h>

bool repeats_usable(const struct point *p, enum dir dir, flag_set accepted)
{
	return point_is_valid(p, accepted) && p->dir[dir].iops > 0;
}

/* What the repeats of one depth add up to. */
struct repeats {
	double nr;
	double iops, iops_sq, iops_min, iops_max;
	double iops_var; /* sum of their squared standard errors */
	double ios;
	double weight, lat, lat_var;	/* mean latency, weighted by completions */
	double lat_plain, lat_plain_sq; /* and not weighted, for its spread */
};

static void repeats_add(struct repeats *r, const struct figures *f)
{
	/* Tables without counts: the repeats of a point last equally long. */
	double weight = f->ios > 0 ? f->ios : f->iops;

	r->iops_min = r->nr > 0 ? fmin(r->iops_min, f->iops) : f->iops;
	r->iops_max = r->nr > 0 ? fmax(r->iops_max, f->iops) : f->iops;
	r->nr++;
	r->iops += f->iops;
	r->iops_sq += f->iops * f->iops;
	if (!isnan(f->iops_se_rel))
		r->iops_var += pow(f->iops_se_rel * f->iops, 2);
	r->ios += f->ios;
	r->weight += weight;
	r->lat += weight * f->lat_mean_ns;
	r->lat_var += pow(weight * f->lat_mean_ns * f->lat_se_rel, 2);
	r->lat_plain += f->lat_mean_ns;
	r->lat_plain_sq += f->lat_mean_ns * f->lat_mean_ns;
}

/* Standard error of the mean of nr values from their sums. */
static double spread_se(double nr, double sum, double sum_sq)
{
	double mean = sum / nr;

	return nr > 1 ? sqrt(fmax(sum_sq / nr - mean * mean, 0) / (nr - 1)) : 0;
}

/* Runs differ by more than their series show (method.md f), so the larger of the error that the
 * series give and the one that the spread of the repeats gives. */
static double repeats_se_rel(const struct repeats *r)
{
	double within = sqrt(r->iops_var) / r->nr;

	return fmax(within, spread_se(r->nr, r->iops, r->iops_sq)) / (r->iops / r->nr);
}

/* Half of a 95 % interval: few repeats tell little of their own spread, so Student's t for it. */
static double half_width(double nr, double within, double between)
{
	return fmax(Z_95 * within, nr > 1 ? t975(nr - 1) * between : 0);
}

static double repeats_half_rel(const struct repeats *r)
{
	double within = sqrt(r->iops_var) / r->nr;

	return half_width(r->nr, within, spread_se(r->nr, r->iops, r->iops_sq)) / (r->iops / r->nr);
}

static void set_interval(struct curve_point *pt, enum lat_stat s, double low, double high)
{
	pt->lat_lo_ns[s] = low;
	pt->lat_hi_ns[s] = high;
}

static void set_mean(const struct repeats *r, struct curve_point *pt)
{
	double within = sqrt(r->lat_var) / r->weight;
	double between = spread_se(r->nr, r->lat_plain, r->lat_plain_sq);
	double half = isnan(within) ? UNKNOWN : half_width(r->nr, within, between), mean;

	if (r->nr > 1)
		pt->lat_ns[LAT_MEAN] = r->lat / r->weight;
	mean = pt->lat_ns[LAT_MEAN];
	pt->lat_se_rel = isnan(within) ? 0 : fmax(within, between) / mean;
	set_interval(pt, LAT_MEAN, half > mean ? 0 : mean - half, mean + half);
}

/* The interval that holds those of all repeats; unknown where one of them is. */
static void widen_interval(struct curve_point *pt, enum lat_stat s, double low, double high)
{
	if (isnan(low) || isnan(pt->lat_lo_ns[s]))
		set_interval(pt, s, UNKNOWN, UNKNOWN);
	else
		set_interval(pt, s, fmin(pt->lat_lo_ns[s], low), fmax(pt->lat_hi_ns[s], high));
}

/* What the sums say; only is the last of the repeats. */
static void set_point(const struct repeats *r, const struct figures *only, struct curve_point *pt)
{
	pt->nr_repeats = (uint32_t)r->nr;
	pt->ios = r->ios;
	pt->iops = r->iops / r->nr;
	pt->iops_min = r->iops_min;
	pt->iops_max = r->iops_max;
	pt->se_rel = repeats_se_rel(r);
	pt->half_rel = repeats_half_rel(r);
	for (enum lat_stat s = 0; s < LAT_STAT_NR; s++)
		pt->lat_ns[s] = figures_lat_ns(only, s);
	set_mean(r, pt);
}

static const double quantile[LAT_STAT_NR] = {
	[LAT_P50] = .5, [LAT_P90] = .9, [LAT_P95] = .95, [LAT_P99] = .99, [LAT_P999] = .999,
};

void repeats_percentiles(const struct point *const *repeat, size_t nr, enum dir dir,
			 double lat_ns[LAT_STAT_NR])
{
	struct hist *all = xmalloc(sizeof(*all)), *scratch = xmalloc(sizeof(*scratch));
	bool is_whole = true;

	hist_init(all);
	for (size_t i = 0; i < nr && is_whole; i++)
		is_whole = point_add_hists(all, repeat[i], dir, scratch);
	for (enum lat_stat s = LAT_P50; s < LAT_STAT_NR; s++)
		lat_ns[s] = is_whole ? hist_quantile(all, quantile[s]) : UNKNOWN;
	free(scratch);
	free(all);
}

bool repeats_merge(const struct point *const *row, size_t nr, enum dir dir, flag_set accepted,
		   struct curve_point *pt)
{
	const struct point **usable = xcalloc(nr, sizeof(*usable));
	const struct figures *only = NULL;
	struct repeats r = {0};
	size_t nr_usable = 0;

	*pt = (struct curve_point){.iodepth = row[0]->spec.iodepth};
	for (enum lat_stat s = 0; s < LAT_STAT_NR; s++)
		set_interval(pt, s, s == LAT_P95 || s == LAT_P99 ? HUGE_VAL : UNKNOWN, 0);
	for (size_t i = 0; i < nr; i++) {
		if (!repeats_usable(row[i], dir, accepted))
			continue;
		usable[nr_usable++] = row[i];
		only = &row[i]->dir[dir];
		widen_interval(pt, LAT_P95, only->lat_p95_lo_ns, only->lat_p95_hi_ns);
		widen_interval(pt, LAT_P99, only->lat_p99_lo_ns, only->lat_p99_hi_ns);
		pt->flags |= row[i]->flags;
		pt->is_error_unknown |= isnan(only->iops_se_rel);
		repeats_add(&r, only);
	}
	if (only)
		set_point(&r, only, pt);
	if (nr_usable > 1)
		repeats_percentiles(usable, nr_usable, dir, pt->lat_ns);
	free(usable);
	return nr_usable > 0;
}
