/* SPDX-License-Identifier: MIT */
/* The data file: a block for each series, each kind of marks and each heat map. */
#include "report/picture_parts.h"

#include "base/num.h"
#include "report/format.h"

#include <string.h>

size_t picture_block(const struct picture *p, const struct panel *panel)
{
	size_t nr = 0;

	for (const struct panel *q = p->panel; q < panel; q++)
		nr += q->nr_series + q->nr_marks + (q->nr_heat ? 1 : 0);
	return nr;
}

static void add_value(struct buf *b, double v)
{
	if (isfinite(v))
		buf_addf(b, " %.10g", v);
	else
		buf_addstr(b, " NaN");
}

/* gnuplot would stop at what a log scale does not have. */
static double on_axis(const struct axis_view *a, double v)
{
	return scale_is_log(a->scale) && !(v > 0) ? UNKNOWN : v;
}

static double clamp(const struct axis_view *a, double v)
{
	return isnan(v) ? v : fmin(fmax(v, fmin(a->lo, a->hi)), fmax(a->lo, a->hi));
}

static void add_interval(struct buf *b, const struct axis_view *a, double low, double high)
{
	bool is_known = isfinite(low) && isfinite(high);

	add_value(b, is_known ? clamp(a, low) : UNKNOWN);
	add_value(b, is_known ? clamp(a, high) : UNKNOWN);
}

static void add_x(struct buf *b, double x)
{
	if (isfinite(x))
		buf_addf(b, "%.15g", x);
	else
		buf_addstr(b, "NaN");
}

static void add_cell(struct buf *b, const struct panel_layout *l, const struct series *s,
		     const struct cell *c, double shift)
{
	double y = on_axis(&l->y, c->y);

	add_x(b, on_axis(&l->x, c->x) + shift);
	add_value(b, c->kind == CELL_VALID || c->kind == CELL_LIMITED ? y : UNKNOWN);
	add_value(b, c->kind == CELL_SPOILED ? y : UNKNOWN);
	add_value(b, c->kind == CELL_LIMITED ? y : UNKNOWN);
	if (series_has_intervals(s, true) || series_has_intervals(s, false))
		add_interval(b, &l->y, c->y_low, c->y_high);
	if (series_has_intervals(s, false))
		add_interval(b, &l->x, c->x_low, c->x_high);
	buf_addch(b, '\n');
}

bool series_has_intervals(const struct series *s, bool is_y)
{
	for (size_t i = 0; i < s->nr; i++) {
		const struct cell *c = &s->cell[i];

		if (c->kind != CELL_GAP && isfinite(is_y ? c->y_low : c->x_low) &&
		    isfinite(is_y ? c->y_high : c->x_high))
			return true;
	}
	return false;
}

bool picture_has_intervals(const struct picture *p)
{
	for (size_t i = 0; i < (size_t)p->rows * p->cols; i++)
		for (size_t k = 0; k < p->panel[i].nr_series; k++)
			if (series_has_intervals(&p->panel[i].series[k], true) ||
			    (p->panel[i].series[k].look == LOOK_CURVE &&
			     series_has_intervals(&p->panel[i].series[k], false)))
				return true;
	return false;
}

/* gnuplot counts blocks by what is in them, so none may be empty. */
static void begin_block(struct buf *b, const struct panel *panel, const char *name, bool *is_first)
{
	buf_addstr(b, *is_first ? "# " : "\n\n# ");
	if (panel->title.len) {
		buf_add_clean(b, buf_text(&panel->title), panel->title.len + 1);
		buf_addstr(b, ": ");
	}
	buf_add_clean(b, name, strlen(name) + 1);
	buf_addch(b, '\n');
	*is_first = false;
}

static void add_series(struct buf *b, const struct picture *p, const struct panel *panel,
		       const struct series *s)
{
	const struct panel_layout *l = panel_layout(p, panel);
	bool is_shifted = s->look == LOOK_BARS && panel->x.scale == SCALE_RANK;
	double shift = is_shifted ? panel_bar_room(panel, s).shift : 0;

	for (size_t i = 0; i < s->nr; i++)
		add_cell(b, l, s, &s->cell[i], shift);
	if (!s->nr)
		buf_addstr(b, "NaN NaN NaN NaN\n");
}

static void add_marks(struct buf *b, const struct panel_layout *l, const struct marks *m)
{
	for (size_t i = 0; i < m->nr; i++) {
		add_x(b, on_axis(&l->x, m->v[i].x));
		add_value(b, on_axis(&l->y, m->v[i].y));
		buf_addch(b, '\n');
	}
	if (!m->nr)
		buf_addstr(b, "NaN NaN\n");
}

static void add_panel(struct buf *b, const struct picture *p, const struct panel *panel,
		      bool *is_first)
{
	for (size_t i = 0; i < panel->nr_series; i++) {
		const struct series *s = &panel->series[i];

		begin_block(b, panel, buf_text(&s->name), is_first);
		add_series(b, p, panel, s);
	}
	for (size_t i = 0; i < panel->nr_marks; i++) {
		begin_block(b, panel, panel->marks[i].title, is_first);
		add_marks(b, panel_layout(p, panel), &panel->marks[i]);
	}
	if (panel->nr_heat) {
		begin_block(b, panel, panel->heat_title ? panel->heat_title : "values", is_first);
		heat_add_data(b, p, panel);
	}
}

void picture_data(const struct picture *p, struct buf *dat)
{
	bool is_first = true;

	if (picture_is_heat(p))
		buf_addstr(dat, "# x, y, value, place of a gap, place of what is framed, text, its "
				"colour\n");
	else
		buf_addf(dat,
			 "# x, y, y of spoiled points, y where this holds: %s;\n# then, of series "
			 "where they are known, the 95 %% intervals of y and of x\n",
			 p->limited_title);
	for (size_t i = 0; i < (size_t)p->rows * p->cols; i++)
		add_panel(dat, p, &p->panel[i], &is_first);
}
