/* SPDX-License-Identifier: MIT */
#include "report/chart_rows.h"

#include "base/mem.h"
#include "base/num.h"
#include "report/chart_group.h"
#include "report/quantiles.h"

#include <stdlib.h>

static bool has_figures(const struct point *p)
{
	return p->dir[DIR_TOTAL].iops > 0;
}

static bool is_limited(const struct point *p)
{
	return flags_have(p->flags, EFFECT_LOWER_BOUND) ||
	       (p->flags & FLAG_BIT(FLAG_QUEUE_LIMITED));
}

static void take(struct chart_rows *r, const struct point *p, enum cell_kind kind)
{
	r->v[r->nr++] = p;
	r->kind = kind == CELL_VALID && (r->kind == CELL_LIMITED || is_limited(p)) ? CELL_LIMITED
										   : kind;
}

void chart_rows_find(const struct curve *c, uint32_t iodepth, flag_set accepted,
		     struct chart_rows *r)
{
	*r = (struct chart_rows){.v = xcalloc(c->nr_rows + 1, sizeof(*r->v)), .kind = CELL_GAP};
	for (size_t i = 0; i < c->nr_rows; i++)
		if (c->row[i]->spec.iodepth == iodepth && point_is_valid(c->row[i], accepted) &&
		    has_figures(c->row[i]))
			take(r, c->row[i], CELL_VALID);
	for (size_t i = 0; i < c->nr_rows && r->kind == CELL_GAP; i++)
		if (c->row[i]->spec.iodepth == iodepth && c->row[i]->status == POINT_OK &&
		    has_figures(c->row[i]))
			take(r, c->row[i], CELL_SPOILED);
}

void chart_rows_release(struct chart_rows *r)
{
	free(r->v);
	*r = (struct chart_rows){0};
}

const char *chart_rows_gap(const struct curve *c, uint32_t iodepth)
{
	const char *why = "-";

	for (size_t i = 0; i < c->nr_rows; i++)
		if (c->row[i]->spec.iodepth == iodepth && c->row[i]->status != POINT_OK)
			why = point_status_name(c->row[i]->status);
	return why;
}

void chart_rows_explain(struct picture *p, const struct curve *c, uint32_t iodepth,
			flag_set accepted)
{
	for (size_t i = 0; i < c->nr_rows; i++) {
		const struct point *row = c->row[i];

		if ((iodepth && row->spec.iodepth != iodepth) ||
		    (point_is_valid(row, accepted) && !is_limited(row)))
			continue;
		chart_explain_row(p, row, accepted);
	}
}

struct chart_means chart_rows_means(const struct chart_rows *r, enum dir dir)
{
	struct chart_means m = {0};
	double weights = 0;

	if (!r->nr)
		return (struct chart_means){UNKNOWN, UNKNOWN, UNKNOWN};
	for (size_t i = 0; i < r->nr; i++) {
		const struct figures *f = &r->v[i]->dir[dir];
		/* Tables without counts: the repeats of a point last equally long. */
		double weight = f->ios > 0 ? f->ios : f->iops;

		m.iops += f->iops / (double)r->nr;
		m.mib_s += f->mib_s / (double)r->nr;
		m.lat_ns += weight * f->lat_mean_ns;
		weights += weight;
	}
	m.lat_ns /= weights;
	return m;
}

struct hist *chart_rows_hist(const struct chart_rows *r, enum dir dir)
{
	struct hist *all, *scratch;
	bool is_whole = r->nr > 0;

	if (!is_whole)
		return NULL;
	all = xmalloc(sizeof(*all));
	scratch = xmalloc(sizeof(*scratch));
	hist_init(all);
	for (size_t i = 0; i < r->nr && is_whole; i++)
		is_whole = point_add_hists(all, r->v[i], dir, scratch);
	free(scratch);
	if (is_whole && all->count)
		return all;
	free(all);
	return NULL;
}

/* ---- percentiles ---- */

/* By enum chart_pct. */
static const struct {
	enum lat_stat stat; /* LAT_STAT_NR: none */
	double q;
} pcts[PCT_NR] = {
	{LAT_P50, 0.5},	 {LAT_P90, 0.9},    {LAT_P95, 0.95},
	{LAT_P99, 0.99}, {LAT_P999, 0.999}, {LAT_STAT_NR, 1},
};

const char *chart_pct_name(enum chart_pct pct)
{
	return pct == PCT_MAX ? "max" : lat_stat_name(pcts[pct].stat);
}

enum chart_pct chart_pct_of(enum lat_stat stat)
{
	enum chart_pct pct = PCT_P50;

	while (pct < PCT_NR && pcts[pct].stat != stat)
		pct++;
	return pct;
}

static double figure_ns(const struct figures *f, enum chart_pct pct)
{
	return pct == PCT_MAX ? f->lat_max_ns : figures_lat_ns(f, pcts[pct].stat);
}

