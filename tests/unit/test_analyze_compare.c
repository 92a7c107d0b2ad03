/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyze/compare.h"
#include "report_fixture.h"

#define MAX_RUNS 6

/* Two groups of runs that a test fills with points. */
struct groups {
	struct fixture run[2][MAX_RUNS];
	size_t nr[2];
	struct cap cap[1];
	unsigned nr_caps;
	struct comparison c;
};

static void groups_init(struct groups *g, size_t nr_a, size_t nr_b)
{
	*g = (struct groups){.nr = {nr_a, nr_b}};
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < g->nr[side]; i++)
			fixture_init(&g->run[side][i]);
}

static void compare(struct groups *g, struct compare_how how)
{
	struct compare_curve curves[2][MAX_RUNS][8];
	struct compare_run runs[2][MAX_RUNS] = {{{0}}};
	struct compare_group group[2] = {{runs[0], g->nr[0]}, {runs[1], g->nr[1]}};

	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i < g->nr[side]; i++) {
			struct fixture *f = &g->run[side][i];

			for (unsigned c = 0; c < g->nr_caps; c++)
				f->caps[f->nr_caps++] = g->cap[c];
			fixture_analyze(f);
			for (size_t k = 0; k < f->nr_curves; k++)
				curves[side][i][k] = (struct compare_curve){f->answers[k].curve,
									    &f->answers[k].knee,
									    f->answers[k].cap};
			runs[side][i] = (struct compare_run){curves[side][i], f->nr_curves, 0};
		}
	}
	how.caps = g->cap;
	how.nr_caps = g->nr_caps;
	compare_groups(group, &how, &g->c);
}

static void groups_release(struct groups *g)
{
	comparison_release(&g->c);
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < g->nr[side]; i++)
			fixture_release(&g->run[side][i]);
}

/* A closed loop on c servers that give iops together: latency by Little's law. */
static struct point *add(struct fixture *f, uint32_t depth, double iops)
{
	return fixture_add(f, RW_RANDREAD, GIB, depth, iops, depth / iops * 1e3, UNKNOWN);
}

static void add_curve(struct fixture *f, double speed, uint32_t max_depth)
{
	for (uint32_t d = 1; d <= max_depth; d *= 2)
		add(f, d, speed * fmin(d, 12));
}

static const struct compare_item *find(const struct groups *g, enum compare_figure figure,
				       uint32_t depth)
{
	static const struct compare_item none;

	for (size_t i = 0; i < g->c.nr; i++)
		if (g->c.item[i].figure == figure && g->c.item[i].spec.iodepth == depth)
			return &g->c.item[i];
	fail();
	return &none;
}

static const struct compare_how iops_only = {.iops = true}, both = {.iops = true, .lat = true};

/* The golden group A, and three runs of B. */
static void compare_with_golden(struct groups *g, const double b[3], struct compare_how how)
{
	static const double a[] = {3905, 3921, 3880};

	groups_init(g, 3, 3);
	for (size_t i = 0; i < 3; i++) {
		add(&g->run[0][i], 32, a[i]);
		add(&g->run[1][i], 32, b[i]);
	}
	compare(g, how);
}

static void test_golden(void **state)
{
	const struct compare_item *item, *lat;
	struct groups g;

	(void)state;
	compare_with_golden(&g, (const double[]){4105, 4088, 4127}, both);
	assert_int_equal(g.c.nr, 2);
	item = find(&g, COMPARE_IOPS, 32);
	assert_int_equal(item->method, COMPARE_WELCH);
	assert_within(item->ratio, 1.052454, 1e-4);
	assert_within(item->low, 1.040427, 1e-4);
	assert_within(item->high, 1.064619, 1e-4);
	assert_within(item->p_adjusted, item->p, 0);
	assert_int_equal(item->verdict, COMPARE_DIFFERENT);
	assert_int_equal(compare_direction(item), 1);
	/* The latency by Little's law is the same, turned round: 4.98 % less, so no 5 %. */
	lat = find(&g, COMPARE_LAT, 32);
	assert_close(lat->ratio, 1 / item->ratio, 1e-12);
	assert_close(lat->p_adjusted, item->p_adjusted, 1e-9);
	assert_int_equal(compare_direction(lat), 1);
	assert_int_equal(lat->verdict, COMPARE_INCONCLUSIVE);
	groups_release(&g);
}

