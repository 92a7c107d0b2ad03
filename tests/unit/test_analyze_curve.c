/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyze/curve.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/rng.h"
#include "stats/hist.h"

#include <stdlib.h>
#include <string.h>

static struct point make(uint64_t bs, uint32_t depth, uint32_t repeat, double iops)
{
	struct point p = {.spec = {.rw = RW_RANDREAD,
				   .iodepth = depth,
				   .workers = 1,
				   .rwmixread_pct = 100,
				   .random_pct = 100,
				   .bs_bytes = bs,
				   .span_bytes = 1 << 30,
				   .repeat = repeat},
			  .status = POINT_OK};

	for (enum dir d = 0; d < DIR_NR; d++)
		figures_clear(&p.dir[d]);
	p.dir[DIR_TOTAL].iops = iops;
	p.dir[DIR_TOTAL].ios = iops * 10;
	p.dir[DIR_TOTAL].lat_mean_ns = depth / iops * 1e9;
	p.dir[DIR_TOTAL].lat_p99_ns = 2 * depth / iops * 1e9;
	return p;
}

static void shuffle(struct point *p, size_t nr, struct rng *r)
{
	for (size_t i = nr; i > 1; i--) {
		size_t j = rng_below(r, i);
		struct point t = p[j];

		p[j] = p[i - 1];
		p[i - 1] = t;
	}
}

static void test_any_order(void **state)
{
	struct point p[40];
	struct rng r;
	size_t nr;

	(void)state;
	rng_seed(&r, 1);
	for (int round = 0; round < 50; round++) {
		struct curve *c;

		for (uint32_t i = 0; i < 40; i++)
			p[i] = make(4096ULL << (i / 10), 1 + i % 10 * 100, 1, 100 + i);
		shuffle(p, NR(p), &r);
		curves_build(p, NR(p), 0, &c, &nr);
		assert_int_equal(nr, 4);
		for (size_t i = 0; i < nr; i++) {
			assert_int_equal(c[i].spec.bs_bytes, 4096ULL << i);
			assert_int_equal(c[i].nr, 10);
			assert_int_equal(c[i].nr_rows, 10);
			for (uint32_t j = 0; j < 10; j++) {
				assert_int_equal(c[i].pt[j].iodepth, 1 + j * 100);
				assert_int_equal(c[i].row[j]->spec.iodepth, 1 + j * 100);
				assert_within(c[i].pt[j].iops, (double)(100 + 10 * i + j), 0);
				assert_true(c[i].row[j] >= p && c[i].row[j] < p + NR(p));
			}
		}
		curves_free(c, nr);
	}
}

static void test_every_axis_but_depth_parts(void **state)
{
	struct point p[9];
	struct curve *c;
	size_t nr;

	(void)state;
	for (size_t i = 0; i < NR(p); i++)
		p[i] = make(4096, 8, 1, 100);
	p[1].spec.rw = RW_READ;
	p[2].spec.bs_bytes = 8192;
	p[3].spec.span_bytes = 1 << 20;
	p[4].spec.offset_bytes = 4096;
	p[5].spec.workers = 2;
	p[6].spec.rwmixread_pct = 70;
	p[7].spec.random_pct = 50;
	p[8].spec.iodepth = 16;
	curves_build(p, NR(p), 0, &c, &nr);
	assert_int_equal(nr, 8);
	curves_free(c, nr);
}

static void test_invalid_points_are_rows_only(void **state)
{
	struct point p[6];
	struct curve *c;
	size_t nr;

	(void)state;
	for (uint32_t i = 0; i < NR(p); i++)
		p[i] = make(4096, i + 1, 1, 100);
	p[1].status = POINT_FAILED;
	p[2].flags = FLAG_BIT(FLAG_STALL);
	p[3].flags = FLAG_BIT(FLAG_CPU_BOUND);
	p[4].dir[DIR_TOTAL].iops = UNKNOWN;
	p[5].dir[DIR_TOTAL].iops = 0;
	curves_build(p, NR(p), 0, &c, &nr);
	assert_int_equal(nr, 1);
	assert_int_equal(c->nr_rows, 6);
	assert_int_equal(c->nr, 2);
	assert_int_equal(c->pt[0].iodepth, 1);
	assert_int_equal(c->pt[1].iodepth, 4);
	assert_int_equal(c->pt[1].flags, FLAG_BIT(FLAG_CPU_BOUND));
	curves_free(c, nr);

	curves_build(p, NR(p), FLAG_BIT(FLAG_STALL), &c, &nr);
	assert_int_equal(c->nr, 3);
	assert_non_null(curve_at_depth(c, 3));
	curves_free(c, nr);
}

