/* SPDX-License-Identifier: MIT */
#include "report/status.h"

#include "base/clock.h"
#include "base/num.h"
#include "base/term.h"
#include "base/units.h"
#include "report/format.h"
#include "report/lines.h"
#include "report/table.h"
#include "report/text_curve.h"

#include <inttypes.h>
#include <math.h>

#define WIDTH_DEFAULT 80
#define NAME_CHARS    60

/* The state in words, and how it looks. */
static const struct {
	const char *words;
	enum term_style style;
} states[STATUS_STATE_NR] = {
	[STATUS_RUNNING] = {"running", TERM_GOOD},
	[STATUS_ELSEWHERE] = {"running, as far as the database says", TERM_WARN},
	[STATUS_UNKNOWN] = {"marked as running; whether it is cannot be told", TERM_WARN},
	[STATUS_GONE] = {"its process is gone", TERM_BAD},
	[STATUS_INTERRUPTED] = {"interrupted", TERM_WARN},
	[STATUS_FINISHED] = {"finished", TERM_GOOD},
};

static void add_seconds(struct buf *b, double s)
{
	buf_add_hms(b, s > 0 ? (uint64_t)(s * (double)NS_PER_S) : 0);
}

static void add_head(struct buf *b, const struct status_view *v, struct text_style style)
{
	struct buf s = BUF_INIT, name = BUF_INIT;

	format_run_name(&name, v->info);
	buf_addf(&s, "Run %" PRId64 ": ", v->info->id);
	buf_add_clean(&s, buf_text(&name), NAME_CHARS);
	buf_add_styled(b, style.color, TERM_HEADING, buf_text(&s));
	buf_addch(b, '\n');
	buf_release(&name);
	buf_release(&s);
}

static void add_state(struct buf *s, const struct status_view *v, bool has_color)
{
	const char *host = facts_get(&v->info->facts, "host.name");

	buf_add_styled(s, has_color, states[v->state].style, states[v->state].words);
	if (v->state == STATUS_ELSEWHERE && host)
		buf_addf(s, ", on %s", host);
	if (v->state == STATUS_RUNNING && v->pid)
		buf_addf(s, ", process %ld", v->pid);
	if (v->state == STATUS_UNKNOWN && v->pid)
		buf_addf(s, ": process %ld measures its target and may not be asked", v->pid);
	if (v->state == STATUS_GONE || v->state == STATUS_INTERRUPTED)
		buf_addstr(s, "; the same command goes on with it");
}

static void add_target(struct buf *s, const struct run_info *r)
{
	if (r->target_given)
		buf_add_clean(s, r->target_given, 200);
	if (r->target_size_bytes) {
		buf_addstr(s, ", ");
		buf_add_size_human(s, r->target_size_bytes);
	}
}

static void add_counts(struct buf *s, const struct status_view *v)
{
	const char *sep = ": ";

	buf_addf(s, "%u of %zu done", v->nr_done, v->nr_points);
	for (enum point_status i = POINT_OK; i < POINT_STATUS_NR; i++) {
		if (!v->nr[i] || !point_status_is_final(i))
			continue;
		buf_addf(s, "%s%u %s", sep, v->nr[i], point_status_name(i));
		sep = ", ";
		if (i == POINT_OK && v->nr_spoiled)
			buf_addf(s, " (%u of them spoiled)", v->nr_spoiled);
	}
	buf_addf(s, "; %u left", v->nr_left);
	if (v->is_search)
		buf_addstr(s, " for now: a search finds out how many it needs");
}

static void add_basis(struct buf *s, const struct status_view *v)
{
	switch (v->basis) {
	case STATUS_BASIS_BUDGET:
		buf_addstr(s, " (when its budget ends)");
		break;
	case STATUS_BASIS_MEAN:
		buf_addf(s, " (from the mean of what was measured, %.3g s a point)", v->mean_s);
		break;
	case STATUS_BASIS_PLAN:
		buf_addstr(s, " at most (as planned: no point has ended yet)");
		break;
	case STATUS_BASIS_NONE:
	case STATUS_BASIS_NR:
		break;
	}
}

static void add_time(struct buf *s, const struct status_view *v)
{
	const struct run_info *r = v->info;
	bool goes_on = status_goes_on(v->state);
	int64_t end_ns = goes_on ? v->now_ns : r->end_wall_ns;

	buf_addstr(s, r->imported ? "imported " : "begun ");
	buf_add_utc(s, r->start_wall_ns);
	if (r->imported)
		return;
	if (end_ns > r->start_wall_ns) {
		buf_addstr(s, goes_on ? ", " : ", ended after ");
		buf_add_hms(s, (uint64_t)(end_ns - r->start_wall_ns));
		buf_addstr(s, goes_on ? " ago" : "");
	}
}

static void add_left(struct buf *s, const struct status_view *v)
{
	if (v->state == STATUS_FINISHED || v->left_ns == PROGRESS_TIME_UNKNOWN)
		return;
	if (!isnan(v->share)) {
		format_share(s, v->share);
		buf_addstr(s, " done, ");
	}
	buf_addstr(s, status_goes_on(v->state) ? "ETA " : "the rest would take ");
	buf_add_hms(s, v->left_ns);
	add_basis(s, v);
}

