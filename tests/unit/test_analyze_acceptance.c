/* SPDX-License-Identifier: MIT */
/* Limits against points: every rule, on both sides. */
#include "unit.h"

#include "analyze/acceptance.h"
#include "base/clock.h"
#include "base/mem.h"
#include "stats/hist.h"

#include <stdlib.h>
#include <string.h>

static struct point make(uint32_t depth, double iops)
{
	struct point p = {.spec = {.rw = RW_RANDRW,
				   .iodepth = depth,
				   .workers = 1,
				   .rwmixread_pct = 70,
				   .random_pct = 100,
				   .bs_bytes = 8192,
				   .span_bytes = 1 << 30,
				   .repeat = 1},
			  .seq = 1,
			  .status = POINT_OK,
			  .window_s = 10,
			  .rate_iops = UNKNOWN};

	for (enum dir d = 0; d < DIR_NR; d++) {
		double share = d == DIR_TOTAL ? 1 : d == DIR_READ ? 0.7 : 0.3;
		struct figures *f = &p.dir[d];

		figures_clear(f);
		f->iops = iops * share;
		f->ios = f->iops * 10;
		f->mib_s = f->iops * 8192 / (1 << 20);
		f->lat_mean_ns = depth / iops * 1e9;
		f->lat_p50_ns = f->lat_mean_ns;
		f->lat_p95_ns = 2 * f->lat_mean_ns;
		f->lat_p99_ns = 3 * f->lat_mean_ns;
		f->lat_p999_ns = 4 * f->lat_mean_ns;
		f->lat_max_ns = 5 * f->lat_mean_ns;
	}
	return p;
}

/* 95 % intervals of this relative half width. */
static struct point precise(uint32_t depth, double iops, double half)
{
	struct point p = make(depth, iops);

	for (enum dir d = 0; d < DIR_NR; d++) {
		struct figures *f = &p.dir[d];

		f->iops_se_rel = f->lat_se_rel = half / 1.959964;
		f->lat_p95_lo_ns = f->lat_p95_ns * (1 - half);
		f->lat_p95_hi_ns = f->lat_p95_ns * (1 + half);
		f->lat_p99_lo_ns = f->lat_p99_ns * (1 - half);
		f->lat_p99_hi_ns = f->lat_p99_ns * (1 + half);
	}
	return p;
}

static const struct limit iops_at_least = {.figure = FIGURE_IOPS, .dir = DIR_TOTAL};
static const struct limit mean_at_most = {.figure = FIGURE_LAT, .dir = DIR_TOTAL, .stat = LAT_MEAN};

/* Judge points by requirements; the caller releases *out. */
static void judge(struct requirement *req, size_t nr, const struct acceptance_run *run,
		  struct class_result *out)
{
	struct disk_class c = {.name = NULL, .req = req, .nr = nr};

	acceptance_judge(&c, run, out);
	out->cls = NULL;
}

/* The verdict on one limit of this value at the one point that is there. */
static struct judgement one(const struct acceptance_run *run, struct limit l, double value)
{
	struct requirement req = {.limit = &l, .nr = 1};
	struct class_result r;
	struct judgement j;

	l.value = value;
	judge(&req, 1, run, &r);
	assert_int_equal(r.nr, 1);
	assert_int_equal(r.nr_verdict[r.verdict], 1);
	j = r.v[0];
	j.limit = NULL;
	j.req = NULL;
	assert_int_equal(j.verdict, r.verdict);
	assert_int_equal(j.reason != REASON_NONE, j.verdict == ACCEPTANCE_UNDECIDED);
	class_result_release(&r);
	return j;
}

static struct judgement at(const struct point *p, struct limit l, double value)
{
	struct acceptance_run run = {.points = p, .nr = 1};

	return one(&run, l, value);
}

