/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/rng.h"
#include "stats/ci.h"

#include <stdlib.h>

#define GOLDEN 1e-5
#define PI     3.14159265358979323846

/* The golden series: a slow wave, and a step that looks random. */
static double wave(size_t t)
{
	return 1000 + 50 * sin(2 * PI * (double)t / 37) +
	       20 * ((double)((t * 7919) % 101) - 50) / 50;
}

static void fill_wave(double *x, size_t nr)
{
	for (size_t t = 0; t < nr; t++)
		x[t] = wave(t);
}

static void test_t_quantile(void **state)
{
	static const double rows[][2] = {
		{1, 12.706205},	  {1.5, 8.504429},   {2.859, 3.34039519}, {10, 2.228139},
		{19, 2.093024},	  {39, 2.022691},    {40, 2.021075},	  {41, 2.01950333},
		{60, 2.00028588}, {120, 1.97992893}, {1000, 1.96233909},
	};

	(void)state;
	for (size_t i = 0; i < NR(rows); i++)
		assert_close(t975(rows[i][0]), rows[i][1], 1e-7);
	for (double df = 1; df < 80; df += 0.25)
		assert_true(t975(df + 0.25) < t975(df));
}

static void test_golden_batches(void **state)
{
	static const struct {
		size_t n, batches, size;
		double mean, half, lag1, se_rel, range, slope, drift, drift_half;
	} rows[] = {
		{200, 25, 8, 1002.657432, 18.32516136, 0.2601123785, 0.00885537158, 0.003566803363,
		 0.003649312885, -0.0002411118281, 0.05225704728},
		{640, 20, 32, 1000.549742, 5.753076857, 0.672228332, 0.002747181057, 0.008247565585,
		 0.00132865816, -0.001896309528, 0.02186476299},
		{1000, 31, 32, 1000.181661, 4.464245441, 0.6688582899, 0.002185524069,
		 0.005333020354, 0.00298366218, -0.003332765908, 0.01198829311},
	};
	double x[1000];

	(void)state;
	fill_wave(x, NR(x));
	for (size_t i = 0; i < NR(rows); i++) {
		struct batches b;
		struct mean_ci ci;
		struct steady s;

		batches_init(&b);
		for (size_t t = 0; t < rows[i].n; t++)
			batches_add(&b, x[t]);
		assert_int_equal(b.nr, rows[i].batches);
		assert_int_equal(b.size, rows[i].size);
		ci = batch_means_ci(b.mean, b.nr);
		assert_close(ci.mean, rows[i].mean, GOLDEN);
		assert_close(ci.half, rows[i].half, GOLDEN);
		assert_close(ci.lag1, rows[i].lag1, GOLDEN);
		assert_close(ci.se_rel, rows[i].se_rel, GOLDEN);
		assert_close(series_se_rel(x, rows[i].n), rows[i].se_rel, GOLDEN);
		assert_int_equal(mser5(x, rows[i].n), 0);
		s = series_steady(x, rows[i].n);
		assert_true(s.is_steady);
		assert_close(s.range, rows[i].range, GOLDEN);
		assert_close(s.slope, rows[i].slope, GOLDEN);
		assert_close(s.drift, rows[i].drift, GOLDEN);
		assert_close(s.drift_half, rows[i].drift_half, GOLDEN);
	}
}

static void test_golden_warm_up(void **state)
{
	struct steady s;
	double x[400];

	(void)state;
	for (size_t t = 0; t < NR(x); t++)
		x[t] = wave(t) + 400 * exp(-(double)t / 20);
	assert_int_equal(mser5(x, NR(x)), 55);
	s = series_steady(x, NR(x));
	assert_true(s.is_steady);
	assert_int_equal(s.skip, 55);
}

static void test_golden_drift_and_cliff(void **state)
{
	struct steady s;
	double x[400];

	(void)state;
	for (size_t t = 0; t < NR(x); t++)
		x[t] = wave(t) * (1 - 0.3 * (double)t / 400);
	s = series_steady(x, NR(x));
	assert_false(s.is_steady);
	assert_int_equal(s.reason, STEADY_WARM_UP);
	assert_int_equal(s.skip, 200);

	for (size_t t = 0; t < NR(x); t++)
		x[t] = wave(t) * (t < 240 ? 1 : 0.6);
	s = series_steady(x, NR(x));
	assert_false(s.is_steady);
	assert_int_equal(s.reason, STEADY_SNIA);
	assert_within(s.range, 0.482, 0.0005);
}

