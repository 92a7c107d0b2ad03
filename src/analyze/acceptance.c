/* SPDX-License-Identifier: MIT */
#include "analyze/acceptance.h"

#include "analyze/repeats.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/units.h"

#include <stdlib.h>

/* Milliseconds from a table are no exact binary numbers; the same figure must stay equal. */
#define ROUNDING 1e-9

/* What takes longer than this is no advice. */
#define MAX_MORE_S	 86400.0
#define MAX_MORE_REPEATS 100.0

/* A point that is spoiled by nothing else still has its percentiles and its series. */
static flag_set accepted_for(const struct limit *l, flag_set accepted)
{
	bool is_mean = l->figure == FIGURE_IOPS || l->figure == FIGURE_MIB_S ||
		       (l->figure == FIGURE_LAT && l->stat == LAT_MEAN);

	return is_mean ? accepted : accepted | FLAG_BIT(FLAG_STALL);
}

/* ---- which points ---- */

/* Spans of a run are whole blocks (D25). */
static bool span_matches(const struct axis_condition *c, const struct point_spec *s,
			 uint64_t target_size_bytes)
{
	uint64_t bytes = c->value;

	if (c->is_percent && s->span_e4)
		return s->span_e4 == c->value;
	if (c->is_percent)
		bytes = (uint64_t)((double)target_size_bytes * (double)c->value /
				   UNITS_100_PERCENT);
	return s->span_bytes && s->span_bytes == bytes - bytes % s->bs_bytes;
}

static bool rate_matches(const struct axis_condition *c, const struct point_spec *s)
{
	if (c->is_none)
		return !point_is_open(s);
	return c->is_percent ? s->rate_e4 == c->value : !s->rate_e4 && s->rate_ask_iops == c->value;
}

static bool axis_matches(enum axis axis, const struct axis_condition *c, const struct point_spec *s,
			 uint64_t target_size_bytes)
{
	switch (axis) {
	case AXIS_RW:
		return s->rw == c->value;
	case AXIS_BS:
		return s->bs_bytes == c->value;
	case AXIS_IODEPTH:
		return s->iodepth == c->value;
	case AXIS_SPAN:
		return span_matches(c, s, target_size_bytes);
	case AXIS_RWMIXREAD:
		return s->rwmixread_pct == c->value;
	case AXIS_WORKERS:
		return s->workers == c->value;
	case AXIS_RANDOM_PCT:
		return s->random_pct == c->value;
	case AXIS_RATE:
		return rate_matches(c, s);
	case AXIS_NR:
		break;
	}
	return false;
}

bool acceptance_matches(const struct requirement *r, const struct point_spec *s,
			uint64_t target_size_bytes)
{
	if (s->is_anchor)
		return false;
	for (enum axis a = 0; a < AXIS_NR; a++)
		if (r->at[a].is_given && !axis_matches(a, &r->at[a], s, target_size_bytes))
			return false;
	return true;
}

static bool limit_applies(const struct limit *l, const struct point_spec *s)
{
	return l->dir == DIR_TOTAL || (l->dir == DIR_READ ? point_reads(s) : point_writes(s));
}

/* ---- guaranteed IOPS ---- */

struct rates {
	double *v;
	size_t nr, cap;
};

static void add_rates(struct rates *r, const struct point_series *s, uint64_t over_ns)
{
	uint64_t merge, whole;

	if (!s->nr || !s->interval_ns)
		return;
	whole = s->window_ns / s->interval_ns;
	whole = whole < s->nr ? whole : s->nr;
	merge = over_ns / s->interval_ns + (over_ns % s->interval_ns != 0);
	merge = merge ? merge : 1;
	for (uint64_t i = 0; i + merge <= whole; i += merge) {
		double ios = 0;

		for (uint64_t j = i; j < i + merge; j++)
			ios += (double)s->v[j].ios[DIR_READ] + s->v[j].ios[DIR_WRITE];
		VEC_GROW(r->v, r->nr, r->cap);
		r->v[r->nr++] = ios * (double)NS_PER_S / ((double)merge * (double)s->interval_ns);
	}
}

static int descending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x < y) - (x > y);
}