static void test_interval(void **state)
{
	struct point p = precise(10, 1000, 0.05); /* 950 to 1050 IOPS, 9.5 to 10.5 ms */
	struct judgement j;

	(void)state;
	j = at(&p, iops_at_least, 949);
	assert_int_equal(j.verdict, ACCEPTANCE_PASS);
	assert_within(j.low, 950, 1e-6);
	assert_within(j.high, 1050, 1e-6);
	assert_close(j.margin, 1000 / 949.0 - 1, 1e-9);
	assert_int_equal(at(&p, iops_at_least, 951).verdict, ACCEPTANCE_UNDECIDED);
	assert_int_equal(at(&p, iops_at_least, 1049).verdict, ACCEPTANCE_UNDECIDED);
	j = at(&p, iops_at_least, 1051);
	assert_int_equal(j.verdict, ACCEPTANCE_FAIL);
	assert_true(j.margin < 0);
	assert_int_equal(at(&p, mean_at_most, 10.6e6).verdict, ACCEPTANCE_PASS);
	assert_true(at(&p, mean_at_most, 10.6e6).margin > 0);
	assert_int_equal(at(&p, mean_at_most, 10.4e6).verdict, ACCEPTANCE_UNDECIDED);
	assert_int_equal(at(&p, mean_at_most, 9.6e6).verdict, ACCEPTANCE_UNDECIDED);
	assert_int_equal(at(&p, mean_at_most, 9.4e6).verdict, ACCEPTANCE_FAIL);
}

static void test_more_time(void **state)
{
	struct point p = precise(10, 1000, 0.05);
	struct judgement j = at(&p, iops_at_least, 975);

	(void)state;
	/* Twice as near as the interval is wide takes four times the 10 s. */
	assert_int_equal(j.reason, REASON_INTERVAL);
	assert_close(j.more_s, 30, 1e-6);
	j = at(&p, iops_at_least, 1000);
	assert_int_equal(j.verdict, ACCEPTANCE_UNDECIDED);
	assert_within(j.more_s, 0, 0);
}

static void test_no_interval(void **state)
{
	struct point p = make(10, 1000);
	struct limit p50 = {.figure = FIGURE_LAT, .dir = DIR_TOTAL, .stat = LAT_P50};

	(void)state;
	assert_int_equal(at(&p, iops_at_least, 1000).verdict, ACCEPTANCE_PASS);
	assert_unknown(at(&p, iops_at_least, 1000).low);
	assert_int_equal(at(&p, iops_at_least, 1001).verdict, ACCEPTANCE_FAIL);
	assert_int_equal(at(&p, mean_at_most, 10e6).verdict, ACCEPTANCE_PASS);
	assert_int_equal(at(&p, mean_at_most, 9.99e6).verdict, ACCEPTANCE_FAIL);
	/* p50 never has one. */
	p = precise(10, 1000, 0.05);
	assert_int_equal(at(&p, p50, 10e6).verdict, ACCEPTANCE_PASS);
	assert_int_equal(at(&p, p50, 9.9e6).verdict, ACCEPTANCE_FAIL);
}

static void test_directions(void **state)
{
	struct point p = precise(10, 1000, 0.01);
	struct limit l = iops_at_least, lat = mean_at_most, mib = {.figure = FIGURE_MIB_S};

	(void)state;
	l.dir = DIR_READ;
	assert_within(at(&p, l, 600).value, 700, 1e-9);
	assert_int_equal(at(&p, l, 600).verdict, ACCEPTANCE_PASS);
	assert_int_equal(at(&p, l, 800).verdict, ACCEPTANCE_FAIL);
	l.dir = DIR_WRITE;
	assert_within(at(&p, l, 200).value, 300, 1e-9);
	assert_int_equal(at(&p, l, 400).verdict, ACCEPTANCE_FAIL);
	/* Only the writes are slow. */
	p.dir[DIR_WRITE].lat_mean_ns = 50e6;
	lat.dir = DIR_READ;
	assert_int_equal(at(&p, lat, 11e6).verdict, ACCEPTANCE_PASS);
	lat.dir = DIR_WRITE;
	assert_int_equal(at(&p, lat, 11e6).verdict, ACCEPTANCE_FAIL);
	mib.dir = DIR_READ;
	assert_close(at(&p, mib, 5).value, 700.0 * 8 / 1024, 1e-9);
	assert_int_equal(at(&p, mib, 5).verdict, ACCEPTANCE_PASS);
	assert_int_equal(at(&p, mib, 6).verdict, ACCEPTANCE_FAIL);
}

