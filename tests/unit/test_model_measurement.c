/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/rng.h"
#include "model/measurement.h"
#include "stats/ci.h"

#include <stdlib.h>
#include <string.h>

static struct point_spec spec_of(enum rw_mode rw, uint32_t workers)
{
	return (struct point_spec){.rw = rw,
				   .iodepth = 8,
				   .workers = workers,
				   .rwmixread_pct = 100,
				   .random_pct = 100,
				   .bs_bytes = 4096,
				   .span_bytes = 1 << 30,
				   .repeat = 1};
}

/* A measurement with workers and the histograms of its mode, as the runner makes it. */
static void begin(struct measurement *m, enum rw_mode rw, uint32_t workers)
{
	struct point_spec spec = spec_of(rw, workers);

	measurement_init(m, &spec);
	m->worker = xcalloc(workers, sizeof(*m->worker));
	m->status = POINT_OK;
	m->window_ns = 10 * NS_PER_S;
	for (enum dir d = DIR_READ; d <= DIR_WRITE; d++) {
		if (!(d == DIR_READ ? rw_reads(rw) : rw_writes(rw)))
			continue;
		m->lat[d] = xmalloc(sizeof(*m->lat[d]));
		hist_init(m->lat[d]);
	}
}

static void complete(struct measurement *m, uint32_t worker, enum dir dir, uint64_t lat_ns)
{
	struct dir_sums *s = &m->worker[worker].dir[dir];

	s->ios++;
	s->bytes += 4096;
	s->lat_ns += lat_ns;
	s->slat_ns += lat_ns / 10;
	m->worker[worker].lat_sq_ns2[dir] += (double)lat_ns * (double)lat_ns;
	hist_add(m->lat[dir], lat_ns);
}

static void test_init_and_release(void **state)
{
	struct point_spec spec = spec_of(RW_RANDREAD, 3);
	struct measurement m;

	(void)state;
	measurement_init(&m, &spec);
	assert_int_equal(m.spec.workers, 3);
	assert_int_equal(m.status, POINT_PLANNED);
	assert_null(m.worker);
	assert_null(m.lat[DIR_READ]);
	assert_unknown(m.little_rel);
	measurement_release(&m);

	begin(&m, RW_RANDRW, 2);
	m.series = xcalloc(4, sizeof(*m.series));
	m.reason = xstrdup("because");
	measurement_flag(&m, FLAG_STALL, "nothing for %d s", 5);
	measurement_release(&m);
	assert_null(m.worker);
	assert_null(m.flag_detail[FLAG_STALL]);
	assert_int_equal(m.flags, 0);
	measurement_release(&m);
}

static void test_flags(void **state)
{
	struct point_spec spec = spec_of(RW_RANDREAD, 1);
	struct measurement m;

	(void)state;
	measurement_init(&m, &spec);
	measurement_flag(&m, FLAG_STALL, "nothing for %d s", 5);
	measurement_flag(&m, FLAG_SPLIT, "%s", "128 KiB");
	assert_int_equal(m.flags, FLAG_BIT(FLAG_STALL) | FLAG_BIT(FLAG_SPLIT));
	assert_string_equal(m.flag_detail[FLAG_STALL], "nothing for 5 s");
	measurement_flag(&m, FLAG_STALL, "nothing for %d s", 7);
	assert_string_equal(m.flag_detail[FLAG_STALL], "nothing for 7 s");
	assert_string_equal(m.flag_detail[FLAG_SPLIT], "128 KiB");
	measurement_release(&m);
}