double series_guaranteed_iops(const struct point_series *series, size_t nr_series,
			      const struct limit *l, double *nr, double *reached)
{
	struct rates r = {0};
	double value = UNKNOWN;
	size_t nr_reached = 0, needed;

	for (size_t i = 0; i < nr_series; i++)
		add_rates(&r, &series[i], l->over_ns);
	*nr = (double)r.nr;
	*reached = 0;
	if (r.nr) {
		qsort(r.v, r.nr, sizeof(*r.v), descending);
		while (nr_reached < r.nr && r.v[nr_reached] >= l->value * (1 - ROUNDING))
			nr_reached++;
		*reached = (double)nr_reached / (double)r.nr;
		/* In whole numbers, so that 99 % of 100 are 99. */
		needed = (r.nr * l->share_e4 + UNITS_100_PERCENT - 1) / UNITS_100_PERCENT;
		value = r.v[needed ? needed - 1 : 0];
	}
	free(r.v);
	return value;
}

/* ---- the value of a limit at one point ---- */

/* The repeats of one point. */
struct group {
	const struct acceptance_run *run;
	const struct point **row; /* into run->points, which keeps them together */
	size_t nr;
};

static void set_interval(struct judgement *j, double low, double high)
{
	if (!(high > 0))
		return;
	j->low = low;
	j->high = high;
}

static void set_relative(struct judgement *j, const struct curve_point *pt)
{
	double half = pt->half_rel * j->value;

	/* Of repeats the spread is an error too, whatever their series say. */
	if (!(pt->half_rel > 0) || (pt->is_error_unknown && pt->nr_repeats < 2))
		return;
	set_interval(j, fmax(j->value - half, 0), j->value + half);
}

static void take_iops(struct judgement *j, const struct group *g, const struct curve_point *pt)
{
	(void)g;
	j->value = pt->iops;
	set_relative(j, pt);
}

static bool counts(const struct judgement *j, const struct point *p, flag_set accepted)
{
	return repeats_usable(p, j->limit->dir, accepted_for(j->limit, accepted));
}

static void take_mib_s(struct judgement *j, const struct group *g, const struct curve_point *pt)
{
	double sum = 0;

	for (size_t i = 0; i < g->nr; i++)
		if (counts(j, g->row[i], g->run->accepted))
			sum += g->row[i]->dir[j->limit->dir].mib_s;
	j->value = sum / pt->nr_repeats;
	set_relative(j, pt);
}

static void take_lat(struct judgement *j, const struct group *g, const struct curve_point *pt)
{
	enum lat_stat s = j->limit->stat;

	(void)g;
	j->value = pt->lat_ns[s];
	set_interval(j, pt->lat_lo_ns[s], pt->lat_hi_ns[s]);
}

static void take_lat_max(struct judgement *j, const struct group *g, const struct curve_point *pt)
{
	double max_ns = 0;

	(void)pt;
	for (size_t i = 0; i < g->nr; i++) {
		double ns = g->row[i]->dir[j->limit->dir].lat_max_ns;

		/* Where one of them is not known, neither is the largest. */
		if (counts(j, g->row[i], g->run->accepted) && !(ns <= max_ns))
			max_ns = isnan(max_ns) ? max_ns : ns;
	}
	j->value = max_ns;
}

static void take_guaranteed(struct judgement *j, const struct group *g,
			    const struct curve_point *pt)
{
	struct point_series *s = xcalloc(g->nr, sizeof(*s));
	size_t nr = 0;

	(void)pt;
	j->reason = REASON_NO_SERIES;
	for (size_t i = 0; g->run->series && i < g->nr; i++) {
		if (!counts(j, g->row[i], g->run->accepted))
			continue;
		s[nr] = g->run->series[g->row[i] - g->run->points];
		if (s[nr++].nr)
			j->reason = REASON_FEW_INTERVALS;
	}
	j->value = series_guaranteed_iops(s, nr, j->limit, &j->intervals, &j->share);
	free(s);
}

static void (*const take[])(struct judgement *j, const struct group *g,
			    const struct curve_point *pt) = {
	[FIGURE_IOPS] = take_iops,	 [FIGURE_GUARANTEED_IOPS] = take_guaranteed,
	[FIGURE_MIB_S] = take_mib_s,	 [FIGURE_LAT] = take_lat,
	[FIGURE_LAT_MAX] = take_lat_max,
};

/* ---- what the flags of a point make of its value ---- */