static void test_percentiles(void **state)
{
	struct point p = precise(10, 1000, 0.05);
	struct limit p99 = {.figure = FIGURE_LAT, .dir = DIR_TOTAL, .stat = LAT_P99};
	struct limit p999 = {.figure = FIGURE_LAT, .dir = DIR_TOTAL, .stat = LAT_P999};
	struct limit max = {.figure = FIGURE_LAT_MAX, .dir = DIR_TOTAL};
	struct judgement j;

	(void)state;
	assert_int_equal(at(&p, p99, 32e6).verdict, ACCEPTANCE_PASS);
	assert_int_equal(at(&p, p99, 30e6).verdict, ACCEPTANCE_UNDECIDED);
	assert_int_equal(at(&p, p99, 28e6).verdict, ACCEPTANCE_FAIL);
	assert_int_equal(at(&p, max, 50e6).verdict, ACCEPTANCE_PASS);
	assert_int_equal(at(&p, max, 49e6).verdict, ACCEPTANCE_FAIL);
	/* 10000 I/Os are what p99.9 takes. */
	assert_int_equal(at(&p, p999, 41e6).verdict, ACCEPTANCE_PASS);
	p.dir[DIR_TOTAL].ios = 5000;
	for (int good = 0; good < 2; good++) {
		j = at(&p, p999, good ? 41e6 : 1e6);
		assert_int_equal(j.reason, REASON_FEW_SAMPLES);
		assert_close(j.more_s, 10, 1e-9);
	}
	assert_int_equal(at(&p, p99, 32e6).verdict, ACCEPTANCE_PASS);
	/* A table without counts cannot say that they are too few. */
	p.dir[DIR_TOTAL].ios = UNKNOWN;
	assert_int_equal(at(&p, p999, 41e6).verdict, ACCEPTANCE_PASS);
	p.dir[DIR_TOTAL].lat_p999_ns = UNKNOWN;
	assert_int_equal(at(&p, p999, 41e6).reason, REASON_NO_FIGURE);
}

/* What each flag leaves: of IOPS at least and of latency at most, whether they can pass and fail. */
static void test_bounds(void **state)
{
	static const struct {
		enum flag flag;
		bool iops_pass, iops_fail, lat_pass, lat_fail;
	} rules[] = {
		{FLAG_CPU_BOUND, true, false, true, false},
		{FLAG_SUBMIT_BLOCKED, true, false, true, false},
		{FLAG_DEPTH_NOT_HELD, true, false, false, true},
		{FLAG_RATE_MISSED, true, true, false, true},
		{FLAG_LATE_SUBMIT, true, true, true, false},
		/* The host's queue, a cgroup and the like are notes. */
		{FLAG_QUEUE_LIMITED, true, true, true, true},
		{FLAG_THROTTLED, true, true, true, true},
		{FLAG_UNSTEADY, true, true, true, true},
		{FLAG_FEW_SAMPLES, true, true, true, true},
	};

	(void)state;
	for (size_t i = 0; i < NR(rules); i++) {
		struct point p = precise(10, 1000, 0.01);
		struct acceptance_run run = {.points = &p, .nr = 1};
		struct judgement pass[2], fail[2];

		p.flags = FLAG_BIT(rules[i].flag);
		pass[0] = at(&p, iops_at_least, 900);
		fail[0] = at(&p, iops_at_least, 1100);
		pass[1] = at(&p, mean_at_most, 11e6);
		fail[1] = at(&p, mean_at_most, 9e6);
		assert_int_equal(pass[0].verdict == ACCEPTANCE_PASS, rules[i].iops_pass);
		assert_int_equal(fail[0].verdict == ACCEPTANCE_FAIL, rules[i].iops_fail);
		assert_int_equal(pass[1].verdict == ACCEPTANCE_PASS, rules[i].lat_pass);
		assert_int_equal(fail[1].verdict == ACCEPTANCE_FAIL, rules[i].lat_fail);
		for (int k = 0; k < 2; k++) {
			assert_int_not_equal(pass[k].verdict, ACCEPTANCE_FAIL);
			assert_int_not_equal(fail[k].verdict, ACCEPTANCE_PASS);
			assert_true(!fail[k].reason || fail[k].reason == REASON_ONE_SIDED);
		}
		run.accepted = p.flags;
		assert_int_equal(one(&run, iops_at_least, 1100).verdict, ACCEPTANCE_FAIL);
		assert_int_equal(one(&run, mean_at_most, 11e6).verdict, ACCEPTANCE_PASS);
		assert_int_equal(one(&run, mean_at_most, 9e6).verdict, ACCEPTANCE_FAIL);
	}
}

