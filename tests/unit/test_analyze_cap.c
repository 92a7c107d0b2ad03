/* SPDX-License-Identifier: MIT */
#include "curve_data.h"

#include "analyze/cap.h"

static struct test_curve ult[ULT_TESTS + 1];

static int load(void **state)
{
	(void)state;
	ult_load(ult);
	return 0;
}

static struct cap_answer find(const struct test_curve *c, enum lat_stat stat, uint64_t limit_ns)
{
	struct cap_answer a;

	cap_find(&c->curve, (struct cap){stat, limit_ns}, &a);
	assert_int_equal(a.cap.stat, stat);
	assert_int_equal(a.cap.limit_ns, limit_ns);
	return a;
}

static void golden_row(char **f, void *arg)
{
	const struct test_curve *c = &ult[atoi(f[0])];
	struct cap_answer a = find(c, LAT_MEAN, (uint64_t)atoi(f[1]) * 1000000);
	int *rows = arg;

	++*rows;
	assert_string_equal(cap_status_name(a.status), f[2]);
	assert_int_equal(a.depth, atoi(f[3]));
	if (a.status == CAP_INFEASIBLE) {
		assert_unknown(a.iops);
		assert_unknown(a.iops_interp);
		return;
	}
	assert_within(a.iops, atof(f[4]), 0);
	assert_close(a.lat_ns, atof(f[5]) * 1e6, 1e-12);
	assert_within(a.depth_interp, atof(f[6]), 0.01);
	assert_within(a.iops_interp, atof(f[7]), 0.5);
}

static void test_golden(void **state)
{
	int rows = 0;

	(void)state;
	csv_each("golden_cap.csv", golden_row, &rows);
	assert_int_equal(rows, 3 * ULT_TESTS);
}

static void test_bracket(void **state)
{
	struct cap_answer a = find(&ult[8], LAT_MEAN, 10000000);

	(void)state;
	assert_int_equal(a.last_good_depth, 16);
	assert_int_equal(a.first_bad_depth, 32);
	/* The best measured one need not be the deepest that is good. */
	a = find(&ult[7], LAT_MEAN, 10000000);
	assert_int_equal(a.depth, 4);
	assert_int_equal(a.last_good_depth, 8);
}

static void test_never_met(void **state)
{
	struct cap_answer a = find(&ult[8], LAT_MEAN, 5000000);

	(void)state;
	assert_int_equal(a.status, CAP_INFEASIBLE);
	assert_within(a.lat_min_ns, 5.2e6, 1e-6);
	assert_int_equal(a.lat_min_depth, 1);
	assert_int_equal(a.depth, 0);
	assert_int_equal(a.last_good_depth, 0);
	assert_int_equal(a.first_bad_depth, 1);
}

static void test_not_reached(void **state)
{
	struct cap_answer a = find(&ult[2], LAT_MEAN, 60000000);

	(void)state;
	assert_int_equal(a.status, CAP_NOT_REACHED);
	assert_int_equal(a.depth, 256);
	assert_within(a.iops, 4891, 0);
	assert_within(a.iops_interp, 4891, 0);
	assert_within(a.depth_interp, 256, 0);
	assert_int_equal(a.last_good_depth, 256);
	assert_int_equal(a.first_bad_depth, 0);
}

static void add(struct test_curve *c, uint32_t depth, double iops, double mean_ms, double p99_ms)
{
	curve_add(c, depth, iops, mean_ms, 0)->lat_ns[LAT_P99] = p99_ms * 1e6;
}

static void test_textbook_servers(void **state)
{
	struct test_curve c;
	struct cap_answer a;

	(void)state;
	curve_clear(&c);
	add(&c, 1, 10000, 0.1, 0.1);
	add(&c, 2, 20000, 0.1, 0.1);
	add(&c, 4, 40000, 0.1, 0.1);
	add(&c, 8, 80000, 0.1, 0.1);
	add(&c, 16, 80000, 0.2, 0.2);
	add(&c, 32, 80000, 0.4, 0.4);
	a = find(&c, LAT_P99, 150000);
	assert_int_equal(a.status, CAP_OK);
	assert_int_equal(a.depth, 8);
	assert_within(a.iops, 80000, 0);
	a = find(&c, LAT_P99, 100000);
	assert_int_equal(a.status, CAP_OK);
	assert_int_equal(a.depth, 8);
	assert_within(a.iops, 80000, 0);
	assert_int_equal(a.first_bad_depth, 16);
	assert_int_equal(find(&c, LAT_P99, 99999).status, CAP_INFEASIBLE);
	assert_int_equal(find(&c, LAT_P99, 90000).status, CAP_INFEASIBLE);
	/* With equal IOPS the smaller depth answers. */
	a = find(&c, LAT_MEAN, 400000);
	assert_int_equal(a.status, CAP_NOT_REACHED);
	assert_int_equal(a.depth, 8);
	assert_within(a.depth_interp, 8, 0);
}

