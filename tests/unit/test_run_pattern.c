/* SPDX-License-Identifier: MIT */
#include "run/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static struct point_spec spec_of(enum rw_mode rw, uint64_t bs, uint64_t blocks, uint64_t offset)
{
	struct point_spec s = {
		.rw = rw,
		.iodepth = 1,
		.workers = 1,
		.rwmixread_pct = rw_is_mixed(rw) ? 70
				 : rw_reads(rw)	 ? 100
						 : 0,
		.random_pct = rw_is_random(rw) ? 100 : 0,
		.bs_bytes = bs,
		.span_bytes = blocks * bs,
		.offset_bytes = offset,
		.repeat = 1,
	};

	return s;
}

static struct pattern pattern_of(const struct point_spec *s, unsigned worker, uint64_t seed)
{
	struct pattern p;

	pattern_init(&p, s, worker, pattern_seed(seed, 0, s, worker));
	return p;
}

static uint64_t offset_of(struct pattern *p, const struct point_spec *s, enum dir dir)
{
	return s->offset_bytes + pattern_place(p, &p->rng, dir);
}

static void random_offsets_are_uniform_over_exactly_the_span(void **state)
{
	enum { BLOCKS = 1000, DRAWS = 200000 };
	struct point_spec s = spec_of(RW_RANDREAD, 4096, BLOCKS, 1048576);
	struct pattern p = pattern_of(&s, 0, 7);
	double expected = (double)DRAWS / BLOCKS, chi2 = 0;
	unsigned *count = calloc(BLOCKS, sizeof(*count));

	(void)state;
	assert_non_null(count);
	for (int i = 0; i < DRAWS; i++) {
		uint64_t off = offset_of(&p, &s, DIR_READ);

		assert_true(off >= s.offset_bytes);
		assert_true(off + s.bs_bytes <= s.offset_bytes + s.span_bytes);
		assert_int_equal((off - s.offset_bytes) % s.bs_bytes, 0);
		count[(off - s.offset_bytes) / s.bs_bytes]++;
	}
	for (int i = 0; i < BLOCKS; i++)
		chi2 += (count[i] - expected) * (count[i] - expected) / expected;
	free(count);
	/* 999 degrees of freedom: mean 999, standard deviation 45; this is +-5 of those. */
	assert_true(chi2 > 775 && chi2 < 1223);
}

static void as_many_draws_as_blocks_touch_63_per_cent_of_them(void **state)
{
	enum { BLOCKS = 16384 };
	struct point_spec s = spec_of(RW_RANDREAD, 4096, BLOCKS, 0);
	struct pattern p = pattern_of(&s, 0, 11);
	unsigned char *seen = calloc(BLOCKS, 1);
	unsigned touched = 0;

	(void)state;
	assert_non_null(seen);
	for (int i = 0; i < BLOCKS; i++)
		seen[offset_of(&p, &s, DIR_READ) / 4096] = 1;
	for (int i = 0; i < BLOCKS; i++)
		touched += seen[i];
	free(seen);
	assert_in_range(touched, 0.617 * BLOCKS, 0.647 * BLOCKS);
}

static void a_span_of_100_tb_is_drawn_from_to_its_end(void **state)
{
	uint64_t blocks = 100ULL * 1000 * 1000 * 1000 * 1000 / 4096;
	struct point_spec s = spec_of(RW_RANDREAD, 4096, blocks, 0);
	struct pattern p = pattern_of(&s, 0, 3);
	uint64_t low = UINT64_MAX, high = 0;

	(void)state;
	for (int i = 0; i < 10000; i++) {
		uint64_t off = offset_of(&p, &s, DIR_READ);

		low = off < low ? off : low;
		high = off > high ? off : high;
	}
	assert_true(low < s.span_bytes / 1000);
	assert_true(high > s.span_bytes - s.span_bytes / 1000);
	assert_true(high + 4096 <= s.span_bytes);
}

static void plain_places_are_those_of_the_general_way(void **state)
{
	struct point_spec s = spec_of(RW_RANDREAD, 4096, 1000, 0);
	struct pattern a = pattern_of(&s, 0, 7), b = a;

	(void)state;
	assert_true(a.is_plain);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(pattern_plain_place(&a, &a.rng),
				 pattern_place(&b, &b.rng, DIR_READ));
	s = spec_of(RW_RANDWRITE, 4096, 1000, 0);
	assert_false(pattern_of(&s, 0, 7).is_plain);
	s = spec_of(RW_READ, 4096, 1000, 0);
	assert_false(pattern_of(&s, 0, 7).is_plain);
}

static void one_worker_walks_the_span_in_order_and_round_again(void **state)
{
	struct point_spec s = spec_of(RW_READ, 65536, 3, 512);
	struct pattern p = pattern_of(&s, 0, 1);
	uint64_t first = (offset_of(&p, &s, DIR_READ) - 512) / 65536;

	(void)state;
	assert_true(first < 3);
	for (uint64_t i = 1; i < 9; i++)
		assert_int_equal(offset_of(&p, &s, DIR_READ), 512 + (first + i) % 3 * 65536);
}

