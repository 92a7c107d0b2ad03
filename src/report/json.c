/* SPDX-License-Identifier: MIT */
#include "report/json.h"

#include "base/clock.h"
#include "base/num.h"
#include "report/fields.h"
#include "report/sentence.h"

#include <inttypes.h>
#include <stdlib.h>

/* The comma belongs to the member that follows another: in front of all but the first. */
static void key(struct buf *b, const char *name)
{
	char before = b->len ? b->text[b->len - 1] : '{';

	if (before != '{' && before != '[')
		buf_addch(b, ',');
	buf_json_str(b, name);
	buf_addch(b, ':');
}

static void next(struct buf *b)
{
	if (b->text[b->len - 1] != '[')
		buf_addstr(b, ",\n");
}

static void add_text(struct buf *b, const char *name, const char *value)
{
	key(b, name);
	buf_json_str(b, value);
}

static void add_num(struct buf *b, const char *name, double v)
{
	key(b, name);
	buf_json_num(b, v);
}

static void add_uint(struct buf *b, const char *name, uint64_t v)
{
	key(b, name);
	buf_addf(b, "%" PRIu64, v);
}

/* A depth or limit, of which 0 means that there is none. */
static void add_count(struct buf *b, const char *name, uint32_t v)
{
	if (v)
		add_uint(b, name, v);
	else
		add_text(b, name, NULL);
}

static void add_bool(struct buf *b, const char *name, bool v)
{
	key(b, name);
	buf_addstr(b, v ? "true" : "false");
}

static void add_utc(struct buf *b, const char *name, int64_t wall_ns)
{
	struct buf s = BUF_INIT;

	if (wall_ns)
		buf_add_utc(&s, wall_ns);
	add_text(b, name, wall_ns ? buf_text(&s) : NULL);
	buf_release(&s);
}

static void add_fields(struct buf *b, const struct field *f, const void *base)
{
	for (; f->name; f++)
		add_num(b, f->name, field_value(f, base));
}

static void add_axes(struct buf *b, const struct point_spec *s)
{
	struct buf name = BUF_INIT;

	buf_add_curve_name(&name, s);
	add_text(b, "curve", buf_text(&name));
	add_text(b, "rw", rw_name(s->rw));
	add_uint(b, "bs_bytes", s->bs_bytes);
	add_uint(b, "span_bytes", s->span_bytes);
	add_uint(b, "offset_bytes", s->offset_bytes);
	add_uint(b, "rwmixread_pct", s->rwmixread_pct);
	add_uint(b, "random_pct", s->random_pct);
	add_uint(b, "workers", s->workers);
	buf_release(&name);
}

static void add_knee_figures(struct buf *b, const struct knee *k)
{
	add_count(b, "iodepth", k->sat_depth);
	add_num(b, "iops", k->sat_iops);
	add_num(b, "lat_mean_ms", k->sat_lat_ns / 1e6);
	add_text(b, "bound", k->bound == '>' ? ">=" : k->bound == '<' ? "<=" : "=");
	add_num(b, "nstar", k->nstar);
	add_num(b, "nstar_low", k->nstar_low < k->nstar_high ? k->nstar_low : UNKNOWN);
	add_num(b, "nstar_high", k->nstar_low < k->nstar_high ? k->nstar_high : UNKNOWN);
	add_num(b, "peak_iops", k->peak_iops);
	add_count(b, "peak_iodepth", k->peak_depth);
	add_num(b, "eff_pct", k->eff * 100);
	add_num(b, "n80_iodepth", k->n80);
	add_num(b, "gain_pct", k->last_gain * 100);
	add_num(b, "drop_pct", k->drop * 100);
	add_count(b, "second_plateau_iodepth", k->second_plateau_depth);
	add_count(b, "queue_limit", k->queue_limit);
	key(b, "dip_iodepths");
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
	key(b, "knee");
	buf_addch(b, '{');
	add_text(b, "class", k->is_client_limited ? "client-limited" : knee_class_name(k->cls));
	add_text(b, "sentence", buf_text(&s));
	add_bool(b, "drift", k->has_drift);
	if (knee_is_known(k))
		add_knee_figures(b, k);
	buf_addch(b, '}');
	buf_release(&s);
}

