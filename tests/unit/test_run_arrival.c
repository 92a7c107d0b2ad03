/* SPDX-License-Identifier: MIT */
/* Intended starts against their distributions. Fixed seeds; sizes are chosen so that a right
 * generator is 4 standard errors or more inside. */
#include "run/arrival.h"

#include "base/mem.h"
#include "unit.h"

#include <stdlib.h>

#define START	1000000007ULL
#define NR_GAPS 200000

static void test_constant_does_not_drift(void **state)
{
	/* 1 s / 7000 is no whole number of ns. */
	struct arrival a;

	(void)state;
	arrival_init(&a, ARRIVALS_CONSTANT, 7000, 1, 0, 1, START);
	for (uint64_t i = 1; i <= 7000ULL * 100; i++) {
		double want = (double)i * 1e9 / 7000;

		assert_within((double)(a.next_ns - START), want, 1.001);
		arrival_advance(&a);
	}
}

static void test_constant_workers_take_turns(void **state)
{
	struct arrival a[3];
	uint64_t last = START;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		arrival_init(&a[i], ARRIVALS_CONSTANT, 900, 3, i, 7 + i, START);
	for (unsigned n = 0; n < 9000; n++) {
		struct arrival *first = &a[n % 3];

		assert_within((double)(first->next_ns - last), 1e9 / 900, 2);
		last = first->next_ns;
		arrival_advance(first);
	}
}

/* nr gaps of one worker; the caller frees them. */
static double *draw_gaps(double rate, uint64_t seed, size_t nr)
{
	double *gap = xcalloc(nr, sizeof(*gap));
	uint64_t last = START;
	struct arrival a;

	arrival_init(&a, ARRIVALS_POISSON, rate, 1, 0, seed, START);
	for (size_t i = 0; i < nr; i++) {
		gap[i] = (double)(a.next_ns - last);
		last = a.next_ns;
		arrival_advance(&a);
	}
	return gap;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void test_poisson_gaps_are_exponential(void **state)
{
	double *gap = draw_gaps(5000, 42, NR_GAPS), mean = 0, sq = 0, distance = 0;

	(void)state;
	for (size_t i = 0; i < NR_GAPS; i++) {
		mean += gap[i] / NR_GAPS;
		sq += gap[i] * gap[i] / NR_GAPS;
	}
	assert_close(mean, 200000, 0.01);
	assert_close(sqrt(sq - mean * mean), 200000, 0.02);
	/* Kolmogorov-Smirnov: 1.95 / sqrt(n) is passed in 999 of 1000. */
	qsort(gap, NR_GAPS, sizeof(*gap), compare);
	for (size_t i = 0; i < NR_GAPS; i++)
		distance = fmax(distance, fabs(-expm1(-gap[i] / 200000) - (double)i / NR_GAPS));
	assert_true(distance < 1.95 / sqrt(NR_GAPS));
	free(gap);
}

static void test_poisson_gaps_are_independent(void **state)
{
	double *gap = draw_gaps(5000, 43, NR_GAPS), sum = 0;

	(void)state;
	for (size_t i = 1; i < NR_GAPS; i++)
		sum += (gap[i] - 200000) * (gap[i - 1] - 200000);
	assert_within(sum / NR_GAPS / (200000.0 * 200000.0), 0, 4 / sqrt(NR_GAPS));
	free(gap);
}

/* Counts of a Poisson stream have a variance that equals their mean. */
static void test_workers_together_are_poisson(void **state)
{
	enum { BINS = 20000, WORKERS = 4 };
	double mean = 0, sq = 0;
	unsigned *count = xcalloc(BINS, sizeof(*count));

	(void)state;
	for (unsigned w = 0; w < WORKERS; w++) {
		struct arrival a;

		arrival_init(&a, ARRIVALS_POISSON, 2000, WORKERS, w, 100 + w, START);
		for (uint64_t bin; (bin = (a.next_ns - START) / 5000000) < BINS;
		     arrival_advance(&a))
			count[bin]++;
	}
	for (size_t i = 0; i < BINS; i++) {
		mean += (double)count[i] / BINS;
		sq += (double)count[i] * count[i] / BINS;
	}
	assert_close(mean, 10, 0.01);
	assert_close((sq - mean * mean) / mean, 1, 0.04);
	free(count);
}

static void test_seeds(void **state)
{
	double *a = draw_gaps(100, 1, 50), *b = draw_gaps(100, 1, 50), *c = draw_gaps(100, 2, 50);

	(void)state;
	assert_memory_equal(a, b, 50 * sizeof(*a));
	assert_memory_not_equal(a, c, 50 * sizeof(*a));
	free(a);
	free(b);
	free(c);
}

/* Another worker, or a late one, does not begin with a burst. */
static void test_late_begin_owes_nothing(void **state)
{
	struct arrival late, all;

	(void)state;
	for (enum arrivals k = 0; k < ARRIVALS_NR; k++) {
		arrival_init(&late, k, 100000, 1, 0, 5, START);
		arrival_init(&all, k, 100000, 1, 0, 5, START);
		arrival_skip_before(&late, START + 50000000);
		assert_true(late.next_ns >= START + 50000000);
		while (all.next_ns < START + 50000000)
			arrival_advance(&all);
		assert_int_equal(late.next_ns, all.next_ns);
	}
}

static void test_count_until(void **state)
{
	struct arrival a;

	(void)state;
	arrival_init(&a, ARRIVALS_CONSTANT, 1000, 1, 0, 1, START);
	assert_int_equal(arrival_count_until(&a, START + 999999), 0);
	assert_int_equal(arrival_count_until(&a, START + 1000000), 1);
	assert_int_equal(arrival_count_until(&a, START + 1000000), 0);
	assert_int_equal(arrival_count_until(&a, START + 11500000), 10);
	assert_int_equal(a.next_ns, START + 12000000);
	/* A day of 10 million IOPS is estimated. */
	arrival_init(&a, ARRIVALS_POISSON, 1e7, 1, 0, 1, START);
	assert_close((double)arrival_count_until(&a, START + 86400000000000ULL), 8.64e11, 0.001);
	assert_true(a.next_ns > START + 86400000000000ULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("constant arrivals hold their rate to the ns for 100 s",
			    test_constant_does_not_drift),
		titled_test("constant arrivals of several workers are evenly spaced",
			    test_constant_workers_take_turns),
		titled_test("poisson gaps have the exponential distribution",
			    test_poisson_gaps_are_exponential),
		titled_test("poisson gaps do not depend on each other",
			    test_poisson_gaps_are_independent),
		titled_test("poisson workers together are a poisson stream of the whole rate",
			    test_workers_together_are_poisson),
		titled_test("a seed repeats its stream, another gives another", test_seeds),
		titled_test("who begins late does not begin with a burst",
			    test_late_begin_owes_nothing),
		titled_test("what is left until the end is counted", test_count_until),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
