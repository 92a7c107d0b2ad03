/* SPDX-License-Identifier: MIT */
#include "store_test.h"

#include <errno.h>

static void assert_same_sums(const struct dir_sums *a, const struct dir_sums *b)
{
	assert_int_equal(a->ios, b->ios);
	assert_int_equal(a->bytes, b->bytes);
	assert_int_equal(a->lat_ns, b->lat_ns);
	assert_int_equal(a->slat_ns, b->slat_ns);
}

static void assert_same_raw(const struct measurement *a, const struct measurement *b)
{
	assert_int_equal(a->seq, b->seq);
	assert_true(a->seed == b->seed);
	assert_int_equal(a->status, b->status);
	assert_int_equal(a->flags, b->flags);
	assert_string_equal(a->flag_detail[FLAG_QUEUE_LIMITED], b->flag_detail[FLAG_QUEUE_LIMITED]);
	assert_int_equal(a->start_wall_ns, b->start_wall_ns);
	assert_int_equal(a->end_wall_ns, b->end_wall_ns);
	assert_int_equal(a->ramp_ns, b->ramp_ns);
	assert_int_equal(a->window_ns, b->window_ns);
	assert_int_equal(a->drain_ns, b->drain_ns);
	assert_int_equal(a->interval_ns, b->interval_ns);
	assert_int_equal(a->counters_ns, b->counters_ns);
	assert_int_equal(a->nr_intervals, b->nr_intervals);
	assert_int_equal(a->buffer_bytes, b->buffer_bytes);
	assert_true(a->depth_mean == b->depth_mean);
	assert_int_equal(a->depth_max, b->depth_max);
	assert_true(a->little_rel == b->little_rel);
	assert_memory_equal(&a->before, &b->before, sizeof(a->before));
	assert_memory_equal(&a->after, &b->after, sizeof(a->after));
	assert_memory_equal(&a->bottom_before, &b->bottom_before, sizeof(a->bottom_before));
	assert_memory_equal(&a->bottom_after, &b->bottom_after, sizeof(a->bottom_after));
}

static void assert_same_cpu(const struct cpu_times *a, const struct cpu_times *b)
{
	assert_int_equal(a->cpu, b->cpu);
	assert_int_equal(a->user_ms, b->user_ms);
	assert_int_equal(a->system_ms, b->system_ms);
	assert_int_equal(a->irq_ms, b->irq_ms);
	assert_int_equal(a->steal_ms, b->steal_ms);
	assert_int_equal(a->iowait_ms, b->iowait_ms);
	assert_int_equal(a->idle_ms, b->idle_ms);
}

static void measurement_comes_back(void **state)
{
	struct fixture *f = *state;
	struct run_info r = fixture_run();
	struct measurement m, got;

	(void)add_run(f, &r, 2);
	fixture_measurement(&m, 4, 2);
	store_measurement(f, r.id, &m);
	must(f, store_load_measurement(f->s, r.id, 2, &got, &f->e));
	assert_int_equal(point_spec_compare(&m.spec, &got.spec), 0);
	assert_int_equal(m.spec.span_e4, got.spec.span_e4);
	assert_same_raw(&m, &got);
	for (enum dir d = DIR_READ; d <= DIR_WRITE; d++)
		assert_memory_equal(m.lat[d], got.lat[d], sizeof(*m.lat[d]));
	for (unsigned w = 0; w < 2; w++) {
		assert_same_sums(&m.worker[w].dir[0], &got.worker[w].dir[0]);
		assert_same_sums(&m.worker[w].dir[1], &got.worker[w].dir[1]);
		assert_memory_equal(m.worker[w].lat_sq_ns2, got.worker[w].lat_sq_ns2,
				    sizeof(m.worker[w].lat_sq_ns2));
	}
	assert_int_equal(got.nr_cpus, 2);
	for (size_t i = 0; i < got.nr_cpus; i++)
		assert_same_cpu(&m.cpu[i], &got.cpu[i]);
	assert_int_equal(got.worker[0].cpu_user_ns, 11);
	assert_int_equal(got.worker[0].cpu_sys_ns, 12);
	assert_int_equal(got.worker[0].cpu_run_ns, 13);
	assert_int_equal(got.worker[0].cpu_wait_ns, 14);
	assert_int_equal(got.worker[0].voluntary_switches, 15);
	assert_int_equal(got.worker[0].submit_ns, 16);
	assert_memory_equal(m.series, got.series, m.nr_intervals * sizeof(*m.series));
	measurement_release(&m);
	measurement_release(&got);
}