static void test_only_invalid_points(void **state)
{
	struct point p = make(4096, 1, 1, 100);
	struct curve *c;
	size_t nr;

	(void)state;
	p.status = POINT_SKIPPED;
	curves_build(&p, 1, 0, &c, &nr);
	assert_int_equal(nr, 1);
	assert_int_equal(c->nr_rows, 1);
	assert_int_equal(c->nr, 0);
	curves_free(c, nr);
	curves_build(NULL, 0, 0, &c, &nr);
	assert_int_equal(nr, 0);
	curves_free(c, nr);
}

static void test_one_repeat_keeps_its_figures(void **state)
{
	struct point p = make(4096, 8, 1, 1000);
	struct curve *c;
	size_t nr;

	(void)state;
	p.dir[DIR_TOTAL].iops_se_rel = 0.02;
	curves_build(&p, 1, 0, &c, &nr);
	assert_within(c->pt[0].iops, 1000, 0);
	assert_close(c->pt[0].se_rel, 0.02, 1e-12);
	assert_close(c->pt[0].lat_ns[LAT_MEAN], 8e6, 1e-12);
	assert_close(c->pt[0].lat_ns[LAT_P99], 16e6, 1e-12);
	assert_unknown(c->pt[0].lat_ns[LAT_P50]);
	curves_free(c, nr);

	p.dir[DIR_TOTAL].iops_se_rel = UNKNOWN;
	curves_build(&p, 1, 0, &c, &nr);
	assert_within(c->pt[0].se_rel, 0, 0);
	curves_free(c, nr);
}

static void test_repeats_become_one(void **state)
{
	struct point p[] = {make(4096, 8, 3, 1100), make(4096, 8, 1, 900), make(4096, 8, 2, 1000),
			    make(4096, 16, 1, 1200), make(4096, 8, 4, 5000)};
	struct curve *c;
	size_t nr;

	(void)state;
	for (size_t i = 0; i < NR(p); i++)
		p[i].dir[DIR_TOTAL].iops_se_rel = 0.001;
	p[0].flags = FLAG_BIT(FLAG_IMPRECISE);
	p[4].status = POINT_FAILED;
	curves_build(p, NR(p), 0, &c, &nr);
	assert_int_equal(nr, 1);
	assert_int_equal(c->nr_rows, 5);
	assert_int_equal(c->nr, 2);
	assert_within(c->pt[0].iops, 1000, 1e-9);
	/* Latency weighted by completions: 3 x 8 in flight over 3000 a second. */
	assert_close(c->pt[0].lat_ns[LAT_MEAN], 8e6, 1e-12);
	for (enum lat_stat s = LAT_P50; s < LAT_STAT_NR; s++)
		assert_unknown(c->pt[0].lat_ns[s]);
	assert_int_equal(c->pt[0].flags, FLAG_BIT(FLAG_IMPRECISE));
	/* 900, 1000, 1100 have a standard deviation of 100, far above their own errors. */
	assert_close(c->pt[0].se_rel, 0.1 / sqrt(3), 1e-9);
	assert_int_equal(c->row[0]->spec.repeat, 1);
	assert_int_equal(c->row[3]->spec.repeat, 4);
	curves_free(c, nr);

	/* The errors of the series count where the repeats happen to agree. */
	p[0].dir[DIR_TOTAL].iops = p[1].dir[DIR_TOTAL].iops = 1000;
	for (size_t i = 0; i < NR(p); i++)
		p[i].dir[DIR_TOTAL].iops_se_rel = 0.03;
	curves_build(p, NR(p), 0, &c, &nr);
	assert_close(c->pt[0].se_rel, 0.03 / sqrt(3), 1e-9);
	curves_free(c, nr);
}

/* A point of n latencies of this value, with its histogram. */
static struct point with_hist(uint32_t repeat, uint64_t lat_ns, unsigned n)
{
	struct point p = make(4096, 1, repeat, n / 10.0);
	struct hist *h = xmalloc(sizeof(*h));

