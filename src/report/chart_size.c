/* SPDX-License-Identifier: MIT */
/* The charts of an answer to a sizing question. */
#include "report/chart_lun_draw.h"

#include "base/mem.h"
#include "base/num.h"
#include "report/chart_parts.h"
#include "report/format.h"
#include "report/sentence_size.h"

#include <stdlib.h>

/* Beyond this many times the least, small numbers of VMs could not be read off a linear axis. */
#define LOG_FROM 40
/* Half of the width of a bar as a factor, where the next size is twice as large. */
#define HALF_BAR 1.22

static void add_lun_size(struct buf *b, double bytes)
{
	sentence_size_bytes(b, (uint64_t)bytes);
}

/* ---- the sizing chart ---- */

static bool is_measured(const struct size_answer *a, enum size_mode m)
{
	for (size_t i = 0; i < a->nr_spans; i++)
		if (a->span[i].by[m].curve)
			return true;
	return false;
}

static void fill_place(struct lun_place *p, const struct size_answer *a, const struct size_span *s,
		       enum size_mode m)
{
	const struct size_curve *c = &s->by[m];

	if (!c->curve)
		return;
	if (a->depth[m] || a->q.depth)
		p->of[0] = lun_depth_figure(c->curve, a->depth[m] ? a->depth[m] : a->q.depth);
	p->of[1] = lun_cap_figure(&c->cap);
	if (size_is_least(c) && p->of[1].kind == CELL_VALID)
		p->of[1].kind = CELL_LIMITED;
}

static void add_mode(struct lun_chart *c, const struct size_answer *a, enum size_mode m)
{
	struct lun_line *l = lun_add_line(c);

	buf_addstr(&l->name, sentence_size_mode(m));
	if (m == SIZE_MIX)
		buf_addf(&l->name, ", %u %% read", a->mix_read_pct);
	l->is_only_shown = !a->is_compared[m];
	if (a->base)
		l->base_bytes = (double)a->base->lun_bytes;
	for (size_t i = 0; i < a->nr_spans; i++)
		fill_place(lun_add_place(l, (double)a->span[i].lun_bytes), a, &a->span[i], m);
}

/* Where the mix was not measured, it was made from reads and writes, under the cap only. */
static void add_estimate(struct lun_chart *c, const struct size_answer *a)
{
	struct lun_line *l;
	bool is_estimate = false;

	for (size_t i = 0; i < a->nr_spans; i++)
		is_estimate =
			is_estimate || (a->span[i].is_mix_estimate && !isnan(a->span[i].mix_iops));
	if (!is_estimate || is_measured(a, SIZE_MIX))
		return;
	l = lun_add_line(c);
	buf_addstr(&l->name, "mix, estimated");
	l->is_only_shown = true;
	if (a->base)
		l->base_bytes = (double)a->base->lun_bytes;
	for (size_t i = 0; i < a->nr_spans; i++) {
		struct lun_place *p = lun_add_place(l, (double)a->span[i].lun_bytes);

		if (isnan(a->span[i].mix_iops))
			continue;
		p->of[1].kind = a->span[i].is_mix_least ? CELL_LIMITED : CELL_VALID;
		p->of[1].iops = a->span[i].mix_iops;
	}
}

/* The depth of the curves that are compared, else of any. */
static uint32_t shown_depth(const struct size_answer *a)
{
	uint32_t depth = 0;

	for (enum size_mode m = 0; m < SIZE_MODE_NR; m++)
		if (a->depth[m] && (!depth || a->is_compared[m]))
			depth = a->depth[m];
	return depth ? depth : a->q.depth;
}

static void add_question(struct buf *b, const struct size_report *r)
{
	buf_addstr(b, "a VM asks ");
	sentence_size_need(b, &r->answer->q.vm);
	buf_addstr(b, "; ");
	format_cap(b, r->answer->q.cap);
}

