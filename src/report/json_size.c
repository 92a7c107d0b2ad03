/* SPDX-License-Identifier: MIT */
#include "report/size_report.h"

#include "base/clock.h"
#include "base/num.h"
#include "report/json_write.h"
#include "report/sentence_size.h"

#include <inttypes.h>
#include <math.h>

static void add_need(struct buf *b, const struct vm_need *n)
{
	json_num(b, "iops", n->iops);
	json_uint(b, "capacity_bytes", (uint64_t)llround(n->capacity_bytes));
	json_num(b, "read_pct", 100 * n->read_share);
}

static void add_vms(struct buf *b, const struct size_report *r)
{
	json_key(b, "vm");
	buf_addch(b, '{');
	add_need(b, &r->answer->q.vm);
	buf_addch(b, '}');
	json_key(b, "profiles");
	buf_addch(b, '[');
	for (size_t i = 0; i < r->vms->nr; i++) {
		json_next(b);
		buf_addch(b, '{');
		json_text(b, "name", r->vms->v[i].name);
		json_num(b, "share_pct", 100 * r->vms->v[i].share);
		add_need(b, &r->vms->v[i].need);
		buf_addch(b, '}');
	}
	buf_addch(b, ']');
}

static void add_question(struct buf *b, const struct size_question *q)
{
	json_key(b, "question");
	buf_addch(b, '{');
	json_text(b, "cap_stat", lat_stat_name(q->cap.stat));
	json_num(b, "cap_ms", (double)q->cap.limit_ns / (double)NS_PER_MS);
	json_uint(b, "iodepth", q->depth);
	json_num(b, "loss_max_pct", 100 * q->loss_max);
	json_num(b, "headroom_pct", 100 * q->headroom);
	json_num(b, "free_space_pct", 100 * q->free_space);
	json_uint(b, "lun_queue", q->lun_queue);
	json_num(b, "burst", q->burst);
	json_num(b, "luns_sharing", q->luns_sharing ? q->luns_sharing : UNKNOWN);
	buf_addch(b, '}');
}

static void add_curve(struct buf *b, enum size_mode m, const struct size_curve *c)
{
	struct buf name = BUF_INIT;

	json_key(b, size_mode_name(m));
	if (!c->curve) {
		buf_addstr(b, "null");
		return;
	}
	buf_add_curve_name(&name, &c->curve->spec);
	buf_addch(b, '{');
	json_text(b, "curve", buf_text(&name));
	json_text(b, "cap_status", cap_status_name(c->cap.status));
	json_num(b, "cap_iops", c->iops[SIZE_UNDER_CAP]);
	json_num(b, "cap_measured_iops", c->iops[SIZE_CAP_MEASURED]);
	json_num(b, "cap_measured_iodepth", cap_is_met(&c->cap) ? c->cap.depth : UNKNOWN);
	json_bool(b, "decides", c->decides);
	json_bool(b, "at_least", size_is_least(c));
	json_num(b, "depth_iops", c->iops[SIZE_AT_DEPTH]);
	json_num(b, "peak_iops", c->iops[SIZE_PEAK]);
	buf_addch(b, '}');
	buf_release(&name);
}

static void add_bounds(struct buf *b, const struct size_span *s)
{
	json_key(b, "vms");
	buf_addch(b, '{');
	for (enum size_bound o = 0; o < SIZE_BOUND_NR; o++)
		json_num(b, size_bound_name(o), s->vms[o]);
	buf_addch(b, '}');
	json_num(b, "nr_vms", s->nr_vms);
	json_text(b, "bound", isnan(s->nr_vms) ? NULL : size_bound_name(s->bound));
}

