/* SPDX-License-Identifier: MIT */
#include "report/picture_pair.h"

#include "base/mem.h"
#include "base/num.h"
#include "report/format.h"
#include "report/gnuplot.h"

#include <stdlib.h>
#include <string.h>

#define TITLE_CHARS  90
#define LEGEND_CHARS 26
/* Labels on the x axis stand no closer than this share of its length. */
#define TICK_GAP 0.045

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

/* Columns of the data file. */
enum column { COL_X = 1, COL_IOPS, COL_LAT, COL_BAD_IOPS, COL_BAD_LAT, COL_LIM_IOPS, COL_LIM_LAT };

/* The two panels. */
struct panel {
	double bottom, top; /* in shares of the picture */
	const char *y_title;
	int column[3]; /* valid, spoiled, limited */
	bool has_x_axis;
	bool has_key;
};

void picture_init(struct picture *p)
{
	*p = (struct picture){.limited_title = "host or client was the limit",
			      .lat_min_ms = UNKNOWN,
			      .lat_max_ms = UNKNOWN};
	for (size_t i = 0; i < PICTURE_MAX_CAPS; i++)
		p->cap_mean_ms[i] = UNKNOWN;
}

void picture_release(struct picture *p)
{
	free(p->name);
	buf_release(&p->title);
	buf_release(&p->subtitle);
	buf_release(&p->caption);
	for (size_t i = 0; i < p->nr_series; i++) {
		buf_release(&p->series[i].name);
		free(p->series[i].cell);
	}
	for (size_t i = 0; i < p->nr_ticks; i++)
		free(p->tick[i].label);
	free(p->tick);
	free(p->knees.v);
	for (size_t i = 0; i < PICTURE_MAX_CAPS; i++) {
		free(p->caps[i].v);
		free(p->cap_title[i]);
	}
	*p = (struct picture){0};
}

struct series *picture_add_series(struct picture *p)
{
	struct series *s = &p->series[p->nr_series++];

	*s = (struct series){0};
	return s;
}

void series_add(struct series *s, double x, enum cell_kind kind, double iops, double lat_ms)
{
	VEC_GROW(s->cell, s->nr, s->cap);
	s->cell[s->nr++] = (struct cell){x, iops, lat_ms, isnan(iops) ? CELL_GAP : kind};
}

void picture_add_tick(struct picture *p, double x, const char *label)
{
	if (p->nr_ticks && p->tick[p->nr_ticks - 1].x >= x)
		return;
	VEC_GROW(p->tick, p->nr_ticks, p->tick_cap);
	p->tick[p->nr_ticks++] = (struct tick){x, xstrdup(label)};
}

void marks_add(struct marks *m, double x, double iops, double lat_ms)
{
	VEC_GROW(m->v, m->nr, m->cap);
	m->v[m->nr++] = (struct mark){x, iops, lat_ms};
}

static bool series_has(const struct series *s, enum cell_kind kind)
{
	for (size_t i = 0; i < s->nr; i++)
		if (s->cell[i].kind == kind)
			return true;
	return false;
}

static bool series_is_visible(const struct series *s)
{
	return series_has(s, CELL_VALID) || series_has(s, CELL_LIMITED) ||
	       series_has(s, CELL_SPOILED);
}

bool picture_has_points(const struct picture *p)
{
	for (size_t i = 0; i < p->nr_series; i++)
		if (series_is_visible(&p->series[i]))
			return true;
	return false;
}

/* The data file. */

static void add_value(struct buf *b, double v)
{
	if (isfinite(v))
		buf_addf(b, " %.10g", v);
	else
		buf_addstr(b, " NaN");
}

static void add_pair(struct buf *b, const struct cell *c, bool is_shown)
{
	add_value(b, is_shown ? c->iops : UNKNOWN);
	add_value(b, is_shown ? c->lat_ms : UNKNOWN);
}

static void add_cell(struct buf *b, const struct cell *c)
{
	buf_addf(b, "%.15g", c->x);
	add_pair(b, c, c->kind == CELL_VALID || c->kind == CELL_LIMITED);
	add_pair(b, c, c->kind == CELL_SPOILED);
	add_pair(b, c, c->kind == CELL_LIMITED);
	buf_addch(b, '\n');
}

static void add_marks(struct buf *b, const char *title, const struct marks *m)
{
	buf_addf(b, "\n\n# %s\n", title);
	for (size_t i = 0; i < m->nr; i++) {
		buf_addf(b, "%.15g", m->v[i].x);
		add_value(b, m->v[i].iops);
		add_value(b, m->v[i].lat_ms);
		buf_addch(b, '\n');
	}
	/* gnuplot counts blocks by what is in them, so none may be empty. */
	if (!m->nr)
		buf_addstr(b, "NaN NaN NaN\n");
}

