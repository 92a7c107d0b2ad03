/* SPDX-License-Identifier: MIT */
#include "analyze/search_curve.h"

#include "analyze/curve.h"
#include "analyze/response.h"
#include "analyze/search.h"
#include "base/mem.h"
#include "base/num.h"
#include "stats/ci.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A depth or load of the curve with all its latencies, whichever the cap is on. */
struct known {
	struct search_point p; /* lat_ns and lat_se are not set */
	double lat_ns[LAT_STAT_NR], lat_se[LAT_STAT_NR];
	bool is_stalled; /* good for percentiles only */
	bool is_used;	 /* by a search before */
};

struct known_list {
	struct known *v;
	size_t nr, cap;
};

struct point_spec search_spec(const struct search_input *in, uint64_t at)
{
	struct point_spec spec = *in->curve;

	spec.repeat = 1;
	spec.is_anchor = false;
	spec.rate_e4 = 0;
	spec.rate_ask_iops = in->settings.is_load ? at : 0;
	if (!in->settings.is_load)
		spec.iodepth = (uint32_t)at;
	return spec;
}

static uint64_t at_of(const struct search_input *in, const struct point_spec *s)
{
	return in->settings.is_load ? s->rate_ask_iops : s->iodepth;
}

/* Per cents of a maximum were another question. */
bool search_is_of_curve(const struct search_input *in, const struct point_spec *s)
{
	struct point_spec one = search_spec(in, 1);

	if (s->is_anchor || s->rate_e4 || point_is_open(s) != in->settings.is_load)
		return false;
	return point_same_curve(s, &one);
}

/* When its repeats began and ended; 0 for points that were not measured here. */
static uint64_t time_of(const struct search_input *in, const struct point *p, size_t nr,
			uint64_t at)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < nr; i++)
		if (search_is_of_curve(in, &p[i].spec) && at_of(in, &p[i].spec) == at &&
		    p[i].end_wall_ns > p[i].start_wall_ns)
			ns += (uint64_t)(p[i].end_wall_ns - p[i].start_wall_ns);
	return ns;
}

/* A relative standard error from a 95 % interval; 0 where there is none. */
static double se_of_interval(double low, double high)
{
	return low > 0 && high >= low ? log(high / low) / (2 * Z_95) : 0;
}

static struct known *add_known(struct known_list *l)
{
	VEC_GROW(l->v, l->nr, l->cap);
	l->v[l->nr] = (struct known){0};
	return &l->v[l->nr++];
}

static void add_curve_point(struct known_list *l, const struct curve_point *pt, bool is_stalled)
{
	struct known *k = add_known(l);

	k->is_stalled = is_stalled;
	k->p = (struct search_point){.at = pt->iodepth,
				     .iops = pt->iops,
				     .iops_se = pt->is_error_unknown ? UNKNOWN : pt->se_rel,
				     .ios = pt->ios,
				     .flags = pt->flags};
	for (enum lat_stat s = 0; s < LAT_STAT_NR; s++) {
		k->lat_ns[s] = pt->lat_ns[s];
		k->lat_se[s] = se_of_interval(pt->lat_lo_ns[s], pt->lat_hi_ns[s]);
	}
	/* Its interval is wider than its error where few repeats tell it. */
	k->lat_se[LAT_MEAN] = pt->lat_se_rel;
}

static void add_curve_points(struct known_list *l, const struct point *p, size_t nr,
			     flag_set accepted)
{
	struct curve *c;
	size_t nr_curves;

	curves_build(p, nr, accepted, &c, &nr_curves);
	for (size_t i = 0; i < nr_curves; i++) {
		for (size_t k = 0; k < c[i].nr; k++)
			add_curve_point(l, &c[i].pt[k], false);
		for (size_t k = 0; k < c[i].nr_stalled; k++)
			add_curve_point(l, &c[i].stalled[k], true);
	}
	curves_free(c, nr_curves);
}

static void add_response_point(struct known_list *l, const struct response_point *pt)
{
	const struct figures *f = &pt->row->dir[DIR_TOTAL];
	struct known *k = add_known(l);

	k->p = (struct search_point){.at = pt->row->spec.rate_ask_iops,
				     .iops = pt->iops,
				     .iops_se = f->iops_se_rel,
				     .ios = f->ios,
				     .is_missed = !pt->is_sustained,
				     .flags = pt->row->flags};
	for (enum lat_stat s = 0; s < LAT_STAT_NR; s++)
		k->lat_ns[s] = pt->lat_ns[s];
	k->lat_se[LAT_MEAN] = isnan(f->lat_se_rel) ? 0 : f->lat_se_rel;
	k->lat_se[LAT_P95] = se_of_interval(f->lat_p95_lo_ns, f->lat_p95_hi_ns);
	k->lat_se[LAT_P99] = se_of_interval(f->lat_p99_lo_ns, f->lat_p99_hi_ns);
}

