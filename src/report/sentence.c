/* SPDX-License-Identifier: MIT */
#include "report/sentence.h"

#include "base/mem.h"
#include "base/num.h"
#include "report/format.h"

#include <stdlib.h>

/* In front of a figure that this host held back. */
static void add_least(struct buf *b, bool is_least)
{
	buf_addstr(b, is_least ? ">= " : "");
}

static void add_at_ms(struct buf *b, double lat_ns)
{
	if (isnan(lat_ns))
		return;
	buf_addstr(b, " at ");
	format_ms(b, lat_ns);
}

/* "4368 IOPS at 7.31 ms" */
static void add_figures(struct buf *b, double iops, double lat_ns)
{
	format_iops(b, iops);
	buf_addstr(b, " IOPS");
	add_at_ms(b, lat_ns);
}

/* "N* = 19.8 (95 % 19.3 to 20.4)" */
static void add_nstar(struct buf *b, const struct knee *k)
{
	buf_addf(b, "N* %s ", knee_bound_text(k));
	format_sig3(b, k->nstar);
	if (k->bound != '=' || !knee_has_interval(k))
		return;
	buf_addstr(b, " (95 % ");
	format_sig3(b, k->nstar_low);
	buf_addstr(b, " to ");
	format_sig3(b, k->nstar_high);
	buf_addch(b, ')');
}

/* "7.1x the latency for 1.12x the IOPS" between two depths of the curve, behind prefix; false
 * and nothing added where latencies are not known. */
static bool add_price(struct buf *b, const char *prefix, const struct curve *c, uint32_t from,
		      uint32_t to)
{
	const struct curve_point *p = curve_point_at(c, from), *q = curve_point_at(c, to);
	double lat_ratio = p && q ? q->lat_ns[LAT_MEAN] / p->lat_ns[LAT_MEAN] : UNKNOWN;

	if (to <= from || !isfinite(lat_ratio) || !(p->iops > 0))
		return false;
	buf_addstr(b, prefix);
	format_ratio(b, lat_ratio);
	buf_addstr(b, " the latency for ");
	format_ratio(b, q->iops / p->iops);
	buf_addstr(b, " the IOPS");
	return true;
}

static void add_total_price(struct buf *b, const struct curve *c, const struct knee *k)
{
	char *prefix =
		xasprintf(" Against iodepth %u, iodepth %u costs ", k->first_depth, k->last_depth);

	if (add_price(b, prefix, c, k->first_depth, k->last_depth))
		buf_addch(b, '.');
	free(prefix);
}

/* "iodepth 8 gave 4000 IOPS at first and 1000 at the end" */
static void add_drift(struct buf *b, const struct curve *c)
{
	const char *sep = "";

	for (size_t i = 0; i < c->nr_anchors; i++) {
		const struct curve_anchor *a = &c->anchor[i];

		if (!a->differs)
			continue;
		buf_addf(b, "%siodepth %u gave ", sep, a->again->spec.iodepth);
		format_iops(b, a->iops_first);
		buf_addstr(b, " IOPS at first and ");
		format_iops(b, a->again->dir[DIR_TOTAL].iops);
		buf_addstr(b, " at the end");
		sep = ", ";
	}
}

/* What the knee is worth where this host held back points that decide. */
static void add_held(struct buf *b, const struct knee *k)
{
	if (!k->held_flags)
		return;
	buf_addstr(b, " This host, not the target, was the limit at points that decide (");
	format_flags(b, k->held_flags, ", ");
	buf_addstr(b, "): the target alone may do more, and saturate elsewhere.");
}