/* The answer in a sentence, what else is to know of it, and the runs. */
static void add_answer(struct picture *p, const struct size_report *r)
{
	struct buf s = BUF_INIT;

	sentence_size_answer(&s, r->answer);
	caption_add(p, &s);
	sentence_size_notes(&s, r);
	if (s.len)
		buf_addf(&p->caption, "Points to know of:\n%s", buf_text(&s));
	buf_release(&s);
	for (size_t i = 0; i < r->nr_runs; i++)
		caption_add_run(p, &r->runs[i]);
}

static void draw_luns(struct charts *out, const struct size_report *r)
{
	const struct size_answer *a = r->answer;
	struct picture *p = charts_add(out, xstrdup("lun-size"), 3, 2);
	struct lun_chart c = {.depth = shown_depth(a),
			      .cap = {a->q.cap},
			      .nr_caps = 1,
			      .loss_max = a->q.loss_max,
			      .recommended_bytes = a->best ? (double)a->best->lun_bytes : UNKNOWN,
			      .x_title = "LUN size (log scale)",
			      .add_size = add_lun_size};

	for (enum size_mode m = 0; m < SIZE_MODE_NR; m++)
		if (is_measured(a, m))
			add_mode(&c, a, m);
	add_estimate(&c, a);
	buf_addstr(&p->title, "LUN sizing: what a larger LUN costs");
	add_question(&p->subtitle, r);
	lun_explain(p, &c);
	lun_draw(p, &c, 0, c.nr_lines);
	add_answer(p, r);
	lun_release(&c);
}

/* ---- VMs by each bound ---- */

static const char *bound_title(enum size_bound b)
{
	static const char *const titles[SIZE_BOUND_NR] = {"by capacity", "by the queue of the LUN",
							  "by IOPS under the cap",
							  "by IOPS on shared disks"};

	return titles[b];
}

static bool is_asked(const struct size_answer *a, enum size_bound b)
{
	return b != SIZE_SHARED || a->q.luns_sharing > 1;
}

static void explain_span(struct buf *b, const struct size_answer *a, const struct size_span *s)
{
	sentence_size_bytes(b, s->lun_bytes);
	if (isnan(s->nr_vms)) {
		buf_addstr(b, ": the number of VMs is not known");
	} else {
		buf_addstr(b, ": ");
		sentence_size_vms(b, s, s->bound);
		buf_addf(b, " VMs, %s", bound_title(s->bound));
	}
	buf_addstr(b, "; ");
	sentence_size_verdict(b, a, s);
}

static void add_bars(struct panel *p, const struct size_answer *a, bool is_kept)
{
	struct series *bars;

	for (size_t i = 0; i < a->nr_spans; i++)
		if ((a->span[i].fate == SIZE_KEPT) == is_kept && !isnan(a->span[i].nr_vms))
			break;
		else if (i + 1 == a->nr_spans)
			return;
	bars = panel_add_series(p, LOOK_BARS);
	bars->color = is_kept ? 7 : 8;
	buf_addstr(&bars->name, is_kept ? "VMs: the least bound" : "the least, not to be used");
	for (size_t i = 0; i < a->nr_spans; i++) {
		const struct size_span *s = &a->span[i];
		double x = (double)s->lun_bytes;
		struct buf label = BUF_INIT;
		struct cell *c;

		if ((s->fate == SIZE_KEPT) != is_kept || isnan(s->nr_vms))
			continue;
		c = series_add(bars, CELL_VALID, x, s->nr_vms);
		c->x_low = x / HALF_BAR;
		c->x_high = x * HALF_BAR;
		sentence_size_vms(&label, s, s->bound);
		c->label = buf_detach(&label);
		explain_span(&label, a, s);
		buf_addch(&label, '\n');
		c->tip = buf_detach(&label);
	}
}

