/* SPDX-License-Identifier: MIT */
#include "analyze/compare.h"

#include "analyze/curve.h"
#include "base/mem.h"
#include "base/num.h"
#include "stats/ratio.h"

#include <stdlib.h>

#define MIN_RUNS_WELCH	3
#define MIN_RUNS_POOLED 2
/* Sums of squares of equal logarithms, but for their rounding. */
#define NO_VARIANCE 1e-28

/* One curve in all runs of both groups. */
struct match {
	struct point_spec spec;
	const struct compare_curve *
		*run[2]; /* of each run, NULL where it does not have the curve */
};

struct builder {
	const struct compare_group *group;
	const struct compare_how *how;
	struct comparison *out;
	size_t cap_items, cap_lone;
	struct log_sample (*sample)[2]; /* of each item */
	size_t cap_samples;
	size_t first; /* item of the curve in hand */
};

/* The same curve, of whichever target. */
static bool same_content(const struct point_spec *a, const struct point_spec *b, bool *by_share)
{
	struct point_spec other = *b;

	if (point_same_curve(a, b))
		return true;
	if (!a->span_e4 || a->span_e4 != b->span_e4)
		return false;
	other.span_bytes = a->span_bytes;
	if (!point_same_curve(a, &other))
		return false;
	*by_share = true;
	return true;
}

/* ---- values of the runs ---- */

/* What a run has for an item: a value above zero, or UNKNOWN. */
struct value {
	double v;
	uint32_t nr_repeats;
	flag_set flags;
};

/* Which figure of which depth or cap. */
struct question {
	enum compare_figure figure;
	uint32_t iodepth;
	unsigned cap;
};

/* N* of a single run can be compared: a knee of the target that is no bound. */
static const char *knee_problem(const struct knee *k)
{
	if (k->cls == KNEE_INSUFFICIENT)
		return "it takes three valid depths";
	if (k->is_client_limited)
		return "the client was the limit";
	if (k->cls == KNEE_STATE_DRIFT)
		return "the target changed meanwhile";
	if (k->queue_limit)
		return "a queue of the host was the limit";
	if (k->cls == KNEE_RISING)
		return "the knee was not reached";
	if (k->cls == KNEE_FLAT)
		return "saturated from the start";
	/* What this host held back is told by the flags of the points that decide. */
	return k->first_depth == 1 && !k->is_flat ? NULL
						  : "depth 1 was not measured, so N* is a bound";
}

static const char *cap_problem(const struct cap_answer *a)
{
	switch (a->status) {
	case CAP_OK:
		return NULL;
	case CAP_NOT_REACHED:
		return "the cap was not reached, so it is a lower bound";
	case CAP_INFEASIBLE:
		return "no depth meets the cap";
	case CAP_NO_DATA:
		break;
	}
	return "the latency is not known";
}

static flag_set flags_at(const struct curve *c, uint32_t iodepth)
{
	const struct curve_point *pt = curve_at_depth(c, iodepth);

	return pt ? pt->flags : 0;
}

/* The estimate lies between the deepest point under the cap and the next. */
static flag_set cap_flags(const struct curve *c, const struct cap_answer *a)
{
	return a->flags | flags_at(c, a->last_good_depth) | flags_at(c, a->first_bad_depth);
}

static struct value value_of(const struct compare_curve *c, const struct question *q)
{
	struct value none = {UNKNOWN, 0, 0};
	const struct curve_point *pt;

	if (!c)
		return none;
	if (q->figure == COMPARE_NSTAR)
		return knee_problem(c->knee)
			       ? none
			       : (struct value){c->knee->nstar, 1,
						flags_at(c->curve, c->knee->peak_depth) |
							flags_at(c->curve, c->knee->lo_depth)};
	if (q->figure == COMPARE_CAP)
		return cap_problem(&c->cap[q->cap])
			       ? none
			       : (struct value){c->cap[q->cap].iops_interp, 1,
						cap_flags(c->curve, &c->cap[q->cap])};
	pt = curve_at_depth(c->curve, q->iodepth);
	if (!pt)
		return none;
	return (struct value){q->figure == COMPARE_LAT ? pt->lat_ns[LAT_MEAN] : pt->iops,
			      pt->nr_repeats, pt->flags};
}

