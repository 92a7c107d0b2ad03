/* SPDX-License-Identifier: MIT */
/* What larger spans cost: the part of the LUN size that no VM needs to be known for. */
#include "base/mem.h"
#include "base/num.h"
#include "base/units.h"
#include "report/format.h"
#include "report/html_parts.h"
#include "report/html_write.h"
#include "report/sentence_size.h"

#include <inttypes.h>

/* The depth of the mode that loses most there. */
static uint32_t depth_of(const struct size_answer *a, const struct size_span *span)
{
	uint32_t depth = a->depth[span->worst[SIZE_AT_DEPTH]];

	return depth ? depth : a->q.depth;
}

/* Whether no smaller span loses too much, as it may where figures scatter. */
static bool is_largest_kept(const struct size_answer *a)
{
	for (const struct size_span *s = a->span; s < a->best; s++)
		if (s->fate == SIZE_LOSES || s->fate == SIZE_CAP_NOT_MET)
			return false;
	return true;
}

static void say_large(struct buf *s, const struct size_answer *a)
{
	if (!a->best) {
		buf_addstr(s, "No span can be recommended");
		return;
	}
	buf_addstr(s, is_largest_kept(a) ? "LUNs of up to " : "LUNs of ");
	buf_add_span(s, &a->best->spec);
	buf_addf(s, " lose no more than %.0f %% of the ", 100 * a->q.loss_max);
	sentence_size_iops(s, a);
	if (a->base != a->span) {
		buf_addstr(s, " of ");
		buf_add_span(s, &a->base->spec);
	}
	if (a->best->is_loss_unsure[SIZE_UNDER_CAP] && !a->best->is_loss_unsure[SIZE_AT_DEPTH])
		buf_addf(s, " at iodepth %" PRIu32, depth_of(a, a->best));
	if (a->best + 1 == a->span + a->nr_spans)
		buf_addstr(s, ", and larger ones were not measured");
}

/* "8.8 % at iodepth 16 and 10.7 % under mean <= 10 ms" */
static void add_losses(struct buf *s, const struct size_answer *a, const struct size_span *span)
{
	sentence_size_share(s, span, SIZE_AT_DEPTH);
	buf_addf(s, " at iodepth %" PRIu32 " and ", depth_of(a, span));
	sentence_size_share(s, span, SIZE_UNDER_CAP);
	buf_addstr(s, " under ");
	format_cap(s, a->q.cap);
}

static bool knows_losses(const struct size_span *span)
{
	return isfinite(span->loss[SIZE_AT_DEPTH]) && isfinite(span->loss[SIZE_UNDER_CAP]);
}

static const struct size_span *first_lost(const struct size_answer *a)
{
	for (size_t i = 0; i < a->nr_spans; i++)
		if (a->span[i].fate == SIZE_LOSES)
			return &a->span[i];
	return NULL;
}

/* Whether all that is compared at the depth has an interval. */
static bool knows_chance(const struct size_answer *a)
{
	for (size_t i = 0; i < a->nr_spans; i++) {
		for (enum size_mode m = 0; m < SIZE_MODE_NR; m++) {
			const struct curve *c = a->span[i].by[m].curve;
			const struct curve_point *pt;

			pt = a->is_compared[m] && c ? curve_point_at(c, a->depth[m]) : NULL;
			if (pt && !(pt->half_rel > 0))
				return false;
		}
	}
	return true;
}

static void say_reasons(struct buf *s, const struct size_answer *a)
{
	const struct size_span *best = a->best;
	const struct size_span *next = best && best + 1 < a->span + a->nr_spans ? best + 1 : NULL;
	const struct size_span *loses = first_lost(a);

	if (best && best != a->base && a->base && knows_losses(best)) {
		buf_addstr(s, "Against ");
		buf_add_span(s, &a->base->spec);
		buf_addstr(s, a->base == a->span ? ", the smallest, "
						 : ", the smallest that could be judged, ");
		buf_add_span(s, &best->spec);
		buf_addstr(s, " loses ");
		add_losses(s, a, best);
		buf_addstr(s, a->is_compared[SIZE_READ] && a->is_compared[SIZE_WRITE]
				      ? ", the larger loss of reads and writes. "
				      : ". ");
	}
	if (!best && loses && a->base) {
		sentence_size_loss(s, a, loses);
		buf_addstr(s, ". ");
	}
	sentence_size_reserves(s, a);
	if (!knows_chance(a))
		buf_addstr(s, "How much of a loss is chance is not known, as points have no "
			      "intervals. ");
	if (next) {
		buf_addstr(s, "The next, ");
		buf_add_span(s, &next->spec);
		buf_addstr(s, ", is not kept: ");
		sentence_size_verdict(s, a, next);
		buf_addstr(s, ". ");
	}
	buf_addf(
		s,
		"The limit is %.0f %%, which is a choice. One LUN was busy at a time: LUNs on the same disks "
		"that are busy together do as one span of their sizes together.",
		100 * a->q.loss_max);
}