static void failed_point_keeps_its_error(void **state)
{
	struct fixture *f = *state;
	struct run_info r = fixture_run();
	struct point_spec spec = fixture_spec(2);
	struct measurement m, got;

	(void)add_run(f, &r, 1);
	measurement_init(&m, &spec);
	m.seq = 1;
	m.status = POINT_FAILED;
	m.reason = xstrdup("read at 4096: Input/output error");
	m.err_errno = EIO;
	m.nr_errors = 3;
	store_measurement(f, r.id, &m);
	must(f, store_load_measurement(f->s, r.id, 1, &got, &f->e));
	assert_int_equal(got.status, POINT_FAILED);
	assert_string_equal(got.reason, m.reason);
	assert_int_equal(got.err_errno, EIO);
	assert_int_equal(got.err_offset, 0);
	assert_int_equal(got.nr_errors, 3);
	assert_null(got.worker);
	assert_null(got.lat[DIR_READ]);
	measurement_release(&m);
	measurement_release(&got);
}

static void figures_are_those_of_the_measurement(void **state)
{
	struct fixture *f = *state;
	struct run_info r = fixture_run();
	struct measurement m;
	struct point want = {0}, *points;
	size_t nr;

	(void)add_run(f, &r, 2);
	fixture_measurement(&m, 4, 2);
	store_measurement(f, r.id, &m);
	measurement_to_point(&m, &want);
	must(f, store_load_points(f->s, r.id, &points, &nr, &f->e));
	assert_int_equal(nr, 2);
	assert_int_equal(points[0].status, POINT_PLANNED);
	assert_true(isnan(points[0].dir[DIR_TOTAL].iops));
	assert_int_equal(points[1].seq, 2);
	assert_true(points[1].flags == FLAG_BIT(FLAG_QUEUE_LIMITED));
	assert_true(points[1].util_pct == want.util_pct);
	assert_true(points[1].cpu_pct == want.cpu_pct);
	assert_true(points[1].depth_mean == want.depth_mean);
	assert_true(points[1].depth_max == want.depth_max);
	assert_true(points[1].window_s == want.window_s);
	/* All are known in the fixture, so the bytes can be compared. */
	assert_true(!isnan(want.dir[DIR_TOTAL].iops_se_rel));
	assert_memory_equal(points[1].dir, want.dir, sizeof(want.dir));
	store_free_points(points, nr);
	point_release(&want);
	measurement_release(&m);
}

static void points_come_in_report_order(void **state)
{
	struct fixture *f = *state;
	struct run_info r = fixture_run();
	const struct planned_point points[] = {{fixture_spec(16), 1, NULL},
					       {fixture_spec(2), 2, "bs below the logical block"},
					       {fixture_spec(4), 3, NULL}};
	struct point *got;
	size_t nr;

	must(f, store_add_run(f->s, &r, points, 3, &f->e));
	must(f, store_load_points(f->s, r.id, &got, &nr, &f->e));
	assert_int_equal(nr, 3);
	assert_int_equal(got[0].seq, 2);
	assert_int_equal(got[0].status, POINT_SKIPPED);
	assert_string_equal(got[0].reason, "bs below the logical block");
	assert_int_equal(got[1].seq, 3);
	assert_int_equal(got[2].seq, 1);
	store_free_points(got, nr);
}

static void assert_loaded(struct fixture *f, int64_t run_id, size_t want)
{
	struct point *got;
	size_t nr;

	must(f, store_load_points(f->s, run_id, &got, &nr, &f->e));
	assert_int_equal(nr, want);
	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(got[i].run_id, run_id);
		assert_int_equal(got[i].flags, FLAG_BIT(FLAG_QUEUE_LIMITED));
		assert_true(got[i].dir[DIR_TOTAL].iops == 400 && got[i].dir[DIR_READ].iops == 280);
	}
	store_free_points(got, nr);
}

/* Most of the database is read otherwise than a small part of it. */
static void rows_of_other_runs_are_left_out(void **state)
{
	struct fixture *f = *state;
	struct run_info large = fixture_run(), small = fixture_run();

	(void)add_run(f, &small, 1);
	(void)add_run(f, &large, 3);
	finish(f, large.id, 4, 2);
	finish(f, small.id, 2, 1);
	finish(f, large.id, 2, 1);
	finish(f, large.id, 8, 3);
	assert_loaded(f, small.id, 1);
	assert_loaded(f, large.id, 3);
}