static void test_equivalent(void **state)
{
	struct groups g;

	(void)state;
	compare_with_golden(&g, (const double[]){3950, 3870, 3940}, iops_only);
	assert_int_equal(g.c.nr, 1);
	assert_within(g.c.item[0].t, 0.6411, 1e-4);
	assert_within(g.c.item[0].df, 2.8590, 1e-4);
	assert_int_equal(g.c.item[0].verdict, COMPARE_EQUIVALENT);
	assert_false(compare_is_worse(&g.c.item[0], 0.001));
	groups_release(&g);
}

static void test_one_run(void **state)
{
	struct groups g;

	(void)state;
	groups_init(&g, 1, 1);
	add_curve(&g.run[0][0], 1000, 32);
	add_curve(&g.run[1][0], 500, 32);
	/* Repeats of one run are one value. */
	add(&g.run[1][0], 8, 4000)->spec.repeat = 2;
	compare(&g, both);
	for (size_t i = 0; i < g.c.nr; i++) {
		assert_int_equal(g.c.item[i].verdict, COMPARE_UNJUDGED);
		assert_unknown(g.c.item[i].low);
		assert_unknown(g.c.item[i].p_adjusted);
		assert_non_null(g.c.item[i].reason);
	}
	assert_within(find(&g, COMPARE_IOPS, 4)->ratio, 0.5, 1e-9);
	assert_within(find(&g, COMPARE_IOPS, 8)->ratio, 0.5, 1e-9);
	assert_within(find(&g, COMPARE_NSTAR, 0)->ratio, 1, 1e-9);
	assert_true(g.c.has_repeats);
	assert_int_equal(find(&g, COMPARE_IOPS, 8)->side[1].nr, 1);
	groups_release(&g);
}

static void test_two_runs(void **state)
{
	static const double noise[2] = {0.99, 1.01};
	const struct compare_item *item;
	struct groups g;

	(void)state;
	groups_init(&g, 2, 2);
	for (size_t i = 0; i < 2; i++) {
		add_curve(&g.run[0][i], 1000 * noise[i], 256);
		add_curve(&g.run[1][i], 1100 * noise[!i], 256);
	}
	compare(&g, both);
	item = find(&g, COMPARE_IOPS, 16);
	assert_int_equal(item->method, COMPARE_POOLED);
	assert_within(item->df, 2 * 9 * (2 - 1), 0);
	assert_int_equal(item->verdict, COMPARE_DIFFERENT);
	/* N* from the errors of the two points that decide: twice their variance. */
	assert_within(find(&g, COMPARE_NSTAR, 0)->df, 18, 0);
	assert_close(log(find(&g, COMPARE_NSTAR, 0)->high / find(&g, COMPARE_NSTAR, 0)->ratio),
		     sqrt(2) * log(item->high / item->ratio), 1e-9);
	groups_release(&g);

	/* Three of each are tested by Welch, unless pooling is asked for. */
	for (int pool = 0; pool < 2; pool++) {
		groups_init(&g, 3, 3);
		for (size_t i = 0; i < 3; i++) {
			add_curve(&g.run[0][i], 1000 + 10.0 * (double)i, 256);
			add_curve(&g.run[1][i], 1010 + 10.0 * (double)i, 256);
		}
		compare(&g, (struct compare_how){.iops = true, .pool = pool});
		item = find(&g, COMPARE_IOPS, 16);
		assert_int_equal(item->method, pool ? COMPARE_POOLED : COMPARE_WELCH);
		if (pool)
			assert_within(item->df, 2 * 9 * (3 - 1), 0);
		groups_release(&g);
	}
}

/* Holm: points with N* and the cap are a family, latencies another. */
static void test_family(void **state)
{
	double smallest = 1;
	size_t nr = 0;
	struct groups g;

	(void)state;
	groups_init(&g, 3, 3);
	g.cap[g.nr_caps++] = (struct cap){LAT_MEAN, 2000000};
	for (size_t i = 0; i < 3; i++) {
		for (uint32_t d = 1; d <= 64; d *= 2) {
			double noise = 0.001 * (double)(i * i + d % 7 * i);

			add(&g.run[0][i], d, 1000 * fmin(d, 12) * (1 + noise));
			add(&g.run[1][i], d, 1080 * fmin(d, 12) * (1 - noise));
		}
	}
	compare(&g, both);
	for (size_t i = 0; i < g.c.nr; i++) {
		if (g.c.item[i].figure == COMPARE_LAT)
			continue;
		nr++;
		smallest = fmin(smallest, g.c.item[i].p);
		assert_true(g.c.item[i].p_adjusted >= g.c.item[i].p);
	}
	assert_int_equal(nr, 7 + 2);
	for (size_t i = 0; i < g.c.nr; i++)
		if (g.c.item[i].figure != COMPARE_LAT && g.c.item[i].p <= smallest)
			assert_close(g.c.item[i].p_adjusted, 9 * smallest, 1e-9);
	assert_int_equal(find(&g, COMPARE_CAP, 0)->verdict, COMPARE_DIFFERENT);
	groups_release(&g);
}

