/* SPDX-License-Identifier: MIT */
/* Lines and bands behind the curves, and all labels inside the axes: each where nothing else is. */
#include "report/picture_parts.h"

#include "base/mem.h"
#include "base/num.h"
#include "report/format.h"
#include "report/gnuplot.h"

#include <stdlib.h>

#define NOTE_CHARS     40
#define NOTE_CHAR      7.2 /* width of a character of their font */
#define NOTE_HEIGHT    15.0
#define POINT_RADIUS   6.0
#define MARK_RADIUS    12.0
#define LINE_STEP      6.0
#define MAX_NOTE_BOXES 8192 /* more points than that leave no room for labels anyway */

/* What no label may cover. */
struct taken {
	struct picture_box *box;
	size_t nr, cap;
};

static void take(struct taken *t, struct picture_box box)
{
	VEC_GROW(t->box, t->nr, t->cap);
	t->box[t->nr++] = box;
}

static bool touches(struct picture_box a, struct picture_box b)
{
	return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height &&
	       b.y < a.y + a.height;
}

static bool is_inside(struct picture_box a, struct picture_box b)
{
	return a.x >= b.x && a.y >= b.y && a.x + a.width <= b.x + b.width + 2 &&
	       a.y + a.height <= b.y + b.height;
}

static bool is_free(const struct taken *t, struct picture_box room, struct picture_box box)
{
	if (!is_inside(box, room))
		return false;
	for (size_t i = 0; i < t->nr; i++)
		if (touches(t->box[i], box))
			return false;
	return true;
}

static void take_around(struct taken *t, struct picture_place at, double radius)
{
	if (!isnan(at.x) && t->nr < MAX_NOTE_BOXES)
		take(t, (struct picture_box){at.x - radius, at.y - radius, 2 * radius, 2 * radius});
}

/* A line from one point to the next. */
static void take_between(struct taken *t, struct picture_place a, struct picture_place b)
{
	double nr = ceil(hypot(b.x - a.x, b.y - a.y) / LINE_STEP);

	for (double i = 1; i < nr; i++)
		take_around(t,
			    (struct picture_place){a.x + (b.x - a.x) * i / nr,
						   a.y + (b.y - a.y) * i / nr},
			    LINE_STEP / 2);
}

static void take_series(struct taken *t, const struct picture *p, const struct panel *panel,
			const struct series *s)
{
	struct picture_place last = {UNKNOWN, UNKNOWN};

	for (size_t i = 0; i < s->nr; i++) {
		struct picture_place at = picture_place_cell(p, panel, s, &s->cell[i]);

		take_around(t, at, POINT_RADIUS);
		if (s->look != LOOK_POINTS && s->look != LOOK_BARS && !isnan(at.x) &&
		    !isnan(last.x))
			take_between(t, last, at);
		last = at;
	}
}

static void take_cells(struct taken *t, const struct picture *p, const struct panel *panel)
{
	for (size_t i = 0; i < panel->nr_series; i++)
		take_series(t, p, panel, &panel->series[i]);
	for (size_t i = 0; i < panel->nr_marks; i++) {
		const struct marks *m = &panel->marks[i];

		for (size_t k = 0; k < m->nr; k++)
			take_around(t, picture_place(p, panel, m->v[k].x, m->v[k].y), MARK_RADIUS);
	}
}

static double note_width(const char *text)
{
	size_t chars = text_width(text);

	return NOTE_CHAR * (double)(chars > NOTE_CHARS ? NOTE_CHARS : chars) + 4;
}

static void add_note(struct buf *gp, const struct picture *p, struct taken *t, const char *text,
		     struct picture_box box)
{
	take(t, box);
	script_add_label(gp, p, text, NOTE_CHARS, box.x + 2, box.y + box.height / 2,
			 "left front font ',9' textcolor rgb '#404040'");
}

/* At the first of these places that is free; where none is, at the first, unless it may be left out. */
static void add_note_somewhere(struct buf *gp, const struct picture *p, struct taken *t,
			       const char *text, struct picture_box room,
			       const struct picture_box *choice, size_t nr, bool may_fail)
{
	if (!*text)
		return;
	for (size_t i = 0; i < nr; i++) {
		if (!is_free(t, room, choice[i]))
			continue;
		add_note(gp, p, t, text, choice[i]);
		return;
	}
	if (!may_fail)
		add_note(gp, p, t, text, choice[0]);
}

/* Rules. */

static void add_line(struct buf *gp, const struct picture *p, double x0, double y0, double x1,
		     double y1, const char *color)
{
	double h = picture_height(p);

	buf_addf(gp,
		 "set arrow from screen %.6f,%.6f to screen %.6f,%.6f nohead back lc rgb '%s' "
		 "dt 3 lw 1.4\n",
		 x0 / PICTURE_WIDTH, 1 - y0 / h, x1 / PICTURE_WIDTH, 1 - y1 / h, color);
}

/* The panel whose notes are added. */
struct site {
	struct buf *gp;
	const struct picture *p;
	const struct panel *panel;
	struct picture_box room;
	struct taken taken;
};

