/* SPDX-License-Identifier: MIT */
/* Charts of comparisons: ratios with their intervals, and bars of many runs. */
#include "unit.h"

#include "analyze/compare.h"
#include "chart_golden.h"
#include "report/chart_compare.h"
#include "report_fixture.h"

#define MAX_RUNS 20

struct runs {
	struct fixture f[MAX_RUNS];
	struct report_run run[MAX_RUNS];
	struct report report;
};

static void begin(struct runs *r, size_t nr)
{
	*r = (struct runs){.report = {.runs = r->run, .nr_runs = nr}};
	for (size_t i = 0; i < nr; i++) {
		fixture_init(&r->f[i]);
		r->f[i].info.id = (int64_t)i + 1;
		r->f[i].info.target_label = xasprintf("array %zu", i + 1);
	}
}

static void finish(struct runs *r)
{
	for (size_t i = 0; i < r->report.nr_runs; i++) {
		fixture_add_cap(&r->f[i], LAT_MEAN, 10);
		fixture_analyze(&r->f[i]);
		r->run[i] = r->f[i].run;
	}
}

static void release(struct runs *r)
{
	for (size_t i = 0; i < r->report.nr_runs; i++)
		fixture_release(&r->f[i]);
}

/* Runs of A and B in turn; B is this many times as fast at each depth, and runs differ by noise. */
static void load_groups(struct runs *r, size_t nr, const double *speed, double noise)
{
	begin(r, nr);
	for (size_t i = 0; i < nr; i++) {
		for (unsigned d = 0; d < 5; d++) {
			double way = (double)(i / 2) - 1, k = i % 2 ? speed[d] : 1;
			double iops = 1000.0 * (1 + d) * k * (1 + noise * way);

			fixture_add(&r->f[i], RW_RANDREAD, GIB, 1U << d, iops,
				    (1U << d) * 1e3 / iops, UNKNOWN);
		}
	}
	finish(r);
}

static struct compare_curve curves[MAX_RUNS];
static const struct run_info *infos[MAX_RUNS];

/* Of even runs against odd ones. */
static void draw(const struct runs *r, struct charts *out)
{
	struct compare_run run[MAX_RUNS];
	size_t half = r->report.nr_runs / 2;
	struct compare_group group[2] = {{run, half}, {run + half, half}};
	struct compare_how how = {.iops = true, .lat = true, .caps = r->run[0].caps, .nr_caps = 1};
	struct comparison c;
	struct compare_report report = {
		.group = {{infos, half}, {infos + half, half}}, .c = &c, .order = ORDER_UNKNOWN};

	for (size_t i = 0; i < r->report.nr_runs; i++) {
		size_t at = i / 2 + (i % 2 ? half : 0);

		curves[at] =
			(struct compare_curve){r->run[i].curves[0].curve, &r->run[i].curves[0].knee,
					       r->run[i].curves[0].cap};
		run[at] = (struct compare_run){&curves[at], 1, 0};
		infos[at] = r->run[i].info;
	}
	compare_groups(group, &how, &c);
	charts_build_compare(&report, &r->report, out);
	comparison_release(&c);
}

static const struct series *get_series(const struct panel *p, const char *name)
{
	for (size_t i = 0; i < p->nr_series; i++)
		if (!strcmp(buf_text(&p->series[i].name), name))
			return &p->series[i];
	fail_msg("there is no series %s", name);
	abort();
}

static void test_ratios(void **state)
{
	static const double speed[] = {1, 1.2, 0.9, 1.03, 1.5};
	const struct series *s;
	const struct picture *p;
	struct charts c;
	struct runs r;

	(void)state;
	load_groups(&r, 6, speed, 0.012);
	draw(&r, &c);
	assert_chart_golden(&c, "ratios", "");
	p = chart_get(&c, "ratios");
	s = get_series(&p->panel[0], "B better (N*: higher)");
	assert_within(s->cell[0].x, 1.2, 1e-3);
	assert_true(s->cell[0].x_low < 1.2 && s->cell[0].x_high > 1.2);
	assert_int_equal(get_series(&p->panel[0], "equivalent")->nr, 1);
	assert_int_equal(get_series(&p->panel[0], "inconclusive")->nr, 1);
	assert_within(get_series(&p->panel[0], "B worse (N*: lower)")->cell[0].x, 0.9, 1e-3);
	/* A longer latency is worse. */
	s = get_series(&p->panel[1], "B worse (N*: lower)");
	assert_true(s->cell[0].x > 1);
	/* The curves of all runs over each other. */
	assert_int_equal(chart_get(&c, "targets-depth")->panel[0].nr_series, 6);
	charts_release(&c);
	release(&r);
}