static void add_cap(struct buf *b, const struct cap_answer *a)
{
	bool is_met = a->status == CAP_OK || a->status == CAP_NOT_REACHED;
	bool has_data = a->status != CAP_NO_DATA;
	struct buf s = BUF_INIT;

	sentence_cap(&s, a);
	next(b);
	buf_addch(b, '{');
	add_text(b, "stat", lat_stat_name(a->cap.stat));
	add_num(b, "limit_ms", (double)a->cap.limit_ns / 1e6);
	add_text(b, "status", cap_status_name(a->status));
	add_text(b, "sentence", buf_text(&s));
	add_count(b, "iodepth", is_met ? a->depth : 0);
	add_num(b, "iops", is_met ? a->iops : UNKNOWN);
	add_num(b, "lat_ms", is_met ? a->lat_ns / 1e6 : UNKNOWN);
	add_num(b, "interp_iodepth", is_met ? a->depth_interp : UNKNOWN);
	add_num(b, "interp_iops", is_met ? a->iops_interp : UNKNOWN);
	add_num(b, "lat_min_ms", has_data ? a->lat_min_ns / 1e6 : UNKNOWN);
	add_count(b, "lat_min_iodepth", has_data ? a->lat_min_depth : 0);
	add_text(b, "verdict", cap_verdict_name(a->verdict));
	add_num(b, "lat_lo_ms", a->lat_lo_ns / 1e6);
	add_num(b, "lat_hi_ms", a->lat_hi_ns / 1e6);
	buf_addch(b, '}');
	buf_release(&s);
}

static void add_flags(struct buf *b, flag_set flags)
{
	key(b, "flags");
	buf_addch(b, '[');
	for (enum flag f = 0; f < FLAG_NR; f++) {
		if (!(flags & FLAG_BIT(f)))
			continue;
		if (b->text[b->len - 1] != '[')
			buf_addch(b, ',');
		buf_json_str(b, flag_name(f));
	}
	buf_addch(b, ']');
}

static void add_dir(struct buf *b, const struct point *p, enum dir dir)
{
	key(b, dir_name(dir));
	buf_addch(b, '{');
	add_fields(b, field_figures, &p->dir[dir]);
	buf_addch(b, '}');
}

static void add_point_members(struct buf *b, const struct point *p)
{
	add_uint(b, "iodepth", p->spec.iodepth);
	if (p->spec.rate_e4)
		add_num(b, "rate_pct", p->spec.rate_e4 / 1e4);
	add_uint(b, "repeat", p->spec.repeat);
	add_uint(b, "seq", p->seq);
	add_text(b, "status", point_status_name(p->status));
	add_text(b, "reason", p->reason);
	add_flags(b, p->flags);
	add_fields(b, field_points, p);
	add_dir(b, p, DIR_TOTAL);
	if (point_reads(&p->spec))
		add_dir(b, p, DIR_READ);
	if (point_writes(&p->spec))
		add_dir(b, p, DIR_WRITE);
}

static void add_point(struct buf *b, const struct point *p)
{
	next(b);
	buf_addch(b, '{');
	add_point_members(b, p);
	buf_addch(b, '}');
}