static void test_figures_of_a_mix(void **state)
{
	struct figures read, write, total;
	struct measurement m;

	(void)state;
	begin(&m, RW_RANDRW, 2);
	for (int i = 0; i < 70; i++)
		complete(&m, (uint32_t)i % 2, DIR_READ, 100);
	for (int i = 0; i < 30; i++)
		complete(&m, (uint32_t)i % 2, DIR_WRITE, 200 * NS_PER_MS);
	measurement_figures(&m, DIR_READ, &read);
	measurement_figures(&m, DIR_WRITE, &write);
	measurement_figures(&m, DIR_TOTAL, &total);
	assert_within(read.ios, 70, 0);
	assert_within(read.iops, 7, 1e-12);
	assert_within(write.iops, 3, 1e-12);
	assert_within(total.iops, 10, 1e-12);
	assert_within(total.mib_s, 10 * 4096 / 1048576.0, 1e-12);
	assert_within(read.lat_mean_ns, 100, 0);
	assert_within(write.lat_mean_ns, 2e8, 0);
	/* Weighted by completions, not the mean of the two means. */
	assert_close(total.lat_mean_ns, 0.7 * 100 + 0.3 * 2e8, 1e-12);
	/* Of the merged histogram: 70 % are fast. */
	assert_within(total.lat_p50_ns, 100, 0);
	assert_close(total.lat_p90_ns, 2e8, 0.01);
	assert_within(total.lat_min_ns, 100, 0);
	assert_within(total.lat_max_ns, 2e8, 0);
	assert_within(read.lat_sd_ns, 0, 1e-6);
	assert_close(total.lat_sd_ns, 2e8 * sqrt(0.3 * 0.7 * 100 / 99), 1e-6);
	assert_within(read.slat_mean_ns, 10, 1e-12);
	assert_within(read.clat_mean_ns, 90, 1e-12);
	assert_close(total.slat_mean_ns + total.clat_mean_ns, total.lat_mean_ns, 1e-12);
	measurement_release(&m);
}

static void test_direction_not_asked(void **state)
{
	struct figures f;
	struct measurement m;

	(void)state;
	begin(&m, RW_RANDREAD, 1);
	complete(&m, 0, DIR_READ, 1000);
	measurement_figures(&m, DIR_WRITE, &f);
	assert_unknown(f.ios);
	assert_unknown(f.iops);
	assert_unknown(f.lat_mean_ns);
	measurement_figures(&m, DIR_TOTAL, &f);
	assert_within(f.iops, 0.1, 1e-12);
	assert_unknown(f.lat_sd_ns);
	measurement_release(&m);
}

static void test_nothing_completed(void **state)
{
	struct figures f;
	struct measurement m;

	(void)state;
	begin(&m, RW_RANDREAD, 1);
	m.status = POINT_NO_IO;
	measurement_figures(&m, DIR_TOTAL, &f);
	assert_within(f.ios, 0, 0);
	assert_within(f.iops, 0, 0);
	assert_unknown(f.lat_mean_ns);
	assert_unknown(f.lat_p50_ns);
	assert_unknown(f.lat_max_ns);
	assert_unknown(f.slat_mean_ns);
	assert_unknown(f.clat_mean_ns);
	assert_unknown(f.iops_se_rel);
	m.window_ns = 0;
	measurement_figures(&m, DIR_TOTAL, &f);
	assert_unknown(f.iops);
	measurement_release(&m);
}

static void test_percentiles_are_ordered(void **state)
{
	struct rng r;

	(void)state;
	rng_seed(&r, 11);
	for (int round = 0; round < 300; round++) {
		uint64_t nr = 1 + rng_below(&r, 40);
		struct measurement m;
		struct figures f;

		begin(&m, RW_RANDWRITE, 1);
		for (uint64_t i = 0; i < nr; i++)
			complete(&m, 0, DIR_WRITE,
				 round % 2 ? rng_next(&r) >> (20 + rng_below(&r, 40)) : 987654321);
		measurement_figures(&m, DIR_TOTAL, &f);
		assert_true(f.lat_min_ns <= f.lat_p50_ns);
		assert_true(f.lat_p50_ns <= f.lat_p90_ns);
		assert_true(f.lat_p90_ns <= f.lat_p95_ns);
		assert_true(f.lat_p95_ns <= f.lat_p99_ns);
		assert_true(f.lat_p99_ns <= f.lat_p999_ns);
		assert_true(f.lat_p999_ns <= f.lat_max_ns);
		assert_true(f.lat_min_ns <= f.lat_mean_ns && f.lat_mean_ns <= f.lat_max_ns);
		/* Of 40 values p99 is the largest. */
		assert_within(f.lat_p99_ns, f.lat_max_ns, 0);
		measurement_release(&m);
	}
}

