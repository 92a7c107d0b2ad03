/* SPDX-License-Identifier: MIT */
#include "report/sentence.h"

#include "base/num.h"
#include "base/units.h"
#include "report/format.h"

/* "450 IOPS", with "(90%)" where it was asked so */
static void add_load(struct buf *b, const struct response_point *pt)
{
	format_iops(b, pt->rate_iops);
	buf_addstr(b, " IOPS");
	if (!pt->row->spec.rate_e4)
		return;
	buf_addstr(b, " (");
	buf_add_rate(b, &pt->row->spec);
	buf_addch(b, ')');
}

static void add_mean(struct buf *b, const struct response_point *pt)
{
	if (isnan(pt->lat_ns[LAT_MEAN]))
		return;
	buf_addstr(b, ", mean ");
	format_ms(b, pt->lat_ns[LAT_MEAN]);
	if (isnan(pt->lat_ns[LAT_P99]))
		return;
	buf_addstr(b, ", p99 ");
	format_ms(b, pt->lat_ns[LAT_P99]);
}

static void add_missed(struct buf *b, const struct response_point *pt)
{
	add_load(b, pt);
	buf_addstr(b, " not: ");
	format_iops(b, pt->iops);
	buf_addstr(b, " IOPS were achieved, and the queue grows as long as it lasts");
}

void sentence_load(struct buf *b, const struct response *r)
{
	if (!r->nr) {
		buf_addstr(b, "No valid point of this response curve.");
		return;
	}
	if (r->sustained) {
		buf_addstr(b, r->missed ? "The highest load sustained is "
					: "Every load was sustained; the highest is ");
		add_load(b, r->sustained);
		add_mean(b, r->sustained);
	} else {
		buf_addstr(b, "No load was sustained");
	}
	if (r->missed) {
		buf_addstr(b, "; ");
		add_missed(b, r->missed);
	}
	buf_addch(b, '.');
}

static void add_limit(struct buf *b, struct cap cap)
{
	buf_addf(b, "%s latency %.10g ms", lat_stat_name(cap.stat), (double)cap.limit_ns / 1e6);
}

/* "; 500 IOPS take 12.3 ms" */
static void add_next(struct buf *b, const struct response_cap *a)
{
	if (!a->next)
		return;
	buf_addstr(b, "; ");
	add_load(b, a->next);
	if (a->next->is_sustained) {
		buf_addstr(b, " take ");
		format_ms(b, a->next->lat_ns[a->cap.stat]);
	} else {
		buf_addstr(b, " are not sustained");
	}
}

static void add_late(struct buf *b, const struct response_point *pt)
{
	if (pt->is_late)
		buf_addstr(b, " This host submitted late there, which is part of the latency.");
}

void sentence_load_cap(struct buf *b, const struct response_cap *a)
{
	switch (a->status) {
	case CAP_OK:
	case CAP_NOT_REACHED:
		buf_addstr(b, "Highest load under ");
		add_limit(b, a->cap);
		buf_addstr(b, a->status == CAP_OK ? ": " : ": >= ");
		add_load(b, a->best);
		buf_addstr(b, " at ");
		format_ms(b, a->best->lat_ns[a->cap.stat]);
		add_next(b, a);
		buf_addstr(b, a->status == CAP_OK ? "." : "; no higher load was offered.");
		add_late(b, a->best);
		break;
	case CAP_INFEASIBLE:
		buf_addstr(b, "No load that was sustained meets ");
		format_cap(b, a->cap);
		buf_addstr(b, "; the lowest latency is ");
		format_ms(b, a->lowest->lat_ns[a->cap.stat]);
		buf_addstr(b, " at ");
		add_load(b, a->lowest);
		buf_addch(b, '.');
		add_late(b, a->lowest);
		break;
	case CAP_NO_DATA:
		buf_addstr(b, "No answer for ");
		format_cap(b, a->cap);
		buf_addf(b,
			 ": no valid load of this response curve has a %s latency (of repeats it "
			 "is not known together).",
			 lat_stat_name(a->cap.stat));
		break;
	}
}

void sentence_load_short(struct buf *b, const struct response *r)
{
	if (!r->sustained) {
		buf_addstr(b, r->nr ? "none" : "no valid points");
		return;
	}
	buf_addstr(b, r->missed ? "" : ">= ");
	format_iops(b, r->sustained->rate_iops);
	buf_addstr(b, " IOPS");
}

void sentence_load_cap_short(struct buf *b, const struct response_cap *a)
{
	switch (a->status) {
	case CAP_OK:
	case CAP_NOT_REACHED:
		buf_addstr(b, a->status == CAP_OK ? "" : ">= ");
		format_iops(b, a->best->rate_iops);
		buf_addstr(b, " IOPS");
		break;
	case CAP_INFEASIBLE:
		buf_addstr(b, "never");
		break;
	case CAP_NO_DATA:
		buf_addstr(b, "not known");
		break;
	}
}
