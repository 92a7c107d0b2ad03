/* SPDX-License-Identifier: MIT */
#include "report/compare.h"

#include "base/mem.h"
#include "base/num.h"
#include "report/format.h"
#include "report/markup.h"

#include <inttypes.h>
#include <string.h>

#define WIDTH_DEFAULT 80
#define NAME_CHARS    50

/* ---- the table of a curve ---- */

enum item_col {
	COL_FIGURE,
	COL_DEPTH,
	COL_A,
	COL_B,
	COL_RATIO,
	COL_INTERVAL,
	COL_P,
	COL_VERDICT,
	COL_NR
};

static const struct table_col item_cols[COL_NR] = {
	[COL_FIGURE] = {"figure", true, 0}, [COL_DEPTH] = {"iodepth", false, 0},
	[COL_A] = {"A", false, 0},	    [COL_B] = {"B", false, 0},
	[COL_RATIO] = {"B/A", false, 0},    [COL_INTERVAL] = {"95 % interval", true, 2},
	[COL_P] = {"p adj.", false, 1},	    [COL_VERDICT] = {"verdict", true, 0},
};

static void add_side(struct buf *s, const struct compare_item *item, int side)
{
	double v = item->side[side].value;

	if (item->figure == COMPARE_LAT)
		format_sig3(s, v / 1e6);
	else
		format_iops(s, v);
	if (isfinite(v) && (item->side[side].flags & FLAG_BIT(FLAG_CPU_BOUND)))
		buf_addch(s, 'c');
	else if (isfinite(v) &&
		 flags_bounds(item->side[side].flags, item->figure == COMPARE_LAT).flags)
		buf_addch(s, 'b');
}

static void add_figure(struct buf *s, const struct compare_item *item)
{
	switch (item->figure) {
	case COMPARE_IOPS:
		buf_addstr(s, "IOPS");
		return;
	case COMPARE_LAT:
		buf_addstr(s, "mean ms");
		return;
	case COMPARE_NSTAR:
		buf_addstr(s, "N*");
		return;
	case COMPARE_CAP:
		break;
	}
	buf_addstr(s, "max at ");
	format_cap(s, item->cap);
}

static void add_p(struct buf *s, double p)
{
	if (isnan(p))
		buf_addch(s, '-');
	else if (p < 0.001)
		buf_addstr(s, "<0.001");
	else
		format_fixed(s, p, 3);
}

static void add_cell(struct buf *s, const struct compare_item *item, enum item_col col)
{
	switch (col) {
	case COL_FIGURE:
		add_figure(s, item);
		break;
	case COL_DEPTH:
		if (item->spec.iodepth)
			buf_addf(s, "%u", item->spec.iodepth);
		break;
	case COL_A:
	case COL_B:
		add_side(s, item, col == COL_B);
		break;
	case COL_RATIO:
		format_fixed(s, item->ratio, 3);
		break;
	case COL_INTERVAL:
		if (isnan(item->low))
			buf_addch(s, '-');
		else
			buf_addf(s, "%.3f to %.3f", item->low, item->high);
		break;
	case COL_P:
		add_p(s, item->p_adjusted);
		break;
	case COL_VERDICT:
	case COL_NR:
		compare_word(s, item);
		break;
	}
}

/* The items of a curve that are of points, all depths of one figure first; or else those of the
 * curve itself, which have no depth. */
static void add_table(struct buf *b, const struct compare_item *item, size_t nr, bool of_points,
		      struct text_style style)
{
	static const enum compare_figure order[] = {COMPARE_IOPS, COMPARE_LAT, COMPARE_NSTAR,
						    COMPARE_CAP};
	struct table_col cols[COL_NR];
	struct buf s = BUF_INIT;
	struct table t;
	size_t nr_cols = 0;