/* A series of intervals of 0.1 s whose counts are mean + noise. */
static void fill_series(struct measurement *m, size_t nr, uint32_t mean, uint32_t spread)
{
	struct rng r;

	rng_seed(&r, 17);
	m->interval_ns = 100 * NS_PER_MS;
	m->window_ns = nr * m->interval_ns;
	m->nr_intervals = nr;
	m->series = xcalloc(nr, sizeof(*m->series));
	for (size_t i = 0; i < nr; i++) {
		uint32_t ios = mean + (uint32_t)rng_below(&r, 2 * spread + 1) - spread;

		m->series[i].ios[DIR_READ] = ios;
		m->series[i].lat_ns[DIR_READ] = ios * (1000 + rng_below(&r, 100));
		m->worker[0].dir[DIR_READ].ios += ios;
		m->lat[DIR_READ]->count += ios;
	}
}

static double direct_se(const struct measurement *m, size_t merge, size_t first)
{
	size_t nr = (m->nr_intervals - first) / merge;
	double *x = xcalloc(nr, sizeof(*x)), se;

	for (size_t i = 0; i < nr * merge; i++)
		x[i / merge] += m->series[first + i].ios[DIR_READ];
	se = series_se_rel(x, nr) * t975((double)batches_of(nr) - 1) / 1.959964;
	free(x);
	return se;
}

/* What MSER-5 takes off the unmerged series. */
static size_t direct_warm_up(const struct measurement *m)
{
	double *x = xcalloc(m->nr_intervals, sizeof(*x));
	size_t skip;

	for (size_t i = 0; i < m->nr_intervals; i++)
		x[i] = m->series[i].ios[DIR_READ];
	skip = mser5(x, m->nr_intervals);
	free(x);
	return skip;
}

static void test_errors_of_a_fast_point(void **state)
{
	struct measurement m;
	struct figures f;

	(void)state;
	begin(&m, RW_RANDREAD, 1);
	fill_series(&m, 100, 500, 50);
	measurement_figures(&m, DIR_READ, &f);
	assert_close(f.iops, 5000, 0.01);
	assert_true(f.iops_se_rel > 0);
	assert_close(f.iops_se_rel, direct_se(&m, 1, direct_warm_up(&m)), 1e-9);
	/* Counts spread evenly by 10 %: 5.8 % a value, 100 of them. */
	assert_close(f.iops_se_rel, 0.058 / 10, 0.6);
	assert_true(f.lat_se_rel > 0 && f.lat_se_rel < 0.02);
	measurement_release(&m);
}

static void test_intervals_are_merged(void **state)
{
	struct measurement m;
	struct figures f;

	(void)state;
	/* 50 IOPS want intervals of 0.4 s. */
	begin(&m, RW_RANDREAD, 1);
	fill_series(&m, 4 * 50 + 3, 5, 1);
	m.window_ns = 203 * (NS_PER_S / 10);
	m.worker[0].dir[DIR_READ].ios = 1015;
	measurement_figures(&m, DIR_READ, &f);
	assert_within(f.iops, 50, 1e-9);
	assert_close(f.iops_se_rel, direct_se(&m, 4, 3), 1e-9);
	measurement_release(&m);

	/* The part of an interval that a window ends with is none. */
	begin(&m, RW_RANDREAD, 1);
	fill_series(&m, 201, 500, 50);
	m.series[200].ios[DIR_READ] = 3;
	m.window_ns = 200 * (NS_PER_S / 10) + 1;
	m.worker[0].dir[DIR_READ].ios = 100000;
	measurement_figures(&m, DIR_READ, &f);
	m.nr_intervals = 200;
	assert_close(f.iops_se_rel, direct_se(&m, 1, direct_warm_up(&m)), 1e-9);
	m.nr_intervals = 201;
	measurement_release(&m);

	/* 2 IOPS for 20 s make two intervals. */
	begin(&m, RW_RANDREAD, 1);
	fill_series(&m, 200, 1, 1);
	m.worker[0].dir[DIR_READ].ios = 40;
	measurement_figures(&m, DIR_READ, &f);
	assert_within(f.iops, 2, 1e-9);
	assert_unknown(f.iops_se_rel);
	assert_unknown(f.lat_se_rel);
	measurement_release(&m);
}

