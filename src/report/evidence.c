/* SPDX-License-Identifier: MIT */
#include "report/evidence.h"

#include "base/num.h"
#include "report/format.h"

#include <inttypes.h>
#include <stdlib.h>

/* The text of the next piece. */
static struct buf *add(struct evidence *e, const char *name)
{
	if (e->nr == EVIDENCE_MAX)
		e->nr--;
	buf_reset(&e->piece[e->nr].text);
	e->piece[e->nr].name = name;
	return &e->piece[e->nr++].text;
}

static void add_iops(struct buf *b, double iops)
{
	format_iops(b, iops);
	buf_addstr(b, " IOPS");
}

/* "iodepth 32 (3905 IOPS, 8.18 ms)" */
static void add_point(struct buf *b, const struct curve *c, uint32_t depth)
{
	const struct curve_point *p = curve_point_at(c, depth);

	buf_addf(b, "iodepth %" PRIu32, depth);
	if (!p)
		return;
	buf_addstr(b, flags_have(p->flags, EFFECT_LOWER_BOUND) ? " (>= " : " (");
	add_iops(b, p->iops);
	if (!isnan(p->lat_ns[LAT_MEAN])) {
		buf_addstr(b, ", ");
		format_ms(b, p->lat_ns[LAT_MEAN]);
	}
	buf_addch(b, ')');
}

static void add_gain(struct buf *b, const struct knee *k)
{
	buf_addf(b, "from iodepth %" PRIu32 " to %" PRIu32 " IOPS gain %.1f %% per doubling",
		 k->octave_depth, k->last_depth, 100 * k->last_gain);
	if (k->is_gain_noise)
		buf_addstr(b, ", which is within the errors");
}

static void add_drop(struct buf *b, const struct knee *k)
{
	buf_addf(b, "iodepth %" PRIu32 " gives %.1f %% less than the peak", k->last_depth,
		 100 * k->drop);
}

static void say_retrograde(struct buf *b, const struct knee *k)
{
	add_drop(b, k);
	buf_addstr(b, ", which is 5 % or more");
	buf_addstr(b, k->has_errors ? " and beyond 3 standard errors" : "");
}

static void say_rising(struct buf *b, const struct knee *k)
{
	add_gain(b, k);
	buf_addstr(b, ", which is 10 % or more");
	buf_addstr(b, k->has_errors ? " and beyond 1.645 standard errors" : "");
}

static void say_level(struct buf *b, const struct knee *k)
{
	add_gain(b, k);
	if (!k->is_gain_noise)
		buf_addstr(b, ", less than the 10 % of a curve that rises");
	if (k->is_drop_noise) {
		buf_addstr(b, "; ");
		add_drop(b, k);
		buf_addstr(b, ", which is within the errors");
	}
	buf_addstr(b, "; the peak is ");
	format_ratio(b, k->peak_iops / k->first_iops);
	buf_addf(b, " the first point, %s", k->is_flat ? "1.41x or less" : "more than 1.41x");
}

static void add_class(struct evidence *e, const struct curve *c, const struct knee *k)
{
	static void (*const say[])(struct buf *, const struct knee *) = {
		[KNEE_KNEE] = say_level,
		[KNEE_FLAT] = say_level,
		[KNEE_RISING] = say_rising,
		[KNEE_RETROGRADE] = say_retrograde,
		[KNEE_STATE_DRIFT] = say_retrograde,
	};
	struct buf *b = add(e, "class");

	buf_addf(b, "%s: ", knee_class_name(k->cls));
	if (k->cls == KNEE_INSUFFICIENT) {
		buf_addf(b, "%zu valid depth%s, and a knee takes 3", c->nr, c->nr == 1 ? "" : "s");
		return;
	}
	say[k->cls](b, k);
	if (k->cls == KNEE_STATE_DRIFT)
		buf_addstr(b, ", but the target has changed meanwhile");
}

