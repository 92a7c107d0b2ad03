/* SPDX-License-Identifier: MIT */
#include "analyze/search.h"

#include "base/mem.h"
#include "base/num.h"

#include <stdlib.h>

/* The constants of method.md (b). */
#define Z_ONE_SIDED  1.645
#define JUMP	     8.0
#define IOPS_TOL     0.02
#define DEPTH_TOL    1.06
#define FLAT_OCTAVES 4.0 /* ends of a plateau lie no further apart than this ratio */
#define STEP_MIN     0.1
#define STEP_MAX     0.9
/* The method asks for errors of 3 % at most. A larger one makes no latency further from the cap
 * than that the cap itself. */
#define NOISE_MAX 0.03

/* Milliseconds from a text are no exact binary numbers; the same latency must stay equal. */
#define ROUNDING 1e-9

#define NS_PER_MS_F 1e6

static double at_of(const struct search_point *p)
{
	return (double)p->at;
}

static double cap_ns(const struct search *s)
{
	return (double)s->config.cap.limit_ns;
}

bool search_meets(const struct search *s, const struct search_point *p)
{
	return !p->is_missed && p->lat_ns <= cap_ns(s) * (1 + ROUNDING);
}

int search_judge(const struct search *s, const struct search_point *p)
{
	double d = log(cap_ns(s) / p->lat_ns);

	if (p->is_missed)
		return -1;
	if (fabs(d) < Z_ONE_SIDED * fmin(p->lat_se, NOISE_MAX))
		return 0;
	return search_meets(s, p) ? 1 : -1;
}

static size_t find_at(const struct search *s, uint64_t at)
{
	for (size_t i = 0; i < s->nr; i++)
		if (s->p[i].at == at)
			return i;
	return SEARCH_NONE;
}

/* The smallest known above lo; of all without one. */
static size_t smallest_above(const struct search *s)
{
	size_t hi = SEARCH_NONE;

	for (size_t i = 0; i < s->nr; i++)
		if ((s->lo == SEARCH_NONE || s->p[i].at > s->p[s->lo].at) &&
		    (hi == SEARCH_NONE || s->p[i].at < s->p[hi].at))
			hi = i;
	return hi;
}

/* The largest that meets the cap, and what is next to it. */
static void bracket_of_seed(struct search *s)
{
	for (size_t i = 0; i < s->nr; i++)
		if (search_meets(s, &s->p[i]) &&
		    (s->lo == SEARCH_NONE || s->p[i].at > s->p[s->lo].at))
			s->lo = i;
	s->hi = smallest_above(s);
}

/* What comes when the ends are known as far as they are. */
static enum search_phase phase_of_ends(const struct search *s)
{
	if (s->lo == SEARCH_NONE)
		return s->hi != SEARCH_NONE && s->config.settings.is_load ? PHASE_DOWN
									  : PHASE_FIRST;
	return s->hi == SEARCH_NONE ? PHASE_GALLOP : PHASE_BRACKET;
}

void search_init(struct search *s, const struct search_config *config,
		 const struct search_point *seed, size_t nr_seed)
{
	*s = (struct search){.config = *config, .lo = SEARCH_NONE, .hi = SEARCH_NONE};
	for (size_t i = 0; i < nr_seed; i++) {
		VEC_GROW(s->p, s->nr, s->room);
		s->p[s->nr++] = seed[i];
	}
	s->nr_seed = s->nr;
	bracket_of_seed(s);
	s->phase = phase_of_ends(s);
}

void search_release(struct search *s)
{
	free(s->p);
	*s = (struct search){0};
}

/* A point of at most half the depth, the largest of these; else the largest below lo. */
static const struct search_point *octave_below(const struct search *s)
{
	const struct search_point *lo = &s->p[s->lo], *half = NULL, *any = NULL;

	for (size_t i = 0; i < s->nr; i++) {
		const struct search_point *p = &s->p[i];

		if (p->at >= lo->at)
			continue;
		if (!any || p->at > any->at)
			any = p;
		if (p->at * 2 <= lo->at && (!half || p->at > half->at))
			half = p;
	}
	return half ? half : any;
}

