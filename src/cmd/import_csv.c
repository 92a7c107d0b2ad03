/* SPDX-License-Identifier: MIT */
#include "cmd/import_csv.h"

#include "base/csv.h"
#include "base/mem.h"
#include "base/num.h"
#include "cmd/import_columns.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BYTES_PER_MIB 1048576.0
/* More are names of something else, and each becomes a run. */
#define MAX_TARGETS 1000U

struct reader {
	struct csv csv;
	struct import_columns columns;
	const struct import_source *src;
	struct import_result *out;
	struct import_row *row;
	size_t nr_rows, cap_rows;
};

static void warn_assumed(struct reader *r, const char *axis, const char *value)
{
	buf_addf(&r->out->warnings, "no column gives %s: %s is assumed; --set %s=VALUE says it\n",
		 axis, value, axis);
}

static bool has(const struct reader *r, enum import_field field)
{
	return import_columns_find(&r->columns, field) != NULL;
}

/* Both directions of a point in columns of one row. */
static bool gives_directions(const struct reader *r)
{
	return has(r, IMPORT_READ_IOPS) || has(r, IMPORT_WRITE_IOPS) || has(r, IMPORT_READ_LAT) ||
	       has(r, IMPORT_WRITE_LAT);
}

static int check_columns(struct reader *r, struct err *e)
{
	const struct import_column *mib = import_columns_find(&r->columns, IMPORT_MIB_S);

	if (!has(r, IMPORT_IODEPTH) && !has(r, IMPORT_DEPTH_EACH))
		return err_set(e, ERR_DATA,
			       "no column gives the queue depth (iodepth or qd): name it by "
			       "--map 'COLUMN=iodepth', or say it by --set iodepth=N, or by "
			       "--set iodepth_per_worker=N");
	if (has(r, IMPORT_IODEPTH) && has(r, IMPORT_DEPTH_EACH))
		return err_set(e, ERR_DATA,
			       "iodepth is the depth of all workers together, so "
			       "iodepth_per_worker beside it gives the depth a second time");
	if (has(r, IMPORT_DIR) && gives_directions(r))
		return err_set(e, ERR_DATA,
			       "the column of directions says whose figures a row has, so there "
			       "are no columns of reads and writes beside it");
	if (!has(r, IMPORT_IOPS) && !mib && !has(r, IMPORT_READ_IOPS) && !has(r, IMPORT_WRITE_IOPS))
		return err_set(e, ERR_DATA, "no column gives iops or mib_s");
	if (!has(r, IMPORT_RW) && !has(r, IMPORT_RWMIXREAD))
		warn_assumed(r, "rw", has(r, IMPORT_RANDOM_PCT) ? "read" : "randread");
	else if (!has(r, IMPORT_RW) && !has(r, IMPORT_RANDOM_PCT))
		warn_assumed(r, "random_pct", "100");
	r->out->assumes_bs = !has(r, IMPORT_BS);
	if (r->out->assumes_bs)
		warn_assumed(r, "bs", "4k");
	if (mib) {
		r->out->mib_column = xstrdup(mib->header);
		r->out->mib_scale = mib->scale;
	}
	return 0;
}

static int read_header(struct reader *r, struct err *e)
{
	int rc = csv_next(&r->csv, e);

	if (rc < 0)
		return -1;
	if (rc == 0)
		return err_set(e, ERR_DATA, "the table is empty");
	if (import_columns_read(&r->columns, &r->csv, r->src->map, r->src->where, r->src->set, e))
		return -1;
	return check_columns(r, e);
}

/* Whether the column of this condition has one of the texts that are asked for. */
static bool meets(const struct reader *r, const char *column)
{
	const struct pair_list *where = r->src->where;
	char *s = import_trimmed(csv_field(&r->csv, import_columns_named(&r->columns, column)));
	bool is_met = false;

	for (size_t i = 0; i < where->nr; i++)
		if (!strcasecmp(where->v[i].name, column) && !strcasecmp(where->v[i].value, s))
			is_met = true;
	free(s);
	return is_met;
}

