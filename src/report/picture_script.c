/* SPDX-License-Identifier: MIT */
/* The script that gnuplot draws a picture from. */
#include "report/picture_parts.h"

#include "base/mem.h"
#include "base/num.h"
#include "report/format.h"
#include "report/gnuplot.h"

#include <string.h>

#define TITLE_CHARS  90
#define LEGEND_CHARS 26

/*
 * Colours that people with any colour vision tell apart (Okabe and Ito 2008), each with a point
 * type and a dash of its own, so that a grey printer keeps them apart too. The hollow form of a
 * point type is the number below it.
 */
static const struct {
	const char *color;
	int point, dash;
} looks[PICTURE_MAX_SERIES] = {
	{"#0072B2", 7, 1},  {"#D55E00", 5, 2},	{"#009E73", 9, 4}, {"#000000", 11, 3},
	{"#CC79A7", 13, 5}, {"#56B4E9", 15, 1}, {"#E69F00", 7, 2}, {"#7F7F7F", 5, 4},
};

/* Shapes of marks, around points of any series. */
static const struct {
	int point;
	double size;
} shapes[] = {{6, 2.2}, {4, 2.8}, {12, 2.8}, {8, 2.8}, {10, 2.8}, {14, 2.8}};

/* Columns of the data file. */
enum column {
	COL_X = 1,
	COL_Y,
	COL_SPOILED,
	COL_LIMITED,
	COL_Y_LOW,
	COL_Y_HIGH,
	COL_X_LOW,
	COL_X_HIGH
};

void script_begin_plot(struct buf *gp, bool *is_first)
{
	buf_addstr(gp, *is_first ? "plot " : ", \\\n     ");
	*is_first = false;
}

static void add_quoted(struct buf *b, const char *text, size_t max)
{
	struct buf s = BUF_INIT;

	buf_add_clean(&s, text, max);
	gnuplot_quote(b, buf_text(&s));
	buf_release(&s);
}

void script_add_label(struct buf *gp, const struct picture *p, const char *text, size_t max,
		      double x, double y, const char *how)
{
	buf_addstr(gp, "set label ");
	add_quoted(gp, text, max);
	buf_addf(gp, " at screen %.6f,%.6f %s noenhanced\n", x / PICTURE_WIDTH,
		 1 - y / picture_height(p), how);
}

static void add_head(struct buf *gp, const struct picture *p, const char *formats)
{
	int height = (int)(picture_height(p) + 0.5);

	buf_addf(gp,
		 "# Draws %s in each of these formats: run gnuplot on this file in its own "
		 "directory.\n"
		 "if (!exists('formats')) formats = '%s'\n"
		 "if (!exists('picture')) picture = 1\n"
		 "format = word(formats, picture)\n"
		 "set encoding utf8\n"
		 "if (format eq 'png') set terminal pngcairo noenhanced size %d,%d font 'sans,11' "
		 "background '#ffffff'\n"
		 "if (format eq 'svg') set terminal svg noenhanced size %d,%d font "
		 "'sans-serif,11' fontscale 1.3 background '#ffffff'\n"
		 "if (format eq 'pdf') set terminal pdfcairo noenhanced size %.2f,%.2f font "
		 "'sans,11' fontscale 0.72 linewidth 1.5 background '#ffffff'\n"
		 "set output '%s.'.format\n"
		 "data = '%s.dat'\n"
		 "k = format eq 'svg' ? 0.8 : 1 # points of SVG are larger\n",
		 p->name, formats, PICTURE_WIDTH, height, PICTURE_WIDTH, height,
		 PICTURE_WIDTH / 100.0, height / 100.0, p->name, p->name);
}

static void add_frame(struct buf *gp, const struct picture *p)
{
	buf_addstr(gp, "set border 3 lc rgb '#606060'\n"
		       "set grid x y lc rgb '#d8d8d8' lt 1 lw 0.7\n"
		       "set tics nomirror out scale 0.6 textcolor rgb '#202020'\n"
		       "set errorbars small\n"
		       "unset key\n"
		       "set multiplot\n");
	script_add_label(gp, p, buf_text(&p->title), TITLE_CHARS, 60, 29, "left font ',15'");
	script_add_label(gp, p, buf_text(&p->subtitle), TITLE_CHARS + 20, 60, 56,
			 "left font ',11' textcolor rgb '#505050'");
}

/* Axes. */