/* Where the slope of the last octave or more leads to the cap. */
static double extrapolate(const struct search *s)
{
	const struct search_point *lo = &s->p[s->lo], *p = octave_below(s);
	double b;

	if (!p)
		return 2 * at_of(lo);
	b = log(lo->lat_ns / p->lat_ns) / log(at_of(lo) / at_of(p));
	b = fmin(fmax(b, 1 / JUMP), 1);
	return at_of(lo) * exp(fmax(0, log(cap_ns(s) / lo->lat_ns)) / b);
}

/* Every depth up to cap x IOPS meets a cap on the mean, while IOPS do not fall. No law says
 * such a thing of percentiles. */
static double safe_depth(const struct search *s)
{
	if (s->config.cap.stat != LAT_MEAN)
		return 0;
	return floor(cap_ns(s) / NS_PER_MS_F * s->p[s->lo].iops / 1000);
}

static uint64_t clamp(double v, uint64_t low, uint64_t high)
{
	if (!(v > (double)low))
		return low;
	return v < (double)high ? (uint64_t)v : high;
}

static uint64_t gallop(const struct search *s)
{
	double lo = at_of(&s->p[s->lo]), safe = safe_depth(s);
	double least = safe >= 2 * lo ? 2 * lo : lo + 1;
	double most = JUMP * fmax(lo, safe < JUMP * lo ? safe : lo);
	double next = rint(fmin(fmax(fmax(safe, extrapolate(s)), least), most));

	return clamp(next, s->p[s->lo].at + 1, s->config.settings.max);
}

static uint64_t narrow(const struct search *s)
{
	const struct search_point *lo = &s->p[s->lo], *hi = &s->p[s->hi];
	double f = .5;

	if (hi->lat_ns > lo->lat_ns)
		f = log(cap_ns(s) / lo->lat_ns) / log(hi->lat_ns / lo->lat_ns);
	f = fmin(fmax(f, STEP_MIN), STEP_MAX);
	if (s->rep >= 2)
		f = .5;
	return clamp(rint(at_of(lo) * pow(at_of(hi) / at_of(lo), f)), lo->at + 1, hi->at - 1);
}

static bool is_spent(const struct search *s)
{
	return s->nr - s->nr_seed >= s->config.settings.max_points;
}

static bool is_narrow(const struct search *s)
{
	const struct search_point *lo = &s->p[s->lo], *hi = &s->p[s->hi];

	if (hi->at - lo->at <= 1)
		return true;
	if (s->config.settings.is_exact)
		return false;
	return s->config.settings.is_load ? search_load_is_narrow(s)
					  : at_of(hi) / at_of(lo) <= DEPTH_TOL;
}

static bool is_flat(const struct search *s)
{
	const struct search_point *lo = &s->p[s->lo], *hi = &s->p[s->hi];

	return !s->config.settings.is_load && !s->config.settings.is_exact &&
	       fabs(log(hi->iops / lo->iops)) < IOPS_TOL && at_of(hi) / at_of(lo) <= FLAT_OCTAVES;
}

/* Whether the phase is over, before another point is asked for. */
static enum search_stop why_stop(const struct search *s)
{
	switch (s->phase) {
	case PHASE_FIRST:
		break;
	case PHASE_DOWN:
		if (s->p[s->hi].at <= s->config.min)
			return SEARCH_NEVER;
		break;
	case PHASE_GALLOP:
		if (s->p[s->lo].at >= s->config.settings.max)
			return SEARCH_NOT_REACHED;
		break;
	case PHASE_BRACKET:
		if (is_narrow(s))
			return SEARCH_BRACKET;
		if (is_flat(s))
			return SEARCH_FLAT;
		break;
	}
	return is_spent(s) ? SEARCH_NO_POINTS : SEARCH_GOES_ON;
}

static uint64_t wanted(const struct search *s)
{
	if (s->config.settings.is_load)
		return search_load_wanted(s);
	if (s->phase == PHASE_FIRST)
		return s->config.min;
	return s->phase == PHASE_GALLOP ? gallop(s) : narrow(s);
}

