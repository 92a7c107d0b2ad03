/* SPDX-License-Identifier: MIT */
/* Charts of free axes: what is chosen, how it is split, and what stays visible. */
#include "unit.h"

#include "chart_golden.h"
#include "report/chart_free.h"
#include "report_fixture.h"

static struct chart_choice choose(const char *x, const char *series, const char *panel,
				  const char *y)
{
	struct str_list list = {0};
	struct chart_choice c;
	struct err e = {0};

	if (y)
		str_list_add(&list, y);
	if (chart_choice_parse(&c, x, series, panel, &list, &e))
		fail_msg("%s", e.msg);
	str_list_release(&list);
	return c;
}

static void assert_refused(const char *x, const char *series, const char *panel, const char *y,
			   const char *why)
{
	struct str_list list = {0};
	struct chart_choice c;
	struct err e = {0};

	if (y)
		str_list_add(&list, y);
	assert_int_equal(chart_choice_parse(&c, x, series, panel, &list, &e), -1);
	assert_int_equal(e.code, ERR_USAGE);
	if (!strstr(e.msg, why))
		fail_msg("'%s' does not say '%s'", e.msg, why);
	str_list_release(&list);
}

static void draw(const struct report *r, const char *x, const char *series, const char *panel,
		 const char *y, struct charts *out)
{
	struct chart_choice c = choose(x, series, panel, y);
	struct err e = {0};

	*out = (struct charts){0};
	if (chart_draw_free(out, r, &c, &e))
		fail_msg("%s", e.msg);
}

static void test_refuses(void **state)
{
	(void)state;
	assert_refused("size", NULL, NULL, NULL, "--x: 'size' is no axis: use rw, bs,");
	assert_refused("bs", "rw", "bs", NULL, "--x and --panel are both 'bs'");
	assert_refused("bs", "target", "run", NULL, "--series and --panel are both 'run'");
	assert_refused("bs", "iops", NULL, NULL, "--series: achieved IOPS are no axis");
	assert_refused("bs", NULL, NULL, "iops,speed", "--y: 'speed' is no figure: use iops,");
	assert_refused("bs", NULL, NULL, "p99,p99", "--y: 'p99' is there twice");
	assert_refused("bs", NULL, NULL, "", "--y: '' is no figure");
	assert_refused("iops", NULL, NULL, "iops", "--x and --y are both 'iops'");
}

static void test_usual_figures(void **state)
{
	struct chart_choice c = choose("bs", NULL, NULL, NULL);

	(void)state;
	assert_int_equal(c.nr_y, 2);
	assert_int_equal(c.y[0], CHART_Y_IOPS);
	c = choose("iops", NULL, NULL, NULL);
	assert_int_equal(c.nr_y, 1);
	assert_int_equal(c.y[0], CHART_Y_MEAN);
}

/* Tests 9 and 10 of the study at every depth, and its eight tables in one picture. */
static void test_ult(void **state)
{
	struct fixture f;
	struct charts c;

	(void)state;
	fixture_init(&f);
	assert_true(fixture_load_ult(&f));
	fixture_analyze(&f);
	draw(&f.report, "span", "iodepth", "rw", NULL, &c);
	assert_int_equal(c.nr, 2);
	assert_data_golden(&c, "x-span-series-iodepth-panel-rw-1", "ult-");
	assert_data_golden(&c, "x-span-series-iodepth-panel-rw-2", "ult-");
	charts_release(&c);
	draw(&f.report, "iodepth", "span", "rw", "iops,lat-mean,util", &c);
	assert_int_equal(c.nr, 1);
	assert_int_equal(c.v[0].rows, 3);
	assert_data_golden(&c, "x-iodepth-series-span-panel-rw-y-iops-lat-mean-util", "ult-");
	charts_release(&c);
	fixture_release(&f);
}

/* Failed points are gaps, spoiled ones hollow, and the share of reads that the pattern implies splits
 * nothing. */
static void test_mini(void **state)
{
	struct fixture f;
	struct charts c;

	(void)state;
	fixture_load_mini(&f);
	draw(&f.report, "iodepth", "span", "rw", "iops,p99", &c);
	assert_int_equal(c.nr, 1);
	assert_chart_golden(&c, "x-iodepth-series-span-panel-rw-y-iops-p99", "mini-");
	charts_release(&c);
	/* One value of an axis is enough. */
	draw(&f.report, "bs", "rw", "workers", NULL, &c);
	assert_non_null(strstr(c.v[0].name, "x-bs-series-rw-panel-workers-span-1G-iodepth-1"));
	assert_int_equal(c.v[0].cols, 1);
	charts_release(&c);
	fixture_release(&f);
}

static void add_sized(struct fixture *f, uint64_t bs, uint64_t span, uint32_t depth, double iops)
{
	fixture_add(f, RW_RANDREAD, span, depth, iops, 1000 * depth / iops, UNKNOWN)
		->spec.bs_bytes = bs;
}

