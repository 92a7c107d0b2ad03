/* SPDX-License-Identifier: MIT */
/* Plans: expansion on a target, what is refused and what is skipped, order, and estimates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/mem.h"
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

#define MIB (1ULL << 20)

/* Sector 512, no limits known. */
static struct target_info target_of(uint64_t size_bytes)
{
	return (struct target_info){.size_bytes = size_bytes, .logical_block_bytes = 512};
}

static int try_plan(const char *yaml, const struct target_info *t, uint64_t seed, struct sweep *s,
		    struct plan *p, struct err *e)
{
	sweep_init(s);
	*p = (struct plan){0};
	if (sweep_parse(s, "s.yaml", yaml, strlen(yaml), e) || sweep_finish(s, e))
		fail_msg("%s", e->msg);
	return plan_make(s, t, seed, p, e);
}

/* The plan of a sweep that must be fine; the caller releases it. */
static struct plan make(const char *yaml, const struct target_info *t, uint64_t seed)
{
	struct err e = {0};
	struct sweep s;
	struct plan p;

	if (try_plan(yaml, t, seed, &s, &p, &e))
		fail_msg("%s", e.msg);
	sweep_release(&s);
	return p;
}

static void expect_error(const char *yaml, const struct target_info *t, const char *message)
{
	struct err e = {0};
	struct sweep s;
	struct plan p;

	if (!try_plan(yaml, t, 1, &s, &p, &e))
		fail_msg("accepted: %s", yaml);
	assert_string_equal(e.msg, message);
	sweep_release(&s);
	plan_release(&p);
}

static size_t measured(const struct plan *p)
{
	return p->nr - p->nr_skipped;
}

static bool is_at(const struct plan_point *p, uint64_t bs_bytes, uint32_t span_e4)
{
	return p->spec.bs_bytes == bs_bytes && (!span_e4 || p->spec.span_e4 == span_e4);
}

/* The first point of this block size and (unless 0) per cent span. */
static const struct plan_point *find_bs(const struct plan *p, uint64_t bs_bytes, uint32_t span_e4)
{
	size_t i = 0;

	while (i < p->nr && !is_at(&p->v[i], bs_bytes, span_e4))
		i++;
	assert_true(i < p->nr);
	return &p->v[i];
}

static void duplicates_are_planned_once_and_in_numeric_order(void **state)
{
	struct target_info t = target_of(64 * MIB);
	struct plan p =
		make("axes: {iodepth: [16,1,4,4,64], bs: [64k, 4k, 65536]}\norder: listed", &t, 1);
	static const uint32_t depths[] = {1, 4, 16, 64};

	(void)state;
	assert_int_equal(p.nr, 8);
	for (size_t i = 0; i < p.nr; i++) {
		assert_int_equal(p.v[i].seq, i + 1);
		assert_int_equal(p.v[i].spec.iodepth, depths[i / 2]);
		assert_int_equal(p.v[i].spec.bs_bytes, i % 2 ? 65536 : 4096);
	}
	plan_release(&p);
}

static void axes_without_meaning_for_a_mode_make_no_points(void **state)
{
	struct target_info t = target_of(64 * MIB);
	struct plan p = make("axes: {rw: [read, write, randread, randwrite, rw, randrw],\n"
			     "  rwmixread: [30, 70], random_pct: [50, 100]}\norder: listed\n"
			     "mix_order: as-listed",
			     &t, 1);
	static const struct {
		enum rw_mode rw;
		uint32_t mix, random;
	} expected[] = {
		{RW_READ, 100, 0},	 {RW_WRITE, 0, 0},	{RW_RANDREAD, 100, 50},
		{RW_RANDREAD, 100, 100}, {RW_RANDWRITE, 0, 50}, {RW_RANDWRITE, 0, 100},
		{RW_RW, 30, 0},		 {RW_RW, 70, 0},	{RW_RANDRW, 30, 50},
		{RW_RANDRW, 30, 100},	 {RW_RANDRW, 70, 50},	{RW_RANDRW, 70, 100},
	};

	(void)state;
	assert_int_equal(p.nr, NR(expected));
	for (size_t i = 0; i < p.nr; i++) {
		assert_int_equal(p.v[i].spec.rw, expected[i].rw);
		assert_int_equal(p.v[i].spec.rwmixread_pct, expected[i].mix);
		assert_int_equal(p.v[i].spec.random_pct, expected[i].random);
	}
	plan_release(&p);
}

