/* SPDX-License-Identifier: MIT */
#include "analyze/knee.h"

#include "base/num.h"
#include "stats/ci.h"

#include <stdbool.h>

/* The constants of method.md (a), final. */
#define GAIN_RISING    0.10  /* per doubling, over the last octave */
#define Z_RISING       1.645 /* one-sided 5 % */
#define DROP_RETRO     0.05
#define Z_RETRO	       3.0 /* the peak was selected, so it is biased upwards */
#define GAIN_STEP      0.05
#define DIP_DEPTH      0.10
#define DIP_RECOVERY   1.05
#define SAT_TOLERANCE  1.05
#define SAT_SHARE      0.70
#define MIN_POINTS     3
#define OCTAVE_ROUNDED 1.001

static double depth_of(const struct curve_point *p)
{
	return (double)p->iodepth;
}

/* The first of the largest values of score. */
static size_t first_max(const struct curve *c, double (*score)(const struct curve_point *))
{
	size_t best = 0;

	for (size_t i = 1; i < c->nr; i++)
		if (score(&c->pt[i]) > score(&c->pt[best]))
			best = i;
	return best;
}

static double score_iops(const struct curve_point *p)
{
	return p->iops;
}

static double score_per_depth(const struct curve_point *p)
{
	return p->iops / depth_of(p);
}

/* IOPS / latency by Little's law: Kleinrock's power. */
static double score_power(const struct curve_point *p)
{
	return 2 * log(p->iops) - log(depth_of(p));
}

/* Whether the rise from a to b is more than z standard errors. */
static bool rises_beyond(const struct curve_point *a, const struct curve_point *b, double z)
{
	return log(b->iops / a->iops) > z * hypot(a->se_rel, b->se_rel);
}

/* Relative gain for each doubling of the depth from depth_a to depth_b. */
static double gain_per_doubling(double iops_a, double iops_b, double depth_a, double depth_b)
{
	return pow(iops_b / iops_a, log(2) / log(depth_b / depth_a)) - 1;
}

static double step_gain(const struct curve_point *a, const struct curve_point *b)
{
	return gain_per_doubling(a->iops, b->iops, depth_of(a), depth_of(b));
}

/* The point an octave below the last, else the last but one. */
static const struct curve_point *octave_below_last(const struct curve *c)
{
	const struct curve_point *last = &c->pt[c->nr - 1];

	for (size_t i = c->nr - 1; i-- > 0;)
		if (depth_of(&c->pt[i]) * 2 <= depth_of(last) * OCTAVE_ROUNDED)
			return &c->pt[i];
	return last - 1;
}

static void set_ends(const struct curve *c, struct knee *k)
{
	const struct curve_point *first = c->pt, *last = &c->pt[c->nr - 1];
	const struct curve_point *peak = &c->pt[first_max(c, score_iops)];

	k->first_depth = first->iodepth;
	k->first_iops = first->iops;
	k->first_lat_ns = first->lat_ns[LAT_MEAN];
	k->last_depth = last->iodepth;
	k->last_iops = last->iops;
	k->last_lat_ns = last->lat_ns[LAT_MEAN];
	k->peak_depth = peak->iodepth;
	k->peak_iops = peak->iops;
	k->nstar_xmax_r1 = peak->iops * first->lat_ns[LAT_MEAN] / 1e9;
}

static void set_nstar(const struct curve *c, struct knee *k)
{
	size_t pk = first_max(c, score_iops), lo = first_max(c, score_per_depth);
	double se = pk == lo ? 0 : hypot(c->pt[pk].se_rel, c->pt[lo].se_rel);

	/* An interval of one error and one unknown would be too narrow. */
	k->has_errors = !c->pt[pk].is_error_unknown && !c->pt[lo].is_error_unknown &&
			c->pt[pk].se_rel > 0 && c->pt[lo].se_rel > 0;
	if (c->pt[pk].is_error_unknown || c->pt[lo].is_error_unknown)
		se = 0;
	k->lo_depth = c->pt[lo].iodepth;
	k->lo_iops = c->pt[lo].iops;
	k->nstar = c->pt[pk].iops * depth_of(&c->pt[lo]) / c->pt[lo].iops;
	k->nstar_low = k->nstar * exp(-Z_95 * se);
	k->nstar_high = k->nstar * exp(Z_95 * se);
}