/* gnuplot takes the labels of ticks, unlike all other texts, for formats. */
static void add_tick_label(struct buf *gp, const char *label)
{
	struct buf s = BUF_INIT;

	for (; *label; label++) {
		if (*label == '%')
			buf_addch(&s, '%');
		buf_addch(&s, *label);
	}
	gnuplot_quote(gp, buf_text(&s));
	buf_release(&s);
}

static void add_axis(struct buf *gp, const struct axis_view *a, bool is_labelled)
{
	char name = a->is_y ? 'y' : 'x';
	bool is_names = a->scale == SCALE_RANK;

	if (scale_is_log(a->scale))
		buf_addf(gp, "set logscale %c %d\n", name, a->scale == SCALE_LOG2 ? 2 : 10);
	else
		buf_addf(gp, "unset logscale %c\n", name);
	buf_addf(gp, "set %crange [%.10g:%.10g]\nset %ctics %s(", name, a->lo, a->hi, name,
		 a->is_rotated ? "rotate by 35 right " : "norotate autojustify ");
	for (size_t i = 0; i < a->nr_ticks; i++) {
		const struct tick *t = &a->tick[i];

		buf_addstr(gp, i ? ", " : "");
		add_tick_label(gp, is_labelled ? t->label : "");
		buf_addf(gp, " %.15g%s", t->at, *t->label || is_names ? "" : " 1");
	}
	buf_addstr(gp, ")\n");
}

/* The title of an axis stands in the middle of all panels that it is for. */
static void add_x_title(struct buf *gp, const struct picture *p, const struct panel *panel)
{
	const struct panel_layout *l = panel_layout(p, panel), *last = l;
	size_t i = (size_t)(panel - p->panel), col = i % p->cols;
	double y = l->box.y + l->box.height + axis_view_label_room(&l->x) + 22;

	if (col && axis_is_same(&panel->x, &panel[-1].x))
		return;
	while (++col < p->cols && axis_is_same(&panel->x, &p->panel[i - i % p->cols + col].x))
		last++;
	if (panel->x.title)
		script_add_label(gp, p, panel->x.title, TITLE_CHARS,
				 (l->box.x + last->box.x + last->box.width) / 2, y, "center");
}

static void add_axes(struct buf *gp, const struct picture *p, const struct panel *panel)
{
	const struct panel_layout *l = panel_layout(p, panel);
	double height = picture_height(p);

	buf_addf(gp,
		 "set lmargin at screen %.6f\nset rmargin at screen %.6f\n"
		 "set bmargin at screen %.6f\nset tmargin at screen %.6f\n",
		 l->box.x / PICTURE_WIDTH, (l->box.x + l->box.width) / PICTURE_WIDTH,
		 1 - (l->box.y + l->box.height) / height, 1 - l->box.y / height);
	add_axis(gp, &l->x, l->has_x_labels);
	add_axis(gp, &l->y, l->has_y_labels);
	if (l->has_x_labels)
		add_x_title(gp, p, panel);
	if (l->has_y_labels && panel->y.title)
		script_add_label(gp, p, panel->y.title, 60, l->y_title_x,
				 l->box.y + l->box.height / 2,
				 (double)text_width(panel->y.title) * CHAR_WIDTH > l->box.height
					 ? "center rotate font ',9'"
					 : "center rotate");
	if (panel->title.len)
		script_add_label(gp, p, buf_text(&panel->title),
				 (size_t)(l->box.width / CHAR_WIDTH), l->box.x, l->box.y - 12,
				 "left font ',12'");
}

/* Series. */

static size_t look_of(const struct picture *p, const struct series *s)
{
	return picture_color(p, s) % PICTURE_MAX_SERIES;
}

const char *script_color(const struct picture *p, const struct series *s)
{
	return looks[look_of(p, s)].color;
}

static const char *interval_edges(const struct series *s)
{
	return series_has_intervals(s, false) ? "7:8" : NULL;
}

static void plot_bars(struct buf *gp, const struct picture *p, const struct panel *panel,
		      const struct series *s, size_t block)
{
	const char *color = looks[look_of(p, s)].color;

	if (panel->x.scale == SCALE_RANK)
		buf_addf(gp, "data index %zu using %d:%d:(%.6g) with boxes", block, COL_X, COL_Y,
			 panel_bar_room(panel, s).width * 0.94);
	else if (interval_edges(s))
		buf_addf(gp, "data index %zu using %d:%d:%d:%d:(%.10g):%d with boxxyerror", block,
			 COL_X, COL_Y, COL_X_LOW, COL_X_HIGH, panel_layout(p, panel)->y.lo, COL_Y);
	else
		buf_addf(gp, "data index %zu using %d:%d with impulses lw 4 lc rgb '%s'", block,
			 COL_X, COL_Y, color);
	if (panel->x.scale == SCALE_RANK || interval_edges(s))
		buf_addf(gp, " lc rgb '%s' fs solid 0.85 noborder", color);
}