static void blocks_of_axes_are_joined_without_duplicates(void **state)
{
	struct target_info t = target_of(64 * MIB);
	struct plan p = make("axes:\n- {rw: read, bs: 32k, iodepth: [1, 4]}\n"
			     "- {rw: write, bs: 32k}\n- {rw: [read, write], bs: 32k}\n"
			     "- {rw: randrw, bs: 4k, rwmixread: 50}",
			     &t, 1);

	(void)state;
	assert_int_equal(p.nr, 4);
	plan_release(&p);
}

static void a_per_cent_and_the_same_bytes_are_one_point(void **state)
{
	struct target_info t = target_of(64 * MIB);
	struct plan p = make("axes: {span: [50%, 32m, 100%]}", &t, 1);

	(void)state;
	assert_int_equal(p.nr, 2);
	assert_int_equal(p.v[0].spec.span_bytes, 32 * MIB);
	assert_int_equal(p.v[0].spec.span_e4, 500000);
	plan_release(&p);
}

static void spans_stay_within_the_target_in_whole_blocks(void **state)
{
	struct target_info t = target_of(64 * MIB), odd = target_of(10000384);
	struct plan p;

	(void)state;
	/* O-05 a: one 4k more than 16 blocks of 64k */
	p = make("axes: {rw: [write, randwrite], bs: 64k, span: 1052672}\noffset: 16m", &t, 1);
	assert_int_equal(p.nr, 2);
	assert_int_equal(p.v[0].spec.span_bytes, 16 * 65536);
	assert_int_equal(p.v[0].spec.offset_bytes, 16 * MIB);
	plan_release(&p);
	/* O-05 d */
	p = make("axes: {bs: [4k, 64k, 1m]}", &odd, 1);
	assert_int_equal(find_bs(&p, 4096, 0)->spec.span_bytes, 2441 * 4096);
	assert_int_equal(find_bs(&p, 65536, 0)->spec.span_bytes, 152 * 65536);
	assert_int_equal(find_bs(&p, MIB, 0)->spec.span_bytes, 9 * MIB);
	plan_release(&p);
}

static void spans_beyond_the_target_are_errors_at_their_place(void **state)
{
	struct target_info t = target_of(64 * MIB);

	(void)state;
	/* O-05 b, c, e */
	expect_error("axes:\n  span: [1m, 128m]", &t,
		     "s.yaml:2:14: span 128m is larger than the target, 67108864 bytes");
	expect_error("axes:\n  span: 32m\noffset: 48m", &t,
		     "s.yaml:2:9: span 32m from offset 48m ends beyond the target: 50331648 + "
		     "33554432 is more than 67108864 bytes");
	expect_error("axes:\n  bs: [64k, 8k]\n  span: 4k", &t,
		     "s.yaml:3:9: span 4k is 4096 bytes here, less than one block of any bs");
	expect_error("offset: 64m", &t,
		     "s.yaml:1:9: offset 64m is not below the size of the "
		     "target, 67108864 bytes");
	expect_error("offset: 50%", &t,
		     "span 100% from offset 50% ends beyond the target: 33554432 + 67108864 is "
		     "more than 67108864 bytes");
}

static void per_cents_are_rounded_down_to_whole_blocks(void **state)
{
	struct target_info t = target_of(10000384);
	struct plan p =
		make("axes: {rw: write, bs: [4k, 128k], span: [1%, 10%, 33%, 100%]}", &t, 1);

	(void)state;
	/* O-08 */
	assert_int_equal(p.nr, 8);
	assert_int_equal(p.nr_skipped, 1);
	assert_int_equal(find_bs(&p, 4096, 10000)->spec.span_bytes, 98304);
	assert_int_equal(find_bs(&p, 4096, 100000)->spec.span_bytes, 999424);
	assert_int_equal(find_bs(&p, 4096, 330000)->spec.span_bytes, 3297280);
	assert_int_equal(find_bs(&p, 4096, 1000000)->spec.span_bytes, 9998336);
	assert_int_equal(find_bs(&p, 131072, 100000)->spec.span_bytes, 917504);
	assert_string_equal(find_bs(&p, 131072, 10000)->skip_reason,
			    "span of 100003 bytes is smaller than one block of 131072");
	plan_release(&p);
}

