/* SPDX-License-Identifier: MIT */
#include "report/chart.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/units.h"
#include "report/format.h"
#include "report/sentence.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Curves that go into one chart, or into several of one scale when they are many. */
struct group {
	const struct report *report;
	const struct report_run *run;
	const struct report_curve *const *curve;
	size_t nr;
	uint32_t depth; /* of a span chart */
};

/* What the curve has at one depth. */
struct at_depth {
	enum cell_kind kind;
	double iops, lat_ms;
};

static double to_ms(double lat_ns)
{
	return lat_ns / 1e6;
}

static const struct curve_point *find_valid(const struct curve *c, uint32_t depth)
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

/* Rows [first, first + nr) of the curve are all that it has at this depth. */
static struct at_depth look_at(const struct curve *c, size_t first, size_t nr)
{
	const struct curve_point *pt = find_valid(c, c->row[first]->spec.iodepth);
	struct at_depth a = {CELL_GAP, UNKNOWN, UNKNOWN};

	if (pt) {
		bool is_limited = flags_have(pt->flags, EFFECT_LOWER_BOUND) ||
				  (pt->flags & FLAG_BIT(FLAG_QUEUE_LIMITED));

		return (struct at_depth){is_limited ? CELL_LIMITED : CELL_VALID, pt->iops,
					 to_ms(pt->lat_ns[LAT_MEAN])};
	}
	for (size_t i = first; i < first + nr; i++) {
		const struct figures *f = &c->row[i]->dir[DIR_TOTAL];

		if (c->row[i]->status == POINT_OK && !isnan(f->iops))
			a = (struct at_depth){CELL_SPOILED, f->iops, to_ms(f->lat_mean_ns)};
	}
	return a;
}

/* Rows from first on that have its depth. */
static size_t same_depth(const struct curve *c, size_t first)
{
	size_t nr = 1;

	while (first + nr < c->nr_rows &&
	       c->row[first + nr]->spec.iodepth == c->row[first]->spec.iodepth)
		nr++;
	return nr;
}

/* Names. */

static void add_other_axes(struct buf *b, const struct point_spec *s, bool is_file_name)
{
	if (rw_is_mixed(s->rw))
		buf_addf(b, is_file_name ? "-%ur" : " %u%% read", s->rwmixread_pct);
	if (rw_is_random(s->rw) && s->random_pct != 100)
		buf_addf(b, is_file_name ? "-%urand" : " %u%% random", s->random_pct);
}

static void add_workers(struct buf *b, const struct point_spec *s, bool is_file_name)
{
	if (s->workers != 1)
		buf_addf(b, is_file_name ? "-w%u" : " workers %u", s->workers);
}

static void add_rw(struct buf *b, const struct point_spec *s)
{
	buf_addstr(b, rw_name(s->rw));
	add_other_axes(b, s, false);
}

/* "run3-" where several runs share a directory */
static void add_run_prefix(struct buf *b, const struct group *g)
{
	if (g->report->nr_runs > 1)
		buf_addf(b, "run%" PRId64 "-", g->run->info->id);
}

static char *depth_file_name(const struct group *g)
{
	const struct point_spec *s = &g->curve[0]->curve->spec;
	struct buf b = BUF_INIT;

	add_run_prefix(&b, g);
	buf_addf(&b, "iops-depth-%s-", rw_name(s->rw));
	buf_add_size(&b, s->bs_bytes);
	add_other_axes(&b, s, true);
	add_workers(&b, s, true);
	return buf_detach(&b);
}

static char *span_file_name(const struct group *g)
{
	const struct point_spec *s = &g->curve[0]->curve->spec;
	struct buf b = BUF_INIT;

	add_run_prefix(&b, g);
	buf_addstr(&b, "iops-span-");
	buf_add_size(&b, s->bs_bytes);
	buf_addf(&b, "-d%u", g->depth);
	add_workers(&b, s, true);
	if (s->offset_bytes) {
		buf_addstr(&b, "-at");
		buf_add_size(&b, s->offset_bytes);
	}
	return buf_detach(&b);
}