static void add_bound(struct panel *p, const struct size_answer *a, enum size_bound b)
{
	struct series *s = panel_add_series(p, LOOK_CURVE);

	s->color = 1 + (unsigned)b;
	buf_addstr(&s->name, bound_title(b));
	for (size_t i = 0; i < a->nr_spans; i++) {
		const struct size_span *at = &a->span[i];
		bool is_least = (b == SIZE_PERFORMANCE && at->is_mix_least) ||
				(b == SIZE_SHARED && at->whole && at->whole->is_mix_least);

		(void)series_add(s, is_least ? CELL_LIMITED : CELL_VALID, (double)at->lun_bytes,
				 at->vms[b]);
	}
}

/* Whether small numbers would be lost on a linear axis, and none is 0. */
static bool is_log(const struct size_answer *a)
{
	double low = HUGE_VAL, high = 0;

	for (size_t i = 0; i < a->nr_spans; i++) {
		for (enum size_bound b = 0; b < SIZE_BOUND_NR; b++) {
			if (isnan(a->span[i].vms[b]))
				continue;
			low = fmin(low, a->span[i].vms[b]);
			high = fmax(high, a->span[i].vms[b]);
		}
	}
	return low > 0 && high > LOG_FROM * low;
}

static void draw_bounds(struct panel *p, const struct size_answer *a)
{
	struct buf label = BUF_INIT;
	bool log = is_log(a);

	p->x.title = "LUN size (log scale)";
	p->x.scale = SCALE_LOG2;
	p->y.title = log ? "VMs per LUN (log scale)" : "VMs per LUN";
	p->y.scale = log ? SCALE_LOG10 : SCALE_LINEAR;
	for (size_t i = 0; i < a->nr_spans; i++) {
		sentence_size_bytes(&label, a->span[i].lun_bytes);
		axis_add_tick(&p->x, (double)a->span[i].lun_bytes, buf_text(&label));
		axis_cover(&p->x, (double)a->span[i].lun_bytes / HALF_BAR);
		axis_cover(&p->x, (double)a->span[i].lun_bytes * HALF_BAR);
		buf_reset(&label);
	}
	add_bars(p, a, true);
	add_bars(p, a, false);
	for (enum size_bound b = 0; b < SIZE_BOUND_NR; b++)
		if (is_asked(a, b))
			add_bound(p, a, b);
	if (a->best)
		marks_add(panel_add_marks(p, "recommended"), (double)a->best->lun_bytes,
			  a->best->nr_vms);
	buf_release(&label);
}

static void describe_bounds(struct picture *p, const struct size_answer *a)
{
	struct buf s = BUF_INIT;

	for (size_t i = 0; i < a->nr_spans; i++) {
		const char *sep = " (";

		explain_span(&s, a, &a->span[i]);
		for (enum size_bound b = 0; b < SIZE_BOUND_NR; b++) {
			if (!is_asked(a, b))
				continue;
			buf_addf(&s, "%s%s ", sep, bound_title(b));
			sentence_size_vms(&s, &a->span[i], b);
			sep = ", ";
		}
		buf_addstr(&s, ").");
		caption_add(p, &s);
	}
	buf_release(&s);
}

static void draw_vms(struct charts *out, const struct size_report *r)
{
	struct picture *p = charts_add(out, xstrdup("vms-per-lun"), 1, 1);
	const struct size_answer *a = r->answer;
	struct buf s = BUF_INIT;

	p->limited_title = "at least this much";
	buf_addstr(&p->title, "VMs per LUN by each bound");
	add_question(&p->subtitle, r);
	buf_addstr(&s, "Read the bars: each is what a LUN of that size takes, the least of the "
		       "curves above it, and the curve that touches its top decides.");
	caption_explain(p, &s);
	buf_release(&s);
	draw_bounds(picture_panel(p, 0, 0), a);
	describe_bounds(p, a);
	add_answer(p, r);
}

void charts_build_size(const struct size_report *r, struct charts *out)
{
	*out = (struct charts){0};
	draw_luns(out, r);
	draw_vms(out, r);
}