void picture_data(const struct picture *p, struct buf *dat)
{
	buf_addstr(dat, "# x, iops, lat_mean_ms, the same two of spoiled points, the same two of "
			"points\n# that were limited by the client or the host's queue\n");
	for (size_t i = 0; i < p->nr_series; i++) {
		const struct series *s = &p->series[i];

		buf_addstr(dat, i ? "\n\n# " : "# ");
		format_short(dat, buf_text(&s->name), s->name.len + 1);
		buf_addch(dat, '\n');
		for (size_t c = 0; c < s->nr; c++)
			add_cell(dat, &s->cell[c]);
	}
	add_marks(dat, "knees", &p->knees);
	for (size_t i = 0; i < PICTURE_MAX_CAPS && p->cap_title[i]; i++)
		add_marks(dat, p->cap_title[i], &p->caps[i]);
}

/* The script. */

static void add_quoted(struct buf *b, const struct buf *text, size_t max)
{
	struct buf s = BUF_INIT;

	format_short(&s, buf_text(text), max);
	gnuplot_quote(b, buf_text(&s));
	buf_release(&s);
}

static double power_of_ten_below(double v)
{
	return pow(10, floor(log10(v)));
}

/* A round number at or above v, for the end of a linear axis. */
static double round_up(double v)
{
	double ten = power_of_ten_below(v), step;

	step = v / ten < 2 ? ten / 5 : v / ten < 5 ? ten / 2 : ten;
	return ceil(v / step) * step;
}

/* Round steps of a log axis within a decade, ended by 10. */
static const double coarse_steps[] = {1, 2, 5, 10};
static const double fine_steps[] = {1, 1.5, 2, 3, 4, 5, 6, 7, 8, 10};

struct steps {
	const double *v;
	size_t nr;
};

/* The nearest round step at or below v, or at or above it. */
static double round_step(struct steps steps, double v, bool up)
{
	double ten = power_of_ten_below(v), best = up ? 10 : 1;

	for (size_t i = 0; i < steps.nr; i++) {
		double s = steps.v[i];

		if (up && s * ten >= v * (1 - 1e-9) && s < best)
			best = s;
		if (!up && s * ten <= v * (1 + 1e-9) && s > best)
			best = s;
	}
	return best * ten;
}

static void add_iops_axis(struct buf *gp, const struct picture *p)
{
	double max = p->iops_max > 0 ? round_up(p->iops_max * 1.04) : 1;

	buf_addstr(gp, "unset logscale y\nset ytics autofreq\n");
	buf_addf(gp, "set format y '%s'\n", max >= 10 ? "%.0f" : "%g");
	buf_addf(gp, "set yrange [0:%.10g]\n", max);
}

/* Below a decade all round steps, to three decades 1, 2, 5, beyond whole decades. */
static void add_lat_axis(struct buf *gp, const struct picture *p)
{
	bool is_narrow = p->lat_max_ms < p->lat_min_ms * 8;
	struct steps steps = is_narrow ? (struct steps){fine_steps, NR(fine_steps)}
				       : (struct steps){coarse_steps, NR(coarse_steps)};
	double lo = round_step(steps, p->lat_min_ms * 0.95, false);
	double hi = round_step(steps, p->lat_max_ms * 1.05, true);
	const char *sep = "";

	if (hi / lo > 1001)
		steps.nr = 1;
	buf_addf(gp, "set logscale y 10\nset yrange [%.10g:%.10g]\nset ytics (", lo, hi);
	for (double t = round_step(steps, lo, true); t <= hi * (1 + 1e-9);
	     t = round_step(steps, t * 1.05, true)) {
		buf_addf(gp, "%s'%.10g' %.10g", sep, t, t);
		sep = ", ";
	}
	buf_addstr(gp, ")\n");
}

/* How wide a label is, as a share of the axis: about 9 of 700 pixels a character. */
static double label_share(const char *label)
{
	return fmax(TICK_GAP, 0.0125 * (double)text_width(label) + 0.014);
}

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

/* Every measured place has a tick; labels that would touch the one before are left out. The
 * upper of two panels has no labels. A linear axis begins at 0 and has ticks of its own. */