static void add_depth_title(struct buf *b, const struct group *g)
{
	const struct point_spec *s = &g->curve[0]->curve->spec;

	add_rw(b, s);
	buf_addch(b, ' ');
	buf_add_size(b, s->bs_bytes);
	add_workers(b, s, false);
	buf_addstr(b, ": IOPS and response time against iodepth");
}

static void add_span_title(struct buf *b, const struct group *g)
{
	const struct point_spec *s = &g->curve[0]->curve->spec;

	buf_add_size(b, s->bs_bytes);
	buf_addf(b, " at iodepth %u", g->depth);
	add_workers(b, s, false);
	buf_addstr(b, ": IOPS and response time against span");
}

static void add_run_line(struct buf *b, const struct group *g)
{
	buf_addf(b, "run %" PRId64 ": ", g->run->info->id);
	format_run_name(b, g->run->info);
}

static void add_part(struct buf *b, size_t part, size_t nr_parts)
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

static void cover_figures(struct picture *p, const struct figures *f)
{
	if (f->iops > p->iops_max)
		p->iops_max = f->iops;
	cover_lat(p, to_ms(f->lat_mean_ns));
}

/* All points of the group, so that the pictures it is split into have one scale. */
static void cover_group(struct picture *p, const struct group *g)
{
	for (size_t i = 0; i < g->nr; i++) {
		const struct curve *c = g->curve[i]->curve;

		for (size_t r = 0; r < c->nr_rows; r++)
			if (c->row[r]->status == POINT_OK &&
			    (!g->depth || c->row[r]->spec.iodepth == g->depth))
				cover_figures(p, &c->row[r]->dir[DIR_TOTAL]);
	}
}

/* Captions. */

static void add_line(struct picture *p, struct buf *s)
{
	buf_addf(&p->caption, "%s\n", buf_text(s));
	buf_reset(s);
}

/* Why the line has gaps and hollow points. */
static void explain_rows(struct picture *p, const struct curve *c, uint32_t depth)
{
	struct buf s = BUF_INIT;

	for (size_t i = 0; i < c->nr_rows; i++) {
		const struct point *row = c->row[i];

		if (row->status == POINT_OK && !row->flags)
			continue;
		if (depth && row->spec.iodepth != depth)
			continue;
		buf_addstr(&s, "  ");
		buf_add_point(&s, &row->spec);
		buf_addstr(&s, ": ");
		format_status(&s, row);
		add_line(p, &s);
	}
	buf_release(&s);
}

static void explain_curve(struct picture *p, const struct group *g, const struct report_curve *rc)
{
	struct buf s = BUF_INIT;

	buf_add_curve_name(&s, &rc->curve->spec);
	add_line(p, &s);
	buf_addstr(&s, "  ");
	sentence_knee(&s, rc->curve, &rc->knee);
	add_line(p, &s);
	for (unsigned i = 0; i < g->run->nr_caps; i++) {
		buf_addstr(&s, "  ");
		sentence_cap(&s, rc->curve, &rc->cap[i]);
		add_line(p, &s);
	}
	explain_rows(p, rc->curve, 0);
	buf_release(&s);
}

static void begin_caption(struct picture *p, const struct group *g)
{
	struct buf s = BUF_INIT;

	buf_addstr(&s, buf_text(&p->title));
	add_line(p, &s);
	add_run_line(&s, g);
	add_line(p, &s);
	if (g->run->info->target_given) {
		buf_addf(&s, "target: %s", g->run->info->target_given);
		add_line(p, &s);
	}
	buf_release(&s);
}

/* IOPS against depth. */

