/* SPDX-License-Identifier: MIT */
/* The search over offered load; see search.h. */
#include "analyze/search.h"

#include "base/num.h"

#define JUMP	 8.0
#define LOAD_TOL 1.02
/* Where nothing is known: low enough for a single disk, and three jumps from its thousandfold. */
#define LOAD_FIRST 100
#define STEP_MIN   0.1
#define STEP_MAX   0.9

static double load_of(const struct search_point *p)
{
	return (double)p->at;
}

static uint64_t clamp(double v, uint64_t low, uint64_t high)
{
	if (!(v > (double)low))
		return low;
	return v < (double)high ? (uint64_t)v : high;
}

/* The largest known load below that of p, which met the cap. */
static const struct search_point *below(const struct search *s, const struct search_point *p)
{
	const struct search_point *best = NULL;

	for (size_t i = 0; i < s->nr; i++)
		if (s->p[i].at < p->at && !s->p[i].is_missed && (!best || s->p[i].at > best->at))
			best = &s->p[i];
	return best;
}

/* On to the cap by the straight line of 1 / latency, which overshoots where the true one bends;
 * eightfold while it is level. */
static double gallop(const struct search *s)
{
	const struct search_point *lo = &s->p[s->lo], *p = below(s, lo);
	double most = JUMP * load_of(lo), fall, to_cap;

	if (!p || !(lo->lat_ns > p->lat_ns))
		return most;
	fall = (1 / p->lat_ns - 1 / lo->lat_ns) / (load_of(lo) - load_of(p));
	to_cap = 1 / lo->lat_ns - 1 / (double)s->config.cap.limit_ns;
	return fmin(most, fmax(load_of(lo) * LOAD_TOL, load_of(lo) + to_cap / fall));
}

/* What hi says of where 1 / latency is: its own load and latency, or 0 at the IOPS that a load
 * achieved that was missed. */
static void end_of_line(const struct search *s, double *load, double *per_lat)
{
	const struct search_point *lo = &s->p[s->lo], *hi = &s->p[s->hi];

	*load = load_of(hi);
	*per_lat = 1 / hi->lat_ns;
	if (!hi->is_missed)
		return;
	*per_lat = 0;
	if (hi->iops > load_of(lo) && hi->iops < load_of(hi))
		*load = hi->iops;
}

static double narrow(const struct search *s)
{
	const struct search_point *lo = &s->p[s->lo];
	double load, per_lat, f;

	end_of_line(s, &load, &per_lat);
	if (s->rep >= 2)
		return sqrt(load_of(lo) * load);
	f = (1 / lo->lat_ns - 1 / (double)s->config.cap.limit_ns) / (1 / lo->lat_ns - per_lat);
	if (!(f >= STEP_MIN))
		f = STEP_MIN;
	return load_of(lo) + fmin(f, STEP_MAX) * (load - load_of(lo));
}

bool search_load_is_narrow(const struct search *s)
{
	return load_of(&s->p[s->hi]) / load_of(&s->p[s->lo]) <= LOAD_TOL;
}

uint64_t search_load_wanted(const struct search *s)
{
	uint64_t min = s->config.min, max = s->config.settings.max;

	switch (s->phase) {
	case PHASE_FIRST:
		return clamp(LOAD_FIRST, min, max);
	case PHASE_DOWN:
		return clamp(floor(load_of(&s->p[s->hi]) / JUMP), min, s->p[s->hi].at - 1);
	case PHASE_GALLOP:
		return clamp(rint(gallop(s)), s->p[s->lo].at + 1, max);
	case PHASE_BRACKET:
		break;
	}
	return clamp(rint(narrow(s)), s->p[s->lo].at + 1, s->p[s->hi].at - 1);
}