static void a_per_cent_offset_is_whole_blocks_too(void **state)
{
	struct target_info t = target_of(10000384);
	struct plan p = make("axes: {bs: [4k, 128k], span: 50%}\noffset: 10%", &t, 1);

	(void)state;
	assert_int_equal(find_bs(&p, 4096, 0)->spec.offset_bytes, 999424);
	assert_int_equal(find_bs(&p, 131072, 0)->spec.offset_bytes, 917504);
	plan_release(&p);
}

static void per_cents_of_an_unknown_target_are_refused(void **state)
{
	struct target_info t = target_of(0);
	struct plan p = make("axes: {span: 1T}", &t, 1);

	(void)state;
	assert_int_equal(p.nr, 1);
	plan_release(&p);
	expect_error("axes: {span: 10%}", &t,
		     "s.yaml:1:14: span 10% is a part of the target, whose size is not known; name "
		     "the target or its size");
	expect_error("axes: {span: 1T}\noffset: 10%", &t,
		     "s.yaml:2:9: offset 10% is a part of the target, whose size is not known; "
		     "name the target or its size");
}

static void blocks_that_a_4k_device_cannot_do_are_skipped(void **state)
{
	struct target_info t = target_of(32 * MIB);
	struct plan p;

	(void)state;
	/* O-06 */
	t.logical_block_bytes = 4096;
	p = make("axes: {bs: [512, 1k, 2k, 4k, 6k, 8k], iodepth: 4}", &t, 1);
	assert_int_equal(p.nr, 6);
	assert_int_equal(measured(&p), 2);
	assert_int_equal(p.v[0].spec.bs_bytes, 4096);
	assert_int_equal(p.v[1].spec.bs_bytes, 8192);
	assert_int_equal(p.v[5].seq, 6);
	assert_string_equal(find_bs(&p, 6144, 0)->skip_reason,
			    "bs 6144 is not a multiple of the logical block size 4096");
	plan_release(&p);
	expect_error("axes: {bs: [512, 1k]}", &t,
		     "no point of the sweep can be measured on this target: bs 512 is not a "
		     "multiple of the logical block size 4096");
	expect_error("axes: {bs: 4k, span: 50%}\noffset: 512", &t,
		     "no point of the sweep can be measured on this target: offset 512 is not a "
		     "multiple of the logical block size 4096");
}

static void odd_blocks_and_offsets_of_whole_sectors_are_fine(void **state)
{
	struct target_info t = target_of(64 * MIB);
	struct plan p = make("axes: {bs: [1k, 1536, 3m, 4k], span: 50%}\noffset: 512", &t, 1);

	(void)state;
	/* O-07 */
	assert_int_equal(measured(&p), 4);
	for (size_t i = 0; i < p.nr; i++) {
		assert_int_equal(p.v[i].spec.offset_bytes, 512);
		assert_int_equal(p.v[i].spec.span_bytes % p.v[i].spec.bs_bytes, 0);
	}
	assert_int_equal(find_bs(&p, 3 * MIB, 0)->spec.span_bytes, 30 * MIB);
	plan_release(&p);
}

static void a_depth_below_the_number_of_workers_is_skipped(void **state)
{
	struct target_info t = target_of(64 * MIB);
	struct plan p = make("axes: {iodepth: [2, 4, 8], workers: 4}", &t, 1);

	(void)state;
	assert_int_equal(measured(&p), 2);
	assert_string_equal(p.v[2].skip_reason, "iodepth 2 is less than 4 workers");
	plan_release(&p);
}