static void run_comes_back(void **state)
{
	struct fixture *f = *state;
	struct run_info r = fixture_run(), got;
	struct facts more = FACTS_INIT;

	facts_set(&r.facts, "scheduler", "none");
	facts_set(&r.facts, "kernel", "6.1");
	r.accepted = FLAG_BIT(FLAG_STALL) | FLAG_BIT(FLAG_HOST_CACHE);
	(void)add_run(f, &r, 1);
	facts_set(&more, "scheduler", "mq-deadline");
	facts_set(&more, "firmware", "X1");
	must(f, store_add_facts(f->s, r.id, &more, &f->e));
	must(f, store_load_run(f->s, r.id, &got, &f->e));
	assert_int_equal(got.state, RUN_RUNNING);
	assert_false(got.imported);
	assert_string_equal(got.sweep_text, r.sweep_text);
	assert_string_equal(got.question, r.question);
	assert_string_equal(got.command, r.command);
	assert_string_equal(got.target_label, r.target_label);
	assert_string_equal(got.target_identity, r.target_identity);
	assert_int_equal(got.target_size_bytes, r.target_size_bytes);
	assert_int_equal(got.target_queue_limit, 64);
	assert_true(got.seed == r.seed);
	assert_int_equal(got.nr_caps, 2);
	assert_int_equal(got.caps[1].stat, LAT_P999);
	assert_int_equal(got.caps[1].limit_ns, 20000000);
	assert_true(got.accepted == r.accepted);
	assert_int_equal(got.facts.nr, 3);
	assert_string_equal(facts_get(&got.facts, "scheduler"), "mq-deadline");
	assert_string_equal(facts_get(&got.facts, "firmware"), "X1");
	run_info_release(&got);
	facts_release(&r.facts);
	facts_release(&more);
	must_fail(f, store_load_run(f->s, 77, &got, &f->e), "there is no run 77");
}

static void assert_questions(struct fixture *f, int64_t run_id, const struct cap *caps,
			     unsigned nr_caps, flag_set accepted)
{
	struct run_info got;

	must(f, store_load_run(f->s, run_id, &got, &f->e));
	assert_int_equal(got.nr_caps, nr_caps);
	for (unsigned i = 0; i < nr_caps; i++) {
		assert_int_equal(got.caps[i].stat, caps[i].stat);
		assert_int_equal(got.caps[i].limit_ns, caps[i].limit_ns);
	}
	assert_true(got.accepted == accepted);
	run_info_release(&got);
}

static void questions_of_one_run_are_replaced(void **state)
{
	static const struct cap caps[] = {
		{LAT_P99, 5000000}, {LAT_MEAN, 1000000}, {LAT_P50, 900000}};
	struct fixture *f = *state;
	struct run_info a = fixture_run(), b = fixture_run();
	flag_set stall = FLAG_BIT(FLAG_STALL), cache = FLAG_BIT(FLAG_HOST_CACHE);

	a.accepted = b.accepted = stall;
	(void)add_run(f, &a, 1);
	(void)add_run(f, &b, 1);
	must(f, store_set_questions(f->s, a.id, caps, NR(caps), stall | cache, &f->e));
	assert_questions(f, a.id, caps, NR(caps), stall | cache);
	must(f, store_set_questions(f->s, a.id, caps, NR(caps), stall | cache, &f->e));
	must(f, store_set_questions(f->s, a.id, caps + 1, 1, cache, &f->e));
	assert_questions(f, a.id, caps + 1, 1, cache);
	must(f, store_set_questions(f->s, a.id, NULL, 0, 0, &f->e));
	assert_questions(f, a.id, NULL, 0, 0);
	assert_questions(f, b.id, b.caps, b.nr_caps, stall);
	must_fail(f, store_set_questions(f->s, 99, caps, 1, 0, &f->e), "there is no run 99");
}

static void questions_stay_when_they_cannot_be_replaced(void **state)
{
	static const struct cap caps[] = {{LAT_P99, 5000000}, {LAT_MEAN, 0}};
	struct fixture *f = *state;
	struct run_info r = fixture_run();

	r.accepted = FLAG_BIT(FLAG_STALL);
	(void)add_run(f, &r, 1);
	must_fail(f, store_set_questions(f->s, r.id, caps, NR(caps), 0, &f->e),
		  "CHECK constraint failed");
	assert_questions(f, r.id, r.caps, r.nr_caps, r.accepted);
}