/* Level on the whole, but one round lies low. */
static void test_range_of_rounds(void **state)
{
	struct steady s;
	double x[400];

	(void)state;
	for (size_t t = 0; t < NR(x); t++)
		x[t] = t / 80 == 2 ? 770 : 1000;
	s = series_steady(x, NR(x));
	assert_int_equal(s.reason, STEADY_SNIA);
	assert_within(s.range, 230 / 954.0, 1e-9);
	assert_within(s.slope, 0, 1e-9);
	for (size_t t = 0; t < NR(x); t++)
		x[t] = t / 80 == 2 ? 830 : 1000;
	assert_true(series_steady(x, NR(x)).is_steady);

	/* A small cliff is a slope of 16 % though the range is below 20 %. */
	for (size_t t = 0; t < NR(x); t++)
		x[t] = t < 240 ? 1000 : 870;
	s = series_steady(x, NR(x));
	assert_int_equal(s.reason, STEADY_SNIA);
	assert_within(s.slope, 156 / 948.0, 1e-9);
	assert_true(s.range < 0.2);
}

/* A slope too small for the rounds, on a series without noise that could explain it. */
static void test_slow_drift(void **state)
{
	struct steady s;
	double x[400];

	(void)state;
	for (size_t t = 0; t < NR(x); t++)
		x[t] = 1000 + 0.1 * (double)t + (t / 5 % 2 ? 15 : -15);
	s = series_steady(x, NR(x));
	assert_int_equal(s.reason, STEADY_DRIFT);
	assert_within(s.drift, 0.0373, 0.001);
	assert_true(s.drift_half < 0.02);
}

static void test_golden_ratio(void **state)
{
	double ios[640], lat[640];

	(void)state;
	for (size_t t = 0; t < NR(ios); t++) {
		ios[t] = 50 + (double)((t * 31) % 7);
		lat[t] = ios[t] * (2000 + (double)((t * 17) % 13));
	}
	assert_close(ratio_se_rel(lat, ios, NR(ios)), 1.68676699e-05, GOLDEN);
	/* The same in other units. */
	for (size_t t = 0; t < NR(ios); t++)
		lat[t] *= 1e6;
	assert_close(ratio_se_rel(lat, ios, NR(ios)), 1.68676699e-05, GOLDEN);
	/* What only follows the count has no error of its own. */
	for (size_t t = 0; t < NR(ios); t++)
		lat[t] = 3 * ios[t];
	assert_within(ratio_se_rel(lat, ios, NR(ios)), 0, 1e-12);
}

static void test_constant_series(void **state)
{
	struct steady s;
	double x[300];

	(void)state;
	for (size_t t = 0; t < NR(x); t++)
		x[t] = 1000.0 / 3;
	assert_int_equal(mser5(x, NR(x)), 0);
	assert_within(series_se_rel(x, NR(x)), 0, 1e-12);
	s = series_steady(x, NR(x));
	assert_true(s.is_steady);
	assert_within(s.range, 0, 1e-12);
}

static void test_short_and_empty_series(void **state)
{
	double x[40] = {0}, one[40];

	(void)state;
	for (size_t t = 0; t < NR(one); t++)
		one[t] = 1 + (double)(t % 3);
	assert_unknown(series_se_rel(one, 39));
	assert_true(series_se_rel(one, 40) >= 0);
	assert_unknown(ratio_se_rel(one, one, 39));
	assert_true(ratio_se_rel(one, one, 40) >= 0);
	/* Nothing completed. */
	assert_unknown(series_se_rel(x, NR(x)));
	assert_unknown(ratio_se_rel(x, x, NR(x)));
	assert_int_equal(series_steady(x, NR(x)).reason, STEADY_SNIA);
	for (size_t nr = 0; nr < 20; nr++) {
		assert_int_equal(series_steady(one, nr).reason, STEADY_SHORT);
		assert_false(series_steady(one, nr).is_steady);
		assert_true(mser5(one, nr) <= nr / 2);
	}
	assert_unknown(batch_means_ci(one, 0).half);
	assert_unknown(batch_means_ci(one, 1).half);
	assert_true(batch_means_ci(one, 2).half >= 0);
}