static void listed_order_nests_the_axes_as_they_were_given(void **state)
{
	struct target_info t = target_of(64 * MIB);
	struct plan p = make("axes: {bs: [8k, 4k], rw: [randwrite, randread], iodepth: [1, 2]}\n"
			     "order: listed\nmix_order: as-listed",
			     &t, 1);

	(void)state;
	for (size_t i = 0; i < 8; i++) {
		assert_int_equal(p.v[i].spec.bs_bytes, i < 4 ? 4096 : 8192);
		assert_int_equal(p.v[i].spec.rw, i / 2 % 2 ? RW_RANDREAD : RW_RANDWRITE);
		assert_int_equal(p.v[i].spec.iodepth, i % 2 + 1);
	}
	plan_release(&p);
}

static void reads_come_before_writes_in_every_order(void **state)
{
	static const char *const orders[] = {"listed", "interleaved", "random"};
	struct target_info t = target_of(64 * MIB);

	(void)state;
	for (size_t o = 0; o < NR(orders); o++) {
		char *yaml = xasprintf("axes: {rw: [randwrite, rw, randread, read], "
				       "iodepth: [1, 2, 4, 8]}\norder: %s",
				       orders[o]);
		struct plan p = make(yaml, &t, 7);

		assert_int_equal(p.nr, 16);
		for (size_t i = 0; i < p.nr; i++)
			assert_int_equal(rw_writes(p.v[i].spec.rw), i >= 8);
		plan_release(&p);
		free(yaml);
	}
}

static void interleaved_order_takes_reading_curves_in_turn_by_depth(void **state)
{
	struct target_info t = target_of(64 * MIB);
	struct plan p = make("axes: {bs: [4k, 64k], iodepth: [8, 1, 2]}", &t, 1);
	static const uint32_t depth[] = {1, 1, 2, 2, 8, 8};

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(p.v[i].spec.iodepth, depth[i]);
		assert_int_equal(p.v[i].spec.bs_bytes, i % 2 ? 65536 : 4096);
	}
	plan_release(&p);
}

static bool same_order(const struct plan *a, const struct plan *b)
{
	for (size_t i = 0; i < a->nr; i++)
		if (point_spec_compare(&a->v[i].spec, &b->v[i].spec) != 0)
			return false;
	return a->nr == b->nr;
}

static void interleaved_order_shuffles_the_depths_of_writing_curves(void **state)
{
	const char *yaml = "axes: {rw: randwrite, bs: [4k, 64k], iodepth: 1..256*2}";
	struct target_info t = target_of(64 * MIB);
	struct plan p = make(yaml, &t, 1), again = make(yaml, &t, 1), other = make(yaml, &t, 2);
	bool ascending = true;
	uint32_t seen[2] = {0};

	(void)state;
	for (size_t i = 0; i < p.nr; i++) {
		size_t curve = i % 2;

		assert_int_equal(p.v[i].spec.bs_bytes, curve ? 65536 : 4096);
		assert_int_equal(seen[curve] & p.v[i].spec.iodepth, 0);
		seen[curve] |= p.v[i].spec.iodepth;
		ascending = ascending && p.v[i].spec.iodepth == 1U << (i / 2);
	}
	assert_int_equal(seen[0], 511);
	assert_int_equal(seen[1], 511);
	assert_false(ascending);
	assert_true(same_order(&p, &again));
	assert_false(same_order(&p, &other));
	plan_release(&p);
	plan_release(&again);
	plan_release(&other);
}

/* Every closed loop that a per cent is of comes before it, in all orders. */
static void rates_follow_the_closed_loops_of_their_curve(void **state)
{
	static const char *const orders[] = {"listed", "interleaved", "random"};
	struct target_info t = target_of(64 * MIB);

	(void)state;
	for (size_t o = 0; o < NR(orders); o++) {
		char *yaml = xasprintf("axes: {rw: [randwrite, randread], iodepth: [1, 8, 64],\n"
				       "  rate: [100%%, 20%%, 300]}\nrepeats: 2\norder: %s",
				       orders[o]);
		struct plan p = make(yaml, &t, 7);
		size_t nr_open = 0;

		/* Three depths and three rates, the latter with the largest depth only. */
		assert_int_equal(p.nr, 2 * 2 * (3 + 3));
		for (size_t i = 0; i < p.nr; i++) {
			assert_int_equal(rw_writes(p.v[i].spec.rw), i >= p.nr / 2);
			assert_int_equal(point_is_open(&p.v[i].spec), i % 12 >= 6);
			if (!point_is_open(&p.v[i].spec))
				continue;
			nr_open++;
			assert_int_equal(p.v[i].spec.iodepth, 64);
		}
		assert_int_equal(nr_open, 12);
		plan_release(&p);
		free(yaml);
	}
}