static void add_response_points(struct known_list *l, const struct point *p, size_t nr,
				flag_set accepted)
{
	struct response *r;
	size_t nr_responses;

	responses_build(p, nr, accepted, &r, &nr_responses);
	for (size_t i = 0; i < nr_responses; i++)
		for (size_t k = 0; k < r[i].nr; k++)
			add_response_point(l, &r[i].pt[k]);
	responses_free(r, nr_responses);
}

static int compare_known(const void *pa, const void *pb)
{
	const struct known *a = pa, *b = pb;

	return (a->p.at > b->p.at) - (a->p.at < b->p.at);
}

/* What is valid among the points, ascending. */
static struct known_list make_known(const struct search_input *in, const struct point *p, size_t nr)
{
	struct point *own = xcalloc(nr + 1, sizeof(*own));
	struct known_list l = {0};
	size_t nr_own = 0;

	for (size_t i = 0; i < nr; i++)
		if (search_is_of_curve(in, &p[i].spec))
			own[nr_own++] = p[i];
	if (in->settings.is_load)
		add_response_points(&l, own, nr_own, in->accepted);
	else
		add_curve_points(&l, own, nr_own, in->accepted);
	for (size_t i = 0; i < l.nr; i++) {
		l.v[i].p.time_ns = time_of(in, p, nr, l.v[i].p.at);
		for (size_t k = 0; k < nr_own; k++)
			if (at_of(in, &own[k].spec) == l.v[i].p.at)
				l.v[i].p.run_id = own[k].run_id;
	}
	if (l.nr)
		qsort(l.v, l.nr, sizeof(*l.v), compare_known);
	free(own);
	return l;
}

/* Whether this cap can be judged by it, and then the point. */
static bool point_for(const struct known *k, enum lat_stat stat, struct search_point *out)
{
	if ((k->is_stalled && stat == LAT_MEAN) || !(k->lat_ns[stat] > 0))
		return false;
	*out = k->p;
	out->lat_ns = k->lat_ns[stat];
	out->lat_se = k->lat_se[stat];
	return true;
}

/* The searches of a curve while they are walked through. */
struct walk {
	const struct search_input *in;
	struct known_list seeds, own;
};

static struct known *find_known(struct known_list *l, uint64_t at)
{
	for (size_t i = 0; i < l->nr; i++)
		if (l->v[i].p.at == at)
			return &l->v[i];
	return NULL;
}

static void add_seed_run(struct search_answer *a, int64_t run_id)
{
	for (unsigned i = 0; i < a->nr_seed_runs; i++)
		if (a->seed_run[i] == run_id)
			return;
	if (a->nr_seed_runs < SEARCH_MAX_SEED_RUNS)
		a->seed_run[a->nr_seed_runs++] = run_id;
}

/* All that is known before the search of a cap begins, but for what it may not ask for; the caller
 * frees it. */
static size_t collect_seed(const struct walk *w, struct search_answer *a, struct search_point **out)
{
	struct search_point *p = xcalloc(w->seeds.nr + w->own.nr + 1, sizeof(*p));
	size_t nr = 0;

	for (size_t i = 0; i < w->seeds.nr; i++) {
		if (w->seeds.v[i].p.at > w->in->settings.max ||
		    !point_for(&w->seeds.v[i], a->cap.stat, &p[nr]))
			continue;
		add_seed_run(a, p[nr++].run_id);
		a->nr_seed++;
	}
	for (size_t i = 0; i < w->own.nr; i++)
		if (w->own.v[i].is_used && point_for(&w->own.v[i], a->cap.stat, &p[nr])) {
			a->nr_shared++;
			nr++;
		}
	*out = p;
	return nr;
}

enum found { FOUND_NOT, FOUND_VALID, FOUND_INVALID };

static void set_reason(struct search_answer *a, const struct point *p, uint64_t at)
{
	const char *sep = "";
	size_t len = 0;

	a->failed_at = at;
	if (p->status != POINT_OK) {
		(void)snprintf(a->failed_reason, sizeof(a->failed_reason), "%s: %s",
			       point_status_name(p->status), p->reason ? p->reason : "no reason");
		return;
	}
	len = (size_t)snprintf(a->failed_reason, sizeof(a->failed_reason), "spoiled: ");
	for (enum flag f = 0; f < FLAG_NR && len < sizeof(a->failed_reason); f++) {
		if (!(p->flags & FLAG_BIT(f)) || flag_effect(f) > EFFECT_SPOILED)
			continue;
		len += (size_t)snprintf(a->failed_reason + len, sizeof(a->failed_reason) - len,
					"%s%s", sep, flag_name(f));
		sep = ", ";
	}
}

