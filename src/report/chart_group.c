/* SPDX-License-Identifier: MIT */
#include "report/chart_group.h"

#include "base/mem.h"
#include "base/num.h"
#include "report/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

double chart_ms(double lat_ns)
{
	return lat_ns / 1e6;
}

/* Groups. */

const struct report_curve **chart_curves(const struct chart_source *from, size_t *nr)
{
	const struct report_curve **curve = xcalloc(from->run->nr_curves + 1, sizeof(*curve));

	*nr = from->run->nr_curves;
	for (size_t i = 0; i < *nr; i++)
		curve[i] = &from->run->curves[i];
	return curve;
}

struct chart_group chart_group_at(const struct chart_source *from,
				  const struct report_curve *const *curve, size_t nr, size_t first,
				  int (*compare)(const struct report_curve *a,
						 const struct report_curve *b))
{
	struct chart_group g = {.from = *from, .curve = curve + first, .nr = 1, .compare = compare};

	while (first + g.nr < nr && !compare(curve[first], curve[first + g.nr]))
		g.nr++;
	return g;
}

int chart_compare_patterns(const struct report_curve *a, const struct report_curve *b)
{
	struct point_spec s = a->curve->spec, t = b->curve->spec;

	s.span_bytes = t.span_bytes = s.offset_bytes = t.offset_bytes = 0;
	s.iodepth = t.iodepth = s.repeat = t.repeat = 0;
	return point_spec_compare(&s, &t);
}

/* What is drawn of a curve at a depth. */

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

size_t chart_same_depth(const struct curve *c, size_t first)
{
	size_t nr = 1;

	while (first + nr < c->nr_rows &&
	       c->row[first + nr]->spec.iodepth == c->row[first]->spec.iodepth)
		nr++;
	return nr;
}

struct chart_cell chart_no_cell(void)
{
	struct chart_cell a = {.kind = CELL_GAP};

	for (enum chart_row r = 0; r < CHART_ROW_NR; r++)
		a.figure[r] = a.low[r] = a.high[r] = UNKNOWN;
	return a;
}

static void set_interval(struct chart_cell *a, enum chart_row row, double low, double high)
{
	if (!(low < high))
		return;
	a->low[row] = low;
	a->high[row] = high;
}

static void look_at_valid(struct chart_cell *a, const struct curve_point *pt)
{
	bool is_limited = flags_have(pt->flags, EFFECT_LOWER_BOUND) ||
			  (pt->flags & FLAG_BIT(FLAG_QUEUE_LIMITED));

	a->kind = is_limited ? CELL_LIMITED : CELL_VALID;
	a->figure[CHART_IOPS] = pt->iops;
	a->figure[CHART_LAT] = chart_ms(pt->lat_ns[LAT_MEAN]);
	set_interval(a, CHART_IOPS, pt->iops * (1 - pt->half_rel), pt->iops * (1 + pt->half_rel));
	if (pt->lat_hi_ns[LAT_MEAN] > 0)
		set_interval(a, CHART_LAT, chart_ms(pt->lat_lo_ns[LAT_MEAN]),
			     chart_ms(pt->lat_hi_ns[LAT_MEAN]));
}

/* Half of a 95 % interval, in standard errors. */
#define Z95 1.96

/* Intervals are known of single points; those of several repeats together would be another one. */
static struct chart_cell look_at_valid_load(const struct response_point *pt)
{
	const struct figures *f = &pt->row->dir[DIR_TOTAL];
	double iops = pt->iops, ms = chart_ms(pt->lat_ns[LAT_MEAN]);
	struct chart_cell a = chart_no_cell();

	a.kind = pt->is_sustained ? CELL_VALID : CELL_LIMITED;
	a.figure[CHART_IOPS] = iops;
	a.figure[CHART_LAT] = ms;
	if (f->iops >= iops && f->iops <= iops) {
		set_interval(&a, CHART_IOPS, iops * (1 - Z95 * f->iops_se_rel),
			     iops * (1 + Z95 * f->iops_se_rel));
		set_interval(&a, CHART_LAT, ms * (1 - Z95 * f->lat_se_rel),
			     ms * (1 + Z95 * f->lat_se_rel));
	}
	return a;
}

bool chart_look_at_load(const struct response *r, size_t i, struct chart_cell *a)
{
	const struct response_point *pt;
	const struct point *row = response_load_at(r, i, &pt);

	*a = chart_no_cell();
	if (!row)
		return false;
	if (pt) {
		*a = look_at_valid_load(pt);
	} else if (row->status == POINT_OK) {
		a->kind = CELL_SPOILED;
		a->figure[CHART_IOPS] = row->dir[DIR_TOTAL].iops;
		a->figure[CHART_LAT] = chart_ms(row->dir[DIR_TOTAL].lat_mean_ns);
	}
	return true;
}

