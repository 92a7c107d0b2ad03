/* SPDX-License-Identifier: MIT */
#include "analyze/compare.h"

#include "base/mem.h"
#include "base/num.h"
#include "stats/ratio.h"

#include <stdlib.h>

static bool is_cpu_bound(const struct compare_side *s)
{
	return s->flags & FLAG_BIT(FLAG_CPU_BOUND);
}

/* A client-limited figure is a bound, so a likeness proves nothing, and a difference only if the
 * slower side is not the one that the client held back. */
static bool rests_on_client(const struct compare_item *item)
{
	if (item->p_adjusted < COMPARE_ALPHA && compare_direction(item) != 0)
		return is_cpu_bound(&item->side[compare_direction(item) > 0 ? 0 : 1]);
	return is_cpu_bound(&item->side[0]) || is_cpu_bound(&item->side[1]);
}

static enum compare_verdict judge(const struct compare_item *item)
{
	const double margin = 1 + COMPARE_MARGIN, rounding = 1e-9;

	if (isnan(item->p_adjusted))
		return COMPARE_UNJUDGED;
	if (item->is_client_limited)
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
		c->item[i].is_client_limited = rests_on_client(&c->item[i]);
		c->item[i].verdict = judge(&c->item[i]);
	}
}
