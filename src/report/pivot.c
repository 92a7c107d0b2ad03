/* SPDX-License-Identifier: MIT */
#include "report/pivot.h"

#include "base/mem.h"
#include "base/num.h"
#include "model/sizing.h"
#include "report/pivot_axes.h"

#include <stdlib.h>

#define BYTES_PER_MIB 1048576.0

/* ---- cells ---- */

/* A point with its repeats together. */
struct entry {
	const struct report_run *run;
	const struct pivot_ask *ask;
	struct point_spec spec;
	struct pivot_cell cell;
};

struct entries {
	const struct pivot_ask *ask;
	struct entry *v;
	size_t nr, cap;
};

static void take_valid(struct pivot_cell *c, const struct curve *curve,
		       const struct curve_point *pt)
{
	c->is_valid = true;
	c->flags = pt->flags;
	c->figure[PIVOT_IOPS] = pt->iops;
	c->figure[PIVOT_MIB_S] = pt->iops * (double)curve->spec.bs_bytes / BYTES_PER_MIB;
	for (enum pivot_figure f = 0; f < PIVOT_FIGURE_NR; f++)
		if (pivot_figure_stat(f) != LAT_STAT_NR)
			c->figure[f] = pt->lat_ns[pivot_figure_stat(f)] / 1e6;
}

/* Figures of a point that decides nothing are shown, but marked. */
static void take_spoiled(struct pivot_cell *c, const struct point *p)
{
	const struct figures *f = &p->dir[DIR_TOTAL];

	c->flags = p->flags;
	c->figure[PIVOT_IOPS] = f->iops;
	c->figure[PIVOT_MIB_S] = f->mib_s;
	for (enum pivot_figure i = 0; i < PIVOT_FIGURE_NR; i++)
		if (pivot_figure_stat(i) != LAT_STAT_NR)
			c->figure[i] = figures_lat_ns(f, pivot_figure_stat(i)) / 1e6;
}

/* Of the repeats that decide, or of the first one where none does. */
static double mean_util(const struct curve *c, size_t first, size_t end, flag_set accepted,
			bool is_valid)
{
	return is_valid ? points_mean(c->row + first, end - first, accepted,
				      offsetof(struct point, util_pct))
			: c->row[first]->util_pct;
}

/* Rows [first, end) of the curve are one depth; pt is what decides there, NULL for nothing. */
static void add_entry(struct entries *l, const struct report_run *run, const struct curve *c,
		      size_t first, size_t end, const struct curve_point *pt)
{
	const struct point *p = c->row[first];
	struct entry n = {.run = run, .ask = l->ask, .spec = p->spec};

	n.cell.is_there = true;
	n.cell.status = p->status;
	for (enum pivot_figure f = 0; f < PIVOT_FIGURE_NR; f++)
		n.cell.figure[f] = UNKNOWN;
	if (pt)
		take_valid(&n.cell, c, pt);
	else if (p->status == POINT_OK)
		take_spoiled(&n.cell, p);
	n.cell.flags = pt ? pt->flags : p->flags;
	n.cell.figure[PIVOT_UTIL] = mean_util(c, first, end, run->accepted, n.cell.is_valid);
	VEC_GROW(l->v, l->nr, l->cap);
	l->v[l->nr++] = n;
}

static void collect_curve(struct entries *l, const struct report_run *run, const struct curve *c)
{
	size_t end, k = 0;

	for (size_t first = 0; first < c->nr_rows; first = end) {
		const struct point_spec *s = &c->row[first]->spec;

		for (end = first + 1; end < c->nr_rows; end++)
			if (c->row[end]->spec.iodepth != s->iodepth)
				break;
		/* Both are ascending. */
		while (k < c->nr && c->pt[k].iodepth < s->iodepth)
			k++;
		if (pivot_is_wanted(l->ask, s))
			add_entry(l, run, c, first, end,
				  k < c->nr && c->pt[k].iodepth == s->iodepth ? &c->pt[k] : NULL);
	}
}

static void collect(struct entries *l, const struct report_run *run)
{
	for (size_t i = 0; i < run->nr_curves; i++)
		collect_curve(l, run, run->curves[i].curve);
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *p = a, *q = b;
	int c = pivot_compare_panels(p->ask, &p->spec, &q->spec);

	c = c ? c : pivot_compare_axis(p->ask, p->ask->rows, &p->spec, &q->spec);
	return c ? c : pivot_compare_axis(p->ask, p->ask->cols, &p->spec, &q->spec);
}

/* ---- tables ---- */

struct order {
	const struct pivot_ask *ask;
	enum axis axis;
};

static int compare_ordered(const void *a, const void *b, void *order)
{
	const struct order *o = order;

	return pivot_compare_axis(o->ask, o->axis, a, b);
}