static void test_partners(void **state)
{
	struct groups g;

	(void)state;
	groups_init(&g, 2, 2);
	for (size_t i = 0; i < 2; i++) {
		add(&g.run[0][i], 1, 1000);
		add(&g.run[0][i], 2, 2000);
		add(&g.run[0][i], 8, 4000);
		add(&g.run[1][i], 1, 1000);
		fixture_fail(add(&g.run[1][i], 2, 2000), POINT_FAILED, "errors");
		add(&g.run[1][i], 4, 3000);
		/* The same depth of another pattern is another point. */
		fixture_add(&g.run[1][i], RW_RANDWRITE, GIB, 8, 4000, 2, 3);
		/* Spoiled points do not enter. */
		add(&g.run[0][i], 16, 4000)->flags = FLAG_BIT(FLAG_STALL);
		add(&g.run[1][i], 16, 4000);
	}
	compare(&g, iops_only);
	assert_int_equal(g.c.nr, 2);
	assert_int_equal(g.c.item[0].spec.iodepth, 1);
	assert_int_equal(g.c.item[1].figure, COMPARE_NSTAR);
	assert_unknown(g.c.item[1].ratio);
	assert_int_equal(g.c.nr_lone, 5);
	assert_int_equal(g.c.lone[0].spec.iodepth, 2);
	assert_int_equal(g.c.lone[0].side, 0);
	assert_true(g.c.lone[0].is_invalid);
	assert_int_equal(g.c.lone[1].spec.iodepth, 4);
	assert_int_equal(g.c.lone[1].side, 1);
	assert_false(g.c.lone[1].is_invalid);
	assert_int_equal(g.c.lone[3].spec.iodepth, 16);
	assert_true(g.c.lone[3].is_invalid);
	assert_int_equal(g.c.lone[4].spec.rw, RW_RANDWRITE);
	assert_true(g.c.has_copies);
	groups_release(&g);
}

/* 10 % of a large target and 10 % of a small one; 1 GiB of both, however it was asked for. */
static void test_spans(void **state)
{
	struct groups g;

	(void)state;
	groups_init(&g, 1, 1);
	fixture_add(&g.run[0][0], RW_READ, GIB, 1, 100, 10, 10)->spec.span_e4 = 100000;
	fixture_add(&g.run[1][0], RW_READ, 2 * GIB, 1, 100, 10, 10)->spec.span_e4 = 100000;
	compare(&g, iops_only);
	assert_int_equal(g.c.nr, 1);
	assert_true(g.c.has_other_spans);
	groups_release(&g);
	groups_init(&g, 1, 1);
	fixture_add(&g.run[0][0], RW_READ, GIB, 1, 100, 10, 10)->spec.span_e4 = 100000;
	fixture_add(&g.run[1][0], RW_READ, GIB, 1, 100, 10, 10);
	fixture_add(&g.run[1][0], RW_READ, 2 * GIB, 1, 100, 10, 10);
	compare(&g, iops_only);
	assert_int_equal(g.c.nr, 1);
	assert_int_equal(g.c.nr_lone, 1);
	assert_false(g.c.has_other_spans);
	groups_release(&g);
}

/* Three runs of each at one depth, all those of a side with its flags. */
static void compare_flagged(struct groups *g, double speed_b, flag_set flags_a, flag_set flags_b)
{
	groups_init(g, 3, 3);
	for (size_t i = 0; i < 3; i++) {
		add(&g->run[0][i], 8, 1000 + (double)i)->flags = flags_a;
		add(&g->run[1][i], 8, speed_b * (1000 - (double)i))->flags = flags_b;
	}
	compare(g, both);
	assert_int_equal(g->c.nr, 2);
}

