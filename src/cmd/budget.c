/* SPDX-License-Identifier: MIT */
#include "cmd/budget.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"
#include "base/when.h"

#include <stdlib.h>

/* The first and the peak depth. */
#define ANCHORS_PER_CURVE 2

static int parse_until(const char *until, struct budget *out, struct err *e)
{
	int64_t now_wall_ns = clock_wall_ns(), end_wall_ns;

	if (when_parse(until, now_wall_ns, &end_wall_ns, e))
		return err_wrap(e, "--until");
	if (end_wall_ns <= now_wall_ns)
		return err_set(e, ERR_USAGE, "--until: '%s' is past", until);
	out->total_ns = (uint64_t)(end_wall_ns - now_wall_ns);
	out->end_ns = clock_now_ns() + out->total_ns;
	out->text = xasprintf("time until %s", until);
	return 0;
}

int budget_parse(const char *budget, const char *until, struct budget *out, struct err *e)
{
	*out = (struct budget){0};
	if (budget && until)
		return err_set(e, ERR_USAGE,
			       "--budget and --until both say how long; leave out one of them");
	if (until)
		return parse_until(until, out, e);
	if (!budget)
		return 0;
	if (units_parse_duration(budget, &out->total_ns, e))
		return err_wrap(e, "--budget");
	if (!out->total_ns)
		return err_set(e, ERR_USAGE, "--budget: '%s' is no time to measure anything",
			       budget);
	out->text = xasprintf("budget of %s", budget);
	return 0;
}

void budget_release(struct budget *b)
{
	free(b->text);
	*b = (struct budget){0};
}

static uint64_t longest_ns(const struct sweep *s)
{
	return s->ramp_ns + s->max_ns + PLAN_POINT_OVERHEAD_NS;
}

static uint64_t shortest_ns(const struct sweep *s)
{
	return s->ramp_ns + s->min_ns + PLAN_POINT_OVERHEAD_NS;
}

int budget_check(const struct budget *b, size_t nr_targets, const struct plan *p,
		 const struct sweep *s, struct err *e)
{
	struct buf least = BUF_INIT;
	struct plan_totals t;
	uint64_t least_ns;

	if (!b->text)
		return 0;
	plan_estimate(p, s, 1, &t);
	/* One point does where a curve has no more. */
	least_ns = nr_targets * longest_ns(s) * (t.nr_ends == 2 * t.nr_curves ? 2 : 1);
	if (b->total_ns >= least_ns)
		return 0;
	/* Rounded up, for people. */
	buf_add_duration(&least, (least_ns + NS_PER_S - 1) / NS_PER_S * NS_PER_S);
	(void)err_set(e, ERR_USAGE,
		      "the %s is too short for the ends of one curve%s: give it %s or more, or "
		      "shorten --ramp-time and --max-time",
		      b->text, nr_targets > 1 ? " of each target" : "", buf_text(&least));
	buf_release(&least);
	return -1;
}

void budget_begin(struct budget *b)
{
	if (b->text && !b->end_ns)
		b->end_ns = clock_now_ns() + b->total_ns;
}

void budget_share(const struct budget *b, size_t nr, struct measure_job *job)
{
	uint64_t now = clock_now_ns();

	if (!b->text)
		return;
	job->budget_text = b->text;
	job->end_ns = b->end_ns > now ? now + (b->end_ns - now) / nr : b->end_ns;
}

/* The ends first, then the rest with the anchors of so many curves. */
static size_t points_in(uint64_t nr_slots, size_t nr_anchored, const struct plan_totals *t)
{
	uint64_t anchors = ANCHORS_PER_CURVE * nr_anchored, rest;

	if (nr_slots <= t->nr_ends)
		return nr_slots;
	rest = nr_slots - t->nr_ends;
	rest = rest > anchors ? rest - anchors : 0;
	return t->nr_ends + rest < t->nr_points ? t->nr_ends + rest : t->nr_points;
}

void budget_points(const struct budget *b, const struct plan_totals *t, const struct sweep *s,
		   struct budget_points *out)
{
	out->nr_certain =
		points_in(b->total_ns / longest_ns(s), t->nr_anchored + t->nr_perhaps_anchored, t);
	out->nr_best = points_in(b->total_ns / shortest_ns(s), t->nr_anchored, t);
}
