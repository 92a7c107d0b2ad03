/* SPDX-License-Identifier: MIT */
#include "report/chart_group.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/units.h"
#include "report/format.h"

#include <stdlib.h>

/* One line of a span chart: the same pattern over several spans. */
static bool is_same_line(const struct report_curve *a, const struct report_curve *b)
{
	return chart_compare_patterns(a, b) == 0;
}

static void draw_span_cell(struct series *s, const struct curve *c, uint32_t depth)
{
	struct chart_cell a = {CELL_GAP, UNKNOWN, UNKNOWN};

	for (size_t i = 0; i < c->nr_rows; i++) {
		if (c->row[i]->spec.iodepth != depth)
			continue;
		a = chart_look_at(c, i, chart_same_depth(c, i));
		break;
	}
	series_add(s, (double)c->spec.span_bytes, a.kind, a.iops, a.lat_ms);
}

static int compare_ticks(const void *a, const void *b)
{
	const struct point_spec *s = *(const struct point_spec *const *)a;
	const struct point_spec *t = *(const struct point_spec *const *)b;

	return (s->span_bytes > t->span_bytes) - (s->span_bytes < t->span_bytes);
}

static void add_span_ticks(struct picture *p, const struct chart_group *g)
{
	const struct point_spec **spec = xcalloc(g->nr, sizeof(*spec));
	struct buf label = BUF_INIT;

	for (size_t i = 0; i < g->nr; i++)
		spec[i] = &g->curve[i]->curve->spec;
	qsort(spec, g->nr, sizeof(*spec), compare_ticks);
	for (size_t i = 0; i < g->nr; i++) {
		struct point_spec s = *spec[i];

		s.offset_bytes = 0;
		buf_add_span(&label, &s);
		picture_add_tick(p, (double)s.span_bytes, buf_text(&label));
		buf_reset(&label);
	}
	buf_release(&label);
	free(spec);
}

/* The depth that is asked for, else the nearest one below that was measured, else the smallest. */
static uint32_t choose_depth(const struct chart_group *g, uint32_t wanted)
{
	uint32_t best = 0, smallest = UINT32_MAX;

	for (size_t i = 0; i < g->nr; i++) {
		const struct curve *c = g->curve[i]->curve;

		for (size_t r = 0; r < c->nr_rows; r++) {
			uint32_t depth = c->row[r]->spec.iodepth;

			if (depth <= wanted && depth > best)
				best = depth;
			smallest = depth < smallest ? depth : smallest;
		}
	}
	return best ? best : smallest;
}

/* The end of the line that begins with curve first. */
static size_t line_end(const struct chart_group *g, size_t first)
{
	size_t end = first + 1;

	while (end < g->nr && is_same_line(g->curve[first], g->curve[end]))
		end++;
	return end;
}

static size_t count_lines(const struct chart_group *g)
{
	size_t nr = 0;

	for (size_t i = 0; i < g->nr; i = line_end(g, i))
		nr++;
	return nr;
}

static void draw_line(struct picture *p, const struct chart_group *g, size_t first, size_t end)
{
	struct series *s = picture_add_series(p);
	struct buf line = BUF_INIT;

	chart_add_rw(&s->name, &g->curve[first]->curve->spec);
	buf_addf(&line, "%s:", buf_text(&s->name));
	chart_add_line(p, &line);
	for (size_t i = first; i < end; i++) {
		const struct curve *c = g->curve[i]->curve;
		const struct cell *cell;

		draw_span_cell(s, c, g->depth);
		cell = &s->cell[s->nr - 1];
		buf_addstr(&line, "  span ");
		buf_add_span(&line, &c->spec);
		buf_addstr(&line, ": ");
		format_iops(&line, cell->iops);
		buf_addstr(&line, " IOPS at ");
		format_ms(&line, cell->lat_ms * 1e6);
		chart_add_line(p, &line);
		chart_explain_rows(p, c, g->depth);
	}
	buf_release(&line);
}

static char *span_file_name(const struct chart_group *g)
{
	const struct point_spec *s = &g->curve[0]->curve->spec;
	struct buf b = BUF_INIT;

	chart_add_run_prefix(&b, g);
	buf_addstr(&b, "iops-span-");
	buf_add_size(&b, s->bs_bytes);
	buf_addf(&b, "-d%u", g->depth);
	chart_add_workers(&b, s, true);
	if (s->offset_bytes) {
		buf_addstr(&b, "-at");
		buf_add_size(&b, s->offset_bytes);
	}
	return buf_detach(&b);
}

static void add_span_title(struct buf *b, const struct chart_group *g)
{
	const struct point_spec *s = &g->curve[0]->curve->spec;

	buf_add_size(b, s->bs_bytes);
	buf_addf(b, " at iodepth %u", g->depth);
	chart_add_workers(b, s, false);
	buf_addstr(b, ": IOPS and response time against span");
}

void chart_draw_span(struct charts *out, struct chart_group *g, uint32_t wanted)
{
	size_t first = 0, parts = chart_nr_parts(count_lines(g));

	g->depth = choose_depth(g, wanted);
	for (size_t part = 0; part < parts; part++) {
		struct picture *p = chart_add_picture(out, g, span_file_name(g), part, parts);

		p->x_title = "span (log scale)";
		add_span_title(&p->title, g);
		chart_add_part(&p->title, part, parts);
		chart_begin_caption(p, g);
		add_span_ticks(p, g);
		while (first < g->nr && p->nr_series < PICTURE_MAX_SERIES) {
			size_t end = line_end(g, first);

			draw_line(p, g, first, end);
			first = end;
		}
	}
}