static struct value_bounds find_bounds(struct judgement *j, flag_set flags)
{
	struct value_bounds s = flags_bounds(flags, limit_is_at_most(j->limit));

	j->bound_flags = s.flags;
	if (s.is_low != s.is_high)
		j->bound = s.is_low ? BOUND_LOWER : BOUND_UPPER;
	return s;
}

/* A load that was sustained says that the target does at least this much. */
static bool is_offered(const struct judgement *j, flag_set flags)
{
	return !limit_is_at_most(j->limit) && point_is_open(&j->point->spec) &&
	       !(flags & FLAG_BIT(FLAG_RATE_MISSED));
}

/* ---- verdicts ---- */

static void undecided(struct judgement *j, enum undecided_reason reason)
{
	j->verdict = ACCEPTANCE_UNDECIDED;
	j->reason = reason;
}

static bool is_good(const struct limit *l, double value)
{
	return limit_is_at_most(l) ? value <= l->value * (1 + ROUNDING)
				   : value >= l->value * (1 - ROUNDING);
}

/* How much more of the same would make the interval as narrow as it is far from the limit: widths
 * fall with the root of the time. */
static void find_more(struct judgement *j, double window_s)
{
	double half = fmax(j->high - j->value, j->value - j->low);
	double factor = pow(half / fabs(j->value - j->limit->value), 2);

	if (!isfinite(factor))
		return;
	if (j->nr_repeats > 1 && ceil(j->nr_repeats * (factor - 1)) <= MAX_MORE_REPEATS)
		j->more_repeats = (unsigned)fmax(ceil(j->nr_repeats * (factor - 1)), 1);
	else if (j->nr_repeats == 1 && window_s * (factor - 1) <= MAX_MORE_S)
		j->more_s = fmax(window_s * (factor - 1), 0);
}

static void compare(struct judgement *j, double window_s)
{
	bool has_interval = !isnan(j->low);
	bool low_is_good = is_good(j->limit, has_interval ? j->low : j->value);
	bool high_is_good = is_good(j->limit, has_interval ? j->high : j->value);

	if (low_is_good == high_is_good) {
		j->verdict = low_is_good ? ACCEPTANCE_PASS : ACCEPTANCE_FAIL;
		return;
	}
	undecided(j, REASON_INTERVAL);
	find_more(j, window_s);
}

/* A lower bound of IOPS may pass, but cannot fail; one of latency may fail, but cannot pass. */
static void apply_bounds(struct judgement *j, struct value_bounds s, bool offered)
{
	bool least = !limit_is_at_most(j->limit);
	bool can_fail = least ? !s.is_low : !s.is_high;
	bool can_pass = least ? !s.is_high : !s.is_low;

	if (j->verdict == ACCEPTANCE_UNDECIDED)
		return;
	if (j->verdict == ACCEPTANCE_FAIL ? !can_fail : !can_pass)
		undecided(j, REASON_ONE_SIDED);
	else if (j->verdict == ACCEPTANCE_FAIL && offered)
		undecided(j, REASON_OFFERED);
}

/* What the verdict by figures alone does not see: too little behind it. */
static void check_samples(struct judgement *j)
{
	const struct limit *l = j->limit;
	double missing;

	if (l->figure == FIGURE_GUARANTEED_IOPS && j->verdict == ACCEPTANCE_PASS &&
	    j->intervals < ACCEPTANCE_MIN_INTERVALS) {
		undecided(j, REASON_FEW_INTERVALS);
		j->more_s = (ACCEPTANCE_MIN_INTERVALS - j->intervals) * (double)l->over_ns /
			    (double)NS_PER_S;
	}
	if (l->figure != FIGURE_LAT || !(j->ios < lat_stat_min_ios(l->stat)))
		return;
	undecided(j, REASON_FEW_SAMPLES);
	missing = (lat_stat_min_ios(l->stat) - j->ios) / j->ios;
	missing *= j->point->window_s * j->nr_repeats;
	j->more_s = missing <= MAX_MORE_S ? missing : 0;
}