static void test_few_intervals(void **state)
{
	struct measurement m;
	struct figures f;

	(void)state;
	begin(&m, RW_RANDREAD, 1);
	fill_series(&m, 39, 500, 50);
	measurement_figures(&m, DIR_READ, &f);
	assert_unknown(f.iops_se_rel);
	assert_unknown(f.lat_se_rel);
	measurement_release(&m);
	begin(&m, RW_RANDREAD, 1);
	fill_series(&m, 40, 500, 50);
	measurement_figures(&m, DIR_READ, &f);
	assert_true(f.iops_se_rel > 0);
	measurement_release(&m);
}

static void test_warm_up_is_left_out(void **state)
{
	struct measurement m;
	struct figures f;

	(void)state;
	begin(&m, RW_RANDREAD, 1);
	fill_series(&m, 100, 500, 20);
	for (size_t i = 0; i < 20; i++)
		m.series[i].ios[DIR_READ] = 2000;
	measurement_figures(&m, DIR_READ, &f);
	assert_in_range(direct_warm_up(&m), 20, 60);
	assert_close(f.iops_se_rel, direct_se(&m, 1, direct_warm_up(&m)), 1e-9);
	assert_int_equal(measurement_warm_up_ns(&m, DIR_READ), direct_warm_up(&m) * m.interval_ns);
	measurement_release(&m);

	/* Too few of 60 would be left behind 25 or more: then all are taken. */
	begin(&m, RW_RANDREAD, 1);
	fill_series(&m, 60, 500, 20);
	for (size_t i = 0; i < 25; i++)
		m.series[i].ios[DIR_READ] = 2000;
	measurement_figures(&m, DIR_READ, &f);
	assert_in_range(direct_warm_up(&m), 25, 30);
	assert_close(f.iops_se_rel, direct_se(&m, 1, 0), 1e-9);
	assert_int_equal(measurement_warm_up_ns(&m, DIR_READ), 0);
	measurement_release(&m);
}

/* A throttle that lets 50 I/Os through each interval: no two intervals differ, and yet a window may
 * hold a lump more or less. */
static void test_error_of_equal_intervals(void **state)
{
	struct measurement m;
	struct figures f;

	(void)state;
	begin(&m, RW_RANDREAD, 1);
	fill_series(&m, 200, 50, 0);
	measurement_figures(&m, DIR_READ, &f);
	assert_close(f.iops_se_rel, 1 / (200 * sqrt(12)), 1e-9);
	measurement_release(&m);
}

static void failed_point_has_no_figures(void **state)
{
	struct measurement m;
	struct point p = {0};

	(void)state;
	begin(&m, RW_RANDREAD, 1);
	fill_series(&m, 100, 500, 50);
	m.status = POINT_FAILED;
	measurement_to_point(&m, &p);
	assert_true(p.dir[DIR_TOTAL].ios > 0);
	assert_unknown(p.dir[DIR_TOTAL].iops);
	assert_unknown(p.dir[DIR_READ].lat_mean_ns);
	point_release(&p);
	m.status = POINT_OK;
	measurement_to_point(&m, &p);
	assert_true(p.dir[DIR_TOTAL].iops > 0);
	point_release(&p);
	measurement_release(&m);
}

