/* SPDX-License-Identifier: MIT */
#include "analyze/compare.h"

#include "base/mem.h"
#include "base/num.h"
#include "stats/ratio.h"

#include <stdlib.h>

/* N* is made of two points, of which one makes it larger and the other smaller. */
static struct value_bounds bounds_of(const struct compare_item *item, int side)
{
	struct value_bounds b = flags_bounds(item->side[side].flags, item->figure == COMPARE_LAT);

	if (item->figure == COMPARE_NSTAR && b.flags)
		b.is_low = b.is_high = true;
	return b;
}

/* A difference stands if the smaller value is not a lower bound and the larger is not an upper one; a
 * likeness if none is a bound. */
static flag_set bounds_in_the_way(const struct compare_item *item)
{
	int more = item->ratio > 1;
	struct value_bounds small = bounds_of(item, !more), large = bounds_of(item, more);

	if (!(item->p_adjusted < COMPARE_ALPHA) || item->ratio == 1)
		return small.flags | large.flags;
	return (small.is_low ? small.flags : 0) | (large.is_high ? large.flags : 0);
}

static enum compare_verdict judge(const struct compare_item *item)
{
	const double margin = 1 + COMPARE_MARGIN, rounding = 1e-9;

	if (isnan(item->p_adjusted))
		return COMPARE_UNJUDGED;
	if (item->bound_flags)
		return COMPARE_INCONCLUSIVE;
	if (item->p_adjusted < COMPARE_ALPHA && fabs(item->ratio - 1) >= COMPARE_MARGIN - rounding)
		return COMPARE_DIFFERENT;
	if (item->low90 >= 1 / margin && item->high90 <= margin)
		return COMPARE_EQUIVALENT;
	return COMPARE_INCONCLUSIVE;
}

/* Holm's adjustment over the figures that belong to a family. */
static void adjust(struct comparison *c, bool (*belongs)(const struct compare_item *))
{
	double *p = xcalloc(c->nr + 1, sizeof(*p));

	for (size_t i = 0; i < c->nr; i++)
		p[i] = belongs(&c->item[i]) ? c->item[i].p : UNKNOWN;
	holm_adjust(p, c->nr);
	for (size_t i = 0; i < c->nr; i++)
		if (belongs(&c->item[i]))
			c->item[i].p_adjusted = p[i];
	free(p);
}

static bool is_latency(const struct compare_item *item)
{
	return item->figure == COMPARE_LAT;
}

static bool is_no_latency(const struct compare_item *item)
{
	return !is_latency(item);
}

static bool is_any(const struct compare_item *item)
{
	(void)item;
	return true;
}

void compare_judge(struct comparison *c, bool latency_apart)
{
	if (latency_apart) {
		adjust(c, is_no_latency);
		adjust(c, is_latency);
	} else {
		adjust(c, is_any);
	}
	for (size_t i = 0; i < c->nr; i++) {
		struct compare_item *item = &c->item[i];

		item->bound_flags = bounds_in_the_way(item);
		item->verdict = judge(item);
		if (item->verdict == COMPARE_INCONCLUSIVE && item->bound_flags)
			item->reason = item->bound_flags & FLAG_BIT(FLAG_CPU_BOUND)
					       ? "the client was the limit"
					       : "it rests on a bound";
	}
}