/* The smallest depth decides whether there is an answer; one that may meet the cap does. */
static void take_first(struct search *s, size_t i)
{
	int judged = search_judge(s, &s->p[i]);

	if (judged < 0) {
		s->hi = i;
		if (s->config.settings.is_load)
			s->phase = PHASE_DOWN;
		else
			s->stop = SEARCH_NEVER;
		return;
	}
	s->lo = i;
	s->hi = smallest_above(s);
	s->phase = phase_of_ends(s);
}

static void take(struct search *s, size_t i)
{
	bool meets = search_meets(s, &s->p[i]);
	int side = meets ? 1 : -1;

	if (s->phase == PHASE_FIRST) {
		take_first(s, i);
		return;
	}
	if (search_judge(s, &s->p[i]) == 0 && (meets || s->phase == PHASE_BRACKET)) {
		s->lo = i;
		s->stop = SEARCH_AT_CAP;
		return;
	}
	if (meets)
		s->lo = i;
	else
		s->hi = i;
	if (s->phase == PHASE_BRACKET) {
		s->rep = side == s->side ? s->rep + 1 : 1;
		s->side = side;
	}
	s->phase = phase_of_ends(s);
}

bool search_next(struct search *s, uint64_t *at)
{
	while (!s->stop) {
		size_t known;

		s->stop = why_stop(s);
		if (s->stop)
			break;
		*at = wanted(s);
		known = find_at(s, *at);
		if (known == SEARCH_NONE)
			return true;
		take(s, known);
	}
	return false;
}

void search_add(struct search *s, const struct search_point *p)
{
	VEC_GROW(s->p, s->nr, s->room);
	s->p[s->nr++] = *p;
	take(s, s->nr - 1);
}

void search_fail(struct search *s)
{
	s->stop = SEARCH_FAILED;
}

static bool is_candidate(const struct search *s, const struct search_point *p)
{
	return search_meets(s, p) || search_judge(s, p) == 0;
}

/* D34: a smaller depth that is as good within the noise costs less latency. */
static const struct search_point *smallest_as_good(const struct search *s,
						   const struct search_point *best)
{
	const struct search_point *smallest = best;

	for (size_t i = 0; i < s->nr; i++) {
		const struct search_point *p = &s->p[i];
		double se = hypot(isnan(p->iops_se) ? 0 : p->iops_se,
				  isnan(best->iops_se) ? 0 : best->iops_se);

		if (p->at < smallest->at && is_candidate(s, p) &&
		    log(best->iops / p->iops) <= Z_ONE_SIDED * se)
			smallest = p;
	}
	return smallest;
}

static const struct search_point *find_best(const struct search *s)
{
	const struct search_point *best = NULL;

	if (s->config.settings.is_load || s->config.settings.is_exact)
		return s->lo == SEARCH_NONE || !is_candidate(s, &s->p[s->lo]) ? NULL : &s->p[s->lo];
	for (size_t i = 0; i < s->nr; i++)
		if (is_candidate(s, &s->p[i]) && (!best || s->p[i].iops > best->iops))
			best = &s->p[i];
	return best ? smallest_as_good(s, best) : NULL;
}

static void set_point(struct search_point *to, const struct search_point *from)
{
	*to = from ? *from : (struct search_point){.lat_ns = UNKNOWN};
}

void search_result(const struct search *s, struct search_answer *a)
{
	const struct search_point *lowest = NULL;

	a->cap = s->config.cap;
	a->settings = s->config.settings;
	a->stop = s->stop;
	a->nr_points = (unsigned)(s->nr - s->nr_seed);
	a->time_ns = 0;
	for (size_t i = 0; i < s->nr; i++) {
		if (i >= s->nr_seed)
			a->time_ns += s->p[i].time_ns;
		if (!s->p[i].is_missed && (!lowest || s->p[i].lat_ns < lowest->lat_ns))
			lowest = &s->p[i];
	}
	set_point(&a->best, find_best(s));
	set_point(&a->good, s->lo == SEARCH_NONE ? NULL : &s->p[s->lo]);
	set_point(&a->bad, s->hi == SEARCH_NONE ? NULL : &s->p[s->hi]);
	set_point(&a->lowest, lowest);
}