/* Things beside the answer that a reader would otherwise stumble over. */
static void add_remarks(struct buf *b, const struct curve *c, const struct knee *k)
{
	const struct curve_point *second = curve_point_at(c, k->second_plateau_depth);

	if (second) {
		buf_addf(b, " A second plateau begins at iodepth %u (", second->iodepth);
		format_iops(b, second->iops);
		buf_addstr(b, " IOPS).");
	}
	if (k->has_drift) {
		buf_addstr(b, " The target changed while it was measured: ");
		add_drift(b, c);
		buf_addch(b, '.');
	}
	if (!k->nr_dips)
		return;
	buf_addstr(b, " IOPS dip at iodepth ");
	for (size_t i = 0; i < k->nr_dips; i++)
		buf_addf(b, "%s%u", i ? ", " : "", k->dip_depth[i]);
	buf_addch(b, '.');
}

static void add_share_of_peak(struct buf *b, const struct knee *k)
{
	const char *peak = k->is_peak_least ? "the most measured" : "the peak";

	if (k->sat_depth == k->peak_depth) {
		buf_addf(b, ", %s", peak);
		return;
	}
	buf_addstr(b, ", ");
	format_share(b, k->eff);
	buf_addf(b, " of %s", peak);
}

static void add_peak(struct buf *b, const struct curve *c, const struct knee *k)
{
	if (k->peak_depth == k->sat_depth)
		return;
	buf_addstr(b, " The peak, ");
	add_least(b, k->is_peak_least);
	format_iops(b, k->peak_iops);
	buf_addf(b, " IOPS at iodepth %u", k->peak_depth);
	if (!add_price(b, ", costs ", c, k->sat_depth, k->peak_depth)) {
		buf_addstr(b, ", is ");
		format_ratio(b, k->peak_iops / k->sat_iops);
		buf_addstr(b, " that");
	}
	buf_addch(b, '.');
}

static void add_saturation(struct buf *b, const struct knee *k)
{
	buf_addf(b, "Saturates at iodepth %u%s: ", k->sat_depth,
		 knee_is_least(k) ? " or deeper" : "");
	add_least(b, k->is_sat_least);
	add_figures(b, k->sat_iops, k->sat_lat_ns);
	add_share_of_peak(b, k);
	buf_addstr(b, "; ");
	add_nstar(b, k);
	buf_addch(b, '.');
}

static void say_knee(struct buf *b, const struct curve *c, const struct knee *k)
{
	add_saturation(b, k);
	add_peak(b, c, k);
	add_total_price(b, c, k);
}

static void say_flat(struct buf *b, const struct curve *c, const struct knee *k)
{
	buf_addf(b, "Saturated from the start: iodepth %u already gives ", k->first_depth);
	format_share(b, k->first_iops / k->peak_iops);
	buf_addstr(b, k->is_peak_least ? " of the most measured (" : " of the peak (");
	add_least(b, k->is_sat_least);
	add_figures(b, k->first_iops, k->first_lat_ns);
	buf_addstr(b, "; ");
	add_nstar(b, k);
	buf_addstr(b, ").");
	add_total_price(b, c, k);
	if (k->first_depth > 1)
		buf_addf(b, " The knee lies at or below iodepth %u: measure smaller depths too.",
			 k->first_depth);
}

static void say_rising(struct buf *b, const struct curve *c, const struct knee *k)
{
	buf_addstr(b, "Knee not reached: IOPS still rise ");
	format_share(b, k->last_gain);
	buf_addf(b, " per doubling at iodepth %u (", k->last_depth);
	add_least(b, k->is_last_least);
	add_figures(b, k->last_iops, k->last_lat_ns);
	buf_addf(b, "); raise iodepth beyond %u (", k->last_depth);
	add_nstar(b, k);
	buf_addstr(b, ").");
	add_total_price(b, c, k);
}

/* Whether this depth was measured again, with figures. */
static bool has_anchor_at(const struct curve *c, uint32_t depth)
{
	for (size_t i = 0; i < c->nr_anchors; i++)
		if (c->anchor[i].again->spec.iodepth == depth &&
		    point_is_valid(c->anchor[i].again, 0) && !c->anchor[i].differs)
			return true;
	return false;
}

