/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyze/curve.h"
#include "analyze/response.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "stats/hist.h"

#include <stdlib.h>

static struct point make(double rate, uint32_t repeat, double iops, double mean_ms)
{
	struct point p = {.spec = {.rw = RW_RANDREAD,
				   .iodepth = 256,
				   .workers = 1,
				   .rwmixread_pct = 100,
				   .random_pct = 100,
				   .bs_bytes = 4096,
				   .span_bytes = 1 << 30,
				   .rate_ask_iops = (uint64_t)rate,
				   .repeat = repeat},
			  .status = POINT_OK,
			  .rate_iops = rate};

	for (enum dir d = 0; d < DIR_NR; d++)
		figures_clear(&p.dir[d]);
	p.dir[DIR_TOTAL].iops = iops;
	p.dir[DIR_TOTAL].ios = iops * 10;
	p.dir[DIR_TOTAL].lat_mean_ns = mean_ms * 1e6;
	p.dir[DIR_TOTAL].lat_p99_ns = 3 * mean_ms * 1e6;
	return p;
}

static struct point missed(double rate, double iops, double mean_ms)
{
	struct point p = make(rate, 1, iops, mean_ms);

	p.flags = FLAG_BIT(FLAG_RATE_MISSED);
	return p;
}

/* A single response curve. */
static struct response *build(const struct point *p, size_t nr_points)
{
	struct response *r;
	size_t nr;

	responses_build(p, nr_points, 0, &r, &nr);
	assert_int_equal(nr, 1);
	return r;
}

static void test_apart_from_closed_loops(void **state)
{
	struct point p[] = {make(500, 1, 500, 3), make(0, 1, 1000, 1), make(900, 1, 900, 9)};
	struct curve *c;
	struct response *r;
	size_t nr;

	(void)state;
	curves_build(p, NR(p), 0, &c, &nr);
	assert_int_equal(nr, 1);
	assert_int_equal(c[0].nr_rows, 1);
	assert_close(c[0].pt[0].iops, 1000, 0);
	curves_free(c, nr);
	r = build(p, NR(p));
	assert_int_equal(r[0].nr, 2);
	responses_free(r, 1);
}

static void test_limit(void **state)
{
	struct point p[] = {missed(1200, 1000, 150), make(900, 1, 900, 9), make(300, 1, 300, 2),
			    missed(1000, 950, 90)};
	struct response *r = build(p, NR(p));

	(void)state;
	assert_close(r[0].sustained->rate_iops, 900, 0);
	assert_close(r[0].missed->rate_iops, 1000, 0);
	assert_close(r[0].pt[0].rate_iops, 300, 0);
	responses_free(r, 1);
	r = build(&p[1], 2);
	assert_null(r[0].missed);
	responses_free(r, 1);
	r = build(p, 1);
	assert_null(r[0].sustained);
	responses_free(r, 1);
}

static void test_repeats(void **state)
{
	struct point p[] = {make(500, 2, 510, 4), make(500, 1, 490, 2), make(500, 3, 500, 3)};
	struct response *r;

	(void)state;
	p[2].status = POINT_FAILED;
	r = build(p, NR(p));
	assert_int_equal(r[0].nr, 1);
	assert_close(r[0].pt[0].iops, 500, 1e-12);
	assert_close(r[0].pt[0].lat_ns[LAT_MEAN], (5100.0 * 4 + 4900 * 2) / 10000 * 1e6, 1e-12);
	assert_unknown(r[0].pt[0].lat_ns[LAT_P99]);
	assert_true(r[0].pt[0].is_sustained);
	responses_free(r, 1);
	/* One that missed is enough. */
	p[1].flags = FLAG_BIT(FLAG_RATE_MISSED);
	r = build(p, NR(p));
	assert_false(r[0].pt[0].is_sustained);
	responses_free(r, 1);
}

/* n latencies of this value. */
static void add_hist(struct point *p, uint64_t lat_ns, unsigned n)
{
	struct hist *h = xmalloc(sizeof(*h));

	hist_init(h);
	for (unsigned i = 0; i < n; i++)
		hist_add(h, lat_ns);
	hist_pack(h, &p->lat_hist[DIR_READ]);
	free(h);
}

/* O-33: 1 % of all latencies are slow, all of them in one repeat, whose own p99 is the slow one. */
static void test_percentiles_of_all_latencies(void **state)
{
	struct point p[] = {make(500, 1, 500, 1), make(500, 2, 500, 100)};
	struct response *r;

	(void)state;
	add_hist(&p[0], 1000000, 9910);
	add_hist(&p[1], 100000000, 90);
	r = build(p, NR(p));
	assert_close(r[0].pt[0].lat_ns[LAT_P99], 1e6, 0.01);
	assert_close(r[0].pt[0].lat_ns[LAT_P999], 1e8, 0.01);
	responses_free(r, 1);
	for (size_t i = 0; i < NR(p); i++)
		point_release(&p[i]);
}

static void test_caps(void **state)
{
	struct point p[] = {make(300, 1, 300, 2), make(600, 1, 600, 4), make(900, 1, 900, 9),
			    missed(1000, 950, 4)};
	struct cap mean5 = {LAT_MEAN, 5 * NS_PER_MS}, mean1 = {LAT_MEAN, NS_PER_MS};
	struct cap mean9 = {LAT_MEAN, 9 * NS_PER_MS}, p95 = {LAT_P95, NS_PER_S};
	struct response *r = build(p, NR(p));
	struct response_cap a;

	(void)state;
	response_find_cap(r, mean5, &a);
	assert_int_equal(a.status, CAP_OK);
	assert_close(a.best->rate_iops, 600, 0);
	assert_close(a.next->rate_iops, 900, 0);
	/* What was not sustained meets no cap, however fast its beginning was. */
	response_find_cap(r, mean9, &a);
	assert_close(a.best->rate_iops, 900, 0);
	assert_close(a.next->rate_iops, 1000, 0);
	response_find_cap(r, mean1, &a);
	assert_int_equal(a.status, CAP_INFEASIBLE);
	assert_close(a.lowest->rate_iops, 300, 0);
	response_find_cap(r, p95, &a);
	assert_int_equal(a.status, CAP_NO_DATA);
	responses_free(r, 1);
	r = build(p, 3);
	response_find_cap(r, mean9, &a);
	assert_int_equal(a.status, CAP_NOT_REACHED);
	responses_free(r, 1);
}

static void test_without_load(void **state)
{
	struct point p[] = {make(500, 1, 500, 3), make(600, 1, 600, 3)};
	struct response *r;

	(void)state;
	p[0].status = POINT_SKIPPED;
	p[0].rate_iops = UNKNOWN;
	r = build(p, NR(p));
	assert_int_equal(r[0].nr_rows, 2);
	assert_int_equal(r[0].nr, 1);
	assert_ptr_equal(r[0].row[1], &p[0]);
	responses_free(r, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("points with a rate are in no depth curve, and the others in no "
			    "response curve",
			    test_apart_from_closed_loops),
		titled_test("the highest load sustained and the lowest missed above it",
			    test_limit),
		titled_test("repeats of a load become one", test_repeats),
		titled_test("O-33: percentiles of repeats are those of all their latencies",
			    test_percentiles_of_all_latencies),
		titled_test("a cap is met by sustained loads only", test_caps),
		titled_test("a load that was never offered is shown and decides nothing",
			    test_without_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
