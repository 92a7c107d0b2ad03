/* SPDX-License-Identifier: MIT */
/* IOPS and response time against iodepth, one curve per span, one picture per mode. */
#include "report/chart_group.h"

#include <stdlib.h>

static void draw_curve(struct picture *p, unsigned rows, const struct report_curve *rc)
{
	const struct curve *c = rc->curve;
	struct buf name = BUF_INIT;
	size_t nr;

	buf_addstr(&name, "span ");
	buf_add_span(&name, &c->spec);
	chart_add_series(p, 0, rows, buf_text(&name));
	for (size_t i = 0; i < c->nr_rows; i += nr) {
		struct chart_cell a;

		nr = chart_same_depth(c, i);
		a = chart_look_at(c, i, nr);
		chart_add_cell(p, 0, rows, c->row[i]->spec.iodepth, &a);
	}
	buf_release(&name);
}

static const char how_to_read[] =
	"Further right more I/Os are in flight. Where IOPS (top) stop to rise, response time (below) "
	"rises with every I/O added: that is the knee.";

static struct picture *begin(struct charts *out, const struct chart_group *g, size_t part,
			     size_t parts, unsigned rows)
{
	const struct point_spec *s = &g->curve[0]->curve->spec;
	struct picture *p = chart_add_picture(
		out, &g->from, chart_file_name(&g->from, "iops-depth", s), part, parts, rows, 1);

	chart_add_pattern(&p->title, s);
	buf_addstr(&p->title, ": IOPS and response time against iodepth");
	chart_add_part(&p->title, part, parts);
	chart_begin_caption(p, &g->from, how_to_read);
	chart_set_axes(p, g, 0, rows);
	for (unsigned r = 0; r < rows; r++) {
		struct panel_axis *x = &picture_panel(p, r, 0)->x;

		x->title = "iodepth (I/Os in flight, total over all workers)";
		x->scale = SCALE_LOG2;
	}
	if (rows > CHART_LAT) {
		chart_add_cap_rules(picture_panel(p, CHART_LAT, 0), g->from.run);
		chart_explain_caps(p, g->from.run);
	}
	return p;
}

static void draw_group(struct charts *out, const struct chart_group *g)
{
	size_t parts = chart_nr_parts(g->nr);
	unsigned rows = chart_nr_rows(g);

	for (size_t part = 0; part < parts; part++) {
		size_t first = part * g->nr / parts, last = (part + 1) * g->nr / parts;
		struct picture *p = begin(out, g, part, parts, rows);

		for (unsigned r = 0; r < rows; r++)
			chart_add_depth_ticks(&picture_panel(p, r, 0)->x, g, first, last);
		for (size_t i = first; i < last; i++) {
			draw_curve(p, rows, g->curve[i]);
			/* In the upper panel only: below, where curves lie close, they would cover one
			 * another. */
			chart_mark_answers(picture_panel(p, CHART_IOPS, 0), g->from.run,
					   g->curve[i], true);
			chart_explain_curve(p, g->from.run, g->curve[i]);
		}
		chart_explain_bars(p);
	}
}

void chart_draw_depths(struct charts *out, const struct chart_source *from)
{
	size_t nr;
	const struct report_curve **curve = chart_curves(from, &nr);
	struct chart_group g;

	for (size_t i = 0; i < nr; i += g.nr) {
		g = chart_group_at(from, curve, nr, i, chart_compare_patterns);
		draw_group(out, &g);
	}
	free(curve);
}
