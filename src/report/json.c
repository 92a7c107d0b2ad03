/* SPDX-License-Identifier: MIT */
#include "report/json.h"

#include "base/num.h"
#include "report/evidence.h"
#include "report/fields.h"
#include "report/json_write.h"
#include "report/sentence.h"
#include "stats/ci.h"

#include <inttypes.h>
#include <stdlib.h>

static void add_knee_figures(struct buf *b, const struct knee *k)
{
	json_count(b, "iodepth", k->sat_depth);
	json_num(b, "iops", k->sat_iops);
	json_bound(b, "iops_bound", true, k->is_sat_least ? '>' : '=');
	json_num(b, "lat_mean_ms", k->sat_lat_ns / 1e6);
	json_text(b, "bound", knee_bound_text(k));
	json_num(b, "nstar", k->nstar);
	json_num(b, "nstar_low", knee_has_interval(k) ? k->nstar_low : UNKNOWN);
	json_num(b, "nstar_high", knee_has_interval(k) ? k->nstar_high : UNKNOWN);
	json_num(b, "peak_iops", k->peak_iops);
	json_bound(b, "peak_bound", true, k->is_peak_least ? '>' : '=');
	json_count(b, "peak_iodepth", k->peak_depth);
	json_num(b, "eff_pct", k->eff * 100);
	json_num(b, "n80_iodepth", k->n80);
	json_num(b, "gain_pct", k->last_gain * 100);
	json_num(b, "drop_pct", k->drop * 100);
	json_count(b, "second_plateau_iodepth", k->second_plateau_depth);
	json_count(b, "queue_limit", k->queue_limit);
	json_num(b, "nstar_xmax_r1", k->nstar_xmax_r1);
	json_count(b, "line_iodepth", k->lo_depth);
	json_num(b, "line_iops", k->lo_iops);
	json_num(b, "line_iops_per_io", k->lo_iops / k->lo_depth);
	json_count(b, "power_iodepth", k->power_depth);
	json_num(b, "power_iops", k->power_iops);
	json_count(b, "octave_iodepth", k->octave_depth);
	json_num(b, "octave_iops", k->octave_iops);
	json_count(b, "first_iodepth", k->first_depth);
	json_num(b, "first_iops", k->first_iops);
	json_count(b, "last_iodepth", k->last_depth);
	json_num(b, "last_iops", k->last_iops);
	json_bound(b, "last_bound", true, k->is_last_least ? '>' : '=');
	json_bool(b, "errors_known", k->has_errors);
	json_flags(b, k->held_flags);
	json_key(b, "dip_iodepths");
	buf_addch(b, '[');
	for (size_t i = 0; i < k->nr_dips; i++)
		buf_addf(b, "%s%u", i ? "," : "", k->dip_depth[i]);
	buf_addch(b, ']');
}

static void add_knee(struct buf *b, const struct report_curve *rc)
{
	const struct knee *k = &rc->knee;
	struct buf s = BUF_INIT;

	sentence_knee(&s, rc->curve, k);
	json_key(b, "knee");
	buf_addch(b, '{');
	json_text(b, "class", k->is_client_limited ? "client-limited" : knee_class_name(k->cls));
	json_text(b, "sentence", buf_text(&s));
	json_bool(b, "drift", k->has_drift);
	if (knee_is_known(k))
		add_knee_figures(b, k);
	buf_addch(b, '}');
	buf_release(&s);
}

/* A depth or load with its figures: null where there is none. */
static void add_search_point(struct buf *b, const char *name, const struct search_answer *a,
			     const struct search_point *p)
{
	json_key(b, name);
	if (!p->at) {
		buf_addstr(b, "null");
		return;
	}
	buf_addch(b, '{');
	json_uint(b, a->settings.is_load ? "rate_iops" : "iodepth", p->at);
	json_num(b, "iops", p->iops);
	json_num(b, "iops_ci_pct", p->iops_se > 0 ? 100 * Z_95 * p->iops_se : UNKNOWN);
	json_num(b, "lat_ms", p->lat_ns / 1e6);
	json_num(b, "lat_ci_pct", p->lat_se > 0 ? 100 * Z_95 * p->lat_se : UNKNOWN);
	json_bool(b, "missed", p->is_missed);
	json_flags(b, p->flags);
	json_uint(b, "run", (uint64_t)p->run_id);
	buf_addch(b, '}');
}