static void add_hand(struct buf *s, const struct status_view *v)
{
	if (!v->hand)
		return;
	buf_addf(s, "point %" PRIu32 ", ", v->hand->seq);
	buf_add_point(s, &v->hand->spec);
	buf_addstr(s, ", for ");
	add_seconds(s, v->hand_s);
	buf_addstr(s, ": ");
	if (!v->is_live)
		buf_addstr(s, "its figures come when it ends");
	else if (v->hand_silent_s >= 2)
		buf_addf(s, "no completion for %.0f s", v->hand_silent_s);
	else if (isnan(v->hand_iops))
		buf_addstr(s, v->in_window ? "measuring" : "ramp");
	else
		progress_rate(s, v->hand_iops, v->hand_lat_ns);
	if (v->is_live && !v->in_window && !isnan(v->hand_iops))
		buf_addstr(s, " (ramp)");
}

static void add_last(struct buf *b, const struct status_view *v, struct text_style style)
{
	static const struct table_col cols[] = {{"seq", false, 0},
						{"point", true, 2},
						{"IOPS", false, 0},
						{"mean ms", false, 1},
						{"status", true, 0}};
	struct buf s = BUF_INIT;
	struct table t;

	if (!v->nr_last)
		return;
	buf_addstr(b, "\n");
	buf_add_styled(b, style.color, TERM_HEADING, "Measured last");
	buf_addch(b, '\n');
	table_init(&t, cols, sizeof(cols) / sizeof(*cols));
	for (size_t i = 0; i < v->nr_shown; i++) {
		const struct point *p = v->last[i];

		buf_addf(&s, "%" PRIu32, p->seq);
		table_take(&t, &s);
		buf_add_point(&s, &p->spec);
		table_take(&t, &s);
		format_iops(&s, p->dir[DIR_TOTAL].iops);
		table_take(&t, &s);
		format_fixed(&s, p->dir[DIR_TOTAL].lat_mean_ns / (double)NS_PER_MS, 3);
		table_take(&t, &s);
		text_status(&s, p, v->info->accepted, style.color);
		table_take(&t, &s);
	}
	table_print(&t, b, 2, style.width);
	table_release(&t);
	buf_release(&s);
}

static void add_warnings(struct buf *b, const struct status_view *v, struct text_style style)
{
	struct buf s = BUF_INIT;
	bool any = false;

	for (enum flag f = 0; f < FLAG_NR; f++) {
		unsigned nr = 0;

		for (size_t i = 0; i < v->nr_points; i++)
			nr += (v->points[i].flags & FLAG_BIT(f)) != 0;
		if (!nr)
			continue;
		if (!any) {
			buf_addch(b, '\n');
			buf_add_styled(b, style.color, TERM_WARN, "Warnings");
			buf_addch(b, '\n');
		}
		any = true;
		buf_addf(&s, "%s (%u point%s): %s.", flag_name(f), nr, nr == 1 ? "" : "s",
			 flag_meaning(f));
		format_wrapped(b, buf_text(&s), 2, style.width);
		buf_reset(&s);
	}
	buf_release(&s);
}

void status_text(struct buf *b, const struct status_view *v, struct text_style style)
{
	struct buf s = BUF_INIT;
	struct lines l = {.out = b};

	if (!style.width)
		style.width = WIDTH_DEFAULT;
	l.width = style.width;
	add_head(b, v, style);
	add_state(&s, v, style.color);
	lines_take(&l, "state", &s);
	add_target(&s, v->info);
	lines_take(&l, "target", &s);
	add_time(&s, v);
	lines_take(&l, "time", &s);
	add_counts(&s, v);
	lines_take(&l, "points", &s);
	add_left(&s, v);
	lines_take(&l, "progress", &s);
	add_hand(&s, v);
	lines_take(&l, "now", &s);
	if (v->state == STATUS_FINISHED)
		buf_addf(&s, "lunsweep report %" PRId64, v->info->id);
	lines_take(&l, "answers", &s);
	add_last(b, v, style);
	add_warnings(b, v, style);
}

void status_point_line(struct buf *b, const struct status_view *v, const struct point *p,
		       unsigned nr_done)
{
	buf_addf(b, "[%u/%zu] ", nr_done, v->nr_points);
	buf_add_point(b, &p->spec);
	buf_addstr(b, ": ");
	if (p->status == POINT_OK) {
		progress_rate(b, p->dir[DIR_TOTAL].iops, p->dir[DIR_TOTAL].lat_mean_ns);
		buf_addstr(b, p->flags ? "  (" : "");
		format_flags(b, p->flags, ", ");
		buf_addstr(b, p->flags ? ")" : "");
	} else {
		format_status(b, p, v->info->accepted);
	}
	buf_addch(b, '\n');
}

void status_state_line(struct buf *b, const struct status_view *v)
{
	buf_addf(b, "run %" PRId64 ": ", v->info->id);
	add_state(b, v, false);
	buf_addstr(b, ". Points: ");
	add_counts(b, v);
	buf_addstr(b, ".\n");
}