static void rates_ascend_and_iops_need_no_closed_loop(void **state)
{
	struct target_info t = target_of(64 * MIB);
	struct plan p = make("axes: {rate: [700, 50, 50]}", &t, 7);
	struct plan_limits none = {0};
	struct plan_warnings w = {0};
	struct sweep s;
	struct buf note = BUF_INIT;

	(void)state;
	sweep_init(&s);
	assert_int_equal(sweep_finish(&s, NULL), 0);
	assert_int_equal(p.nr, 2);
	assert_int_equal(p.v[0].spec.rate_ask_iops, 50);
	assert_int_equal(p.v[1].spec.rate_ask_iops, 700);
	assert_int_equal(p.v[1].spec.iodepth, 256);
	/* A limit of what is in flight does not distort by being large. */
	t.nr_requests = 64;
	plan_warn(&p, &s, &t, &none, &w);
	assert_int_equal(w.nr, 0);
	buf_add_plan_note(&note, &p.v[0].spec, &t);
	assert_int_equal(note.len, 0);
	plan_warnings_release(&w);
	plan_release(&p);
	sweep_release(&s);
	buf_release(&note);
}

static void random_order_depends_on_the_seed_and_not_on_the_listing(void **state)
{
	struct target_info t = target_of(64 * MIB);
	struct plan a = make("axes: {bs: [4k, 8k], iodepth: 1..64}\norder: random", &t, 5);
	struct plan b = make("axes: {iodepth: 1..64, bs: [8k, 4k]}\norder: random", &t, 5);
	struct plan c = make("axes: {bs: [4k, 8k], iodepth: 1..64}\norder: random", &t, 6);

	(void)state;
	assert_int_equal(a.nr, 128);
	assert_true(same_order(&a, &b));
	assert_false(same_order(&a, &c));
	plan_release(&a);
	plan_release(&b);
	plan_release(&c);
}

static void repeats_are_points_of_their_own(void **state)
{
	struct target_info t = target_of(64 * MIB);
	struct plan p = make("axes: {iodepth: [1, 2]}\nrepeats: 3", &t, 1);

	(void)state;
	assert_int_equal(p.nr, 6);
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(p.v[i].spec.repeat, i / 2 + 1);
		assert_int_equal(p.v[i].spec.iodepth, i % 2 + 1);
	}
	plan_release(&p);
	p = make("axes: {iodepth: [1, 2]}\nrepeats: 3\norder: listed", &t, 1);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(p.v[i].spec.repeat, i % 3 + 1);
	plan_release(&p);
}

static void too_many_points_are_refused_before_they_are_made(void **state)
{
	struct target_info t = target_of(64 * MIB);

	(void)state;
	expect_error("axes: {iodepth: 1..50000, workers: [1, 2, 3]}", &t,
		     "s.yaml: the axes make more than 100000 points");
	expect_error("axes: {iodepth: 1..30000, workers: 1..1024, rwmixread: 0..100,\n"
		     "  random_pct: 0..100, bs: 512..16m+512}",
		     &t, "s.yaml: the axes make more than 100000 points");
}

static struct plan_totals totals_of(const char *yaml, const struct target_info *t, double iops)
{
	struct plan_totals totals;
	struct err e = {0};
	struct sweep s;
	struct plan p;

	if (try_plan(yaml, t, 1, &s, &p, &e))
		fail_msg("%s", e.msg);
	plan_estimate(&p, &s, iops, &totals);
	sweep_release(&s);
	plan_release(&p);
	return totals;
}

