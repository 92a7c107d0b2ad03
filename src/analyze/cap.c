/* SPDX-License-Identifier: MIT */
#include "analyze/cap.h"

#include "base/mem.h"
#include "base/num.h"

#include <stdbool.h>
#include <stdlib.h>

#define Z_ONE_SIDED 1.645

/* Milliseconds from a table are no exact binary numbers; the same latency must stay equal. */
#define ROUNDING 1e-9

/* What makes latency longer than that of the target; where a depth was not held it is shorter. */
#define CLIENT_SLOW (FLAG_BIT(FLAG_CPU_BOUND) | FLAG_BIT(FLAG_SUBMIT_BLOCKED))

static bool is_good(const struct cap *cap, double lat_ns)
{
	return lat_ns <= (double)cap->limit_ns * (1 + ROUNDING);
}

/* What one pass over the points finds; NULL where there is none. */
struct scan {
	const struct curve_point *best;	     /* most IOPS under the cap, the first of equals */
	const struct curve_point *last_good; /* the largest depth under the cap */
	const struct curve_point *next;	     /* the one behind last_good */
	const struct curve_point *lat_min;   /* the lowest latency, the first of equals */
};

static struct scan scan_points(const struct curve *c, const struct cap *cap)
{
	struct scan s = {0};

	for (size_t i = 0; i < c->nr; i++) {
		const struct curve_point *p = &c->pt[i];
		double lat_ns = p->lat_ns[cap->stat];

		if (isnan(lat_ns))
			continue;
		if (!s.lat_min || lat_ns < s.lat_min->lat_ns[cap->stat])
			s.lat_min = p;
		if (is_good(cap, lat_ns)) {
			if (!s.best || p->iops > s.best->iops)
				s.best = p;
			s.last_good = p;
			s.next = NULL;
		} else if (!s.next) {
			s.next = p;
		}
	}
	return s;
}

/* D34: a smaller depth that is as good within the noise costs less latency. */
static const struct curve_point *smallest_as_good(const struct curve *c, const struct cap *cap,
						  const struct curve_point *best)
{
	for (const struct curve_point *p = c->pt; p < best; p++) {
		double se = hypot(p->se_rel, best->se_rel);

		if (!isnan(p->lat_ns[cap->stat]) && is_good(cap, p->lat_ns[cap->stat]) &&
		    log(best->iops / p->iops) <= Z_ONE_SIDED * se)
			return p;
	}
	return best;
}

/* Straight on log axes between the last good point and the next. */
static void interpolate(const struct scan *s, struct cap_answer *a)
{
	const struct curve_point *from = s->last_good, *to = s->next;
	double depth, iops, f;

	a->depth_interp = s->best->iodepth;
	a->iops_interp = s->best->iops;
	if (!to || !(from->lat_ns[a->cap.stat] > 0))
		return;
	f = log((double)a->cap.limit_ns / from->lat_ns[a->cap.stat]) /
	    log(to->lat_ns[a->cap.stat] / from->lat_ns[a->cap.stat]);
	depth = from->iodepth * pow((double)to->iodepth / from->iodepth, f);
	iops = from->iops * pow(to->iops / from->iops, f);
	if (iops >= s->best->iops) {
		a->depth_interp = depth;
		a->iops_interp = iops;
	}
}

/* Whether the latency of p lies surely on its side of the cap. */
static void judge(const struct curve_point *p, struct cap_answer *a)
{
	double low = p->lat_lo_ns[a->cap.stat], high = p->lat_hi_ns[a->cap.stat];

	a->ios = p->ios;
	if (!(high > 0))
		return;
	a->lat_lo_ns = low;
	a->lat_hi_ns = high;
	if (is_good(&a->cap, high))
		a->verdict = CAP_MEETS;
	else
		a->verdict = is_good(&a->cap, low) ? CAP_UNDECIDED : CAP_FAILS;
}

static void answer(const struct curve *c, const struct scan *s, struct cap_answer *a)
{
	const struct curve_point *p = smallest_as_good(c, &a->cap, s->best);

	a->status = s->next ? CAP_OK : CAP_NOT_REACHED;
	a->depth = p->iodepth;
	a->iops = p->iops;
	a->lat_ns = p->lat_ns[a->cap.stat];
	a->flags = p->flags;
	a->last_good_depth = s->last_good->iodepth;
	interpolate(s, a);
	judge(p, a);
}

/* All points whose percentiles hold, ascending; the caller frees pt. */
static struct curve with_stalled(const struct curve *c)
{
	struct curve all = *c;
	size_t s = 0, p = 0;

	all.pt = xcalloc(c->nr + c->nr_stalled, sizeof(*all.pt));
	all.nr = c->nr + c->nr_stalled;
	for (size_t i = 0; i < all.nr; i++) {
		bool take = p == c->nr ||
			    (s < c->nr_stalled && c->stalled[s].iodepth < c->pt[p].iodepth);

		all.pt[i] = take ? c->stalled[s++] : c->pt[p++];
	}
	return all;
}

static void find(const struct curve *c, struct cap cap, struct cap_answer *a)
{
	struct scan s = scan_points(c, &cap);

	*a = (struct cap_answer){
		.cap = cap,
		.status = s.lat_min ? CAP_INFEASIBLE : CAP_NO_DATA,
		.iops = UNKNOWN,
		.lat_ns = UNKNOWN,
		.depth_interp = UNKNOWN,
		.iops_interp = UNKNOWN,
		.lat_min_ns = UNKNOWN,
		.lat_lo_ns = UNKNOWN,
		.lat_hi_ns = UNKNOWN,
		.ios = UNKNOWN,
	};
	if (!s.lat_min)
		return;
	a->lat_min_ns = s.lat_min->lat_ns[cap.stat];
	a->lat_min_depth = s.lat_min->iodepth;
	if (s.next) {
		a->first_bad_depth = s.next->iodepth;
		a->is_bad_unsure = s.next->flags & CLIENT_SLOW;
	}
	if (s.best)
		answer(c, &s, a);
	else
		judge(s.lat_min, a);
	if (!s.best)
		a->is_bad_unsure = s.lat_min->flags & CLIENT_SLOW;
}

void cap_find(const struct curve *c, struct cap cap, struct cap_answer *a)
{
	struct curve all;

	if (cap.stat == LAT_MEAN || !c->nr_stalled) {
		find(c, cap, a);
		return;
	}
	all = with_stalled(c);
	find(&all, cap, a);
	free(all.pt);
}