static void say_state_drift(struct buf *b, const struct curve *c, const struct knee *k)
{
	buf_addstr(b, "State drift: the target changed while it was measured. ");
	add_drift(b, c);
	buf_addf(b, ", so that IOPS fall by ");
	format_share(b, k->drop);
	buf_addf(b,
		 " beyond iodepth %u need not come from the depth, and no knee can be told. "
		 "Bring the target into a steady state (fill it, let it rest, or keep others "
		 "away) and measure again.",
		 k->peak_depth);
}

static void say_retrograde(struct buf *b, const struct curve *c, const struct knee *k)
{
	add_saturation(b, k);
	buf_addstr(b, " Beyond the peak (");
	add_least(b, k->is_peak_least);
	format_iops(b, k->peak_iops);
	buf_addf(b, " IOPS at iodepth %u) IOPS fall by ", k->peak_depth);
	format_share(b, k->drop);
	buf_addstr(b, " to ");
	add_least(b, k->is_last_least);
	format_iops(b, k->last_iops);
	buf_addf(b, " at iodepth %u: ", k->last_depth);
	if (k->is_last_least)
		buf_addstr(b, "this host held that point back, so the target alone need not fall.");
	else if (has_anchor_at(c, k->peak_depth))
		buf_addf(
			b,
			"never queue deeper than %u (measured again at the end, it gave the same).",
			k->peak_depth);
	else /* That the target changed while it was measured cannot be ruled out. */
		buf_addf(b, "if a second run shows it too, never queue deeper than %u.",
			 k->peak_depth);
	add_total_price(b, c, k);
}

static void say_insufficient(struct buf *b, const struct curve *c)
{
	size_t nr_ok = 0, nr_deciding = 0, failed, spoiled;

	for (size_t i = 0; i < c->nr_rows; i++)
		nr_ok += c->row[i]->status == POINT_OK;
	/* Of what was accepted the curve knows nothing, but what decides is in it. */
	for (size_t i = 0; i < c->nr; i++)
		nr_deciding += c->pt[i].nr_repeats;
	failed = c->nr_rows - nr_ok;
	spoiled = nr_ok - nr_deciding;
	if (!c->nr)
		buf_addstr(b, "No valid points, so no knee");
	else
		buf_addf(b, "Needs more depths: a knee takes at least 3, this curve has %zu",
			 c->nr);
	if (failed)
		buf_addf(b, "; %zu not measured or failed", failed);
	if (spoiled)
		buf_addf(b, "; %zu spoiled", spoiled);
	buf_addch(b, '.');
}

static void say_client_limited(struct buf *b, const struct knee *k)
{
	buf_addstr(b, "Knee withheld, client-limited: this host ran out of CPU before the device "
		      "did, which can do at least ");
	format_iops(b, k->peak_iops);
	buf_addf(b, " IOPS (iodepth %u). Give it more workers or cores and measure again.",
		 k->peak_depth);
}

static void say_queue_limit(struct buf *b, const struct curve *c, const struct knee *k)
{
	buf_addf(b, "Host queue limit %u: ", k->queue_limit);
	add_least(b, k->is_sat_least);
	add_figures(b, k->sat_iops, k->sat_lat_ns);
	buf_addf(b, " at iodepth %u", k->sat_depth);
	add_share_of_peak(b, k);
	buf_addstr(b, " (");
	add_nstar(b, k);
	buf_addstr(b, "). Deeper I/O waits in this host, so the plateau need not be the device's: "
		      "raise nr_requests or queue_depth to see its own.");
	add_total_price(b, c, k);
}