static void add_asymptotes(struct evidence *e, const struct curve *c, const struct knee *k)
{
	struct buf *b = add(e, "line");

	buf_addstr(b, "IOPS rise by no more than ");
	format_iops(b, k->lo_iops / k->lo_depth);
	buf_addstr(b, " with each I/O in flight: the largest ratio, of ");
	add_point(b, c, k->lo_depth);
	b = add(e, "ceiling");
	buf_addstr(b, k->cls == KNEE_RISING ? "not reached; the most measured is " : "the peak, ");
	add_point(b, c, k->peak_depth);
}

/* What N* tells about the target, as far as it can be seen from here. */
static void add_parallelism(struct buf *b, const struct knee *k)
{
	if (k->queue_limit) {
		buf_addf(b,
			 "; this host lets at most %" PRIu32
			 " I/Os through at once, so the target may serve more than N*",
			 k->queue_limit);
		return;
	}
	buf_addstr(b, "; seen from outside, ");
	if (k->cls == KNEE_RISING)
		buf_addstr(b, "the target serves at least so many I/Os at once");
	else if (k->is_flat && k->first_depth == 1)
		buf_addstr(b, "the target serves one I/O at a time, or a limit in front of it lets "
			      "no more through");
	else if (k->is_flat)
		buf_addstr(b, "the target serves at most so many I/Os at once, or a limit in front "
			      "of it lets no more through");
	else
		buf_addf(b, "the target serves %s%.0f I/O%s at once",
			 k->bound == '<'   ? "at most "
			 : k->bound == '>' ? "at least "
					   : "about ",
			 k->nstar, k->nstar < 1.5 ? "" : "s");
}

static void add_nstar(struct evidence *e, const struct knee *k)
{
	struct buf *b = add(e, "N*");

	if (k->bound != '=')
		buf_addf(b, "%s ", knee_bound_text(k));
	format_sig3(b, k->nstar);
	if (k->bound == '=' && knee_has_interval(k)) {
		buf_addstr(b, " (95 % ");
		format_sig3(b, k->nstar_low);
		buf_addstr(b, " to ");
		format_sig3(b, k->nstar_high);
		buf_addch(b, ')');
	}
	buf_addstr(b, k->cls == KNEE_RISING ? ": the line meets the most measured there"
					    : ": line and ceiling cross there");
	add_parallelism(b, k);
	if (isnan(k->nstar_xmax_r1))
		return;
	b = add(e, "Xmax x R1");
	format_sig3(b, k->nstar_xmax_r1);
	buf_addstr(b, ": the same from latency, ");
	buf_addstr(b, k->is_peak_least ? ">= " : "");
	add_iops(b, k->peak_iops);
	buf_addstr(b, " x ");
	format_ms(b, k->first_lat_ns);
	buf_addf(b, " of iodepth %" PRIu32, k->first_depth);
}

static void add_saturation(struct evidence *e, const struct curve *c, const struct knee *k)
{
	struct buf *b = add(e, "saturation");

	if (k->cls == KNEE_RISING) {
		buf_addstr(b, "not known: it lies beyond the depths measured");
		return;
	}
	add_point(b, c, k->sat_depth);
	if (k->is_flat) {
		buf_addstr(b, ": the first depth, as all give much the same");
		return;
	}
	buf_addstr(b, ": the smallest measured that is N* / 1.05 = ");
	format_sig3(b, k->nstar / 1.05);
	buf_addf(b, " or more and gives 70 %% of the peak or more (%.0f %%)", 100 * k->eff);
}

static void add_other_depths(struct evidence *e, const struct curve *c, const struct knee *k)
{
	struct buf *b;

	/* Of a peak that was not reached, a share says nothing. */
	if (k->cls != KNEE_RISING) {
		b = add(e, "80 % of peak");
		buf_addstr(b, k->n80 > k->first_depth ? "first reached at about iodepth "
						      : "given already by iodepth ");
		format_sig3(b, k->n80);
	}
	b = add(e, "power");
	buf_addstr(b, "IOPS / latency is largest at ");
	add_point(b, c, k->power_depth);
}