/* The interval that holds both; unknown where one of them is. */
static void widen(struct chart_percentiles *p, enum chart_pct pct, double lo_ns, double hi_ns)
{
	bool is_known = !isnan(lo_ns) && !isnan(p->lo_ns[pct]);

	p->lo_ns[pct] = is_known ? fmin(p->lo_ns[pct], lo_ns) : UNKNOWN;
	p->hi_ns[pct] = is_known ? fmax(p->hi_ns[pct], hi_ns) : UNKNOWN;
}

static void set_intervals(const struct chart_rows *r, enum dir dir, struct chart_percentiles *p)
{
	for (size_t i = 0; i < r->nr; i++) {
		const struct figures *f = &r->v[i]->dir[dir];

		if (i == 0) {
			p->lo_ns[PCT_P95] = f->lat_p95_lo_ns;
			p->hi_ns[PCT_P95] = f->lat_p95_hi_ns;
			p->lo_ns[PCT_P99] = f->lat_p99_lo_ns;
			p->hi_ns[PCT_P99] = f->lat_p99_hi_ns;
		}
		widen(p, PCT_P95, f->lat_p95_lo_ns, f->lat_p95_hi_ns);
		widen(p, PCT_P99, f->lat_p99_lo_ns, f->lat_p99_hi_ns);
	}
}

static void drop_few(struct chart_percentiles *p)
{
	for (enum chart_pct k = 0; k < PCT_MAX; k++) {
		if (isnan(p->lat_ns[k]) || isnan(p->ios) ||
		    p->ios >= (double)lat_stat_min_ios(pcts[k].stat))
			continue;
		p->lat_ns[k] = p->lo_ns[k] = p->hi_ns[k] = UNKNOWN;
		p->nr_few++;
	}
}

void chart_rows_percentiles(const struct chart_rows *r, enum dir dir, struct chart_percentiles *p)
{
	struct hist *h = r->nr > 1 ? chart_rows_hist(r, dir) : NULL;

	*p = (struct chart_percentiles){.ios = 0};
	for (enum chart_pct k = 0; k < PCT_NR; k++) {
		p->lo_ns[k] = p->hi_ns[k] = UNKNOWN;
		p->lat_ns[k] = r->nr == 1 ? figure_ns(&r->v[0]->dir[dir], k)
			       : h	  ? hist_quantile(h, pcts[k].q)
					  : UNKNOWN;
	}
	for (size_t i = 0; i < r->nr; i++)
		p->ios += r->v[i]->dir[dir].ios;
	set_intervals(r, dir, p);
	drop_few(p);
	free(h);
}

/* ---- depths ---- */

uint32_t chart_knee(const struct report_curve *rc)
{
	const struct knee *k = &rc->knee;

	return knee_is_known(k) && k->cls != KNEE_RISING ? k->sat_depth : 0;
}

static int compare_depths(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

uint32_t *chart_all_depths(const struct curve *const *curve, size_t nr, size_t *nr_depths)
{
	uint32_t *depth = NULL;
	size_t n = 0, cap = 0, kept = 0;

	for (size_t i = 0; i < nr; i++)
		for (size_t r = 0; r < curve[i]->nr_rows; r++) {
			VEC_GROW(depth, n, cap);
			depth[n++] = curve[i]->row[r]->spec.iodepth;
		}
	if (n)
		qsort(depth, n, sizeof(*depth), compare_depths);
	for (size_t i = 0; i < n; i++)
		if (!kept || depth[kept - 1] != depth[i])
			depth[kept++] = depth[i];
	*nr_depths = kept;
	return depth;
}

/* Put the depth that must be there in the place of the nearest one, but not of the first or last. */
static void force(uint32_t *chosen, size_t nr, uint32_t must)
{
	size_t best = 1;

	for (size_t i = 0; i < nr; i++)
		if (chosen[i] == must)
			return;
	for (size_t i = 1; i + 1 < nr; i++)
		if (fabs(log2(chosen[i]) - log2(must)) < fabs(log2(chosen[best]) - log2(must)))
			best = i;
	if (nr > 2)
		chosen[best] = must;
}

size_t chart_choose_depths(const uint32_t *depth, size_t nr, uint32_t must, uint32_t *chosen,
			   size_t max)
{
	size_t n = nr < max ? nr : max;
	bool has_must = false;

	for (size_t i = 0; i < n; i++)
		chosen[i] = depth[n > 1 ? (i * (nr - 1) + (n - 1) / 2) / (n - 1) : 0];
	for (size_t i = 0; i < nr; i++)
		has_must |= must && depth[i] == must;
	if (has_must)
		force(chosen, n, must);
	if (n)
		qsort(chosen, n, sizeof(*chosen), compare_depths);
	return n;
}
