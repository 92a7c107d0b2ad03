/* SPDX-License-Identifier: MIT */
/* Achieved IOPS and response time against offered load, one curve per span. */
#include "report/chart_group.h"

#include "report/sentence.h"

/* Response curves of one picture differ in span, offset and the limit of I/Os in flight. */
static bool is_same_pattern(const struct response *a, const struct response *b)
{
	struct point_spec s = a->spec, t = b->spec;

	s.span_bytes = t.span_bytes = s.offset_bytes = t.offset_bytes = 0;
	s.iodepth = t.iodepth;
	return point_same_curve(&s, &t);
}

size_t chart_same_load_pattern(const struct report_run *run, size_t first)
{
	size_t nr = 1;

	while (first + nr < run->nr_responses &&
	       is_same_pattern(run->responses[first].response, run->responses[first + nr].response))
		nr++;
	return nr;
}

static void draw_row(struct picture *p, unsigned rows, const struct response *r, size_t i)
{
	struct chart_cell a;

	if (chart_look_at_load(r, i, &a))
		chart_add_cell(p, 0, rows, r->row[i]->rate_iops, &a);
}

static void mark_caps(struct panel *p, const struct report_run *run,
		      const struct report_response *rr)
{
	for (unsigned i = 0; i < run->nr_caps; i++) {
		const struct response_point *best = rr->cap[i].best;

		if (best)
			chart_mark_cap(p, run->caps[i], best->rate_iops, best->iops);
	}
}

static void explain_response(struct picture *p, const struct report_run *run,
			     const struct report_response *rr)
{
	const struct response *r = rr->response;
	struct buf line = BUF_INIT;

	buf_add_curve_name(&line, &r->spec);
	chart_add_line(p, &line);
	buf_addstr(&line, "  ");
	sentence_load(&line, r);
	chart_add_line(p, &line);
	for (unsigned i = 0; i < run->nr_caps; i++) {
		buf_addstr(&line, "  ");
		sentence_load_cap(&line, &rr->cap[i]);
		chart_add_line(p, &line);
	}
	for (size_t i = 0; i < r->nr_rows; i++)
		chart_explain_row(p, r->row[i], run->accepted);
	buf_release(&line);
}

static void draw_response(struct picture *p, unsigned rows, const struct report_run *run,
			  const struct report_response *rr)
{
	const struct response *r = rr->response;
	struct buf name = BUF_INIT;

	buf_addstr(&name, "span ");
	buf_add_span(&name, &r->spec);
	chart_add_series(p, 0, rows, buf_text(&name));
	for (size_t i = 0; i < r->nr_rows; i++)
		draw_row(p, rows, r, i);
	mark_caps(picture_panel(p, CHART_IOPS, 0), run, rr);
	explain_response(p, run, rr);
	buf_release(&name);
}

static const char how_to_read[] =
	"Further right more I/Os arrive each second, whatever has completed. Achieved IOPS (top) equal "
	"the load as long as it is sustained; near the maximum response time (below) rises steeply.";

static struct picture *begin_picture(struct charts *out, const struct chart_source *from,
				     const struct point_spec *s, size_t part, size_t parts,
				     unsigned rows)
{
	struct picture *p = chart_add_picture(out, from, chart_file_name(from, "load", s), part,
					      parts, rows, 1);

	p->limited_title = "not sustained";
	chart_add_pattern(&p->title, s);
	buf_addstr(&p->title, ": achieved IOPS and response time against offered load");
	chart_add_part(&p->title, part, parts);
	chart_begin_caption(p, from, how_to_read);
	chart_title_axes(p, 0, rows);
	for (unsigned r = 0; r < rows; r++)
		picture_panel(p, r, 0)->x.title = "offered load (IOPS)";
	if (rows > CHART_LAT) {
		chart_add_cap_rules(picture_panel(p, CHART_LAT, 0), from->run);
		chart_explain_caps(p, from->run);
	}
	return p;
}

static bool has_lat(const struct report_response *rr, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		for (size_t k = 0; k < rr[i].response->nr_rows; k++)
			if (rr[i].response->row[k]->dir[DIR_TOTAL].lat_mean_ns > 0)
				return true;
	return false;
}

static void draw_group(struct charts *out, const struct chart_source *from,
		       const struct report_response *rr, size_t nr)
{
	size_t parts = chart_nr_parts(nr);
	unsigned rows = has_lat(rr, nr) ? CHART_UTIL : CHART_LAT;

	for (size_t part = 0; part < parts; part++) {
		struct picture *p =
			begin_picture(out, from, &rr->response->spec, part, parts, rows);

		for (size_t i = part * nr / parts; i < (part + 1) * nr / parts; i++)
			draw_response(p, rows, from->run, &rr[i]);
		chart_explain_bars(p);
	}
}

void chart_draw_loads(struct charts *out, const struct chart_source *from)
{
	const struct report_run *run = from->run;
	size_t nr;

	for (size_t i = 0; i < run->nr_responses; i += nr) {
		nr = chart_same_load_pattern(run, i);
		draw_group(out, from, &run->responses[i], nr);
	}
}