static struct compare_side side_of(const struct builder *b, const struct match *m, int side,
				   const struct question *q, struct log_sample *sample)
{
	struct compare_side s = {.value = UNKNOWN, .sd_rel = UNKNOWN};
	double *v = xcalloc(b->group[side].nr + 1, sizeof(*v));

	for (size_t i = 0; i < b->group[side].nr; i++) {
		struct value one = value_of(m->run[side][i], q);

		if (!(one.v > 0))
			continue;
		v[s.nr++] = one.v;
		s.flags |= one.flags;
		s.nr_repeats = one.nr_repeats > s.nr_repeats ? one.nr_repeats : s.nr_repeats;
	}
	*sample = log_sample(v, s.nr);
	free(v);
	if (s.nr)
		s.value = exp(sample->mean);
	if (s.nr > 1)
		s.sd_rel = sqrt(sample->sum_sq / (double)(s.nr - 1));
	b->out->has_repeats |= s.nr_repeats > 1;
	b->out->has_copies |= q->iodepth && s.nr > 1 && sample->sum_sq < NO_VARIANCE;
	return s;
}

static struct compare_item *add_item(struct builder *b, const struct match *m,
				     const struct question *q)
{
	struct comparison *out = b->out;
	struct compare_item *item;

	VEC_GROW(out->item, out->nr, b->cap_items);
	VEC_GROW(b->sample, out->nr, b->cap_samples);
	item = &out->item[out->nr];
	*item = (struct compare_item){.figure = q->figure,
				      .spec = m->spec,
				      .ratio = UNKNOWN,
				      .low = UNKNOWN,
				      .high = UNKNOWN,
				      .low90 = UNKNOWN,
				      .high90 = UNKNOWN,
				      .t = UNKNOWN,
				      .df = UNKNOWN,
				      .p = UNKNOWN,
				      .p_adjusted = UNKNOWN};
	item->spec.iodepth = q->iodepth;
	for (int side = 0; side < 2; side++)
		item->side[side] = side_of(b, m, side, q, &b->sample[out->nr][side]);
	out->nr++;
	return item;
}

/* ---- tests ---- */

static void set_test(struct compare_item *item, enum compare_method method,
		     const struct ratio_test *r)
{
	item->method = isnan(r->p) ? COMPARE_UNTESTED : method;
	item->ratio = r->ratio;
	item->low = r->low;
	item->high = r->high;
	item->low90 = r->low90;
	item->high90 = r->high90;
	item->t = r->t;
	item->df = r->df;
	item->p = r->p;
}

static size_t fewest_runs(const struct compare_item *item)
{
	size_t a = item->side[0].nr, b = item->side[1].nr;

	return a < b ? a : b;
}

static bool is_of_point(const struct compare_item *item)
{
	return item->figure == COMPARE_IOPS || item->figure == COMPARE_LAT;
}

/* The variance of a figure over the depths of the curve in hand. */
static struct pooled_var pool(const struct builder *b, enum compare_figure figure)
{
	struct pooled_var v = {0, 0};

	for (size_t i = b->first; i < b->out->nr; i++) {
		if (b->out->item[i].figure != figure)
			continue;
		pooled_var_add(&v, &b->sample[i][0]);
		pooled_var_add(&v, &b->sample[i][1]);
	}
	return v;
}

/* With two runs: the errors of the two points that N* is made of, in both groups. */
static struct ratio_test nstar_of_two(const struct log_sample s[2], const struct pooled_var *v)
{
	double per_run = v->df > 0 ? 2 * v->sum_sq / v->df : UNKNOWN;

	return ratio_test(s[1].mean - s[0].mean,
			  sqrt(per_run * (1 / (double)s[0].nr + 1 / (double)s[1].nr)), v->df);
}

