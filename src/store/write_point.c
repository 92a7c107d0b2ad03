/* SPDX-License-Identifier: MIT */
#include "store/write.h"

#include "base/clock.h"
#include "base/mem.h"
#include "store/columns.h"

#include <inttypes.h>
#include <stdio.h>

static void put_spec(struct stmt *q, const struct point_spec *p)
{
	put_text(q, rw_name(p->rw));
	put_u64(q, p->bs_bytes);
	put_u64(q, p->iodepth);
	put_u64(q, p->workers);
	put_u64(q, p->rwmixread_pct);
	put_u64(q, p->random_pct);
	put_u64(q, p->span_bytes);
	put_u64(q, p->offset_bytes);
	put_u64(q, p->rate_ask_iops);
	put_u64(q, p->rate_e4);
	put_u64(q, p->repeat);
	put_int(q, p->is_anchor);
}

int write_point_open(struct stmt *q, struct store *s, struct err *e)
{
	return stmt_open(
		q, s,
		"INSERT INTO point (run_id, seq, origin, status, reason, span_e4, " SPEC_COLUMNS
		") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		e);
}

int write_point(struct stmt *q, int64_t run_id, const struct planned_point *p, bool imported,
		struct err *e)
{
	put_int(q, run_id);
	put_u64(q, p->seq);
	put_text(q, write_origin_name(imported));
	put_text(q, point_status_name(p->skip_reason ? POINT_SKIPPED : POINT_PLANNED));
	put_text(q, p->skip_reason);
	put_u64(q, p->spec.span_e4);
	put_spec(q, &p->spec);
	return stmt_run(q, e);
}

static int add_points(struct store *s, int64_t run_id, const struct planned_point *points,
		      size_t nr, struct err *e)
{
	struct stmt q;
	int rc = 0;

	if (write_point_open(&q, s, e))
		return -1;
	for (size_t i = 0; !rc && i < nr; i++)
		rc = write_point(&q, run_id, &points[i], false, e);
	stmt_close(&q);
	return rc;
}

static int add_run(struct store *s, const struct run_info *r, const struct planned_point *points,
		   size_t nr, int64_t *id, struct err *e)
{
	if (write_run(s, r, id, e))
		return -1;
	return add_points(s, *id, points, nr, e);
}

int store_add_run(struct store *s, struct run_info *r, const struct planned_point *points,
		  size_t nr, struct err *e)
{
	int64_t id = 0;
	int rc;

	write_default_times(r);
	if (db_begin_write(s, e))
		return -1;
	rc = db_end(s, add_run(s, r, points, nr, &id, e), e);
	if (!rc)
		r->id = id;
	return rc;
}

int store_add_points(struct store *s, int64_t run_id, const struct planned_point *points, size_t nr,
		     struct err *e)
{
	if (db_begin_write(s, e))
		return -1;
	return db_end(s, add_points(s, run_id, points, nr, e), e);
}

/* The row of a point by its content. */
static int find_point(struct store *s, int64_t run_id, const struct point_spec *spec, int64_t *id,
		      enum point_status *status, struct err *e)
{
	struct buf name = BUF_INIT;
	struct stmt q;
	int rc;

	if (stmt_open(&q, s, "SELECT id, status FROM point WHERE run_id = ? AND " SPEC_MATCH, e))
		return -1;
	put_int(&q, run_id);
	put_spec(&q, spec);
	rc = stmt_step(&q, e);
	if (rc > 0) {
		*id = get_int(&q);
		*status = point_status_find(get_borrowed(&q));
	}
	stmt_close(&q);
	if (rc)
		return rc < 0 ? -1 : 0;
	buf_add_point(&name, spec);
	rc = err_set(e, ERR_DB, "run %" PRId64 " has no point '%s'", run_id, buf_text(&name));
	buf_release(&name);
	return rc;
}

const char *const write_children[WRITE_NR_CHILDREN] = {
	"point_dir", "point_flag", "point_worker", "point_series", "point_counter", "point_cpu"};

int write_clear_point(struct store *s, int64_t id, struct err *e)
{
	char sql[64];
	struct stmt q;

	for (size_t i = 0; i < WRITE_NR_CHILDREN; i++) {
		(void)snprintf(sql, sizeof(sql), "DELETE FROM %s WHERE point_id = ?",
			       write_children[i]);
		if (stmt_open(&q, s, sql, e))
			return -1;
		put_int(&q, id);
		if (stmt_run_once(&q, e))
			return -1;
	}
	return 0;
}

static int start_point(struct store *s, int64_t run_id, const struct point_spec *spec,
		       int64_t start_wall_ns, struct err *e)
{
	enum point_status status = POINT_PLANNED;
	struct stmt q;
	int64_t id = 0;

	if (find_point(s, run_id, spec, &id, &status, e))
		return -1;
	if (status == POINT_OK)
		return err_set(e, ERR_DB, "a point of run %" PRId64 " is measured already", run_id);
	if (write_clear_point(s, id, e) ||
	    stmt_open(&q, s,
		      "UPDATE point SET status = 'running', reason = NULL, start_ns = ?, "
		      "end_ns = NULL, ramp_ns = NULL, window_ns = NULL, drain_ns = NULL, "
		      "error_errno = NULL, error_offset_bytes = NULL, nr_errors = NULL, "
		      "depth_mean = NULL, depth_max = NULL, little_rel = NULL, util_pct = NULL, "
		      "cpu_pct = NULL, ios = NULL, iops = NULL, rate_iops = NULL, arrivals = NULL, "
		      "backlog = NULL, late_p50_ns = NULL, late_p99_ns = NULL, late_max_ns = NULL "
		      "WHERE id = ?",
		      e))
		return -1;
	put_int(&q, start_wall_ns);
	put_int(&q, id);
	return stmt_run_once(&q, e);
}

int store_point_started(struct store *s, int64_t run_id, const struct point_spec *spec,
			int64_t start_wall_ns, struct err *e)
{
	if (db_begin_write(s, e))
		return -1;
	return db_end(s, start_point(s, run_id, spec, start_wall_ns, e), e);
}

/* What measured and imported points have alike. */
int write_point_result(struct store *s, int64_t id, const struct point *p, struct err *e)
{
	const struct figures *total = &p->dir[DIR_TOTAL];
	struct stmt q;

	if (stmt_open(&q, s,
		      "UPDATE point SET status = ?, reason = ?, start_ns = ?, end_ns = ?, "
		      "depth_mean = ?, depth_max = ?, util_pct = ?, cpu_pct = ?, ios = ?, iops = ? "
		      "WHERE id = ?",
		      e))
		return -1;
	put_text(&q, point_status_name(p->status));
	put_text(&q, p->reason);
	put_u64_or_null(&q, (uint64_t)p->start_wall_ns);
	put_u64_or_null(&q, (uint64_t)p->end_wall_ns);
	put_real(&q, p->depth_mean);
	put_real(&q, p->depth_max);
	put_real(&q, p->util_pct);
	put_real(&q, p->cpu_pct);
	put_real(&q, total->ios);
	put_real(&q, total->iops);
	put_int(&q, id);
	return stmt_run_once(&q, e);
}

/* What only a measurement knows. */
static int update_raw(struct store *s, int64_t id, const struct measurement *m,
		      const struct point *p, struct err *e)
{
	struct stmt q;

	if (stmt_open(&q, s,
		      "UPDATE point SET ramp_ns = ?, window_ns = ?, drain_ns = ?, interval_ns = ?, "
		      "counters_ns = ?, seed = ?, error_errno = ?, error_offset_bytes = ?, "
		      "nr_errors = ?, buffer_bytes = ?, buffer_huge_bytes = ?, little_rel = ?, "
		      "rate_iops = ?, arrivals = ?, backlog = ?, late_p50_ns = ?, late_p99_ns = ?, "
		      "late_max_ns = ? "
		      "WHERE id = ?",
		      e))
		return -1;
	put_u64(&q, m->ramp_ns);
	put_u64(&q, m->window_ns);
	put_u64(&q, m->drain_ns);
	put_u64(&q, m->interval_ns);
	put_u64(&q, m->counters_ns);
	put_u64(&q, m->seed);
	put_u64_or_null(&q, (uint64_t)m->err_errno);
	if (m->nr_errors)
		put_u64(&q, m->err_offset);
	else
		put_null(&q);
	put_u64(&q, m->nr_errors);
	put_u64(&q, m->buffer_bytes);
	put_u64(&q, m->buffer_huge_bytes);
	put_real(&q, m->little_rel);
	put_real(&q, p->rate_iops);
	put_real(&q, p->arrivals);
	put_real(&q, p->backlog);
	put_real(&q, p->late_p50_ns);
	put_real(&q, p->late_p99_ns);
	put_real(&q, p->late_max_ns);
	put_int(&q, id);
	return stmt_run_once(&q, e);
}

int write_dir_open(struct stmt *q, struct store *s, struct err *e)
{
	struct buf sql = BUF_INIT;
	int rc;

	buf_addstr(&sql, "INSERT INTO point_dir (point_id, dir, figures_version, ios, bytes, "
			 "lat_sum_ns, slat_sum_ns, lat_hist");
	add_figure_columns(&sql);
	buf_addstr(&sql, ") VALUES (?, ?, ?, ?, ?, ?, ?, ?");
	for (size_t i = 0; i < NR_FIGURE_COLUMNS; i++)
		buf_addstr(&sql, ", ?");
	buf_addstr(&sql, ")");
	rc = stmt_open(q, s, buf_text(&sql), e);
	buf_release(&sql);
	return rc;
}

static void put_sums(struct stmt *q, const struct figures *f, const struct dir_sums *sums)
{
	put_real(q, f->ios);
	if (sums) {
		put_u64(q, sums->bytes);
		put_u64(q, sums->lat_ns);
		put_u64(q, sums->slat_ns);
	} else {
		put_null(q);
		put_null(q);
		put_null(q);
	}
}

/* sums and hist are NULL where there is only the figure. */
int write_dir(struct stmt *q, int64_t id, enum dir dir, struct figures f,
	      const struct dir_sums *sums, const struct hist *hist, struct err *e)
{
	struct buf blob = BUF_INIT;
	int rc;

	put_int(q, id);
	put_text(q, dir_name(dir));
	put_int(q, FIGURES_VERSION);
	put_sums(q, &f, sums);
	if (hist) {
		hist_pack(hist, &blob);
		put_blob(q, &blob);
	} else {
		put_null(q);
	}
	for (size_t i = 0; i < NR_FIGURE_COLUMNS; i++)
		put_real(q, *figure_at(&f, &figure_columns[i]));
	rc = stmt_run(q, e);
	buf_release(&blob);
	return rc;
}

static int insert_measured_dirs(struct store *s, int64_t id, const struct measurement *m,
				const struct point *p, struct err *e)
{
	struct stmt q;
	int rc = 0;

	if (write_dir_open(&q, s, e))
		return -1;
	for (enum dir d = 0; !rc && d < DIR_NR; d++) {
		struct dir_sums sums;

		if (d != DIR_TOTAL && !m->lat[d])
			continue;
		sums = measurement_sums(m, d);
		rc = write_dir(&q, id, d, p->dir[d], &sums, d == DIR_TOTAL ? NULL : m->lat[d], e);
	}
	stmt_close(&q);
	return rc;
}

int write_flags(struct store *s, int64_t id, flag_set flags, char *const *detail, struct err *e)
{
	struct stmt q;
	int rc = 0;

	if (stmt_open(&q, s, "INSERT INTO point_flag (point_id, flag, detail) VALUES (?, ?, ?)", e))
		return -1;
	for (enum flag f = 0; !rc && f < FLAG_NR; f++) {
		if (!(flags & FLAG_BIT(f)))
			continue;
		put_int(&q, id);
		put_text(&q, flag_name(f));
		put_text(&q, detail ? detail[f] : NULL);
		rc = stmt_run(&q, e);
	}
	stmt_close(&q);
	return rc;
}

static void put_worker_dir(struct stmt *q, const struct dir_sums *d)
{
	put_u64(q, d->ios);
	put_u64(q, d->bytes);
	put_u64(q, d->lat_ns);
	put_u64(q, d->slat_ns);
}

static void put_worker(struct stmt *q, const struct worker_result *w)
{
	put_u64(q, w->iodepth);
	put_worker_dir(q, &w->dir[DIR_READ]);
	put_worker_dir(q, &w->dir[DIR_WRITE]);
	put_real(q, w->depth_mean);
	put_u64(q, w->depth_max);
	put_u64(q, w->cpu_user_ns);
	put_u64(q, w->cpu_sys_ns);
	put_u64(q, w->cpu_run_ns);
	put_u64(q, w->cpu_wait_ns);
	put_u64(q, w->voluntary_switches);
	put_u64(q, w->submit_ns);
	for (enum dir d = DIR_READ; d <= DIR_WRITE; d++)
		put_real(q, w->lat_sq_ns2[d]);
}

static int insert_workers(struct store *s, int64_t id, const struct measurement *m, struct err *e)
{
	struct stmt q;
	int rc = 0;

	if (!m->worker)
		return 0;
	if (stmt_open(&q, s,
		      "INSERT INTO point_worker (point_id, worker, " WORKER_COLUMNS
		      ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		      e))
		return -1;
	for (uint32_t i = 0; !rc && i < m->spec.workers; i++) {
		put_int(&q, id);
		put_int(&q, i);
		put_worker(&q, &m->worker[i]);
		rc = stmt_run(&q, e);
	}
	stmt_close(&q);
	return rc;
}

static int insert_series(struct store *s, int64_t id, const struct measurement *m, struct err *e)
{
	struct stmt q;
	int rc = 0;

	if (stmt_open(&q, s,
		      "INSERT INTO point_series (point_id, interval, read_ios, read_lat_sum_ns, "
		      "read_lat_max_ns, write_ios, write_lat_sum_ns, write_lat_max_ns) "
		      "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		      e))
		return -1;
	for (size_t i = 0; !rc && i < m->nr_intervals; i++) {
		const struct interval *v = &m->series[i];

		put_int(&q, id);
		put_u64(&q, i);
		for (enum dir d = DIR_READ; d <= DIR_WRITE; d++) {
			put_u64(&q, v->ios[d]);
			put_u64(&q, v->lat_ns[d]);
			put_u64_or_null(&q, v->lat_max_ns[d]);
		}
		rc = stmt_run(&q, e);
	}
	stmt_close(&q);
	return rc;
}

static int insert_counters(struct store *s, int64_t id, const char *layer, const char *moment,
			   const struct dev_counters *c, struct err *e)
{
	const uint64_t values[] = {c->read_ios,	 c->read_bytes,	 c->read_ms,
				   c->write_ios, c->write_bytes, c->write_ms,
				   c->in_flight, c->busy_ms,	 c->queue_ms};
	struct stmt q;

	if (!c->is_known)
		return 0;
	if (stmt_open(&q, s,
		      "INSERT INTO point_counter (point_id, layer, moment, " COUNTER_COLUMNS
		      ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		      e))
		return -1;
	put_int(&q, id);
	put_text(&q, layer);
	put_text(&q, moment);
	for (size_t i = 0; i < NR(values); i++)
		put_u64(&q, values[i]);
	return stmt_run_once(&q, e);
}

static int insert_cpus(struct store *s, int64_t id, const struct measurement *m, struct err *e)
{
	struct stmt q;
	int rc = 0;

	if (stmt_open(&q, s,
		      "INSERT INTO point_cpu (point_id, " CPU_COLUMNS
		      ") VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		      e))
		return -1;
	for (size_t i = 0; !rc && i < m->nr_cpus; i++) {
		const struct cpu_times *c = &m->cpu[i];
		const uint64_t values[] = {c->cpu,	c->user_ms,   c->system_ms, c->irq_ms,
					   c->steal_ms, c->iowait_ms, c->idle_ms};

		put_int(&q, id);
		for (size_t v = 0; v < NR(values); v++)
			put_u64(&q, values[v]);
		rc = stmt_run(&q, e);
	}
	stmt_close(&q);
	return rc;
}

/* The row of the point that this process has started. Any other status means that somebody else
 * has taken the run, and what they stored stays. */
static int find_running(struct store *s, int64_t run_id, const struct measurement *m, int64_t *id,
			struct err *e)
{
	enum point_status status = POINT_PLANNED;
	struct buf name = BUF_INIT;
	int rc;

	if (find_point(s, run_id, &m->spec, id, &status, e))
		return -1;
	if (status == POINT_RUNNING)
		return 0;
	buf_add_point(&name, &m->spec);
	rc = err_set(e, ERR_DB,
		     "point %u (%s) of run %" PRId64 " is %s and not running any more, so this "
		     "measurement of it is not stored: has another lunsweep taken up the run?",
		     m->seq, buf_text(&name), run_id, point_status_name(status));
	buf_release(&name);
	return rc;
}

static int finish_point(struct store *s, int64_t run_id, const struct measurement *m,
			const struct point *p, struct err *e)
{
	int64_t id = 0;

	if (find_running(s, run_id, m, &id, e) || write_clear_point(s, id, e) ||
	    write_point_result(s, id, p, e) || update_raw(s, id, m, p, e) ||
	    insert_measured_dirs(s, id, m, p, e) ||
	    write_flags(s, id, m->flags, m->flag_detail, e) || insert_workers(s, id, m, e) ||
	    insert_series(s, id, m, e) || insert_cpus(s, id, m, e) ||
	    insert_counters(s, id, "target", "before", &m->before, e) ||
	    insert_counters(s, id, "target", "after", &m->after, e) ||
	    insert_counters(s, id, "bottom", "before", &m->bottom_before, e) ||
	    insert_counters(s, id, "bottom", "after", &m->bottom_after, e))
		return -1;
	return 0;
}

int store_point_finished(struct store *s, int64_t run_id, const struct measurement *m,
			 struct err *e)
{
	struct point p = {0};
	int rc;

	/* Before the transaction: it computes, and others may wait for the lock. */
	measurement_to_point(m, &p);
	rc = db_begin_write(s, e);
	if (!rc)
		rc = db_end(s, finish_point(s, run_id, m, &p, e), e);
	point_release(&p);
	return rc;
}