/* What became of the point that a search asks for; with the reason where it is invalid. */
static enum found look_up(struct walk *w, uint64_t at, struct search_answer *a,
			  struct search_point *out)
{
	const struct search_input *in = w->in;
	struct known *k = find_known(&w->own, at);
	const struct point *last = NULL;

	for (size_t i = 0; i < in->nr_points; i++) {
		const struct point *p = &in->points[i];

		if (!search_is_of_curve(in, &p->spec) || at_of(in, &p->spec) != at)
			continue;
		if (!point_status_is_final(p->status))
			return FOUND_NOT;
		if (!last || !point_is_valid(p, in->accepted))
			last = p;
	}
	if (!last)
		return FOUND_NOT;
	if (k && point_for(k, a->cap.stat, out)) {
		k->is_used = true;
		return FOUND_VALID;
	}
	set_reason(a, last, at);
	if (point_is_valid(last, in->accepted))
		(void)snprintf(a->failed_reason, sizeof(a->failed_reason),
			       "its %s latency is not known", lat_stat_name(a->cap.stat));
	return FOUND_INVALID;
}

/* D20: what only the queue of this host limits is told of it, not withheld. */
static bool limits_client(const struct search_input *in, const struct search_point *p)
{
	flag_set of_queue = FLAG_BIT(FLAG_SUBMIT_BLOCKED) | FLAG_BIT(FLAG_DEPTH_NOT_HELD);
	flag_set flags = p->flags;

	if (!p->at)
		return false;
	if (flags & (FLAG_BIT(FLAG_CPU_BOUND) | FLAG_BIT(FLAG_LATE_SUBMIT)))
		return true;
	if (in->queue_limit && !in->settings.is_load && p->at > in->queue_limit)
		flags &= ~of_queue;
	return flags_have(flags, EFFECT_LOWER_BOUND);
}

/* The bad one may be bad for want of this host, but not because fewer were in flight than asked for: more would
 * be worse. IOPS of a closed loop are too low where this host limits them. A load that meets the cap in
 * spite of this host meets it, unless it was the latency itself that ended the search. */
static bool is_client_limited(const struct search_input *in, const struct search_answer *a)
{
	struct search_point bad = a->bad;

	bad.flags &= ~FLAG_BIT(FLAG_DEPTH_NOT_HELD);
	if (limits_client(in, &bad))
		return true;
	if (in->settings.is_load && a->stop != SEARCH_AT_CAP)
		return false;
	return limits_client(in, &a->best);
}

static void conclude(const struct search_input *in, const struct search *s, struct search_answer *a)
{
	search_result(s, a);
	a->is_client_limited = is_client_limited(in, a);
	if (in->queue_limit && !in->settings.is_load && a->best.at > in->queue_limit)
		a->queue_limit = in->queue_limit;
}

/* Tell one search all that is known; 0 when it ended, else what it needs. */
static uint64_t walk_cap(struct walk *w, struct search_answer *a)
{
	const struct search_input *in = w->in;
	struct search_config config = {.cap = a->cap,
				       .settings = in->settings,
				       .min = in->settings.is_load ? 1 : in->curve->workers};
	struct search_point *seed, p;
	size_t nr = collect_seed(w, a, &seed);
	uint64_t at, needed = 0;
	struct search s;

	search_init(&s, &config, seed, nr);
	free(seed);
	while (!needed && search_next(&s, &at)) {
		switch (look_up(w, at, a, &p)) {
		case FOUND_NOT:
			needed = at;
			break;
		case FOUND_VALID:
			search_add(&s, &p);
			break;
		case FOUND_INVALID:
			search_fail(&s);
			break;
		}
	}
	conclude(in, &s, a);
	search_release(&s);
	return needed;
}

static void clear(const struct search_input *in, struct cap cap, struct search_answer *a)
{
	*a = (struct search_answer){.cap = cap, .settings = in->settings};
	a->best.lat_ns = a->good.lat_ns = a->bad.lat_ns = a->lowest.lat_ns = UNKNOWN;
}

void search_curve(const struct search_input *in, struct search_answer *answer, uint64_t *next)
{
	struct walk w = {.in = in,
			 .seeds = make_known(in, in->seeds, in->nr_seeds),
			 .own = make_known(in, in->points, in->nr_points)};

	*next = 0;
	for (unsigned i = 0; i < in->nr_caps; i++) {
		clear(in, in->caps[i], &answer[i]);
		if (!*next)
			*next = walk_cap(&w, &answer[i]);
	}
	free(w.seeds.v);
	free(w.own.v);
}
