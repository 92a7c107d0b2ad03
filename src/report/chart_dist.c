/* SPDX-License-Identifier: MIT */
#include "report/chart_dist.h"

#include "base/mem.h"
#include "base/units.h"
#include "report/format.h"

#include <inttypes.h>
#include <stdlib.h>

#define MAX_PANELS 4 /* of a picture: two rows of two */

size_t dist_dirs(const struct point_spec *s, enum dir dir[2])
{
	bool is_mixed = point_reads(s) && point_writes(s);

	dir[0] = is_mixed ? DIR_READ : DIR_TOTAL;
	dir[1] = DIR_WRITE;
	return is_mixed ? 2 : 1;
}

void dist_add_title(struct buf *b, const struct point_spec *s, enum dir dir)
{
	if (s->span_bytes) {
		buf_addstr(b, "span ");
		buf_add_span(b, s);
	}
	if (dir == DIR_TOTAL)
		return;
	buf_addf(b, "%s%ss", s->span_bytes ? ", " : "", dir_name(dir));
}

size_t dist_nr_parts(size_t nr_panels)
{
	return (nr_panels + MAX_PANELS - 1) / MAX_PANELS;
}

void dist_part(size_t nr_panels, size_t part, size_t *first, size_t *last)
{
	size_t parts = dist_nr_parts(nr_panels), size = (nr_panels + parts - 1) / parts;

	/* Reads and writes of a curve stay together. */
	size += size > 1 ? size % 2 : 0;
	*first = part * size;
	*last = *first + size < nr_panels ? *first + size : nr_panels;
}

uint32_t *dist_all_depths(const struct chart_group *g, size_t *nr)
{
	const struct curve **curve = xcalloc(g->nr + 1, sizeof(*curve));
	uint32_t *depth;

	for (size_t i = 0; i < g->nr; i++)
		curve[i] = g->curve[i]->curve;
	depth = chart_all_depths(curve, g->nr, nr);
	free(curve);
	return depth;
}

struct picture *dist_begin(struct charts *out, const struct chart_source *from,
			   const struct point_spec *spec, const struct dist_kind *kind,
			   size_t nr_panels, size_t part, size_t parts)
{
	unsigned cols = nr_panels > 1 ? 2 : 1, rows = (unsigned)((nr_panels + cols - 1) / cols);
	struct picture *p = chart_add_picture(out, from, chart_file_name(from, kind->name, spec),
					      part, parts, rows, cols);

	chart_add_pattern(&p->title, spec);
	p->scale_key = xasprintf("%s %s", kind->name, buf_text(&p->title));
	buf_addstr(&p->title, kind->title);
	chart_add_part(&p->title, part, parts);
	chart_begin_caption(p, from, kind->how_to_read);
	return p;
}

void dist_each_group(struct charts *out, const struct chart_source *from,
		     void (*draw)(struct charts *out, const struct chart_group *g))
{
	size_t nr;
	const struct report_curve **curve = chart_curves(from, &nr);

	for (size_t i = 0; i < nr;) {
		struct chart_group g = chart_group_at(from, curve, nr, i, chart_compare_patterns);

		draw(out, &g);
		i += g.nr;
	}
	free(curve);
}

static void add_label(struct buf *b, const struct dist_set *s, size_t k)
{
	if (s->load[k])
		buf_add_rate(b, s->load[k]);
	else
		buf_addf(b, "%" PRIu32, s->depth[k]);
}

void dist_add_name(struct buf *b, const struct dist_set *s, size_t k)
{
	buf_addstr(b, s->load[k] ? "load " : "iodepth ");
	add_label(b, s, k);
	if (s->is_missed[k])
		buf_addstr(b, ", not sustained");
}

bool dist_is_told(const struct dist_set *s, size_t k)
{
	return k == 0 || k + 1 == s->nr_depths || s->depth[k] == s->knee;
}

void dist_explain_depths(struct buf *b, const struct dist_set *s, const bool *is_drawn)
{
	const char *sep = "";
	size_t nr = 0;

	for (size_t k = 0; k < s->nr_depths; k++)
		nr += is_drawn[k];
	if (!nr || nr >= s->nr_measured)
		return;
	buf_addf(b, " Of %zu %s %zu %s drawn:", s->nr_measured, s->load[0] ? "loads" : "depths", nr,
		 nr == 1 ? "is" : "are");
	for (size_t k = 0; k < s->nr_depths; k++) {
		if (!is_drawn[k])
			continue;
		buf_addf(b, "%s ", sep);
		add_label(b, s, k);
		sep = ",";
	}
	buf_addch(b, '.');
}