static void add_level(struct site *s, const struct rule *r, double y, const char *color)
{
	double width = note_width(r->label), left = s->room.x + 4;
	double right = s->room.x + s->room.width - width, middle = (left + right) / 2;
	double above = y - NOTE_HEIGHT - 1, below = y + 2;
	const struct picture_box choice[] = {
		{left, above, width, NOTE_HEIGHT},   {right, above, width, NOTE_HEIGHT},
		{left, below, width, NOTE_HEIGHT},   {right, below, width, NOTE_HEIGHT},
		{middle, above, width, NOTE_HEIGHT}, {middle, below, width, NOTE_HEIGHT}};

	add_line(s->gp, s->p, s->room.x, y, s->room.x + s->room.width, y, color);
	add_note_somewhere(s->gp, s->p, &s->taken, r->label, s->room, choice, NR(choice), false);
}

static void add_upright(struct site *s, const struct rule *r, double x, const char *color)
{
	double width = note_width(r->label);
	struct picture_box choice[24];
	size_t nr = 0;

	for (size_t i = 0; i < NR(choice) / 2; i++) {
		double y = s->room.y + 3 + NOTE_HEIGHT * (double)i;

		choice[nr++] = (struct picture_box){x + 2, y, width, NOTE_HEIGHT};
		choice[nr++] = (struct picture_box){x - 2 - width, y, width, NOTE_HEIGHT};
	}
	add_line(s->gp, s->p, x, s->room.y, x, s->room.y + s->room.height, color);
	add_note_somewhere(s->gp, s->p, &s->taken, r->label, s->room, choice, nr, false);
}

static void add_rules(struct site *s)
{
	const struct panel_layout *l = panel_layout(s->p, s->panel);

	for (size_t i = 0; i < s->panel->nr_rules; i++) {
		const struct rule *r = &s->panel->rule[i];
		double share = axis_view_share(r->is_vertical ? &l->x : &l->y, r->at);
		const char *color = r->of ? script_color(s->p, r->of) : "#404040";

		if (!(share >= 0 && share <= 1))
			continue;
		if (r->is_vertical)
			add_upright(s, r, s->room.x + share * s->room.width, color);
		else
			add_level(s, r, s->room.y + (1 - share) * s->room.height, color);
	}
}

static double limit(double share)
{
	return fmin(fmax(share, 0), 1);
}

static void add_bands(struct site *s)
{
	const struct axis_view *x = &panel_layout(s->p, s->panel)->x;
	struct picture_box room = s->room;
	double h = picture_height(s->p);

	for (size_t i = 0; i < s->panel->nr_bands; i++) {
		const struct band *b = &s->panel->band[i];
		double from = room.x + limit(axis_view_share(x, b->from)) * room.width;
		double to = room.x + limit(axis_view_share(x, b->to)) * room.width;
		double width = note_width(b->label);
		struct picture_box at = {(from + to - width) / 2, room.y + 3, width, NOTE_HEIGHT};

		buf_addf(s->gp,
			 "set object rectangle from screen %.6f,%.6f to screen %.6f,%.6f behind fs "
			 "solid 1 noborder fc rgb '#e8e8e8'\n",
			 from / PICTURE_WIDTH, 1 - (room.y + room.height) / h,
			 fmax(to, from + 2) / PICTURE_WIDTH, 1 - room.y / h);
		add_note_somewhere(s->gp, s->p, &s->taken, b->label, room, &at, 1, true);
	}
}

/* Labels of points with a mark around them stand farther away. */
static double label_distance(const struct panel *p, const struct cell *c)
{
	for (size_t i = 0; i < p->nr_marks; i++)
		for (size_t k = 0; k < p->marks[i].nr; k++) {
			const struct mark *m = &p->marks[i].v[k];

			if (m->x >= c->x && m->x <= c->x && m->y >= c->y && m->y <= c->y)
				return MARK_RADIUS + 1;
		}
	return POINT_RADIUS + 1;
}

static void add_cell_label(struct site *s, const struct series *series, const struct cell *c)
{
	struct picture_place at = picture_place_cell(s->p, s->panel, series, c);
	double w = note_width(c->label), h = NOTE_HEIGHT, far = label_distance(s->panel, c);
	double left = at.x - far - w, right = at.x + far, up = at.y - far - h, down = at.y + far;
	double near = 0.3 * far; /* of a corner, which the circle around the point leaves free */
	const struct picture_box choice[] = {{left, at.y - h, w, h},
					     {at.x - w / 2, up, w, h},
					     {right, at.y, w, h},
					     {at.x - w / 2, down, w, h},
					     {left + near, up + near, w, h},
					     {right - near, down - near, w, h},
					     {right - near, up + near, w, h},
					     {left + near, down - near, w, h}};

	if (!isnan(at.x))
		add_note_somewhere(s->gp, s->p, &s->taken, c->label, s->room, choice, NR(choice),
				   true);
}

void script_add_notes(struct buf *gp, const struct picture *p, const struct panel *panel)
{
	struct site s = {.gp = gp, .p = p, .panel = panel, .room = picture_panel_box(p, panel)};

	take_cells(&s.taken, p, panel);
	add_bands(&s);
	add_rules(&s);
	for (size_t i = 0; i < panel->nr_series; i++)
		for (size_t k = 0; k < panel->series[i].nr; k++)
			if (panel->series[i].cell[k].label)
				add_cell_label(&s, &panel->series[i], &panel->series[i].cell[k]);
	if (!panel_has_points(panel))
		script_add_label(gp, p, "no valid points", NOTE_CHARS, s.room.x + s.room.width / 2,
				 s.room.y + s.room.height / 2,
				 "center front textcolor rgb '#707070'");
	free(s.taken.box);
}