	for (enum item_col col = 0; col < COL_NR; col++)
		if (of_points || col != COL_DEPTH)
			cols[nr_cols++] = item_cols[col];
	table_init(&t, cols, nr_cols);
	t.last_min = 14;
	for (size_t f = of_points ? 0 : 2; f < (of_points ? 2 : NR(order)); f++) {
		for (size_t i = 0; i < nr; i++) {
			if (item[i].figure != order[f])
				continue;
			for (enum item_col col = 0; col < COL_NR; col++) {
				if (!of_points && col == COL_DEPTH)
					continue;
				add_cell(&s, &item[i], col);
				table_take(&t, &s);
			}
		}
	}
	if (t.nr && !of_points)
		text_gap(b, style);
	if (t.nr)
		text_table(b, style, 2, &t);
	table_release(&t);
	buf_release(&s);
}

static void add_reasons(struct buf *b, const struct compare_item *item, size_t nr,
			struct text_style style)
{
	struct buf s = BUF_INIT;

	for (size_t i = 0; i < nr; i++) {
		if (!isnan(item[i].ratio) || !item[i].reason)
			continue;
		add_figure(&s, &item[i]);
		buf_addf(&s, " is not compared: %s.", item[i].reason);
		text_paragraph(b, style, &s);
	}
	buf_release(&s);
}

static void add_curves(struct buf *b, const struct comparison *c, struct text_style style)
{
	struct buf name = BUF_INIT;
	size_t end;

	for (size_t i = 0; i < c->nr; i = end) {
		for (end = i + 1; end < c->nr; end++)
			if (!point_same_curve(&c->item[i].spec, &c->item[end].spec))
				break;
		buf_add_curve_name(&name, &c->item[i].spec);
		text_heading(b, style, buf_text(&name));
		buf_reset(&name);
		add_table(b, c->item + i, end - i, true, style);
		add_table(b, c->item + i, end - i, false, style);
		add_reasons(b, c->item + i, end - i, style);
	}
	buf_release(&name);
}

/* ---- what stands around the tables ---- */

static bool has_other_name(const struct run_group *g, const char *name)
{
	bool is_other = false;

	for (size_t i = 1; i < g->nr && !is_other; i++) {
		struct buf other = BUF_INIT;

		format_run_name(&other, g->info[i]);
		is_other = strcmp(buf_text(&other), name) != 0;
		buf_release(&other);
	}
	return is_other;
}

/* "A: runs 1, 3, 5: ult on sdb" */
static void add_group(struct buf *b, const struct run_group *g, char letter,
		      struct text_style style)
{
	struct buf s = BUF_INIT, name = BUF_INIT;

	buf_addf(&s, "%c: run%s", letter, g->nr == 1 ? "" : "s");
	for (size_t i = 0; i < g->nr; i++)
		buf_addf(&s, "%s %" PRId64, i ? "," : "", g->info[i]->id);
	format_run_name(&name, g->info[0]);
	buf_addstr(&s, ": ");
	buf_add_clean(&s, buf_text(&name), NAME_CHARS);
	if (has_other_name(g, buf_text(&name)))
		buf_addstr(&s, " and others");
	text_paragraph(b, style, &s);
	buf_release(&name);
	buf_release(&s);
}

static bool same_lone(const struct compare_lone *a, const struct compare_lone *b)
{
	return a->side == b->side && a->is_invalid == b->is_invalid &&
	       point_same_curve(&a->spec, &b->spec);
}

static bool was_told(const struct compare_lone *lone, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (same_lone(&lone[k], &lone[i]))
			return true;
	return false;
}

