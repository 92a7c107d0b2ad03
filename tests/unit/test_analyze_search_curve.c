/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyze/search_curve.h"
#include "base/mem.h"
#include "base/num.h"

#include <stdlib.h>
#include <string.h>

/* 8 servers of 2 ms: at most 4000 IOPS. */
static double iops_of(uint32_t depth)
{
	return fmin(500.0 * depth, 4000);
}

static struct point make(int64_t run_id, uint32_t depth)
{
	struct point p = {.spec = {.rw = RW_RANDREAD,
				   .iodepth = depth,
				   .workers = 1,
				   .rwmixread_pct = 100,
				   .random_pct = 100,
				   .bs_bytes = 4096,
				   .span_bytes = 1 << 30,
				   .repeat = 1},
			  .run_id = run_id,
			  .status = POINT_OK,
			  .start_wall_ns = 1000,
			  .end_wall_ns = 1000 + 5000000000LL};

	for (enum dir d = 0; d < DIR_NR; d++)
		figures_clear(&p.dir[d]);
	p.dir[DIR_TOTAL].iops = iops_of(depth);
	p.dir[DIR_TOTAL].ios = 10 * iops_of(depth);
	p.dir[DIR_TOTAL].lat_mean_ns = depth / iops_of(depth) * 1e9;
	p.dir[DIR_TOTAL].lat_p99_ns = 1.5 * depth / iops_of(depth) * 1e9;
	return p;
}

static struct point with_flag(struct point p, enum flag flag)
{
	p.flags |= FLAG_BIT(flag);
	return p;
}

#define MAX_TEST_POINTS 64

/* A run of the search: caps in, points measured as it asks for them. */
struct trial {
	struct point_spec curve;
	struct cap cap[3];
	struct search_input in;
	struct point p[MAX_TEST_POINTS];
	struct search_answer a[3];
	uint64_t asked[MAX_TEST_POINTS];
	size_t nr_asked;
};

static void trial_init(struct trial *t, unsigned nr_caps, const double *caps_ms)
{
	memset(t, 0, sizeof(*t));
	t->curve = make(7, 1).spec;
	for (unsigned i = 0; i < nr_caps; i++)
		t->cap[i] = (struct cap){LAT_MEAN, (uint64_t)(caps_ms[i] * 1e6)};
	t->in = (struct search_input){
		.settings = {.max = SEARCH_MAX_DEPTH, .max_points = SEARCH_MAX_POINTS},
		.curve = &t->curve,
		.points = t->p,
		.caps = t->cap,
		.nr_caps = nr_caps};
}

static uint64_t step(struct trial *t)
{
	uint64_t next;

	search_curve(&t->in, t->a, &next);
	return next;
}

/* Measure what it asks for until it ends or has asked nr times; change may spoil a point. */
static void go_on(struct trial *t, size_t nr, void (*change)(struct point *))
{
	for (uint64_t next = step(t); next && nr--; next = step(t)) {
		struct point p = make(7, (uint32_t)next);

		assert_true(t->in.nr_points < MAX_TEST_POINTS);
		if (change)
			change(&p);
		t->asked[t->nr_asked++] = next;
		t->p[t->in.nr_points++] = p;
	}
}

static void test_caps_share_points(void **state)
{
	static const double caps_ms[] = {10, 9.5, 3};
	struct trial t;
	unsigned points;

	(void)state;
	trial_init(&t, 3, caps_ms);
	go_on(&t, MAX_TEST_POINTS, NULL);
	points = t.a[0].nr_points + t.a[1].nr_points + t.a[2].nr_points;
	assert_int_equal(points, t.in.nr_points);
	assert_int_equal(t.a[0].nr_shared, 0);
	assert_int_equal(t.a[1].nr_shared, t.a[0].nr_points);
	/* The second lies beside the first. */
	assert_true(t.a[1].nr_points <= 1);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(search_status(&t.a[i]), SEARCH_MET);
		assert_close(t.a[i].best.iops, 4000, .01);
	}
	assert_int_equal(t.a[0].time_ns, t.a[0].nr_points * 5000000000ULL);
	for (size_t i = 0; i < t.nr_asked; i++)
		for (size_t k = 0; k < i; k++)
			assert_true(t.asked[i] != t.asked[k]);
}