static void test_both_bounds(void **state)
{
	struct point p = precise(10, 1000, 0.01);

	(void)state;
	p.flags = FLAG_BIT(FLAG_CPU_BOUND) | FLAG_BIT(FLAG_DEPTH_NOT_HELD);
	assert_int_equal(at(&p, iops_at_least, 900).verdict, ACCEPTANCE_PASS);
	assert_int_equal(at(&p, mean_at_most, 11e6).reason, REASON_ONE_SIDED);
	assert_int_equal(at(&p, mean_at_most, 9e6).reason, REASON_ONE_SIDED);
	assert_int_equal(at(&p, mean_at_most, 9e6).bound, BOUND_NONE);
}

static void test_spoiled(void **state)
{
	struct point p = precise(10, 1000, 0.01);
	struct acceptance_run run = {.points = &p, .nr = 1, .accepted = FLAG_BIT(FLAG_HOST_CACHE)};
	struct judgement j;

	(void)state;
	p.flags = FLAG_BIT(FLAG_HOST_CACHE) | FLAG_BIT(FLAG_SPLIT);
	j = at(&p, iops_at_least, 1);
	assert_int_equal(j.reason, REASON_INVALID);
	assert_int_equal(j.spoiled, FLAG_BIT(FLAG_HOST_CACHE));
	assert_int_equal(at(&p, mean_at_most, 1).reason, REASON_INVALID);
	assert_int_equal(one(&run, iops_at_least, 1).verdict, ACCEPTANCE_PASS);
}

static void test_stalled(void **state)
{
	struct point p = precise(10, 1000, 0.01);
	struct limit p99 = {.figure = FIGURE_LAT, .dir = DIR_TOTAL, .stat = LAT_P99};

	(void)state;
	p.flags = FLAG_BIT(FLAG_STALL);
	assert_int_equal(at(&p, iops_at_least, 1).reason, REASON_INVALID);
	assert_int_equal(at(&p, mean_at_most, 1e9).reason, REASON_INVALID);
	assert_int_equal(at(&p, p99, 1e9).verdict, ACCEPTANCE_PASS);
	assert_int_equal(at(&p, p99, 1e6).verdict, ACCEPTANCE_FAIL);
}

static void test_states(void **state)
{
	(void)state;
	for (enum point_status s = 0; s < POINT_STATUS_NR; s++) {
		struct point p = precise(10, 1000, 0.01);

		p.status = s;
		assert_int_equal(at(&p, iops_at_least, 1).reason,
				 s == POINT_OK ? REASON_NONE : REASON_INVALID);
	}
}

static void test_missing(void **state)
{
	struct point p = make(10, 1000);
	struct limit l = iops_at_least;
	struct requirement req = {.limit = &l, .nr = 1};
	struct acceptance_run run = {.points = &p, .nr = 1};
	struct class_result r;

	(void)state;
	l.value = 1;
	req.at[AXIS_IODEPTH] = (struct axis_condition){.is_given = true, .value = 11};
	judge(&req, 1, &run, &r);
	assert_int_equal(r.nr, 1);
	assert_int_equal(r.v[0].reason, REASON_NO_POINT);
	assert_null(r.v[0].point);
	assert_int_equal(r.verdict, ACCEPTANCE_UNDECIDED);
	class_result_release(&r);
	run.nr = 0;
	req.at[AXIS_IODEPTH].is_given = false;
	judge(&req, 1, &run, &r);
	assert_int_equal(r.v[0].reason, REASON_NO_POINT);
	class_result_release(&r);
}

static bool matches(const struct point_spec *s, enum axis axis, struct axis_condition c,
		    uint64_t size)
{
	struct requirement req = {.nr = 0};

	c.is_given = true;
	req.at[axis] = c;
	return acceptance_matches(&req, s, size);
}

