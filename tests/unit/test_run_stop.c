/* SPDX-License-Identifier: MIT */
/* When a point may end, on series whose truth is known. Fixed seeds. */
#include "run/stop.h"

#include "base/rng.h"
#include "unit.h"

#include <stdlib.h>

#define MS 1000000.0

/* A series of nr intervals with ios(i) completions of 2 ms each; the caller frees it. */
static struct interval *make_series(size_t nr, double (*ios)(size_t i, struct rng *rng))
{
	struct interval *series = calloc(nr, sizeof(*series));
	struct rng rng;

	assert_non_null(series);
	rng_seed(&rng, 42);
	for (size_t i = 0; i < nr; i++) {
		series[i].ios[DIR_READ] = (uint32_t)ios(i, &rng);
		series[i].lat_ns[DIR_READ] = (uint64_t)(2 * MS * series[i].ios[DIR_READ]);
	}
	return series;
}

static struct stop_state judge(size_t nr, double precision, double (*ios)(size_t, struct rng *))
{
	struct interval *series = make_series(nr, ios);
	struct stop_state st = stop_judge(series, nr, precision);

	free(series);
	return st;
}

/* Uniform over base +- width. */
static double around(struct rng *rng, uint64_t base, uint64_t width)
{
	return (double)(base - width + rng_below(rng, 2 * width + 1));
}

static double steady(size_t i, struct rng *rng)
{
	(void)i;
	return around(rng, 400, 20);
}

/* 0.1 % more in each interval: 30 % over 300 of them. */
static double drifting(size_t i, struct rng *rng)
{
	return around(rng, 400 + 2 * i / 5, 20);
}

static double noisy(size_t i, struct rng *rng)
{
	(void)i;
	return around(rng, 400, 390);
}

/* A write cache that is full after 40 or 200 intervals: then a quarter of the speed is left. */
static double early_cliff(size_t i, struct rng *rng)
{
	return i < 40 ? around(rng, 1600, 20) : around(rng, 400, 20);
}

static double late_cliff(size_t i, struct rng *rng)
{
	return i < 200 ? around(rng, 1600, 20) : around(rng, 400, 20);
}

/* 2 I/Os in 100 ms: ten intervals make one of 20 I/Os. */
static double slow(size_t i, struct rng *rng)
{
	(void)i;
	return around(rng, 2, 1);
}

static double nothing(size_t i, struct rng *rng)
{
	(void)i;
	(void)rng;
	return 0;
}

static void a_steady_series_is_precise(void **state)
{
	struct stop_state st = judge(300, .02, steady);

	(void)state;
	assert_int_equal(st.answer, STOP_PRECISE);
	/* Standard error of 300 uniform values: 20 / sqrt(3) / sqrt(300) = 0.67 of 400. */
	assert_within(st.iops_half, 2.093 * .67 / 400, .0015);
	assert_within(st.lat_half, 0, 1e-9);
}

static void fewer_than_200_intervals_are_not_judged(void **state)
{
	(void)state;
	assert_int_equal(judge(199, .02, steady).answer, STOP_NOT_YET);
	assert_int_equal(judge(200, .02, steady).answer, STOP_PRECISE);
	assert_int_equal(judge(0, .02, steady).answer, STOP_NOT_YET);
	assert_unknown(judge(199, .02, steady).iops_half);
}

static void a_drift_is_not_steady_however_narrow_the_interval(void **state)
{
	(void)state;
	assert_int_equal(judge(300, .5, drifting).answer, STOP_UNSTEADY);
}

static void an_early_cliff_is_warm_up_and_a_late_one_is_not_steady(void **state)
{
	(void)state;
	assert_int_equal(judge(300, .02, early_cliff).answer, STOP_PRECISE);
	assert_int_equal(judge(300, .5, late_cliff).answer, STOP_UNSTEADY);
}

static void noise_wider_than_the_precision_is_imprecise(void **state)
{
	struct stop_state st = judge(300, .02, noisy);

	(void)state;
	assert_int_equal(st.answer, STOP_IMPRECISE);
	assert_true(st.iops_half > .02);
	assert_int_equal(judge(300, .2, noisy).answer, STOP_PRECISE);
}

static void a_slow_device_needs_intervals_of_20_ios(void **state)
{
	(void)state;
	/* 1900 intervals of 2 I/Os merge to 190. */
	assert_int_equal(judge(1900, .2, slow).answer, STOP_NOT_YET);
	assert_int_not_equal(judge(2300, .2, slow).answer, STOP_NOT_YET);
}

static void a_series_without_io_is_not_judged(void **state)
{
	(void)state;
	assert_int_equal(judge(1000, .02, nothing).answer, STOP_NOT_YET);
}

