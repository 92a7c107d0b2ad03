/* SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "base/units.h"
#include "report/acceptance.h"
#include "report/json_write.h"

static void add_point(struct buf *b, const struct point *p)
{
	const struct point_spec *s = &p->spec;

	json_key(b, "point");
	buf_addch(b, '{');
	json_uint(b, "seq", p->seq);
	json_text(b, "status", point_status_name(p->status));
	json_axes(b, s);
	json_uint(b, "iodepth", s->iodepth);
	json_num(b, "rate_iops", p->rate_iops);
	json_flags(b, p->flags);
	buf_addch(b, '}');
}

/* Latencies in ms, as in the columns of other commands. */
static void add_figures(struct buf *b, const struct judgement *j)
{
	double scale = limit_is_at_most(j->limit) ? 1 / (double)NS_PER_MS : 1;
	static const char bounds[] = {[BOUND_NONE] = '=', [BOUND_LOWER] = '>', [BOUND_UPPER] = '<'};

	json_text(b, "unit",
		  limit_is_at_most(j->limit)	     ? "ms"
		  : j->limit->figure == FIGURE_MIB_S ? "MiB/s"
						     : "IOPS");
	json_text(b, "must_be", limit_is_at_most(j->limit) ? "at most" : "at least");
	json_num(b, "limit", j->limit->value * scale);
	json_num(b, "value", j->value * scale);
	json_bound(b, "bound", !isnan(j->value), bounds[j->bound]);
	json_num(b, "low", j->low * scale);
	json_num(b, "high", j->high * scale);
	json_num(b, "margin_pct", j->margin * 100);
	if (j->limit->figure == FIGURE_GUARANTEED_IOPS) {
		json_num(b, "guaranteed_share_pct", j->limit->share_e4 / 1e4);
		json_num(b, "guaranteed_over_s", (double)j->limit->over_ns / (double)NS_PER_S);
		json_num(b, "intervals", j->intervals);
		json_num(b, "share_pct", j->intervals > 0 ? j->share * 100 : UNKNOWN);
	}
}

static void add_judgement(struct buf *b, const struct judgement *j)
{
	struct buf s = BUF_INIT;

	json_next(b);
	buf_addch(b, '{');
	buf_add_limit_name(&s, j->limit);
	json_text(b, "requirement", buf_text(&s));
	buf_reset(&s);
	buf_add_conditions(&s, j->req);
	json_text(b, "at", buf_text(&s));
	buf_reset(&s);
	add_figures(b, j);
	json_text(b, "verdict", acceptance_verdict_name(j->verdict));
	sentence_undecided(&s, j);
	json_text(b, "reason", j->reason ? buf_text(&s) : NULL);
	json_num(b, "more_s", j->more_s > 0 ? j->more_s : UNKNOWN);
	json_count(b, "more_repeats", j->more_repeats);
	json_uint(b, "repeats", j->nr_repeats);
	json_uint(b, "repeats_measured", j->nr_rows);
	if (j->point)
		add_point(b, j->point);
	else
		json_text(b, "point", NULL);
	buf_addch(b, '}');
	buf_release(&s);
}

static void add_class(struct buf *b, const struct class_result *r)
{
	json_next(b);
	buf_addch(b, '{');
	json_text(b, "class", r->cls->name);
	json_text(b, "verdict", acceptance_verdict_name(r->verdict));
	json_key(b, "requirements");
	buf_addch(b, '[');
	for (size_t i = 0; i < r->nr; i++)
		add_judgement(b, &r->v[i]);
	buf_addstr(b, "]}");
}

static void add_run(struct buf *b, const struct checked_run *run)
{
	const struct run_info *info = run->info;

	json_next(b);
	buf_addch(b, '{');
	json_uint(b, "run", (uint64_t)info->id);
	json_text(b, "sweep", info->sweep_name);
	json_text(b, "target", info->target_label ? info->target_label : info->target_given);
	json_text(b, "state", run_state_name(info->state));
	json_key(b, "classes");
	buf_addch(b, '[');
	for (size_t c = 0; c < run->nr; c++)
		add_class(b, &run->cls[c]);
	buf_addstr(b, "]}");
}

void acceptance_json(struct buf *b, const struct acceptance_report *r)
{
	json_begin(b, "check", 1);
	json_text(b, "standard", r->standard->name ? r->standard->name : r->path);
	json_text(b, "file", r->path);
	json_key(b, "runs");
	buf_addch(b, '[');
	for (size_t i = 0; i < r->nr_runs; i++)
		add_run(b, &r->runs[i]);
	buf_addstr(b, "]}\n");
}