static void test_conditions(void **state)
{
	struct point_spec s = make(64, 1).spec;
	const struct {
		enum axis axis;
		uint64_t value;
	} same[] = {
		{AXIS_RW, RW_RANDRW}, {AXIS_BS, 8192},	    {AXIS_IODEPTH, 64},
		{AXIS_WORKERS, 1},    {AXIS_RWMIXREAD, 70}, {AXIS_RANDOM_PCT, 100},
		{AXIS_SPAN, 1 << 30},
	};

	(void)state;
	for (size_t i = 0; i < NR(same); i++) {
		struct axis_condition c = {.value = same[i].value};

		assert_true(matches(&s, same[i].axis, c, 0));
		c.value += same[i].axis == AXIS_SPAN ? 8192 : 1;
		assert_false(matches(&s, same[i].axis, c, 0));
	}
	/* Spans are whole blocks; per cent are of the target, however the point asked. */
	assert_true(matches(&s, AXIS_SPAN, (struct axis_condition){.value = (1 << 30) + 100}, 0));
	assert_true(matches(&s, AXIS_SPAN,
			    (struct axis_condition){.is_percent = true, .value = 250000},
			    (4ULL << 30) + 5));
	assert_false(matches(&s, AXIS_SPAN,
			     (struct axis_condition){.is_percent = true, .value = 250000}, 0));
	s.span_e4 = 250000;
	assert_true(matches(&s, AXIS_SPAN,
			    (struct axis_condition){.is_percent = true, .value = 250000}, 0));
	/* Closed loops, rates in IOPS and in per cent. */
	assert_true(matches(&s, AXIS_RATE, (struct axis_condition){.is_none = true}, 0));
	s.rate_ask_iops = 500;
	assert_false(matches(&s, AXIS_RATE, (struct axis_condition){.is_none = true}, 0));
	assert_true(matches(&s, AXIS_RATE, (struct axis_condition){.value = 500}, 0));
	s.rate_ask_iops = 0;
	s.rate_e4 = 500;
	assert_false(matches(&s, AXIS_RATE, (struct axis_condition){.value = 500}, 0));
	assert_true(matches(&s, AXIS_RATE,
			    (struct axis_condition){.is_percent = true, .value = 500}, 0));
	s.is_anchor = true;
	assert_false(acceptance_matches(&(struct requirement){.nr = 0}, &s, 0));
}

/* Without conditions every point must pass; of one direction, those that go there. */
static void test_every_point(void **state)
{
	struct point p[3] = {make(1, 500), make(8, 1000), make(16, 2000)};
	struct limit l[2] = {iops_at_least, {.figure = FIGURE_IOPS, .dir = DIR_WRITE}};
	struct requirement req = {.limit = l, .nr = 2};
	struct acceptance_run run = {.points = p, .nr = 3};
	struct class_result r;

	(void)state;
	l[0].value = 800;
	l[1].value = 100;
	p[2].spec.rw = RW_RANDREAD;
	p[2].spec.rwmixread_pct = 100;
	judge(&req, 1, &run, &r);
	assert_int_equal(r.nr, 5);
	assert_int_equal(r.nr_verdict[ACCEPTANCE_FAIL], 1);
	assert_int_equal(r.nr_verdict[ACCEPTANCE_PASS], 4);
	assert_int_equal(r.verdict, ACCEPTANCE_FAIL);
	assert_ptr_equal(r.v[0].point, &p[0]);
	assert_ptr_equal(r.v[4].point, &p[2]);
	assert_int_equal(r.v[4].limit->dir, DIR_TOTAL);
	class_result_release(&r);
}

static void test_offered(void **state)
{
	struct point p = precise(256, 500, 0.01);

	(void)state;
	p.spec.rate_ask_iops = 500;
	p.rate_iops = 500;
	assert_int_equal(at(&p, iops_at_least, 400).verdict, ACCEPTANCE_PASS);
	assert_int_equal(at(&p, iops_at_least, 600).reason, REASON_OFFERED);
	/* What was missed is all that the target does. */
	p.flags = FLAG_BIT(FLAG_RATE_MISSED);
	assert_int_equal(at(&p, iops_at_least, 600).verdict, ACCEPTANCE_FAIL);
}

static void pack_all(struct point *p, uint64_t ns, int nr)
{
	struct hist *h = xmalloc(sizeof(*h));

	hist_init(h);
	for (int i = 0; i < nr; i++)
		hist_add(h, ns);
	for (enum dir d = DIR_READ; d <= DIR_WRITE; d++)
		hist_pack(h, &p->lat_hist[d]);
	free(h);
}