static void add_x_axis(struct buf *gp, const struct picture *p, bool is_labelled)
{
	double first = p->tick[0].x, last = p->tick[p->nr_ticks - 1].x;
	double margin = first < last ? fmax(pow(last / first, 0.03), 1.05) : 2;
	double length = log(last / first) + 2 * log(margin), free_from = 0;

	if (p->is_linear_x) {
		buf_addf(gp, "unset logscale x\nset xrange [0:%.10g]\nset xtics autofreq\n",
			 round_up(last * 1.02));
		buf_addf(gp, "set format x '%s'\n", is_labelled ? "%g" : "");
		return;
	}
	buf_addf(gp, "set logscale x 2\nset xrange [%.10g:%.10g]\nset xtics (", first / margin,
		 last * margin);
	for (size_t i = 0; i < p->nr_ticks; i++) {
		const struct tick *t = &p->tick[i];
		double at = log(t->x / first) / length, half = label_share(t->label) / 2;
		bool has_room = i == 0 || at - half >= free_from;

		buf_addstr(gp, i ? ", " : "");
		add_tick_label(gp, has_room && is_labelled ? t->label : "");
		buf_addf(gp, " %.15g%s", t->x, has_room ? "" : " 1");
		if (has_room)
			free_from = at + half;
	}
	buf_addstr(gp, ")\n");
}

static void add_terminals(struct buf *gp, const struct picture *p)
{
	buf_addf(gp,
		 "# Draws %s.png and %s.svg: run gnuplot on this file in its own directory.\n"
		 "set encoding utf8\n"
		 "if (!exists('picture')) picture = 'png'\n"
		 "if (picture eq 'png') set terminal pngcairo noenhanced size 1100,820 font "
		 "'sans,11' background '#ffffff'\n"
		 "if (picture eq 'svg') set terminal svg noenhanced size 1100,820 font "
		 "'sans-serif,11' fontscale 1.3 background '#ffffff'\n"
		 "set output '%s.'.picture\n",
		 p->name, p->name, p->name);
}

static void add_frame(struct buf *gp, const struct picture *p)
{
	buf_addstr(gp, "set border 3 lc rgb '#606060'\n"
		       "set grid x y lc rgb '#d8d8d8' lt 1 lw 0.7\n"
		       "set tics nomirror out scale 0.6 textcolor rgb '#202020'\n"
		       "set lmargin at screen 0.1\nset rmargin at screen 0.735\n"
		       "set multiplot\n");
	buf_addstr(gp, "set label 1 ");
	add_quoted(gp, &p->title, TITLE_CHARS);
	buf_addstr(gp, " at screen 0.1,0.965 left noenhanced font ',15'\nset label 2 ");
	add_quoted(gp, &p->subtitle, TITLE_CHARS + 20);
	buf_addstr(gp, " at screen 0.1,0.93 left noenhanced font ',11' textcolor rgb '#505050'\n");
}

static void begin_plot(struct buf *gp, bool *is_first)
{
	buf_addstr(gp, *is_first ? "plot " : ", \\\n     ");
	*is_first = false;
}

static void add_title(struct buf *gp, const struct panel *panel, const char *title)
{
	if (!panel->has_key || !title) {
		buf_addstr(gp, " notitle");
		return;
	}
	buf_addstr(gp, " title ");
	gnuplot_quote(gp, title);
}

static void plot_series(struct buf *gp, const struct picture *p, const struct panel *panel,
			bool *is_first)
{
	for (size_t i = 0; i < p->nr_series; i++) {
		const struct series *s = &p->series[i];
		struct buf title = BUF_INIT;

		if (!series_has(s, CELL_VALID) && !series_has(s, CELL_LIMITED))
			continue;
		format_short(&title, buf_text(&s->name), LEGEND_CHARS);
		begin_plot(gp, is_first);
		buf_addf(gp,
			 "data index %zu using %d:%d with linespoints lc rgb '%s' pt %d ps 1.1 "
			 "dt %d lw 1.8",
			 i, COL_X, panel->column[0], looks[i].color, looks[i].point, looks[i].dash);
		add_title(gp, panel, buf_text(&title));
		buf_release(&title);
	}
}

static void plot_kind(struct buf *gp, const struct picture *p, const struct panel *panel,
		      enum cell_kind kind, bool *is_first)
{
	bool is_spoiled = kind == CELL_SPOILED, is_named = false;

	for (size_t i = 0; i < p->nr_series; i++) {
		if (!series_has(&p->series[i], kind))
			continue;
		begin_plot(gp, is_first);
		buf_addf(gp,
			 "data index %zu using %d:%d with points lc rgb '%s' pt %d ps %s lw 1.3", i,
			 COL_X, panel->column[is_spoiled ? 1 : 2],
			 is_spoiled ? looks[i].color : "#000000",
			 is_spoiled ? looks[i].point - 1 : 2, is_spoiled ? "1.3" : "1.7");
		add_title(gp, panel,
			  is_named     ? NULL
			  : is_spoiled ? "hollow: spoiled, no answer"
				       : p->limited_title);
		is_named = true;
	}
}