/* The client is so slow that A or B may have been as good as the other. */
static void test_bounds_from_below(void **state)
{
	static const enum flag flags[] = {FLAG_CPU_BOUND, FLAG_SUBMIT_BLOCKED};
	static const struct {
		double speed_b;
		bool a_limited, b_limited;
		enum compare_verdict verdict;
		bool worse;
	} rows[] = {
		{0.8, false, false, COMPARE_DIFFERENT, true},
		{0.8, true, false, COMPARE_DIFFERENT, true},
		{0.8, false, true, COMPARE_INCONCLUSIVE, false},
		{0.8, true, true, COMPARE_INCONCLUSIVE, false},
		{1.2, true, false, COMPARE_INCONCLUSIVE, false},
		{1.2, false, true, COMPARE_DIFFERENT, false},
		{1, false, false, COMPARE_EQUIVALENT, false},
		{1, false, true, COMPARE_INCONCLUSIVE, false},
		{1, true, false, COMPARE_INCONCLUSIVE, false},
	};

	(void)state;
	for (size_t f = 0; f < NR(flags); f++) {
		for (size_t r = 0; r < NR(rows); r++) {
			flag_set flag = FLAG_BIT(flags[f]);
			struct groups g;

			compare_flagged(&g, rows[r].speed_b, rows[r].a_limited ? flag : 0,
					rows[r].b_limited ? flag : 0);
			for (size_t i = 0; i < 2; i++) {
				assert_int_equal(g.c.item[i].verdict, rows[r].verdict);
				assert_int_equal(compare_is_worse(&g.c.item[i], 0.1),
						 rows[r].worse);
				assert_int_equal(g.c.item[i].reason != NULL,
						 rows[r].verdict == COMPARE_INCONCLUSIVE);
			}
			groups_release(&g);
		}
	}
}

/* At the depth asked for the target has as many IOPS or more, and a latency as high or higher. */
static void test_depth_not_held(void **state)
{
	static const struct {
		double speed_b;
		bool in_a, in_b;
		enum compare_verdict iops, lat;
	} rows[] = {
		{0.8, false, true, COMPARE_INCONCLUSIVE, COMPARE_DIFFERENT},
		{0.8, true, false, COMPARE_DIFFERENT, COMPARE_INCONCLUSIVE},
		{1.2, false, true, COMPARE_DIFFERENT, COMPARE_INCONCLUSIVE},
		{1.2, true, false, COMPARE_INCONCLUSIVE, COMPARE_DIFFERENT},
		{1, false, true, COMPARE_INCONCLUSIVE, COMPARE_INCONCLUSIVE},
		{1, true, false, COMPARE_INCONCLUSIVE, COMPARE_INCONCLUSIVE},
	};
	const flag_set flag = FLAG_BIT(FLAG_DEPTH_NOT_HELD);
	struct groups g;

	(void)state;
	for (size_t r = 0; r < NR(rows); r++) {
		compare_flagged(&g, rows[r].speed_b, rows[r].in_a ? flag : 0,
				rows[r].in_b ? flag : 0);
		assert_int_equal(find(&g, COMPARE_IOPS, 8)->verdict, rows[r].iops);
		assert_int_equal(find(&g, COMPARE_LAT, 8)->verdict, rows[r].lat);
		if (rows[r].iops == COMPARE_INCONCLUSIVE)
			assert_int_equal(find(&g, COMPARE_IOPS, 8)->bound_flags, flag);
		groups_release(&g);
	}
	/* With a submit call that blocked as well, the latency is unsure on both sides. */
	compare_flagged(&g, 0.8, 0, flag | FLAG_BIT(FLAG_SUBMIT_BLOCKED));
	assert_int_equal(find(&g, COMPARE_LAT, 8)->verdict, COMPARE_INCONCLUSIVE);
	groups_release(&g);
}

static void set_flags(struct fixture *f, uint32_t depth, flag_set flags)
{
	for (size_t i = 0; i < f->nr; i++)
		if (f->point[i].spec.iodepth == depth)
			f->point[i].flags = flags;
}

/* Depth 1 and the peak make N*; another point may be what it likes. */
static void test_knee_of_bounds(void **state)
{
	static const struct {
		uint32_t depth;
		enum compare_verdict verdict;
	} rows[] = {
		{1, COMPARE_INCONCLUSIVE},
		{4, COMPARE_EQUIVALENT},
		{64, COMPARE_INCONCLUSIVE},
	};

	(void)state;
	for (size_t r = 0; r < NR(rows); r++) {
		struct groups g;

		groups_init(&g, 3, 3);
		for (size_t i = 0; i < 3; i++) {
			for (int side = 0; side < 2; side++) {
				add_curve(&g.run[side][i], 1000 + (double)i, 32);
				add(&g.run[side][i], 64, 12010 * (1 + (double)i / 1000));
			}
			set_flags(&g.run[1][i], rows[r].depth, FLAG_BIT(FLAG_SUBMIT_BLOCKED));
		}
		compare(&g, iops_only);
		assert_int_equal(find(&g, COMPARE_NSTAR, 0)->verdict, rows[r].verdict);
		groups_release(&g);
	}
}