	hist_init(h);
	for (unsigned i = 0; i < n; i++)
		hist_add(h, lat_ns);
	hist_pack(h, &p.lat_hist[DIR_READ]);
	free(h);
	p.dir[DIR_TOTAL].ios = n;
	p.dir[DIR_TOTAL].lat_mean_ns = (double)lat_ns;
	p.dir[DIR_TOTAL].lat_p99_ns = (double)lat_ns;
	p.dir[DIR_TOTAL].lat_p99_lo_ns = (double)lat_ns * 0.9;
	p.dir[DIR_TOTAL].lat_p99_hi_ns = (double)lat_ns * 1.1;
	return p;
}

/* O-33: 100,000 fast I/Os in one repeat and 250 slow ones in the other. */
static void test_percentiles_of_all_latencies(void **state)
{
	struct point p[] = {with_hist(1, 50000, 100000), with_hist(2, 20000000, 250)};
	struct curve *c;
	size_t nr;

	(void)state;
	curves_build(p, NR(p), 0, &c, &nr);
	assert_close(c->pt[0].lat_ns[LAT_P50], 50e3, .01);
	assert_close(c->pt[0].lat_ns[LAT_P99], 50e3, .01);
	assert_close(c->pt[0].lat_ns[LAT_P999], 20e6, .01);
	assert_close(c->pt[0].lat_ns[LAT_MEAN], (50e3 * 100000 + 20e6 * 250) / 100250, 1e-9);
	assert_within(c->pt[0].iops_min, 25, 0);
	assert_within(c->pt[0].iops_max, 10000, 0);
	assert_int_equal(c->pt[0].nr_repeats, 2);
	/* The interval holds those of both. */
	assert_within(c->pt[0].lat_lo_ns[LAT_P99], 45e3, 1);
	assert_within(c->pt[0].lat_hi_ns[LAT_P99], 22e6, 1);
	curves_free(c, nr);

	/* A spoiled repeat is not merged. */
	p[1].flags = FLAG_BIT(FLAG_STALL);
	curves_build(p, NR(p), 0, &c, &nr);
	assert_close(c->pt[0].lat_ns[LAT_P99], 50e3, .01);
	assert_close(c->pt[0].lat_ns[LAT_MEAN], 50e3, 1e-9);
	assert_int_equal(c->pt[0].nr_repeats, 1);
	curves_free(c, nr);

	/* Without one of the histograms there is no percentile. */
	p[1].flags = 0;
	buf_release(&p[1].lat_hist[DIR_READ]);
	p[1].dir[DIR_TOTAL].lat_p99_lo_ns = UNKNOWN;
	curves_build(p, NR(p), 0, &c, &nr);
	assert_unknown(c->pt[0].lat_ns[LAT_P99]);
	assert_unknown(c->pt[0].lat_hi_ns[LAT_P99]);
	curves_free(c, nr);
	point_release(&p[0]);
	point_release(&p[1]);
}

static void test_anchors(void **state)
{
	struct point p[] = {make(4096, 1, 1, 1000), make(4096, 4, 1, 4000), make(4096, 8, 1, 3000),
			    make(4096, 1, 1, 955), make(4096, 4, 1, 3500)};
	uint32_t depth[CURVE_MAX_ANCHORS];
	struct curve *c;
	size_t nr;

	(void)state;
	p[3].spec.is_anchor = p[4].spec.is_anchor = true;
	curves_build(p, NR(p), 0, &c, &nr);
	assert_int_equal(nr, 1);
	assert_int_equal(c->nr_rows, 3);
	assert_int_equal(c->nr, 3);
	assert_within(c->pt[0].iops, 1000, 0);
	assert_int_equal(c->nr_anchors, 2);
	assert_ptr_equal(c->anchor[0].again, &p[3]);
	assert_within(c->anchor[1].iops_first, 4000, 0);
	/* 4.5 % and 12.5 % less. */
	assert_false(c->anchor[0].differs);
	assert_true(c->anchor[1].differs);
	assert_int_equal(curve_anchor_depths(c, depth), 2);
	assert_int_equal(depth[0], 1);
	assert_int_equal(depth[1], 4);
	curves_free(c, nr);

	/* Within the intervals of the two there is no difference. */
	p[1].dir[DIR_TOTAL].iops_se_rel = p[4].dir[DIR_TOTAL].iops_se_rel = 0.05;
	curves_build(p, NR(p), 0, &c, &nr);
	assert_false(c->anchor[1].differs);
	curves_free(c, nr);

	/* An anchor without figures says nothing. */
	p[4].status = POINT_FAILED;
	p[4].dir[DIR_TOTAL].iops = UNKNOWN;
	curves_build(p, NR(p), 0, &c, &nr);
	assert_int_equal(c->nr_anchors, 2);
	assert_false(c->anchor[1].differs);
	curves_free(c, nr);

	/* Peak at the first depth: one anchor. Two depths: none, there is no knee to judge. */
	p[0].dir[DIR_TOTAL].iops = 5000;
	curves_build(p, 3, 0, &c, &nr);
	assert_int_equal(curve_anchor_depths(c, depth), 1);
	curves_free(c, nr);
	curves_build(p, 2, 0, &c, &nr);
	assert_int_equal(curve_anchor_depths(c, depth), 0);
	curves_free(c, nr);
}

