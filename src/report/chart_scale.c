/* SPDX-License-Identifier: MIT */
/* One scale for pictures that will be laid beside each other. */
#include "report/chart_group.h"

#include "base/mem.h"
#include "base/num.h"
#include "report/picture_parts.h"

#include <stdlib.h>
#include <string.h>

/* What the values of a panel cover. */
struct span {
	double min, max;
};

struct shared {
	const char *key;
	struct panel *panel;
	struct span x, y, heat;
};

static void cover(struct span *s, double v)
{
	s->min = fmin(s->min, v);
	s->max = fmax(s->max, v);
}

static struct shared look_at(const struct picture *p, struct panel *panel)
{
	const struct span none = {UNKNOWN, UNKNOWN};
	struct shared s = {p->scale_key, panel, none, none, none};

	for (size_t i = 0; i < panel->nr_series; i++) {
		for (size_t k = 0; k < panel->series[i].nr; k++) {
			const struct cell *c = &panel->series[i].cell[k];

			cover(&s.x, c->x);
			cover(&s.y, c->y);
		}
	}
	for (size_t i = 0; i < panel->nr_heat; i++)
		if (panel->heat[i].kind != CELL_GAP)
			cover(&s.heat, panel->heat[i].value);
	return s;
}

static void share_axis(struct panel_axis *a, const struct panel_axis *b, const struct span *s)
{
	if (a->scale == SCALE_RANK || !axis_is_same(a, b))
		return;
	axis_cover(a, s->min);
	axis_cover(a, s->max);
}

static void share_colors(struct panel *p, const struct panel *other, const struct span *s)
{
	if (!p->heat_title || !other->heat_title || strcmp(p->heat_title, other->heat_title) != 0)
		return;
	p->heat_min = fmin(p->heat_min, s->min);
	p->heat_max = fmax(p->heat_max, s->max);
}

static void share(struct shared *to, const struct shared *from)
{
	share_axis(&to->panel->x, &from->panel->x, &from->x);
	share_axis(&to->panel->y, &from->panel->y, &from->y);
	share_colors(to->panel, from->panel, &from->heat);
}

void charts_share_scales(struct charts *c)
{
	struct shared *s = NULL;
	size_t nr = 0, cap = 0;

	for (size_t i = 0; i < c->nr; i++) {
		struct picture *p = &c->v[i];

		for (size_t k = 0; p->scale_key && k < (size_t)p->rows * p->cols; k++) {
			VEC_GROW(s, nr, cap);
			s[nr++] = look_at(p, &p->panel[k]);
		}
	}
	for (size_t i = 0; i < nr; i++)
		for (size_t k = 0; k < nr; k++)
			if (!strcmp(s[i].key, s[k].key))
				share(&s[i], &s[k]);
	free(s);
}