static void test_item(const struct builder *b, size_t i)
{
	struct compare_item *item = &b->out->item[i];
	const struct log_sample *s = b->sample[i];
	size_t runs = fewest_runs(item);
	enum compare_method method = COMPARE_POOLED;
	struct pooled_var v;
	struct ratio_test r;

	if (item->reason)
		return;
	if (runs < MIN_RUNS_POOLED) {
		r = ratio_test(s[1].mean - s[0].mean, UNKNOWN, UNKNOWN);
		item->reason = "one run in a group, so no significance";
	} else if (runs >= MIN_RUNS_WELCH && !(b->how->pool && is_of_point(item))) {
		method = COMPARE_WELCH;
		r = ratio_welch(&s[0], &s[1]);
	} else if (item->figure == COMPARE_NSTAR) {
		v = pool(b, COMPARE_IOPS);
		r = nstar_of_two(s, &v);
	} else {
		v = pool(b, item->figure);
		r = ratio_pooled(&s[0], &s[1], &v);
	}
	set_test(item, method, &r);
}

/* ---- one curve ---- */

static bool run_has_row(const struct compare_curve *c, uint32_t iodepth)
{
	for (size_t i = 0; c && i < c->curve->nr_rows; i++)
		if (c->curve->row[i]->spec.iodepth == iodepth)
			return true;
	return false;
}

static bool side_has_row(const struct builder *b, const struct match *m, int side, uint32_t iodepth)
{
	for (size_t i = 0; i < b->group[side].nr; i++)
		if (run_has_row(m->run[side][i], iodepth))
			return true;
	return false;
}

/* The smallest depth above this one that any run has a point of; 0 for none. */
static uint32_t next_depth(const struct builder *b, const struct match *m, uint32_t above)
{
	uint32_t next = 0;

	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i < b->group[side].nr; i++) {
			const struct compare_curve *c = m->run[side][i];

			for (size_t k = 0; c && k < c->curve->nr_rows; k++) {
				uint32_t depth = c->curve->row[k]->spec.iodepth;

				if (depth > above && (!next || depth < next))
					next = depth;
			}
		}
	}
	return next;
}

static void add_lone(struct builder *b, const struct match *m, uint32_t iodepth, int side)
{
	struct comparison *out = b->out;

	VEC_GROW(out->lone, out->nr_lone, b->cap_lone);
	out->lone[out->nr_lone] =
		(struct compare_lone){m->spec, side, side_has_row(b, m, !side, iodepth)};
	out->lone[out->nr_lone++].spec.iodepth = iodepth;
}

/* Take the last item back: it has no two sides. */
static void drop_item(struct builder *b)
{
	b->out->nr--;
}

static void add_point(struct builder *b, const struct match *m, uint32_t iodepth)
{
	struct question iops = {COMPARE_IOPS, iodepth, 0}, lat = {COMPARE_LAT, iodepth, 0};
	const struct compare_item *item = add_item(b, m, &iops);
	size_t nr_a = item->side[0].nr, nr_b = item->side[1].nr;

	if (!nr_a || !nr_b || !b->how->iops)
		drop_item(b);
	if (nr_a && nr_b && b->how->lat && !fewest_runs(add_item(b, m, &lat)))
		drop_item(b);
	if (!nr_a != !nr_b)
		add_lone(b, m, iodepth, nr_a ? 0 : 1);
}

/* Whether all runs that have the curve have valid points at the same depths. */
static bool same_depths(const struct builder *b, const struct match *m)
{
	const struct curve *first = NULL;

	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i < b->group[side].nr; i++) {
			const struct curve *c = m->run[side][i] ? m->run[side][i]->curve : NULL;

			if (!first)
				first = c;
			if (!c)
				continue;
			if (c->nr != first->nr)
				return false;
			for (size_t k = 0; k < c->nr; k++)
				if (c->pt[k].iodepth != first->pt[k].iodepth)
					return false;
		}
	}
	return first != NULL;
}

static const char *problem_of(const struct compare_curve *c, const struct question *q)
{
	return q->figure == COMPARE_NSTAR ? knee_problem(c->knee) : cap_problem(&c->cap[q->cap]);
}

/* What keeps a figure of the curve from being compared, by the first run of the side that has it. */
static const char *side_problem(const struct builder *b, const struct match *m, int side,
				const struct question *q)
{
	for (size_t i = 0; i < b->group[side].nr; i++) {
		const struct compare_curve *c = m->run[side][i];

		if (c && problem_of(c, q))
			return problem_of(c, q);
	}
	return NULL;
}