/* One line for each curve, with the depths that only one group has. */
static void add_lone(struct buf *b, const struct comparison *c, struct text_style style)
{
	struct buf s = BUF_INIT;

	if (c->nr_lone)
		text_heading(b, style, "Without a partner");
	for (size_t i = 0; i < c->nr_lone; i++) {
		const struct compare_lone *l = &c->lone[i];
		const char *sep = "";

		if (was_told(c->lone, i))
			continue;
		buf_addf(&s, "Only %c%s: ", l->side ? 'B' : 'A',
			 l->is_invalid ? " has it valid" : "");
		buf_add_curve_name(&s, &l->spec);
		buf_addstr(&s, " iodepth ");
		for (size_t k = i; k < c->nr_lone; k++) {
			if (!same_lone(&c->lone[k], l))
				continue;
			buf_addf(&s, "%s%u", sep, c->lone[k].spec.iodepth);
			sep = ", ";
		}
		text_paragraph(b, style, &s);
	}
	buf_release(&s);
}

static void add_notes(struct buf *b, const struct compare_report *r, struct text_style style)
{
	struct buf notes = BUF_INIT, s = BUF_INIT;
	const char *line;

	compare_notes(&notes, r);
	if (notes.len)
		text_heading(b, style, "Notes");
	for (line = buf_text(&notes); *line; line += strspn(line, "\n")) {
		size_t len = strcspn(line, "\n");

		buf_add(&s, line, len);
		text_paragraph(b, style, &s);
		line += len;
	}
	buf_release(&notes);
	buf_release(&s);
}

static void add_setup_text(struct buf *s, const char *text)
{
	/* A sweep file in full is for 'lunsweep show'. */
	if (text && strchr(text, '\n'))
		buf_addstr(s, "(see 'lunsweep show')");
	else
		buf_add_clean(s, text ? text : "(not known)", 200);
}

static void add_setups(struct buf *b, const struct compare_report *r, struct text_style style)
{
	struct buf s = BUF_INIT, varying = BUF_INIT;

	text_heading(b, style, "Set-up of A and of B, where they differ");
	for (size_t i = 0; i < r->nr_setup; i++) {
		const struct setup_difference *d = &r->setup[i];

		if (d->varies) {
			buf_addf(&varying, "%s%s", varying.len ? ", " : "", d->name);
			continue;
		}
		buf_add_clean(&s, d->name, 100);
		buf_addstr(&s, ": ");
		add_setup_text(&s, d->a);
		buf_addstr(&s, " -> ");
		add_setup_text(&s, d->b);
		text_paragraph(b, style, &s);
	}
	if (!r->nr_setup)
		text_say(b, style, "Nothing that is stored.");
	if (varying.len)
		buf_addf(&s, "Not the same within a group: %s.", buf_text(&varying));
	text_paragraph(b, style, &s);
	buf_release(&varying);
	buf_release(&s);
}

static void add_explanation(struct buf *b, struct text_style style)
{
	text_heading(b, style, "How to read this");
	text_say(
		b, style,
		"A and B are geometric means over runs, B/A is their ratio. Different (better, worse, "
		"higher, lower) means: p, adjusted by Holm for all figures of this comparison, is "
		"below 0.05, and the ratio is 5 % or more from 1. Equivalent means that the 90 % "
		"interval lies within 5 %. All else is inconclusive: more runs decide. N* is where the "
		"curve saturates; a higher one is neither better nor worse. The maximum under a cap is "
		"the estimate between depths. A c behind a figure: the client was the limit; a b: it is "
		"a bound.");
}

void compare_text(struct buf *b, const struct compare_report *r, struct text_style style)
{
	struct buf s = BUF_INIT;

	if (!style.width)
		style.width = WIDTH_DEFAULT;
	compare_sentences(&s, r);
	text_paragraph(b, style, &s);
	if (r->condition)
		buf_addf(&s, "--fail-if: %s.", r->condition);
	text_paragraph(b, style, &s);
	text_gap(b, style);
	add_group(b, &r->group[0], 'A', style);
	add_group(b, &r->group[1], 'B', style);
	add_curves(b, r->c, style);
	add_lone(b, r->c, style);
	add_notes(b, r, style);
	add_setups(b, r, style);
	if (r->c->nr)
		add_explanation(b, style);
	buf_release(&s);
}
