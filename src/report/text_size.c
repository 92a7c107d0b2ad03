/* SPDX-License-Identifier: MIT */
#include "report/size_report.h"

#include "base/mem.h"
#include "base/num.h"
#include "report/format.h"
#include "report/markup.h"
#include "report/sentence_size.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH_DEFAULT 80
#define NAME_CHARS    60

static void add_head(struct buf *b, const struct size_report *r, struct text_style style)
{
	struct buf s = BUF_INIT, name = BUF_INIT;

	for (size_t i = 0; i < r->nr_runs; i++) {
		format_run_name(&name, &r->runs[i]);
		buf_addf(&s, "Run %" PRId64 ": ", r->runs[i].id);
		buf_add_clean(&s, buf_text(&name), NAME_CHARS);
		text_heading(b, style, buf_text(&s));
		buf_reset(&name);
		buf_reset(&s);
		if (r->runs[i].state == RUN_FINISHED)
			continue;
		buf_addf(&s, "The run is not finished (%s): the answer is of what is there.",
			 run_state_name(r->runs[i].state));
		text_paragraph(b, style, &s);
	}
	sentence_size_vm(&s, r);
	text_paragraph(b, style, &s);
	buf_release(&name);
	buf_release(&s);
}

static void add_answer(struct buf *b, const struct size_report *r, struct text_style style)
{
	struct buf s = BUF_INIT;

	text_heading(b, style, "Recommended");
	sentence_size_answer(&s, r->answer);
	text_paragraph(b, style, &s);
	sentence_size_sharing(&s, r->answer);
	text_paragraph(b, style, &s);
	buf_release(&s);
}

/* ---- IOPS and losses ---- */

/* A cap that is never met gives none, which is no figure of three digits. */
static void add_iops(struct buf *s, double iops)
{
	if (iops == 0)
		buf_addch(s, '0');
	else
		format_iops(s, iops);
}

static void add_iops_cells(struct table *t, const struct size_curve *c)
{
	struct buf s = BUF_INIT;

	buf_addstr(&s, c->curve && size_is_least(c) ? ">= " : "");
	add_iops(&s, c->iops[SIZE_UNDER_CAP]);
	table_take(t, &s);
	add_iops(&s, c->iops[SIZE_CAP_MEASURED]);
	table_take(t, &s);
	buf_release(&s);
}

static void add_loss_cell(struct table *t, double loss, bool is_unsure)
{
	struct buf s = BUF_INIT;

	if (isnan(loss))
		buf_addch(&s, '-');
	else
		buf_addf(&s, "%s%.1f %%", is_unsure ? "~" : "", 100 * loss + 0.0);
	table_take(t, &s);
	buf_release(&s);
}

static void add_iops_row(struct table *t, const struct size_span *s, const bool *has)
{
	struct buf text = BUF_INIT;

	buf_add_span(&text, &s->spec);
	table_take(t, &text);
	for (enum size_mode m = 0; m <= SIZE_WRITE; m++)
		if (has[m])
			add_iops_cells(t, &s->by[m]);
	buf_addstr(&text, s->is_mix_least ? ">= " : "");
	buf_addstr(&text, s->is_mix_estimate && !isnan(s->mix_iops) ? "~" : "");
	add_iops(&text, s->mix_iops);
	table_take(t, &text);
	if (has[SIZE_MIX]) {
		add_iops(&text, s->by[SIZE_MIX].iops[SIZE_CAP_MEASURED]);
		table_take(t, &text);
	}
	add_loss_cell(t, s->loss[SIZE_AT_DEPTH], s->is_loss_unsure[SIZE_AT_DEPTH]);
	add_loss_cell(t, s->loss[SIZE_UNDER_CAP], s->is_loss_unsure[SIZE_UNDER_CAP]);
	buf_release(&text);
}

/* The depth that losses are at, where all modes have the same. */
static uint32_t common_depth(const struct size_answer *a)
{
	uint32_t depth = a->q.depth;

	for (enum size_mode m = 0; m < SIZE_MODE_NR; m++)
		if (a->is_compared[m])
			depth = a->depth[m];
	for (enum size_mode m = 0; m < SIZE_MODE_NR; m++)
		if (a->is_compared[m] && a->depth[m] != depth)
			return 0;
	return depth;
}

static void add_iops_legend(struct buf *b, const struct size_answer *a, struct text_style style)
{
	struct buf s = BUF_INIT;
	bool is_estimate = false, is_least = false;

	for (size_t i = 0; i < a->nr_spans; i++) {
		is_estimate =
			is_estimate || (a->span[i].is_mix_estimate && !isnan(a->span[i].mix_iops));
		is_least = is_least || a->span[i].is_mix_least;
	}
	if (is_estimate)
		buf_addstr(&s, "~ mix: estimated from reads and writes.");
	text_paragraph(b, style, &s);
	if (is_least)
		buf_addstr(&s, ">=: the cap was not reached, or the client was the limit, so that "
			       "losses are uncertain (~).");
	text_paragraph(b, style, &s);
	buf_release(&s);
}