static void the_time_of_a_sweep_is_that_of_its_points(void **state)
{
	struct target_info t = target_of(64 * MIB);
	struct plan_totals n;

	(void)state;
	/* O-44 */
	n = totals_of("axes: {rw: randrw, bs: 4k..64k*2, iodepth: 1..128*2, rwmixread: "
		      "[0,25,50,75,100],\n  span: [10%,20%,30%,40%,50%,100%]}\n"
		      "measure: {runtime: 60s, ramp_time: 1s}\nanchors: never",
		      &t, 1000);
	assert_int_equal(n.nr_points, 1200);
	assert_true(n.window_min_ns == 20 * 3600 * NS_PER_S);
	assert_true(n.window_max_ns == n.window_min_ns);
	assert_true(n.ramp_ns == 1200 * NS_PER_S);
	assert_true(n.time_max_ns == n.window_max_ns + n.ramp_ns + n.overhead_ns);
	n = totals_of("axes: {iodepth: 1..8}\nmeasure: {runtime: 2s, ramp_time: 1s}", &t, 1000);
	assert_true(n.time_max_ns >= 24 * NS_PER_S);
	assert_true(n.time_max_ns <= 26 * NS_PER_S);
	n = totals_of("axes: {iodepth: 1..8}", &t, 1000);
	assert_true(n.window_min_ns == 8 * 20 * NS_PER_S);
	assert_true(n.window_max_ns == 8 * 120 * NS_PER_S);
}

static void anchors_of_writing_curves_are_in_the_time(void **state)
{
	struct target_info t = target_of(64 * MIB);
	struct plan_totals n;

	(void)state;
	/* Two curves of three depths that write, one of two, and one that reads. */
	n = totals_of("axes: [{rw: randwrite, bs: [4k,8k], iodepth: [1,2,4]},\n"
		      " {rw: write, iodepth: [1,2]}, {rw: read, iodepth: [1,2,4]}]\n"
		      "repeats: 2\nmeasure: {runtime: 9s, ramp_time: 900ms}",
		      &t, 1000);
	assert_int_equal(n.nr_points, 22);
	assert_int_equal(n.nr_anchored, 2);
	assert_int_equal(n.nr_perhaps_anchored, 1);
	assert_true(n.time_min_ns == (22 + 2) * 10 * NS_PER_S);
	assert_true(n.time_max_ns == (22 + 4) * 10 * NS_PER_S);
	assert_true(n.time_perhaps_ns == 2 * 10 * NS_PER_S);
	n = totals_of("axes: {rw: read, iodepth: [1,2,4]}\nanchors: always", &t, 1000);
	assert_int_equal(n.nr_anchored, 1);
	assert_int_equal(n.nr_perhaps_anchored, 0);
	assert_true(n.read_max_bytes == 5 * 125.0 * 1000 * 4096);
}

static void bytes_follow_from_the_assumed_speed_and_the_mix(void **state)
{
	struct target_info t = target_of(64 * MIB);
	struct plan_totals n = totals_of("axes: {rw: randrw, rwmixread: 75, bs: 8k}\n"
					 "measure: {runtime: 9s, ramp_time: 1s}",
					 &t, 100);

	(void)state;
	assert_true(n.read_max_bytes == 0.75 * 10 * 100 * 8192);
	assert_true(n.write_max_bytes == 0.25 * 10 * 100 * 8192);
	assert_true(n.read_min_bytes == n.read_max_bytes);
}

static void the_write_region_is_the_union_of_the_spans_that_are_written(void **state)
{
	struct target_info t = target_of(64 * MIB);
	struct plan_totals n = totals_of("axes: [{rw: randwrite, span: [1m, 10m]}, "
					 "{rw: randread, span: 30m}]\noffset: 2m",
					 &t, 1000);

	(void)state;
	assert_true(n.write_region_bytes == 10 * MIB);
	assert_true(n.write_first_byte == 2 * MIB);
	assert_true(n.write_end_byte == 12 * MIB);
	n = totals_of("axes: {rw: randread}", &t, 1000);
	assert_true(n.write_region_bytes == 0);
}

static void buffers_are_counted_per_worker_in_huge_pages(void **state)
{
	struct target_info t = target_of(64 * MIB);

	(void)state;
	assert_true(totals_of("axes: {bs: 4k, iodepth: 1}", &t, 1).buffer_max_bytes == 2 * MIB);
	assert_true(totals_of("axes: {bs: 1m, iodepth: 7, workers: 3}", &t, 1).buffer_max_bytes ==
		    4 * MIB + 2 * 2 * MIB);
}

