/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/mem.h"
#include "base/rng.h"

#include <string.h>

static void test_known_sequences(void **state)
{
	/* Published outputs: splitmix64 of 1234567, and xoshiro256** from the state 1, 2, 3, 4. */
	static const uint64_t splitmix[] = {6457827717110365317ULL, 3203168211198807973ULL,
					    9817491932198370423ULL, 4593380528125082431ULL};
	static const uint64_t xoshiro[] = {11520, 0, 1509978240, 1215971899390074240ULL};
	struct rng r;

	(void)state;
	rng_seed(&r, 1234567);
	for (size_t i = 0; i < NR(splitmix); i++)
		assert_true(r.s[i] == splitmix[i]);
	r = (struct rng){{1, 2, 3, 4}};
	for (size_t i = 0; i < NR(xoshiro); i++)
		assert_true(rng_next(&r) == xoshiro[i]);
}

static void test_seed_repeats(void **state)
{
	struct rng a, b, c;
	int same = 0;

	(void)state;
	rng_seed(&a, 42);
	rng_seed(&b, 42);
	rng_seed(&c, 43);
	for (int i = 0; i < 1000; i++) {
		uint64_t v = rng_next(&a);

		assert_true(v == rng_next(&b));
		same += v == rng_next(&c);
	}
	assert_int_equal(same, 0);
}

/* Chi-square of draws below n in bins of equal width; the last bin may be narrower. */
static double chi_square(struct rng *r, uint64_t n, size_t bins, size_t draws)
{
	size_t count[1024] = {0};
	uint64_t width = n / bins + (n % bins != 0);
	double chi = 0;

	for (size_t i = 0; i < draws; i++) {
		uint64_t v = rng_below(r, n);

		assert_true(v < n);
		count[v / width]++;
	}
	for (size_t i = 0; i < bins; i++) {
		uint64_t low = i * width, high = low + width < n ? low + width : n;
		double want = (double)draws * (double)(high - low) / (double)n;

		chi += pow((double)count[i] - want, 2) / want;
	}
	return chi;
}

static void test_uniform(void **state)
{
	/* The last is 3/4 of 2^64: plain multiply-and-shift or modulo would miss or favour a
	 * third of its values. */
	static const struct {
		uint64_t n;
		size_t bins;
	} rows[] = {
		{1000, 1000}, {7, 7}, {3 << 10, 768}, {1000003, 997}, {3ULL << 62, 999},
	};
	struct rng r;

	(void)state;
	rng_seed(&r, 9);
	for (size_t i = 0; i < NR(rows); i++) {
		double df = (double)rows[i].bins - 1;
		double chi = chi_square(&r, rows[i].n, rows[i].bins, 500000);

		/* Four standard deviations either way: too even is no more random. */
		assert_true(chi < df + 4 * sqrt(2 * df) + 8);
		assert_true(chi > df - 4 * sqrt(2 * df));
	}
}

static void test_small_ranges(void **state)
{
	struct rng r;

	(void)state;
	rng_seed(&r, 10);
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(rng_below(&r, 1), 0);
		assert_true(rng_below(&r, UINT64_MAX) < UINT64_MAX);
	}
}

static void test_every_value_is_drawn(void **state)
{
	bool seen[100] = {false};
	struct rng r;

	(void)state;
	rng_seed(&r, 11);
	for (int i = 0; i < 5000; i++)
		seen[rng_below(&r, NR(seen))] = true;
	for (size_t i = 0; i < NR(seen); i++)
		assert_true(seen[i]);
}

static void test_fill(void **state)
{
	unsigned char a[64], b[64];
	struct rng r, s;

	(void)state;
	for (size_t len = 0; len <= 40; len++) {
		size_t ones = 0;

		memset(a, 0, sizeof(a));
		memset(b, 0, sizeof(b));
		rng_seed(&r, len);
		rng_seed(&s, len);
		rng_fill(&r, a, len);
		rng_fill(&s, b, len);
		assert_memory_equal(a, b, sizeof(a));
		for (size_t i = len; i < sizeof(a); i++)
			assert_int_equal(a[i], 0);
		for (size_t i = 0; i < len; i++)
			ones += (size_t)__builtin_popcount(a[i]);
		if (len >= 32)
			assert_in_range(ones, len * 8 / 2 - len, len * 8 / 2 + len);
	}
}

static void test_drawn_seeds_differ(void **state)
{
	uint64_t a = rng_draw_seed(), b = rng_draw_seed();

	(void)state;
	assert_true(a != b);
	assert_true(a <= INT64_MAX && b <= INT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("the sequences are the published ones", test_known_sequences),
		titled_test("a seed repeats its sequence, another does not", test_seed_repeats),
		titled_test("draws are uniform and never out of range", test_uniform),
		titled_test("ranges of one and of nearly all values work", test_small_ranges),
		titled_test("every value of a range is drawn", test_every_value_is_drawn),
		titled_test("filling is repeatable and stays within its bounds", test_fill),
		titled_test("drawn seeds differ and fit a signed integer", test_drawn_seeds_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
