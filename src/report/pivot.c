/* SPDX-License-Identifier: MIT */
#include "report/pivot.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/units.h"
#include "report/format.h"

#include <stdlib.h>
#include <string.h>

#define BYTES_PER_MIB	   1048576.0
#define SPAN_DEPTH_DEFAULT 16

static const struct {
	const char *ask, *name, *title;
	enum lat_stat stat;
	int decimals; /* -1: as IOPS are printed */
} figures[PIVOT_FIGURE_NR] = {
	[PIVOT_IOPS] = {"iops", "iops", "IOPS", LAT_STAT_NR, -1},
	[PIVOT_MIB_S] = {"mib_s", "mib_s", "MiB/s", LAT_STAT_NR, 2},
	[PIVOT_LAT_MEAN] = {"lat_mean", "lat_mean_ms", "mean ms", LAT_MEAN, 3},
	[PIVOT_LAT_P50] = {"lat_p50", "lat_p50_ms", "p50 ms", LAT_P50, 3},
	[PIVOT_LAT_P90] = {"lat_p90", "lat_p90_ms", "p90 ms", LAT_P90, 3},
	[PIVOT_LAT_P95] = {"lat_p95", "lat_p95_ms", "p95 ms", LAT_P95, 3},
	[PIVOT_LAT_P99] = {"lat_p99", "lat_p99_ms", "p99 ms", LAT_P99, 3},
	[PIVOT_LAT_P999] = {"lat_p999", "lat_p999_ms", "p99.9 ms", LAT_P999, 3},
	[PIVOT_UTIL] = {"util", "util_pct", "util %", LAT_STAT_NR, 2},
};

const char *pivot_figure_title(enum pivot_figure f)
{
	return figures[f].title;
}

const char *pivot_figure_name(enum pivot_figure f)
{
	return figures[f].name;
}

void pivot_add_figure(struct buf *b, enum pivot_figure f, double v)
{
	if (figures[f].decimals < 0)
		format_iops(b, v);
	else
		format_fixed(b, v, figures[f].decimals);
}

/* ---- what is asked for ---- */

/* Call add for each item of a list with commas. */
static int each_item(const char *list, struct pivot_ask *ask,
		     int (*add)(const char *item, struct pivot_ask *ask, struct err *e),
		     struct err *e)
{
	char *copy = xstrdup(list), *rest = copy, *item;
	int rc = 0;

	while (!rc && (item = strsep(&rest, ",")))
		rc = add(item, ask, e);
	free(copy);
	return rc;
}

static int find_axis(const char *name, enum axis *axis, struct err *e)
{
	*axis = axis_find(name);
	if (*axis == AXIS_RATE)
		return err_set(e, ERR_USAGE,
			       "offered loads have a table for each response curve in the report, "
			       "and 'rate' is no axis of other tables");
	if (*axis == AXIS_NR)
		return err_set(e, ERR_USAGE,
			       "'%s' is no axis: use rw, bs, iodepth, span, rwmixread, workers or "
			       "random_pct",
			       name);
	return 0;
}

static int add_axis(const char *item, struct pivot_ask *ask, struct err *e)
{
	if (ask->rows == AXIS_NR)
		return find_axis(item, &ask->rows, e);
	if (ask->cols != AXIS_NR)
		return err_set(e, ERR_USAGE,
			       "a table has one axis in rows and at most one in columns, so there "
			       "is no place for '%s'",
			       item);
	if (find_axis(item, &ask->cols, e))
		return -1;
	if (ask->cols == ask->rows)
		return err_set(e, ERR_USAGE, "'%s' cannot be both in rows and in columns", item);
	return 0;
}

int pivot_parse_axes(const char *text, struct pivot_ask *ask, struct err *e)
{
	ask->rows = ask->cols = AXIS_NR;
	return each_item(text, ask, add_axis, e);
}

static int add_figure(const char *item, struct pivot_ask *ask, struct err *e)
{
	for (enum pivot_figure f = 0; f < PIVOT_FIGURE_NR; f++) {
		if (strcmp(figures[f].ask, item) != 0)
			continue;
		for (size_t i = 0; i < ask->nr_figures; i++)
			if (ask->figure[i] == f)
				return 0;
		ask->figure[ask->nr_figures++] = f;
		return 0;
	}
	return err_set(e, ERR_USAGE,
		       "'%s' is no figure: use iops, mib_s, lat_mean, lat_p50, lat_p90, lat_p95, "
		       "lat_p99, lat_p999 or util",
		       item);
}

int pivot_parse_figures(const char *text, struct pivot_ask *ask, struct err *e)
{
	return each_item(text, ask, add_figure, e);
}