void sentence_knee(struct buf *b, const struct curve *c, const struct knee *k)
{
	static void (*const say[])(struct buf *, const struct curve *, const struct knee *) = {
		[KNEE_KNEE] = say_knee,
		[KNEE_FLAT] = say_flat,
		[KNEE_RISING] = say_rising,
		[KNEE_RETROGRADE] = say_retrograde,
		[KNEE_STATE_DRIFT] = say_state_drift,
	};

	if (k->cls == KNEE_INSUFFICIENT) {
		say_insufficient(b, c);
		return;
	}
	if (k->is_client_limited) {
		say_client_limited(b, k);
		return;
	}
	if (k->queue_limit && k->cls != KNEE_STATE_DRIFT)
		say_queue_limit(b, c, k);
	else
		say[k->cls](b, c, k);
	if (k->cls == KNEE_STATE_DRIFT)
		return;
	add_held(b, k);
	add_remarks(b, c, k);
}

/* "mean latency 10 ms" */
static void add_limit(struct buf *b, struct cap cap)
{
	buf_addf(b, "%s latency %.10g ms", lat_stat_name(cap.stat), (double)cap.limit_ns / 1e6);
}

/* ", 95 % 8.1 to 8.3" */
static void add_interval(struct buf *b, const struct cap_answer *a)
{
	if (a->verdict == CAP_UNSURE)
		return;
	buf_addstr(b, ", 95 % ");
	format_ms(b, a->lat_lo_ns);
	buf_addstr(b, " to ");
	format_ms(b, a->lat_hi_ns);
}

static void add_measured(struct buf *b, const struct cap_answer *a)
{
	buf_addstr(b, "Maximum under ");
	add_limit(b, a->cap);
	buf_addstr(b, cap_is_least(a) ? ": >= " : ": ");
	format_iops(b, a->iops);
	buf_addstr(b, " IOPS at iodepth ");
	buf_add_u64(b, a->depth);
	buf_addstr(b, " (");
	format_ms(b, a->lat_ns);
	add_interval(b, a);
	buf_addstr(b, "), measured");
}

/* What the interval says, where it is not simply that the cap is met. */
static void say_verdict(struct buf *b, const struct cap_answer *a)
{
	uint32_t need = lat_stat_min_ios(a->cap.stat);

	if (a->verdict == CAP_UNDECIDED)
		buf_addstr(b, a->status == CAP_INFEASIBLE
				      ? " That is undecided: the interval holds the cap."
				      : " That it meets the cap is undecided: the interval "
					"reaches beyond it.");
	if (a->ios < need)
		buf_addf(b, " Only %.0f I/Os are behind this %s, which takes %u.", a->ios,
			 lat_stat_name(a->cap.stat), need);
	else if (a->cap.stat != LAT_MEAN && a->verdict == CAP_UNSURE && !isnan(a->ios))
		buf_addf(b, " How exact this %s is, is not known.", lat_stat_name(a->cap.stat));
}

static void add_estimate(struct buf *b, const struct cap_answer *a)
{
	/* Said only where it tells more than the measured value, as that is printed. */
	if (!(a->iops_interp >= a->iops + 0.5) || !a->first_bad_depth)
		return;
	buf_addstr(b, "; about ");
	format_iops(b, a->iops_interp);
	buf_addf(b, " between iodepth %u and %u (estimate)", a->last_good_depth,
		 a->first_bad_depth);
}

/* What the point that answers is worth. */
static void say_limits_of_cap(struct buf *b, const struct cap_answer *a)
{
	if (flags_have(a->flags, EFFECT_LOWER_BOUND))
		buf_addstr(b,
			   " This is a lower bound: the client or its queue was the limit there.");
	else if (a->is_bad_unsure)
		buf_addf(b,
			 " This is a lower bound: the client or its queue was the limit at iodepth "
			 "%u, so the target alone may meet the cap there.",
			 a->first_bad_depth);
	if (a->flags & FLAG_BIT(FLAG_STALL))
		buf_addstr(b, " A stall is in these IOPS: the device at work gives more.");
}