static void add_search_cost(struct buf *b, const struct search_answer *a)
{
	json_uint(b, "points", a->nr_points);
	json_num(b, "time_s", (double)a->time_ns / 1e9);
	json_uint(b, "points_of_caps_before", a->nr_shared);
	json_uint(b, "points_of_other_runs", a->nr_seed);
	json_key(b, "other_runs");
	buf_addch(b, '[');
	for (unsigned i = 0; i < a->nr_seed_runs; i++)
		buf_addf(b, "%s%" PRId64, i ? "," : "", a->seed_run[i]);
	buf_addch(b, ']');
}

/* The members of an answer that a search found. */
static void add_search_members(struct buf *b, const struct search_answer *a)
{
	struct buf s = BUF_INIT;

	sentence_search(&s, a);
	json_text(b, "stat", lat_stat_name(a->cap.stat));
	json_num(b, "limit_ms", (double)a->cap.limit_ns / 1e6);
	json_text(b, "status", search_status_name(search_status(a)));
	json_text(b, "stop", search_stop_name(a->stop));
	json_text(b, "sentence", buf_text(&s));
	json_bound(b, "bound", a->best.at, search_is_least(a) ? '>' : '=');
	add_search_point(b, "answer", a, &a->best);
	add_search_point(b, "last_good", a, &a->good);
	add_search_point(b, "first_bad", a, &a->bad);
	add_search_point(b, "lowest_latency", a, &a->lowest);
	json_bool(b, "client_limited", a->is_client_limited);
	json_count(b, "queue_limit", a->queue_limit);
	json_text(b, "failed_reason", a->stop == SEARCH_FAILED ? a->failed_reason : NULL);
	add_search_cost(b, a);
	buf_release(&s);
}

static void add_search(struct buf *b, const struct search_answer *a)
{
	if (!a)
		return;
	json_key(b, "search");
	buf_addch(b, '{');
	add_search_members(b, a);
	buf_addch(b, '}');
}

static void add_cap(struct buf *b, const struct cap_answer *a, const struct search_answer *search)
{
	bool is_met = cap_is_met(a);
	bool has_data = a->status != CAP_NO_DATA;
	struct buf s = BUF_INIT;

	sentence_cap(&s, a);
	json_next(b);
	buf_addch(b, '{');
	json_text(b, "stat", lat_stat_name(a->cap.stat));
	json_num(b, "limit_ms", (double)a->cap.limit_ns / 1e6);
	json_text(b, "status", cap_status_name(a->status));
	json_text(b, "sentence", buf_text(&s));
	json_count(b, "iodepth", is_met ? a->depth : 0);
	json_num(b, "iops", is_met ? a->iops : UNKNOWN);
	json_bound(b, "bound", is_met, cap_is_least(a) ? '>' : '=');
	json_num(b, "lat_ms", is_met ? a->lat_ns / 1e6 : UNKNOWN);
	json_num(b, "interp_iodepth", is_met ? a->depth_interp : UNKNOWN);
	json_num(b, "interp_iops", is_met ? a->iops_interp : UNKNOWN);
	json_num(b, "lat_min_ms", has_data ? a->lat_min_ns / 1e6 : UNKNOWN);
	json_count(b, "lat_min_iodepth", has_data ? a->lat_min_depth : 0);
	json_text(b, "verdict", cap_verdict_name(a->verdict));
	json_num(b, "lat_lo_ms", a->lat_lo_ns / 1e6);
	json_num(b, "lat_hi_ms", a->lat_hi_ns / 1e6);
	add_search(b, search);
	buf_addch(b, '}');
	buf_release(&s);
}

