/* SPDX-License-Identifier: MIT */
#include "report/chart_sample.h"

#include "base/mem.h"
#include "base/num.h"

#include <stdlib.h>

static const struct chart_value no_value = {UNKNOWN, UNKNOWN, UNKNOWN};

static struct chart_sample *add_sample(struct chart_samples *s, const struct report *r, size_t run,
				       const struct point *row)
{
	struct chart_sample *a;

	VEC_GROW(s->v, s->nr, s->cap);
	a = &s->v[s->nr++];
	*a = (struct chart_sample){.run = &r->runs[run],
				   .run_index = run,
				   .row = row,
				   .kind = CELL_GAP,
				   .pct_kind = CELL_GAP,
				   .rate_iops = row->rate_iops,
				   .iops = no_value,
				   .mib_s = no_value,
				   .util_pct = UNKNOWN,
				   .cpu_pct = UNKNOWN};
	for (enum lat_stat k = 0; k < LAT_STAT_NR; k++)
		a->lat_ns[k] = no_value;
	if (!point_is_open(&row->spec))
		a->rate_iops = UNKNOWN;
	return a;
}

/* What a spoiled point measured, without intervals: nobody can tell what its errors are. */
static void take_spoiled(struct chart_sample *a, const struct point *row)
{
	const struct figures *f = &row->dir[DIR_TOTAL];

	a->row = row;
	a->kind = a->pct_kind = CELL_SPOILED;
	a->iops.at = f->iops;
	a->mib_s.at = f->mib_s;
	for (enum lat_stat k = 0; k < LAT_STAT_NR; k++)
		a->lat_ns[k].at = figures_lat_ns(f, k);
	a->util_pct = row->util_pct;
	a->cpu_pct = row->cpu_pct;
}

static void take_interval(struct chart_value *v, double low, double high)
{
	if (low > 0 && high > low) {
		v->low = low;
		v->high = high;
	}
}

static enum cell_kind kind_of(const struct curve_point *pt)
{
	return flags_have(pt->flags, EFFECT_LOWER_BOUND) ||
			       (pt->flags & FLAG_BIT(FLAG_QUEUE_LIMITED))
		       ? CELL_LIMITED
		       : CELL_VALID;
}

static void take_latency(struct chart_sample *a, const struct curve_point *pt, enum lat_stat k)
{
	a->lat_ns[k].at = pt->lat_ns[k];
	take_interval(&a->lat_ns[k], pt->lat_lo_ns[k], pt->lat_hi_ns[k]);
}

static void take_point(struct chart_sample *a, const struct curve_point *pt)
{
	double to_mib = (double)a->row->spec.bs_bytes / 1048576;

	a->kind = a->pct_kind = kind_of(pt);
	a->iops.at = pt->iops;
	take_interval(&a->iops, pt->iops * (1 - pt->half_rel), pt->iops * (1 + pt->half_rel));
	a->mib_s = (struct chart_value){a->iops.at * to_mib, a->iops.low * to_mib,
					a->iops.high * to_mib};
	for (enum lat_stat k = 0; k < LAT_STAT_NR; k++)
		take_latency(a, pt, k);
}

/* The percentiles of a depth that only a stall spoils decide caps on them. */
static void take_stalled(struct chart_sample *a, const struct curve *c, uint32_t iodepth)
{
	for (size_t i = 0; i < c->nr_stalled; i++) {
		if (c->stalled[i].iodepth != iodepth)
			continue;
		a->pct_kind = kind_of(&c->stalled[i]);
		for (enum lat_stat k = LAT_P50; k < LAT_STAT_NR; k++)
			take_latency(a, &c->stalled[i], k);
	}
}

static void take_shares(struct chart_sample *a, const struct point *const *row, size_t nr)
{
	flag_set accepted = a->run->accepted;

	a->util_pct = points_mean(row, nr, accepted, offsetof(struct point, util_pct));
	a->cpu_pct = points_mean(row, nr, accepted, offsetof(struct point, cpu_pct));
}

