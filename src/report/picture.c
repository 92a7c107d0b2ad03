/* SPDX-License-Identifier: MIT */
#include "report/picture_parts.h"

#include "base/mem.h"
#include "base/num.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static struct panel_axis axis_empty(void)
{
	return (struct panel_axis){.min = UNKNOWN, .max = UNKNOWN, .from = UNKNOWN, .to = UNKNOWN};
}

void picture_init(struct picture *p, unsigned rows, unsigned cols)
{
	*p = (struct picture){.limited_title = "limited by host or client",
			      .rows = rows,
			      .cols = cols,
			      .panel = xcalloc((size_t)rows * cols, sizeof(*p->panel)),
			      .layout = xcalloc(1, sizeof(*p->layout))};
	for (size_t i = 0; i < (size_t)rows * cols; i++) {
		struct panel *panel = &p->panel[i];

		panel->x = axis_empty();
		panel->y = axis_empty();
		panel->heat_min = panel->heat_max = UNKNOWN;
	}
}

static void axis_release(struct panel_axis *a)
{
	for (size_t i = 0; i < a->nr_ticks; i++)
		free(a->tick[i].label);
	free(a->tick);
}

static void series_release(struct series *s)
{
	for (size_t i = 0; i < s->nr; i++) {
		free(s->cell[i].label);
		free(s->cell[i].tip);
	}
	free(s->cell);
	buf_release(&s->name);
}

static void heat_release(struct panel *p)
{
	for (size_t i = 0; i < p->nr_heat; i++) {
		free(p->heat[i].text);
		free(p->heat[i].tip);
	}
	free(p->heat);
}

static void panel_release(struct panel *p)
{
	buf_release(&p->title);
	axis_release(&p->x);
	axis_release(&p->y);
	for (size_t i = 0; i < p->nr_series; i++)
		series_release(&p->series[i]);
	for (size_t i = 0; i < p->nr_marks; i++) {
		free(p->marks[i].title);
		free(p->marks[i].v);
	}
	for (size_t i = 0; i < p->nr_rules; i++)
		free(p->rule[i].label);
	for (size_t i = 0; i < p->nr_bands; i++)
		free(p->band[i].label);
	heat_release(p);
}

void picture_release(struct picture *p)
{
	picture_layout_release(p->layout);
	for (size_t i = 0; i < (size_t)p->rows * p->cols; i++)
		panel_release(&p->panel[i]);
	free(p->panel);
	free(p->name);
	free(p->scale_key);
	buf_release(&p->title);
	buf_release(&p->subtitle);
	buf_release(&p->caption);
	*p = (struct picture){0};
}

struct panel *picture_panel(struct picture *p, unsigned row, unsigned col)
{
	assert(row < p->rows && col < p->cols);
	return &p->panel[(size_t)row * p->cols + col];
}

struct series *panel_add_series(struct panel *p, enum look look)
{
	struct series *s = &p->series[p->nr_series];

	assert(p->nr_series < PICTURE_MAX_SERIES);
	p->nr_series++;
	*s = (struct series){.look = look};
	return s;
}

struct cell *series_add(struct series *s, enum cell_kind kind, double x, double y)
{
	struct cell *c;

	VEC_GROW(s->cell, s->nr, s->cap);
	c = &s->cell[s->nr++];
	*c = (struct cell){.x = x,
			   .y = y,
			   .x_low = UNKNOWN,
			   .x_high = UNKNOWN,
			   .y_low = UNKNOWN,
			   .y_high = UNKNOWN,
			   .kind = isfinite(x) && isfinite(y) ? kind : CELL_GAP};
	return c;
}

struct marks *panel_add_marks(struct panel *p, const char *title)
{
	struct marks *m = &p->marks[p->nr_marks];

	assert(p->nr_marks < PANEL_MAX_MARKS);
	p->nr_marks++;
	*m = (struct marks){.title = xstrdup(title)};
	return m;
}

void marks_add(struct marks *m, double x, double y)
{
	if (!isfinite(x) || !isfinite(y))
		return;
	VEC_GROW(m->v, m->nr, m->cap);
	m->v[m->nr++] = (struct mark){x, y};
}

struct rule *panel_add_rule(struct panel *p, bool is_vertical, double at, const char *label)
{
	if (p->nr_rules == PANEL_MAX_RULES || !isfinite(at))
		return NULL;
	p->rule[p->nr_rules] =
		(struct rule){.is_vertical = is_vertical, .at = at, .label = xstrdup(label)};
	return &p->rule[p->nr_rules++];
}

void panel_add_band(struct panel *p, double from, double to, const char *label)
{
	if (p->nr_bands < PANEL_MAX_BANDS && from < to)
		p->band[p->nr_bands++] = (struct band){from, to, xstrdup(label)};
}

struct heat_cell *panel_add_heat(struct panel *p, enum cell_kind kind, double x, double y,
				 double value)
{
	struct heat_cell *h;

	VEC_GROW(p->heat, p->nr_heat, p->heat_cap);
	h = &p->heat[p->nr_heat++];
	*h = (struct heat_cell){
		.x = x, .y = y, .value = value, .kind = isfinite(value) ? kind : CELL_GAP};
	return h;
}

void axis_cover(struct panel_axis *a, double v)
{
	if (!isfinite(v) || (scale_is_log(a->scale) && !(v > 0)))
		return;
	a->min = fmin(v, a->min);
	a->max = fmax(v, a->max);
}

void axis_add_tick(struct panel_axis *a, double at, const char *label)
{
	if (a->nr_ticks && a->tick[a->nr_ticks - 1].at >= at)
		return;
	VEC_GROW(a->tick, a->nr_ticks, a->tick_cap);
	a->tick[a->nr_ticks++] = (struct tick){at, xstrdup(label)};
}

bool series_has(const struct series *s, enum cell_kind kind)
{
	for (size_t i = 0; i < s->nr; i++)
		if (s->cell[i].kind == kind)
			return true;
	return false;
}

bool series_is_visible(const struct series *s)
{
	return series_has(s, CELL_VALID) || series_has(s, CELL_LIMITED) ||
	       series_has(s, CELL_SPOILED);
}

bool panel_has_points(const struct panel *p)
{
	for (size_t i = 0; i < p->nr_series; i++)
		if (series_is_visible(&p->series[i]))
			return true;
	for (size_t i = 0; i < p->nr_heat; i++)
		if (p->heat[i].kind != CELL_GAP)
			return true;
	return false;
}

bool picture_has_points(const struct picture *p)
{
	for (size_t i = 0; i < (size_t)p->rows * p->cols; i++)
		if (panel_has_points(&p->panel[i]))
			return true;
	return false;
}

bool picture_is_heat(const struct picture *p)
{
	for (size_t i = 0; i < (size_t)p->rows * p->cols; i++)
		if (p->panel[i].nr_heat)
			return true;
	return false;
}

struct bar_room panel_bar_room(const struct panel *p, const struct series *s)
{
	size_t nr = 0, before = 0;

	for (size_t i = 0; i < p->nr_series; i++) {
		if (p->series[i].look != LOOK_BARS)
			continue;
		before += &p->series[i] < s;
		nr++;
	}
	if (!nr)
		return (struct bar_room){0, 0.8};
	return (struct bar_room){0.8 * (((double)before + 0.5) / (double)nr - 0.5),
				 0.8 / (double)nr};
}