static void add_iops_table(struct buf *b, const struct size_answer *a, struct text_style style)
{
	struct table_col col[10] = {{"span", true, 0}};
	bool has[SIZE_MODE_NR] = {false};
	struct buf title = BUF_INIT, at = BUF_INIT;
	uint32_t depth = common_depth(a);
	size_t nr = 1;
	struct table t;

	for (size_t i = 0; i < a->nr_spans; i++)
		for (enum size_mode m = 0; m < SIZE_MODE_NR; m++)
			has[m] = has[m] || a->span[i].by[m].curve;
	for (enum size_mode m = 0; m < SIZE_MODE_NR; m++) {
		if (has[m] || m == SIZE_MIX)
			col[nr++] = (struct table_col){size_mode_name(m), false, 0};
		if (has[m])
			col[nr++] = (struct table_col){"measured", false, 1};
	}
	if (depth)
		buf_addf(&at, "at depth %u", depth);
	else
		buf_addstr(&at, "at depth");
	col[nr++] = (struct table_col){buf_text(&at), false, 0};
	col[nr++] = (struct table_col){"under cap", false, 0};
	buf_addstr(&title, "IOPS with ");
	format_cap(&title, a->q.cap);
	buf_addstr(&title, ", and what they lose against ");
	if (a->base && a->base != a->span)
		buf_add_span(&title, &a->base->spec);
	else
		buf_addstr(&title, "the smallest span");
	text_heading(b, style, buf_text(&title));
	table_init(&t, col, nr);
	for (size_t i = 0; i < a->nr_spans; i++)
		add_iops_row(&t, &a->span[i], has);
	text_table(b, style, 2, &t);
	add_iops_legend(b, a, style);
	table_release(&t);
	buf_release(&title);
	buf_release(&at);
}

/* ---- VMs ---- */

static void add_vm_row(struct table *t, const struct size_answer *a, const struct size_span *s,
		       bool has_span)
{
	struct buf text = BUF_INIT;

	sentence_size_bytes(&text, s->lun_bytes);
	table_take(t, &text);
	if (has_span) {
		buf_add_span(&text, &s->spec);
		table_take(t, &text);
	}
	for (enum size_bound o = 0; o < SIZE_BOUND_NR; o++) {
		if (o == SIZE_SHARED && a->q.luns_sharing < 2)
			continue;
		sentence_size_vms(&text, s, o);
		table_take(t, &text);
	}
	if (isnan(s->nr_vms)) {
		table_add(t, "-");
		table_add(t, "-");
	} else {
		sentence_size_vms(&text, s, s->bound);
		table_take(t, &text);
		/* As the column of this bound is called. */
		table_add(t, s->bound == SIZE_PERFORMANCE ? "IOPS" : size_bound_name(s->bound));
	}
	sentence_size_verdict(&text, a, s);
	table_take(t, &text);
	buf_release(&text);
}

/* Whether any LUN is called otherwise than its span. */
static bool spans_differ(const struct size_answer *a)
{
	for (size_t i = 0; i < a->nr_spans; i++)
		if (a->span[i].lun_bytes != a->span[i].spec.span_bytes || a->span[i].spec.span_e4 ||
		    a->span[i].spec.offset_bytes)
			return true;
	return false;
}

static void add_vm_table(struct buf *b, const struct size_answer *a, struct text_style style)
{
	struct table_col col[9] = {{"LUN", false, 0}};
	bool has_span = spans_differ(a);
	size_t nr = 1;
	struct table t;

	if (has_span)
		col[nr++] = (struct table_col){"span", true, 0};
	col[nr++] = (struct table_col){"capacity", false, 0};
	col[nr++] = (struct table_col){"queue", false, 0};
	col[nr++] = (struct table_col){"IOPS", false, 0};
	if (a->q.luns_sharing > 1)
		col[nr++] = (struct table_col){"shared", false, 0};
	col[nr++] = (struct table_col){"VMs", false, 0};
	col[nr++] = (struct table_col){"bound", true, 0};
	col[nr++] = (struct table_col){"verdict", true, 0};
	text_heading(b, style, "VMs per LUN by each bound, and the least of them");
	table_init(&t, col, nr);
	t.last_min = 16;
	for (size_t i = 0; i < a->nr_spans; i++)
		add_vm_row(&t, a, &a->span[i], has_span);
	text_table(b, style, 2, &t);
	table_release(&t);
}

static void add_notes(struct buf *b, const struct size_report *r, struct text_style style)
{
	struct buf s = BUF_INIT;

	sentence_size_notes(&s, r);
	if (s.len)
		text_heading(b, style, "Points to know of");
	text_items(b, style, &s);
	buf_release(&s);
}

void text_size(struct buf *b, const struct size_report *r, struct text_style style)
{
	struct buf s = BUF_INIT;

	if (!style.width)
		style.width = WIDTH_DEFAULT;
	add_head(b, r, style);
	add_answer(b, r, style);
	add_vm_table(b, r->answer, style);
	add_iops_table(b, r->answer, style);
	add_notes(b, r, style);
	text_heading(b, style, "Assumptions");
	sentence_size_assumptions(&s, r);
	text_items(b, style, &s);
	buf_release(&s);
}