static void test_textbook_disk(void **state)
{
	static const double rows[][4] = {
		{1, 120, 8.3, 20},  {2, 150, 13.3, 32},	 {4, 185, 21.6, 55},  {8, 215, 37, 100},
		{16, 240, 67, 190}, {32, 255, 125, 380}, {64, 262, 244, 800},
	};
	struct test_curve c;
	struct cap_answer a;

	(void)state;
	curve_clear(&c);
	for (size_t i = 0; i < NR(rows); i++)
		add(&c, (uint32_t)rows[i][0], rows[i][1], rows[i][2], rows[i][3]);
	a = find(&c, LAT_P99, 60000000);
	assert_int_equal(a.status, CAP_OK);
	assert_int_equal(a.depth, 4);
	assert_within(a.iops, 185, 0);
	assert_in_range((uintmax_t)a.depth_interp, 4, 5);
}

static void test_textbook_single_point(void **state)
{
	struct test_curve c;
	struct cap_answer a;

	(void)state;
	curve_clear(&c);
	add(&c, 4, 30000, 0.13, 0.3);
	a = find(&c, LAT_P99, 300000);
	assert_int_equal(a.status, CAP_NOT_REACHED);
	assert_within(a.iops, 30000, 0);
	assert_int_equal(find(&c, LAT_P99, 299999).status, CAP_INFEASIBLE);
}

static void test_table_equality(void **state)
{
	(void)state;
	/* Hundredths of a millisecond from a table, times a million, against whole ns. */
	for (int i = 1; i < 3000; i++) {
		struct test_curve c;

		curve_clear(&c);
		curve_add(&c, 1, 100, i / 100.0, 0);
		assert_int_equal(find(&c, LAT_MEAN, (uint64_t)i * 10000).status, CAP_NOT_REACHED);
		assert_int_equal(find(&c, LAT_MEAN, (uint64_t)i * 10000 - 1).status,
				 CAP_INFEASIBLE);
	}
}

static void test_every_statistic(void **state)
{
	struct test_curve c;

	(void)state;
	curve_clear(&c);
	for (uint32_t n = 1; n <= 8; n *= 2) {
		struct curve_point *p = curve_add(&c, n, 100 * n, 0, 0);

		for (enum lat_stat s = 0; s < LAT_STAT_NR; s++)
			p->lat_ns[s] = 1e6 * n * (1 + s);
	}
	for (enum lat_stat s = 0; s < LAT_STAT_NR; s++) {
		struct cap_answer a = find(&c, s, 4000000ULL * (1 + s));

		assert_int_equal(a.status, CAP_OK);
		assert_int_equal(a.depth, 4);
		assert_within(a.lat_ns, 4e6 * (1 + s), 1e-6);
		assert_within(a.lat_min_ns, 1e6 * (1 + s), 1e-6);
	}
}

static void test_no_data(void **state)
{
	struct curve none = {.nr = 0};
	struct cap_answer a;

	(void)state;
	a = find(&ult[2], LAT_P99, 10000000);
	assert_int_equal(a.status, CAP_NO_DATA);
	assert_unknown(a.iops);
	assert_unknown(a.lat_min_ns);
	cap_find(&none, (struct cap){LAT_MEAN, 10000000}, &a);
	assert_int_equal(a.status, CAP_NO_DATA);
}

static void test_unknown_points_are_left_out(void **state)
{
	struct test_curve c;
	struct cap_answer a;

	(void)state;
	curve_clear(&c);
	add(&c, 1, 100, 1, 2);
	add(&c, 2, 190, 1, UNKNOWN);
	add(&c, 4, 300, 1, 8);
	add(&c, 8, 400, 1, UNKNOWN);
	a = find(&c, LAT_P99, 4000000);
	assert_int_equal(a.status, CAP_OK);
	assert_int_equal(a.depth, 1);
	assert_int_equal(a.last_good_depth, 1);
	assert_int_equal(a.first_bad_depth, 4);
	assert_within(a.depth_interp, 2, 1e-9);
	assert_within(a.iops_interp, sqrt(100 * 300), 1e-6);
	assert_int_equal(find(&c, LAT_P99, 8000000).status, CAP_NOT_REACHED);
}

