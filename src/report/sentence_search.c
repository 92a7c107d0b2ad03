/* SPDX-License-Identifier: MIT */
#include "report/sentence.h"

#include "base/num.h"
#include "base/units.h"
#include "report/format.h"
#include "stats/ci.h"

#include <inttypes.h>

static const char *unit_of(const struct search_answer *a)
{
	return a->settings.is_load ? "a load of" : "iodepth";
}

/* "iodepth 36" or "a load of 3800 IOPS" */
static void add_at(struct buf *b, const struct search_answer *a, uint64_t at)
{
	buf_addf(b, "%s %" PRIu64 "%s", unit_of(a), at, a->settings.is_load ? " IOPS" : "");
}

/* " (95 % 3953 to 4031)"; nothing where the standard error is not known */
static void add_iops_interval(struct buf *b, const struct search_point *p)
{
	if (isnan(p->iops_se) || !(p->iops_se > 0))
		return;
	buf_addstr(b, " (95 % ");
	format_iops(b, p->iops * (1 - Z_95 * p->iops_se));
	buf_addstr(b, " to ");
	format_iops(b, p->iops * (1 + Z_95 * p->iops_se));
	buf_addch(b, ')');
}

/* "8.00 ms, 95 % 7.98 to 8.02" */
static void add_latency(struct buf *b, const struct search_point *p)
{
	format_ms(b, p->lat_ns);
	if (!(p->lat_se > 0))
		return;
	buf_addstr(b, ", 95 % ");
	format_sig3(b, p->lat_ns / 1e6 * exp(-Z_95 * p->lat_se));
	buf_addstr(b, " to ");
	format_sig3(b, p->lat_ns / 1e6 * exp(Z_95 * p->lat_se));
}

/* "3180 IOPS offered, 3178 achieved (95 % 3116 to 3240), at 9.80 ms" */
static void add_load(struct buf *b, const struct search_point *p)
{
	buf_addf(b, "%" PRIu64 " IOPS offered, ", p->at);
	format_iops(b, p->iops);
	buf_addstr(b, " achieved");
	add_iops_interval(b, p);
	buf_addstr(b, ", at ");
	add_latency(b, p);
}

/* "4002 IOPS (95 % 3990 to 4014) at iodepth 32 (8.00 ms)" */
static void add_point(struct buf *b, const struct search_answer *a, const struct search_point *p)
{
	if (a->settings.is_load) {
		add_load(b, p);
		return;
	}
	format_iops(b, p->iops);
	buf_addstr(b, " IOPS");
	add_iops_interval(b, p);
	buf_addf(b, " at iodepth %" PRIu64 " (", p->at);
	add_latency(b, p);
	buf_addch(b, ')');
}

/* "Maximum under mean latency 10 ms: " */
static void add_question(struct buf *b, const struct search_answer *a)
{
	buf_addf(b,
		 "%s under %s latency %.10g ms: ", a->settings.is_load ? "Highest load" : "Maximum",
		 lat_stat_name(a->cap.stat), (double)a->cap.limit_ns / 1e6);
}

/* "37 (10.1 ms)", or what a missed load achieved */
static void add_bad(struct buf *b, const struct search_point *p)
{
	buf_addf(b, "%" PRIu64 " (", p->at);
	if (p->is_missed) {
		buf_addstr(b, "not sustained, ");
		format_iops(b, p->iops);
		buf_addstr(b, " achieved");
	} else {
		format_ms(b, p->lat_ns);
	}
	buf_addch(b, ')');
}

/* "Last good iodepth 36 (9.9 ms), first bad 37 (10.1 ms)" */
static void add_bracket(struct buf *b, const struct search_answer *a)
{
	const char *what = a->settings.is_load ? "load" : "iodepth";

	if (a->good.at) {
		buf_addf(b, " Last good %s %" PRIu64 " (", what, a->good.at);
		format_ms(b, a->good.lat_ns);
		buf_addch(b, ')');
	}
	if (!a->bad.at)
		return;
	if (a->good.at)
		buf_addstr(b, ", first bad ");
	else
		buf_addf(b, " First bad %s ", what);
	add_bad(b, &a->bad);
}