static void draw_curve(struct picture *p, const struct report_curve *rc)
{
	struct series *s = picture_add_series(p);
	const struct curve *c = rc->curve;
	size_t nr;

	buf_addstr(&s->name, "span ");
	buf_add_span(&s->name, &c->spec);
	for (size_t i = 0; i < c->nr_rows; i += nr) {
		struct at_depth a;

		nr = same_depth(c, i);
		a = look_at(c, i, nr);
		series_add(s, c->row[i]->spec.iodepth, a.kind, a.iops, a.lat_ms);
	}
}

static void mark_depth(struct marks *m, const struct curve *c, uint32_t depth)
{
	const struct curve_point *pt = find_valid(c, depth);

	if (pt)
		marks_add(m, depth, pt->iops, to_ms(pt->lat_ns[LAT_MEAN]));
}

static void mark_answers(struct picture *p, const struct group *g, const struct report_curve *rc)
{
	const struct knee *k = &rc->knee;

	if (k->cls != KNEE_INSUFFICIENT && k->cls != KNEE_RISING && !k->is_client_limited)
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
			p->cap_mean_ms[i] = to_ms((double)run->caps[i].limit_ns);
	}
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_depths(const void *a, const void *b)
{
	return compare_u64(*(const uint32_t *)a, *(const uint32_t *)b);
}

/* Every depth of the curves [first, last), ascending, perhaps more than once. */
static uint32_t *all_depths(const struct group *g, size_t first, size_t last, size_t *nr)
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

static void add_depth_ticks(struct picture *p, const struct group *g, size_t first, size_t last)
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

static struct picture *add_picture(struct charts *out, const struct group *g, char *name,
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

static size_t nr_parts(size_t nr)
{
	return (nr + PICTURE_MAX_SERIES - 1) / PICTURE_MAX_SERIES;
}

static void draw_depth_group(struct charts *out, const struct group *g)
{
	size_t parts = nr_parts(g->nr);

	for (size_t part = 0; part < parts; part++) {
		size_t first = part * g->nr / parts, last = (part + 1) * g->nr / parts;
		struct picture *p = add_picture(out, g, depth_file_name(g), part, parts);

		p->x_title = "iodepth (I/Os in flight, total over all workers)";
		add_depth_title(&p->title, g);
		add_part(&p->title, part, parts);
		name_caps(p, g->run);
		begin_caption(p, g);
		add_depth_ticks(p, g, first, last);
		for (size_t i = first; i < last; i++) {
			draw_curve(p, g->curve[i]);
			mark_answers(p, g, g->curve[i]);
			explain_curve(p, g, g->curve[i]);
		}
	}
}

/* Curves of one depth chart differ in span and offset only. */
static int compare_depth_group(const struct report_curve *a, const struct report_curve *b)
{
	struct point_spec s = a->curve->spec, t = b->curve->spec;

	s.span_bytes = t.span_bytes = s.offset_bytes = t.offset_bytes = 0;
	s.iodepth = t.iodepth = s.repeat = t.repeat = 0;
	return point_spec_compare(&s, &t);
}

/* IOPS against span. */

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

	if (c)
		return c;
	return point_spec_compare(&p->curve->spec, &q->curve->spec);
}

/* One line of a span chart: the same pattern over several spans. */
static bool is_same_line(const struct report_curve *a, const struct report_curve *b)
{
	return compare_depth_group(a, b) == 0;
}

static void draw_span_cell(struct series *s, const struct curve *c, uint32_t depth)
{
	struct at_depth a = {CELL_GAP, UNKNOWN, UNKNOWN};

	for (size_t i = 0; i < c->nr_rows; i++) {
		if (c->row[i]->spec.iodepth != depth)
			continue;
		a = look_at(c, i, same_depth(c, i));
		break;
	}
	series_add(s, (double)c->spec.span_bytes, a.kind, a.iops, a.lat_ms);
}

static int compare_ticks(const void *a, const void *b)
{
	const struct point_spec *s = *(const struct point_spec *const *)a;
	const struct point_spec *t = *(const struct point_spec *const *)b;

	return compare_u64(s->span_bytes, t->span_bytes);
}

