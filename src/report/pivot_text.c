/* SPDX-License-Identifier: MIT */
#include "report/pivot.h"

#include "base/mem.h"
#include "report/format.h"
#include "report/markup.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH_DEFAULT 80
#define INDENT	      2
#define GAP	      2

/* Behind figures that decide nothing, with a place beside the others so that digits stand below each other. */
static void add_cell(struct buf *s, enum pivot_figure f, const struct pivot_cell *c, bool any_marks)
{
	double v = c->figure[f];

	pivot_add_figure(s, f, v);
	if (any_marks)
		buf_addch(s, isfinite(v) && !c->is_valid ? '!' : ' ');
}

static bool has_marks(const struct pivot_table *t)
{
	for (size_t i = 0; i < t->nr_rows * t->nr_cols; i++)
		if (!t->cell[i].is_valid && isfinite(t->cell[i].figure[PIVOT_IOPS]))
			return true;
	return false;
}

static bool is_left(const struct pivot_ask *ask)
{
	return ask->rows == AXIS_RW || ask->rows == AXIS_SPAN;
}

/* ---- the figures in columns ---- */

static void add_figures(struct buf *b, const struct pivot *p, const struct pivot_table *t,
			struct text_style style)
{
	struct table_col cols[1 + PIVOT_FIGURE_NR] = {
		{axis_name(p->ask->rows), is_left(p->ask), 0}};
	size_t nr = p->ask->nr_figures;
	bool any_marks = has_marks(t);
	struct buf s = BUF_INIT;
	struct table table;

	for (size_t i = 0; i < nr; i++)
		cols[1 + i] = (struct table_col){pivot_figure_title(p->ask->figure[i]), false, 0};
	table_init(&table, cols, 1 + nr);
	for (size_t r = 0; r < t->nr_rows; r++) {
		pivot_add_value(&s, p->ask, p->ask->rows, &t->row[r]);
		table_take(&table, &s);
		for (size_t i = 0; i < nr; i++) {
			add_cell(&s, p->ask->figure[i], pivot_cell(t, r, 0), any_marks);
			table_take(&table, &s);
		}
	}
	text_table(b, style, INDENT, &table);
	table_release(&table);
	buf_release(&s);
}

/* ---- an axis in columns ---- */

static size_t widest_value(const struct pivot *p, const struct pivot_table *t)
{
	size_t widest = text_width(axis_name(p->ask->rows));
	struct buf s = BUF_INIT;

	for (size_t r = 0; r < t->nr_rows; r++) {
		pivot_add_value(&s, p->ask, p->ask->rows, &t->row[r]);
		if (text_width(buf_text(&s)) > widest)
			widest = text_width(buf_text(&s));
		buf_reset(&s);
	}
	buf_release(&s);
	return widest;
}

static size_t column_width(const struct pivot *p, const struct pivot_table *t, enum pivot_figure f,
			   size_t col, bool any_marks)
{
	struct buf s = BUF_INIT;
	size_t widest;

	pivot_add_value(&s, p->ask, p->ask->cols, &t->col[col]);
	widest = text_width(buf_text(&s));
	for (size_t r = 0; r < t->nr_rows; r++) {
		buf_reset(&s);
		add_cell(&s, f, pivot_cell(t, r, col), any_marks);
		if (text_width(buf_text(&s)) > widest)
			widest = text_width(buf_text(&s));
	}
	buf_release(&s);
	return widest + GAP;
}

/* Columns from first on that fit beside the values of the rows. */
static size_t end_of_columns(const struct pivot *p, const struct pivot_table *t,
			     enum pivot_figure f, size_t first, struct text_style style)
{
	size_t used = INDENT + widest_value(p, t), end = first;
	bool any_marks = has_marks(t);

	if (style.is_markdown)
		return t->nr_cols;
	while (end < t->nr_cols) {
		used += column_width(p, t, f, end, any_marks);
		if (used > style.width && end > first)
			break;
		end++;
	}
	return end;
}

static void add_columns(struct buf *b, const struct pivot *p, const struct pivot_table *t,
			enum pivot_figure f, size_t first, size_t end, struct text_style style)
{
	struct table_col *cols = xcalloc(1 + end - first, sizeof(*cols));
	struct buf *title = xcalloc(end - first, sizeof(*title)), s = BUF_INIT;
	bool any_marks = has_marks(t);
	struct table table;