static const char *look_name(enum look look)
{
	switch (look) {
	case LOOK_LINE:
		return "lines";
	case LOOK_STEPS:
		return "steps";
	case LOOK_POINTS:
		return "points";
	default:
		return "linespoints";
	}
}

/* How the lines and points of a series look, in panels and in the legend. */
static void add_look(struct buf *gp, const struct picture *p, const struct series *s)
{
	size_t i = look_of(p, s);

	buf_addf(gp, " with %s lc rgb '%s'", look_name(s->look), looks[i].color);
	if (s->look == LOOK_CURVE || s->look == LOOK_POINTS)
		buf_addf(gp, " pt %d ps 1.1*k", looks[i].point);
	if (s->look != LOOK_POINTS)
		buf_addf(gp, " dt %d lw 1.8", looks[i].dash);
}

static void plot_interval(struct buf *gp, const struct picture *p, const struct series *s,
			  size_t block, bool is_y, bool *is_first)
{
	if (!series_has_intervals(s, is_y) || (s->look == LOOK_BARS && !is_y))
		return;
	script_begin_plot(gp, is_first);
	buf_addf(gp,
		 "data index %zu using %d:%d:%d:%d with %cerrorbars pt -1 lc rgb '%s' lw 1 "
		 "notitle",
		 block, COL_X, COL_Y, is_y ? COL_Y_LOW : COL_X_LOW, is_y ? COL_Y_HIGH : COL_X_HIGH,
		 is_y ? 'y' : 'x', s->look == LOOK_BARS ? "#000000" : looks[look_of(p, s)].color);
}

static void plot_intervals(struct buf *gp, const struct picture *p, const struct series *s,
			   size_t block, bool *is_first)
{
	plot_interval(gp, p, s, block, false, is_first);
	plot_interval(gp, p, s, block, true, is_first);
}

static bool has_line(const struct series *s)
{
	return series_has(s, CELL_VALID) || series_has(s, CELL_LIMITED);
}

static void plot_series(struct buf *gp, const struct picture *p, const struct panel *panel,
			bool *is_first)
{
	size_t block = picture_block(p, panel);

	for (size_t i = 0; i < panel->nr_series; i++) {
		const struct series *s = &panel->series[i];

		if (!has_line(s))
			continue;
		/* gnuplot clears the middle of error bars, which would hide points below them. */
		if (s->look != LOOK_BARS)
			plot_intervals(gp, p, s, block + i, is_first);
		script_begin_plot(gp, is_first);
		if (s->look == LOOK_BARS) {
			plot_bars(gp, p, panel, s, block + i);
		} else {
			buf_addf(gp, "data index %zu using %d:%d", block + i, COL_X, COL_Y);
			add_look(gp, p, s);
		}
		buf_addstr(gp, " notitle");
		if (s->look == LOOK_BARS)
			plot_intervals(gp, p, s, block + i, is_first);
	}
}

static void plot_kind(struct buf *gp, const struct picture *p, const struct panel *panel,
		      bool is_spoiled, bool *is_first)
{
	size_t block = picture_block(p, panel);

	for (size_t i = 0; i < panel->nr_series; i++) {
		const struct series *s = &panel->series[i];
		size_t look = look_of(p, s);

		if (!series_has(s, is_spoiled ? CELL_SPOILED : CELL_LIMITED))
			continue;
		script_begin_plot(gp, is_first);
		buf_addf(gp, "data index %zu using %d:%d with points notitle lc rgb '%s' pt %d ",
			 block + i, COL_X, is_spoiled ? COL_SPOILED : COL_LIMITED,
			 is_spoiled ? looks[look].color : "#000000",
			 is_spoiled ? looks[look].point - 1 : 2);
		buf_addstr(gp, is_spoiled ? "ps 1.3*k lw 1.3" : "ps 1.7*k lw 1.3");
	}
}