static void add_why(struct buf *b, const struct search_answer *a)
{
	switch (a->stop) {
	case SEARCH_BRACKET:
		add_bracket(b, a);
		if (a->bad.at - a->good.at == 1)
			buf_addstr(b, ", with nothing between.");
		else
			buf_addf(b, ", %s apart.",
				 a->settings.is_load ? "2 % or less" : "6 % or less");
		break;
	case SEARCH_FLAT:
		add_bracket(b, a);
		buf_addstr(b, "; IOPS at both are within 2 %, so no depth between gives more.");
		break;
	case SEARCH_AT_CAP:
		buf_addstr(b, " The latency at ");
		add_at(b, a, a->good.at);
		buf_addstr(b, a->good.at == a->best.at ? " is the cap within its noise." : ", ");
		if (a->good.at != a->best.at) {
			format_ms(b, a->good.lat_ns);
			buf_addstr(
				b,
				", is the cap within its noise; IOPS there are the same within theirs.");
		}
		break;
	case SEARCH_NOT_REACHED:
		buf_addstr(b, " The cap is not exceeded even at ");
		add_at(b, a, a->good.at);
		if (a->good.at != a->best.at) {
			buf_addstr(b, " (");
			format_ms(b, a->good.lat_ns);
			buf_addch(b, ')');
		}
		buf_addstr(b, ", the largest that may be tried.");
		break;
	case SEARCH_NO_POINTS:
		add_bracket(b, a);
		buf_addf(b, ". No more than %" PRIu32 " point%s allowed%s.", a->settings.max_points,
			 a->settings.max_points == 1 ? " was" : "s were",
			 a->bad.at ? ", so the maximum may lie between" : "");
		break;
	case SEARCH_GOES_ON:
	case SEARCH_NEVER:
	case SEARCH_FAILED:
	case SEARCH_STOP_NR:
		break;
	}
}

static void add_client(struct buf *b, const struct search_answer *a)
{
	const flag_set flags = a->best.flags | a->bad.flags;
	const char *sep = " (";

	if (!a->is_client_limited)
		return;
	buf_addstr(b, " Client-limited: this host was the limit");
	for (enum flag f = 0; f < FLAG_NR; f++) {
		if (!(flags & FLAG_BIT(f)) ||
		    (flag_effect(f) != EFFECT_LOWER_BOUND && f != FLAG_LATE_SUBMIT))
			continue;
		buf_addf(b, "%s%s", sep, flag_name(f));
		sep = ", ";
	}
	buf_addf(b,
		 "%s, so the target may do more. Give it more workers or cores and search again.",
		 sep[0] == ',' ? ")" : "");
}

/* What the interval says, where the cap lies in it and that did not end the search. */
static void add_verdict(struct buf *b, const struct search_answer *a)
{
	const struct search_point *p = &a->best;
	double high = p->lat_ns * exp(Z_95 * p->lat_se);

	if (!p->at || a->stop == SEARCH_AT_CAP || high <= (double)a->cap.limit_ns)
		return;
	buf_addstr(b, " That it meets the cap is not sure: its interval reaches beyond it.");
}

/* What the points that decide are worth. */
static void add_worth(struct buf *b, const struct search_answer *a)
{
	uint32_t need = lat_stat_min_ios(a->cap.stat);

	add_verdict(b, a);
	add_client(b, a);
	if (a->queue_limit)
		buf_addf(b,
			 " Iodepth %" PRIu64 " is above the queue limit of this host, %u: the rest "
			 "waits in the host, and the latency holds that wait.",
			 a->best.at, a->queue_limit);
	if (a->best.at && a->best.ios < need)
		buf_addf(b, " Only %.0f I/Os are behind this %s, which takes %u.", a->best.ios,
			 lat_stat_name(a->cap.stat), need);
	if (!a->is_client_limited && (a->best.flags & FLAG_BIT(FLAG_LATE_SUBMIT)))
		buf_addstr(b, " This host submitted late there, which is part of the latency.");
	if (a->best.flags & FLAG_BIT(FLAG_STALL))
		buf_addstr(b, " A stall is in these IOPS: the device at work gives more.");
	if (a->best.flags & FLAG_BIT(FLAG_UNSTEADY))
		buf_addstr(b, " The target was not steady there, so no interval is given.");
	if (a->best.flags & FLAG_BIT(FLAG_THROTTLED))
		buf_addstr(b, " A cgroup limit is in force and may be what was found.");
}

