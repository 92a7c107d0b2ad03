/* SPDX-License-Identifier: MIT */
/* The order of points: every candidate gets a key, and one sort puts them into place. */
#include "plan/plan.h"

#include "base/mem.h"
#include "base/rng.h"
#include "plan/expand.h"

#include <stdlib.h>
#include <string.h>

enum { GROUP_FIRST, GROUP_RATES, GROUP_WRITES, GROUP_WRITE_RATES, GROUP_SKIPPED };

unsigned plan_group(const struct point_spec *spec, const struct sweep *s)
{
	bool is_later = point_writes(spec) && s->mix_order != MIX_AS_LISTED;

	/* A rate in per cent is of the maximum that closed loops find. */
	if (point_is_open(spec))
		return is_later ? GROUP_WRITE_RATES : GROUP_RATES;
	return is_later ? GROUP_WRITES : GROUP_FIRST;
}

static void shuffle(uint64_t *v, size_t nr, struct rng *r)
{
	for (size_t i = nr; i > 1; i--) {
		size_t other = (size_t)rng_below(r, i);
		uint64_t tmp = v[i - 1];

		v[i - 1] = v[other];
		v[other] = tmp;
	}
}

static void order_listed(struct candidates *c)
{
	for (size_t i = 0; i < c->nr; i++)
		c->v[i].key[1] = c->v[i].listed;
}

static void order_random(struct candidates *c, uint64_t seed)
{
	uint64_t *place = xreallocarray(NULL, c->nr, sizeof(*place));
	struct rng r;

	rng_seed(&r, seed);
	for (size_t i = 0; i < c->nr; i++)
		place[i] = i;
	shuffle(place, c->nr, &r);
	for (size_t i = 0; i < c->nr; i++)
		c->v[i].key[1] = place[i];
	free(place);
}

static int compare_u64(const void *pa, const void *pb)
{
	const uint64_t *a = pa, *b = pb;

	return (*a > *b) - (*a < *b);
}

/* All depths of the plan, ascending, each once; the caller frees *out. */
static size_t distinct_depths(const struct candidates *c, uint64_t **out)
{
	uint64_t *depth = xreallocarray(NULL, c->nr, sizeof(*depth));
	size_t nr = 0;

	for (size_t i = 0; i < c->nr; i++)
		depth[i] = c->v[i].spec.iodepth;
	qsort(depth, c->nr, sizeof(*depth), compare_u64);
	for (size_t i = 0; i < c->nr; i++)
		if (!nr || depth[nr - 1] != depth[i])
			depth[nr++] = depth[i];
	*out = depth;
	return nr;
}

static uint64_t round_of(const uint64_t *depths, size_t nr, uint64_t depth)
{
	const uint64_t *found = bsearch(&depth, depths, nr, sizeof(*depths), compare_u64);

	return found ? (uint64_t)(found - depths) : nr;
}

/*
 * Deal the rounds of one repeat of a writing curve anew, so that wear and the filling of caches
 * do not rise with the depth. Each curve has its own shuffle, which depends on nothing but the
 * seed and the curve.
 */
static void shuffle_rounds(struct candidate *curve, size_t nr, uint32_t repeat, uint64_t seed)
{
	uint64_t *rounds = xreallocarray(NULL, nr, sizeof(*rounds));
	struct point_spec id = curve->spec;
	size_t n = 0;
	struct rng r;

	if (!point_is_open(&id))
		id.iodepth = 0;
	id.rate_ask_iops = id.rate_e4 = 0;
	id.span_e4 = 0;
	id.repeat = repeat;
	rng_seed(&r, rng_mix(seed) ^ point_spec_hash(&id));
	for (size_t i = 0; i < nr; i++)
		if (curve[i].spec.repeat == repeat)
			rounds[n++] = curve[i].key[2];
	shuffle(rounds, n, &r);
	n = 0;
	for (size_t i = 0; i < nr; i++)
		if (curve[i].spec.repeat == repeat)
			curve[i].key[2] = rounds[n++];
	free(rounds);
}

/* Length of the curve that begins at c[0], of nr candidates that are sorted by curve. */
static size_t curve_length(const struct candidate *c, size_t nr)
{
	size_t len = 1;

	while (len < nr && point_same_curve(&c[0].spec, &c[len].spec))
		len++;
	return len;
}