static void reads_and_writes_count_together(void **state)
{
	struct interval *series = make_series(300, steady);

	(void)state;
	/* Every read that is missing is a write: the sum is as steady as before. */
	for (size_t i = 0; i < 300; i++) {
		uint32_t all = series[i].ios[DIR_READ], reads = i % 2 ? all : all / 4;

		series[i].ios[DIR_READ] = reads;
		series[i].ios[DIR_WRITE] = all - reads;
		series[i].lat_ns[DIR_WRITE] = (uint64_t)(2 * MS * (all - reads));
		series[i].lat_ns[DIR_READ] = (uint64_t)(2 * MS * reads);
	}
	assert_int_equal(stop_judge(series, 300, .02).answer, STOP_PRECISE);
	free(series);
}

static double normal(struct rng *r)
{
	double u = ((double)(rng_next(r) >> 11) + 1) / 9007199254740993.0;
	double v = (double)(rng_next(r) >> 11) / 9007199254740992.0;

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

#define SEQ_MIN 200
#define SEQ_MAX 1200

/* AR(1) counts around 1000, of a relative standard deviation of sd, at a depth of 8. */
static void fill_ar1(struct interval *series, double phi, double sd, struct rng *r)
{
	double y = normal(r), step = sqrt(1 - phi * phi);

	for (size_t i = 0; i < SEQ_MAX; i++) {
		series[i].ios[DIR_READ] = (uint32_t)lround(1000 * (1 + sd * y));
		series[i].lat_ns[DIR_READ] = (uint64_t)(8 * 100 * MS);
		y = phi * y + step * normal(r);
	}
}

/* The figures of a measurement whose window was the first nr intervals, as they are stored. */
static void figures_of(struct interval *series, size_t nr, struct figures *f)
{
	struct point_spec spec = {
		.rw = RW_RANDREAD, .workers = 1, .iodepth = 8, .rwmixread_pct = 100};
	struct worker_result w = {.iodepth = 8};
	struct measurement m;
	struct hist h;

	hist_init(&h);
	measurement_init(&m, &spec);
	for (size_t i = 0; i < nr; i++) {
		w.dir[DIR_READ].ios += series[i].ios[DIR_READ];
		w.dir[DIR_READ].lat_ns += series[i].lat_ns[DIR_READ];
	}
	m.worker = &w;
	m.lat[DIR_READ] = &h;
	m.series = series;
	m.nr_intervals = nr;
	m.interval_ns = 100000000;
	m.window_ns = nr * m.interval_ns;
	measurement_figures(&m, DIR_TOTAL, f);
}

/* Judged once a second, as the runner does, until it is precise or the time is over. Share of the
 * 95 % intervals, as they are stored and shown, that hold the true IOPS; and of those that ended early. */
static double sequential_coverage(double phi, double sd, double *early)
{
	struct interval *series = calloc(SEQ_MAX, sizeof(*series));
	const unsigned nr_series = 1500;
	unsigned hits = 0, ended = 0;
	struct rng r;

	assert_non_null(series);
	rng_seed(&r, 20150506);
	for (unsigned s = 0; s < nr_series; s++) {
		size_t nr = SEQ_MIN;
		struct figures f;

		fill_ar1(series, phi, sd, &r);
		while (nr < SEQ_MAX && stop_judge(series, nr, .02).answer != STOP_PRECISE)
			nr += 10;
		figures_of(series, nr, &f);
		ended += nr < SEQ_MAX;
		hits += fabs(f.iops - 10000) <= 1.959964 * f.iops_se_rel * f.iops;
	}
	free(series);
	*early = (double)ended / nr_series;
	return (double)hits / nr_series;
}

/* D41, of the rule that looks again and again. */
static void the_sequential_rule_covers_the_truth(void **state)
{
	static const struct {
		double phi, sd, low;
	} rows[] = {{0, .1, .90}, {.5, .1, .90}, {.8, .06, .90}, {.9, .05, .87}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double early, share = sequential_coverage(rows[i].phi, rows[i].sd, &early);

		if (share < rows[i].low || share > .985 || early < .5)
			print_error("phi %g: %g, %g early\n", rows[i].phi, share, early);
		assert_true(share >= rows[i].low);
		assert_true(share <= .985);
		/* Else the rule would not have been at work. */
		assert_true(early >= .5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("a steady series is precise, with the width that theory gives",
			    a_steady_series_is_precise),
		titled_test("fewer than 200 intervals are not judged",
			    fewer_than_200_intervals_are_not_judged),
		titled_test("a drift is not steady, however narrow the interval",
			    a_drift_is_not_steady_however_narrow_the_interval),
		titled_test("an early cliff is cut off as warm-up, a late one is not steady",
			    an_early_cliff_is_warm_up_and_a_late_one_is_not_steady),
		titled_test("noise wider than the precision asked for is imprecise",
			    noise_wider_than_the_precision_is_imprecise),
		titled_test("a slow device needs intervals of 20 I/Os",
			    a_slow_device_needs_intervals_of_20_ios),
		titled_test("a series without I/O is not judged",
			    a_series_without_io_is_not_judged),
		titled_test("reads and writes count together", reads_and_writes_count_together),
		titled_test("intervals of the sequential rule hold the truth as often as they say",
			    the_sequential_rule_covers_the_truth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