/* Cut anywhere, stored points in any order: it asks for the same. */
static void test_goes_on(void **state)
{
	static const double caps_ms[] = {10, 3};
	struct trial whole, cut;

	(void)state;
	trial_init(&whole, 2, caps_ms);
	go_on(&whole, MAX_TEST_POINTS, NULL);
	for (size_t at = 0; at < whole.nr_asked; at++) {
		trial_init(&cut, 2, caps_ms);
		go_on(&cut, at, NULL);
		assert_int_equal(cut.a[1].stop, SEARCH_GOES_ON);
		for (size_t i = 0; i + 1 < cut.in.nr_points; i += 2) {
			struct point p = cut.p[i];

			cut.p[i] = cut.p[i + 1];
			cut.p[i + 1] = p;
		}
		/* What a killed process was at. */
		cut.p[cut.in.nr_points] = make(7, (uint32_t)whole.asked[at]);
		cut.p[cut.in.nr_points++].status = POINT_INTERRUPTED;
		assert_int_equal(step(&cut), whole.asked[at]);
	}
}

static void test_seeds_of_other_runs(void **state)
{
	static const double caps_ms[] = {10};
	struct point seed[] = {make(3, 1), make(3, 8), make(4, 32), make(4, 64), make(4, 2048)};
	struct trial t;

	(void)state;
	trial_init(&t, 1, caps_ms);
	t.in.seeds = seed;
	t.in.nr_seeds = NR(seed);
	go_on(&t, MAX_TEST_POINTS, NULL);
	assert_int_equal(t.in.nr_points, 0);
	assert_int_equal(t.a[0].stop, SEARCH_FLAT);
	/* The one beyond the largest depth is not used. */
	assert_int_equal(t.a[0].nr_seed, 4);
	assert_int_equal(t.a[0].nr_seed_runs, 2);
	assert_int_equal(t.a[0].best.run_id, 3);
	assert_int_equal(t.a[0].good.at, 32);
	assert_int_equal(t.a[0].bad.at, 64);
	/* A larger block is another curve. */
	t.curve.bs_bytes = 8192;
	assert_int_equal(step(&t), 1);
	assert_int_equal(t.a[0].nr_seed, 0);
}

static char io_errors[] = "3 I/O errors";

static void fail_above_8(struct point *p)
{
	if (p->spec.iodepth <= 8)
		return;
	p->status = POINT_FAILED;
	p->reason = io_errors;
}

static void test_failure(void **state)
{
	static const double caps_ms[] = {10};
	struct trial t;

	(void)state;
	trial_init(&t, 1, caps_ms);
	go_on(&t, MAX_TEST_POINTS, fail_above_8);
	assert_int_equal(search_status(&t.a[0]), SEARCH_STATUS_ERRORS);
	assert_string_equal(t.a[0].failed_reason, "failed: 3 I/O errors");
	assert_true(t.a[0].failed_at > 8);
	assert_int_equal(t.a[0].best.at, 5);
	assert_int_equal(t.nr_asked, 3);
}

static void spoil(struct point *p)
{
	if (p->spec.iodepth > 8)
		p->flags = FLAG_BIT(FLAG_FOREIGN_LOAD) | FLAG_BIT(FLAG_SPLIT);
}

static void stall(struct point *p)
{
	if (p->spec.iodepth > 8)
		p->flags = FLAG_BIT(FLAG_STALL);
}

static void test_spoiled_points_decide_nothing(void **state)
{
	static const double caps_ms[] = {10};
	struct trial t;

	(void)state;
	trial_init(&t, 1, caps_ms);
	go_on(&t, MAX_TEST_POINTS, spoil);
	assert_int_equal(search_status(&t.a[0]), SEARCH_STATUS_ERRORS);
	assert_string_equal(t.a[0].failed_reason, "spoiled: foreign-load");
	trial_init(&t, 1, caps_ms);
	t.in.accepted = FLAG_BIT(FLAG_FOREIGN_LOAD);
	go_on(&t, MAX_TEST_POINTS, spoil);
	assert_int_equal(search_status(&t.a[0]), SEARCH_MET);
	/* A stall spoils means, and not percentiles. */
	trial_init(&t, 1, caps_ms);
	go_on(&t, MAX_TEST_POINTS, stall);
	assert_int_equal(search_status(&t.a[0]), SEARCH_STATUS_ERRORS);
	trial_init(&t, 1, caps_ms);
	t.cap[0].stat = LAT_P99;
	go_on(&t, MAX_TEST_POINTS, stall);
	assert_int_equal(search_status(&t.a[0]), SEARCH_MET);
}

static void test_latency_not_known(void **state)
{
	static const double caps_ms[] = {10};
	struct trial t;

	(void)state;
	trial_init(&t, 1, caps_ms);
	t.cap[0].stat = LAT_P999;
	go_on(&t, MAX_TEST_POINTS, NULL);
	assert_int_equal(search_status(&t.a[0]), SEARCH_STATUS_ERRORS);
	assert_string_equal(t.a[0].failed_reason, "its p99.9 latency is not known");
}