/* Repeats, the anchor among them, and the one that is spoiled. */
static void test_repeats(void **state)
{
	struct point p[5] = {precise(10, 1000, 0.001), precise(10, 900, 0.001),
			     precise(10, 1010, 0.001), precise(10, 1020, 0.001),
			     precise(10, 1, 0.001)};
	struct acceptance_run run = {.points = p, .nr = 5};
	struct limit p99 = {.figure = FIGURE_LAT, .dir = DIR_READ, .stat = LAT_P99};
	struct limit max = {.figure = FIGURE_LAT_MAX, .dir = DIR_TOTAL};
	struct judgement j;

	(void)state;
	p[1].spec.is_anchor = true;
	for (uint32_t i = 2; i < 5; i++)
		p[i].spec.repeat = i;
	p[4].flags = FLAG_BIT(FLAG_FOREIGN_LOAD);
	for (size_t i = 0; i < 4; i++)
		pack_all(&p[i], i == 3 ? 20000000 : 1000000, i == 3 ? 9 : 1000);
	j = one(&run, iops_at_least, 900);
	assert_int_equal(j.nr_rows, 4);
	assert_int_equal(j.nr_repeats, 3);
	assert_within(j.value, 1010, 1e-9);
	/* Student's t for two degrees of freedom, and the standard error of 1000, 1010, 1020. */
	assert_within(j.low, 1010 - 4.302653 * 10 / sqrt(3), 1e-6);
	assert_int_equal(j.verdict, ACCEPTANCE_PASS);
	j = one(&run, iops_at_least, 1005);
	assert_int_equal(j.reason, REASON_INTERVAL);
	assert_within(j.more_repeats, ceil(3 * (pow(4.302653 * 10 / sqrt(3) / 5, 2) - 1)), 0);
	/* Percentiles are of all latencies together: 9 slow ones of 2009 are no p99. */
	assert_close(one(&run, p99, 2e6).value, 1e6, 0.01);
	assert_within(one(&run, max, 1e9).value, p[0].dir[DIR_TOTAL].lat_max_ns, 1e-6);
	p[3].dir[DIR_TOTAL].lat_max_ns = UNKNOWN;
	assert_int_equal(one(&run, max, 1e9).reason, REASON_NO_FIGURE);
	for (size_t i = 0; i < 5; i++)
		point_release(&p[i]);
}

/* Spread alone is an interval too: one without a series among them does not take it away. */
static void test_unsteady_repeat(void **state)
{
	struct point p[2] = {precise(10, 1000, 0.001), make(10, 1100)};
	struct acceptance_run run = {.points = p, .nr = 2};
	struct judgement j;

	(void)state;
	p[1].spec.repeat = 2;
	j = one(&run, iops_at_least, 1040);
	assert_int_equal(j.reason, REASON_INTERVAL);
	assert_within(j.low, 1050 - 12.706205 * 50, 1e-6);
}

static void fill(struct interval *v, size_t nr, uint32_t ios)
{
	for (size_t i = 0; i < nr; i++)
		v[i] = (struct interval){.ios = {ios / 2, ios - ios / 2}};
}

static struct judgement guaranteed(struct point_series *series, double limit, uint32_t share_e4,
				   uint64_t over_ns, flag_set flags)
{
	struct limit l = {.figure = FIGURE_GUARANTEED_IOPS,
			  .dir = DIR_TOTAL,
			  .share_e4 = share_e4,
			  .over_ns = over_ns};
	struct point p = make(10, 1000);
	struct acceptance_run run = {.points = &p, .nr = 1, .series = series};

	p.flags = flags;
	return one(&run, l, limit);
}