static void add_anchors(struct buf *b, const struct curve *c)
{
	key(b, "anchors");
	buf_addch(b, '[');
	for (size_t i = 0; i < c->nr_anchors; i++) {
		next(b);
		buf_addch(b, '{');
		add_num(b, "iops_first", c->anchor[i].iops_first);
		add_bool(b, "differs", c->anchor[i].differs);
		add_point_members(b, c->anchor[i].again);
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
	add_num(b, buf_text(&name), lat_ns / 1e6);
	buf_release(&name);
}

/* What the repeats of each depth give together. */
static void add_repeats(struct buf *b, const struct curve *c)
{
	key(b, "repeats");
	buf_addch(b, '[');
	for (size_t i = 0; i < c->nr; i++) {
		const struct curve_point *pt = &c->pt[i];

		if (pt->nr_repeats < 2)
			continue;
		next(b);
		buf_addch(b, '{');
		add_uint(b, "iodepth", pt->iodepth);
		add_uint(b, "nr", pt->nr_repeats);
		add_num(b, "iops", pt->iops);
		add_num(b, "iops_se_pct", 100 * pt->se_rel);
		add_num(b, "iops_min", pt->iops_min);
		add_num(b, "iops_max", pt->iops_max);
		for (enum lat_stat s = 0; s < LAT_STAT_NR; s++)
			add_lat(b, s, pt->lat_ns[s]);
		add_flags(b, pt->flags);
		buf_addch(b, '}');
	}
	buf_addch(b, ']');
}

static void add_missing(struct buf *b, const struct curve *c)
{
	uint32_t last = 0;

	key(b, "missing_iodepths");
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
	next(b);
	buf_addch(b, '{');
	add_axes(b, &rc->curve->spec);
	add_knee(b, rc);
	key(b, "caps");
	buf_addch(b, '[');
	for (unsigned i = 0; i < run->nr_caps; i++)
		add_cap(b, &rc->cap[i]);
	buf_addch(b, ']');
	add_missing(b, rc->curve);
	key(b, "points");
	buf_addch(b, '[');
	for (size_t i = 0; i < rc->curve->nr_rows; i++)
		add_point(b, rc->curve->row[i]);
	buf_addch(b, ']');
	add_repeats(b, rc->curve);
	add_anchors(b, rc->curve);
	buf_addch(b, '}');
}

static void add_load_cap(struct buf *b, const struct response_cap *a)
{
	struct buf s = BUF_INIT;

	sentence_load_cap(&s, a);
	next(b);
	buf_addch(b, '{');
	add_text(b, "stat", lat_stat_name(a->cap.stat));
	add_num(b, "limit_ms", (double)a->cap.limit_ns / 1e6);
	add_text(b, "status", cap_status_name(a->status));
	add_text(b, "sentence", buf_text(&s));
	add_num(b, "rate_iops", a->best ? a->best->rate_iops : UNKNOWN);
	add_num(b, "iops", a->best ? a->best->iops : UNKNOWN);
	add_num(b, "lat_ms", a->best ? a->best->lat_ns[a->cap.stat] / 1e6 : UNKNOWN);
	buf_addch(b, '}');
	buf_release(&s);
}

static void add_response(struct buf *b, const struct report_run *run,
			 const struct report_response *rr)
{
	const struct response *r = rr->response;
	struct buf s = BUF_INIT;

	next(b);
	buf_addch(b, '{');
	add_axes(b, &r->spec);
	add_uint(b, "iodepth", r->spec.iodepth);
	sentence_load(&s, r);
	add_text(b, "sentence", buf_text(&s));
	add_num(b, "sustained_rate_iops", r->sustained ? r->sustained->rate_iops : UNKNOWN);
	add_num(b, "missed_rate_iops", r->missed ? r->missed->rate_iops : UNKNOWN);
	key(b, "caps");
	buf_addch(b, '[');
	for (unsigned i = 0; i < run->nr_caps; i++)
		add_load_cap(b, &rr->cap[i]);
	buf_addch(b, ']');
	key(b, "points");
	buf_addch(b, '[');
	for (size_t i = 0; i < r->nr_rows; i++)
		add_point(b, r->row[i]);
	buf_addstr(b, "]}");
	buf_release(&s);
}

static void add_setup(struct buf *b, const struct run_info *info)
{
	key(b, "setup");
	buf_addch(b, '{');
	add_text(b, "tool_version", info->tool_version);
	add_text(b, "engine", info->engine);
	add_text(b, "command", info->command);
	key(b, "facts");
	buf_addch(b, '{');
	for (size_t i = 0; i < info->facts.nr; i++)
		add_text(b, info->facts.v[i].name, info->facts.v[i].value);
	buf_addstr(b, "}}");
}

static void add_run(struct buf *b, const struct report_run *run)
{
	const struct run_info *info = run->info;

	next(b);
	buf_addch(b, '{');
	add_uint(b, "run", (uint64_t)info->id);
	add_text(b, "sweep", info->sweep_name);
	add_text(b, "question", info->question);
	add_text(b, "target", info->target_given);
	add_text(b, "target_label", info->target_label);
	add_text(b, "target_identity", info->target_identity);
	add_uint(b, "target_size_bytes", info->target_size_bytes);
	add_text(b, "state", run_state_name(info->state));
	add_bool(b, "imported", info->imported);
	add_utc(b, "start", info->start_wall_ns);
	add_utc(b, "end", info->end_wall_ns);
	add_uint(b, "nr_points", run->nr_points);
	add_text(b, "budget", facts_get(&info->facts, FACT_BUDGET));
	add_uint(b, "nr_left_out", report_left_out(run));
	add_setup(b, info);
	key(b, "curves");
	buf_addch(b, '[');
	for (size_t i = 0; i < run->nr_curves; i++)
		add_curve(b, run, &run->curves[i]);
	buf_addch(b, ']');
	key(b, "responses");
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
	key(b, "differences");
	buf_addch(b, '[');
	for (size_t i = 0; i < nr; i++) {
		next(b);
		buf_addch(b, '{');
		add_uint(b, "run", (uint64_t)d[i].run_id);
		add_text(b, "name", d[i].name);
		add_text(b, "from", d[i].from);
		add_text(b, "to", d[i].to);
		buf_addch(b, '}');
	}
	buf_addch(b, ']');
	free(d);
}

void json_report(struct buf *b, const struct report *r)
{
	buf_addch(b, '{');
	add_text(b, "format", "lunsweep-report");
	add_uint(b, "version", 1);
	key(b, "runs");
	buf_addch(b, '[');
	for (size_t i = 0; i < r->nr_runs; i++)
		add_run(b, &r->runs[i]);
	buf_addch(b, ']');
	add_differences(b, r);
	buf_addstr(b, "}\n");
}
