/* SPDX-License-Identifier: MIT */
/* How much room everything of a picture has. */
#include "report/picture_parts.h"

#include "base/mem.h"
#include "base/num.h"

#include <stdlib.h>
#include <string.h>

#define HEAD	       74.0 /* title and subtitle */
#define LEFT_MARGIN    16.0 /* left of all titles of y axes */
#define AXIS_TITLE     28.0
#define TICK_ROOM      12.0 /* of the tick itself and the blank beside its label */
#define PANEL_TITLE    26.0
#define GAP	       24.0 /* between panels without labels */
#define RIGHT_MARGIN   36.0
#define LEGEND_GAP     16.0
#define LEGEND_SAMPLE  70.0
#define LEGEND_CHARS   26
#define COLOR_BOX_ROOM 130.0

static size_t nr_panels(const struct picture *p)
{
	return (size_t)p->rows * p->cols;
}

const struct panel_layout *panel_layout(const struct picture *p, const struct panel *panel)
{
	return &picture_layout(p)->panel[panel - p->panel];
}

/* The legend. */

static size_t find_series(const struct legend *l, const struct series *s)
{
	size_t i = 0;

	while (i < l->nr_series && strcmp(buf_text(&l->series[i]->name), buf_text(&s->name)) != 0)
		i++;
	return i;
}

static size_t find_marks(const struct legend *l, const struct marks *m)
{
	size_t i = 0;

	while (i < l->nr_marks && strcmp(l->marks[i]->title, m->title) != 0)
		i++;
	return i;
}

static void list_panel(struct legend *l, const struct panel *p)
{
	for (size_t i = 0; i < p->nr_series; i++) {
		const struct series *s = &p->series[i];

		l->has_spoiled |= series_has(s, CELL_SPOILED);
		l->has_limited |= series_has(s, CELL_LIMITED);
		if (find_series(l, s) < l->nr_series)
			continue;
		VEC_GROW(l->series, l->nr_series, l->series_cap);
		l->series[l->nr_series++] = s;
	}
	for (size_t i = 0; i < p->nr_marks; i++)
		if (p->marks[i].nr && l->nr_marks < NR(l->marks) &&
		    find_marks(l, &p->marks[i]) == l->nr_marks)
			l->marks[l->nr_marks++] = &p->marks[i];
}

size_t picture_color(const struct picture *p, const struct series *s)
{
	return s->color ? s->color - 1 : find_series(&picture_layout(p)->legend, s);
}

size_t picture_shape(const struct picture *p, const struct marks *m)
{
	return find_marks(&picture_layout(p)->legend, m);
}

static double wider(double width, const char *text)
{
	size_t chars = text_width(text);

	return fmax(width, CHAR_WIDTH * (double)(chars > LEGEND_CHARS ? LEGEND_CHARS : chars));
}

/* 0 where there is nothing to explain. */
static double legend_room(const struct picture *p, const struct legend *l)
{
	double width = 0;

	for (size_t i = 0; i < l->nr_series && l->has_names; i++)
		width = wider(width, buf_text(&l->series[i]->name));
	for (size_t i = 0; i < l->nr_marks; i++)
		width = wider(width, l->marks[i]->title);
	if (l->has_spoiled)
		width = wider(width, "hollow: spoiled, no answer");
	if (l->has_limited)
		width = wider(width, p->limited_title);
	return width > 0 ? width + LEGEND_SAMPLE + LEGEND_GAP : 0;
}

/* Rows. */

/* The y axis of a panel stands for those to its right. */
static bool has_own_y(const struct picture *p, size_t i)
{
	return i % p->cols == 0 || !axis_is_same(&p->panel[i].y, &p->panel[i - 1].y);
}

/* The x axis of a panel stands for those above. */
static bool has_own_x(const struct picture *p, size_t i)
{
	return i + p->cols >= nr_panels(p) ||
	       !axis_is_same(&p->panel[i].x, &p->panel[i + p->cols].x);
}

static double plain_row_height(const struct picture *p)
{
	static const double height[] = {420, 312, 270};

	return p->rows <= NR(height) ? height[p->rows - 1] : 230;
}

static double row_height(const struct picture *p, unsigned row)
{
	double height = plain_row_height(p);

	for (unsigned c = 0; c < p->cols; c++) {
		const struct axis_view *y = &p->layout->panel[(size_t)row * p->cols + c].y;

		if (y->scale == SCALE_RANK)
			height = fmax(fmin(height, 70 * (y->hi - y->lo)), 26 * (y->hi - y->lo));
	}
	return height;
}

static bool row_has_titles(const struct picture *p, unsigned row)
{
	for (unsigned c = 0; c < p->cols; c++)
		if (p->panel[(size_t)row * p->cols + c].title.len)
			return true;
	return false;
}

