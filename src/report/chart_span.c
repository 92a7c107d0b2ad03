/* SPDX-License-Identifier: MIT */
/* IOPS and response time against span at one iodepth, one line per mode. */
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

static struct chart_cell look_at_depth(const struct curve *c, uint32_t depth)
{
	for (size_t i = 0; i < c->nr_rows; i++)
		if (c->row[i]->spec.iodepth == depth)
			return chart_look_at(c, i, chart_same_depth(c, i));
	return chart_no_cell();
}

static int compare_ticks(const void *a, const void *b)
{
	const struct point_spec *s = *(const struct point_spec *const *)a;
	const struct point_spec *t = *(const struct point_spec *const *)b;

	return (s->span_bytes > t->span_bytes) - (s->span_bytes < t->span_bytes);
}

static void add_span_ticks(struct panel_axis *a, const struct chart_group *g)
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
		axis_add_tick(a, (double)s.span_bytes, buf_text(&label));
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

static void draw_line(struct picture *p, unsigned rows, const struct chart_group *g, size_t first,
		      size_t end)
{
	struct buf line = BUF_INIT;

	chart_add_rw(&line, &g->curve[first]->curve->spec);
	chart_add_series(p, 0, rows, buf_text(&line));
	buf_addch(&line, ':');
	chart_add_line(p, &line);
	for (size_t i = first; i < end; i++) {
		const struct curve *c = g->curve[i]->curve;
		struct chart_cell a = look_at_depth(c, g->depth);

		chart_add_cell(p, 0, rows, (double)c->spec.span_bytes, &a);
		buf_addstr(&line, "  span ");
		buf_add_span(&line, &c->spec);
		buf_addstr(&line, ": ");
		format_iops(&line, a.figure[CHART_IOPS]);
		buf_addstr(&line, " IOPS at ");
		format_ms(&line, a.figure[CHART_LAT] * 1e6);
		chart_add_line(p, &line);
		chart_explain_rows(p, c, g->depth, g->from.run->accepted);
	}
	buf_release(&line);
}

static char *span_file_name(const struct chart_group *g)
{
	const struct point_spec *s = &g->curve[0]->curve->spec;
	struct buf b = BUF_INIT;

	chart_add_run_prefix(&b, &g->from);
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

static const char how_to_read[] =
	"Further right the span is larger, so that seeks are longer and caches hold a smaller share. A "
	"line that falls shows what the larger span costs.";

static struct picture *begin(struct charts *out, const struct chart_group *g, size_t part,
			     size_t parts, unsigned rows)
{
	struct picture *p =
		chart_add_picture(out, &g->from, span_file_name(g), part, parts, rows, 1);

	add_span_title(&p->title, g);
	chart_add_part(&p->title, part, parts);
	chart_begin_caption(p, &g->from, how_to_read);
	chart_set_axes(p, g, 0, rows);
	for (unsigned r = 0; r < rows; r++) {
		struct panel_axis *x = &picture_panel(p, r, 0)->x;

		x->title = "span (log scale)";
		x->scale = SCALE_LOG2;
		add_span_ticks(x, g);
	}
	return p;
}

static void draw_group(struct charts *out, struct chart_group *g)
{
	const struct chart_how *how = g->from.how;
	size_t first = 0, parts = chart_nr_parts(count_lines(g));
	unsigned rows;

	g->depth = choose_depth(g, how->span_depth ? how->span_depth : CHART_SPAN_DEPTH);
	rows = chart_nr_rows(g);
	for (size_t part = 0; part < parts; part++) {
		struct picture *p = begin(out, g, part, parts, rows);

		while (first < g->nr && p->panel[0].nr_series < PICTURE_MAX_SERIES) {
			size_t end = line_end(g, first);

			draw_line(p, rows, g, first, end);
			first = end;
		}
		chart_explain_bars(p);
	}
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Curves of one span chart differ in span, direction and mix. */
static int compare_span_group(const struct report_curve *a, const struct report_curve *b)
{
	const struct point_spec *s = &a->curve->spec, *t = &b->curve->spec;
	int c = compare_u64(s->bs_bytes, t->bs_bytes);

	c = c ? c : compare_u64(s->workers, t->workers);
	return c ? c : compare_u64(s->offset_bytes, t->offset_bytes);
}

static int compare_by_span(const void *a, const void *b)
{
	const struct report_curve *p = *(const struct report_curve *const *)a;
	const struct report_curve *q = *(const struct report_curve *const *)b;
	int c = compare_span_group(p, q);

	return c ? c : point_spec_compare(&p->curve->spec, &q->curve->spec);
}

static bool has_several_spans(const struct chart_group *g)
{
	for (size_t i = 1; i < g->nr; i++)
		if (g->curve[i]->curve->spec.span_bytes != g->curve[0]->curve->spec.span_bytes)
			return true;
	return false;
}

/* Imported tables need not tell the span. */
static size_t keep_with_span(const struct report_curve **curve, size_t nr)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++)
		if (curve[i]->curve->spec.span_bytes)
			curve[kept++] = curve[i];
	return kept;
}

void chart_draw_spans(struct charts *out, const struct chart_source *from)
{
	size_t nr;
	const struct report_curve **curve = chart_curves(from, &nr);
	struct chart_group g;

	nr = keep_with_span(curve, nr);
	qsort(curve, nr, sizeof(*curve), compare_by_span);
	for (size_t i = 0; i < nr; i += g.nr) {
		g = chart_group_at(from, curve, nr, i, compare_span_group);
		if (has_several_spans(&g))
			draw_group(out, &g);
	}
	free(curve);
}