static void test_batches_stay_between_20_and_39(void **state)
{
	struct batches b;

	(void)state;
	batches_init(&b);
	for (size_t t = 1; t <= 100000; t++) {
		double sum = 0;

		batches_add(&b, (double)(t % 10));
		assert_true(b.nr < BATCHES_MAX);
		if (t >= BATCHES_MAX)
			assert_true(b.nr >= BATCHES_MAX / 2);
		assert_int_equal(b.nr * b.size + b.in_acc, t);
		if (t % 9973)
			continue;
		for (size_t i = 0; i < b.nr; i++)
			sum += b.mean[i];
		assert_within(sum / (double)b.nr, 4.5, 0.01);
	}
}

static double normal(struct rng *r)
{
	double u = ((double)(rng_next(r) >> 11) + 1) / 9007199254740993.0;
	double v = (double)(rng_next(r) >> 11) / 9007199254740992.0;

	return sqrt(-2 * log(u)) * cos(2 * PI * v);
}

/* Share of series of 300 values around 1000 whose 95 % interval holds 1000. */
static double coverage(double phi, size_t series)
{
	size_t hits = 0;
	struct rng r;

	rng_seed(&r, 20150506);
	for (size_t i = 0; i < series; i++) {
		double y = normal(&r) / sqrt(1 - phi * phi);
		struct mean_ci ci;
		struct batches b;

		batches_init(&b);
		for (int t = 0; t < 300; t++) {
			batches_add(&b, 1000 + 20 * y);
			y = phi * y + normal(&r);
		}
		ci = batch_means_ci(b.mean, b.nr);
		hits += fabs(ci.mean - 1000) <= ci.half;
	}
	return (double)hits / (double)series;
}

/* D41. The upper bounds catch an interval that holds because it is far too wide. */
static void test_coverage(void **state)
{
	static const struct {
		double phi, low, high;
	} rows[] = {{0, 0.90, 0.985}, {0.5, 0.90, 0.985}, {0.8, 0.90, 0.985}, {0.9, 0.87, 0.985}};

	(void)state;
	for (size_t i = 0; i < NR(rows); i++) {
		double share = coverage(rows[i].phi, 1500);

		assert_true(share >= rows[i].low);
		assert_true(share <= rows[i].high);
	}
}

/* The relative errors of counts and of mean latency agree where the depth is held (R = N/X). */
static void test_latency_error_is_that_of_iops(void **state)
{
	double ios[400], lat[400], se_x, se_r;
	struct rng r;

	(void)state;
	rng_seed(&r, 5);
	for (size_t t = 0; t < NR(ios); t++) {
		ios[t] = 500 + 30 * normal(&r);
		lat[t] = 8 * 0.1;
	}
	se_x = series_se_rel(ios, NR(ios));
	se_r = ratio_se_rel(lat, ios, NR(ios));
	assert_close(se_r, se_x, 0.1);
	assert_close(se_x, 0.06 / 20, 0.4);
}

static void test_rounds_by_themselves(void **state)
{
	const double level[] = {100, 109, 95, 104, 100}, cliff[] = {900, 850, 200, 190, 195},
		     slope[] = {100, 103, 106, 109, 112}, none[] = {0, 0, 0, 0, 0};
	double range, change;

	(void)state;
	assert_true(rounds_steady(level, &range, &change));
	assert_close(range, 14 / 101.6, 1e-9);
	assert_false(rounds_steady(cliff, &range, &change));
	assert_true(range > 1);
	/* The range alone would let it pass. */
	assert_false(rounds_steady(slope, &range, &change));
	assert_close(range, 12 / 106.0, 1e-9);
	assert_close(change, 12 / 106.0, 1e-9);
	assert_false(rounds_steady(none, &range, &change));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("Student's t falls to the normal quantile", test_t_quantile),
		titled_test("the golden series give the golden intervals", test_golden_batches),
		titled_test("a warm-up is cut where the golden series has it", test_golden_warm_up),
		titled_test("a drift and a cliff are not steady", test_golden_drift_and_cliff),
		titled_test("rounds that differ by 20 % or slope by 10 % are not steady",
			    test_range_of_rounds),
		titled_test("five rounds are judged by themselves", test_rounds_by_themselves),
		titled_test("a slow drift beyond its error is not steady", test_slow_drift),
		titled_test("the ratio estimator gives the golden error", test_golden_ratio),
		titled_test("a constant series is exact and steady", test_constant_series),
		titled_test("short and empty series give no figure", test_short_and_empty_series),
		titled_test("there are always 20 to 39 batches",
			    test_batches_stay_between_20_and_39),
		titled_test("intervals hold the truth as often as they say", test_coverage),
		titled_test("at a held depth latency is as precise as IOPS",
			    test_latency_error_is_that_of_iops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
