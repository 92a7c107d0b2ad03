/* SPDX-License-Identifier: MIT */
#include "store/read.h"

#include "base/clock.h"
#include "base/mem.h"
#include "store/columns.h"

#include <stdlib.h>
#include <string.h>

static double get_seconds(struct stmt *q)
{
	return get_real(q) / (double)NS_PER_S;
}

static int get_point(struct stmt *q, struct point *p, struct err *e)
{
	p->point_id = get_int(q);
	p->run_id = get_int(q);
	p->seq = get_u32(q);
	p->imported = !strcmp(get_borrowed(q), "imported");
	p->reason = get_text(q);
	p->start_wall_ns = get_int(q);
	p->end_wall_ns = get_int(q);
	p->ramp_s = get_seconds(q);
	p->window_s = get_seconds(q);
	p->drain_s = get_seconds(q);
	p->depth_mean = get_real(q);
	p->depth_max = get_real(q);
	p->rate_iops = get_real(q);
	p->arrivals = get_real(q);
	p->backlog = get_real(q);
	p->late_p50_ns = get_real(q);
	p->late_p99_ns = get_real(q);
	p->late_max_ns = get_real(q);
	p->util_pct = get_real(q);
	p->cpu_pct = get_real(q);
	return read_status(q, &p->status, e) || read_spec(q, &p->spec, e) ? -1 : 0;
}

/* Points of a run, by their ids. */
struct point_list {
	const char *where; /* a condition on the points p, with the run as its parameter */
	int64_t run_id;
	const struct point_spec *curve; /* only points of these axes; NULL: all */
	bool is_most;			/* of all that the database holds */
	struct point *v;
	size_t nr, cap;
};

#define RESERVE_MAX 100000

#define OF_RUN	"p.run_id = ?"
#define OF_SEED "p.id IN (SELECT point_id FROM search_seed WHERE run_id = ?)"

#define CURVE_MATCH \
	" AND p.rw = ? AND p.bs_bytes = ? AND p.workers = ? AND p.rwmixread_pct = ? AND " \
	"p.random_pct = ? AND p.span_bytes = ? AND p.offset_bytes = ?"

/* A query over those points, which are p in it; what is joined to them by CROSS JOIN is looked up for
 * each, whatever SQLite thinks of its size. */
static int open_points(struct stmt *q, struct store *s, const struct point_list *l,
		       const char *select, const char *and_order, struct err *e)
{
	const struct point_spec *c = l->curve;
	struct buf sql = BUF_INIT;
	int rc;

	buf_addf(&sql, "%s WHERE %s%s %s", select, l->where, c ? CURVE_MATCH : "", and_order);
	rc = stmt_open_for(q, s, buf_text(&sql), l->run_id, e);
	buf_release(&sql);
	if (rc || !c)
		return rc;
	put_text(q, rw_name(c->rw));
	put_u64(q, c->bs_bytes);
	put_u64(q, c->workers);
	put_u64(q, c->rwmixread_pct);
	put_u64(q, c->random_pct);
	put_u64(q, c->span_bytes);
	put_u64(q, c->offset_bytes);
	return 0;
}

/* Rows are large: an array that grew with them would be copied as often as it doubles. All points of a run
 * are no more than their largest number, but for a database that somebody else put together. */
static int reserve(struct store *s, struct point_list *l, struct err *e)
{
	uint32_t seq;

	if (l->curve || strcmp(l->where, OF_RUN) != 0)
		return 0;
	if (store_last_seq(s, l->run_id, &seq, e))
		return -1;
	l->cap = seq < RESERVE_MAX ? seq : RESERVE_MAX;
	l->v = l->cap ? xreallocarray(NULL, l->cap, sizeof(*l->v)) : NULL;
	return 0;
}

static int load_point_rows(struct store *s, struct point_list *l, struct err *e)
{
	struct stmt q;
	int rc;

	if (reserve(s, l, e) ||
	    open_points(&q, s, l,
			"SELECT id, run_id, seq, origin, reason, start_ns, end_ns, ramp_ns, "
			"window_ns, drain_ns, depth_mean, depth_max, "
			"coalesce(rate_iops, nullif(rate_ask_iops, 0)), arrivals, backlog, "
			"late_p50_ns, late_p99_ns, late_max_ns, util_pct, cpu_pct, "
			"status, " SPEC_COLUMNS ", span_e4 FROM point p",
			"", e))
		return -1;
	while ((rc = stmt_step(&q, e)) > 0) {
		struct point *p;

		VEC_GROW(l->v, l->nr, l->cap);
		p = &l->v[l->nr++];
		*p = (struct point){0};
		for (enum dir d = 0; d < DIR_NR; d++)
			figures_clear(&p->dir[d]);
		if (get_point(&q, p, e)) {
			rc = -1;
			break;
		}
	}
	stmt_close(&q);
	return rc;
}