static void classify(const struct curve *c, struct knee *k)
{
	const struct curve_point *last = &c->pt[c->nr - 1], *octave = octave_below_last(c);
	const struct curve_point *peak = &c->pt[first_max(c, score_iops)];

	k->octave_depth = octave->iodepth;
	k->octave_iops = octave->iops;
	k->last_gain = step_gain(octave, last);
	k->drop = peak < last ? 1 - last->iops / peak->iops : 0;
	k->is_flat = k->peak_iops <= sqrt(2) * k->first_iops;
	k->is_drop_noise = k->drop >= DROP_RETRO && !rises_beyond(last, peak, Z_RETRO);
	k->is_gain_noise = k->last_gain >= GAIN_RISING && !rises_beyond(octave, last, Z_RISING);
	if (k->drop >= DROP_RETRO && !k->is_drop_noise)
		k->cls = KNEE_RETROGRADE;
	else if (k->last_gain >= GAIN_RISING && !k->is_gain_noise)
		k->cls = KNEE_RISING;
	else
		k->cls = k->is_flat ? KNEE_FLAT : KNEE_KNEE;
	for (size_t i = 0; i < c->nr_anchors; i++)
		k->has_drift |= c->anchor[i].differs;
	/* What falls behind the peak need not be an effect of the depth then. */
	if (k->cls == KNEE_RETROGRADE && k->has_drift)
		k->cls = KNEE_STATE_DRIFT;
	if (k->cls == KNEE_RISING)
		k->bound = '>';
	else
		k->bound = k->is_flat || k->first_depth > 1 ? '<' : '=';
}

/* The peak's depth is N* or more, so there always is one. */
static size_t saturation_index(const struct curve *c, const struct knee *k)
{
	size_t i = 0;

	if (k->is_flat)
		return 0;
	while (i + 1 < c->nr && (depth_of(&c->pt[i]) < k->nstar / SAT_TOLERANCE ||
				 c->pt[i].iops < SAT_SHARE * k->peak_iops))
		i++;
	return i;
}

static void set_saturation(const struct curve *c, size_t sat, struct knee *k)
{
	k->sat_depth = c->pt[sat].iodepth;
	k->sat_iops = c->pt[sat].iops;
	k->sat_lat_ns = c->pt[sat].lat_ns[LAT_MEAN];
	k->eff = k->sat_iops / k->peak_iops;
	k->power_depth = c->pt[first_max(c, score_power)].iodepth;
	k->power_iops = c->pt[first_max(c, score_power)].iops;
}

/* Where 80 % of the peak is crossed first, straight between points on log axes. */
static double depth_of_80_percent(const struct curve *c, double peak_iops)
{
	const struct curve_point *p = c->pt;
	double want = 0.8 * peak_iops;
	size_t i = 0;

	while (p[i].iops < want)
		i++;
	if (i == 0)
		return depth_of(&p[0]);
	return exp(log(depth_of(&p[i - 1])) + log(depth_of(&p[i]) / depth_of(&p[i - 1])) *
						      log(want / p[i - 1].iops) /
						      log(p[i].iops / p[i - 1].iops));
}

/* A clear step upwards behind a quiet one, from the saturation depth on; 0 without. */
static uint32_t second_plateau(const struct curve *c, size_t sat)
{
	bool quiet = false;

	for (size_t i = sat; i + 1 < c->nr; i++) {
		const struct curve_point *a = &c->pt[i], *b = &c->pt[i + 1];

		if (step_gain(a, b) < GAIN_STEP)
			quiet = true;
		else if (quiet && rises_beyond(a, b, Z_RISING))
			return b->iodepth;
	}
	return 0;
}

static bool is_exceeded_after(const struct curve *c, size_t i, double iops)
{
	for (i++; i < c->nr; i++)
		if (c->pt[i].iops > iops)
			return true;
	return false;
}

static void find_dips(const struct curve *c, struct knee *k)
{
	for (size_t i = 1; i + 1 < c->nr && k->nr_dips < KNEE_MAX_DIPS; i++) {
		const struct curve_point *before = &c->pt[i - 1], *p = &c->pt[i];

		if (p->iops < (1 - DIP_DEPTH) * before->iops && rises_beyond(p, before, Z_RETRO) &&
		    is_exceeded_after(c, i, DIP_RECOVERY * before->iops))
			k->dip_depth[k->nr_dips++] = p->iodepth;
	}
}

static bool is_cpu_bound(const struct curve_point *p)
{
	return p->flags & FLAG_BIT(FLAG_CPU_BOUND);
}