static bool any_infeasible(const struct builder *b, const struct match *m, int side, unsigned cap)
{
	for (size_t i = 0; i < b->group[side].nr; i++)
		if (m->run[side][i] && m->run[side][i]->cap[cap].status == CAP_INFEASIBLE)
			return true;
	return false;
}

static void add_curve_figure(struct builder *b, const struct match *m, const struct question *q)
{
	struct compare_item *item = add_item(b, m, q);
	const char *of_a = side_problem(b, m, 0, q), *of_b = side_problem(b, m, 1, q);

	if (q->figure == COMPARE_CAP)
		item->cap = b->how->caps[q->cap];
	item->is_lost = !of_a && q->figure == COMPARE_CAP && any_infeasible(b, m, 1, q->cap);
	if (of_a || of_b)
		item->reason = of_a ? of_a : of_b;
	else if (!same_depths(b, m))
		item->reason = "the runs have not the same valid depths";
}

/* Figures of the curve are for curves that both groups have, with depths enough for a knee. */
static bool has_curve_figures(const struct builder *b, const struct match *m)
{
	for (int side = 0; side < 2; side++) {
		size_t most = 0;

		for (size_t i = 0; i < b->group[side].nr; i++)
			if (m->run[side][i] && m->run[side][i]->curve->nr > most)
				most = m->run[side][i]->curve->nr;
		if (most < 3)
			return false;
	}
	return true;
}

static void compare_curves(struct builder *b, const struct match *m)
{
	b->first = b->out->nr;
	for (uint32_t d = next_depth(b, m, 0); d; d = next_depth(b, m, d))
		add_point(b, m, d);
	if (b->out->nr > b->first && has_curve_figures(b, m)) {
		add_curve_figure(b, m, &(struct question){COMPARE_NSTAR, 0, 0});
		for (unsigned i = 0; i < b->how->nr_caps; i++)
			add_curve_figure(b, m, &(struct question){COMPARE_CAP, 0, i});
	}
	for (size_t i = b->first; i < b->out->nr; i++)
		test_item(b, i);
}

/* ---- all curves ---- */

/* The match of a curve of this run; each run has one curve in it at most. */
static struct match *find_match(struct builder *b, struct match *list, size_t nr, int side,
				size_t run, const struct point_spec *spec)
{
	for (size_t i = 0; i < nr; i++)
		if (!list[i].run[side][run] &&
		    same_content(&list[i].spec, spec, &b->out->has_other_spans))
			return &list[i];
	return NULL;
}

static struct match *new_match(const struct builder *b, struct match *m,
			       const struct point_spec *spec)
{
	*m = (struct match){.spec = *spec};
	m->spec.repeat = 0;
	for (int side = 0; side < 2; side++)
		m->run[side] = xcalloc(b->group[side].nr + 1, sizeof(*m->run[side]));
	return m;
}

static struct match *match_curves(struct builder *b, size_t *nr)
{
	struct match *list = NULL, *m;
	size_t cap = 0;

	*nr = 0;
	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i < b->group[side].nr; i++) {
			const struct compare_run *r = &b->group[side].runs[i];

			b->out->nr_open += r->nr_open;
			for (size_t k = 0; k < r->nr; k++) {
				const struct point_spec *spec = &r->curves[k].curve->spec;

				m = find_match(b, list, *nr, side, i, spec);
				if (!m) {
					VEC_GROW(list, *nr, cap);
					m = new_match(b, &list[(*nr)++], spec);
				}
				m->run[side][i] = &r->curves[k];
			}
		}
	}
	return list;
}

static int compare_matches(const void *a, const void *b)
{
	return point_spec_compare(&((const struct match *)a)->spec,
				  &((const struct match *)b)->spec);
}

void compare_groups(const struct compare_group group[2], const struct compare_how *how,
		    struct comparison *out)
{
	struct builder b = {.group = group, .how = how, .out = out};
	struct match *list;
	size_t nr;

	*out = (struct comparison){0};
	list = match_curves(&b, &nr);
	if (nr)
		qsort(list, nr, sizeof(*list), compare_matches);
	for (size_t i = 0; i < nr; i++) {
		compare_curves(&b, &list[i]);
		free(list[i].run[0]);
		free(list[i].run[1]);
	}
	free(list);
	free(b.sample);
	compare_judge(out, how->iops && how->lat);
}