void dist_add_caps(struct panel *p, const struct report_run *run, bool is_vertical)
{
	struct buf b = BUF_INIT;

	for (unsigned i = 0; i < run->nr_caps; i++) {
		if (run->caps[i].stat == LAT_MEAN)
			continue;
		format_cap(&b, run->caps[i]);
		panel_add_rule(p, is_vertical, chart_ms((double)run->caps[i].limit_ns),
			       buf_text(&b));
		buf_reset(&b);
	}
	buf_release(&b);
}

void dist_set_release(struct dist_set *s)
{
	for (size_t i = 0; i < s->nr; i++) {
		buf_release(&s->v[i].title);
		for (size_t k = 0; k < PICTURE_MAX_SERIES; k++)
			free(s->v[i].hist[k]);
	}
	free(s->v);
	free(s->measured);
	*s = (struct dist_set){0};
}

/* ---- of a group of curves ---- */

static struct hist *load(const struct chart_group *g, const struct curve *c, uint32_t depth,
			 enum dir dir)
{
	/* The latencies of a point that only a stall spoils are true. */
	flag_set accepted = g->from.run->accepted | FLAG_BIT(FLAG_STALL);
	struct chart_rows rows;
	struct hist *h = NULL;

	chart_rows_find(c, depth, accepted, &rows);
	if (rows.kind != CELL_SPOILED)
		h = chart_rows_hist(&rows, dir);
	chart_rows_release(&rows);
	return h;
}

/* Adds the panel unless nothing would be in it. */
static void add_dist(struct dist_set *s, const struct chart_group *g, const struct report_curve *rc,
		     enum dir dir)
{
	struct dist *d = &s->v[s->nr];
	bool has_any = false;

	for (size_t k = 0; k < s->nr_depths; k++) {
		d->hist[k] = load(g, rc->curve, s->depth[k], dir);
		has_any |= d->hist[k] != NULL;
	}
	if (!has_any)
		return;
	d->rc = rc;
	dist_add_title(&d->title, &rc->curve->spec, dir);
	s->nr++;
}

static void collect(const struct chart_group *g, struct dist_set *s)
{
	*s = (struct dist_set){.run = g->from.run, .v = xcalloc(2 * g->nr + 1, sizeof(*s->v))};
	s->measured = dist_all_depths(g, &s->nr_measured);
	for (size_t i = g->nr; i-- > 0;)
		s->knee = chart_knee(g->curve[i]) ? chart_knee(g->curve[i]) : s->knee;
	s->nr_depths = chart_choose_depths(s->measured, s->nr_measured, s->knee, s->depth,
					   PICTURE_MAX_SERIES);
	for (size_t i = 0; i < g->nr; i++) {
		enum dir dir[2];
		size_t nr = dist_dirs(&g->curve[i]->curve->spec, dir);

		for (size_t d = 0; d < nr; d++)
			add_dist(s, g, g->curve[i], dir[d]);
	}
}

typedef void draw_fn(struct picture *p, const struct dist_set *s, size_t first, size_t last);

static void draw_kind(struct charts *out, const struct chart_group *g, const struct dist_set *s,
		      const struct dist_kind *kind, draw_fn *draw)
{
	size_t parts = dist_nr_parts(s->nr), first, last;

	for (size_t part = 0; part < parts; part++) {
		struct picture *p;

		dist_part(s->nr, part, &first, &last);
		p = dist_begin(out, &g->from, &g->curve[0]->curve->spec, kind, last - first, part,
			       parts);
		draw(p, s, first, last);
		for (size_t i = first; i < last; i++)
			if (i == first || s->v[i].rc != s->v[i - 1].rc)
				chart_rows_explain(p, s->v[i].rc->curve, 0, g->from.run->accepted);
	}
}

static void draw_group(struct charts *out, const struct chart_group *g)
{
	struct dist_set s;

	collect(g, &s);
	draw_kind(out, g, &s, &dist_tail, dist_draw_tail);
	draw_kind(out, g, &s, &dist_density, dist_draw_density);
	dist_set_release(&s);
}

void chart_draw_distributions(struct charts *out, const struct chart_source *from)
{
	dist_each_group(out, from, draw_group);
}