static void test_smallest_as_good(void **state)
{
	struct test_curve c;
	struct cap_answer a;

	(void)state;
	curve_clear(&c);
	curve_add(&c, 1, 500, 2, 0.01);
	curve_add(&c, 2, 505, 4, 0.01);
	curve_add(&c, 4, 508, 8, 0.01);
	curve_add(&c, 8, 509, 16, 0.01);
	c.pt[0].flags = FLAG_BIT(FLAG_CPU_BOUND);
	a = find(&c, LAT_MEAN, 10000000);
	assert_int_equal(a.depth, 1);
	assert_within(a.iops, 500, 0);
	assert_within(a.lat_ns, 2e6, 0);
	assert_int_equal(a.flags, FLAG_BIT(FLAG_CPU_BOUND));
	/* The estimate starts from the best, and the bracket from the deepest. */
	assert_int_equal(a.last_good_depth, 4);
	assert_true(a.iops_interp >= 508);
	/* Ten times as precise, only the last two are the same. */
	for (size_t i = 0; i < c.curve.nr; i++)
		c.pt[i].se_rel = 0.001;
	assert_int_equal(find(&c, LAT_MEAN, 10000000).depth, 4);
	for (size_t i = 0; i < c.curve.nr; i++)
		c.pt[i].se_rel = 0.003;
	assert_int_equal(find(&c, LAT_MEAN, 10000000).depth, 2);
	/* 1.6 % below is 1.6 standard errors of the difference at 0.7 % each, and more at 0.6 %. */
	for (size_t i = 0; i < c.curve.nr; i++)
		c.pt[i].se_rel = 0.007;
	assert_int_equal(find(&c, LAT_MEAN, 10000000).depth, 1);
	for (size_t i = 0; i < c.curve.nr; i++)
		c.pt[i].se_rel = 0.006;
	assert_int_equal(find(&c, LAT_MEAN, 10000000).depth, 2);
	/* Without errors the exact maximum. */
	for (size_t i = 0; i < c.curve.nr; i++)
		c.pt[i].se_rel = 0;
	assert_int_equal(find(&c, LAT_MEAN, 10000000).depth, 4);
}

/* A client that is out of CPU makes latency longer; a depth that was not held makes it shorter. */
static void test_client_limited_beyond_the_cap(void **state)
{
	struct test_curve c;

	(void)state;
	curve_clear(&c);
	curve_add(&c, 1, 500, 2, 0);
	curve_add(&c, 2, 505, 4, 0);
	curve_add(&c, 4, 506, 8, 0);
	assert_false(find(&c, LAT_MEAN, 5000000).is_bad_unsure);
	c.pt[2].flags = FLAG_BIT(FLAG_DEPTH_NOT_HELD);
	assert_false(find(&c, LAT_MEAN, 5000000).is_bad_unsure);
	c.pt[2].flags = FLAG_BIT(FLAG_CPU_BOUND);
	assert_true(find(&c, LAT_MEAN, 5000000).is_bad_unsure);
	assert_false(find(&c, LAT_MEAN, 10000000).is_bad_unsure);
	assert_false(find(&c, LAT_MEAN, 1000000).is_bad_unsure);
	c.pt[0].flags = FLAG_BIT(FLAG_SUBMIT_BLOCKED);
	assert_true(find(&c, LAT_MEAN, 1000000).is_bad_unsure);
}

/* A throttled device of 500 IOPS: each depth doubles the latency. */
static void test_known_ceiling(void **state)
{
	struct test_curve c;

	(void)state;
	curve_clear(&c);
	for (uint32_t n = 1; n <= 32; n *= 2)
		curve_add(&c, n, 500 + 0.2 * n, 2 * n, 0.003);
	assert_int_equal(find(&c, LAT_MEAN, 10000000).depth, 1);
	assert_int_equal(find(&c, LAT_MEAN, 10000000).status, CAP_OK);
	assert_int_equal(find(&c, LAT_MEAN, 1000000).status, CAP_INFEASIBLE);
}