/* The values of an axis among entries, ascending, each once. */
static struct point_spec *distinct(const struct entry *v, size_t nr, enum axis axis, size_t *out_nr)
{
	struct point_spec *list = xcalloc(nr, sizeof(*list));
	struct order o = {v->ask, axis};
	size_t nr_kept = 1;

	for (size_t i = 0; i < nr; i++)
		list[i] = v[i].spec;
	qsort_r(list, nr, sizeof(*list), compare_ordered, &o);
	for (size_t i = 1; i < nr; i++)
		if (pivot_compare_axis(v->ask, axis, &list[i], &list[nr_kept - 1]))
			list[nr_kept++] = list[i];
	*out_nr = nr_kept;
	return list;
}

/* Where the value of s is among nr ascending ones, which have it. */
static size_t find_value(const struct pivot_ask *ask, enum axis axis, const struct point_spec *list,
			 size_t nr, const struct point_spec *s)
{
	size_t low = 0, high = nr - 1;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (pivot_compare_axis(ask, axis, &list[middle], s) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct pivot_table make_table(const struct entry *v, size_t nr)
{
	const struct pivot_ask *ask = v->ask;
	struct pivot_table t = {.run = v->run};

	pivot_name_panel(&t.name, ask, &v->spec);
	t.row = distinct(v, nr, ask->rows, &t.nr_rows);
	t.col = distinct(v, nr, ask->cols, &t.nr_cols);
	t.cell = xcalloc(t.nr_rows * t.nr_cols, sizeof(*t.cell));
	for (size_t i = 0; i < t.nr_rows * t.nr_cols; i++)
		for (enum pivot_figure f = 0; f < PIVOT_FIGURE_NR; f++)
			t.cell[i].figure[f] = UNKNOWN;
	for (size_t i = 0; i < nr; i++) {
		size_t row = find_value(ask, ask->rows, t.row, t.nr_rows, &v[i].spec);
		size_t col = find_value(ask, ask->cols, t.col, t.nr_cols, &v[i].spec);

		t.cell[row * t.nr_cols + col] = v[i].cell;
	}
	return t;
}

static void table_release_all(struct pivot_table *t)
{
	buf_release(&t->name);
	free(t->row);
	free(t->col);
	free(t->cell);
}

static void add_tables(struct pivot *p, const struct entries *l, size_t *cap)
{
	size_t end;

	for (size_t i = 0; i < l->nr; i = end) {
		struct pivot_table t;

		for (end = i + 1; end < l->nr; end++)
			if (pivot_compare_panels(p->ask, &l->v[i].spec, &l->v[end].spec))
				break;
		t = make_table(&l->v[i], end - i);
		if (t.nr_rows < p->ask->least_rows) {
			table_release_all(&t);
			continue;
		}
		VEC_GROW(p->table, p->nr, *cap);
		p->table[p->nr++] = t;
	}
}

static bool any_has(const struct report *r, const struct pivot_ask *ask,
		    const struct pivot_where *w)
{
	for (size_t i = 0; i < r->nr_runs; i++)
		for (size_t k = 0; k < r->runs[i].nr_points; k++)
			if (pivot_has_value(ask, w, &r->runs[i].points[k].spec))
				return true;
	return false;
}

int pivot_build(const struct report *r, const struct pivot_ask *ask, struct pivot *p, struct err *e)
{
	size_t cap = 0;

	*p = (struct pivot){.ask = ask};
	for (size_t i = 0; i < ask->nr_where; i++)
		if (!any_has(r, ask, &ask->where[i]))
			return err_set(e, ERR_USAGE, "no point has %s=%s",
				       axis_name(ask->where[i].axis), ask->where[i].text);
	for (size_t i = 0; i < r->nr_runs; i++) {
		struct entries l = {.ask = ask};

		collect(&l, &r->runs[i]);
		if (l.nr)
			qsort(l.v, l.nr, sizeof(*l.v), compare_entries);
		add_tables(p, &l, &cap);
		free(l.v);
	}
	return 0;
}

void pivot_release(struct pivot *p)
{
	for (size_t i = 0; i < p->nr; i++)
		table_release_all(&p->table[i]);
	free(p->table);
	*p = (struct pivot){0};
}

uint32_t pivot_span_depth(const struct report_run *run)
{
	uint32_t best = 0, smallest = 0,
		 most = run->span_depth ? run->span_depth : SIZE_DEPTH_USUAL;

	for (size_t i = 0; i < run->nr_curves; i++) {
		const struct curve *c = run->curves[i].curve;

		for (size_t k = 0; k < c->nr_rows; k++) {
			uint32_t depth = c->row[k]->spec.iodepth;

			if (depth <= most && depth > best)
				best = depth;
			if (!smallest || depth < smallest)
				smallest = depth;
		}
	}
	return best ? best : smallest;
}
