/* SPDX-License-Identifier: MIT */
#include "report/run_table.h"

#include "base/mem.h"
#include "base/term.h"
#include "report/format.h"
#include "report/markup.h"

#include <inttypes.h>
#include <math.h>

#define WIDTH_DEFAULT 80
#define LABEL_CHARS   26
/* Of the mark behind a figure and the gap before it. */
#define MARK_WIDTH 3
/* Of the indent, the number of a run and the gaps beside the label. */
#define FRONT_WIDTH 9

#define MAX_COLS 32

/* A column with a figure: of which point, direction and figure. */
struct figure_col {
	size_t point;
	enum dir dir;
	enum table_figure figure;
};

static void add_value(struct buf *s, enum table_figure f, double v)
{
	if (f == TABLE_IOPS)
		format_iops(s, v);
	else if (f == TABLE_MIB_S)
		format_fixed(s, v, 2);
	else
		format_fixed(s, v / 1e6, 3);
}

/* Every figure has a place for its mark, so that the digits stand below each other. */
static void add_cell(struct buf *s, const struct run_cell *c, const struct figure_col *col,
		     bool has_color)
{
	struct buf text = BUF_INIT;
	double v = c->figure[col->dir][col->figure];
	bool is_best = c->is_best[col->dir][col->figure];

	add_value(&text, col->figure, v);
	buf_addch(&text, is_best ? '*' : isfinite(v) && !c->is_valid ? '!' : ' ');
	buf_add_styled(s, is_best && has_color, TERM_HEADING, buf_text(&text));
	buf_release(&text);
}

static void add_rows(struct buf *b, const struct run_table *t, const struct figure_col *fig,
		     const char *const *title, size_t nr, struct text_style style)
{
	struct table_col cols[2 + MAX_COLS] = {{"run", false, 0}, {"target", true, 0}};
	struct buf s = BUF_INIT;
	struct table table;

	/* MiB/s of the directions say what their IOPS say: left out where there is no room. */
	for (size_t i = 0; i < nr; i++)
		cols[2 + i] = (struct table_col){
			title[i], false, fig[i].figure == TABLE_MIB_S && fig[i].dir != DIR_TOTAL};
	table_init(&table, cols, 2 + nr);
	for (size_t r = 0; r < t->nr_runs; r++) {
		buf_addf(&s, "%" PRId64, t->runs[r].info->id);
		table_take(&table, &s);
		buf_add_clean(&s, run_table_label(t, r), LABEL_CHARS);
		table_take(&table, &s);
		for (size_t i = 0; i < nr; i++) {
			add_cell(&s, run_table_cell(t, fig[i].point, r), &fig[i], style.color);
			table_take(&table, &s);
		}
	}
	text_table(b, style, 2, &table);
	table_release(&table);
	buf_release(&s);
}

static const struct {
	enum table_figure figure;
	enum dir dir;
	const char *title, *long_title;
} figure_list[] = {
	{TABLE_IOPS, DIR_TOTAL, "IOPS ", "IOPS"},
	{TABLE_IOPS, DIR_READ, "read ", "IOPS read"},
	{TABLE_IOPS, DIR_WRITE, "write ", "IOPS write"},
	{TABLE_MIB_S, DIR_TOTAL, "MiB/s ", "MiB/s"},
	{TABLE_MIB_S, DIR_READ, "read ", "MiB/s read"},
	{TABLE_MIB_S, DIR_WRITE, "write ", "MiB/s write"},
	{TABLE_LAT, DIR_TOTAL, "mean ms ", "mean ms"},
};

/* Directions apart are for points that have both. */
static bool has_figure(const struct point_spec *s, size_t i)
{
	return figure_list[i].dir == DIR_TOTAL || (point_reads(s) && point_writes(s));
}

/* One depth: all figures beside each other. */
static void add_point(struct buf *b, const struct run_table *t, size_t point,
		      struct text_style style)
{
	struct figure_col fig[NR(figure_list)];
	const char *title[NR(figure_list)];
	size_t nr = 0;

	for (size_t i = 0; i < NR(figure_list); i++) {
		if (!has_figure(&t->point[point], i))
			continue;
		title[nr] = figure_list[i].title;
		fig[nr++] = (struct figure_col){point, figure_list[i].dir, figure_list[i].figure};
	}
	add_rows(b, t, fig, title, nr, style);
}

static void name_column(struct buf *s, const struct point_spec *spec)
{
	if (point_is_open(spec)) {
		buf_add_rate(s, spec);
		buf_addch(s, ' ');
	} else {
		buf_addf(s, "%u ", spec->iodepth);
	}
}