static void judge_value(struct judgement *j, const struct curve_point *pt, flag_set accepted)
{
	flag_set flags = pt->flags & ~accepted;
	double sign = limit_is_at_most(j->limit) ? -1 : 1;
	struct value_bounds s = find_bounds(j, flags);

	j->nr_repeats = pt->nr_repeats;
	j->ios = pt->ios;
	if (isnan(j->value)) {
		undecided(j, j->reason ? j->reason : REASON_NO_FIGURE);
		return;
	}
	j->reason = REASON_NONE;
	j->margin = sign * (j->value / j->limit->value - 1);
	compare(j, j->point->window_s);
	apply_bounds(j, s, is_offered(j, flags));
	check_samples(j);
}

static struct judgement judge(const struct requirement *r, const struct limit *l,
			      const struct group *g)
{
	struct judgement j = {.req = r,
			      .limit = l,
			      .point = g->nr ? g->row[0] : NULL,
			      .nr_rows = (unsigned)g->nr,
			      .value = UNKNOWN,
			      .low = UNKNOWN,
			      .high = UNKNOWN,
			      .margin = UNKNOWN,
			      .ios = UNKNOWN};
	flag_set accepted = accepted_for(l, g->run->accepted);
	struct curve_point pt;

	if (!g->nr) {
		undecided(&j, REASON_NO_POINT);
	} else if (!repeats_merge(g->row, g->nr, l->dir, accepted, &pt)) {
		/* A valid point without IOPS is one from a table. */
		bool is_valid = point_is_valid(j.point, accepted);

		undecided(&j, is_valid ? REASON_NO_FIGURE : REASON_INVALID);
		for (enum flag f = 0; f < FLAG_NR; f++)
			if (flag_effect(f) == EFFECT_SPOILED && !(accepted & FLAG_BIT(f)))
				j.spoiled |= j.point->flags & FLAG_BIT(f);
	} else {
		take[l->figure](&j, g, &pt);
		judge_value(&j, &pt, g->run->accepted);
	}
	return j;
}

/* ---- a class ---- */

struct result_list {
	struct class_result *out;
	size_t cap;
};

static void add(struct result_list *l, const struct judgement *j)
{
	struct class_result *out = l->out;

	VEC_GROW(out->v, out->nr, l->cap);
	out->v[out->nr++] = *j;
	out->nr_verdict[j->verdict]++;
}

static bool same_point(const struct point_spec *a, const struct point_spec *b)
{
	struct point_spec x = *a, y = *b;

	x.repeat = y.repeat = 1;
	x.is_anchor = y.is_anchor = false;
	return point_spec_compare(&x, &y) == 0;
}

/* Report order keeps the repeats of a point together, with its anchor among them. */
static void judge_requirement(const struct requirement *r, const struct acceptance_run *run,
			      struct result_list *out)
{
	bool *is_judged = xcalloc(r->nr, sizeof(*is_judged));
	struct group g = {.run = run, .row = xcalloc(run->nr + 1, sizeof(*g.row))};

	for (size_t i = 0; i < run->nr;) {
		const struct point_spec *first = &run->points[i].spec;

		if (!acceptance_matches(r, first, run->target_size_bytes)) {
			i++;
			continue;
		}
		for (g.nr = 0; i < run->nr && same_point(first, &run->points[i].spec); i++)
			if (!run->points[i].spec.is_anchor)
				g.row[g.nr++] = &run->points[i];
		for (size_t k = 0; k < r->nr; k++) {
			struct judgement j;

			if (!limit_applies(&r->limit[k], first))
				continue;
			j = judge(r, &r->limit[k], &g);
			add(out, &j);
			is_judged[k] = true;
		}
	}
	g.nr = 0;
	for (size_t k = 0; k < r->nr; k++) {
		if (!is_judged[k]) {
			struct judgement j = judge(r, &r->limit[k], &g);

			add(out, &j);
		}
	}
	free(g.row);
	free(is_judged);
}

void acceptance_judge(const struct disk_class *c, const struct acceptance_run *run,
		      struct class_result *out)
{
	struct result_list l = {.out = out};

	*out = (struct class_result){.cls = c};
	for (size_t i = 0; i < c->nr; i++)
		judge_requirement(&c->req[i], run, &l);
	out->verdict = out->nr_verdict[ACCEPTANCE_FAIL]	       ? ACCEPTANCE_FAIL
		       : out->nr_verdict[ACCEPTANCE_UNDECIDED] ? ACCEPTANCE_UNDECIDED
							       : ACCEPTANCE_PASS;
}