static void test_untested(void **state)
{
	static const double speed[] = {1, 1.2, 0.9, 1.03, 1.5};
	const struct picture *p;
	struct charts c;
	struct runs r;

	(void)state;
	load_groups(&r, 2, speed, 0);
	draw(&r, &c);
	p = chart_get(&c, "ratios");
	assert_int_equal(p->panel[0].nr_series, 1);
	assert_string_equal(buf_text(&p->panel[0].series[0].name), "not tested");
	assert_unknown(p->panel[0].series[0].cell[0].x_low);
	charts_release(&c);
	release(&r);
}

static void test_limited(void **state)
{
	const struct series *s;
	const struct picture *p;
	struct charts c;
	struct runs r;

	(void)state;
	begin(&r, 2);
	for (size_t i = 0; i < 2; i++)
		for (unsigned d = 1; d <= 2; d++)
			fixture_add(&r.f[i], RW_READ, GIB, d, 100 * d, 10, UNKNOWN);
	r.f[1].point[1].flags = FLAG_BIT(FLAG_CPU_BOUND);
	finish(&r);
	draw(&r, &c);
	p = chart_get(&c, "ratios");
	s = &p->panel[0].series[0];
	assert_int_equal(s->cell[0].kind, CELL_VALID);
	assert_int_equal(s->cell[1].kind, CELL_LIMITED);
	assert_true(caption_says(p, "Crossed, since limited: d2, B cpu-bound"));
	charts_release(&c);
	release(&r);
}

static void test_nothing_common(void **state)
{
	struct charts c;
	struct runs r;

	(void)state;
	begin(&r, 2);
	fixture_add(&r.f[0], RW_READ, GIB, 1, 100, 10, UNKNOWN);
	fixture_add(&r.f[1], RW_READ, GIB, 2, 100, 20, UNKNOWN);
	finish(&r);
	draw(&r, &c);
	for (size_t i = 0; i < c.nr; i++)
		assert_true(strncmp(c.v[i].name, "ratios", 6) != 0 || picture_has_points(&c.v[i]));
	charts_release(&c);
	release(&r);
}

/* ---- tables ---- */

static void draw_table(const struct runs *r, struct charts *out)
{
	struct run_table t;

	run_table_build(&r->report, &t);
	charts_build_table(&t, &r->report, out);
	run_table_release(&t);
}

static void test_table(void **state)
{
	struct charts c;
	struct runs r;

	(void)state;
	begin(&r, 3);
	for (size_t i = 0; i < 3; i++) {
		fixture_add(&r.f[i], RW_RANDREAD, GIB, 8, 1000 * (double)(1 + i),
			    8 / (1 + (double)i), UNKNOWN);
		if (i < 2)
			fixture_mix(fixture_add(&r.f[i], RW_RANDRW, GIB, 8, 900, 9, UNKNOWN), 0.7);
		fixture_add(&r.f[i], RW_RANDWRITE, GIB, 8, 500, 16, UNKNOWN);
	}
	r.f[1].point[0].flags = FLAG_BIT(FLAG_STALL);
	fixture_fail(&r.f[2].point[1], POINT_FAILED, "errors");
	finish(&r);
	draw_table(&r, &c);
	assert_chart_golden(&c, "targets", "");
	charts_release(&c);
	release(&r);
}

static void test_many_targets(void **state)
{
	const struct picture *p;
	struct charts c;
	struct runs r;
	size_t bars = 0;

	(void)state;
	begin(&r, 20);
	for (size_t i = 0; i < 20; i++)
		for (uint32_t d = 1; d <= 2048; d *= 2)
			fixture_add(&r.f[i], RW_RANDREAD, GIB, d, 100 * (double)(i + 1), 1,
				    UNKNOWN);
	finish(&r);
	draw_table(&r, &c);
	p = chart_get(&c, "targets-1");
	for (size_t i = 0; i < c.nr; i++) {
		const struct panel *panel = &c.v[i].panel[0];

		assert_true(panel->nr_series <= PICTURE_MAX_SERIES);
		if (panel->series[0].look != LOOK_BARS)
			continue;
		assert_within(panel->y.max, p->panel[0].y.max, 1e-9);
		for (size_t k = 0; k < panel->nr_series; k++)
			bars += panel->series[k].nr;
	}
	assert_int_equal(bars, 20 * 12);
	charts_release(&c);
	release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("ratios have intervals, and verdicts tell them apart", test_ratios),
		titled_test("one run each gives ratios without intervals", test_untested),
		titled_test("a ratio of what was limited is marked", test_limited),
		titled_test("nothing in common is no picture of ratios", test_nothing_common),
		titled_test("bars of runs, with hollow and missing ones", test_table),
		titled_test("many runs and points go into several pictures of one scale",
			    test_many_targets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
