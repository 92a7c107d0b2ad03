/* SPDX-License-Identifier: MIT */
#include "report/size_report.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "report/sentence_size.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The comma belongs to the member that follows another: in front of all but the first. */
static void next(struct buf *b)
{
	char before = b->text[b->len - 1];

	if (before != '{' && before != '[')
		buf_addch(b, ',');
}

static void key(struct buf *b, const char *name)
{
	next(b);
	buf_json_str(b, name);
	buf_addch(b, ':');
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

static void add_bool(struct buf *b, const char *name, bool v)
{
	key(b, name);
	buf_addstr(b, v ? "true" : "false");
}

/* The lines of s as an array of texts; s is empty afterwards. */
static void add_lines(struct buf *b, const char *name, struct buf *s)
{
	char *copy = xstrdup(buf_text(s)), *rest = copy, *line;

	key(b, name);
	buf_addch(b, '[');
	while ((line = strsep(&rest, "\n"))) {
		if (!*line)
			continue;
		next(b);
		buf_json_str(b, line);
	}
	buf_addch(b, ']');
	buf_reset(s);
	free(copy);
}

static void add_need(struct buf *b, const struct vm_need *n)
{
	add_num(b, "iops", n->iops);
	add_uint(b, "capacity_bytes", (uint64_t)llround(n->capacity_bytes));
	add_num(b, "read_pct", 100 * n->read_share);
}

static void add_vms(struct buf *b, const struct size_report *r)
{
	key(b, "vm");
	buf_addch(b, '{');
	add_need(b, &r->answer->q.vm);
	buf_addch(b, '}');
	key(b, "profiles");
	buf_addch(b, '[');
	for (size_t i = 0; i < r->vms->nr; i++) {
		next(b);
		buf_addch(b, '{');
		add_text(b, "name", r->vms->v[i].name);
		add_num(b, "share_pct", 100 * r->vms->v[i].share);
		add_need(b, &r->vms->v[i].need);
		buf_addch(b, '}');
	}
	buf_addch(b, ']');
}

static void add_question(struct buf *b, const struct size_question *q)
{
	key(b, "question");
	buf_addch(b, '{');
	add_text(b, "cap_stat", lat_stat_name(q->cap.stat));
	add_num(b, "cap_ms", (double)q->cap.limit_ns / (double)NS_PER_MS);
	add_uint(b, "iodepth", q->depth);
	add_num(b, "loss_max_pct", 100 * q->loss_max);
	add_num(b, "headroom_pct", 100 * q->headroom);
	add_num(b, "free_space_pct", 100 * q->free_space);
	add_uint(b, "lun_queue", q->lun_queue);
	add_num(b, "burst", q->burst);
	add_num(b, "luns_sharing", q->luns_sharing ? q->luns_sharing : UNKNOWN);
	buf_addch(b, '}');
}

static void add_curve(struct buf *b, enum size_mode m, const struct size_curve *c)
{
	struct buf name = BUF_INIT;
	bool is_met = c->cap.status == CAP_OK || c->cap.status == CAP_NOT_REACHED;

	key(b, size_mode_name(m));
	if (!c->curve) {
		buf_addstr(b, "null");
		return;
	}
	buf_add_curve_name(&name, &c->curve->spec);
	buf_addch(b, '{');
	add_text(b, "curve", buf_text(&name));
	add_text(b, "cap_status", cap_status_name(c->cap.status));
	add_num(b, "cap_iops", c->iops[SIZE_UNDER_CAP]);
	add_num(b, "cap_measured_iops", c->iops[SIZE_CAP_MEASURED]);
	add_num(b, "cap_measured_iodepth", is_met ? c->cap.depth : UNKNOWN);
	add_bool(b, "decides", c->decides);
	add_bool(b, "at_least", size_is_least(c));
	add_num(b, "depth_iops", c->iops[SIZE_AT_DEPTH]);
	add_num(b, "peak_iops", c->iops[SIZE_PEAK]);
	buf_addch(b, '}');
	buf_release(&name);
}

static void add_bounds(struct buf *b, const struct size_span *s)
{
	key(b, "vms");
	buf_addch(b, '{');
	for (enum size_bound o = 0; o < SIZE_BOUND_NR; o++)
		add_num(b, size_bound_name(o), s->vms[o]);
	buf_addch(b, '}');
	add_num(b, "nr_vms", s->nr_vms);
	add_text(b, "bound", isnan(s->nr_vms) ? NULL : size_bound_name(s->bound));
}

static void add_span(struct buf *b, const struct size_report *r, const struct size_span *s)
{
	static const char *const losses[SIZE_FIGURE_NR] = {
		"loss_depth_pct", "loss_cap_pct", "loss_cap_measured_pct", "loss_peak_pct"};
	struct buf text = BUF_INIT;

	next(b);
	buf_addstr(b, "\n{");
	buf_add_span(&text, &s->spec);
	add_text(b, "span", buf_text(&text));
	buf_reset(&text);
	add_uint(b, "span_bytes", s->spec.span_bytes);
	add_uint(b, "lun_bytes", s->lun_bytes);
	for (enum size_figure f = 0; f < SIZE_FIGURE_NR; f++)
		add_num(b, losses[f], 100 * s->loss[f]);
	add_num(b, "mix_iops", s->mix_iops);
	add_bool(b, "mix_estimate", s->is_mix_estimate);
	add_bool(b, "mix_at_least", s->is_mix_least);
	for (enum size_mode m = 0; m < SIZE_MODE_NR; m++)
		add_curve(b, m, &s->by[m]);
	add_bounds(b, s);
	add_text(b, "fate", size_fate_name(s->fate));
	sentence_size_verdict(&text, r->answer, s);
	add_text(b, "verdict", buf_text(&text));
	buf_addch(b, '}');
	buf_release(&text);
}

static void add_recommended(struct buf *b, const struct size_answer *a)
{
	struct buf s = BUF_INIT;

	key(b, "recommended");
	if (a->best) {
		buf_addch(b, '{');
		add_uint(b, "lun_bytes", a->best->lun_bytes);
		add_uint(b, "span_bytes", a->best->spec.span_bytes);
		add_num(b, "nr_vms", a->best->nr_vms);
		add_text(b, "bound", size_bound_name(a->best->bound));
		sentence_size_answer(&s, a);
		add_text(b, "sentence", buf_text(&s));
		buf_addch(b, '}');
	} else {
		buf_addstr(b, "null");
	}
	buf_release(&s);
}

static void add_sharing(struct buf *b, const struct size_answer *a)
{
	key(b, "sharing");
	buf_addch(b, '[');
	for (size_t i = 0; i < a->nr_sharing; i++) {
		const struct size_sharing *sh = &a->sharing[i];

		next(b);
		buf_addch(b, '{');
		add_uint(b, "luns", sh->nr_luns);
		add_num(b, "vms_each", sh->vms_each);
		add_num(b, "vms_in_all", sh->nr_luns * sh->vms_each);
		add_text(b, "bound", size_bound_name(sh->bound));
		buf_addch(b, '}');
	}
	buf_addch(b, ']');
}

void json_size(struct buf *b, const struct size_report *r)
{
	const struct size_answer *a = r->answer;
	struct buf s = BUF_INIT;

	buf_addch(b, '{');
	add_text(b, "format", "lunsweep-size");
	add_uint(b, "version", 1);
	key(b, "runs");
	buf_addch(b, '[');
	for (size_t i = 0; i < r->nr_runs; i++)
		buf_addf(b, "%s%" PRId64, i ? "," : "", r->runs[i].id);
	buf_addch(b, ']');
	add_text(b, "target", r->nr_runs ? r->runs[0].target_label : NULL);
	add_vms(b, r);
	add_question(b, &a->q);
	key(b, "spans");
	buf_addch(b, '[');
	for (size_t i = 0; i < a->nr_spans; i++)
		add_span(b, r, &a->span[i]);
	buf_addch(b, ']');
	add_recommended(b, a);
	add_sharing(b, a);
	sentence_size_answer(&s, a);
	buf_addch(&s, '\n');
	sentence_size_sharing(&s, a);
	add_lines(b, "sentences", &s);
	sentence_size_notes(&s, r);
	add_lines(b, "notes", &s);
	sentence_size_assumptions(&s, r);
	add_lines(b, "assumptions", &s);
	buf_addstr(b, "}\n");
	buf_release(&s);
}