static void add_vms(struct buf *b, const struct report_run *run)
{
	buf_addf(
		b,
		"<p class=\"said\">How many VMs a LUN takes, and whether its capacity, its queue or its IOPS "
		"decide, depends on the VMs: <code>lunsweep size %" PRId64
		" --vm-iops N --vm-capacity SIZE --vm-read PCT</code></p>\n",
		run->info->id);
}

static void add_iops(struct html_table *t, const struct size_curve *c, enum size_figure f)
{
	struct buf s = BUF_INIT;

	if (c->curve && size_figure_is_least(c, f) && !isnan(c->iops[f]))
		buf_addstr(&s, ">= ");
	if (c->iops[f] == 0)
		buf_addch(&s, '0');
	else
		format_iops(&s, c->curve ? c->iops[f] : UNKNOWN);
	html_cell(t, &s);
	buf_release(&s);
}

static void add_loss(struct html_table *t, const struct size_span *span, enum size_figure f)
{
	struct buf s = BUF_INIT;

	if (isfinite(span->loss[f]))
		buf_addf(&s, "%s%.1f %%", span->is_loss_unsure[f] ? "~" : "",
			 100 * span->loss[f] + 0.0);
	else
		buf_addch(&s, '-');
	html_cell(t, &s);
	buf_release(&s);
}

static void add_row(struct html_table *t, const struct size_answer *a, const struct size_span *span)
{
	struct buf s = BUF_INIT;

	html_row(t, span == a->best ? "mean" : NULL);
	buf_add_span(&s, &span->spec);
	html_cell(t, &s);
	for (enum size_mode m = 0; m < SIZE_MODE_NR; m++) {
		if (!a->is_compared[m])
			continue;
		add_iops(t, &span->by[m], SIZE_AT_DEPTH);
		add_iops(t, &span->by[m], SIZE_UNDER_CAP);
	}
	add_loss(t, span, SIZE_AT_DEPTH);
	add_loss(t, span, SIZE_UNDER_CAP);
	sentence_size_verdict(&s, a, span);
	html_cell(t, &s);
	buf_release(&s);
}

static void add_table(struct buf *b, const struct size_answer *a)
{
	struct table_col col[2 * SIZE_MODE_NR + 4] = {{"span", true, 0}};
	struct buf title[2 * SIZE_MODE_NR] = {BUF_INIT};
	struct html_table t;
	size_t nr = 1;

	for (enum size_mode m = 0; m < SIZE_MODE_NR; m++) {
		if (!a->is_compared[m])
			continue;
		buf_addf(&title[2 * m], "%s IOPS at iodepth %" PRIu32, size_mode_name(m),
			 a->depth[m]);
		buf_addf(&title[2 * m + 1], "%s IOPS under ", size_mode_name(m));
		format_cap(&title[2 * m + 1], a->q.cap);
		col[nr++] = (struct table_col){buf_text(&title[2 * m]), false, 0};
		col[nr++] = (struct table_col){buf_text(&title[2 * m + 1]), false, 0};
	}
	col[nr++] = (struct table_col){"loss at that depth", false, 0};
	col[nr++] = (struct table_col){"loss under the cap", false, 0};
	col[nr++] = (struct table_col){"verdict", true, 0};
	html_table_begin(&t, b, NULL, col, nr);
	for (size_t i = 0; i < a->nr_spans; i++)
		add_row(&t, a, &a->span[i]);
	html_table_end(&t);
	for (size_t i = 0; i < NR(title); i++)
		buf_release(&title[i]);
}

void html_spans(struct buf *b, const struct report_run *run)
{
	const struct size_answer *a = run->spans;
	struct buf s = BUF_INIT;

	if (!a)
		return;
	buf_addf(b, "<article class=\"card lead%s\">\n", a->best ? "" : " open");
	buf_addstr(&s, "LUN size");
	html_take(b, "h3", NULL, &s);
	say_large(&s, a);
	html_take(b, "p", "big", &s);
	say_reasons(&s, a);
	html_take(b, "p", "said", &s);
	add_vms(b, run);
	add_table(b, a);
	buf_addstr(b, "</article>\n");
	buf_release(&s);
}