/* In the upper panel only: below, where curves lie close, they would cover one another. */
static void plot_marks(struct buf *gp, const struct picture *p, const struct panel *panel,
		       bool *is_first)
{
	static const int cap_point[PICTURE_MAX_CAPS] = {4, 12};
	size_t index = p->nr_series;

	if (p->knees.nr) {
		begin_plot(gp, is_first);
		buf_addf(gp,
			 "data index %zu using %d:%d with points lc rgb '#000000' pt 6 ps 2.2 "
			 "lw 1.4",
			 index, COL_X, panel->column[0]);
		add_title(gp, panel, "saturates here (knee)");
	}
	for (size_t i = 0; i < PICTURE_MAX_CAPS && p->cap_title[i]; i++) {
		char *title = xasprintf("max IOPS, %s", p->cap_title[i]);

		if (p->caps[i].nr) {
			begin_plot(gp, is_first);
			buf_addf(gp,
				 "data index %zu using %d:%d with points lc rgb '#000000' pt %d "
				 "ps 2.8 lw 1.4",
				 index + 1 + i, COL_X, panel->column[0], cap_point[i]);
			add_title(gp, panel, title);
		}
		free(title);
	}
}

static void add_panel(struct buf *gp, const struct picture *p, const struct panel *panel)
{
	bool is_first = true;

	buf_addf(gp, "set bmargin at screen %g\nset tmargin at screen %g\n", panel->bottom,
		 panel->top);
	buf_addf(gp, "set label 5 '%s' at screen 0.016,%g center rotate\n", panel->y_title,
		 (panel->bottom + panel->top) / 2);
	add_x_axis(gp, p, panel->has_x_axis);
	if (panel->has_x_axis)
		buf_addf(gp, "set xlabel '%s'\n", p->x_title);
	if (panel->has_key)
		buf_addstr(gp, "set key at screen 0.75,0.9 left top vertical Left reverse "
			       "noenhanced samplen 2.5 spacing 1.35\n");
	else
		buf_addstr(gp, "unset key\n");
	plot_series(gp, p, panel, &is_first);
	plot_kind(gp, p, panel, CELL_SPOILED, &is_first);
	plot_kind(gp, p, panel, CELL_LIMITED, &is_first);
	if (panel->has_key)
		plot_marks(gp, p, panel, &is_first);
	buf_addstr(gp, "\nunset label 1\nunset label 2\n");
}

static void add_cap_lines(struct buf *gp, const struct picture *p)
{
	for (size_t i = 0; i < PICTURE_MAX_CAPS; i++) {
		double ms = p->cap_mean_ms[i];

		if (isnan(ms) || ms < p->lat_min_ms / 2 || ms > p->lat_max_ms * 2)
			continue;
		buf_addf(gp,
			 "set arrow %zu from graph 0, first %.10g to graph 1, first %.10g nohead "
			 "lc rgb '#404040' dt 3 lw 1.2\n",
			 i + 1, ms, ms);
		buf_addf(gp, "set label %zu ", i + 3);
		gnuplot_quote(gp, p->cap_title[i]);
		buf_addf(gp, " at graph 1.01, first %.10g left noenhanced font ',10'\n", ms);
	}
}

void picture_script(const struct picture *p, struct buf *gp)
{
	bool has_lat = !isnan(p->lat_min_ms);
	struct panel upper = {has_lat ? 0.52 : 0.1,
			      0.9,
			      "IOPS",
			      {COL_IOPS, COL_BAD_IOPS, COL_LIM_IOPS},
			      !has_lat,
			      true};
	struct panel lower = {0.085,
			      0.475,
			      "mean response time (ms, log scale)",
			      {COL_LAT, COL_BAD_LAT, COL_LIM_LAT},
			      true,
			      false};

	add_terminals(gp, p);
	buf_addf(gp, "data = '%s.dat'\n", p->name);
	add_frame(gp, p);
	add_iops_axis(gp, p);
	add_panel(gp, p, &upper);
	if (has_lat) {
		add_lat_axis(gp, p);
		add_cap_lines(gp, p);
		add_panel(gp, p, &lower);
	}
	buf_addf(gp,
		 "unset multiplot\nset output\nreset\n"
		 "if (picture eq 'png') picture = 'svg'; load '%s.gp'\n",
		 p->name);
}