static void add_dir(struct buf *b, const struct point *p, enum dir dir)
{
	json_key(b, dir_name(dir));
	buf_addch(b, '{');
	json_fields(b, field_figures, &p->dir[dir]);
	buf_addch(b, '}');
}

static void add_point_members(struct buf *b, const struct report_run *run, const struct point *p)
{
	json_uint(b, "iodepth", p->spec.iodepth);
	json_num(b, "rate_pct", p->spec.rate_e4 ? p->spec.rate_e4 / 1e4 : UNKNOWN);
	json_uint(b, "repeat", p->spec.repeat);
	json_uint(b, "seq", p->seq);
	json_text(b, "status", point_status_name(p->status));
	json_bool(b, "valid", point_is_valid(p, run->accepted));
	json_text(b, "reason", p->reason);
	json_flags(b, p->flags);
	json_fields(b, field_points, p);
	add_dir(b, p, DIR_TOTAL);
	if (point_reads(&p->spec))
		add_dir(b, p, DIR_READ);
	if (point_writes(&p->spec))
		add_dir(b, p, DIR_WRITE);
}

static void add_point(struct buf *b, const struct report_run *run, const struct point *p)
{
	json_next(b);
	buf_addch(b, '{');
	/* A search began with points of other runs. */
	if (run->is_search)
		json_uint(b, "run", (uint64_t)p->run_id);
	add_point_members(b, run, p);
	buf_addch(b, '}');
}

static void add_anchors(struct buf *b, const struct report_run *run, const struct curve *c)
{
	json_key(b, "anchors");
	buf_addch(b, '[');
	for (size_t i = 0; i < c->nr_anchors; i++) {
		json_next(b);
		buf_addch(b, '{');
		json_num(b, "iops_first", c->anchor[i].iops_first);
		json_bool(b, "differs", c->anchor[i].differs);
		add_point_members(b, run, c->anchor[i].again);
		buf_addch(b, '}');
	}
	buf_addch(b, ']');
}

/* A latency in ms, named lat_mean_ms to lat_p999_ms as those of a point. */
static void add_lat(struct buf *b, enum lat_stat stat, double lat_ns)
{
	struct buf name = BUF_INIT;

	buf_addstr(&name, "lat_");
	for (const char *c = lat_stat_name(stat); *c; c++)
		if (*c != '.')
			buf_addch(&name, *c);
	buf_addstr(&name, "_ms");
	json_num(b, buf_text(&name), lat_ns / 1e6);
	buf_release(&name);
}

/* What the repeats of each depth give together. */
static void add_repeats(struct buf *b, const struct curve *c)
{
	json_key(b, "repeats");
	buf_addch(b, '[');
	for (size_t i = 0; i < c->nr; i++) {
		const struct curve_point *pt = &c->pt[i];

		if (pt->nr_repeats < 2)
			continue;
		json_next(b);
		buf_addch(b, '{');
		json_uint(b, "iodepth", pt->iodepth);
		json_uint(b, "nr", pt->nr_repeats);
		json_num(b, "iops", pt->iops);
		json_num(b, "iops_ci_pct", pt->half_rel > 0 ? 100 * pt->half_rel : UNKNOWN);
		json_num(b, "iops_min", pt->iops_min);
		json_num(b, "iops_max", pt->iops_max);
		for (enum lat_stat s = 0; s < LAT_STAT_NR; s++)
			add_lat(b, s, pt->lat_ns[s]);
		json_flags(b, pt->flags);
		buf_addch(b, '}');
	}
	buf_addch(b, ']');
}

static void add_why(struct buf *b, const struct report_run *run, const struct report_curve *rc)
{
	struct evidence e;

	evidence_find(&e, rc, run->nr_caps);
	json_key(b, "why");
	buf_addch(b, '[');
	for (size_t i = 0; i < e.nr; i++) {
		json_next(b);
		buf_addch(b, '{');
		json_text(b, "name", e.piece[i].name);
		json_text(b, "text", buf_text(&e.piece[i].text));
		buf_addch(b, '}');
	}
	buf_addch(b, ']');
	evidence_release(&e);
}

