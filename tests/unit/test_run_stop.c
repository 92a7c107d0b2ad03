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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