	cols[0] = (struct table_col){axis_name(p->ask->rows), is_left(p->ask), 0};
	for (size_t c = first; c < end; c++) {
		pivot_add_value(&title[c - first], p->ask, p->ask->cols, &t->col[c]);
		if (any_marks)
			buf_addch(&title[c - first], ' ');
		cols[1 + c - first] = (struct table_col){buf_text(&title[c - first]), false, 0};
	}
	table_init(&table, cols, 1 + end - first);
	for (size_t r = 0; r < t->nr_rows; r++) {
		pivot_add_value(&s, p->ask, p->ask->rows, &t->row[r]);
		table_take(&table, &s);
		for (size_t c = first; c < end; c++) {
			add_cell(&s, f, pivot_cell(t, r, c), any_marks);
			table_take(&table, &s);
		}
	}
	text_table(b, style, INDENT, &table);
	table_release(&table);
	for (size_t c = first; c < end; c++)
		buf_release(&title[c - first]);
	buf_release(&s);
	free(title);
	free(cols);
}

/* One figure, in as many tables as its columns take. */
static void add_figure(struct buf *b, const struct pivot *p, const struct pivot_table *t,
		       enum pivot_figure f, struct text_style style)
{
	struct buf s = BUF_INIT;
	size_t end;

	for (size_t first = 0; first < t->nr_cols; first = end) {
		end = end_of_columns(p, t, f, first, style);
		buf_addf(&s, "%s by %s", pivot_figure_title(f), axis_name(p->ask->cols));
		text_gap(b, style);
		text_paragraph(b, style, &s);
		add_columns(b, p, t, f, first, end, style);
	}
	buf_release(&s);
}

/* ---- all tables ---- */

/* Why figures have a mark, and why there are none. */
static void add_missing(struct buf *b, const struct pivot *p, const struct pivot_table *t,
			struct text_style style)
{
	struct buf s = BUF_INIT;

	for (size_t i = 0; i < t->nr_rows * t->nr_cols; i++) {
		const struct pivot_cell *c = &t->cell[i];

		if (!c->is_there || c->is_valid)
			continue;
		buf_addf(&s, "%s ", axis_name(p->ask->rows));
		pivot_add_value(&s, p->ask, p->ask->rows, &t->row[i / t->nr_cols]);
		if (p->ask->cols != AXIS_NR) {
			buf_addf(&s, ", %s ", axis_name(p->ask->cols));
			pivot_add_value(&s, p->ask, p->ask->cols, &t->col[i % t->nr_cols]);
		}
		buf_addf(&s, ": %s",
			 c->status == POINT_OK ? "! spoiled" : point_status_name(c->status));
		buf_addstr(&s, c->flags ? " (" : "");
		format_flags(&s, c->flags, ", ");
		buf_addstr(&s, c->flags ? ")." : ".");
		text_paragraph(b, style, &s);
	}
	buf_release(&s);
}

static void add_table(struct buf *b, const struct pivot *p, const struct pivot_table *t,
		      struct text_style style)
{
	if (p->ask->cols == AXIS_NR)
		add_figures(b, p, t, style);
	for (size_t i = 0; p->ask->cols != AXIS_NR && i < p->ask->nr_figures; i++)
		add_figure(b, p, t, p->ask->figure[i], style);
	add_missing(b, p, t, style);
}

void pivot_text(struct buf *b, const struct pivot *p, struct text_style style)
{
	const struct report_run *run = NULL;
	struct buf s = BUF_INIT, name = BUF_INIT;

	if (!style.width)
		style.width = WIDTH_DEFAULT;
	for (size_t i = 0; i < p->nr; i++) {
		if (p->table[i].run != run) {
			run = p->table[i].run;
			buf_addf(&s, "Run %" PRId64 ": ", run->info->id);
			format_run_name(&name, run->info);
			buf_add_clean(&s, buf_text(&name), 60);
			text_heading(b, style, buf_text(&s));
			buf_reset(&s);
			buf_reset(&name);
		}
		text_heading(b, style, buf_text(&p->table[i].name));
		add_table(b, p, &p->table[i], style);
	}
	buf_release(&name);
	buf_release(&s);
}

void pivot_text_spans(struct buf *b, const struct report_run *run, struct text_style style)
{
	struct pivot_ask ask = {.rows = AXIS_SPAN,
				.cols = AXIS_NR,
				.figure = {PIVOT_IOPS, PIVOT_LAT_MEAN, PIVOT_UTIL},
				.nr_figures = 3,
				.nr_where = 1,
				.least_rows = 2};
	struct report one = {.runs = run, .nr_runs = 1};
	char text[16];
	struct err e = {0};
	struct pivot p;

	/* A search looks at each span at depths of its own. */
	if (run->is_search)
		return;
	(void)snprintf(text, sizeof(text), "%u", pivot_span_depth(run));
	ask.where[0] = (struct pivot_where){AXIS_IODEPTH, text};
	if (pivot_build(&one, &ask, &p, &e))
		return;
	for (size_t i = 0; i < p.nr; i++) {
		struct buf s = BUF_INIT;

		buf_addf(&s, "%s, against span", buf_text(&p.table[i].name));
		text_heading(b, style, buf_text(&s));
		buf_release(&s);
		add_table(b, &p, &p.table[i], style);
	}
	pivot_release(&p);
}
