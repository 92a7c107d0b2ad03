/* SPDX-License-Identifier: MIT */
#include "report/chart_group.h"

#include "base/mem.h"
#include "base/num.h"
#include "report/format.h"

#include <inttypes.h>
#include <stdlib.h>

double chart_ms(double lat_ns)
{
	return lat_ns / 1e6;
}

const struct curve_point *chart_find_valid(const struct curve *c, uint32_t depth)
{
	size_t low = 0, high = c->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (c->pt[mid].iodepth == depth)
			return &c->pt[mid];
		if (c->pt[mid].iodepth < depth)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

struct chart_cell chart_look_at(const struct curve *c, size_t first, size_t nr)
{
	const struct curve_point *pt = chart_find_valid(c, c->row[first]->spec.iodepth);
	struct chart_cell a = {CELL_GAP, UNKNOWN, UNKNOWN};

	if (pt) {
		bool is_limited = flags_have(pt->flags, EFFECT_LOWER_BOUND) ||
				  (pt->flags & FLAG_BIT(FLAG_QUEUE_LIMITED));

		return (struct chart_cell){is_limited ? CELL_LIMITED : CELL_VALID, pt->iops,
					   chart_ms(pt->lat_ns[LAT_MEAN])};
	}
	for (size_t i = first; i < first + nr; i++) {
		const struct figures *f = &c->row[i]->dir[DIR_TOTAL];

		if (c->row[i]->status == POINT_OK && !isnan(f->iops))
			a = (struct chart_cell){CELL_SPOILED, f->iops, chart_ms(f->lat_mean_ns)};
	}
	return a;
}

size_t chart_same_depth(const struct curve *c, size_t first)
{
	size_t nr = 1;

	while (first + nr < c->nr_rows &&
	       c->row[first + nr]->spec.iodepth == c->row[first]->spec.iodepth)
		nr++;
	return nr;
}

/* Names. */

void chart_add_mix(struct buf *b, const struct point_spec *s, bool is_file_name)
{
	if (rw_is_mixed(s->rw))
		buf_addf(b, is_file_name ? "-%ur" : " %u%% read", s->rwmixread_pct);
	if (rw_is_random(s->rw) && s->random_pct != 100)
		buf_addf(b, is_file_name ? "-%urand" : " %u%% random", s->random_pct);
}

void chart_add_workers(struct buf *b, const struct point_spec *s, bool is_file_name)
{
	if (s->workers != 1)
		buf_addf(b, is_file_name ? "-w%u" : " workers %u", s->workers);
}

void chart_add_rw(struct buf *b, const struct point_spec *s)
{
	buf_addstr(b, rw_name(s->rw));
	chart_add_mix(b, s, false);
}

/* "run3-" where several runs share a directory */
void chart_add_run_prefix(struct buf *b, const struct chart_group *g)
{
	if (g->report->nr_runs > 1)
		buf_addf(b, "run%" PRId64 "-", g->run->info->id);
}

static void add_run_line(struct buf *b, const struct chart_group *g)
{
	buf_addf(b, "run %" PRId64 ": ", g->run->info->id);
	format_run_name(b, g->run->info);
}

void chart_add_part(struct buf *b, size_t part, size_t nr_parts)
{
	if (nr_parts > 1)
		buf_addf(b, " (%zu of %zu)", part + 1, nr_parts);
}

/* Scales. */

static void cover_lat(struct picture *p, double lat_ms)
{
	if (!(lat_ms > 0))
		return;
	p->lat_min_ms = fmin(lat_ms, p->lat_min_ms);
	p->lat_max_ms = fmax(lat_ms, p->lat_max_ms);
}

void chart_cover(struct picture *p, const struct figures *f)
{
	if (f->iops > p->iops_max)
		p->iops_max = f->iops;
	cover_lat(p, chart_ms(f->lat_mean_ns));
}

static void cover_curve(struct picture *p, const struct curve *c, uint32_t depth)
{
	for (size_t r = 0; r < c->nr_rows; r++)
		if (c->row[r]->status == POINT_OK && (!depth || c->row[r]->spec.iodepth == depth))
			chart_cover(p, &c->row[r]->dir[DIR_TOTAL]);
}

/* Whether a curve of another run would be drawn in the same chart there. */
static bool belongs(const struct chart_group *g, const struct report_curve *rc)
{
	const struct point_spec *s = &g->curve[0]->curve->spec, *t = &rc->curve->spec;

	if (!g->depth)
		return chart_compare_patterns(g->curve[0], rc) == 0;
	return s->bs_bytes == t->bs_bytes && s->workers == t->workers &&
	       s->offset_bytes == t->offset_bytes;
}

/* All points of the group and of its like in other runs, so that the pictures that it is split
 * into, and those that will be laid beside each other, have one scale. */
static void cover_group(struct picture *p, const struct chart_group *g)
{
	const struct report *r = g->report;

	if (!g->nr)
		return;
	for (size_t i = 0; i < g->nr; i++)
		cover_curve(p, g->curve[i]->curve, g->depth);
	for (const struct report_run *run = r->runs; run < r->runs + r->nr_runs; run++)
		for (size_t i = 0; run != g->run && i < run->nr_curves; i++)
			if (belongs(g, &run->curves[i]))
				cover_curve(p, run->curves[i].curve, g->depth);
}

void chart_name_caps(struct picture *p, const struct report_run *run)
{
	for (unsigned i = 0; i < run->nr_caps && i < PICTURE_MAX_CAPS; i++) {
		struct buf s = BUF_INIT;

		format_cap(&s, run->caps[i]);
		p->cap_title[i] = buf_detach(&s);
		if (run->caps[i].stat == LAT_MEAN)
			p->cap_mean_ms[i] = chart_ms((double)run->caps[i].limit_ns);
	}
}

/* Captions. */

void chart_add_line(struct picture *p, struct buf *s)
{
	buf_addf(&p->caption, "%s\n", buf_text(s));
	buf_reset(s);
}

void chart_explain_row(struct picture *p, const struct point *row)
{
	struct buf s = BUF_INIT;

	if (row->status == POINT_OK && !row->flags)
		return;
	buf_addstr(&s, "  ");
	buf_add_point(&s, &row->spec);
	buf_addstr(&s, ": ");
	format_status(&s, row);
	chart_add_line(p, &s);
	buf_release(&s);
}

void chart_explain_rows(struct picture *p, const struct curve *c, uint32_t depth)
{
	for (size_t i = 0; i < c->nr_rows; i++)
		if (!depth || c->row[i]->spec.iodepth == depth)
			chart_explain_row(p, c->row[i]);
}

void chart_begin_caption(struct picture *p, const struct chart_group *g)
{
	struct buf s = BUF_INIT;

	buf_addstr(&s, buf_text(&p->title));
	chart_add_line(p, &s);
	add_run_line(&s, g);
	chart_add_line(p, &s);
	if (g->run->info->target_given) {
		buf_addstr(&s, "target: ");
		format_short(&s, g->run->info->target_given, SIZE_MAX);
		chart_add_line(p, &s);
	}
	buf_release(&s);
}

struct picture *chart_add_picture(struct charts *out, const struct chart_group *g, char *name,
				  size_t part, size_t nr_parts)
{
	struct picture *p;

	VEC_GROW(out->v, out->nr, out->cap);
	p = &out->v[out->nr++];
	picture_init(p);
	p->name = nr_parts > 1 ? xasprintf("%s-%zu", name, part + 1) : xstrdup(name);
	free(name);
	add_run_line(&p->subtitle, g);
	cover_group(p, g);
	return p;
}

size_t chart_nr_parts(size_t nr)
{
	return (nr + PICTURE_MAX_SERIES - 1) / PICTURE_MAX_SERIES;
}

int chart_compare_patterns(const struct report_curve *a, const struct report_curve *b)
{
	struct point_spec s = a->curve->spec, t = b->curve->spec;

	s.span_bytes = t.span_bytes = s.offset_bytes = t.offset_bytes = 0;
	s.iodepth = t.iodepth = s.repeat = t.repeat = 0;
	return point_spec_compare(&s, &t);
}
