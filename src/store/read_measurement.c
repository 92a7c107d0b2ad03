/* SPDX-License-Identifier: MIT */
#include "store/read.h"

#include "base/mem.h"
#include "store/columns.h"

#include <inttypes.h>
#include <string.h>

static void get_raw(struct stmt *q, struct measurement *m)
{
	m->reason = get_text(q);
	m->start_wall_ns = get_int(q);
	m->end_wall_ns = get_int(q);
	m->ramp_ns = get_u64(q);
	m->window_ns = get_u64(q);
	m->drain_ns = get_u64(q);
	m->interval_ns = get_u64(q);
	m->counters_ns = get_u64(q);
	m->seed = get_u64(q);
	m->err_errno = (int)get_int(q);
	m->err_offset = get_u64(q);
	m->nr_errors = get_u64(q);
	m->buffer_bytes = get_u64(q);
	m->buffer_huge_bytes = get_u64(q);
	m->depth_mean = get_real(q);
	m->depth_max = get_u64(q);
	m->little_rel = get_real(q);
	m->rate_iops = get_real(q);
	m->arrivals = get_u64(q);
	m->backlog = get_u64(q);
	m->late_p50_ns = get_real(q);
	m->late_p99_ns = get_real(q);
	m->late_max_ns = get_real(q);
}

/* The row of the point itself, which also initialises m. */
static int load_raw(struct store *s, int64_t run_id, uint32_t seq, struct measurement *m,
		    int64_t *id, struct err *e)
{
	struct point_spec spec = {0};
	enum point_status status = POINT_PLANNED;
	struct stmt q;
	int rc;

	if (stmt_open_for(&q, s,
			  "SELECT id, status, " SPEC_COLUMNS ", span_e4, reason, start_ns, "
			  "end_ns, ramp_ns, window_ns, drain_ns, interval_ns, counters_ns, seed, "
			  "error_errno, error_offset_bytes, nr_errors, buffer_bytes, "
			  "buffer_huge_bytes, depth_mean, depth_max, little_rel, "
			  "coalesce(rate_iops, nullif(rate_ask_iops, 0)), arrivals, backlog, "
			  "late_p50_ns, late_p99_ns, late_max_ns "
			  "FROM point WHERE run_id = ? AND seq = ?",
			  run_id, e))
		return -1;
	put_u64(&q, seq);
	rc = stmt_step(&q, e);
	if (rc == 0)
		rc = err_set(e, ERR_DB, "run %" PRId64 " in '%s' has no point %" PRIu32, run_id,
			     s->path, seq);
	if (rc > 0) {
		*id = get_int(&q);
		rc = read_status(&q, &status, e) || read_spec(&q, &spec, e) ? -1 : 0;
	}
	if (!rc) {
		measurement_init(m, &spec);
		m->seq = seq;
		m->status = status;
		get_raw(&q, m);
		rc = stmt_step(&q, e);
	}
	stmt_close(&q);
	return rc;
}

static int get_hist(struct stmt *q, struct measurement *m, struct err *e)
{
	enum dir dir = read_dir_name(get_borrowed(q));
	size_t len;
	const void *data = get_blob(q, &len);

	if (dir > DIR_WRITE || !data)
		return 0;
	if (!m->lat[dir])
		m->lat[dir] = xmalloc(sizeof(*m->lat[dir]));
	if (!hist_unpack(m->lat[dir], data, len))
		return err_set(e, ERR_DB, "a histogram in '%s' is damaged or of a later version",
			       q->store->path);
	return 0;
}

static int load_hists(struct store *s, int64_t id, struct measurement *m, struct err *e)
{
	struct stmt q;
	int rc;

	if (stmt_open_for(&q, s, "SELECT dir, lat_hist FROM point_dir WHERE point_id = ?", id, e))
		return -1;
	while ((rc = stmt_step(&q, e)) > 0)
		if (get_hist(&q, m, e)) {
			rc = -1;
			break;
		}
	stmt_close(&q);
	return rc;
}

static int load_details(struct store *s, int64_t id, struct measurement *m, struct err *e)
{
	struct stmt q;
	int rc;

	if (stmt_open_for(&q, s, "SELECT flag, detail FROM point_flag WHERE point_id = ?", id, e))
		return -1;
	while ((rc = stmt_step(&q, e)) > 0) {
		enum flag flag;

		if (read_flag(&q, &m->flags, &flag, e)) {
			rc = -1;
			break;
		}
		m->flag_detail[flag] = get_text(&q);
	}
	stmt_close(&q);
	return rc;
}

static void get_worker_dir(struct stmt *q, struct dir_sums *d)
{
	d->ios = get_u64(q);
	d->bytes = get_u64(q);
	d->lat_ns = get_u64(q);
	d->slat_ns = get_u64(q);
}