static void add_shape(struct buf *gp, const struct picture *p, const struct marks *m)
{
	size_t i = picture_shape(p, m) % NR(shapes);

	buf_addf(gp, " with points lc rgb '#000000' pt %d ps %.2g*k lw 1.4", shapes[i].point,
		 shapes[i].size);
}

static void plot_marks(struct buf *gp, const struct picture *p, const struct panel *panel,
		       bool *is_first)
{
	size_t block = picture_block(p, panel) + panel->nr_series;

	for (size_t i = 0; i < panel->nr_marks; i++) {
		if (!panel->marks[i].nr)
			continue;
		script_begin_plot(gp, is_first);
		buf_addf(gp, "data index %zu using 1:2", block + i);
		add_shape(gp, p, &panel->marks[i]);
		buf_addstr(gp, " notitle");
	}
}

/* The legend: a plot of its own over the whole picture, since gnuplot breaks a legend into columns that
 * is higher than its plot. */

static void add_key(struct buf *gp, const char *title)
{
	buf_addstr(gp, " title ");
	add_quoted(gp, title, LEGEND_CHARS);
}

static void add_series_key(struct buf *gp, const struct picture *p, const struct series *s)
{
	buf_addstr(gp, ", \\\n     keyentry");
	if (s->look == LOOK_BARS)
		buf_addf(gp, " with boxes lc rgb '%s' fs solid 0.85 noborder",
			 looks[look_of(p, s)].color);
	else
		add_look(gp, p, s);
	add_key(gp, buf_text(&s->name));
}

static void add_kind_key(struct buf *gp, const char *look, const char *title)
{
	buf_addf(gp, ", \\\n     keyentry with points %s", look);
	add_key(gp, title);
}

static void add_keys(struct buf *gp, const struct picture *p, const struct legend *l)
{
	for (size_t i = 0; i < l->nr_series && l->has_names; i++)
		add_series_key(gp, p, l->series[i]);
	if (l->has_spoiled)
		add_kind_key(gp, "lc rgb '#404040' pt 6 ps 1.3*k lw 1.3",
			     "hollow: spoiled, no answer");
	if (l->has_limited)
		add_kind_key(gp, "lc rgb '#000000' pt 2 ps 1.7*k lw 1.3", p->limited_title);
	for (size_t i = 0; i < l->nr_marks; i++) {
		buf_addstr(gp, ", \\\n     keyentry");
		add_shape(gp, p, l->marks[i]);
		add_key(gp, l->marks[i]->title);
	}
}

static void add_legend(struct buf *gp, const struct picture *p)
{
	const struct picture_layout *l = picture_layout(p);

	if (!l->has_legend)
		return;
	buf_addf(gp,
		 "set lmargin at screen 0\nset rmargin at screen 1\n"
		 "set bmargin at screen 0\nset tmargin at screen 1\n"
		 "unset border\nunset tics\nunset grid\n"
		 "set key at screen %.6f,%.6f left top vertical Left reverse noenhanced samplen "
		 "2.5 spacing 1.35 maxcols 1\n"
		 "plot NaN notitle",
		 l->legend_x / PICTURE_WIDTH, 1 - l->legend_y / l->height);
	add_keys(gp, p, &l->legend);
	buf_addstr(gp, "\n");
}

static void add_panel(struct buf *gp, const struct picture *p, const struct panel *panel)
{
	bool is_first = true;

	add_axes(gp, p, panel);
	script_add_notes(gp, p, panel);
	if (panel->nr_heat) {
		heat_add_colors(gp, p, panel);
		heat_add_plots(gp, p, panel, &is_first);
	}
	plot_series(gp, p, panel, &is_first);
	plot_kind(gp, p, panel, true, &is_first);
	plot_kind(gp, p, panel, false, &is_first);
	plot_marks(gp, p, panel, &is_first);
	/* A panel without any point still has its axes. */
	if (is_first)
		buf_addstr(gp, "plot NaN notitle");
	buf_addstr(gp, "\nunset label\nunset arrow\nunset object\n");
}

void picture_script(const struct picture *p, const char *formats, struct buf *gp)
{
	add_head(gp, p, formats);
	add_frame(gp, p);
	for (size_t i = 0; i < (size_t)p->rows * p->cols; i++)
		add_panel(gp, p, &p->panel[i]);
	add_legend(gp, p);
	buf_addf(gp,
		 "unset multiplot\nset output\nreset\n"
		 "picture = picture + 1\n"
		 "if (picture <= words(formats)) load '%s.gp'\n"
		 "undefine picture\n",
		 p->name);
}
