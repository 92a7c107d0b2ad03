/* SPDX-License-Identifier: MIT */
#include "report/chart_group.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/units.h"
#include "report/sentence.h"

#include <stdlib.h>

/* Response curves of one picture differ in span, offset and the limit of I/Os in flight. */
static bool is_same_pattern(const struct response *a, const struct response *b)
{
	struct point_spec s = a->spec, t = b->spec;

	s.span_bytes = t.span_bytes = s.offset_bytes = t.offset_bytes = 0;
	s.iodepth = t.iodepth;
	return point_same_curve(&s, &t);
}

static const struct response_point *find_load(const struct response *r, double rate_iops)
{
	for (size_t i = 0; i < r->nr; i++)
		if (r->pt[i].rate_iops >= rate_iops && r->pt[i].rate_iops <= rate_iops)
			return &r->pt[i];
	return NULL;
}

/* Repeats were merged into the first row of their load. */
static void draw_row(struct series *s, const struct response *r, size_t i)
{
	const struct point *row = r->row[i];
	const struct response_point *pt = find_load(r, row->rate_iops);
	const struct figures *f = &row->dir[DIR_TOTAL];

	if (isnan(row->rate_iops) || (pt && pt->row != row))
		return;
	if (pt)
		series_add(s, pt->rate_iops, pt->is_sustained ? CELL_VALID : CELL_LIMITED, pt->iops,
			   chart_ms(pt->lat_ns[LAT_MEAN]));
	else if (row->status == POINT_OK)
		series_add(s, row->rate_iops, CELL_SPOILED, f->iops, chart_ms(f->lat_mean_ns));
	else
		series_add(s, row->rate_iops, CELL_GAP, UNKNOWN, UNKNOWN);
}

static void mark_caps(struct picture *p, const struct report_run *run,
		      const struct report_response *rr)
{
	for (unsigned i = 0; i < run->nr_caps && i < PICTURE_MAX_CAPS; i++) {
		const struct response_point *best = rr->cap[i].best;

		if (best)
			marks_add(&p->caps[i], best->rate_iops, best->iops,
				  chart_ms(best->lat_ns[LAT_MEAN]));
	}
}

static void draw_response(struct picture *p, const struct report_run *run,
			  const struct report_response *rr)
{
	struct series *s = picture_add_series(p);
	const struct response *r = rr->response;
	struct buf line = BUF_INIT;

	buf_addstr(&s->name, "span ");
	buf_add_span(&s->name, &r->spec);
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
	for (size_t i = 0; i < r->nr_rows; i++) {
		draw_row(s, r, i);
		chart_explain_row(p, r->row[i]);
		if (r->row[i]->status == POINT_OK)
			chart_cover(p, &r->row[i]->dir[DIR_TOTAL]);
	}
	mark_caps(p, run, rr);
	buf_release(&line);
}

/* The axis is linear and needs its end only. */
static void add_end_tick(struct picture *p)
{
	double last = 1;

	for (size_t i = 0; i < p->nr_series; i++)
		for (size_t k = 0; k < p->series[i].nr; k++)
			last = fmax(last, p->series[i].cell[k].x);
	picture_add_tick(p, last, "");
}

static char *load_file_name(const struct chart_group *g, const struct point_spec *s)
{
	struct buf b = BUF_INIT;

	chart_add_run_prefix(&b, g);
	buf_addf(&b, "load-%s-", rw_name(s->rw));
	buf_add_size(&b, s->bs_bytes);
	chart_add_mix(&b, s, true);
	chart_add_workers(&b, s, true);
	return buf_detach(&b);
}

static struct picture *begin_picture(struct charts *out, const struct chart_group *g,
				     const struct point_spec *s, size_t part, size_t parts)
{
	struct picture *p = chart_add_picture(out, g, load_file_name(g, s), part, parts);

	p->x_title = "offered load (IOPS)";
	p->is_linear_x = true;
	p->limited_title = "not sustained";
	chart_add_rw(&p->title, s);
	buf_addch(&p->title, ' ');
	buf_add_size(&p->title, s->bs_bytes);
	chart_add_workers(&p->title, s, false);
	buf_addstr(&p->title, ": achieved IOPS and response time against offered load");
	chart_add_part(&p->title, part, parts);
	chart_name_caps(p, g->run);
	chart_begin_caption(p, g);
	return p;
}

static void draw_group(struct charts *out, const struct chart_group *g,
		       const struct report_response *rr, size_t nr)
{
	size_t parts = chart_nr_parts(nr);

	for (size_t part = 0; part < parts; part++) {
		struct picture *p = begin_picture(out, g, &rr->response->spec, part, parts);

		for (size_t i = part * nr / parts; i < (part + 1) * nr / parts; i++)
			draw_response(p, g->run, &rr[i]);
		add_end_tick(p);
	}
}

void chart_draw_loads(struct charts *out, const struct chart_group *g)
{
	const struct report_run *run = g->run;
	size_t nr;

	for (size_t i = 0; i < run->nr_responses; i += nr) {
		for (nr = 1; i + nr < run->nr_responses; nr++)
			if (!is_same_pattern(run->responses[i].response,
					     run->responses[i + nr].response))
				break;
		draw_group(out, g, &run->responses[i], nr);
	}
}