void sentence_cap(struct buf *b, const struct cap_answer *a)
{
	switch (a->status) {
	case CAP_OK:
		add_measured(b, a);
		add_estimate(b, a);
		buf_addch(b, '.');
		say_verdict(b, a);
		say_limits_of_cap(b, a);
		break;
	case CAP_NOT_REACHED:
		add_measured(b, a);
		buf_addf(b, "; the cap is not exceeded even at iodepth %u.", a->last_good_depth);
		say_verdict(b, a);
		say_limits_of_cap(b, a);
		break;
	case CAP_INFEASIBLE:
		/* Less than the least that was measured might. */
		buf_addstr(b, a->lat_min_depth > 1 ? "No measured iodepth meets "
						   : "No iodepth meets ");
		format_cap(b, a->cap);
		buf_addstr(b, "; the lowest is ");
		format_ms(b, a->lat_min_ns);
		add_interval(b, a);
		buf_addf(b, " at iodepth %u.", a->lat_min_depth);
		say_verdict(b, a);
		if (a->is_bad_unsure)
			buf_addstr(b, " The client or its queue was the limit there, so the target "
				      "alone may meet it.");
		break;
	case CAP_NO_DATA:
		buf_addstr(b, "No answer for ");
		format_cap(b, a->cap);
		buf_addf(b, ": no valid point of this curve has a %s latency.",
			 lat_stat_name(a->cap.stat));
		break;
	}
}

void sentence_knee_short(struct buf *b, const struct curve *c, const struct knee *k)
{
	if (k->cls == KNEE_INSUFFICIENT)
		buf_addstr(b, c->nr ? "needs more depths" : "no valid points");
	else if (k->is_client_limited)
		buf_addstr(b, "client-limited");
	else if (k->cls == KNEE_STATE_DRIFT)
		buf_addstr(b, knee_class_name(k->cls));
	else if (k->queue_limit)
		buf_addf(b, "host queue limit %u", k->queue_limit);
	else if (k->cls == KNEE_RISING)
		buf_addf(b, "beyond %u", k->last_depth);
	else if (k->cls == KNEE_FLAT)
		buf_addstr(b, "from the start");
	else
		buf_addf(b, "iodepth %s%u", knee_is_least(k) ? ">= " : "", k->sat_depth);
}

void sentence_cap_short(struct buf *b, const struct cap_answer *a)
{
	switch (a->status) {
	case CAP_OK:
	case CAP_NOT_REACHED:
		buf_addstr(b, cap_is_least(a) ? ">= " : "");
		format_iops(b, a->iops);
		buf_addf(b, " at iodepth %u", a->depth);
		break;
	case CAP_INFEASIBLE:
		buf_addstr(b, a->is_bad_unsure	     ? "client-limited"
			      : a->lat_min_depth > 1 ? "none measured"
						     : "never");
		break;
	case CAP_NO_DATA:
		buf_addstr(b, "not known");
		break;
	}
}

/* Whether some of the repeats of the depth that begins at row i are not measured; and where it ends. */
static bool is_missing(const struct curve *c, size_t i, size_t *end)
{
	bool missing = false;

	for (*end = i; *end < c->nr_rows; (*end)++) {
		if (c->row[*end]->spec.iodepth != c->row[i]->spec.iodepth)
			break;
		missing |= !point_status_is_final(c->row[*end]->status);
	}
	return missing;
}

void sentence_missing(struct buf *b, const struct curve *c)
{
	size_t nr_depths = 0, nr = 0, end;

	for (size_t i = 0; i < c->nr_rows; i = end, nr_depths++) {
		if (!is_missing(c, i, &end))
			continue;
		buf_addf(b, "%s%u", nr++ ? ", " : "Not measured: iodepth ",
			 c->row[i]->spec.iodepth);
	}
	if (nr == nr_depths)
		buf_addstr(b, nr ? ", which is all of them." : "");
	else if (nr)
		buf_addf(b, ". The answers are of the %zu of %zu depths that were.", nr_depths - nr,
			 nr_depths);
}