static void get_worker(struct stmt *q, struct worker_result *w)
{
	w->iodepth = get_u32(q);
	get_worker_dir(q, &w->dir[DIR_READ]);
	get_worker_dir(q, &w->dir[DIR_WRITE]);
	w->depth_mean = get_real(q);
	w->depth_max = get_u64(q);
	w->cpu_user_ns = get_u64(q);
	w->cpu_sys_ns = get_u64(q);
	w->cpu_run_ns = get_u64(q);
	w->cpu_wait_ns = get_u64(q);
	w->voluntary_switches = get_u64(q);
	w->submit_ns = get_u64(q);
	for (enum dir d = DIR_READ; d <= DIR_WRITE; d++)
		w->lat_sq_ns2[d] = get_real(q);
}

static int load_workers(struct store *s, int64_t id, struct measurement *m, struct err *e)
{
	struct stmt q;
	int rc;

	if (stmt_open_for(&q, s,
			  "SELECT worker, " WORKER_COLUMNS " FROM point_worker WHERE point_id = ? "
			  "ORDER BY worker",
			  id, e))
		return -1;
	while ((rc = stmt_step(&q, e)) > 0) {
		uint32_t i = get_u32(&q);

		if (!m->worker)
			m->worker = xcalloc(m->spec.workers, sizeof(*m->worker));
		if (i < m->spec.workers)
			get_worker(&q, &m->worker[i]);
	}
	stmt_close(&q);
	return rc;
}

static int load_series(struct store *s, int64_t id, struct measurement *m, struct err *e)
{
	size_t cap = 0;
	struct stmt q;
	int rc;

	if (stmt_open_for(
		    &q, s,
		    "SELECT read_ios, read_lat_sum_ns, read_lat_max_ns, write_ios, "
		    "write_lat_sum_ns, write_lat_max_ns FROM point_series WHERE point_id = ? ORDER BY interval",
		    id, e))
		return -1;
	while ((rc = stmt_step(&q, e)) > 0) {
		struct interval *v;

		VEC_GROW(m->series, m->nr_intervals, cap);
		v = &m->series[m->nr_intervals++];
		for (enum dir d = DIR_READ; d <= DIR_WRITE; d++) {
			v->ios[d] = get_u32(&q);
			v->lat_ns[d] = get_u64(&q);
			v->lat_max_ns[d] = get_u64(&q);
		}
	}
	stmt_close(&q);
	return rc;
}

/* The counters that the first two columns name: layer and moment. */
static struct dev_counters *counters_at(struct measurement *m, struct stmt *q)
{
	bool is_bottom = !strcmp(get_borrowed(q), "bottom");
	bool is_before = !strcmp(get_borrowed(q), "before");

	if (is_bottom)
		return is_before ? &m->bottom_before : &m->bottom_after;
	return is_before ? &m->before : &m->after;
}

static int load_counters(struct store *s, int64_t id, struct measurement *m, struct err *e)
{
	struct stmt q;
	int rc;

	if (stmt_open_for(&q, s,
			  "SELECT layer, moment, " COUNTER_COLUMNS " FROM point_counter "
			  "WHERE point_id = ?",
			  id, e))
		return -1;
	while ((rc = stmt_step(&q, e)) > 0) {
		struct dev_counters *c = counters_at(m, &q);
		uint64_t *const values[] = {&c->read_ios,  &c->read_bytes,  &c->read_ms,
					    &c->write_ios, &c->write_bytes, &c->write_ms,
					    &c->in_flight, &c->busy_ms,	    &c->queue_ms};

		for (size_t i = 0; i < NR(values); i++)
			*values[i] = get_u64(&q);
		c->is_known = true;
	}
	stmt_close(&q);
	return rc;
}

static int load_cpus(struct store *s, int64_t id, struct measurement *m, struct err *e)
{
	size_t cap = 0;
	struct stmt q;
	int rc;

	if (stmt_open_for(&q, s,
			  "SELECT " CPU_COLUMNS " FROM point_cpu WHERE point_id = ? ORDER BY cpu",
			  id, e))
		return -1;
	while ((rc = stmt_step(&q, e)) > 0) {
		struct cpu_times *c;

		VEC_GROW(m->cpu, m->nr_cpus, cap);
		c = &m->cpu[m->nr_cpus++];
		c->cpu = get_u32(&q);
		c->user_ms = get_u64(&q);
		c->system_ms = get_u64(&q);
		c->irq_ms = get_u64(&q);
		c->steal_ms = get_u64(&q);
		c->iowait_ms = get_u64(&q);
		c->idle_ms = get_u64(&q);
	}
	stmt_close(&q);
	return rc;
}

static int load_measurement(struct store *s, int64_t run_id, uint32_t seq, struct measurement *m,
			    struct err *e)
{
	int64_t id = 0;

	if (load_raw(s, run_id, seq, m, &id, e) || load_hists(s, id, m, e) ||
	    load_details(s, id, m, e) || load_workers(s, id, m, e) || load_series(s, id, m, e) ||
	    load_counters(s, id, m, e) || load_cpus(s, id, m, e))
		return -1;
	return 0;
}

int store_load_measurement(struct store *s, int64_t run_id, uint32_t seq, struct measurement *m,
			   struct err *e)
{
	int rc;

	*m = (struct measurement){0};
	if (db_begin_read(s, e))
		return -1;
	rc = db_end(s, load_measurement(s, run_id, seq, m, e), e);
	if (rc)
		measurement_release(m);
	return rc;
}