static void bind_cpu(struct point *p)
{
	if (p->spec.iodepth > 8)
		*p = with_flag(*p, FLAG_CPU_BOUND);
}

static void lose_depth(struct point *p)
{
	if (p->spec.iodepth > 32)
		*p = with_flag(*p, FLAG_DEPTH_NOT_HELD);
}

static void block_submit(struct point *p)
{
	if (p->spec.iodepth > 16)
		*p = with_flag(*p, FLAG_SUBMIT_BLOCKED);
}

static void test_client_limited(void **state)
{
	static const double caps_ms[] = {10};
	struct trial t;

	(void)state;
	trial_init(&t, 1, caps_ms);
	go_on(&t, MAX_TEST_POINTS, bind_cpu);
	assert_int_equal(search_status(&t.a[0]), SEARCH_STATUS_CLIENT);
	/* A first bad depth that was not even held is bad all the same. */
	trial_init(&t, 1, caps_ms);
	go_on(&t, MAX_TEST_POINTS, lose_depth);
	assert_true(t.a[0].bad.flags & FLAG_BIT(FLAG_DEPTH_NOT_HELD));
	assert_int_equal(search_status(&t.a[0]), SEARCH_MET);
	/* D20: beyond the queue limit of this host that is no fault of the client. */
	trial_init(&t, 1, caps_ms);
	go_on(&t, MAX_TEST_POINTS, block_submit);
	assert_int_equal(search_status(&t.a[0]), SEARCH_STATUS_CLIENT);
	t.in.queue_limit = 16;
	assert_int_equal(step(&t), 0);
	assert_int_equal(search_status(&t.a[0]), SEARCH_MET);
}

static void test_repeats(void **state)
{
	static const double caps_ms[] = {1000};
	struct trial t;

	(void)state;
	trial_init(&t, 1, caps_ms);
	t.in.settings.max = 1;
	t.p[0] = make(7, 1);
	t.p[1] = make(7, 1);
	t.p[1].spec.repeat = 2;
	t.p[1].status = POINT_PLANNED;
	t.in.nr_points = 2;
	/* Not known before all repeats are. */
	assert_int_equal(step(&t), 1);
	t.p[1].status = POINT_OK;
	t.p[1].dir[DIR_TOTAL].iops = 600;
	assert_int_equal(step(&t), 0);
	assert_close(t.a[0].best.iops, 550, 1e-9);
	assert_int_equal(t.a[0].time_ns, 10000000000ULL);
}

/* An open loop: 8 servers, and what does not fit is missed. */
static struct point offer(uint64_t load)
{
	struct point p = make(7, 256);
	double x = (double)load;

	p.spec.rate_ask_iops = load;
	p.rate_iops = x;
	p.dir[DIR_TOTAL].iops = fmin(x, 4000);
	p.dir[DIR_TOTAL].lat_mean_ns = x < 4000 ? 2e6 / (1 - x / 4000) : 1e9;
	if (load > 4000)
		p.flags = FLAG_BIT(FLAG_RATE_MISSED) | FLAG_BIT(FLAG_LATE_SUBMIT);
	return p;
}

static void test_load(void **state)
{
	static const double caps_ms[] = {10, 20};
	struct point closed = make(7, 256);
	struct trial t;

	(void)state;
	trial_init(&t, 2, caps_ms);
	t.curve.iodepth = 256;
	t.in.settings.is_load = true;
	t.in.settings.max = 1000000;
	/* A closed loop of the same axes is another question. */
	t.p[t.in.nr_points++] = closed;
	for (uint64_t next = step(&t); next; next = step(&t)) {
		assert_true(t.in.nr_points < MAX_TEST_POINTS);
		t.p[t.in.nr_points++] = offer(next);
	}
	/* 10 ms at 3200, 20 ms at 3600. */
	assert_in_range(t.a[0].best.at, 3138, 3200);
	assert_in_range(t.a[1].best.at, 3530, 3600);
	assert_true(t.a[1].nr_points <= 6);
	assert_int_equal(search_status(&t.a[0]), SEARCH_MET);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("caps of one curve share their points", test_caps_share_points),
		titled_test("cut anywhere, it goes on with the same point", test_goes_on),
		titled_test("points of other runs are where it begins", test_seeds_of_other_runs),
		titled_test("a failed point ends it, with the reason and what is known",
			    test_failure),
		titled_test("spoiled points decide nothing unless accepted",
			    test_spoiled_points_decide_nothing),
		titled_test("a percentile that is not known ends it", test_latency_not_known),
		titled_test("an answer that this host limits is told to be", test_client_limited),
		titled_test("repeats together are one point", test_repeats),
		titled_test("over load: caps share points, closed loops do not count", test_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