/* Nothing but the point beyond the cap is client-limited, in B. */
static void test_cap_rests_on_the_point_beyond_it(void **state)
{
	(void)state;
	for (int limited = 0; limited < 2; limited++) {
		struct groups g;

		groups_init(&g, 3, 3);
		g.cap[g.nr_caps++] = (struct cap){LAT_MEAN, 9000000};
		for (int side = 0; side < 2; side++) {
			for (size_t i = 0; i < 3; i++) {
				add(&g.run[side][i], 2, 1000 + (double)i);
				add(&g.run[side][i], 4, 1001 + (double)i);
				add(&g.run[side][i], 8, 1002 + (double)i);
				add(&g.run[side][i], 16, 1003 + (double)i)->flags =
					side && limited ? FLAG_BIT(FLAG_CPU_BOUND) : 0;
			}
		}
		compare(&g, iops_only);
		assert_int_equal(find(&g, COMPARE_CAP, 0)->verdict,
				 limited ? COMPARE_INCONCLUSIVE : COMPARE_EQUIVALENT);
		groups_release(&g);
	}
}

static void test_knee_and_cap_that_are_bounds(void **state)
{
	const struct compare_item *nstar, *cap;
	struct groups g;

	(void)state;
	groups_init(&g, 3, 3);
	g.cap[g.nr_caps++] = (struct cap){LAT_MEAN, 1500000};
	for (size_t i = 0; i < 3; i++) {
		add_curve(&g.run[0][i], 1000 + (double)i, 64);
		/* Twice the latency, so that no depth meets the cap, and a rise without end. */
		for (uint32_t d = 1; d <= 64; d *= 2)
			add(&g.run[1][i], d, (500 + (double)i) * d);
	}
	compare(&g, both);
	nstar = find(&g, COMPARE_NSTAR, 0);
	assert_unknown(nstar->ratio);
	assert_string_equal(nstar->reason, "the knee was not reached");
	cap = find(&g, COMPARE_CAP, 0);
	assert_unknown(cap->ratio);
	assert_true(cap->is_lost);
	assert_int_equal(cap->verdict, COMPARE_UNJUDGED);
	groups_release(&g);
}

static void test_knee_needs_the_same_depths(void **state)
{
	struct groups g;

	(void)state;
	groups_init(&g, 3, 3);
	for (size_t i = 0; i < 3; i++) {
		add_curve(&g.run[0][i], 1000 + (double)i, 64);
		add_curve(&g.run[1][i], 1000 + (double)i, i ? 64 : 32);
	}
	compare(&g, iops_only);
	assert_string_equal(find(&g, COMPARE_NSTAR, 0)->reason,
			    "the runs have not the same valid depths");
	assert_int_equal(find(&g, COMPARE_IOPS, 64)->side[1].nr, 2);
	assert_int_equal(find(&g, COMPARE_IOPS, 64)->method, COMPARE_POOLED);
	groups_release(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("a maximum under a cap rests on the point beyond it too",
			    test_cap_rests_on_the_point_beyond_it),
		titled_test("the golden groups are different, by 5 % in IOPS", test_golden),
		titled_test("the other golden groups are equivalent", test_equivalent),
		titled_test("one run gives ratios and never a verdict", test_one_run),
		titled_test("two runs pool the variance over the depths", test_two_runs),
		titled_test("Holm's family is all points with N* and the cap", test_family),
		titled_test("what has no valid partner is listed", test_partners),
		titled_test("spans match by bytes or by share", test_spans),
		titled_test("IOPS from below and latency from above decide on the other side only",
			    test_bounds_from_below),
		titled_test("a depth that was not held bounds IOPS and latency from below",
			    test_depth_not_held),
		titled_test("no knee is like another that rests on a bound", test_knee_of_bounds),
		titled_test("bounds are not compared", test_knee_and_cap_that_are_bounds),
		titled_test("the knee needs the same depths", test_knee_needs_the_same_depths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