static void expect_warnings(const char *yaml, const struct target_info *t,
			    const struct plan_limits *limits, const char *const *expected)
{
	struct plan_warnings w = {0};
	struct err e = {0};
	struct sweep s;
	struct plan p;
	size_t nr = 0;

	if (try_plan(yaml, t, 1, &s, &p, &e))
		fail_msg("%s", e.msg);
	plan_warn(&p, &s, t, limits, &w);
	for (; expected[nr]; nr++) {
		assert_true(nr < w.nr);
		assert_string_equal(w.v[nr], expected[nr]);
	}
	assert_int_equal(w.nr, nr);
	plan_warnings_release(&w);
	plan_release(&p);
	sweep_release(&s);
}

static void limits_that_distort_are_told_before_the_run(void **state)
{
	static const char *const expected[] = {
		"iodepth 16 and 64 exceed the host queue limit 4 (nr_requests): the rest will wait "
		"in the host",
		"1m requests are split 16:1 before the device (max_sectors_kb 64)",
		"cgroup limit of 500 reads a second",
		"the target is read-only, and the plan writes",
		"I/O buffers of 64.0 MiB are needed, but only 1.00 MiB of memory are available",
		"iodepth 64 needs as many AIO requests, but the system has 63 left; raise "
		"fs.aio-max-nr",
		"rwmixread has no effect: no rw mode of the sweep is rw or randrw",
		NULL};
	static const char *const none[] = {NULL};
	static const char *const below[] = {"iodepth 128 exceeds the host queue limit 64 (of the "
					    "devices below): the rest will wait in the host",
					    NULL};
	static char throttle[] = "cgroup limit of 500 reads a second";
	struct target_info t = target_of(64 * MIB), plain = t;
	const char *yaml = "axes: {rw: [randread, randwrite], rwmixread: 50, bs: [64k, 1m], "
			   "iodepth: [1, 4, 16, 64]}";

	(void)state;
	/* O-18, O-19 */
	t.nr_requests = 4;
	t.lun_queue_depth = 32;
	t.max_sectors_kb = 64;
	t.throttle = throttle;
	t.is_read_only = true;
	expect_warnings(yaml, &t,
			&(struct plan_limits){.memory_available_bytes = MIB, .aio_free = 63},
			expected);
	expect_warnings("axes: {iodepth: 64, bs: 1m}", &plain, &(struct plan_limits){0}, none);
	plain.nr_requests = 2048;
	plain.below_queue_limit = 64;
	expect_warnings("axes: {iodepth: [64, 128]}", &plain, &(struct plan_limits){0}, below);
	plain.below_queue_limit = 128;
	expect_warnings("axes: {iodepth: [64, 128]}", &plain, &(struct plan_limits){0}, none);
}

static void what_would_answer_instead_of_the_medium_is_told_before_the_run(void **state)
{
	static const char *const unwritten[] = {
		"3.1 % of the blocks to be read were never written, so no medium is asked for "
		"them; fill them first by 'lunsweep prepare --target '/srv/my file' --write-to "
		"IDENTITY'",
		NULL};
	static const char *const cached[] = {
		"the loop device is attached without direct I/O, so its backing store is cached: "
		"the page cache of this host will answer; attach it by losetup --direct-io=on",
		"the file of the loop device is in memory, which is no storage", NULL};
	static const char *const none[] = {NULL};
	static char given[] = "/srv/my file";
	struct target_info t = target_of(64 * MIB);

	(void)state;
	/* O-27, O-28 */
	t.given = given;
	expect_warnings("axes: {iodepth: 1}", &t, &(struct plan_limits){.unwritten_share = 0.031},
			unwritten);
	expect_warnings("axes: {iodepth: 1}", &t, &(struct plan_limits){.unwritten_share = 0.005},
			none);
	t.is_buffered = t.is_memory_below = true;
	expect_warnings("axes: {iodepth: 1}", &t, &(struct plan_limits){0}, cached);
}