static void test_point_of_a_measurement(void **state)
{
	struct measurement m;
	struct point p;

	(void)state;
	memset(&p, 0x5a, sizeof(p));
	p.run_id = 7;
	p.point_id = 9;
	begin(&m, RW_RANDREAD, 2);
	complete(&m, 1, DIR_READ, 1000);
	m.seq = 5;
	m.flags = FLAG_BIT(FLAG_SPLIT);
	m.reason = xstrdup("because");
	m.start_wall_ns = 11;
	m.end_wall_ns = 12;
	m.ramp_ns = NS_PER_S;
	m.drain_ns = NS_PER_S / 2;
	m.depth_mean = 7.5;
	m.depth_max = 8;
	m.worker[0].cpu_user_ns = 3 * NS_PER_S;
	m.worker[0].cpu_sys_ns = 2 * NS_PER_S;
	m.worker[1].cpu_user_ns = 10 * NS_PER_S;
	m.before = (struct dev_counters){.is_known = true, .busy_ms = 1000};
	m.after = (struct dev_counters){.is_known = true, .busy_ms = 6000};
	m.counters_ns = 10 * NS_PER_S;
	measurement_to_point(&m, &p);
	assert_int_equal(p.run_id, 7);
	assert_int_equal(p.point_id, 9);
	assert_int_equal(p.seq, 5);
	assert_int_equal(p.spec.workers, 2);
	assert_int_equal(p.status, POINT_OK);
	assert_int_equal(p.flags, FLAG_BIT(FLAG_SPLIT));
	assert_false(p.imported);
	assert_string_equal(p.reason, "because");
	assert_ptr_not_equal(p.reason, m.reason);
	assert_int_equal(p.start_wall_ns, 11);
	assert_int_equal(p.end_wall_ns, 12);
	assert_within(p.window_s, 10, 0);
	assert_within(p.ramp_s, 1, 0);
	assert_within(p.drain_s, 0.5, 0);
	assert_within(p.depth_mean, 7.5, 0);
	assert_within(p.depth_max, 8, 0);
	assert_within(p.util_pct, 50, 1e-9);
	assert_within(p.cpu_pct, 150, 1e-9);
	assert_within(p.dir[DIR_TOTAL].iops, 0.1, 1e-12);
	assert_within(p.dir[DIR_READ].iops, 0.1, 1e-12);
	assert_unknown(p.dir[DIR_WRITE].iops);
	point_release(&p);
	measurement_release(&m);
}

static double util_of(struct measurement *m, uint64_t before_ms, uint64_t after_ms)
{
	struct point p = {0};

	m->before.busy_ms = before_ms;
	m->after.busy_ms = after_ms;
	measurement_to_point(m, &p);
	point_release(&p);
	return p.util_pct;
}

static void test_utilisation(void **state)
{
	struct measurement m;

	(void)state;
	begin(&m, RW_RANDREAD, 1);
	m.counters_ns = NS_PER_S;
	assert_unknown(util_of(&m, 0, 500));
	m.before.is_known = m.after.is_known = true;
	assert_within(util_of(&m, 0, 500), 50, 1e-9);
	assert_within(util_of(&m, 5, 5), 0, 0);
	assert_within(util_of(&m, 0, 1004), 100, 0);
	assert_unknown(util_of(&m, 500, 0));
	m.counters_ns = 0;
	assert_unknown(util_of(&m, 0, 500));
	measurement_release(&m);
}