static void add_span(struct buf *b, const struct size_report *r, const struct size_span *s)
{
	static const char *const losses[SIZE_FIGURE_NR] = {
		"loss_depth_pct", "loss_cap_pct", "loss_cap_measured_pct", "loss_peak_pct"};
	struct buf text = BUF_INIT;

	json_next(b);
	buf_addch(b, '{');
	buf_add_span(&text, &s->spec);
	json_text(b, "span", buf_text(&text));
	buf_reset(&text);
	json_uint(b, "span_bytes", s->spec.span_bytes);
	json_uint(b, "lun_bytes", s->lun_bytes);
	for (enum size_figure f = 0; f < SIZE_FIGURE_NR; f++)
		json_num(b, losses[f], 100 * s->loss[f]);
	json_bool(b, "loss_depth_unsure", s->is_loss_unsure[SIZE_AT_DEPTH]);
	json_bool(b, "loss_cap_unsure", s->is_loss_unsure[SIZE_UNDER_CAP]);
	json_num(b, "loss_sure_pct", s->sure_base ? 100 * s->sure_loss : UNKNOWN);
	json_num(b, "mix_iops", s->mix_iops);
	json_bool(b, "mix_estimate", s->is_mix_estimate);
	json_bool(b, "mix_at_least", s->is_mix_least);
	for (enum size_mode m = 0; m < SIZE_MODE_NR; m++)
		add_curve(b, m, &s->by[m]);
	add_bounds(b, s);
	json_text(b, "fate", size_fate_name(s->fate));
	sentence_size_verdict(&text, r->answer, s);
	json_text(b, "verdict", buf_text(&text));
	buf_addch(b, '}');
	buf_release(&text);
}

static void add_recommended(struct buf *b, const struct size_answer *a)
{
	struct buf s = BUF_INIT;

	json_key(b, "recommended");
	if (a->best) {
		buf_addch(b, '{');
		json_uint(b, "lun_bytes", a->best->lun_bytes);
		json_uint(b, "span_bytes", a->best->spec.span_bytes);
		json_num(b, "nr_vms", a->best->nr_vms);
		json_text(b, "bound", size_bound_name(a->best->bound));
		sentence_size_answer(&s, a);
		json_text(b, "sentence", buf_text(&s));
		buf_addch(b, '}');
	} else {
		buf_addstr(b, "null");
	}
	buf_release(&s);
}

static void add_sharing(struct buf *b, const struct size_answer *a)
{
	json_key(b, "sharing");
	buf_addch(b, '[');
	for (size_t i = 0; i < a->nr_sharing; i++) {
		const struct size_sharing *sh = &a->sharing[i];

		json_next(b);
		buf_addch(b, '{');
		json_uint(b, "luns", sh->nr_luns);
		json_num(b, "vms_each", sh->vms_each);
		json_num(b, "vms_in_all", sh->nr_luns * sh->vms_each);
		json_text(b, "bound", size_bound_name(sh->bound));
		buf_addch(b, '}');
	}
	buf_addch(b, ']');
}

void json_size(struct buf *b, const struct size_report *r)
{
	const struct size_answer *a = r->answer;
	struct buf s = BUF_INIT;

	json_begin(b, "size", 1);
	json_key(b, "runs");
	buf_addch(b, '[');
	for (size_t i = 0; i < r->nr_runs; i++)
		buf_addf(b, "%s%" PRId64, i ? "," : "", r->runs[i].id);
	buf_addch(b, ']');
	json_text(b, "target", r->nr_runs ? r->runs[0].target_label : NULL);
	add_vms(b, r);
	add_question(b, &a->q);
	json_key(b, "spans");
	buf_addch(b, '[');
	for (size_t i = 0; i < a->nr_spans; i++)
		add_span(b, r, &a->span[i]);
	buf_addch(b, ']');
	if (a->base)
		json_uint(b, "loss_base_span_bytes", a->base->spec.span_bytes);
	else
		json_num(b, "loss_base_span_bytes", UNKNOWN);
	add_recommended(b, a);
	add_sharing(b, a);
	sentence_size_answer(&s, a);
	buf_addch(&s, '\n');
	sentence_size_sharing(&s, a);
	json_lines(b, "sentences", &s);
	sentence_size_notes(&s, r);
	json_lines(b, "notes", &s);
	sentence_size_assumptions(&s, r);
	json_lines(b, "assumptions", &s);
	buf_addstr(b, "}\n");
	buf_release(&s);
}