static void test_stalled(void **state)
{
	static struct curve_point stalled[2];
	struct test_curve c;
	struct cap_answer a;

	(void)state;
	curve_clear(&c);
	add(&c, 1, 100, 1, 2);
	add(&c, 8, 400, 20, 40);
	stalled[0] = c.pt[0];
	stalled[0].iodepth = 4;
	stalled[0].iops = 250;
	stalled[0].lat_ns[LAT_P99] = 9e6;
	stalled[0].flags = FLAG_BIT(FLAG_STALL);
	stalled[1] = stalled[0];
	stalled[1].iodepth = 16;
	stalled[1].lat_ns[LAT_P99] = 80e6;
	c.curve.stalled = stalled;
	c.curve.nr_stalled = 2;
	a = find(&c, LAT_P99, 10000000);
	assert_int_equal(a.depth, 4);
	assert_within(a.iops, 250, 0);
	assert_int_equal(a.first_bad_depth, 8);
	assert_int_equal(a.flags, FLAG_BIT(FLAG_STALL));
	/* Its mean decides nothing. */
	assert_int_equal(find(&c, LAT_MEAN, 10000000).depth, 1);
}

/* A curve of two depths, of which the first has p99 9 ms with this interval. */
static struct cap_answer with_interval(double low_ms, double high_ms, uint64_t cap_ns)
{
	struct test_curve c;

	curve_clear(&c);
	for (uint32_t i = 0; i < 2; i++) {
		struct curve_point *p = curve_add(&c, 1 + i, 100 * (1 + i), 5 * (1 + i), 0);

		p->lat_ns[LAT_P99] = 9e6 + 91e6 * i;
		p->lat_lo_ns[LAT_P99] = i ? 99e6 : low_ms * 1e6;
		p->lat_hi_ns[LAT_P99] = i ? 101e6 : high_ms * 1e6;
		p->ios = 5000;
	}
	return find(&c, LAT_P99, cap_ns);
}

static void test_verdict(void **state)
{
	struct cap_answer a = with_interval(8.5, 9.5, 10000000);

	(void)state;
	assert_int_equal(a.verdict, CAP_MEETS);
	assert_within(a.lat_lo_ns, 8.5e6, 1);
	assert_within(a.lat_hi_ns, 9.5e6, 1);
	assert_within(a.ios, 5000, 0);
	/* The figure lies below the cap, its interval beyond it. */
	a = with_interval(8.5, 10.5, 10000000);
	assert_int_equal(a.status, CAP_OK);
	assert_int_equal(a.verdict, CAP_UNDECIDED);
	/* The figure lies above, and its interval holds the cap, or not. */
	a = with_interval(7.5, 9.5, 8000000);
	assert_int_equal(a.status, CAP_INFEASIBLE);
	assert_int_equal(a.verdict, CAP_UNDECIDED);
	a = with_interval(8.5, 9.5, 8000000);
	assert_int_equal(a.verdict, CAP_FAILS);
	a = with_interval(UNKNOWN, UNKNOWN, 10000000);
	assert_int_equal(a.verdict, CAP_UNSURE);
	assert_unknown(a.lat_lo_ns);
	assert_null(cap_verdict_name(CAP_UNSURE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("every golden row of the ULT study is reproduced", test_golden),
		titled_test("the bracket is the last good depth and the next", test_bracket),
		titled_test("a cap that is never met says how far off it is", test_never_met),
		titled_test("a cap that the largest depth meets is not reached", test_not_reached),
		titled_test("eight servers: a latency equal to the cap meets it",
			    test_textbook_servers),
		titled_test("a hard disk under a p99 cap", test_textbook_disk),
		titled_test("a single point still answers", test_textbook_single_point),
		titled_test("decimal milliseconds equal to the cap meet it", test_table_equality),
		titled_test("every latency figure can be capped", test_every_statistic),
		titled_test("no known latency, no answer", test_no_data),
		titled_test("points without the figure are left out",
			    test_unknown_points_are_left_out),
		titled_test("the smallest depth that is as good within noise answers",
			    test_smallest_as_good),
		titled_test("an interval meets the cap, fails it, or leaves it undecided",
			    test_verdict),
		titled_test("a ceiling of 500 IOPS is reached at depth 1", test_known_ceiling),
		titled_test("a client-limited point beyond the cap leaves it open",
			    test_client_limited_beyond_the_cap),
		titled_test("a stalled point answers for percentiles, not for the mean",
			    test_stalled),
	};

	return cmocka_run_group_tests(tests, load, NULL);
}