static int add_where(const char *item, struct pivot_ask *ask, struct err *e)
{
	const char *equals = strchr(item, '=');
	enum axis axis;
	char *name;
	int rc;

	if (!equals || !equals[1])
		return err_set(e, ERR_USAGE, "'%s' is no condition; write it as iodepth=16", item);
	if (ask->nr_where == PIVOT_MAX_WHERE)
		return err_set(e, ERR_USAGE, "there are more than %d conditions", PIVOT_MAX_WHERE);
	name = xstrndup(item, (size_t)(equals - item));
	rc = find_axis(name, &axis, e);
	free(name);
	if (!rc)
		ask->where[ask->nr_where++] = (struct pivot_where){axis, xstrdup(equals + 1)};
	return rc;
}

int pivot_parse_where(const char *text, struct pivot_ask *ask, struct err *e)
{
	return each_item(text, ask, add_where, e);
}

void pivot_ask_release(struct pivot_ask *ask)
{
	for (size_t i = 0; i < ask->nr_where; i++)
		free(ask->where[i].text);
	ask->nr_where = 0;
}

/* ---- values of axes ---- */

static bool is_asked(const struct pivot_ask *ask, enum axis axis)
{
	return ask->rows == axis || ask->cols == axis;
}

static void add_pattern(struct buf *b, const struct pivot_ask *ask, const struct point_spec *s)
{
	buf_addstr(b, rw_name(s->rw));
	if (rw_is_mixed(s->rw) && !is_asked(ask, AXIS_RWMIXREAD))
		buf_addf(b, " %u%% read", s->rwmixread_pct);
	if (rw_is_random(s->rw) && s->random_pct != 100 && !is_asked(ask, AXIS_RANDOM_PCT))
		buf_addf(b, " %u%% random", s->random_pct);
}

void pivot_add_value(struct buf *b, const struct pivot_ask *ask, enum axis axis,
		     const struct point_spec *s)
{
	switch (axis) {
	case AXIS_RW:
		add_pattern(b, ask, s);
		break;
	case AXIS_BS:
		buf_add_size(b, s->bs_bytes);
		break;
	case AXIS_IODEPTH:
		buf_addf(b, "%u", s->iodepth);
		break;
	case AXIS_SPAN:
		buf_add_span(b, s);
		break;
	case AXIS_RWMIXREAD:
		buf_addf(b, "%u%%", s->rwmixread_pct);
		break;
	case AXIS_WORKERS:
		buf_addf(b, "%u", s->workers);
		break;
	case AXIS_RANDOM_PCT:
		buf_addf(b, "%u%%", s->random_pct);
		break;
	case AXIS_RATE:
	case AXIS_NR:
		break;
	}
}

const char *pivot_axis_name(enum axis axis)
{
	static const char *const names[AXIS_NR] = {
		[AXIS_RW] = "rw",
		[AXIS_BS] = "bs_bytes",
		[AXIS_IODEPTH] = "iodepth",
		[AXIS_SPAN] = "span_bytes",
		[AXIS_RWMIXREAD] = "rwmixread_pct",
		[AXIS_WORKERS] = "workers",
		[AXIS_RANDOM_PCT] = "random_pct",
		[AXIS_RATE] = "rate_iops",
	};

	return names[axis];
}

/* The values of an axis that has two, as they are compared. The pattern holds the mix and the share of random
 * offsets, unless these are asked for. */
static void axis_key(const struct pivot_ask *ask, enum axis axis, const struct point_spec *s,
		     uint64_t key[3])
{
	key[0] = key[1] = key[2] = 0;
	switch (axis) {
	case AXIS_RW:
		key[0] = s->rw;
		key[1] = is_asked(ask, AXIS_RWMIXREAD) ? 0 : s->rwmixread_pct;
		key[2] = is_asked(ask, AXIS_RANDOM_PCT) ? 0 : s->random_pct;
		break;
	case AXIS_BS:
		key[0] = s->bs_bytes;
		break;
	case AXIS_IODEPTH:
		key[0] = s->iodepth;
		break;
	case AXIS_SPAN:
		key[0] = s->span_bytes;
		key[1] = s->offset_bytes;
		break;
	case AXIS_RWMIXREAD:
		key[0] = s->rwmixread_pct;
		break;
	case AXIS_WORKERS:
		key[0] = s->workers;
		break;
	case AXIS_RANDOM_PCT:
		key[0] = s->random_pct;
		break;
	case AXIS_RATE:
	case AXIS_NR:
		break;
	}
}

uint64_t pivot_axis_number(enum axis axis, const struct point_spec *s)
{
	const struct pivot_ask none = {.rows = AXIS_NR, .cols = AXIS_NR};
	uint64_t key[3];

	axis_key(&none, axis, s, key);
	return key[0];
}

