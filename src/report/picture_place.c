/* SPDX-License-Identifier: MIT */
/* What can be laid over a picture: where its values are, and what they say. */
#include "report/picture_parts.h"

#include "base/num.h"
#include "report/format.h"

/* Places. */

double picture_height(const struct picture *p)
{
	return picture_layout(p)->height;
}

struct picture_box picture_panel_box(const struct picture *p, const struct panel *panel)
{
	return panel_layout(p, panel)->box;
}

static struct picture_place place_shifted(const struct picture *p, const struct panel *panel,
					  double x, double y, double shift)
{
	const struct panel_layout *l = panel_layout(p, panel);
	double sx = axis_view_share(&l->x, x + shift), sy = axis_view_share(&l->y, y);

	if (!(sx >= -1e-9 && sx <= 1 + 1e-9 && sy >= -1e-9 && sy <= 1 + 1e-9))
		return (struct picture_place){UNKNOWN, UNKNOWN};
	return (struct picture_place){l->box.x + sx * l->box.width,
				      l->box.y + (1 - sy) * l->box.height};
}

struct picture_place picture_place(const struct picture *p, const struct panel *panel, double x,
				   double y)
{
	return place_shifted(p, panel, x, y, 0);
}

struct picture_place picture_place_cell(const struct picture *p, const struct panel *panel,
					const struct series *s, const struct cell *c)
{
	bool is_shifted = s->look == LOOK_BARS && panel->x.scale == SCALE_RANK;

	if (c->kind == CELL_GAP)
		return (struct picture_place){UNKNOWN, UNKNOWN};
	return place_shifted(p, panel, c->x, c->y, is_shifted ? panel_bar_room(panel, s).shift : 0);
}

struct picture_box picture_place_heat(const struct picture *p, const struct panel *panel,
				      const struct heat_cell *h)
{
	const struct panel_layout *l = panel_layout(p, panel);
	double width = l->box.width / fabs(l->x.hi - l->x.lo);
	double height = l->box.height / fabs(l->y.hi - l->y.lo);
	struct picture_place at = picture_place(p, panel, h->x, h->y);

	return (struct picture_box){at.x - width / 2, at.y - height / 2, width, height};
}

/* Tips. */

static void add_axis_value(struct buf *b, const struct panel_axis *a, double v)
{
	buf_addf(b, "%s%s", a->title ? a->title : "", a->title ? ": " : "");
	for (size_t i = 0; i < a->nr_ticks; i++) {
		if (a->tick[i].at < v || a->tick[i].at > v)
			continue;
		buf_addstr(b, a->tick[i].label);
		return;
	}
	format_sig3(b, v);
}

static void add_interval(struct buf *b, double low, double high)
{
	if (!isfinite(low) || !isfinite(high))
		return;
	buf_addstr(b, " (95 %: ");
	format_sig3(b, low);
	buf_addstr(b, " to ");
	format_sig3(b, high);
	buf_addch(b, ')');
}

static void add_kind(struct buf *b, enum cell_kind kind)
{
	if (kind == CELL_SPOILED)
		buf_addstr(b, "spoiled, no answer\n");
}

void picture_add_tip(struct buf *b, const struct panel *p, const struct series *s,
		     const struct cell *c)
{
	if (c->tip) {
		buf_addstr(b, c->tip);
		return;
	}
	if (s->name.len)
		buf_addf(b, "%s\n", buf_text(&s->name));
	add_axis_value(b, &p->x, c->x);
	if (s->look != LOOK_BARS)
		add_interval(b, c->x_low, c->x_high);
	buf_addch(b, '\n');
	add_axis_value(b, &p->y, c->y);
	add_interval(b, c->y_low, c->y_high);
	buf_addch(b, '\n');
	add_kind(b, c->kind);
}

void picture_add_heat_tip(struct buf *b, const struct panel *p, const struct heat_cell *h)
{
	if (h->tip) {
		buf_addstr(b, h->tip);
		return;
	}
	add_axis_value(b, &p->x, h->x);
	buf_addch(b, '\n');
	add_axis_value(b, &p->y, h->y);
	buf_addf(b, "\n%s%s", p->heat_title ? p->heat_title : "", p->heat_title ? ": " : "");
	if (h->text)
		buf_addstr(b, h->text);
	else
		format_sig3(b, h->value);
	buf_addch(b, '\n');
	add_kind(b, h->kind);
}
