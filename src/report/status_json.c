/* SPDX-License-Identifier: MIT */
#include "report/status.h"

#include "base/clock.h"
#include "base/num.h"
#include "report/json_write.h"

#include <inttypes.h>

static double elapsed_s(const struct status_view *v)
{
	const struct run_info *r = v->info;
	int64_t end_ns = status_goes_on(v->state) ? v->now_ns : r->end_wall_ns;

	if (!r->start_wall_ns || end_ns < r->start_wall_ns || r->imported)
		return UNKNOWN;
	return (double)(end_ns - r->start_wall_ns) / (double)NS_PER_S;
}

static void add_counts(struct buf *b, const struct status_view *v)
{
	static const char *const keys[POINT_STATUS_NR] = {
		"planned", "running", "ok", "failed", "no_io", "skipped", "interrupted"};

	json_key(b, "points");
	buf_addch(b, '{');
	json_uint(b, "total", v->nr_points);
	json_uint(b, "done", v->nr_done);
	json_uint(b, "left", v->nr_left);
	for (enum point_status s = 0; s < POINT_STATUS_NR; s++)
		json_uint(b, keys[s], v->nr[s]);
	json_uint(b, "spoiled", v->nr_spoiled);
	buf_addch(b, '}');
	json_num(b, "done_pct", 100 * v->share);
}

static void add_name(struct buf *b, const struct point *p)
{
	struct buf name = BUF_INIT;

	json_uint(b, "seq", p->seq);
	buf_add_point(&name, &p->spec);
	json_text(b, "name", buf_text(&name));
	buf_release(&name);
}

static void add_current(struct buf *b, const struct status_view *v)
{
	if (!v->hand) {
		json_text(b, "current", NULL);
		return;
	}
	json_key(b, "current");
	buf_addch(b, '{');
	add_name(b, v->hand);
	json_num(b, "elapsed_s", v->hand_s);
	if (v->is_live)
		json_bool(b, "in_window", v->in_window);
	else
		json_text(b, "in_window", NULL);
	json_num(b, "iops", v->hand_iops);
	json_num(b, "lat_mean_ms", v->hand_lat_ns / (double)NS_PER_MS);
	json_num(b, "silent_s", v->hand_silent_s);
	buf_addch(b, '}');
}

static void add_last(struct buf *b, const struct status_view *v)
{
	json_key(b, "last");
	buf_addch(b, '[');
	for (size_t i = 0; i < v->nr_shown; i++) {
		const struct point *p = v->last[i];

		json_next(b);
		buf_addch(b, '{');
		add_name(b, p);
		json_text(b, "status", point_status_name(p->status));
		json_num(b, "iops", p->dir[DIR_TOTAL].iops);
		json_num(b, "lat_mean_ms", p->dir[DIR_TOTAL].lat_mean_ns / (double)NS_PER_MS);
		json_flags(b, p->flags);
		buf_addch(b, '}');
	}
	buf_addch(b, ']');
}

static void add_flags(struct buf *b, const struct status_view *v)
{
	static const char *const effects[] = {
		[EFFECT_FAILED] = "failed",
		[EFFECT_SPOILED] = "spoiled",
		[EFFECT_LOWER_BOUND] = "lower-bound",
		[EFFECT_NOTED] = "noted",
	};

	json_key(b, "flags");
	buf_addch(b, '[');
	for (enum flag f = 0; f < FLAG_NR; f++) {
		unsigned nr = 0;

		for (size_t i = 0; i < v->nr_points; i++)
			nr += (v->points[i].flags & FLAG_BIT(f)) != 0;
		if (!nr)
			continue;
		json_next(b);
		buf_addch(b, '{');
		json_text(b, "flag", flag_name(f));
		json_uint(b, "points", nr);
		json_text(b, "effect", effects[flag_effect(f)]);
		buf_addch(b, '}');
	}
	buf_addch(b, ']');
}

static const char *basis_name(enum status_basis basis)
{
	static const char *const names[STATUS_BASIS_NR] = {NULL, "budget", "mean", "plan"};

	return names[basis];
}

void status_json(struct buf *b, const struct status_view *v)
{
	const struct run_info *r = v->info;

	json_begin(b, "status", 1);
	json_uint(b, "run", (uint64_t)r->id);
	json_text(b, "sweep", r->sweep_name);
	json_text(b, "target", r->target_label ? r->target_label : r->target_given);
	json_text(b, "state", status_state_name(v->state));
	json_text(b, "stored_state", run_state_name(r->state));
	json_num(b, "pid", v->pid ? (double)v->pid : UNKNOWN);
	json_utc(b, "started_utc", r->start_wall_ns);
	json_utc(b, "ended_utc", status_goes_on(v->state) ? 0 : r->end_wall_ns);
	json_num(b, "elapsed_s", elapsed_s(v));
	add_counts(b, v);
	json_num(b, "left_s",
		 v->left_ns == PROGRESS_TIME_UNKNOWN ? UNKNOWN
						     : (double)v->left_ns / (double)NS_PER_S);
	json_text(b, "left_basis", basis_name(v->basis));
	json_num(b, "point_mean_s", v->mean_s);
	add_current(b, v);
	add_last(b, v);
	add_flags(b, v);
	preparation_status_json(b, v->preparation);
	buf_addstr(b, "}\n");
}