static int compare_axis(const struct pivot_ask *ask, enum axis axis, const struct point_spec *a,
			const struct point_spec *b)
{
	uint64_t x[3], y[3];

	axis_key(ask, axis, a, x);
	axis_key(ask, axis, b, y);
	for (size_t i = 0; i < NR(x); i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

/* The axes that tables are told apart by, in this order. */
static const enum axis panel_axes[] = {AXIS_RW, AXIS_BS, AXIS_WORKERS, AXIS_SPAN, AXIS_IODEPTH};

static int compare_panels(const struct pivot_ask *ask, const struct point_spec *a,
			  const struct point_spec *b)
{
	for (size_t i = 0; i < NR(panel_axes); i++) {
		int c = is_asked(ask, panel_axes[i]) ? 0 : compare_axis(ask, panel_axes[i], a, b);

		if (c)
			return c;
	}
	return 0;
}

static void name_panel(struct buf *b, const struct pivot_ask *ask, const struct point_spec *s)
{
	static const struct {
		enum axis axis;
		const char *before;
	} parts[] = {
		{AXIS_RW, ""},
		{AXIS_BS, ""},
		{AXIS_IODEPTH, "iodepth "},
		{AXIS_WORKERS, "workers "},
		{AXIS_SPAN, "span "},
	};

	for (size_t i = 0; i < NR(parts); i++) {
		if (is_asked(ask, parts[i].axis) ||
		    (parts[i].axis == AXIS_WORKERS && s->workers == 1))
			continue;
		buf_addf(b, "%s%s", b->len ? " " : "", parts[i].before);
		pivot_add_value(b, ask, parts[i].axis, s);
	}
	if (!b->len)
		buf_addstr(b, "all points");
}

static bool has_value(const struct pivot_ask *ask, const struct pivot_where *w,
		      const struct point_spec *s)
{
	struct buf label = BUF_INIT;
	struct err e = {0};
	uint64_t v = 0;
	bool is_same;

	pivot_add_value(&label, ask, w->axis, s);
	is_same = !strcmp(buf_text(&label), w->text);
	buf_release(&label);
	if (is_same)
		return true;
	switch (w->axis) {
	case AXIS_RW:
		return !strcmp(rw_name(s->rw), w->text);
	case AXIS_BS:
		return !units_parse_size(w->text, &v, &e) && v == s->bs_bytes;
	case AXIS_SPAN:
		return !units_parse_size(w->text, &v, &e) && v == s->span_bytes;
	case AXIS_RWMIXREAD:
		return !units_parse_count(w->text, &v, &e) && v == s->rwmixread_pct;
	case AXIS_RANDOM_PCT:
		return !units_parse_count(w->text, &v, &e) && v == s->random_pct;
	case AXIS_IODEPTH:
	case AXIS_WORKERS:
	case AXIS_RATE:
	case AXIS_NR:
		break;
	}
	return false;
}

static bool is_wanted(const struct pivot_ask *ask, const struct point_spec *s)
{
	for (size_t i = 0; i < ask->nr_where; i++)
		if (!has_value(ask, &ask->where[i], s))
			return false;
	return true;
}

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
		if (figures[f].stat != LAT_STAT_NR)
			c->figure[f] = pt->lat_ns[figures[f].stat] / 1e6;
}

/* Figures of a point that decides nothing are shown, but marked. */
static void take_spoiled(struct pivot_cell *c, const struct point *p)
{
	const struct figures *f = &p->dir[DIR_TOTAL];

	c->flags = p->flags;
	c->figure[PIVOT_IOPS] = f->iops;
	c->figure[PIVOT_MIB_S] = f->mib_s;
	for (enum pivot_figure i = 0; i < PIVOT_FIGURE_NR; i++)
		if (figures[i].stat != LAT_STAT_NR)
			c->figure[i] = figures_lat_ns(f, figures[i].stat) / 1e6;
}

/* Of the repeats that decide, or of the first one where none does. */
static double mean_util(const struct curve *c, size_t first, size_t end, flag_set accepted,
			bool is_valid)
{
	double sum = 0;
	size_t nr = 0;

	for (size_t i = first; i < end; i++) {
		if (is_valid && !point_is_valid(c->row[i], accepted))
			continue;
		sum += c->row[i]->util_pct;
		nr++;
		if (!is_valid)
			break;
	}
	return nr ? sum / (double)nr : UNKNOWN;
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
		if (is_wanted(l->ask, s))
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
	int c = compare_panels(p->ask, &p->spec, &q->spec);

	c = c ? c : compare_axis(p->ask, p->ask->rows, &p->spec, &q->spec);
	return c ? c : compare_axis(p->ask, p->ask->cols, &p->spec, &q->spec);
}

/* ---- tables ---- */

struct order {
	const struct pivot_ask *ask;
	enum axis axis;
};

static int compare_ordered(const void *a, const void *b, void *order)
{
	const struct order *o = order;

	return compare_axis(o->ask, o->axis, a, b);
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
		if (compare_axis(v->ask, axis, &list[i], &list[nr_kept - 1]))
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

		if (compare_axis(ask, axis, &list[middle], s) < 0)
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

	name_panel(&t.name, ask, &v->spec);
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
			if (compare_panels(p->ask, &l->v[i].spec, &l->v[end].spec))
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
			if (has_value(ask, w, &r->runs[i].points[k].spec))
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
		 most = run->span_depth ? run->span_depth : SPAN_DEPTH_DEFAULT;

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