static int by_id(const void *a, const void *b)
{
	int64_t ida = ((const struct point *)a)->point_id,
		idb = ((const struct point *)b)->point_id;

	return (ida > idb) - (ida < idb);
}

/* Ids ascend with seq, but for databases that somebody else put together. */
static void sort_by_id(struct point_list *l)
{
	size_t i = 1;

	while (i < l->nr && l->v[i - 1].point_id < l->v[i].point_id)
		i++;
	if (i < l->nr)
		qsort(l->v, l->nr, sizeof(*l->v), by_id);
}

/* Sorting rows takes SQLite longer than all the rest, so they come in any order. Mostly it is that of
 * the points: the next row belongs to the point at *i or to the one behind it. */
static struct point *find_owner(struct point_list *l, size_t *i, int64_t point_id)
{
	const struct point key = {.point_id = point_id};
	struct point *found;

	for (size_t k = *i; k < l->nr && k <= *i + 1; k++)
		if (l->v[k].point_id == point_id)
			return &l->v[*i = k];
	found = l->nr ? bsearch(&key, l->v, l->nr, sizeof(*l->v), by_id) : NULL;
	if (found)
		*i = (size_t)(found - l->v);
	return found;
}

/* The rows of a table that belong to those points. Where these are most of the database, the table is read
 * from one end to the other: that takes less than looking up the rows of each point, and those of other
 * points find no owner. */
static int open_rows(struct stmt *q, struct store *s, const struct point_list *l,
		     const char *columns, const char *table, const char *condition, struct err *e)
{
	struct buf sql = BUF_INIT;
	int rc;

	if (l->is_most) {
		buf_addf(&sql, "SELECT %s FROM %s d WHERE %s", columns, table, condition);
		rc = stmt_open(q, s, buf_text(&sql), e);
	} else {
		struct buf and = BUF_INIT;

		buf_addf(&sql, "SELECT %s FROM point p CROSS JOIN %s d ON d.point_id = p.id",
			 columns, table);
		buf_addf(&and, "AND %s", condition);
		rc = open_points(q, s, l, buf_text(&sql), buf_text(&and), e);
		buf_release(&and);
	}
	buf_release(&sql);
	return rc;
}

static void get_dir(struct stmt *q, struct point *p)
{
	enum dir dir = read_dir_name(get_borrowed(q));
	struct figures *f;

	if (dir == DIR_NR)
		return;
	f = &p->dir[dir];
	f->ios = get_real(q);
	for (size_t i = 0; i < NR_FIGURE_COLUMNS; i++)
		*figure_at(f, &figure_columns[i]) = get_real(q);
}

static int load_dirs(struct store *s, struct point_list *l, struct err *e)
{
	struct buf columns = BUF_INIT;
	struct stmt q;
	size_t at = 0;
	int rc;

	buf_addstr(&columns, "point_id, dir, d.ios");
	for (size_t i = 0; i < NR_FIGURE_COLUMNS; i++)
		buf_addf(&columns, ", d.%s", figure_columns[i].name);
	rc = open_rows(&q, s, l, buf_text(&columns), "point_dir", "true", e);
	buf_release(&columns);
	if (rc)
		return rc;
	while ((rc = stmt_step(&q, e)) > 0) {
		struct point *p = find_owner(l, &at, get_int(&q));

		if (p)
			get_dir(&q, p);
	}
	stmt_close(&q);
	return rc;
}

static int load_flags(struct store *s, struct point_list *l, struct err *e)
{
	struct stmt q;
	size_t at = 0;
	int rc;

	if (open_rows(&q, s, l, "point_id, flag", "point_flag", "true", e))
		return -1;
	while ((rc = stmt_step(&q, e)) > 0) {
		struct point *p = find_owner(l, &at, get_int(&q));
		enum flag flag;

		if (p && read_flag(&q, &p->flags, &flag, e)) {
			rc = -1;
			break;
		}
	}
	stmt_close(&q);
	return rc;
}