static bool client_limits(const struct curve *c, const struct knee *k)
{
	/* On a straight line N* is a measured depth, but for rounding. */
	double from = k->nstar * (1 - 1e-9);
	size_t i = 0;

	if (is_cpu_bound(&c->pt[first_max(c, score_per_depth)]))
		return true;
	while (i < c->nr && (depth_of(&c->pt[i]) < from || is_cpu_bound(&c->pt[i])))
		i++;
	return i == c->nr;
}

/* Whether the points that the limit left alone show the plateau too. */
static bool levels_off_within(const struct curve *c, size_t sat, uint32_t limit)
{
	for (size_t i = sat; i + 1 < c->nr && c->pt[i].iodepth < limit; i++) {
		const struct curve_point *a = &c->pt[i], *b = &c->pt[i + 1];
		uint32_t depth = b->iodepth < limit ? b->iodepth : limit;

		if (gain_per_doubling(a->iops, b->iops, depth_of(a), (double)depth) < GAIN_RISING)
			return true;
	}
	return false;
}

static uint32_t limit_in_force(const struct curve *c, size_t sat, uint32_t limit,
			       const struct knee *k)
{
	if (!limit || k->last_depth <= limit || k->cls == KNEE_RISING)
		return 0;
	return levels_off_within(c, sat, limit) ? 0 : limit;
}

/* Why this host, and no queue limit of it, held the point back; 0 where it did not. */
static flag_set held_flags(const struct curve_point *p, uint32_t limit)
{
	if (limit && p->iodepth > limit && !is_cpu_bound(p))
		return 0;
	return flags_with(p->flags, EFFECT_LOWER_BOUND);
}

static char bound_with(char bound, char other)
{
	return bound == '=' || bound == other ? other : '~';
}

static void set_held(const struct curve *c, size_t sat, uint32_t limit, struct knee *k)
{
	flag_set peak = held_flags(&c->pt[first_max(c, score_iops)], limit);
	flag_set line = held_flags(&c->pt[first_max(c, score_per_depth)], limit);
	flag_set last = held_flags(&c->pt[c->nr - 1], limit);
	flag_set at_sat = held_flags(&c->pt[sat], limit);

	k->is_sat_least = at_sat;
	k->is_peak_least = peak;
	k->is_last_least = last;
	k->held_flags = peak | line;
	/* Only a curve that falls or rises at its end is judged by its last point, and one that rises has
	 * not saturated. */
	if (k->cls == KNEE_RETROGRADE || k->cls == KNEE_RISING)
		k->held_flags |= last;
	if (k->cls != KNEE_RISING)
		k->held_flags |= at_sat;
	if (peak)
		k->bound = bound_with(k->bound, '>');
	if (line)
		k->bound = bound_with(k->bound, '<');
}

static void clear(struct knee *k)
{
	*k = (struct knee){
		.cls = KNEE_INSUFFICIENT,
		.bound = '=',
		.nstar = UNKNOWN,
		.nstar_low = UNKNOWN,
		.nstar_high = UNKNOWN,
		.nstar_xmax_r1 = UNKNOWN,
		.sat_iops = UNKNOWN,
		.sat_lat_ns = UNKNOWN,
		.peak_iops = UNKNOWN,
		.eff = UNKNOWN,
		.n80 = UNKNOWN,
		.last_gain = UNKNOWN,
		.drop = UNKNOWN,
		.lo_iops = UNKNOWN,
		.power_iops = UNKNOWN,
		.octave_iops = UNKNOWN,
		.first_iops = UNKNOWN,
		.last_iops = UNKNOWN,
		.first_lat_ns = UNKNOWN,
		.last_lat_ns = UNKNOWN,
	};
}

void knee_find(const struct curve *c, uint32_t queue_limit, struct knee *k)
{
	size_t sat;

	clear(k);
	if (c->nr)
		set_ends(c, k);
	if (c->nr < MIN_POINTS)
		return;
	set_nstar(c, k);
	classify(c, k);
	sat = saturation_index(c, k);
	set_saturation(c, sat, k);
	k->n80 = depth_of_80_percent(c, k->peak_iops);
	k->second_plateau_depth = second_plateau(c, sat);
	find_dips(c, k);
	k->is_client_limited = client_limits(c, k);
	k->queue_limit = limit_in_force(c, sat, queue_limit, k);
	set_held(c, sat, queue_limit, k);
}