static void add_span_ticks(struct picture *p, const struct group *g)
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
static uint32_t choose_depth(const struct group *g, uint32_t wanted)
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
static size_t line_end(const struct group *g, size_t first)
{
	size_t end = first + 1;

	while (end < g->nr && is_same_line(g->curve[first], g->curve[end]))
		end++;
	return end;
}

static size_t count_lines(const struct group *g)
{
	size_t nr = 0;

	for (size_t i = 0; i < g->nr; i = line_end(g, i))
		nr++;
	return nr;
}

static void draw_line(struct picture *p, const struct group *g, size_t first, size_t end)
{
	struct series *s = picture_add_series(p);
	struct buf line = BUF_INIT;

	add_rw(&s->name, &g->curve[first]->curve->spec);
	buf_addf(&line, "%s:", buf_text(&s->name));
	add_line(p, &line);
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
		add_line(p, &line);
		explain_rows(p, c, g->depth);
	}
	buf_release(&line);
}

static void draw_span_group(struct charts *out, struct group *g, uint32_t wanted)
{
	size_t first = 0, parts = nr_parts(count_lines(g));

	g->depth = choose_depth(g, wanted);
	for (size_t part = 0; part < parts; part++) {
		struct picture *p = add_picture(out, g, span_file_name(g), part, parts);

		p->x_title = "span (log scale)";
		add_span_title(&p->title, g);
		add_part(&p->title, part, parts);
		begin_caption(p, g);
		add_span_ticks(p, g);
		while (first < g->nr && p->nr_series < PICTURE_MAX_SERIES) {
			size_t end = line_end(g, first);

			draw_line(p, g, first, end);
			first = end;
		}
	}
}

static bool has_several_spans(const struct group *g)
{
	for (size_t i = 1; i < g->nr; i++)
		if (g->curve[i]->curve->spec.span_bytes != g->curve[0]->curve->spec.span_bytes)
			return true;
	return false;
}

/* All charts of a run. */

typedef int compare_fn(const struct report_curve *a, const struct report_curve *b);

/* The group that begins at first, of nr curves. */
static struct group group_at(const struct report *r, const struct report_run *run,
			     const struct report_curve **curve, size_t nr, size_t first,
			     compare_fn *compare)
{
	struct group g = {r, run, curve + first, 1, 0};

	while (first + g.nr < nr && !compare(curve[first], curve[first + g.nr]))
		g.nr++;
	return g;
}

static void build_run(const struct report *r, const struct report_run *run, uint32_t span_depth,
		      struct charts *out)
{
	const struct report_curve **curve = xcalloc(run->nr_curves + 1, sizeof(*curve));
	size_t nr = run->nr_curves;
	struct group g;

	for (size_t i = 0; i < nr; i++)
		curve[i] = &run->curves[i];
	for (size_t i = 0; i < nr; i += g.nr) {
		g = group_at(r, run, curve, nr, i, compare_depth_group);
		draw_depth_group(out, &g);
	}
	/* Imported tables need not tell the span. */
	nr = 0;
	for (size_t i = 0; i < run->nr_curves; i++)
		if (run->curves[i].curve->spec.span_bytes)
			curve[nr++] = &run->curves[i];
	qsort(curve, nr, sizeof(*curve), compare_by_span);
	for (size_t i = 0; i < nr; i += g.nr) {
		g = group_at(r, run, curve, nr, i, compare_span_group);
		if (has_several_spans(&g))
			draw_span_group(out, &g, span_depth ? span_depth : CHART_SPAN_DEPTH);
	}
	free(curve);
}

void charts_build(const struct report *r, uint32_t span_depth, struct charts *out)
{
	*out = (struct charts){0};
	for (size_t i = 0; i < r->nr_runs; i++)
		build_run(r, &r->runs[i], span_depth, out);
}

void charts_release(struct charts *c)
{
	for (size_t i = 0; i < c->nr; i++)
		picture_release(&c->v[i]);
	free(c->v);
	*c = (struct charts){0};
}