/* 12 depths, 10 block sizes, 3 spans. */
static void load_many(struct fixture *f)
{
	fixture_init(f);
	for (unsigned bs = 0; bs < 10; bs++)
		for (unsigned span = 1; span <= 3; span++)
			for (uint32_t depth = 1; depth <= 2048; depth *= 2)
				add_sized(f, 512ULL << bs, span * GIB, depth,
					  1000.0 * depth / (1 + depth / 24.0) / (1 + bs) / span);
	fixture_analyze(f);
}

static void test_many(void **state)
{
	const struct picture *first, *last;
	struct fixture f;
	struct charts c;

	(void)state;
	load_many(&f);
	draw(&f.report, "iodepth", "bs", "span", NULL, &c);
	assert_int_equal(c.nr, 2);
	first = chart_get(&c, "x-iodepth-series-bs-panel-span-1");
	last = chart_get(&c, "x-iodepth-series-bs-panel-span-2");
	assert_int_equal(first->cols, 3);
	assert_int_equal(first->panel[0].nr_series + last->panel[0].nr_series, 10);
	assert_true(first->panel[0].nr_series <= PICTURE_MAX_SERIES);
	/* Both have the scale of all. */
	assert_within(first->panel[0].y.max, last->panel[0].y.max, 0);
	assert_within(first->panel[0].y.min, last->panel[0].y.min, 0);
	charts_release(&c);
	/* 10 panels go into pictures of four at most, and what was not chosen splits them. */
	draw(&f.report, "span", NULL, "bs", "iops", &c);
	assert_int_equal(c.nr, 12 * 3);
	chart_get(&c, "x-span-panel-bs-y-iops-iodepth-2048-3");
	for (size_t i = 0; i < c.nr; i++)
		assert_true(c.v[i].cols <= 4);
	charts_release(&c);
	fixture_release(&f);
}

/* The share of reads as an axis joins pure and mixed patterns. */
static void test_mix(void **state)
{
	const struct series *s;
	struct fixture f;
	struct charts c;

	(void)state;
	fixture_init(&f);
	fixture_add(&f, RW_RANDREAD, GIB, 8, 4000, 2, UNKNOWN);
	fixture_mix(fixture_add(&f, RW_RANDRW, GIB, 8, 3000, 2.7, UNKNOWN), 0.7);
	fixture_add(&f, RW_RANDWRITE, GIB, 8, 2000, 4, UNKNOWN);
	fixture_add(&f, RW_READ, GIB, 8, 9000, 0.9, UNKNOWN);
	fixture_analyze(&f);
	draw(&f.report, "rwmixread", NULL, NULL, NULL, &c);
	assert_int_equal(c.nr, 2);
	s = &chart_get(&c, "x-rwmixread-rw-random")->panel[0].series[0];
	assert_int_equal(s->nr, 3);
	assert_within(s->cell[0].x, 0, 0);
	assert_within(s->cell[1].x, 70, 0);
	assert_within(s->cell[1].y, 3000, 0);
	charts_release(&c);
	/* Patterns are classes: bars. */
	draw(&f.report, "rw", NULL, NULL, "mib", &c);
	assert_int_equal(c.nr, 1);
	assert_int_equal(c.v[0].panel[0].series[0].look, LOOK_BARS);
	assert_int_equal(c.v[0].panel[0].x.nr_ticks, 4);
	charts_release(&c);
	fixture_release(&f);
}

static void test_loads(void **state)
{
	struct chart_choice rate = choose("rate", "span", NULL, NULL);
	struct charts c = {0};
	struct fixture f;
	struct err e = {0};

	(void)state;
	fixture_load_loads(&f);
	draw(&f.report, "rate", NULL, NULL, "iops,lat-mean,p99", &c);
	assert_int_equal(c.nr, 1);
	assert_data_golden(&c, "x-rate-y-iops-lat-mean-p99", "loads-");
	/* A cap is a line only where its latency is the axis. */
	assert_int_equal(c.v[0].panel[0].nr_rules, 0);
	assert_int_equal(c.v[0].panel[1].nr_rules, 1);
	assert_string_equal(c.v[0].panel[1].rule[0].label, "mean <= 2 ms");
	assert_int_equal(c.v[0].panel[2].nr_rules, 1);
	assert_string_equal(c.v[0].panel[2].rule[0].label, "p99 <= 30 ms");
	charts_release(&c);
	fixture_release(&f);
	fixture_init(&f);
	fixture_add(&f, RW_READ, GIB, 1, 100, 10, UNKNOWN);
	fixture_analyze(&f);
	assert_int_equal(chart_draw_free(&c, &f.report, &rate, &e), -1);
	assert_int_equal(e.code, ERR_DATA);
	assert_int_equal(c.nr, 0);
	fixture_release(&f);
}