static void add_runs(struct buf *b, const struct search_answer *a)
{
	buf_addf(b, "run%s ", a->nr_seed_runs == 1 ? "" : "s");
	for (unsigned i = 0; i < a->nr_seed_runs; i++)
		buf_addf(b, "%s%" PRId64,
			 !i			    ? ""
			 : i + 1 == a->nr_seed_runs ? " and "
						    : ", ",
			 a->seed_run[i]);
}

/* "5 points in 1:43; 9 more were known from run 3." */
static void add_cost(struct buf *b, const struct search_answer *a)
{
	if (a->nr_points) {
		buf_addf(b, " %u point%s in ", a->nr_points, a->nr_points == 1 ? "" : "s");
		buf_add_hms(b, a->time_ns);
	} else {
		buf_addstr(b, " No point had to be measured");
	}
	if (a->nr_shared)
		buf_addf(b, "; %u known from the caps before", a->nr_shared);
	if (a->nr_seed) {
		buf_addf(b, "; %u known from ", a->nr_seed);
		add_runs(b, a);
	}
	buf_addch(b, '.');
}

/* Whether more is possible as far as this search can tell. */
static bool is_bound(const struct search_answer *a)
{
	return a->stop == SEARCH_NOT_REACHED || a->stop == SEARCH_NO_POINTS || a->is_client_limited;
}

static void say_met(struct buf *b, const struct search_answer *a)
{
	add_question(b, a);
	buf_addstr(b, is_bound(a) ? ">= " : "");
	add_point(b, a, &a->best);
	buf_addch(b, '.');
	add_why(b, a);
}

static void say_never(struct buf *b, const struct search_answer *a)
{
	buf_addstr(b, a->settings.is_load ? "No load meets " : "No iodepth meets ");
	format_cap(b, a->cap);
	buf_addstr(b, ": the lowest latency is ");
	if (a->lowest.at) {
		add_latency(b, &a->lowest);
		buf_addstr(b, " at ");
		add_at(b, a, a->lowest.at);
	} else {
		buf_addstr(b, "not known, since no load was sustained");
	}
	buf_addch(b, '.');
}

static void say_partly(struct buf *b, const struct search_answer *a)
{
	if (a->stop == SEARCH_FAILED) {
		buf_addstr(b, "No answer for ");
		format_cap(b, a->cap);
		buf_addstr(b, ": the search ended by ");
		add_at(b, a, a->failed_at);
		buf_addf(b, ", %s.", a->failed_reason);
	} else {
		buf_addstr(b,
			   a->stop == SEARCH_GOES_ON ? "Not finished for " : "No answer yet for ");
		format_cap(b, a->cap);
		buf_addch(b, '.');
	}
	if (a->best.at) {
		buf_addstr(b, " So far: ");
		add_point(b, a, &a->best);
		buf_addstr(b, " meets the cap.");
	}
	if (a->bad.at) {
		buf_addf(b, " %s ", a->settings.is_load ? "Load" : "Iodepth");
		add_bad(b, &a->bad);
		buf_addstr(b, " does not.");
	}
}

void sentence_search(struct buf *b, const struct search_answer *a)
{
	bool is_partly = a->stop == SEARCH_GOES_ON || a->stop == SEARCH_FAILED || !a->best.at;

	if (a->stop == SEARCH_NEVER)
		say_never(b, a);
	else if (is_partly)
		say_partly(b, a);
	else
		say_met(b, a);
	add_worth(b, a);
	add_cost(b, a);
}

void sentence_search_short(struct buf *b, const struct search_answer *a)
{
	if (a->stop == SEARCH_FAILED) {
		buf_addstr(b, "ended by an error");
	} else if (a->stop == SEARCH_NEVER) {
		buf_addstr(b, a->is_client_limited ? "client-limited" : "never");
	} else if (a->stop == SEARCH_GOES_ON || !a->best.at) {
		buf_addstr(b, "not finished");
	} else {
		buf_addstr(b, is_bound(a) ? ">= " : "");
		if (a->settings.is_load) {
			buf_addf(b, "%" PRIu64 " IOPS", a->best.at);
		} else {
			format_iops(b, a->best.iops);
			buf_addf(b, " at iodepth %" PRIu64, a->best.at);
		}
	}
}
