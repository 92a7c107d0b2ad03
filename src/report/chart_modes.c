/* SPDX-License-Identifier: MIT */
/* The chart of the ULT study: figures against iodepth, one column of panels per mode, one curve per span. */
#include "report/chart_group.h"

#include "base/units.h"

#include <stdlib.h>

#define MAX_COLUMNS 4
#define MAX_MARKED  4 /* curves of a panel; marks of more would cover them */

/* Modes side by side, each with its curves. */
struct mode_set {
	struct chart_group mode[MAX_COLUMNS];
	unsigned nr;
};

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Modes of one picture have the same block size and workers. */
static int compare_size(const struct report_curve *a, const struct report_curve *b)
{
	const struct point_spec *s = &a->curve->spec, *t = &b->curve->spec;
	int c = compare_u64(s->bs_bytes, t->bs_bytes);

	return c ? c : compare_u64(s->workers, t->workers);
}

static int compare_for_sort(const void *a, const void *b)
{
	const struct report_curve *p = *(const struct report_curve *const *)a;
	const struct report_curve *q = *(const struct report_curve *const *)b;
	int c = compare_size(p, q);

	c = c ? c : chart_compare_patterns(p, q);
	return c ? c : point_spec_compare(&p->curve->spec, &q->curve->spec);
}

static void draw_curve(struct picture *p, unsigned col, unsigned rows,
		       const struct report_curve *rc)
{
	const struct curve *c = rc->curve;
	struct buf name = BUF_INIT;
	size_t nr;

	buf_addstr(&name, "span ");
	buf_add_span(&name, &c->spec);
	chart_add_series(p, col, rows, buf_text(&name));
	for (size_t i = 0; i < c->nr_rows; i += nr) {
		struct chart_cell a;

		nr = chart_same_depth(c, i);
		a = chart_look_at(c, i, nr);
		chart_add_cell(p, col, rows, c->row[i]->spec.iodepth, &a);
	}
	buf_release(&name);
}

static void draw_mode(struct picture *p, unsigned col, unsigned rows, const struct chart_group *g,
		      size_t part, size_t parts)
{
	size_t first = part * g->nr / parts, last = (part + 1) * g->nr / parts;

	chart_add_rw(&picture_panel(p, 0, col)->title, &g->curve[0]->curve->spec);
	chart_set_axes(p, g, col, rows);
	for (unsigned r = 0; r < rows; r++) {
		struct panel_axis *x = &picture_panel(p, r, col)->x;

		x->title = "iodepth (I/Os in flight, total over all workers)";
		x->scale = SCALE_LOG2;
		chart_add_depth_ticks(x, g, first, last);
	}
	if (rows > CHART_LAT)
		chart_add_cap_rules(picture_panel(p, CHART_LAT, col), g->from.run);
	for (size_t i = first; i < last; i++) {
		draw_curve(p, col, rows, g->curve[i]);
		if (last - first <= MAX_MARKED)
			chart_mark_answers(picture_panel(p, CHART_IOPS, col), g->from.run,
					   g->curve[i], true);
		chart_explain_curve(p, g->from.run, g->curve[i]);
	}
}

static char *modes_file_name(const struct chart_group *g, size_t set)
{
	const struct point_spec *s = &g->curve[0]->curve->spec;
	struct buf b = BUF_INIT;

	chart_add_run_prefix(&b, &g->from);
	buf_addstr(&b, "modes-");
	buf_add_size(&b, s->bs_bytes);
	chart_add_workers(&b, s, true);
	if (set)
		buf_addf(&b, "-set%zu", set + 1);
	return buf_detach(&b);
}

static const char how_to_read[] =
	"One column for each mode, one curve for each span, all of one row on one scale. Where IOPS stop to "
	"rise with iodepth, response time rises instead. Where a larger span lies lower, it costs IOPS.";

static void draw_set(struct charts *out, const struct mode_set *m, size_t set)
{
	const struct chart_group *g = &m->mode[0];
	const struct point_spec *s = &g->curve[0]->curve->spec;
	size_t parts = 1;
	unsigned rows = 1;

	for (unsigned c = 0; c < m->nr; c++) {
		size_t nr = chart_nr_parts(m->mode[c].nr);
		unsigned own = chart_nr_rows(&m->mode[c]);

		parts = nr > parts ? nr : parts;
		rows = own > rows ? own : rows;
	}
	for (size_t part = 0; part < parts; part++) {
		struct picture *p = chart_add_picture(out, &g->from, modes_file_name(g, set), part,
						      parts, rows, m->nr);

		buf_add_size(&p->title, s->bs_bytes);
		chart_add_workers(&p->title, s, false);
		buf_addstr(&p->title, ": IOPS and response time against iodepth, by mode and span");
		chart_add_part(&p->title, part, parts);
		chart_begin_caption(p, &g->from, how_to_read);
		if (rows > CHART_LAT)
			chart_explain_caps(p, g->from.run);
		for (unsigned c = 0; c < m->nr; c++)
			draw_mode(p, c, rows, &m->mode[c], part, parts);
		chart_explain_bars(p);
	}
}

/* Modes [first, end) of the sorted curves, in sets of MAX_COLUMNS; a single one has its own kind of chart. */
static void draw_modes(struct charts *out, const struct chart_source *from,
		       const struct report_curve *const *curve, size_t nr)
{
	struct mode_set m = {.nr = 0};
	size_t set = 0;

	for (size_t i = 0; i < nr; i += m.mode[m.nr - 1].nr) {
		if (m.nr == MAX_COLUMNS) {
			draw_set(out, &m, set++);
			m.nr = 0;
		}
		m.mode[m.nr++] = chart_group_at(from, curve, nr, i, chart_compare_patterns);
	}
	if (set || m.nr > 1)
		draw_set(out, &m, set);
}

static bool has_points(const struct report_curve *const *curve, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		for (size_t r = 0; r < curve[i]->curve->nr_rows; r++)
			if (curve[i]->curve->row[r]->status == POINT_OK)
				return true;
	return false;
}

void chart_draw_modes(struct charts *out, const struct chart_source *from)
{
	size_t nr;
	const struct report_curve **curve = chart_curves(from, &nr);
	struct chart_group g;

	qsort(curve, nr, sizeof(*curve), compare_for_sort);
	for (size_t i = 0; i < nr; i += g.nr) {
		g = chart_group_at(from, curve, nr, i, compare_size);
		if (has_points(g.curve, g.nr))
			draw_modes(out, from, g.curve, g.nr);
	}
	free(curve);
}