static void add_missing(struct buf *b, const struct curve *c)
{
	uint32_t last = 0;

	json_key(b, "missing_iodepths");
	buf_addch(b, '[');
	for (size_t i = 0; i < c->nr_rows; i++) {
		uint32_t depth = c->row[i]->spec.iodepth;

		if (point_status_is_final(c->row[i]->status) || depth == last)
			continue;
		buf_addf(b, "%s%u", last ? "," : "", depth);
		last = depth;
	}
	buf_addch(b, ']');
}

static void add_curve(struct buf *b, const struct report_run *run, const struct report_curve *rc)
{
	json_next(b);
	buf_addch(b, '{');
	json_axes(b, &rc->curve->spec);
	add_knee(b, rc);
	json_key(b, "caps");
	buf_addch(b, '[');
	for (unsigned i = 0; i < run->nr_caps; i++)
		add_cap(b, &rc->cap[i], rc->search[i]);
	buf_addch(b, ']');
	add_missing(b, rc->curve);
	json_key(b, "points");
	buf_addch(b, '[');
	for (size_t i = 0; i < rc->curve->nr_rows; i++)
		add_point(b, run, rc->curve->row[i]);
	buf_addch(b, ']');
	add_why(b, run, rc);
	add_repeats(b, rc->curve);
	add_anchors(b, run, rc->curve);
	buf_addch(b, '}');
}

static void add_load_cap(struct buf *b, const struct response_cap *a,
			 const struct search_answer *search)
{
	struct buf s = BUF_INIT;

	sentence_load_cap(&s, a);
	json_next(b);
	buf_addch(b, '{');
	json_text(b, "stat", lat_stat_name(a->cap.stat));
	json_num(b, "limit_ms", (double)a->cap.limit_ns / 1e6);
	json_text(b, "status", cap_status_name(a->status));
	json_text(b, "sentence", buf_text(&s));
	json_num(b, "rate_iops", a->best ? a->best->rate_iops : UNKNOWN);
	json_num(b, "iops", a->best ? a->best->iops : UNKNOWN);
	json_bound(b, "bound", a->best != NULL, a->status == CAP_NOT_REACHED ? '>' : '=');
	json_num(b, "lat_ms", a->best ? a->best->lat_ns[a->cap.stat] / 1e6 : UNKNOWN);
	add_search(b, search);
	buf_addch(b, '}');
	buf_release(&s);
}

static void add_response(struct buf *b, const struct report_run *run,
			 const struct report_response *rr)
{
	const struct response *r = rr->response;
	struct buf s = BUF_INIT;

	json_next(b);
	buf_addch(b, '{');
	json_axes(b, &r->spec);
	json_uint(b, "iodepth", r->spec.iodepth);
	sentence_load(&s, r);
	json_text(b, "sentence", buf_text(&s));
	json_num(b, "sustained_rate_iops", r->sustained ? r->sustained->rate_iops : UNKNOWN);
	json_num(b, "missed_rate_iops", r->missed ? r->missed->rate_iops : UNKNOWN);
	json_key(b, "caps");
	buf_addch(b, '[');
	for (unsigned i = 0; i < run->nr_caps; i++)
		add_load_cap(b, &rr->cap[i], rr->search[i]);
	buf_addch(b, ']');
	json_key(b, "points");
	buf_addch(b, '[');
	for (size_t i = 0; i < r->nr_rows; i++)
		add_point(b, run, r->row[i]);
	buf_addstr(b, "]}");
	buf_release(&s);
}

static void add_setup(struct buf *b, const struct run_info *info)
{
	json_key(b, "setup");
	buf_addch(b, '{');
	json_text(b, "tool_version", info->tool_version);
	json_text(b, "engine", info->engine);
	json_text(b, "command", info->command);
	json_key(b, "facts");
	buf_addch(b, '{');
	for (size_t i = 0; i < info->facts.nr; i++)
		json_text(b, info->facts.v[i].name, info->facts.v[i].value);
	buf_addstr(b, "}}");
}