static void add_shape(struct evidence *e, const struct curve *c, const struct knee *k)
{
	struct buf *b = add(e, "plateaus");

	if (k->second_plateau_depth) {
		buf_addstr(b, "a second one from ");
		add_point(b, c, k->second_plateau_depth);
		buf_addstr(b, " on: 5 % or more per doubling, behind a step of less");
	} else {
		buf_addstr(b, "no second one");
	}
	b = add(e, "dips");
	for (size_t i = 0; i < k->nr_dips; i++) {
		buf_addstr(b, i ? ", " : "");
		add_point(b, c, k->dip_depth[i]);
	}
	buf_addstr(
		b,
		k->nr_dips
			? ": more than 10 % below the depth before, which a deeper one exceeds again"
			: "none");
}

/* "iodepth 1: 1000 IOPS at first, 990 at the end (-1.0 %)" */
static void add_anchor(struct buf *b, const struct curve_anchor *a)
{
	double again = a->again->dir[DIR_TOTAL].iops;

	buf_addf(b, "iodepth %" PRIu32 ": ", a->again->spec.iodepth);
	add_iops(b, a->iops_first);
	buf_addstr(b, " at first, ");
	format_iops(b, again);
	buf_addstr(b, " at the end");
	if (isfinite(again / a->iops_first))
		buf_addf(b, " (%+.1f %%)", 100 * (again / a->iops_first - 1));
	buf_addstr(b, a->differs ? ", which is a change" : "");
}

static void add_drift(struct evidence *e, const struct curve *c)
{
	struct buf *b = add(e, "drift");

	for (size_t i = 0; i < c->nr_anchors; i++) {
		buf_addstr(b, i ? "; " : "");
		add_anchor(b, &c->anchor[i]);
	}
	if (!c->nr_anchors)
		buf_addstr(b, "no depth was measured again at the end (anchors), so it would not "
			      "be seen");
}

/* Half of the 95 % interval. */
static void add_error(struct buf *b, const struct curve *c, uint32_t depth)
{
	const struct curve_point *p = curve_point_at(c, depth);

	buf_addf(b, "+- %.2f %% at iodepth %" PRIu32, p ? 100 * p->half_rel : UNKNOWN, depth);
}

/* Errors that are known of some depths, as of repeats without intervals by their spread: the classes go by
 * them, while N* has no interval. */
static bool add_partial_errors(struct buf *b, const struct curve *c)
{
	bool has_any = false;

	for (size_t i = 0; i < c->nr; i++) {
		if (!(c->pt[i].se_rel > 0))
			continue;
		buf_addstr(
			b,
			has_any ? ", "
				: "not known in full of both deciding points, so N* has no "
				  "interval; differences count that are beyond those known: IOPS ");
		add_error(b, c, c->pt[i].iodepth);
		has_any = true;
	}
	return has_any;
}

static void add_errors(struct evidence *e, const struct curve *c, const struct knee *k)
{
	struct buf *b = add(e, "errors");

	if (k->has_errors) {
		buf_addstr(b, "IOPS ");
		add_error(b, c, k->lo_depth);
		if (k->peak_depth != k->lo_depth) {
			buf_addstr(b, ", ");
			add_error(b, c, k->peak_depth);
		}
	} else if (!add_partial_errors(b, c)) {
		buf_addstr(b, "not known for both deciding points, so every difference counts");
		return;
	}
	buf_addstr(b, " (95 %)");
}

