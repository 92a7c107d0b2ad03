/* SPDX-License-Identifier: MIT */
#include "report/chart_group.h"

#include "base/mem.h"
#include "report/chart_free.h"

#include <stdlib.h>
#include <string.h>

/* In the order in which they are listed. */
static chart_kind *const kinds[] = {
	chart_draw_modes,	chart_draw_depths,	  chart_draw_responses,	 chart_draw_spans,
	chart_draw_luns,	chart_draw_loads,	  chart_draw_heats,	 chart_draw_mixes,
	chart_draw_percentiles, chart_draw_distributions, chart_draw_load_tails, chart_draw_series,
};

/* Names that have their colour in all pictures where they stand beside each other. */
struct palette {
	const char *name[PICTURE_MAX_SERIES];
	size_t nr;
};

/* Its place from 1; 0 where there is none. */
static unsigned find_color(const struct palette *pal, const char *name)
{
	for (size_t i = 0; i < pal->nr; i++)
		if (strcmp(pal->name[i], name) == 0)
			return (unsigned)i + 1;
	return 0;
}

/* Add what the palette does not have; returns how many names it had, or -1 where there is no room. */
static int add_names(struct palette *pal, const struct picture *p)
{
	size_t before = pal->nr;
	int known = 0;

	for (size_t i = 0; i < (size_t)p->rows * p->cols; i++)
		for (size_t k = 0; k < p->panel[i].nr_series; k++) {
			const char *name = buf_text(&p->panel[i].series[k].name);

			unsigned color = find_color(pal, name);

			known += color && color <= before;
			if (color)
				continue;
			if (pal->nr == PICTURE_MAX_SERIES)
				return -1;
			pal->name[pal->nr++] = name;
		}
	return known;
}

static void color_picture(const struct palette *pal, struct picture *p)
{
	for (size_t i = 0; i < (size_t)p->rows * p->cols; i++)
		for (size_t k = 0; k < p->panel[i].nr_series; k++) {
			struct series *s = &p->panel[i].series[k];

			s->color = find_color(pal, buf_text(&s->name));
		}
}

/* A span has one colour, and so has a mode, but a mode may have that of a span: a picture shares its palette with
 * those before it that have a name of it. */
static void share_colors(struct charts *c)
{
	struct palette *pal = xcalloc(c->nr + 1, sizeof(*pal));
	size_t nr = 0;

	for (size_t i = 0; i < c->nr; i++) {
		size_t at = 0;

		for (; at < nr; at++) {
			struct palette with = pal[at];

			if (add_names(&with, &c->v[i]) <= 0)
				continue;
			pal[at] = with;
			break;
		}
		if (at == nr && add_names(&pal[nr++], &c->v[i]) < 0)
			continue; /* more names than colours: they go by order */
		color_picture(&pal[at], &c->v[i]);
	}
	free(pal);
}

void charts_build(const struct report *r, const struct chart_how *how, struct charts *out)
{
	*out = (struct charts){0};
	for (size_t i = 0; i < r->nr_runs; i++) {
		struct chart_source from = {r, &r->runs[i], how};

		for (size_t k = 0; k < NR(kinds); k++)
			kinds[k](out, &from);
	}
	chart_draw_targets(out, r);
	share_colors(out);
	charts_share_scales(out);
}

void charts_release(struct charts *c)
{
	for (size_t i = 0; i < c->nr; i++)
		picture_release(&c->v[i]);
	free(c->v);
	*c = (struct charts){0};
}