static void test_guaranteed(void **state)
{
	struct interval v[200];
	struct point_series s = {v, 200, NS_PER_S / 10, 20 * NS_PER_S};
	struct judgement j;

	(void)state;
	fill(v, 200, 100); /* 1000 IOPS */
	j = guaranteed(&s, 1000, 990000, NS_PER_S, 0);
	assert_int_equal(j.verdict, ACCEPTANCE_PASS);
	assert_within(j.value, 1000, 1e-9);
	assert_within(j.intervals, 20, 0);
	assert_within(j.share, 1, 0);
	assert_int_equal(guaranteed(&s, 1001, 990000, NS_PER_S, 0).verdict, ACCEPTANCE_FAIL);
	/* One second of 20 at 900: 95 % hold, 99 % do not. */
	v[55].ios[DIR_READ] = v[55].ios[DIR_WRITE] = 0;
	j = guaranteed(&s, 1000, 990000, NS_PER_S, 0);
	assert_int_equal(j.verdict, ACCEPTANCE_FAIL);
	assert_within(j.value, 900, 1e-9);
	assert_within(j.share, 0.95, 1e-12);
	assert_int_equal(guaranteed(&s, 1000, 950000, NS_PER_S, 0).verdict, ACCEPTANCE_PASS);
	assert_int_equal(guaranteed(&s, 1000, 950001, NS_PER_S, 0).verdict, ACCEPTANCE_FAIL);
	/* Of the stored tenths it is 1 of 200, which 99 % allow. */
	j = guaranteed(&s, 1000, 990000, NS_PER_S / 10, 0);
	assert_within(j.intervals, 200, 0);
	assert_int_equal(j.verdict, ACCEPTANCE_PASS);
	/* A part of an interval at the end of the window counts nowhere. */
	s.window_ns = 19 * NS_PER_S + NS_PER_S / 2;
	assert_within(guaranteed(&s, 1000, 990000, NS_PER_S, 0).intervals, 19, 0);
	/* The whole mean is not what is asked: half of the time twice the IOPS is no guarantee. */
	s.window_ns = 20 * NS_PER_S;
	fill(v, 100, 0);
	fill(v + 100, 100, 200);
	j = guaranteed(&s, 900, 990000, NS_PER_S, FLAG_BIT(FLAG_STALL));
	assert_int_equal(j.verdict, ACCEPTANCE_FAIL);
	assert_within(j.value, 0, 0);
	assert_int_equal(guaranteed(&s, 900, 990000, NS_PER_S, FLAG_BIT(FLAG_CPU_BOUND)).reason,
			 REASON_ONE_SIDED);
	assert_int_equal(guaranteed(&s, 900, 990000, NS_PER_S, FLAG_BIT(FLAG_HOST_CACHE)).reason,
			 REASON_INVALID);
}

static void test_few_intervals(void **state)
{
	struct interval v[95];
	struct point_series s = {v, 95, NS_PER_S / 10, 95 * NS_PER_S / 10};
	struct point_series none = {NULL, 0, 0, 0};
	struct judgement j;

	(void)state;
	fill(v, 95, 100);
	j = guaranteed(&s, 1000, 990000, NS_PER_S, 0);
	assert_int_equal(j.reason, REASON_FEW_INTERVALS);
	assert_within(j.intervals, 9, 0);
	assert_within(j.more_s, 1, 1e-9);
	/* A break is a break, however short the window. */
	assert_int_equal(guaranteed(&s, 1001, 990000, NS_PER_S, 0).verdict, ACCEPTANCE_FAIL);
	j = guaranteed(&s, 1000, 990000, 60 * NS_PER_S, 0);
	assert_int_equal(j.reason, REASON_FEW_INTERVALS);
	assert_unknown(j.value);
	assert_int_equal(guaranteed(&none, 1, 990000, NS_PER_S, 0).reason, REASON_NO_SERIES);
	assert_int_equal(guaranteed(NULL, 1, 990000, NS_PER_S, 0).reason, REASON_NO_SERIES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("the whole interval decides", test_interval),
		titled_test("an interval narrows with the root of time", test_more_time),
		titled_test("without an interval the figure is compared", test_no_interval),
		titled_test("reads, writes and the total are judged apart", test_directions),
		titled_test("percentiles take samples, the maximum does not", test_percentiles),
		titled_test("a bound decides on its own side only", test_bounds),
		titled_test("bounds from both sides decide nothing", test_both_bounds),
		titled_test("a spoiled point decides nothing unless accepted", test_spoiled),
		titled_test("a stall leaves percentiles", test_stalled),
		titled_test("only a point that is ok decides", test_states),
		titled_test("a point that is missing is undecided", test_missing),
		titled_test("conditions are met or not, axis by axis", test_conditions),
		titled_test("every point that matches must pass", test_every_point),
		titled_test("a sustained load is a lower bound", test_offered),
		titled_test("repeats are put together as in curves", test_repeats),
		titled_test("the spread of repeats is an interval", test_unsteady_repeat),
		titled_test("guaranteed IOPS are what a share of the time reaches",
			    test_guaranteed),
		titled_test("a short window can break a guarantee, not keep it",
			    test_few_intervals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
