/* SPDX-License-Identifier: MIT */
/* One scale for pictures that will be laid beside each other. */
#include "report/chart_group.h"

#include "base/mem.h"
#include "base/num.h"
#include "report/picture_parts.h"

#include <stdlib.h>
#include <string.h>

/* What a panel may share: its axes, and the colours of its heat map. */
enum part { PART_X, PART_Y, PART_COLORS, PART_NR };

/* What panels with this key and the same axis cover together. */
struct shared {
	const char *key;
	enum part part;
	struct panel_axis axis;
};

struct shared_list {
	struct shared *v;
	size_t nr, cap;
};

/* The axis without what it covers; colours as one, too. */
static struct panel_axis axis_of(const struct panel *p, enum part part)
{
	const struct panel_axis *from = part == PART_X ? &p->x : &p->y;
	struct panel_axis a = {.min = UNKNOWN, .max = UNKNOWN};

	a.title = part == PART_COLORS ? p->heat_title : from->title;
	a.scale = part == PART_COLORS ? SCALE_LINEAR : from->scale;
	return a;
}

/* The place of what is shared, added where there is none yet; NULL where it is nobody else's. */
static struct shared *find(struct shared_list *l, const char *key, const struct panel *p,
			   enum part part)
{
	struct panel_axis axis = axis_of(p, part);

	if (part == PART_COLORS ? !axis.title : axis.scale == SCALE_RANK)
		return NULL;
	for (size_t i = 0; i < l->nr; i++)
		if (l->v[i].part == part && axis_is_same(&l->v[i].axis, &axis) &&
		    !strcmp(l->v[i].key, key))
			return &l->v[i];
	VEC_GROW(l->v, l->nr, l->cap);
	l->v[l->nr] = (struct shared){key, part, axis};
	return &l->v[l->nr++];
}

/* The ends of what the panel's values cover. */
static void cover_values(struct panel_axis *a, const struct panel *p, enum part part)
{
	double min = UNKNOWN, max = UNKNOWN;

	for (size_t i = 0; part != PART_COLORS && i < p->nr_series; i++) {
		for (size_t k = 0; k < p->series[i].nr; k++) {
			const struct cell *c = &p->series[i].cell[k];

			min = fmin(min, part == PART_X ? c->x : c->y);
			max = fmax(max, part == PART_X ? c->x : c->y);
		}
	}
	for (size_t i = 0; part == PART_COLORS && i < p->nr_heat; i++) {
		if (p->heat[i].kind == CELL_GAP)
			continue;
		min = fmin(min, p->heat[i].value);
		max = fmax(max, p->heat[i].value);
	}
	axis_cover(a, min);
	axis_cover(a, max);
}

static void take(struct shared_list *l, const char *key, struct panel *p, enum part part)
{
	struct shared *s = find(l, key, p, part);

	if (s)
		cover_values(&s->axis, p, part);
}

static void give(struct shared_list *l, const char *key, struct panel *p, enum part part)
{
	const struct shared *s = find(l, key, p, part);
	struct panel_axis *a = part == PART_X ? &p->x : &p->y;

	if (!s)
		return;
	if (part == PART_COLORS) {
		p->heat_min = fmin(p->heat_min, s->axis.min);
		p->heat_max = fmax(p->heat_max, s->axis.max);
	} else {
		axis_cover(a, s->axis.min);
		axis_cover(a, s->axis.max);
	}
}

static void each_part(struct charts *c, struct shared_list *l,
		      void (*visit)(struct shared_list *l, const char *key, struct panel *p,
				    enum part part))
{
	for (size_t i = 0; i < c->nr; i++) {
		struct picture *p = &c->v[i];

		for (size_t k = 0; p->scale_key && k < (size_t)p->rows * p->cols; k++)
			for (enum part part = 0; part < PART_NR; part++)
				visit(l, p->scale_key, &p->panel[k], part);
	}
}

void charts_share_scales(struct charts *c)
{
	struct shared_list l = {0};

	each_part(c, &l, take);
	each_part(c, &l, give);
	free(l.v);
}