static void test_point_that_never_ran(void **state)
{
	struct point_spec spec = spec_of(RW_RANDREAD, 4);
	struct measurement m;
	struct point p = {0};

	(void)state;
	measurement_init(&m, &spec);
	m.status = POINT_SKIPPED;
	measurement_to_point(&m, &p);
	assert_int_equal(p.status, POINT_SKIPPED);
	assert_null(p.reason);
	assert_unknown(p.depth_mean);
	assert_unknown(p.depth_max);
	assert_unknown(p.util_pct);
	assert_unknown(p.cpu_pct);
	assert_unknown(p.dir[DIR_TOTAL].ios);
	assert_unknown(p.dir[DIR_TOTAL].iops);
	assert_int_equal(measurement_sums(&m, DIR_TOTAL).ios, 0);
	point_release(&p);
	measurement_release(&m);
}

/* Mean 200 and deviation 100 of reads at worker 0; of worker 1 one read only, which has none. */
static void test_deviation_of_a_worker(void **state)
{
	struct measurement m;

	(void)state;
	begin(&m, RW_RANDRW, 2);
	complete(&m, 0, DIR_READ, 100);
	complete(&m, 0, DIR_READ, 200);
	complete(&m, 0, DIR_READ, 300);
	complete(&m, 0, DIR_WRITE, 600);
	complete(&m, 1, DIR_READ, 7);
	assert_close(worker_lat_sd_ns(&m.worker[0], DIR_READ), 100, 1e-9);
	assert_unknown(worker_lat_sd_ns(&m.worker[0], DIR_WRITE));
	/* Of 100, 200, 300 and 600: the squares are 140000 above those of the mean, 300. */
	assert_close(worker_lat_sd_ns(&m.worker[0], DIR_TOTAL), sqrt(140000 / 3.0), 1e-9);
	assert_unknown(worker_lat_sd_ns(&m.worker[1], DIR_READ));
	assert_int_equal(worker_sums(&m.worker[0], DIR_TOTAL).lat_ns, 1200);
	m.worker[0].lat_sq_ns2[DIR_WRITE] = UNKNOWN;
	assert_unknown(worker_lat_sd_ns(&m.worker[0], DIR_TOTAL));
	measurement_release(&m);
}

/* A slow worker among fast ones: equal latencies of a whole day still have a deviation of 0. */
static void test_deviation_of_many_equal_latencies(void **state)
{
	struct worker_result w = {0};

	(void)state;
	w.dir[DIR_READ].ios = 1000000000;
	w.dir[DIR_READ].lat_ns = 86400ULL * 1000000000;
	w.lat_sq_ns2[DIR_READ] = 1e9 * 86400.0 * 86400.0;
	assert_true(worker_lat_sd_ns(&w, DIR_READ) < 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("a measurement begins empty and can be released twice",
			    test_init_and_release),
		titled_test("a flag carries the figures behind it", test_flags),
		titled_test("directions are kept apart and total is both", test_figures_of_a_mix),
		titled_test("a direction that was not asked for has no figures",
			    test_direction_not_asked),
		titled_test("nothing completed: 0 IOPS and no latency", test_nothing_completed),
		titled_test("percentiles never fall and stay within the extremes",
			    test_percentiles_are_ordered),
		titled_test("the error of a fast point is that of its series",
			    test_errors_of_a_fast_point),
		titled_test("intervals are merged to 20 I/Os", test_intervals_are_merged),
		titled_test("fewer than 40 intervals give no error", test_few_intervals),
		titled_test("warm-up is left out of the error if enough remains",
			    test_warm_up_is_left_out),
		titled_test("intervals without variance do not make an error of 0",
			    test_error_of_equal_intervals),
		titled_test("a failed point has a count, and no figures",
			    failed_point_has_no_figures),
		titled_test("a point row holds all that follows from the measurement",
			    test_point_of_a_measurement),
		titled_test("the deviation of a worker is that of its own latencies",
			    test_deviation_of_a_worker),
		titled_test("equal latencies have no deviation, however many",
			    test_deviation_of_many_equal_latencies),
		titled_test("utilisation is the busy share, 100 % at most", test_utilisation),
		titled_test("a point that never ran has no figures", test_point_that_never_ran),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