/* Points of other runs that a search began with: in full, each once, and of no other run. */
static void seeds_of_a_search_come_back(void **state)
{
	struct fixture *f = *state;
	struct run_info a = fixture_run(), b = fixture_run(), c = fixture_run();
	struct point *points, *seeds, none = {.point_id = 4711};
	size_t nr, nr_seeds;

	(void)add_run(f, &a, 3);
	finish(f, a.id, 2, 1);
	(void)add_run(f, &b, 1);
	(void)add_run(f, &c, 1);
	must(f, store_load_points(f->s, a.id, &points, &nr, &f->e));
	assert_int_equal(nr, 3);
	must(f, store_add_seeds(f->s, b.id, points, 2, &f->e));
	must(f, store_add_seeds(f->s, b.id, points, 2, &f->e));
	must(f, store_load_seeds(f->s, b.id, &seeds, &nr_seeds, &f->e));
	assert_int_equal(nr_seeds, 2);
	assert_int_equal(seeds[0].run_id, a.id);
	assert_int_equal(seeds[0].status, POINT_OK);
	assert_int_equal(seeds[0].flags, points[0].flags);
	assert_true(seeds[0].dir[DIR_TOTAL].iops > 0);
	assert_true(seeds[0].dir[DIR_TOTAL].iops == points[0].dir[DIR_TOTAL].iops);
	assert_true(seeds[0].dir[DIR_TOTAL].lat_mean_ns == points[0].dir[DIR_TOTAL].lat_mean_ns);
	store_free_points(seeds, nr_seeds);
	must(f, store_load_seeds(f->s, c.id, &seeds, &nr_seeds, &f->e));
	assert_int_equal(nr_seeds, 0);
	store_free_points(seeds, nr_seeds);
	must_fail(f, store_add_seeds(f->s, b.id, &none, 1, &f->e), "FOREIGN KEY");
	store_free_points(points, nr);
}

static void list_counts_points_by_status(void **state)
{
	struct fixture *f = *state;
	struct run_info a = fixture_run(), b = fixture_run();
	struct run_summary *list;
	struct measurement m;
	size_t nr;

	(void)add_run(f, &a, 3);
	b.accepted = FLAG_BIT(FLAG_STALL);
	(void)add_run(f, &b, 1);
	finish(f, a.id, 2, 1);
	fixture_measurement(&m, 4, 2);
	measurement_flag(&m, FLAG_STALL, "2 s");
	measurement_flag(&m, FLAG_FOREIGN_LOAD, "20 %%");
	store_measurement(f, a.id, &m);
	measurement_release(&m);
	fixture_measurement(&m, 2, 1);
	measurement_flag(&m, FLAG_STALL, "2 s");
	store_measurement(f, b.id, &m);
	measurement_release(&m);
	must(f, store_list_runs(f->s, &list, &nr, &f->e));
	assert_int_equal(nr, 2);
	assert_int_equal(list[0].nr_total, 3);
	assert_int_equal(list[0].nr_points[POINT_OK], 2);
	assert_int_equal(list[0].nr_points[POINT_PLANNED], 1);
	assert_int_equal(list[0].nr_spoiled, 1);
	assert_int_equal(list[1].nr_spoiled, 0);
	assert_string_equal(list[1].info.target_label, b.target_label);
	store_free_list(list, nr);
	assert_answer(f, "SELECT count(*) FROM target", "1");
}

static void ok_point_without_io_is_refused(void **state)
{
	struct fixture *f = *state;
	struct run_info r = fixture_run();
	struct measurement m;

	(void)add_run(f, &r, 1);
	fixture_measurement(&m, 2, 1);
	for (enum dir d = DIR_READ; d <= DIR_WRITE; d++) {
		hist_init(m.lat[d]);
		m.worker[0].dir[d] = m.worker[1].dir[d] = (struct dir_sums){0};
	}
	must(f, store_point_started(f->s, r.id, &m.spec, 1, &f->e));
	must_fail(f, store_point_finished(f->s, r.id, &m, &f->e), "CHECK constraint failed");
	assert_answer(f, "SELECT status, (SELECT count(*) FROM point_worker) FROM point",
		      "running 0");
	m.status = POINT_NO_IO;
	must(f, store_point_finished(f->s, r.id, &m, &f->e));
	assert_answer(f, "SELECT status, ios FROM point", "no-io 0");
	measurement_release(&m);
}

