/* SPDX-License-Identifier: MIT */
#include "analyze/curve.h"

#include "analyze/repeats.h"
#include "base/mem.h"
#include "base/num.h"

#include <stdlib.h>

#define Z_95 1.959964
/* Of a knee. */
#define MIN_POINTS 3

static int compare_rows(const void *a, const void *b)
{
	const struct point *p = *(const struct point *const *)a;
	const struct point *q = *(const struct point *const *)b;
	int c = point_spec_compare(&p->spec, &q->spec);

	if (c)
		return c;
	/* The order given decides between equals, so that the result never depends on qsort. */
	return (p > q) - (p < q);
}

/* A point from a table may be valid without having IOPS. */
static bool is_usable(const struct point *p, flag_set accepted)
{
	return point_is_valid(p, accepted) && p->dir[DIR_TOTAL].iops > 0;
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

static void set_interval(struct curve_point *pt, enum lat_stat s, double low, double high)
{
	pt->lat_lo_ns[s] = low;
	pt->lat_hi_ns[s] = high;
}

static void set_mean(const struct repeats *r, struct curve_point *pt)
{
	double within = sqrt(r->lat_var) / r->weight;
	double between = spread_se(r->nr, r->lat_plain, r->lat_plain_sq);
	double half = isnan(within) ? UNKNOWN : Z_95 * fmax(within, between), mean;

	if (r->nr > 1)
		pt->lat_ns[LAT_MEAN] = r->lat / r->weight;
	mean = pt->lat_ns[LAT_MEAN];
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
	for (enum lat_stat s = 0; s < LAT_STAT_NR; s++)
		pt->lat_ns[s] = figures_lat_ns(only, s);
	set_mean(r, pt);
}

/* One curve point from the usable rows among row[0..nr), which have the same depth. */
static bool merge_repeats(const struct point **row, size_t nr, flag_set accepted,
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
		if (!is_usable(row[i], accepted))
			continue;
		usable[nr_usable++] = row[i];
		only = &row[i]->dir[DIR_TOTAL];
		widen_interval(pt, LAT_P95, only->lat_p95_lo_ns, only->lat_p95_hi_ns);
		widen_interval(pt, LAT_P99, only->lat_p99_lo_ns, only->lat_p99_hi_ns);
		pt->flags |= row[i]->flags;
		pt->is_error_unknown |= isnan(only->iops_se_rel);
		repeats_add(&r, only);
	}
	if (only)
		set_point(&r, only, pt);
	if (nr_usable > 1)
		repeats_percentiles(usable, nr_usable, pt->lat_ns);
	free(usable);
	return nr_usable > 0;
}

static void fill_points(struct curve *c, flag_set accepted)
{
	size_t end;

	c->pt = xcalloc(c->nr_rows, sizeof(*c->pt));
	c->stalled = xcalloc(c->nr_rows, sizeof(*c->stalled));
	for (size_t i = 0; i < c->nr_rows; i = end) {
		for (end = i + 1; end < c->nr_rows; end++)
			if (c->row[end]->spec.iodepth != c->row[i]->spec.iodepth)
				break;
		if (merge_repeats(c->row + i, end - i, accepted, &c->pt[c->nr]))
			c->nr++;
		else if (merge_repeats(c->row + i, end - i, accepted | FLAG_BIT(FLAG_STALL),
				       &c->stalled[c->nr_stalled]))
			c->nr_stalled++;
	}
}

static struct curve_anchor compare_anchor(const struct curve *c, const struct point *again,
					  flag_set accepted)
{
	const struct curve_point *pt = curve_at_depth(c, again->spec.iodepth);
	struct curve_anchor a = {again, UNKNOWN, false};
	struct figures first;

	if (!pt)
		return a;
	a.iops_first = pt->iops;
	figures_clear(&first);
	first.iops = pt->iops;
	first.iops_se_rel = pt->se_rel;
	a.differs = is_usable(again, accepted) && figures_differ(&first, &again->dir[DIR_TOTAL]);
	return a;
}

static struct curve curve_of(const struct point **row, size_t nr, flag_set accepted)
{
	struct curve c = {.spec = row[0]->spec};

	c.spec.is_anchor = false;
	c.row = xcalloc(nr, sizeof(*c.row));
	for (size_t i = 0; i < nr; i++)
		if (!row[i]->spec.is_anchor)
			c.row[c.nr_rows++] = row[i];
	fill_points(&c, accepted);
	for (size_t i = 0; i < nr; i++)
		if (row[i]->spec.is_anchor && c.nr_anchors < CURVE_MAX_ANCHORS)
			c.anchor[c.nr_anchors++] = compare_anchor(&c, row[i], accepted);
	return c;
}

void curves_build(const struct point *points, size_t nr_points, flag_set accepted,
		  struct curve **out, size_t *nr)
{
	const struct point **sorted = xcalloc(nr_points + 1, sizeof(*sorted));
	struct curve *curves = NULL;
	size_t nr_closed = 0, cap = 0, end;

	*nr = 0;
	for (size_t i = 0; i < nr_points; i++)
		if (!point_is_open(&points[i].spec))
			sorted[nr_closed++] = &points[i];
	qsort(sorted, nr_closed, sizeof(*sorted), compare_rows);
	for (size_t i = 0; i < nr_closed; i = end) {
		for (end = i + 1; end < nr_closed; end++)
			if (!point_same_curve(&sorted[i]->spec, &sorted[end]->spec))
				break;
		VEC_GROW(curves, *nr, cap);
		curves[(*nr)++] = curve_of(sorted + i, end - i, accepted);
	}
	free(sorted);
	*out = curves;
}

void curves_free(struct curve *curves, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		free(curves[i].row);
		free(curves[i].pt);
		free(curves[i].stalled);
	}
	free(curves);
}

size_t curve_anchor_depths(const struct curve *c, uint32_t depth[CURVE_MAX_ANCHORS])
{
	size_t peak = 0, nr = 0;

	if (c->nr < MIN_POINTS)
		return 0;
	for (size_t i = 1; i < c->nr; i++)
		if (c->pt[i].iops > c->pt[peak].iops)
			peak = i;
	depth[nr++] = c->pt[0].iodepth;
	if (peak)
		depth[nr++] = c->pt[peak].iodepth;
	return nr;
}

const struct curve_point *curve_at_depth(const struct curve *c, uint32_t iodepth)
{
	size_t low = 0, high = c->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (c->pt[mid].iodepth == iodepth)
			return &c->pt[mid];
		if (c->pt[mid].iodepth < iodepth)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}