static void test_at_depth(void **state)
{
	struct point p[20];
	struct curve *c;
	size_t nr;

	(void)state;
	for (uint32_t i = 0; i < NR(p); i++)
		p[i] = make(4096, 2 * (i + 1), 1, 100 + i);
	curves_build(p, NR(p), 0, &c, &nr);
	for (uint32_t i = 0; i < NR(p); i++) {
		assert_ptr_equal(curve_at_depth(c, 2 * (i + 1)), &c->pt[i]);
		assert_null(curve_at_depth(c, 2 * i + 1));
	}
	assert_null(curve_at_depth(c, 0));
	assert_null(curve_at_depth(c, 100));
	curves_free(c, nr);
}

static void test_many_points_fast(void **state)
{
	const size_t many = 50000;
	struct point *p = xcalloc(many, sizeof(*p));
	uint64_t begin;
	struct curve *c;
	struct rng r;
	size_t nr;

	(void)state;
	rng_seed(&r, 3);
	for (size_t i = 0; i < many; i++)
		p[i] = make(512 * (1 + rng_below(&r, 1000)), 1 + (uint32_t)rng_below(&r, 200),
			    (uint32_t)i, 100);
	begin = clock_now_ns();
	curves_build(p, many, 0, &c, &nr);
	/* A quadratic build would take far longer. */
	assert_true(clock_now_ns() - begin < 20 * NS_PER_S);
	assert_int_equal(nr, 1000);
	curves_free(c, nr);
	free(p);
}

static void test_stalled(void **state)
{
	struct point p[] = {make(4096, 1, 1, 100), make(4096, 2, 1, 120), make(4096, 4, 1, 200),
			    make(4096, 4, 2, 150)};
	struct curve *c;
	size_t nr;

	(void)state;
	p[1].flags = FLAG_BIT(FLAG_STALL);
	p[3].flags = FLAG_BIT(FLAG_STALL);
	curves_build(p, NR(p), 0, &c, &nr);
	assert_int_equal(c->nr, 2);
	/* A repeat without a stall is better. */
	assert_int_equal(c->pt[1].iodepth, 4);
	assert_within(c->pt[1].iops, 200, 0);
	assert_int_equal(c->nr_stalled, 1);
	assert_int_equal(c->stalled[0].iodepth, 2);
	curves_free(c, nr);
	/* What spoils it for other reasons spoils its percentiles too. */
	p[1].flags |= FLAG_BIT(FLAG_HOST_CACHE);
	curves_build(p, NR(p), 0, &c, &nr);
	assert_int_equal(c->nr_stalled, 0);
	curves_free(c, nr);
	/* Accepted, it is like any other. */
	curves_build(p, NR(p), FLAG_BIT(FLAG_HOST_CACHE) | FLAG_BIT(FLAG_STALL), &c, &nr);
	assert_int_equal(c->nr, 3);
	assert_int_equal(c->nr_stalled, 0);
	curves_free(c, nr);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("points in any order make the same ordered curves", test_any_order),
		titled_test("every axis but the depth parts curves",
			    test_every_axis_but_depth_parts),
		titled_test("points that are not valid are rows but decide nothing",
			    test_invalid_points_are_rows_only),
		titled_test("a curve without a valid point is empty", test_only_invalid_points),
		titled_test("a point measured once keeps its figures",
			    test_one_repeat_keeps_its_figures),
		titled_test("repeats become one point, without histograms it has no percentiles",
			    test_repeats_become_one),
		titled_test("O-33: percentiles of repeats are those of all their latencies",
			    test_percentiles_of_all_latencies),
		titled_test("anchors are compared with what their depths gave at first",
			    test_anchors),
		titled_test("the point at a depth is found, or none", test_at_depth),
		titled_test("50,000 points take no quadratic time", test_many_points_fast),
		titled_test("a point that only a stall spoils is kept for its percentiles",
			    test_stalled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