/* A response curve goes along its depths, and depths split nothing. */
static void test_response(void **state)
{
	struct fixture f;
	struct charts c;

	(void)state;
	fixture_init(&f);
	assert_true(fixture_load_ult(&f));
	fixture_analyze(&f);
	draw(&f.report, "iops", "span", "rw", NULL, &c);
	assert_int_equal(c.nr, 1);
	assert_int_equal(c.v[0].panel[0].series[0].nr, 9);
	assert_true(c.v[0].panel[0].series[0].cell[0].y < c.v[0].panel[0].series[0].cell[8].y);
	charts_release(&c);
	fixture_release(&f);
}

/* 0 has no place on a log axis, and unknown figures are gaps. */
static void test_zeros(void **state)
{
	struct fixture f;
	struct charts c;

	(void)state;
	fixture_init(&f);
	fixture_add(&f, RW_READ, GIB, 1, 0, 0, UNKNOWN);
	fixture_add(&f, RW_READ, GIB, 2, 100, UNKNOWN, UNKNOWN);
	fixture_analyze(&f);
	draw(&f.report, "iodepth", NULL, NULL, NULL, &c);
	assert_true(picture_has_points(&c.v[0]));
	assert_int_equal(picture_panel(&c.v[0], 1, 0)->series[0].cell[0].kind, CELL_GAP);
	assert_true(caption_says(&c.v[0], "mean latency not known"));
	charts_release(&c);
	fixture_release(&f);
}

/* ---- several runs ---- */

#define NR_RUNS 3

struct runs {
	struct fixture f[NR_RUNS];
	struct report_run run[NR_RUNS];
	struct report report;
};

/* Two targets with one label, and one under a name that is too long; the last has a span of its own. */
static void load_runs(struct runs *r)
{
	static const double speed[NR_RUNS] = {1000, 900, 2000};

	for (size_t i = 0; i < NR_RUNS; i++) {
		struct fixture *f = &r->f[i];

		fixture_init(f);
		f->info.id = (int64_t)i + 1;
		free(f->info.target_given);
		f->info.target_given = xasprintf("/tmp/x/%zu/disk.img", i);
		f->info.target_identity = xasprintf("id-%zu", i);
		f->info.target_label = xstrdup(i < 2 ? "disk"
						     : "an array of spinning disks in "
						       "the second room on the left");
		for (uint32_t d = 1; d <= 64; d *= 2)
			fixture_add(f, RW_RANDREAD, GIB, d, speed[i] * fmin(d, 8),
				    d / (speed[i] / 1e3 * fmin(d, 8)), 3 + d);
		if (i == 2)
			fixture_add(f, RW_RANDWRITE, GIB, 8, 500, 16, 20);
	}
	fixture_fail(&r->f[1].point[3], POINT_FAILED, "errors");
	for (size_t i = 0; i < NR_RUNS; i++) {
		fixture_analyze(&r->f[i]);
		r->run[i] = r->f[i].run;
	}
	r->report = (struct report){.runs = r->run, .nr_runs = NR_RUNS};
}

static void release_runs(struct runs *r)
{
	for (size_t i = 0; i < NR_RUNS; i++)
		fixture_release(&r->f[i]);
}

static void test_targets(void **state)
{
	struct charts c = {0};
	struct runs r;

	(void)state;
	load_runs(&r);
	chart_draw_targets(&c, &r.report);
	/* Writes are of one run only, so there is nothing to compare them with. */
	assert_int_equal(c.nr, 2);
	assert_chart_golden(&c, "targets-depth-rw-randread", "runs-");
	assert_data_golden(&c, "targets-response-rw-randread", "runs-");
	charts_release(&c);
	r.report.nr_runs = 1;
	chart_draw_targets(&c, &r.report);
	assert_int_equal(c.nr, 0);
	release_runs(&r);
}

/* Without the target among the axes each run has a picture, and all have one scale. */
static void test_runs_split(void **state)
{
	struct charts c;
	struct runs r;

	(void)state;
	load_runs(&r);
	draw(&r.report, "iodepth", NULL, NULL, "iops", &c);
	assert_int_equal(c.nr, 4);
	assert_within(chart_get(&c, "x-iodepth-y-iops-rw-randread-run1")->panel[0].y.max, 16000, 1);
	assert_within(chart_get(&c, "x-iodepth-y-iops-rw-randread-run3")->panel[0].y.max, 16000, 1);
	charts_release(&c);
	release_runs(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("unknown axes and figures, and those given twice, are refused",
			    test_refuses),
		titled_test("without --y there are IOPS and mean latency", test_usual_figures),
		titled_test("the ULT study by any axes", test_ult),
		titled_test("gaps, hollow points and hostile names", test_mini),
		titled_test("many curves and panels are split and keep one scale", test_many),
		titled_test("the share of reads joins pure and mixed patterns", test_mix),
		titled_test("offered loads have an axis, closed loops none", test_loads),
		titled_test("a response curve follows its depths", test_response),
		titled_test("zeros and unknown figures are gaps", test_zeros),
		titled_test("runs of several targets lie over each other", test_targets),
		titled_test("runs split pictures where they are no axis", test_runs_split),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
