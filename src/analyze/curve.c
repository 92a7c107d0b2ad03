/* SPDX-License-Identifier: MIT */
#include "analyze/curve.h"

#include "base/mem.h"
#include "base/num.h"

#include <stdlib.h>

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
	double iops, iops_sq;
	double var;	 /* sum of their squared standard errors */
	double ios, lat; /* completions, and latency weighted by them */
};

static void repeats_add(struct repeats *r, const struct figures *f)
{
	/* Tables without counts: the repeats of a point last equally long. */
	double weight = f->ios > 0 ? f->ios : f->iops;

	r->nr++;
	r->iops += f->iops;
	r->iops_sq += f->iops * f->iops;
	if (!isnan(f->iops_se_rel))
		r->var += pow(f->iops_se_rel * f->iops, 2);
	r->ios += weight;
	r->lat += weight * f->lat_mean_ns;
}

/* Runs differ by more than their series show (method.md f), so the larger of the error that the
 * series give and the one that the spread of the repeats gives. */
static double repeats_se_rel(const struct repeats *r)
{
	double mean = r->iops / r->nr, within = sqrt(r->var) / r->nr, between = 0;

	if (r->nr > 1)
		between = sqrt(fmax(r->iops_sq / r->nr - mean * mean, 0) / (r->nr - 1));
	return fmax(within, between) / mean;
}

/* One curve point from the usable rows among row[0..nr), which have the same depth. */
static bool merge_repeats(const struct point **row, size_t nr, flag_set accepted,
			  struct curve_point *pt)
{
	const struct figures *only = NULL;
	struct repeats r = {0};

	*pt = (struct curve_point){.iodepth = row[0]->spec.iodepth};
	for (size_t i = 0; i < nr; i++) {
		if (!is_usable(row[i], accepted))
			continue;
		only = &row[i]->dir[DIR_TOTAL];
		pt->flags |= row[i]->flags;
		repeats_add(&r, only);
	}
	if (!only)
		return false;
	for (enum lat_stat s = 0; s < LAT_STAT_NR; s++)
		pt->lat_ns[s] = r.nr > 1 ? UNKNOWN : figures_lat_ns(only, s);
	if (r.nr > 1)
		pt->lat_ns[LAT_MEAN] = r.lat / r.ios;
	pt->iops = r.iops / r.nr;
	pt->se_rel = repeats_se_rel(&r);
	return true;
}

static void fill_points(struct curve *c, flag_set accepted)
{
	size_t end;

	c->pt = xcalloc(c->nr_rows, sizeof(*c->pt));
	for (size_t i = 0; i < c->nr_rows; i = end) {
		for (end = i + 1; end < c->nr_rows; end++)
			if (c->row[end]->spec.iodepth != c->row[i]->spec.iodepth)
				break;
		if (merge_repeats(c->row + i, end - i, accepted, &c->pt[c->nr]))
			c->nr++;
	}
}

static struct curve curve_of(const struct point **row, size_t nr, flag_set accepted)
{
	struct curve c = {.spec = row[0]->spec, .nr_rows = nr};

	c.row = xcalloc(nr, sizeof(*c.row));
	for (size_t i = 0; i < nr; i++)
		c.row[i] = row[i];
	fill_points(&c, accepted);
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
	}
	free(curves);
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
