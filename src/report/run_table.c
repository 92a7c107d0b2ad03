/* SPDX-License-Identifier: MIT */
#include "report/run_table.h"

#include "base/mem.h"
#include "base/num.h"

#include <stdlib.h>
#include <string.h>

/* ---- which points there are ---- */

static int compare_specs(const void *a, const void *b)
{
	return point_spec_compare(a, b);
}

static void collect_points(const struct report *r, struct run_table *t)
{
	size_t nr = 0, nr_all = 0;

	for (size_t i = 0; i < r->nr_runs; i++)
		nr_all += r->runs[i].nr_points;
	t->point = xcalloc(nr_all + 1, sizeof(*t->point));
	for (size_t i = 0; i < r->nr_runs; i++) {
		for (size_t k = 0; k < r->runs[i].nr_points; k++) {
			if (r->runs[i].points[k].spec.is_anchor)
				continue;
			t->point[nr] = r->runs[i].points[k].spec;
			t->point[nr++].repeat = 0;
		}
	}
	qsort(t->point, nr, sizeof(*t->point), compare_specs);
	for (size_t i = 0; i < nr; i++)
		if (!t->nr_points || compare_specs(&t->point[i], &t->point[t->nr_points - 1]))
			t->point[t->nr_points++] = t->point[i];
}

/* ---- figures of a cell ---- */

/* Repeats of a point, added up. */
struct sum {
	double nr, iops, mib_s, weight, lat;
};

static void add_figures(struct sum *s, const struct figures *f)
{
	double weight = f->ios > 0 ? f->ios : f->iops;

	s->nr++;
	s->iops += f->iops;
	s->mib_s += f->mib_s;
	s->weight += weight;
	s->lat += weight * f->lat_mean_ns;
}

static void set_direction(struct run_cell *c, enum dir dir, const struct sum *s)
{
	c->figure[dir][TABLE_IOPS] = s->iops / s->nr;
	c->figure[dir][TABLE_MIB_S] = s->mib_s / s->nr;
	/* A single latency needs no weight, which a table may not tell. */
	c->figure[dir][TABLE_LAT] = s->weight > 0 ? s->lat / s->weight : UNKNOWN;
}

/* A table may have the directions only. */
static void complete_total(struct run_cell *c)
{
	double *total = c->figure[DIR_TOTAL];
	const double *r = c->figure[DIR_READ], *w = c->figure[DIR_WRITE];

	for (enum table_figure f = TABLE_IOPS; f <= TABLE_MIB_S; f++)
		if (isnan(total[f]))
			total[f] = r[f] + w[f];
	if (isnan(total[TABLE_LAT]))
		total[TABLE_LAT] = (r[TABLE_IOPS] * r[TABLE_LAT] + w[TABLE_IOPS] * w[TABLE_LAT]) /
				   (r[TABLE_IOPS] + w[TABLE_IOPS]);
}

static bool is_same_point(const struct point *p, const struct point_spec *want)
{
	struct point_spec spec = p->spec;

	spec.repeat = 0;
	return !spec.is_anchor && !point_spec_compare(&spec, want);
}

/* The figures of the valid repeats together, else those of the first that has any. */
static void fill_figures(const struct report_run *run, const struct point_spec *want, bool valid,
			 struct run_cell *c)
{
	struct sum sum[DIR_NR] = {{0}};

	for (size_t i = 0; i < run->nr_points; i++) {
		const struct point *p = &run->points[i];

		if (!is_same_point(p, want) || point_is_valid(p, run->accepted) != valid)
			continue;
		if (p->status != POINT_OK || (!valid && c->nr_repeats))
			continue;
		c->nr_repeats++;
		c->status = p->status;
		c->flags |= p->flags;
		for (enum dir d = 0; d < DIR_NR; d++)
			add_figures(&sum[d], &p->dir[d]);
	}
	for (enum dir d = 0; c->nr_repeats && d < DIR_NR; d++)
		set_direction(c, d, &sum[d]);
	if (c->nr_repeats)
		complete_total(c);
	c->is_valid = valid && c->nr_repeats;
}

static void fill_cell(const struct report_run *run, const struct point_spec *want,
		      struct run_cell *c)
{
	for (enum dir d = 0; d < DIR_NR; d++)
		for (enum table_figure f = 0; f < TABLE_FIGURE_NR; f++)
			c->figure[d][f] = UNKNOWN;
	for (size_t i = 0; i < run->nr_points; i++) {
		if (!is_same_point(&run->points[i], want))
			continue;
		c->status = c->is_there ? c->status : run->points[i].status;
		c->is_there = true;
	}
	fill_figures(run, want, true, c);
	if (!c->nr_repeats)
		fill_figures(run, want, false, c);
}

/* ---- the best ---- */

static bool is_better(enum table_figure f, double v, double than)
{
	return isnan(than) || (f == TABLE_LAT ? v < than : v > than);
}

static void mark_best(struct run_cell *row, size_t nr_runs, enum dir d, enum table_figure f)
{
	double best = UNKNOWN;
	size_t nr = 0;

	for (size_t i = 0; i < nr_runs; i++) {
		if (!row[i].is_valid || isnan(row[i].figure[d][f]))
			continue;
		nr++;
		if (is_better(f, row[i].figure[d][f], best))
			best = row[i].figure[d][f];
	}
	for (size_t i = 0; nr > 1 && i < nr_runs; i++)
		row[i].is_best[d][f] = row[i].is_valid && row[i].figure[d][f] == best;
}

void run_table_build(const struct report *r, struct run_table *t)
{
	*t = (struct run_table){.runs = r->runs, .nr_runs = r->nr_runs};
	collect_points(r, t);
	t->cell = xcalloc(t->nr_points * t->nr_runs + 1, sizeof(*t->cell));
	for (size_t p = 0; p < t->nr_points; p++) {
		struct run_cell *row = &t->cell[p * t->nr_runs];

		for (size_t i = 0; i < t->nr_runs; i++)
			fill_cell(&t->runs[i], &t->point[p], &row[i]);
		for (enum dir d = 0; d < DIR_NR; d++)
			for (enum table_figure f = 0; f < TABLE_FIGURE_NR; f++)
				mark_best(row, t->nr_runs, d, f);
	}
}

void run_table_release(struct run_table *t)
{
	free(t->point);
	free(t->cell);
	*t = (struct run_table){0};
}

static bool is_same(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

static bool is_ambiguous(const struct run_table *t, const struct run_info *info)
{
	for (size_t i = 0; i < t->nr_runs; i++) {
		const struct run_info *other = t->runs[i].info;

		if (is_same(other->target_label, info->target_label) &&
		    !is_same(other->target_identity, info->target_identity) &&
		    !is_same(other->target_given, info->target_given))
			return true;
	}
	return false;
}

const char *run_table_label(const struct run_table *t, size_t run)
{
	const struct run_info *info = t->runs[run].info;
	const char *const names[] = {is_ambiguous(t, info) ? NULL : info->target_label,
				     info->target_given, info->sweep_name};

	for (size_t i = 0; i < NR(names); i++)
		if (names[i] && *names[i])
			return names[i];
	return "run";
}
