/* SPDX-License-Identifier: MIT */
#include "report/chart_group.h"

#include "base/mem.h"
#include "base/units.h"
#include "report/format.h"
#include "report/sentence.h"

#include <stdio.h>
#include <stdlib.h>

static void draw_curve(struct picture *p, const struct report_curve *rc)
{
	struct series *s = picture_add_series(p);
	const struct curve *c = rc->curve;
	size_t nr;

	buf_addstr(&s->name, "span ");
	buf_add_span(&s->name, &c->spec);
	for (size_t i = 0; i < c->nr_rows; i += nr) {
		struct chart_cell a;

		nr = chart_same_depth(c, i);
		a = chart_look_at(c, i, nr);
		series_add(s, c->row[i]->spec.iodepth, a.kind, a.iops, a.lat_ms);
	}
}

static void mark_depth(struct marks *m, const struct curve *c, uint32_t depth)
{
	const struct curve_point *pt = chart_find_valid(c, depth);

	if (pt)
		marks_add(m, depth, pt->iops, chart_ms(pt->lat_ns[LAT_MEAN]));
}

static void mark_answers(struct picture *p, const struct chart_group *g,
			 const struct report_curve *rc)
{
	const struct knee *k = &rc->knee;

	if (knee_is_known(k) && k->cls != KNEE_RISING)
		mark_depth(&p->knees, rc->curve, k->sat_depth);
	for (unsigned i = 0; i < g->run->nr_caps && i < PICTURE_MAX_CAPS; i++)
		if (rc->cap[i].status == CAP_OK || rc->cap[i].status == CAP_NOT_REACHED)
			mark_depth(&p->caps[i], rc->curve, rc->cap[i].depth);
}

static void name_caps(struct picture *p, const struct report_run *run)
{
	for (unsigned i = 0; i < run->nr_caps && i < PICTURE_MAX_CAPS; i++) {
		struct buf s = BUF_INIT;

		format_cap(&s, run->caps[i]);
		p->cap_title[i] = buf_detach(&s);
		if (run->caps[i].stat == LAT_MEAN)
			p->cap_mean_ms[i] = chart_ms((double)run->caps[i].limit_ns);
	}
}

static int compare_depths(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Every depth of the curves [first, last), ascending, perhaps more than once. */
static uint32_t *all_depths(const struct chart_group *g, size_t first, size_t last, size_t *nr)
{
	uint32_t *depth = NULL;
	size_t cap = 0;

	*nr = 0;
	for (size_t i = first; i < last; i++) {
		const struct curve *c = g->curve[i]->curve;

		for (size_t r = 0; r < c->nr_rows; r++) {
			VEC_GROW(depth, *nr, cap);
			depth[(*nr)++] = c->row[r]->spec.iodepth;
		}
	}
	if (*nr)
		qsort(depth, *nr, sizeof(*depth), compare_depths);
	return depth;
}

static void add_depth_ticks(struct picture *p, const struct chart_group *g, size_t first,
			    size_t last)
{
	size_t nr;
	uint32_t *depth = all_depths(g, first, last, &nr);

	for (size_t i = 0; i < nr; i++) {
		char label[16];

		(void)snprintf(label, sizeof(label), "%u", depth[i]);
		picture_add_tick(p, depth[i], label);
	}
	free(depth);
}

static char *depth_file_name(const struct chart_group *g)
{
	const struct point_spec *s = &g->curve[0]->curve->spec;
	struct buf b = BUF_INIT;

	chart_add_run_prefix(&b, g);
	buf_addf(&b, "iops-depth-%s-", rw_name(s->rw));
	buf_add_size(&b, s->bs_bytes);
	chart_add_mix(&b, s, true);
	chart_add_workers(&b, s, true);
	return buf_detach(&b);
}

static void add_depth_title(struct buf *b, const struct chart_group *g)
{
	const struct point_spec *s = &g->curve[0]->curve->spec;

	chart_add_rw(b, s);
	buf_addch(b, ' ');
	buf_add_size(b, s->bs_bytes);
	chart_add_workers(b, s, false);
	buf_addstr(b, ": IOPS and response time against iodepth");
}

static void explain_curve(struct picture *p, const struct chart_group *g,
			  const struct report_curve *rc)
{
	struct buf s = BUF_INIT;

	buf_add_curve_name(&s, &rc->curve->spec);
	chart_add_line(p, &s);
	buf_addstr(&s, "  ");
	sentence_knee(&s, rc->curve, &rc->knee);
	chart_add_line(p, &s);
	for (unsigned i = 0; i < g->run->nr_caps; i++) {
		buf_addstr(&s, "  ");
		sentence_cap(&s, &rc->cap[i]);
		chart_add_line(p, &s);
	}
	chart_explain_rows(p, rc->curve, 0);
	buf_release(&s);
}

void chart_draw_depth(struct charts *out, const struct chart_group *g)
{
	size_t parts = chart_nr_parts(g->nr);

	for (size_t part = 0; part < parts; part++) {
		size_t first = part * g->nr / parts, last = (part + 1) * g->nr / parts;
		struct picture *p = chart_add_picture(out, g, depth_file_name(g), part, parts);

		p->x_title = "iodepth (I/Os in flight, total over all workers)";
		add_depth_title(&p->title, g);
		chart_add_part(&p->title, part, parts);
		name_caps(p, g->run);
		chart_begin_caption(p, g);
		add_depth_ticks(p, g, first, last);
		for (size_t i = first; i < last; i++) {
			draw_curve(p, g->curve[i]);
			mark_answers(p, g, g->curve[i]);
			explain_curve(p, g, g->curve[i]);
		}
	}
}