/* Or whatever the point before has read comes out of the target's cache. */
static void sequential_points_begin_at_different_places(void **state)
{
	enum { BLOCKS = 1000000 };
	struct point_spec s = spec_of(RW_READ, 65536, BLOCKS, 0);
	uint64_t last = UINT64_MAX;

	(void)state;
	for (s.iodepth = 1; s.iodepth <= 64; s.iodepth *= 2) {
		struct pattern p = pattern_of(&s, 0, 1);
		uint64_t at = offset_of(&p, &s, DIR_READ);

		assert_true(at < s.span_bytes);
		assert_true(at != last);
		last = at;
	}
}

static void sequential_workers_have_slices_that_cover_the_span_once(void **state)
{
	enum { BLOCKS = 103, WORKERS = 4 };
	struct point_spec s = spec_of(RW_WRITE, 4096, BLOCKS, 0);
	unsigned seen[BLOCKS] = {0};

	(void)state;
	s.workers = WORKERS;
	for (unsigned w = 0; w < WORKERS; w++) {
		struct pattern p = pattern_of(&s, w, 1);

		for (uint64_t i = 0; i < p.slice_blocks; i++)
			seen[offset_of(&p, &s, DIR_WRITE) / 4096]++;
	}
	for (int i = 0; i < BLOCKS; i++)
		assert_int_equal(seen[i], 1);
}

static void more_workers_than_blocks_stay_inside_the_span(void **state)
{
	struct point_spec s = spec_of(RW_RW, 4096, 3, 8192);

	(void)state;
	s.workers = 8;
	for (unsigned w = 0; w < 8; w++) {
		struct pattern p = pattern_of(&s, w, 1);

		for (int i = 0; i < 20; i++) {
			uint64_t off = offset_of(&p, &s, pattern_dir(&p, &p.rng));

			assert_in_range(off, 8192, 8192 + 2 * 4096);
		}
	}
}

static void a_mix_keeps_its_ratio_and_pure_modes_are_pure(void **state)
{
	enum { DRAWS = 100000 };
	const struct {
		uint32_t pct;
		double low, high;
	} cases[] = {{100, 1, 1}, {70, 0.69, 0.71}, {30, 0.29, 0.31}, {1, 0.008, 0.012}, {0, 0, 0}};

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct point_spec s = spec_of(RW_RANDRW, 4096, 1000, 0);
		struct pattern p;
		int reads = 0;

		s.rwmixread_pct = cases[c].pct;
		p = pattern_of(&s, 0, 5);
		for (int i = 0; i < DRAWS; i++)
			reads += pattern_dir(&p, &p.rng) == DIR_READ;
		assert_true(reads >= cases[c].low * DRAWS && reads <= cases[c].high * DRAWS);
	}
}

static void random_pct_mixes_random_with_sequential(void **state)
{
	enum { DRAWS = 50000 };
	struct point_spec s = spec_of(RW_RANDREAD, 4096, 1000000, 0);
	struct pattern p;
	uint64_t expected;
	int sequential = 0;

	(void)state;
	s.random_pct = 25;
	p = pattern_of(&s, 0, 5);
	/* The walk begins anywhere. */
	expected = p.next[DIR_READ] * 4096;
	for (int i = 0; i < DRAWS; i++) {
		if (offset_of(&p, &s, DIR_READ) == expected) {
			sequential++;
			expected += 4096;
		}
	}
	assert_in_range(sequential, 0.74 * DRAWS, 0.76 * DRAWS);
}

static int equal_offsets(const struct point_spec *a, const struct point_spec *b, uint64_t seed_a,
			 uint64_t seed_b)
{
	struct pattern pa = pattern_of(a, 0, seed_a), pb = pattern_of(b, 0, seed_b);
	int equal = 0;

	for (int i = 0; i < 200; i++)
		equal += pattern_place(&pa, &pa.rng, DIR_READ) ==
			 pattern_place(&pb, &pb.rng, DIR_READ);
	return equal;
}

static void sequences_differ_by_point_and_seed_and_repeat_with_both(void **state)
{
	struct point_spec a = spec_of(RW_RANDREAD, 4096, 16384, 0), b = a;

	(void)state;
	b.iodepth = 2;
	assert_int_equal(equal_offsets(&a, &a, 1, 1), 200);
	assert_in_range(equal_offsets(&a, &b, 1, 1), 0, 9);
	assert_in_range(equal_offsets(&a, &a, 1, 2), 0, 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_offsets_are_uniform_over_exactly_the_span),
		cmocka_unit_test(as_many_draws_as_blocks_touch_63_per_cent_of_them),
		cmocka_unit_test(a_span_of_100_tb_is_drawn_from_to_its_end),
		cmocka_unit_test(plain_places_are_those_of_the_general_way),
		cmocka_unit_test(one_worker_walks_the_span_in_order_and_round_again),
		cmocka_unit_test(sequential_points_begin_at_different_places),
		cmocka_unit_test(sequential_workers_have_slices_that_cover_the_span_once),
		cmocka_unit_test(more_workers_than_blocks_stay_inside_the_span),
		cmocka_unit_test(a_mix_keeps_its_ratio_and_pure_modes_are_pure),
		cmocka_unit_test(random_pct_mixes_random_with_sequential),
		cmocka_unit_test(sequences_differ_by_point_and_seed_and_repeat_with_both),
	};

	return cmocka_run_group_tests_name("run/pattern", tests, NULL, NULL);
}