static bool row_has_x_labels(const struct picture *p, unsigned row)
{
	for (unsigned c = 0; c < p->cols; c++)
		if (p->layout->panel[(size_t)row * p->cols + c].has_x_labels)
			return true;
	return false;
}

/* Below a row: labels and the title of its x axes. */
static double x_room(const struct picture *p, unsigned row)
{
	double room = 0;

	for (unsigned c = 0; c < p->cols; c++)
		room = fmax(room,
			    axis_view_label_room(&p->layout->panel[(size_t)row * p->cols + c].x));
	return room + TICK_ROOM + AXIS_TITLE;
}

/* Columns. */

/* Left of a panel: the title and the labels of its y axis. */
static double y_room(const struct picture *p, unsigned col)
{
	double room = 0;

	for (unsigned r = 0; r < p->rows; r++) {
		const struct panel_layout *l = &p->layout->panel[(size_t)r * p->cols + col];

		if (l->has_y_labels)
			room = fmax(room, axis_view_label_room(&l->y) + TICK_ROOM + AXIS_TITLE);
	}
	return room;
}

static double right_room(const struct picture *p)
{
	double legend = legend_room(p, &p->layout->legend);

	if (picture_is_heat(p))
		return COLOR_BOX_ROOM;
	return fmax(RIGHT_MARGIN, legend);
}

static void place_columns(const struct picture *p)
{
	struct picture_layout *l = p->layout;
	double free_width = PICTURE_WIDTH - LEFT_MARGIN - right_room(p), x = LEFT_MARGIN, width;

	for (unsigned c = 0; c < p->cols; c++)
		free_width -= y_room(p, c) + (c ? GAP : 0);
	width = fmax(free_width / p->cols, 40);
	for (unsigned c = 0; c < p->cols; c++) {
		x += y_room(p, c) + (c ? GAP : 0);
		for (unsigned r = 0; r < p->rows; r++) {
			struct panel_layout *pl = &l->panel[(size_t)r * p->cols + c];

			pl->box.x = x;
			pl->box.width = width;
			pl->y_title_x = x - y_room(p, c) + LINE_HEIGHT / 2;
		}
		x += width;
	}
	l->legend_x = x + LEGEND_GAP;
}

static void place_rows(const struct picture *p)
{
	struct picture_layout *l = p->layout;
	double y = HEAD;

	for (unsigned r = 0; r < p->rows; r++) {
		double height = row_height(p, r);

		y += row_has_titles(p, r) ? PANEL_TITLE : r ? 0 : LINE_HEIGHT / 2;
		if (!r)
			l->legend_y = y;
		for (unsigned c = 0; c < p->cols; c++) {
			struct panel_layout *pl = &l->panel[(size_t)r * p->cols + c];

			pl->box.y = y;
			pl->box.height = height;
		}
		y += height + (row_has_x_labels(p, r) ? x_room(p, r) : GAP);
		if (row_has_x_labels(p, r) && r + 1 < p->rows)
			y += LINE_HEIGHT;
	}
	l->height = y + LINE_HEIGHT / 2;
}

static void make(const struct picture *p, struct picture_layout *l)
{
	l->is_made = true;
	l->nr_panels = nr_panels(p);
	l->panel = xcalloc(l->nr_panels, sizeof(*l->panel));
	for (size_t i = 0; i < nr_panels(p); i++) {
		struct panel_layout *pl = &l->panel[i];

		list_panel(&l->legend, &p->panel[i]);
		axis_view_init(&pl->x, p, &p->panel[i], false);
		axis_view_init(&pl->y, p, &p->panel[i], true);
		pl->has_x_labels = has_own_x(p, i);
		pl->has_y_labels = has_own_y(p, i);
	}
	l->legend.has_names =
		l->legend.nr_series > 1 || (l->legend.nr_series && l->legend.series[0]->name.len);
	l->has_legend = legend_room(p, &l->legend) > 0;
	for (size_t i = 0; i < nr_panels(p); i++)
		axis_view_label(&l->panel[i].y, row_height(p, (unsigned)(i / p->cols)));
	place_columns(p);
	for (size_t i = 0; i < nr_panels(p); i++)
		axis_view_label(&l->panel[i].x, l->panel[i].box.width);
	place_rows(p);
}

const struct picture_layout *picture_layout(const struct picture *p)
{
	if (!p->layout->is_made)
		make(p, p->layout);
	return p->layout;
}

void picture_layout_release(struct picture_layout *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->nr_panels; i++) {
		axis_view_release(&l->panel[i].x);
		axis_view_release(&l->panel[i].y);
	}
	free(l->legend.series);
	free(l->panel);
	free(l);
}