/* The mean of repeats; they are equally long. */
static double mean_util(const struct curve *c, size_t first, size_t nr)
{
	double sum = 0;
	unsigned n = 0;

	for (size_t i = first; i < first + nr; i++) {
		if (c->row[i]->status != POINT_OK || isnan(c->row[i]->util_pct))
			continue;
		sum += c->row[i]->util_pct;
		n++;
	}
	return n ? sum / n : UNKNOWN;
}

struct chart_cell chart_look_at(const struct curve *c, size_t first, size_t nr)
{
	const struct curve_point *pt = chart_find_valid(c, c->row[first]->spec.iodepth);
	struct chart_cell a = chart_no_cell();

	a.figure[CHART_UTIL] = mean_util(c, first, nr);
	if (pt) {
		look_at_valid(&a, pt);
		return a;
	}
	/* Of repeats that are all spoiled the first, as in tables. */
	for (size_t i = first; i < first + nr && a.kind == CELL_GAP; i++) {
		const struct figures *f = &c->row[i]->dir[DIR_TOTAL];

		if (c->row[i]->status != POINT_OK || isnan(f->iops))
			continue;
		a.kind = CELL_SPOILED;
		a.figure[CHART_IOPS] = f->iops;
		a.figure[CHART_LAT] = chart_ms(f->lat_mean_ns);
	}
	return a;
}

void chart_add_series(struct picture *p, unsigned col, unsigned rows, const char *name)
{
	for (unsigned r = 0; r < rows; r++)
		buf_addstr(&panel_add_series(picture_panel(p, r, col), LOOK_CURVE)->name, name);
}

void chart_add_cell(struct picture *p, unsigned col, unsigned rows, double x,
		    const struct chart_cell *a)
{
	for (unsigned r = 0; r < rows; r++) {
		struct panel *panel = picture_panel(p, r, col);
		struct cell *c =
			series_add(&panel->series[panel->nr_series - 1], a->kind, x, a->figure[r]);

		c->y_low = a->low[r];
		c->y_high = a->high[r];
	}
}

/* Axes. */

/* Whether f is called true for any point of the group, or of its like in other runs. */
typedef bool look_fn(struct picture *p, unsigned col, unsigned rows, const struct point *row);

static bool look_at_curve(const struct chart_group *g, const struct curve *c, struct picture *p,
			  unsigned col, unsigned rows, look_fn *look)
{
	bool found = false;

	for (size_t r = 0; r < c->nr_rows; r++)
		if (c->row[r]->status == POINT_OK &&
		    (!g->depth || c->row[r]->spec.iodepth == g->depth))
			found |= look(p, col, rows, c->row[r]);
	return found;
}

/* All points of the group and of its like in other runs, so that the pictures that it is split
 * into, and those that will be laid beside each other, have one scale. */
static bool look_at_group(const struct chart_group *g, struct picture *p, unsigned col,
			  unsigned rows, look_fn *look)
{
	const struct report *r = g->from.report;
	bool found = false;

	for (size_t i = 0; i < g->nr; i++)
		found |= look_at_curve(g, g->curve[i]->curve, p, col, rows, look);
	for (const struct report_run *run = r->runs; run < r->runs + r->nr_runs; run++)
		for (size_t i = 0; run != g->from.run && i < run->nr_curves; i++)
			if (!g->compare(g->curve[0], &run->curves[i]))
				found |= look_at_curve(g, run->curves[i].curve, p, col, rows, look);
	return found;
}

static bool cover_row(struct picture *p, unsigned col, unsigned rows, const struct point *row)
{
	const struct figures *f = &row->dir[DIR_TOTAL];

	axis_cover(&picture_panel(p, CHART_IOPS, col)->y, f->iops);
	if (rows > CHART_LAT)
		axis_cover(&picture_panel(p, CHART_LAT, col)->y, chart_ms(f->lat_mean_ns));
	return true;
}

static bool has_lat(struct picture *p, unsigned col, unsigned rows, const struct point *row)
{
	(void)p;
	(void)col;
	(void)rows;
	return row->dir[DIR_TOTAL].lat_mean_ns > 0;
}

static bool has_util(struct picture *p, unsigned col, unsigned rows, const struct point *row)
{
	(void)p;
	(void)col;
	(void)rows;
	return !isnan(row->util_pct);
}

unsigned chart_nr_rows(const struct chart_group *g)
{
	if (!look_at_group(g, NULL, 0, 0, has_lat))
		return CHART_LAT;
	return g->from.how->has_util && look_at_group(g, NULL, 0, 0, has_util) ? CHART_ROW_NR
									       : CHART_UTIL;
}