/* A round for each rate of a response curve. */
static void set_rate_rounds(struct candidate *curve, size_t nr)
{
	uint64_t round = 0;

	for (size_t k = 0; k < nr; k++) {
		const struct point_spec *last = &curve[k ? k - 1 : 0].spec, *s = &curve[k].spec;

		round += s->rate_e4 != last->rate_e4 || s->rate_ask_iops != last->rate_ask_iops;
		curve[k].key[2] = round;
	}
}

static void order_interleaved(struct candidates *c, const struct sweep *s, uint64_t seed)
{
	uint64_t *depths;
	size_t nr_depths = distinct_depths(c, &depths), len;

	for (size_t i = 0; i < c->nr; i += len) {
		struct candidate *curve = &c->v[i];
		size_t first = curve->listed;

		len = curve_length(curve, c->nr - i);
		for (size_t k = 0; k < len; k++)
			first = curve[k].listed < first ? curve[k].listed : first;
		for (size_t k = 0; k < len; k++) {
			curve[k].key[1] = curve[k].spec.repeat;
			curve[k].key[2] = round_of(depths, nr_depths, curve[k].spec.iodepth);
			curve[k].key[3] = first;
		}
		if (point_is_open(&curve->spec))
			set_rate_rounds(curve, len);
		for (uint32_t r = 1; point_writes(&curve->spec) && r <= s->repeats; r++)
			shuffle_rounds(curve, len, r, seed);
	}
	free(depths);
}

static int compare_key(const void *pa, const void *pb)
{
	const struct candidate *a = pa, *b = pb;

	for (size_t i = 0; i < NR(a->key); i++)
		if (a->key[i] != b->key[i])
			return a->key[i] < b->key[i] ? -1 : 1;
	return point_spec_compare(&a->spec, &b->spec);
}

static void put_in_order(struct candidates *c, const struct sweep *s, uint64_t seed)
{
	switch (s->order) {
	case ORDER_LISTED:
		order_listed(c);
		break;
	case ORDER_RANDOM:
		order_random(c, seed);
		break;
	case ORDER_INTERLEAVED:
	case ORDER_NR:
		order_interleaved(c, s, seed);
		break;
	}
	for (size_t i = 0; i < c->nr; i++) {
		struct candidate *one = &c->v[i];

		one->key[0] = one->skip_reason ? GROUP_SKIPPED : plan_group(&one->spec, s);
		if (one->key[0] == GROUP_SKIPPED)
			one->key[1] = one->key[2] = one->key[3] = one->listed;
	}
	qsort(c->v, c->nr, sizeof(*c->v), compare_key);
}

int plan_make(const struct sweep *s, const struct target_info *t, uint64_t seed, struct plan *p,
	      struct err *e)
{
	struct candidates c;

	*p = (struct plan){.seed = seed};
	if (expand_sweep(s, t, &c, e))
		return -1;
	put_in_order(&c, s, seed);
	p->v = xreallocarray(NULL, c.nr, sizeof(*p->v));
	for (size_t i = 0; i < c.nr; i++) {
		p->v[i] = (struct plan_point){c.v[i].spec, (uint32_t)i + 1, c.v[i].skip_reason};
		p->nr_skipped += c.v[i].skip_reason != NULL;
		c.v[i].skip_reason = NULL;
	}
	p->nr = c.nr;
	candidates_release(&c);
	return 0;
}

void plan_release(struct plan *p)
{
	for (size_t i = 0; i < p->nr; i++)
		free(p->v[i].skip_reason);
	free(p->v);
	*p = (struct plan){0};
}

bool plan_writes(const struct plan *p)
{
	for (size_t i = 0; i < p->nr; i++)
		if (!p->v[i].skip_reason && point_writes(&p->v[i].spec))
			return true;
	return false;
}

bool plan_order_needs_seed(const struct plan *p, const struct sweep *s)
{
	if (s->order == ORDER_RANDOM)
		return p->nr - p->nr_skipped > 1;
	return s->order == ORDER_INTERLEAVED && plan_writes(p);
}