/* Rows of one depth of a curve. */
static void take_depth(struct chart_samples *s, const struct report *r, size_t run,
		       const struct curve *c, size_t first, size_t nr)
{
	const struct curve_point *pt = curve_point_at(c, c->row[first]->spec.iodepth);
	struct chart_sample *a = add_sample(s, r, run, c->row[first]);

	if (pt) {
		take_point(a, pt);
		take_shares(a, c->row + first, nr);
		return;
	}
	for (size_t i = first; i < first + nr; i++)
		if (c->row[i]->status == POINT_OK && !isnan(c->row[i]->dir[DIR_TOTAL].iops))
			take_spoiled(a, c->row[i]);
	take_stalled(a, c, c->row[first]->spec.iodepth);
}

static void take_curve(struct chart_samples *s, const struct report *r, size_t run,
		       const struct curve *c)
{
	size_t nr;

	for (size_t i = 0; i < c->nr_rows; i += nr) {
		for (nr = 1; i + nr < c->nr_rows; nr++)
			if (c->row[i + nr]->spec.iodepth != c->row[i]->spec.iodepth)
				break;
		take_depth(s, r, run, c, i, nr);
	}
}

static bool is_same_load(const struct point *a, const struct point *b)
{
	return a->spec.rate_e4 == b->spec.rate_e4 && a->spec.rate_ask_iops == b->spec.rate_ask_iops;
}

static const struct response_point *find_load(const struct response *r, const struct point *row)
{
	for (size_t i = 0; i < r->nr; i++)
		if (is_same_load(r->pt[i].row, row))
			return &r->pt[i];
	return NULL;
}

/* Of a load that was measured once: nothing tells the errors of several together. */
static void take_load_intervals(struct chart_sample *a, const struct figures *f)
{
	double iops = 1.96 * f->iops_se_rel, lat = 1.96 * f->lat_se_rel;
	double mean = a->lat_ns[LAT_MEAN].at;

	take_interval(&a->iops, a->iops.at * (1 - iops), a->iops.at * (1 + iops));
	take_interval(&a->mib_s, a->mib_s.at * (1 - iops), a->mib_s.at * (1 + iops));
	take_interval(&a->lat_ns[LAT_MEAN], mean * (1 - lat), mean * (1 + lat));
	take_interval(&a->lat_ns[LAT_P95], f->lat_p95_lo_ns, f->lat_p95_hi_ns);
	take_interval(&a->lat_ns[LAT_P99], f->lat_p99_lo_ns, f->lat_p99_hi_ns);
}

static void take_load(struct chart_sample *a, const struct response *r, size_t first, size_t nr)
{
	const struct response_point *pt = find_load(r, r->row[first]);

	if (!pt) {
		for (size_t i = first; i < first + nr; i++)
			if (r->row[i]->status == POINT_OK)
				take_spoiled(a, r->row[i]);
		return;
	}
	a->kind = a->pct_kind = pt->is_sustained ? CELL_VALID : CELL_LIMITED;
	a->rate_iops = pt->rate_iops;
	a->iops.at = pt->iops;
	a->mib_s.at = pt->iops * (double)a->row->spec.bs_bytes / 1048576;
	for (enum lat_stat k = 0; k < LAT_STAT_NR; k++)
		a->lat_ns[k].at = pt->lat_ns[k];
	if (nr == 1)
		take_load_intervals(a, &pt->row->dir[DIR_TOTAL]);
	take_shares(a, r->row + first, nr);
}

static void take_response(struct chart_samples *s, const struct report *r, size_t run,
			  const struct response *response)
{
	size_t nr;

	for (size_t i = 0; i < response->nr_rows; i += nr) {
		for (nr = 1; i + nr < response->nr_rows; nr++)
			if (!is_same_load(response->row[i], response->row[i + nr]))
				break;
		take_load(add_sample(s, r, run, response->row[i]), response, i, nr);
	}
}

void chart_samples_take(const struct report *r, struct chart_samples *s)
{
	*s = (struct chart_samples){0};
	for (size_t run = 0; run < r->nr_runs; run++) {
		const struct report_run *rr = &r->runs[run];

		for (size_t i = 0; i < rr->nr_curves; i++)
			take_curve(s, r, run, rr->curves[i].curve);
		for (size_t i = 0; i < rr->nr_responses; i++)
			take_response(s, r, run, rr->responses[i].response);
	}
}

void chart_samples_release(struct chart_samples *s)
{
	free(s->v);
	*s = (struct chart_samples){0};
}