static void same_point_twice_is_refused(void **state)
{
	struct fixture *f = *state;
	struct run_info r = fixture_run();
	struct planned_point points[] = {{fixture_spec(2), 1, NULL}, {fixture_spec(2), 2, NULL}};

	points[1].spec.span_e4 = 0; /* asked otherwise, but the same bytes */
	must_fail(f, store_add_run(f->s, &r, points, 2, &f->e), "UNIQUE constraint failed");
	assert_int_equal(r.id, 0);
	assert_answer(f, "SELECT count(*) FROM run", "0");
	points[1].spec.repeat = 2;
	must(f, store_add_run(f->s, &r, points, 2, &f->e));
}

static void unfinished_run_is_found_by_its_key(void **state)
{
	struct fixture *f = *state;
	struct run_info r = fixture_run();
	struct point_spec spec = fixture_spec(2);
	int64_t found = -1;

	must(f, store_find_unfinished(f->s, r.key, &found, &f->e));
	assert_int_equal(found, 0);
	(void)add_run(f, &r, 2);
	finish(f, r.id, 4, 2);
	must(f, store_point_started(f->s, r.id, &spec, 1, &f->e));
	must(f, store_find_unfinished(f->s, r.key, &found, &f->e));
	assert_int_equal(found, r.id);
	must(f, store_set_run_state(f->s, r.id, RUN_RUNNING, &f->e));
	assert_answer(f, "SELECT status FROM point ORDER BY seq", "interrupted ok");
	must(f, store_set_run_state(f->s, r.id, RUN_FINISHED, &f->e));
	must(f, store_find_unfinished(f->s, r.key, &found, &f->e));
	assert_int_equal(found, 0);
	must_fail(f, store_set_run_state(f->s, 99, RUN_FINISHED, &f->e), "there is no run 99");
}

static void second_attempt_replaces_the_first(void **state)
{
	struct fixture *f = *state;
	struct run_info r = fixture_run();
	struct measurement m;

	(void)add_run(f, &r, 1);
	fixture_measurement(&m, 2, 1);
	m.status = POINT_INTERRUPTED;
	m.reason = xstrdup("SIGTERM");
	store_measurement(f, r.id, &m);
	must(f, store_point_started(f->s, r.id, &m.spec, 5, &f->e));
	assert_answer(f, "SELECT status, reason, ios, (SELECT count(*) FROM point_dir) FROM point",
		      "running NULL NULL 0");
	measurement_release(&m);
	finish(f, r.id, 2, 1);
	assert_answer(f,
		      "SELECT status, ios, (SELECT count(*) FROM point_dir), "
		      "(SELECT count(*) FROM point_series) FROM point",
		      "ok 2000 3 50");
	m.spec = fixture_spec(2);
	must_fail(f, store_point_started(f->s, r.id, &m.spec, 5, &f->e), "measured already");
	m.spec.iodepth = 3;
	must_fail(f, store_point_started(f->s, r.id, &m.spec, 5, &f->e), "has no point 'randrw 4k");
}

/* Two processes on one run: the second to finish a point finds it stored. */
static void only_a_running_point_is_finished(void **state)
{
	struct fixture *f = *state;
	struct run_info r = fixture_run();
	struct measurement m;

	(void)add_run(f, &r, 2);
	fixture_measurement(&m, 4, 2);
	must_fail(f, store_point_finished(f->s, r.id, &m, &f->e), "is planned and not running");
	store_measurement(f, r.id, &m);
	m.status = POINT_INTERRUPTED;
	must_fail(f, store_point_finished(f->s, r.id, &m, &f->e),
		  "point 2 (randrw 4k 70% read iodepth 4 workers 2 span 12.5%@8k) of run 1 is ok");
	assert_answer(f,
		      "SELECT group_concat(status), sum(ios), (SELECT count(*) FROM point_series) "
		      "FROM point",
		      "planned,ok 2000 50");
	measurement_release(&m);
}

static int refuse(void *arg)
{
	(void)arg;
	return 1;
}