/* The histograms of a run that has repeats; of others nothing is merged. */
static int load_hists(struct store *s, struct point_list *l, struct err *e)
{
	struct stmt q;
	size_t at = 0;
	int rc;

	if (open_rows(&q, s, l, "point_id, dir, lat_hist", "point_dir", "lat_hist IS NOT NULL", e))
		return -1;
	while ((rc = stmt_step(&q, e)) > 0) {
		struct point *p = find_owner(l, &at, get_int(&q));
		enum dir dir = read_dir_name(get_borrowed(&q));
		size_t len;
		const void *data = get_blob(&q, &len);

		if (p && dir <= DIR_WRITE && data)
			buf_add(&p->lat_hist[dir], data, len);
	}
	stmt_close(&q);
	return rc;
}

/* The rows of one point. */
static int load_hists_of(struct stmt *q, struct point *p, struct err *e)
{
	bool is_new = !p->lat_hist[DIR_READ].len && !p->lat_hist[DIR_WRITE].len;
	int rc;

	put_int(q, p->point_id);
	while ((rc = stmt_step(q, e)) > 0) {
		enum dir dir = read_dir_name(get_borrowed(q));
		size_t len;
		const void *data = get_blob(q, &len);

		if (is_new && dir <= DIR_WRITE && data)
			buf_add(&p->lat_hist[dir], data, len);
	}
	return rc;
}

int store_load_lat_hists(struct store *s, struct point *points, size_t nr, struct err *e)
{
	struct stmt q;
	int rc = 0;

	if (stmt_open(&q, s, "SELECT dir, lat_hist FROM point_dir WHERE point_id = ?", e))
		return -1;
	for (size_t i = 0; i < nr && !rc; i++)
		rc = load_hists_of(&q, &points[i], e);
	stmt_close(&q);
	return rc;
}

static int in_report_order(const void *a, const void *b)
{
	const struct point *pa = a, *pb = b;

	return point_spec_compare(&pa->spec, &pb->spec);
}

/* As many points as there are in the database, or more. */
static int last_point_id(struct store *s, int64_t *id, struct err *e)
{
	struct stmt q;
	int rc;

	*id = 0;
	if (stmt_open(&q, s, "SELECT max(id) FROM point", e))
		return -1;
	rc = stmt_step(&q, e);
	if (rc > 0)
		*id = get_int(&q);
	stmt_close(&q);
	return rc < 0 ? -1 : 0;
}

static bool has_repeats(const struct point_list *l)
{
	for (size_t i = 0; i < l->nr; i++)
		if (l->v[i].spec.repeat > 1)
			return true;
	return false;
}

static int load_points(struct store *s, struct point_list *l, struct err *e)
{
	int64_t newest;

	if (load_point_rows(s, l, e) || last_point_id(s, &newest, e))
		return -1;
	l->is_most = newest > 0 && l->nr > (uint64_t)newest / 2;
	sort_by_id(l);
	if (load_dirs(s, l, e) || load_flags(s, l, e))
		return -1;
	return has_repeats(l) ? load_hists(s, l, e) : 0;
}

static int load_list(struct store *s, struct point_list *l, struct point **out, size_t *nr,
		     struct err *e)
{
	int rc;

	if (db_begin_read(s, e))
		return -1;
	rc = db_end(s, load_points(s, l, e), e);
	if (rc) {
		store_free_points(l->v, l->nr);
		return rc;
	}
	if (l->nr)
		qsort(l->v, l->nr, sizeof(*l->v), in_report_order);
	*out = l->v;
	*nr = l->nr;
	return 0;
}

int store_load_curve(struct store *s, int64_t run_id, const struct point_spec *curve,
		     struct point **out, size_t *nr, struct err *e)
{
	struct point_list l = {.where = OF_RUN, .run_id = run_id, .curve = curve};

	return load_list(s, &l, out, nr, e);
}

int store_load_points(struct store *s, int64_t run_id, struct point **out, size_t *nr,
		      struct err *e)
{
	return store_load_curve(s, run_id, NULL, out, nr, e);
}

int store_load_seeds(struct store *s, int64_t run_id, struct point **out, size_t *nr, struct err *e)
{
	struct point_list l = {.where = OF_SEED, .run_id = run_id};

	return load_list(s, &l, out, nr, e);
}

int store_last_seq(struct store *s, int64_t run_id, uint32_t *seq, struct err *e)
{
	struct stmt q;
	int rc;

	*seq = 0;
	if (stmt_open_for(&q, s, "SELECT max(seq) FROM point WHERE run_id = ?", run_id, e))
		return -1;
	rc = stmt_step(&q, e);
	if (rc > 0)
		*seq = get_u32(&q);
	stmt_close(&q);
	return rc < 0 ? -1 : 0;
}

void store_free_points(struct point *points, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		point_release(&points[i]);
	free(points);
}