static void the_note_of_a_point_names_its_limits(void **state)
{
	struct point_spec spec = {.iodepth = 64, .bs_bytes = MIB};
	struct target_info t = target_of(64 * MIB);
	struct buf b = BUF_INIT;

	(void)state;
	buf_add_plan_note(&b, &spec, &t);
	assert_string_equal(buf_text(&b), "");
	t.lun_queue_depth = 32;
	t.max_sectors_kb = 512;
	buf_add_plan_note(&b, &spec, &t);
	assert_string_equal(buf_text(&b), "above the queue limit 32, split 2:1");
	buf_release(&b);
}

static void a_plan_tells_whether_it_writes_and_needs_a_seed(void **state)
{
	static const struct {
		const char *yaml;
		bool writes, needs_seed;
	} m[] = {
		{"axes: {rw: randread, iodepth: [1, 2]}", false, false},
		{"axes: {rw: randread, iodepth: [1, 2]}\norder: random", false, true},
		{"axes: {rw: randrw, iodepth: [1, 2]}", true, true},
		{"axes: {rw: write, iodepth: [1, 2]}\norder: listed", true, false},
	};
	struct target_info t = target_of(64 * MIB);

	(void)state;
	for (size_t i = 0; i < NR(m); i++) {
		struct err e = {0};
		struct sweep s;
		struct plan p;

		assert_int_equal(try_plan(m[i].yaml, &t, 1, &s, &p, &e), 0);
		assert_int_equal(plan_writes(&p), m[i].writes);
		assert_int_equal(plan_order_needs_seed(&p, &s), m[i].needs_seed);
		plan_release(&p);
		sweep_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(duplicates_are_planned_once_and_in_numeric_order),
		cmocka_unit_test(axes_without_meaning_for_a_mode_make_no_points),
		cmocka_unit_test(blocks_of_axes_are_joined_without_duplicates),
		cmocka_unit_test(a_per_cent_and_the_same_bytes_are_one_point),
		cmocka_unit_test(spans_stay_within_the_target_in_whole_blocks),
		cmocka_unit_test(spans_beyond_the_target_are_errors_at_their_place),
		cmocka_unit_test(per_cents_are_rounded_down_to_whole_blocks),
		cmocka_unit_test(a_per_cent_offset_is_whole_blocks_too),
		cmocka_unit_test(per_cents_of_an_unknown_target_are_refused),
		cmocka_unit_test(blocks_that_a_4k_device_cannot_do_are_skipped),
		cmocka_unit_test(odd_blocks_and_offsets_of_whole_sectors_are_fine),
		cmocka_unit_test(a_depth_below_the_number_of_workers_is_skipped),
		cmocka_unit_test(listed_order_nests_the_axes_as_they_were_given),
		cmocka_unit_test(reads_come_before_writes_in_every_order),
		cmocka_unit_test(interleaved_order_takes_reading_curves_in_turn_by_depth),
		cmocka_unit_test(interleaved_order_shuffles_the_depths_of_writing_curves),
		cmocka_unit_test(rates_follow_the_closed_loops_of_their_curve),
		cmocka_unit_test(rates_ascend_and_iops_need_no_closed_loop),
		cmocka_unit_test(random_order_depends_on_the_seed_and_not_on_the_listing),
		cmocka_unit_test(repeats_are_points_of_their_own),
		cmocka_unit_test(too_many_points_are_refused_before_they_are_made),
		cmocka_unit_test(the_time_of_a_sweep_is_that_of_its_points),
		cmocka_unit_test(anchors_of_writing_curves_are_in_the_time),
		cmocka_unit_test(bytes_follow_from_the_assumed_speed_and_the_mix),
		cmocka_unit_test(the_write_region_is_the_union_of_the_spans_that_are_written),
		cmocka_unit_test(buffers_are_counted_per_worker_in_huge_pages),
		cmocka_unit_test(limits_that_distort_are_told_before_the_run),
		cmocka_unit_test(what_would_answer_instead_of_the_medium_is_told_before_the_run),
		cmocka_unit_test(the_note_of_a_point_names_its_limits),
		cmocka_unit_test(a_plan_tells_whether_it_writes_and_needs_a_seed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