/* Of the widest cell of a figure over some points, with its mark and the gap. */
static size_t figure_width(const struct run_table *t, size_t first, size_t nr, size_t i)
{
	struct buf s = BUF_INIT;
	size_t widest = 0;

	for (size_t p = first; p < first + nr; p++) {
		for (size_t r = 0; r < t->nr_runs; r++) {
			const struct run_cell *c = run_table_cell(t, p, r);
			size_t width;

			buf_release(&s);
			add_value(&s, figure_list[i].figure,
				  c->figure[figure_list[i].dir][figure_list[i].figure]);
			width = text_width(buf_text(&s));
			widest = width > widest ? width : widest;
		}
		buf_release(&s);
		name_column(&s, &t->point[p]);
		widest = s.len > widest + 1 ? s.len - 1 : widest;
	}
	buf_release(&s);
	return widest + MARK_WIDTH;
}

/* How many columns with figures fit beside the labels. */
static size_t columns_that_fit(const struct run_table *t, size_t width, size_t figure)
{
	size_t front = 0, room;

	for (size_t i = 0; i < t->nr_runs; i++) {
		size_t label = text_width(run_table_label(t, i));

		label = label < LABEL_CHARS ? label : LABEL_CHARS;
		front = label > front ? label : front;
	}
	front += FRONT_WIDTH;
	room = width > front ? (width - front) / figure : 1;
	return room < 1 ? 1 : room > MAX_COLS ? MAX_COLS : room;
}

/* Several depths: one figure, in as few tables of about the same size as there is room for. */
static void add_figure(struct buf *b, const struct run_table *t, size_t first, size_t nr, size_t i,
		       struct text_style style)
{
	size_t room = style.is_markdown
			      ? MAX_COLS
			      : columns_that_fit(t, style.width, figure_width(t, first, nr, i));
	size_t nr_tables = (nr + room - 1) / room, most = (nr + nr_tables - 1) / nr_tables;
	struct figure_col fig[MAX_COLS];
	struct buf name[MAX_COLS];
	const char *title[MAX_COLS];
	struct buf what = BUF_INIT;

	for (size_t done = 0, take; done < nr; done += take) {
		take = nr - done < most ? nr - done : most;
		buf_addf(&what, "%s at %s", figure_list[i].long_title,
			 point_is_open(&t->point[first]) ? "rate" : "iodepth");
		text_gap(b, style);
		text_paragraph(b, style, &what);
		for (size_t k = 0; k < take; k++) {
			name[k] = (struct buf)BUF_INIT;
			name_column(&name[k], &t->point[first + done + k]);
			title[k] = buf_text(&name[k]);
			fig[k] = (struct figure_col){first + done + k, figure_list[i].dir,
						     figure_list[i].figure};
		}
		add_rows(b, t, fig, title, take, style);
		for (size_t k = 0; k < take; k++)
			buf_release(&name[k]);
	}
	buf_release(&what);
}

static void add_curve(struct buf *b, const struct run_table *t, size_t first, size_t nr,
		      struct text_style style)
{
	struct buf name = BUF_INIT;

	if (nr == 1)
		buf_add_point(&name, &t->point[first]);
	else
		buf_add_curve_name(&name, &t->point[first]);
	text_heading(b, style, buf_text(&name));
	buf_release(&name);
	if (nr == 1) {
		add_point(b, t, first, style);
		return;
	}
	for (size_t i = 0; i < NR(figure_list); i++)
		if (has_figure(&t->point[first], i))
			add_figure(b, t, first, nr, i, style);
}

/* What is not ok and has no figures, so that a '-' is explained. */
static void add_missing(struct buf *b, const struct run_table *t, struct text_style style)
{
	struct buf s = BUF_INIT;

	for (size_t p = 0; p < t->nr_points; p++) {
		for (size_t r = 0; r < t->nr_runs; r++) {
			const struct run_cell *c = run_table_cell(t, p, r);

			if (!c->is_there || c->is_valid)
				continue;
			buf_addf(&s, "Run %" PRId64 ", ", t->runs[r].info->id);
			buf_add_point(&s, &t->point[p]);
			buf_addf(&s, ": %s",
				 c->nr_repeats ? "spoiled" : point_status_name(c->status));
			buf_addstr(&s, c->flags ? " (" : "");
			format_flags(&s, c->flags, ", ");
			buf_addstr(&s, c->flags ? ")." : ".");
			text_paragraph(b, style, &s);
		}
	}
	buf_release(&s);
}

void run_table_text(struct buf *b, const struct run_table *t, struct text_style style)
{
	struct buf missing = BUF_INIT;
	size_t end;

	if (!style.width)
		style.width = WIDTH_DEFAULT;
	for (size_t i = 0; i < t->nr_points; i = end) {
		for (end = i + 1; end < t->nr_points; end++)
			if (!point_same_curve(&t->point[i], &t->point[end]))
				break;
		add_curve(b, t, i, end - i, style);
	}
	add_missing(&missing, t, style);
	if (missing.len) {
		text_heading(b, style, "Not valid");
		if (style.is_markdown)
			markdown_begin_block(b);
		buf_addstr(b, buf_text(&missing));
	}
	buf_release(&missing);
	text_gap(b, style);
	text_say(b, style,
		 "* the best of the runs. ! of a spoiled measurement, which is no best. - not "
		 "known, or not measured. IOPS and MiB/s are the sum of reads and writes.");
}