static void finish_may_be_repeated_after_a_failed_commit(void **state)
{
	struct fixture *f = *state;
	struct run_info r = fixture_run();
	struct measurement m;

	(void)add_run(f, &r, 1);
	fixture_measurement(&m, 2, 1);
	must(f, store_point_started(f->s, r.id, &m.spec, 1, &f->e));
	(void)sqlite3_commit_hook(f->s->db, refuse, NULL);
	must_fail(f, store_point_finished(f->s, r.id, &m, &f->e), "cannot write to");
	assert_answer(f, "SELECT status, (SELECT count(*) FROM point_dir) FROM point", "running 0");
	(void)sqlite3_commit_hook(f->s->db, NULL, NULL);
	must(f, store_point_finished(f->s, r.id, &m, &f->e));
	assert_answer(f, "SELECT status, (SELECT count(*) FROM point_dir) FROM point", "ok 3");
	measurement_release(&m);
}

static void imported_figures_that_are_missing_are_null(void **state)
{
	struct fixture *f = *state;
	struct run_info r = fixture_run();
	struct point p = {.seq = 1, .status = POINT_OK}, *got;
	size_t nr;

	p.spec = fixture_spec(8);
	p.spec.span_bytes = 0;
	p.depth_mean = p.depth_max = p.util_pct = p.cpu_pct = UNKNOWN;
	for (enum dir d = 0; d < DIR_NR; d++)
		figures_clear(&p.dir[d]);
	p.dir[DIR_TOTAL].iops = 0;
	must_fail(f, store_import_run(f->s, &r, &p, 1, &f->e), "CHECK constraint failed");
	p.dir[DIR_TOTAL].iops = 2035;
	p.dir[DIR_TOTAL].lat_mean_ns = 476980;
	must(f, store_import_run(f->s, &r, &p, 1, &f->e));
	assert_answer(f,
		      "SELECT dir, iops, lat_mean_ms, lat_p99_ms, util_pct, span_bytes, origin, "
		      "status FROM v_point WHERE dir = 'total'",
		      "total 2035.0 0.47698 NULL NULL NULL imported ok");
	must(f, store_load_points(f->s, r.id, &got, &nr, &f->e));
	assert_int_equal(nr, 1);
	assert_true(got->imported);
	assert_true(got->dir[DIR_TOTAL].iops == 2035);
	assert_true(isnan(got->dir[DIR_TOTAL].lat_p99_ns));
	assert_true(isnan(got->dir[DIR_TOTAL].ios));
	assert_true(isnan(got->window_s));
	store_free_points(got, nr);
}

static void v_point_has_the_promised_columns_first(void **state)
{
	struct fixture *f = *state;

	assert_answer(
		f, "SELECT name FROM pragma_table_info('v_point')",
		"run point status target rw dir bs iodepth span_bytes rwmixread workers iops "
		"mib_s lat_mean_ms lat_p50_ms lat_p95_ms lat_p99_ms lat_max_ms util_pct "
		"cpu_pct iops_ci_pct flags lat_p90_ms lat_p999_ms slat_mean_ms clat_mean_ms "
		"depth_mean depth_max seq point_id reason origin span_pct offset_bytes random_pct "
		"repeat is_anchor rate_iops rate_pct late_p50_ms late_p99_ms "
		"late_max_ms arrivals backlog lat_ci_pct lat_p95_lo_ms "
		"lat_p95_hi_ms lat_p99_lo_ms lat_p99_hi_ms decides");
}

static void v_point_has_a_total_row_for_every_point(void **state)
{
	struct fixture *f = *state;
	struct run_info r = fixture_run();
	struct planned_point points[] = {{fixture_spec(2), 1, NULL}, {fixture_spec(4), 2, "why"}};

	points[0].spec.rw = RW_RANDREAD;
	points[0].spec.rwmixread_pct = 100;
	must(f, store_add_run(f->s, &r, points, 2, &f->e));
	assert_answer(f, "SELECT seq, dir FROM v_point ORDER BY seq, dir",
		      "1 read 1 total 2 read 2 total 2 write");
	finish(f, r.id, 4, 2);
	assert_answer(f,
		      "SELECT dir, round(iops), round(mib_s, 4), flags, span_pct FROM v_point "
		      "WHERE seq = 2 ORDER BY dir",
		      "read 280.0 1.0938 queue-limited 12.5 total 400.0 1.5625 queue-limited 12.5 "
		      "write 120.0 0.4688 queue-limited 12.5");
}