static void add_run(struct buf *b, const struct report_run *run)
{
	const struct run_info *info = run->info;

	json_next(b);
	buf_addch(b, '{');
	json_uint(b, "run", (uint64_t)info->id);
	json_text(b, "sweep", info->sweep_name);
	json_text(b, "question", info->question);
	json_text(b, "target", info->target_given);
	json_text(b, "target_label", info->target_label);
	json_text(b, "target_identity", info->target_identity);
	json_uint(b, "target_size_bytes", info->target_size_bytes);
	json_text(b, "state", run_state_name(info->state));
	json_bool(b, "imported", info->imported);
	json_utc(b, "started_utc", info->start_wall_ns);
	json_utc(b, "ended_utc", info->end_wall_ns);
	json_uint(b, "nr_points", run->nr_points);
	json_text(b, "budget", facts_get(&info->facts, FACT_BUDGET));
	json_uint(b, "nr_left_out", report_left_out(run));
	add_setup(b, info);
	json_key(b, "curves");
	buf_addch(b, '[');
	for (size_t i = 0; i < run->nr_curves; i++)
		add_curve(b, run, &run->curves[i]);
	buf_addch(b, ']');
	json_key(b, "responses");
	buf_addch(b, '[');
	for (size_t i = 0; i < run->nr_responses; i++)
		add_response(b, run, &run->responses[i]);
	buf_addstr(b, "]}");
}

static void add_differences(struct buf *b, const struct report *r)
{
	struct report_difference *d;
	size_t nr;

	report_differences(r, &d, &nr);
	json_key(b, "differences");
	buf_addch(b, '[');
	for (size_t i = 0; i < nr; i++) {
		json_next(b);
		buf_addch(b, '{');
		json_uint(b, "run", (uint64_t)d[i].run_id);
		json_text(b, "name", d[i].name);
		json_text(b, "from", d[i].from);
		json_text(b, "to", d[i].to);
		buf_addch(b, '}');
	}
	buf_addch(b, ']');
	free(d);
}

/* A document with a member for each run. */
static void begin_runs(struct buf *b, const char *format, const struct report *r,
		       void (*add)(struct buf *b, const struct report_run *run))
{
	json_begin(b, format, 1);
	json_key(b, "runs");
	buf_addch(b, '[');
	for (size_t i = 0; i < r->nr_runs; i++)
		add(b, &r->runs[i]);
	buf_addch(b, ']');
}

void json_report(struct buf *b, const struct report *r)
{
	begin_runs(b, "report", r, add_run);
	add_differences(b, r);
	buf_addstr(b, "}\n");
}

static void add_answers(struct buf *b, const struct report_run *run, const struct point_spec *spec,
			const struct search_answer *const *search)
{
	for (unsigned i = 0; i < run->nr_caps; i++) {
		if (!search[i])
			continue;
		json_next(b);
		buf_addch(b, '{');
		json_axes(b, spec);
		add_search_members(b, search[i]);
		buf_addch(b, '}');
	}
}

static void add_search_run(struct buf *b, const struct report_run *run)
{
	json_next(b);
	buf_addch(b, '{');
	json_uint(b, "run", (uint64_t)run->info->id);
	json_text(b, "target", run->info->target_given);
	json_text(b, "target_identity", run->info->target_identity);
	json_text(b, "state", run_state_name(run->info->state));
	json_uint(b, "nr_points", run->nr_points);
	json_key(b, "answers");
	buf_addch(b, '[');
	for (size_t i = 0; i < run->nr_curves; i++)
		add_answers(b, run, &run->curves[i].curve->spec, run->curves[i].search);
	for (size_t i = 0; i < run->nr_responses; i++)
		add_answers(b, run, &run->responses[i].response->spec, run->responses[i].search);
	buf_addstr(b, "]}");
}

void json_searches(struct buf *b, const struct report *r)
{
	begin_runs(b, "find", r, add_search_run);
	buf_addstr(b, "}\n");
}