void chart_title_axes(struct picture *p, unsigned col, unsigned rows)
{
	static const char *const title[CHART_ROW_NR] = {
		"IOPS", "mean response time (ms, log scale)", "device busy (%)"};

	for (unsigned r = 0; r < rows; r++) {
		struct panel_axis *y = &picture_panel(p, r, col)->y;

		y->title = title[r];
		y->scale = r == CHART_LAT ? SCALE_LOG10 : SCALE_LINEAR;
		if (r == CHART_UTIL)
			y->to = 105;
	}
}

void chart_set_axes(struct picture *p, const struct chart_group *g, unsigned col, unsigned rows)
{
	chart_title_axes(p, col, rows);
	(void)look_at_group(g, p, col, rows, cover_row);
}

static bool has_rule(const struct panel *p, const char *label)
{
	for (size_t i = 0; i < p->nr_rules; i++)
		if (!strcmp(p->rule[i].label, label))
			return true;
	return false;
}

void chart_add_stat_rules(struct panel *p, const struct report_run *run, enum lat_stat stat)
{
	struct buf s = BUF_INIT;

	for (unsigned i = 0; i < run->nr_caps; i++) {
		if (run->caps[i].stat != stat)
			continue;
		format_cap(&s, run->caps[i]);
		if (!has_rule(p, buf_text(&s)))
			panel_add_rule(p, false, chart_ms((double)run->caps[i].limit_ns),
				       buf_text(&s));
		buf_reset(&s);
	}
	buf_release(&s);
}

void chart_add_cap_rules(struct panel *p, const struct report_run *run)
{
	chart_add_stat_rules(p, run, LAT_MEAN);
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

void chart_add_depth_ticks(struct panel_axis *a, const struct chart_group *g, size_t first,
			   size_t last)
{
	size_t nr;
	uint32_t *depth = all_depths(g, first, last, &nr);

	for (size_t i = 0; i < nr; i++) {
		char *label = xasprintf("%u", depth[i]);

		axis_add_tick(a, depth[i], label);
		free(label);
	}
	free(depth);
}

/* Answers. */

static struct marks *find_marks(struct panel *p, const char *title)
{
	for (size_t i = 0; i < p->nr_marks; i++)
		if (!strcmp(p->marks[i].title, title))
			return &p->marks[i];
	return p->nr_marks < PANEL_MAX_MARKS ? panel_add_marks(p, title) : NULL;
}

static void mark(struct panel *p, const char *title, double x, double y)
{
	struct marks *m = find_marks(p, title);

	if (m)
		marks_add(m, x, y);
}

void chart_mark_cap(struct panel *p, struct cap cap, double x, double y)
{
	struct buf s = BUF_INIT;

	buf_addstr(&s, "max IOPS, ");
	format_cap(&s, cap);
	mark(p, buf_text(&s), x, y);
	buf_release(&s);
}

void chart_mark_answers(struct panel *p, const struct report_run *run,
			const struct report_curve *rc, bool is_depth)
{
	const struct knee *k = &rc->knee;
	const struct curve_point *pt = chart_find_valid(rc->curve, k->sat_depth);

	if (pt && knee_is_known(k) && k->cls != KNEE_RISING)
		mark(p, knee_is_least(k) ? "saturates here or deeper" : "saturates here (knee)",
		     is_depth ? pt->iodepth : pt->iops,
		     is_depth ? pt->iops : chart_ms(pt->lat_ns[LAT_MEAN]));
	for (unsigned i = 0; i < run->nr_caps; i++) {
		const struct cap_answer *a = &rc->cap[i];

		pt = chart_find_valid(rc->curve, a->depth);
		if (pt && (a->status == CAP_OK || a->status == CAP_NOT_REACHED))
			chart_mark_cap(p, a->cap, is_depth ? pt->iodepth : pt->iops,
				       is_depth ? pt->iops : chart_ms(pt->lat_ns[LAT_MEAN]));
	}
}

/* Pictures. */

struct picture *chart_add_picture(struct charts *out, const struct chart_source *from, char *name,
				  size_t part, size_t nr_parts, unsigned rows, unsigned cols)
{
	struct picture *p;

	VEC_GROW(out->v, out->nr, out->cap);
	p = &out->v[out->nr++];
	picture_init(p, rows, cols);
	p->name = nr_parts > 1 ? xasprintf("%s-%zu", name, part + 1) : xstrdup(name);
	free(name);
	buf_addf(&p->subtitle, "run %" PRId64 ": ", from->run->info->id);
	format_run_name(&p->subtitle, from->run->info);
	return p;
}

size_t chart_nr_parts(size_t nr)
{
	return (nr + PICTURE_MAX_SERIES - 1) / PICTURE_MAX_SERIES;
}