static bool is_wanted(const struct reader *r)
{
	for (size_t i = 0; i < r->src->where->nr; i++)
		if (!meets(r, r->src->where->v[i].name))
			return false;
	return true;
}

static bool same_target(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Give the row the table of its target, a new one where there is none. */
static int find_table(struct reader *r, struct import_row *row, struct err *e)
{
	struct import_result *out = r->out;
	size_t i = out->nr;

	/* Rows of one target mostly stand together. */
	while (i > 0 && !same_target(out->v[i - 1].target, row->target))
		i--;
	if (!i) {
		if (out->nr == MAX_TARGETS)
			return err_set(e, ERR_DATA,
				       "line %u: there are more than %u targets: does the column "
				       "name what was measured?",
				       row->line, MAX_TARGETS);
		VEC_GROW(out->v, out->nr, out->cap);
		out->v[out->nr++] =
			(struct import_table){.target = row->target ? xstrdup(row->target) : NULL,
					      .first_line = row->line};
		i = out->nr;
	}
	out->v[i - 1].last_line = row->line;
	row->table = i - 1;
	return 0;
}

static int wrong_field_count(const struct reader *r, struct err *e)
{
	return err_set(e, ERR_DATA, "line %u: %zu fields, but the header has %zu%s", r->csv.line_nr,
		       r->csv.nr_fields, r->columns.nr_table,
		       r->csv.nr_fields > r->columns.nr_table
			       ? "; decimals are written with a dot, not with a comma"
			       : "");
}

static int read_row(struct reader *r, struct err *e)
{
	struct import_row *row;

	if (r->csv.nr_fields != r->columns.nr_table)
		return wrong_field_count(r, e);
	if (!is_wanted(r))
		return 0;
	VEC_GROW(r->row, r->nr_rows, r->cap_rows);
	row = &r->row[r->nr_rows++];
	return import_row_read(&r->columns, &r->csv, row, e) || find_table(r, row, e) ? -1 : 0;
}

static int read_rows(struct reader *r, struct err *e)
{
	bool any = false;
	int rc;

	while ((rc = csv_next(&r->csv, e)) > 0) {
		any = true;
		if (read_row(r, e))
			return -1;
	}
	if (rc < 0)
		return rc;
	if (!any)
		return err_set(e, ERR_DATA, "there is a header, but no row");
	return r->nr_rows ? 0
			  : err_set(e, ERR_USAGE, "no row of the table is what --where asks for");
}

/* Which rows are the same point. */
struct key {
	const struct import_row *row;
	size_t place; /* among the rows */
};

static int in_point_order(const void *a, const void *b)
{
	const struct key *ka = a, *kb = b;
	int c = (ka->row->table > kb->row->table) - (ka->row->table < kb->row->table);

	return c ? c : point_spec_compare(&ka->row->point.spec, &kb->row->point.spec);
}

static int in_row_order(const void *a, const void *b)
{
	const struct key *ka = a, *kb = b;
	int c = in_point_order(a, b);

	return c ? c : (ka->place > kb->place) - (ka->place < kb->place);
}

static int same_point_twice(const struct import_row *a, const struct import_row *b, struct err *e)
{
	struct buf name = BUF_INIT;

	buf_add_point(&name, &a->point.spec);
	if (a->dir != DIR_TOTAL)
		buf_addf(&name, ", %s", dir_name(a->dir));
	(void)err_set(e, ERR_DATA,
		      "lines %u and %u are the same point (%s): a column of axes is missing, or "
		      "number them in a column 'repeat'",
		      a->line, b->line, buf_text(&name));
	buf_release(&name);
	return -1;
}

/* The figures of a row into those of the point that begins with row first. */
static void take_figures(struct import_row *first, const struct import_row *row)
{
	struct point *p = &first->point;

	p->dir[row->dir] = row->point.dir[DIR_TOTAL];
	if (isnan(p->util_pct))
		p->util_pct = row->point.util_pct;
	if (isnan(p->cpu_pct))
		p->cpu_pct = row->point.cpu_pct;
	if (row->dir == DIR_TOTAL) {
		first->iops_quantum = row->iops_quantum;
		first->lat_quantum_ns = row->lat_quantum_ns;
		first->mib_quantum = row->mib_quantum;
	}
}

/*
 * The rows key[0] to key[nr - 1] are one point, and become its directions in the first of them.
 * The others are marked as taken by their line.
 */
static int merge(struct reader *r, const struct key *key, size_t nr, struct err *e)
{
	struct import_row *first = &r->row[key[0].place];
	const struct import_row *seen[DIR_NR] = {0};

	seen[first->dir] = first;
	if (first->dir != DIR_TOTAL) {
		first->point.dir[first->dir] = first->point.dir[DIR_TOTAL];
		figures_clear(&first->point.dir[DIR_TOTAL]);
		first->iops_quantum = first->lat_quantum_ns = 0;
		first->mib_quantum = UNKNOWN;
	}
	for (size_t i = 1; i < nr; i++) {
		struct import_row *row = &r->row[key[i].place];

		if (seen[row->dir])
			return same_point_twice(seen[row->dir], row, e);
		seen[row->dir] = row;
		take_figures(first, row);
		row->line = 0;
	}
	return 0;
}

static int merge_directions(struct reader *r, struct err *e)
{
	struct key *key = xcalloc(r->nr_rows, sizeof(*key));
	int rc = 0;

	for (size_t i = 0; i < r->nr_rows; i++)
		key[i] = (struct key){&r->row[i], i};
	qsort(key, r->nr_rows, sizeof(*key), in_row_order);
	for (size_t i = 0, end; !rc && i < r->nr_rows; i = end) {
		end = i + 1;
		while (end < r->nr_rows && !in_point_order(&key[i], &key[end]))
			end++;
		rc = merge(r, &key[i], end - i, e);
	}
	free(key);
	return rc;
}

static bool is_empty(const struct figures *f)
{
	return isnan(f->iops) && isnan(f->mib_s);
}

static void set_unknown(double *to, double v)
{
	if (isnan(*to))
		*to = v;
}

/* D30: IOPS add up, and latency is weighted by completions. What the table gives of the total stays,
 * and import_check looks at it. */
static void add_up(struct point *p)
{
	const struct figures *r = &p->dir[DIR_READ], *w = &p->dir[DIR_WRITE];
	struct figures *t = &p->dir[DIR_TOTAL];

	t->iops = r->iops + w->iops;
	t->mib_s = r->mib_s + w->mib_s;
	set_unknown(&t->ios, r->ios + w->ios);
	set_unknown(&t->lat_mean_ns,
		    (r->iops * r->lat_mean_ns + w->iops * w->lat_mean_ns) / t->iops);
	if (!isnan(r->lat_min_ns) && !isnan(w->lat_min_ns))
		set_unknown(&t->lat_min_ns, fmin(r->lat_min_ns, w->lat_min_ns));
	if (!isnan(r->lat_max_ns) && !isnan(w->lat_max_ns))
		set_unknown(&t->lat_max_ns, fmax(r->lat_max_ns, w->lat_max_ns));
}

static int complete_rates(const struct reader *r, const struct point *p, struct figures *f,
			  struct err *e)
{
	double per_mib = BYTES_PER_MIB / (double)p->spec.bs_bytes;

	if (isnan(f->iops)) {
		if (r->out->assumes_bs)
			return err_set(e, ERR_DATA, "mib_s without iops needs the block size");
		f->iops = f->mib_s * per_mib;
	}
	/* An assumed block size must not become a figure. */
	if (isnan(f->mib_s) && !r->out->assumes_bs)
		f->mib_s = f->iops / per_mib;
	return 0;
}

/* Tables of reads and writes may have 0 where there are none. */
static bool has_any_figure(struct figures *f)
{
	for (enum import_field i = IMPORT_IOPS; i <= IMPORT_LAT_MAX; i++)
		if (*import_field_figure(i, f) > 0)
			return true;
	return false;
}

/* The figures of a point that does one thing are those of that direction, and of the total. */
static int complete_plain(struct point *p, struct err *e)
{
	enum dir dir = rw_reads(p->spec.rw) ? DIR_READ : DIR_WRITE, other = DIR_WRITE - dir;
	struct figures *t = &p->dir[DIR_TOTAL], *d = &p->dir[dir];

	if (has_any_figure(&p->dir[other]))
		return err_set(e, ERR_DATA, "a %s has figures of %ss", rw_name(p->spec.rw),
			       dir_name(other));
	figures_clear(&p->dir[other]);
	for (enum import_field i = IMPORT_IOPS; i <= IMPORT_LAT_MAX; i++) {
		double *of_t = import_field_figure(i, t), *of_d = import_field_figure(i, d);

		set_unknown(of_t, *of_d);
		set_unknown(of_d, *of_t);
	}
	if (fabs(d->iops - t->iops) > 0)
		return err_set(e, ERR_DATA, "a %s has %.10g IOPS of %ss, but %.10g in total",
			       rw_name(p->spec.rw), d->iops, dir_name(dir), t->iops);
	return 0;
}

static int complete_figures(const struct reader *r, struct point *p, struct err *e)
{
	if (!rw_is_mixed(p->spec.rw) && complete_plain(p, e))
		return -1;
	for (enum dir d = 0; d < DIR_NR; d++)
		if (!is_empty(&p->dir[d]) && complete_rates(r, p, &p->dir[d], e))
			return -1;
	if (is_empty(&p->dir[DIR_TOTAL]))
		add_up(p);
	if (is_empty(&p->dir[DIR_TOTAL]))
		return err_set(e, ERR_DATA, "neither iops nor mib_s is known");
	if (p->dir[DIR_TOTAL].iops == 0) {
		p->status = POINT_NO_IO;
		p->reason = xstrdup("the imported table has 0 IOPS");
	}
	return 0;
}

/* Each row that begins a point becomes one of its target's table. */
static int take_points(struct reader *r, struct err *e)
{
	for (size_t i = 0; i < r->nr_rows; i++) {
		struct import_table *t = &r->out->v[r->row[i].table];
		struct import_row *row = &r->row[i];

		if (!row->line)
			continue;
		if (complete_figures(r, &row->point, e))
			return err_wrap(e, "line %u", row->line);
		VEC_GROW(t->points, t->nr, t->cap);
		VEC_GROW(t->print, t->nr, t->cap_print);
		t->print[t->nr] = (struct import_print){row->line, row->iops_quantum,
							row->lat_quantum_ns, row->mib_quantum};
		t->points[t->nr++] = row->point;
		t->points[t->nr - 1].seq = (uint32_t)t->nr;
		row->point = (struct point){0};
	}
	return 0;
}

int import_csv(const struct import_source *src, struct import_result *out, struct err *e)
{
	struct reader r = {.out = out, .src = src};
	int rc;

	*out = (struct import_result){0};
	csv_init(&r.csv, src->text, src->len);
	rc = read_header(&r, e) || read_rows(&r, e) || merge_directions(&r, e) || take_points(&r, e)
		     ? -1
		     : 0;
	for (size_t i = 0; i < r.nr_rows; i++)
		import_row_release(&r.row[i]);
	free(r.row);
	import_columns_release(&r.columns);
	csv_release(&r.csv);
	return rc;
}

void import_result_release(struct import_result *r)
{
	for (size_t i = 0; i < r->nr; i++) {
		struct import_table *t = &r->v[i];

		for (size_t j = 0; j < t->nr; j++)
			point_release(&t->points[j]);
		free(t->points);
		free(t->print);
		free(t->target);
	}
	free(r->v);
	free(r->mib_column);
	buf_release(&r->warnings);
	*r = (struct import_result){0};
}