static void add_withheld(struct evidence *e, const struct curve *c, const struct knee *k)
{
	const struct curve_point *lo = curve_point_at(c, k->lo_depth);
	struct buf *b = add(e, "withheld");

	if (lo && lo->flags & FLAG_BIT(FLAG_CPU_BOUND))
		buf_addf(b,
			 "this host was out of CPU at iodepth %" PRIu32
			 ", whose IOPS give the line",
			 k->lo_depth);
	else
		buf_addstr(b, "this host was out of CPU at all depths where the curve levels off");
}

static void add_held(struct evidence *e, const struct knee *k)
{
	struct buf *b;

	if (!k->held_flags)
		return;
	b = add(e, "held back");
	buf_addstr(b, "points that decide are lower bounds by this host (");
	format_flags(b, k->held_flags, ", ");
	buf_addf(b, "), so N* is read as %s",
		 k->bound == '>'   ? "at least"
		 : k->bound == '<' ? "at most"
		 : k->bound == '~' ? "an estimate, of no direction"
				   : "measured, and IOPS as at least");
}

static void add_knee(struct evidence *e, const struct curve *c, const struct knee *k)
{
	if (k->is_client_limited) {
		add_withheld(e, c, k);
		return;
	}
	add_class(e, c, k);
	if (k->cls == KNEE_INSUFFICIENT)
		return;
	if (k->cls != KNEE_STATE_DRIFT) {
		add_asymptotes(e, c, k);
		add_nstar(e, k);
		add_held(e, k);
		add_saturation(e, c, k);
		add_other_depths(e, c, k);
		add_shape(e, c, k);
	}
	add_errors(e, c, k);
	add_drift(e, c);
}

/* "iodepth 32 (8.18 ms)" by the figure of the cap. */
static void add_lat(struct buf *b, const struct curve *c, uint32_t depth, enum lat_stat stat)
{
	const struct curve_point *p = curve_point_at(c, depth);

	buf_addf(b, "iodepth %" PRIu32, depth);
	if (!p || isnan(p->lat_ns[stat]))
		return;
	buf_addstr(b, " (");
	format_ms(b, p->lat_ns[stat]);
	buf_addch(b, ')');
}

static void add_estimate(struct buf *b, const struct cap_answer *a)
{
	buf_addstr(b, "; a straight line on log axes gives ");
	add_iops(b, a->iops_interp);
	buf_addstr(b, " at iodepth ");
	format_sig3(b, a->depth_interp);
}

static void add_cap(struct evidence *e, const struct curve *c, const struct cap_answer *a)
{
	struct buf *b = add(e, "cap");

	format_cap(b, a->cap);
	buf_addstr(b, ": ");
	if (a->status == CAP_NO_DATA) {
		buf_addstr(b, "no valid depth has this figure");
	} else if (a->status == CAP_INFEASIBLE) {
		buf_addstr(b, "even the lowest, ");
		add_lat(b, c, a->lat_min_depth, a->cap.stat);
		buf_addstr(b, ", is above it");
	} else {
		buf_addstr(b, "the deepest within it is ");
		add_lat(b, c, a->last_good_depth, a->cap.stat);
		if (a->first_bad_depth) {
			buf_addstr(b, ", the next above it ");
			add_lat(b, c, a->first_bad_depth, a->cap.stat);
			add_estimate(b, a);
		} else {
			buf_addstr(b, ", the last measured");
		}
		if (a->depth != a->last_good_depth)
			buf_addf(b,
				 "; iodepth %" PRIu32
				 " is the smallest that gives the most IOPS within the errors",
				 a->depth);
	}
}

void evidence_find(struct evidence *e, const struct report_curve *rc, unsigned nr_caps)
{
	*e = (struct evidence){.nr = 0};
	add_knee(e, rc->curve, &rc->knee);
	for (unsigned i = 0; i < nr_caps; i++)
		add_cap(e, rc->curve, &rc->cap[i]);
}

void evidence_release(struct evidence *e)
{
	for (size_t i = 0; i < EVIDENCE_MAX; i++)
		buf_release(&e->piece[i].text);
}