/* The view names the flags that spoil; the program has them in a table. */
static void v_curve_leaves_out_what_flags_spoil(void **state)
{
	struct fixture *f = *state;

	for (enum flag flag = 0; flag < FLAG_NR; flag++) {
		bool spoils =
			flag_effect(flag) == EFFECT_SPOILED || flag_effect(flag) == EFFECT_FAILED;
		struct run_info r = fixture_run();
		struct measurement m;
		char *sql;

		(void)add_run(f, &r, 2);
		finish(f, r.id, 2, 1);
		fixture_measurement(&m, 4, 2);
		measurement_flag(&m, flag, "test");
		store_measurement(f, r.id, &m);
		measurement_release(&m);
		sql = xasprintf("SELECT points, peak_iodepth, first_iodepth FROM v_curve "
				"WHERE run = %d",
				(int)r.id);
		assert_answer(f, sql, spoils ? "1 2 2" : "2 2 2");
		free(sql);
	}
}

static void histograms_of_points_are_loaded_when_asked_for(void **state)
{
	struct fixture *f = *state;
	struct run_info r = fixture_run();
	struct hist *h = xmalloc(sizeof(*h));
	struct point *points;
	size_t nr;

	(void)add_run(f, &r, 2);
	finish(f, r.id, 2, 1);
	must(f, store_load_points(f->s, r.id, &points, &nr, &f->e));
	assert_int_equal(nr, 2);
	assert_int_equal(points[0].lat_hist[DIR_READ].len, 0);
	for (int again = 0; again < 2; again++) {
		must(f, store_load_lat_hists(f->s, points, nr, &f->e));
		assert_true(hist_unpack(h, points[0].lat_hist[DIR_READ].text,
					points[0].lat_hist[DIR_READ].len));
		assert_true(h->count == (uint64_t)points[0].dir[DIR_READ].ios);
		assert_int_equal(points[1].lat_hist[DIR_READ].len, 0);
	}
	store_free_points(points, nr);
	free(h);
}

static void damaged_histogram_is_reported(void **state)
{
	struct fixture *f = *state;
	struct run_info r = fixture_run();
	struct measurement m;
	sqlite3 *db;

	(void)add_run(f, &r, 1);
	finish(f, r.id, 2, 1);
	db = other_open(f);
	free(ask(db, "UPDATE point_dir SET lat_hist = x'0199' WHERE dir = 'read'"));
	sqlite3_close(db);
	must_fail(f, store_load_measurement(f->s, r.id, 1, &m, &f->e), "histogram");
	must_fail(f, store_load_measurement(f->s, r.id, 9, &m, &f->e), "has no point 9");
}

static void names_of_a_later_version_are_reported(void **state)
{
	struct fixture *f = *state;
	struct run_info r = fixture_run();
	struct point *points;
	sqlite3 *db;
	size_t nr;

	(void)add_run(f, &r, 1);
	finish(f, r.id, 2, 1);
	db = other_open(f);
	free(ask(db, "UPDATE point_flag SET flag = 'haunted'"));
	sqlite3_close(db);
	must_fail(f, store_load_points(f->s, r.id, &points, &nr, &f->e), "the flag 'haunted'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST_OPEN(measurement_comes_back),
		TEST_OPEN(failed_point_keeps_its_error),
		TEST_OPEN(figures_are_those_of_the_measurement),
		TEST_OPEN(points_come_in_report_order),
		TEST_OPEN(rows_of_other_runs_are_left_out),
		TEST_OPEN(run_comes_back),
		TEST_OPEN(questions_of_one_run_are_replaced),
		TEST_OPEN(seeds_of_a_search_come_back),
		TEST_OPEN(questions_stay_when_they_cannot_be_replaced),
		TEST_OPEN(list_counts_points_by_status),
		TEST_OPEN(ok_point_without_io_is_refused),
		TEST_OPEN(same_point_twice_is_refused),
		TEST_OPEN(unfinished_run_is_found_by_its_key),
		TEST_OPEN(second_attempt_replaces_the_first),
		TEST_OPEN(only_a_running_point_is_finished),
		TEST_OPEN(finish_may_be_repeated_after_a_failed_commit),
		TEST_OPEN(imported_figures_that_are_missing_are_null),
		TEST_OPEN(v_point_has_the_promised_columns_first),
		TEST_OPEN(v_point_has_a_total_row_for_every_point),
		TEST_OPEN(v_curve_leaves_out_what_flags_spoil),
		TEST_OPEN(histograms_of_points_are_loaded_when_asked_for),
		TEST_OPEN(damaged_histogram_is_reported),
		TEST_OPEN(names_of_a_later_version_are_reported),
	};

	return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
