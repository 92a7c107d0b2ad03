/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/rng.h"
#include "stats/hist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct hist h, other, copy;

/* Any number of significant bits is equally likely, so that every octave is met. */
static uint64_t any_octave(struct rng *r)
{
	return rng_next(r) >> rng_below(r, 64);
}

static void test_buckets_tile_the_range(void **state)
{
	(void)state;
	assert_int_equal(hist_bucket_low(0), 0);
	for (unsigned i = 0; i + 1 < HIST_NR; i++)
		assert_true(hist_bucket_low(i + 1) == hist_bucket_high(i) + 1);
	assert_true(hist_bucket_high(HIST_NR - 1) == UINT64_MAX);
	for (unsigned i = 0; i < HIST_NR; i++) {
		assert_int_equal(hist_index(hist_bucket_low(i)), i);
		assert_int_equal(hist_index(hist_bucket_high(i)), i);
	}
}

static void test_worst_error(void **state)
{
	double worst = 0;
	struct rng r;

	(void)state;
	rng_seed(&r, 1);
	for (int i = 0; i < 1000000; i++) {
		uint64_t v = i < HIST_NR ? hist_bucket_low((unsigned)i) : any_octave(&r);
		unsigned index = hist_index(v);
		double low = (double)hist_bucket_low(index), high = (double)hist_bucket_high(index);

		assert_true(index < HIST_NR);
		assert_true(hist_bucket_low(index) <= v && v <= hist_bucket_high(index));
		if (v < 128)
			assert_true(hist_bucket_low(index) == v && hist_bucket_high(index) == v);
		else
			worst = fmax(worst, fabs((low + high) / 2 - (double)v) / (double)v);
	}
	assert_true(worst < 0.01);
	assert_true(worst > 0.007); /* else the worst was not met */
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Integer ceiling of nr x per_mille / 1000. */
static size_t rank_of(size_t nr, size_t per_mille)
{
	return (nr * per_mille + 999) / 1000;
}

static void check_quantiles(uint64_t *v, size_t nr)
{
	double last = 0;

	hist_init(&h);
	for (size_t i = 0; i < nr; i++)
		hist_add(&h, v[i]);
	qsort(v, nr, sizeof(*v), by_value);
	for (size_t pm = 1; pm <= 999; pm++) {
		double got = hist_quantile(&h, (double)pm / 1000);

		assert_close(got, (double)v[rank_of(nr, pm) - 1], 0.01);
		assert_true(got >= last);
		last = got;
	}
	assert_within(hist_quantile(&h, 0), (double)v[0], 0);
	assert_within(hist_quantile(&h, 1), (double)v[nr - 1], 0);
}

static void test_quantiles(void **state)
{
	static uint64_t v[20000];
	struct rng r;

	(void)state;
	rng_seed(&r, 2);
	for (size_t nr = 1; nr <= NR(v); nr = nr * 3 + 1) {
		for (size_t i = 0; i < nr; i++)
			v[i] = any_octave(&r);
		check_quantiles(v, nr);
		for (size_t i = 0; i < nr; i++)
			v[i] = 100000 + rng_below(&r, 3000000);
		check_quantiles(v, nr);
	}
}

static void test_ends_are_exact(void **state)
{
	(void)state;
	hist_init(&h);
	for (uint64_t v = 1; v <= 10; v++)
		hist_add(&h, v * 1000003);
	assert_within(hist_quantile(&h, 0.05), 1000003, 0);
	assert_within(hist_quantile(&h, 0.99), 10000030, 0);
	assert_within(hist_quantile(&h, 0.999), 10000030, 0);
	hist_init(&h);
	hist_add(&h, UINT64_MAX);
	assert_within(hist_quantile(&h, 0.5), (double)UINT64_MAX, 0);
}

static void test_mean_and_deviation(void **state)
{
	double mean = 0, sq = 0;
	static uint64_t v[10000];
	struct rng r;

	(void)state;
	rng_seed(&r, 3);
	hist_init(&h);
	for (size_t i = 0; i < NR(v); i++) {
		v[i] = 50000 + rng_below(&r, 1000000);
		mean += (double)v[i] / NR(v);
		hist_add(&h, v[i]);
	}
	for (size_t i = 0; i < NR(v); i++)
		sq += ((double)v[i] - mean) * ((double)v[i] - mean);
	assert_close(hist_mean(&h), mean, 1e-12);
	assert_close(hist_stddev(&h), sqrt(sq / (NR(v) - 1)), 1e-9);
	assert_int_equal(h.count, NR(v));
}

/* Latencies of a load that nobody could serve add up to more than 64 bits hold. */
static void test_sum_runs_over(void **state)
{
	struct hist *one = xmalloc(sizeof(*one)), *both = xmalloc(sizeof(*both));
	uint64_t v = 1ULL << 60; /* 36 years */

	(void)state;
	hist_init(one);
	hist_init(both);
	for (unsigned i = 0; i < 7; i++)
		hist_add(one, v);
	assert_int_equal(one->sum, 7 * v);
	for (unsigned i = 0; i < 33; i++) {
		hist_add(one, v);
		hist_cap_sum(one);
	}
	assert_int_equal(one->sum, HIST_SUM_MAX);
	assert_true(fabs(hist_mean(one) / (double)v - 1) < 0.01);
	hist_merge(both, one);
	hist_merge(both, one);
	assert_int_equal(both->sum, HIST_SUM_MAX);
	assert_true(fabs(hist_mean(both) / (double)v - 1) < 0.01);
	assert_true(hist_stddev(both) < 0.01 * (double)v);
	free(both);
	free(one);
}

static void test_empty(void **state)
{
	(void)state;
	hist_init(&h);
	assert_unknown(hist_quantile(&h, 0.5));
	assert_unknown(hist_quantile(&h, 0));
	assert_unknown(hist_mean(&h));
	assert_unknown(hist_stddev(&h));
	assert_unknown(hist_share_above(&h, 1));
	hist_add(&h, 7);
	assert_unknown(hist_stddev(&h));
	assert_within(hist_mean(&h), 7, 0);
	hist_add(&h, 7);
	assert_within(hist_stddev(&h), 0, 0);
}

static void test_share_above(void **state)
{
	(void)state;
	hist_init(&h);
	for (uint64_t v = 1; v <= 100; v++)
		hist_add(&h, v);
	assert_within(hist_share_above(&h, 0), 1, 0);
	assert_within(hist_share_above(&h, 75), 0.25, 1e-12);
	assert_within(hist_share_above(&h, 100), 0, 0);
}

static void test_merge(void **state)
{
	static struct hist all;
	struct rng r;

	(void)state;
	rng_seed(&r, 4);
	hist_init(&all);
	hist_init(&h);
	hist_init(&other);
	hist_init(&copy);
	for (int i = 0; i < 30000; i++) {
		/* Squares of values below 2^18 add up exactly in any order. */
		uint64_t v = (rng_next(&r) >> 46) >> rng_below(&r, 18);

		hist_add(&all, v);
		hist_add(i % 3 ? &h : &other, v);
	}
	hist_merge(&h, &copy);
	hist_merge(&copy, &other);
	hist_merge(&copy, &h);
	assert_memory_equal(&copy, &all, sizeof(all));
}

static void pack(const struct hist *src, struct buf *b)
{
	buf_reset(b);
	hist_pack(src, b);
}

static void test_pack_round_trip(void **state)
{
	struct buf b = BUF_INIT;
	struct rng r;

	(void)state;
	rng_seed(&r, 5);
	for (int round = 0; round < 200; round++) {
		hist_init(&h);
		for (uint64_t nr = rng_below(&r, 3000); nr; nr--)
			hist_add(&h, any_octave(&r) >> 12);
		if (round % 2)
			hist_add(&h, 0);
		pack(&h, &b);
		memset(&copy, 0xff, sizeof(copy));
		assert_true(hist_unpack(&copy, b.text, b.len));
		assert_memory_equal(&copy, &h, sizeof(h));
	}
	hist_init(&h);
	for (unsigned i = 0; i < HIST_NR; i++)
		hist_add(&h, hist_bucket_high(i));
	pack(&h, &b);
	assert_true(hist_unpack(&copy, b.text, b.len));
	assert_memory_equal(&copy, &h, sizeof(h));
	hist_init(&h);
	pack(&h, &b);
	assert_true(hist_unpack(&copy, b.text, b.len));
	assert_int_equal(copy.count, 0);
	buf_release(&b);
}

/* The bytes in memory of exactly their size, so that the sanitizer sees a read behind them. */
static bool unpack_exact(const void *data, size_t len)
{
	void *exact = xmalloc(len ? len : 1);
	bool ok;

	memcpy(exact, data, len);
	ok = hist_unpack(&copy, exact, len);
	free(exact);
	return ok;
}

static void test_unpack_truncated(void **state)
{
	struct buf b = BUF_INIT;
	struct rng r;

	(void)state;
	rng_seed(&r, 6);
	hist_init(&h);
	for (int i = 0; i < 500; i++)
		hist_add(&h, any_octave(&r) >> 12);
	pack(&h, &b);
	for (size_t len = 0; len < b.len; len++)
		assert_false(unpack_exact(b.text, len));
	buf_addch(&b, 0);
	assert_false(unpack_exact(b.text, b.len));
	buf_release(&b);
}

/* What every histogram that was recorded obeys. */
static bool is_consistent(const struct hist *x)
{
	uint64_t total = 0;
	unsigned first = HIST_NR, last = 0;

	for (unsigned i = 0; i < HIST_NR; i++) {
		total += x->bucket[i];
		if (x->bucket[i]) {
			first = i < first ? i : first;
			last = i;
		}
	}
	if (!x->count)
		return !total && !x->sum && x->min == UINT64_MAX && !x->max;
	return total == x->count && x->min <= x->max && hist_index(x->min) == first &&
	       hist_index(x->max) == last && isfinite(x->sum_sq) && x->sum_sq >= 0;
}

static void test_unpack_damaged(void **state)
{
	struct buf b = BUF_INIT;
	int accepted = 0;
	struct rng r;

	(void)state;
	rng_seed(&r, 7);
	hist_init(&h);
	for (int i = 0; i < 50; i++)
		hist_add(&h, 1000 + rng_below(&r, 100000));
	for (int round = 0; round < 20000; round++) {
		pack(&h, &b);
		for (uint64_t nr = 1 + rng_below(&r, 3); nr; nr--)
			b.text[rng_below(&r, b.len)] ^= (char)(1 + rng_below(&r, 255));
		if (unpack_exact(b.text, b.len)) {
			accepted++;
			assert_true(is_consistent(&copy));
		}
	}
	/* A changed sum is as good a sum; most damage must be seen. */
	assert_true(accepted < 20000 / 2);
	buf_release(&b);
}

static void test_unpack_random(void **state)
{
	unsigned char bytes[200];
	struct rng r;

	(void)state;
	rng_seed(&r, 8);
	for (int round = 0; round < 100000; round++) {
		size_t len = rng_below(&r, sizeof(bytes) + 1);

		rng_fill(&r, bytes, len);
		if (len && round % 4)
			bytes[0] = 1;
		for (size_t i = 1; round % 3 && i < len; i++)
			bytes[i] &= 0x0f;
		if (unpack_exact(bytes, len))
			assert_true(is_consistent(&copy));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("buckets tile the whole uint64 range", test_buckets_tile_the_range),
		titled_test("the worst error is below 1 %", test_worst_error),
		titled_test("quantiles are those of the sorted values", test_quantiles),
		titled_test("the smallest and the largest value are exact", test_ends_are_exact),
		titled_test("mean and deviation are those of the values", test_mean_and_deviation),
		titled_test("an empty histogram has no figures", test_empty),
		titled_test("the share above a value is counted", test_share_above),
		titled_test("a sum that runs over stays at its end, and the mean is true",
			    test_sum_runs_over),
		titled_test("merging equals recording all in one", test_merge),
		titled_test("packing and unpacking changes nothing", test_pack_round_trip),
		titled_test("a truncated form is refused", test_unpack_truncated),
		titled_test("a damaged form is refused or still consistent", test_unpack_damaged),
		titled_test("random bytes are refused or consistent", test_unpack_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
