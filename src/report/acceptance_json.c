/* SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "base/units.h"
#include "report/acceptance.h"

#include <inttypes.h>

static void add_text(struct buf *b, const char *key, const char *value)
{
	buf_addf(b, ", \"%s\": ", key);
	buf_json_str(b, value);
}

static void add_num(struct buf *b, const char *key, double v)
{
	buf_addf(b, ", \"%s\": ", key);
	buf_json_num(b, v);
}

static void add_point(struct buf *b, const struct point *p)
{
	const struct point_spec *s = &p->spec;

	buf_addf(b, "{\"seq\": %" PRIu32, p->seq);
	add_text(b, "status", point_status_name(p->status));
	add_text(b, "rw", rw_name(s->rw));
	buf_addf(b,
		 ", \"bs_bytes\": %" PRIu64 ", \"iodepth\": %" PRIu32 ", \"span_bytes\": %" PRIu64
		 ", \"rwmixread_pct\": %" PRIu32 ", \"random_pct\": %" PRIu32
		 ", \"workers\": %" PRIu32,
		 s->bs_bytes, s->iodepth, s->span_bytes, s->rwmixread_pct, s->random_pct,
		 s->workers);
	add_num(b, "rate_iops", p->rate_iops);
	buf_addstr(b, ", \"flags\": [");
	for (enum flag f = 0, first = 1; f < FLAG_NR; f++) {
		if (!(p->flags & FLAG_BIT(f)))
			continue;
		buf_addstr(b, first ? "" : ", ");
		buf_json_str(b, flag_name(f));
		first = 0;
	}
	buf_addstr(b, "]}");
}

/* Latencies in ms, as in the columns of other commands. */
static void add_figures(struct buf *b, const struct judgement *j)
{
	double scale = limit_is_at_most(j->limit) ? 1 / (double)NS_PER_MS : 1;
	static const char *const bounds[] = {"=", ">=", "<="};

	add_text(b, "unit",
		 limit_is_at_most(j->limit)	    ? "ms"
		 : j->limit->figure == FIGURE_MIB_S ? "MiB/s"
						    : "IOPS");
	add_text(b, "must_be", limit_is_at_most(j->limit) ? "at most" : "at least");
	add_num(b, "limit", j->limit->value * scale);
	add_num(b, "value", j->value * scale);
	add_text(b, "bound", bounds[j->bound]);
	add_num(b, "low", j->low * scale);
	add_num(b, "high", j->high * scale);
	add_num(b, "margin_pct", j->margin * 100);
	if (j->limit->figure == FIGURE_GUARANTEED_IOPS) {
		add_num(b, "guaranteed_share_pct", j->limit->share_e4 / 1e4);
		add_num(b, "guaranteed_over_s", (double)j->limit->over_ns / (double)NS_PER_S);
		add_num(b, "intervals", j->intervals);
		add_num(b, "share_pct", j->intervals > 0 ? j->share * 100 : UNKNOWN);
	}
}

static void add_judgement(struct buf *b, const struct judgement *j)
{
	struct buf s = BUF_INIT;

	buf_add_limit_name(&s, j->limit);
	buf_addstr(b, "{\"requirement\": ");
	buf_json_str(b, buf_text(&s));
	buf_reset(&s);
	buf_add_conditions(&s, j->req);
	add_text(b, "at", buf_text(&s));
	buf_reset(&s);
	add_figures(b, j);
	add_text(b, "verdict", acceptance_verdict_name(j->verdict));
	sentence_undecided(&s, j);
	add_text(b, "reason", j->reason ? buf_text(&s) : NULL);
	add_num(b, "more_s", j->more_s > 0 ? j->more_s : UNKNOWN);
	add_num(b, "more_repeats", j->more_repeats ? j->more_repeats : UNKNOWN);
	buf_addf(b, ", \"repeats\": %u, \"repeats_measured\": %u, \"point\": ", j->nr_repeats,
		 j->nr_rows);
	if (j->point)
		add_point(b, j->point);
	else
		buf_addstr(b, "null");
	buf_addch(b, '}');
	buf_release(&s);
}

static void add_class(struct buf *b, const struct class_result *r)
{
	buf_addstr(b, "{\"class\": ");
	buf_json_str(b, r->cls->name);
	add_text(b, "verdict", acceptance_verdict_name(r->verdict));
	buf_addstr(b, ", \"requirements\": [");
	for (size_t i = 0; i < r->nr; i++) {
		buf_addstr(b, i ? ",\n" : "\n");
		add_judgement(b, &r->v[i]);
	}
	buf_addstr(b, "]}");
}

void acceptance_json(struct buf *b, const struct acceptance_report *r)
{
	buf_addstr(b, "{\"standard\": ");
	buf_json_str(b, r->standard->name ? r->standard->name : r->path);
	add_text(b, "file", r->path);
	buf_addstr(b, ", \"runs\": [");
	for (size_t i = 0; i < r->nr_runs; i++) {
		const struct run_info *info = r->runs[i].info;

		buf_addf(b, "%s{\"run\": %" PRId64, i ? ",\n" : "\n", info->id);
		add_text(b, "sweep", info->sweep_name);
		add_text(b, "target", info->target_label ? info->target_label : info->target_given);
		add_text(b, "state", run_state_name(info->state));
		buf_addstr(b, ", \"classes\": [");
		for (size_t c = 0; c < r->runs[i].nr; c++) {
			buf_addstr(b, c ? ",\n" : "\n");
			add_class(b, &r->runs[i].cls[c]);
		}
		buf_addstr(b, "]}");
	}
	buf_addstr(b, "]}\n");
}
