/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "golden.h"
#include "report/run_table.h"
#include "report_fixture.h"

#define NR_RUNS 3

struct runs {
	struct fixture f[NR_RUNS];
	struct report_run run[NR_RUNS];
	struct report report;
	struct run_table t;
};

/* A mixed point with both directions; total unknown, as a table may have it. */
static void add_mixed(struct fixture *f, double read_iops, double write_iops, double read_ms,
		      double write_ms)
{
	struct point *p = fixture_add(f, RW_RANDRW, GIB, 8, UNKNOWN, UNKNOWN, UNKNOWN);

	p->spec.rwmixread_pct = 60;
	p->dir[DIR_READ].iops = read_iops;
	p->dir[DIR_READ].mib_s = read_iops / 256;
	p->dir[DIR_READ].lat_mean_ns = read_ms * 1e6;
	p->dir[DIR_WRITE].iops = write_iops;
	p->dir[DIR_WRITE].mib_s = write_iops / 256;
	p->dir[DIR_WRITE].lat_mean_ns = write_ms * 1e6;
}

static void load(struct runs *r)
{
	static const double speed[NR_RUNS] = {1000, 900, 2000};

	*r = (struct runs){.report = {NULL, 0}};
	for (size_t i = 0; i < NR_RUNS; i++) {
		struct fixture *f = &r->f[i];

		fixture_init(f);
		f->info.id = (int64_t)i + 1;
		f->info.target_label = i == 2 ? xstrdup("a label that is too long for its column")
					      : xasprintf("array %zu", i + 1);
		for (uint32_t d = 1; d <= 64; d *= 2)
			fixture_add(f, RW_RANDREAD, GIB, d, speed[i] * fmin(d, 8),
				    d / (speed[i] / 1e3 * fmin(d, 8)), UNKNOWN);
		if (i < 2)
			add_mixed(f, 600 + 60 * (double)i, 400 - 40 * (double)i, 5, 10);
	}
	/* The fastest run stalled at depth 4, and failed at 8. */
	r->f[2].point[2].flags = FLAG_BIT(FLAG_STALL);
	fixture_fail(&r->f[2].point[3], POINT_FAILED, "errors");
	/* A repeat that is spoiled, and one that is not, of run 1 at depth 1. */
	fixture_add(&r->f[0], RW_RANDREAD, GIB, 1, 1100, 1, UNKNOWN)->spec.repeat = 2;
	fixture_add(&r->f[0], RW_RANDREAD, GIB, 1, 5000, 1, UNKNOWN)->spec.repeat = 3;
	r->f[0].point[r->f[0].nr - 1].flags = FLAG_BIT(FLAG_HOST_CACHE);
	for (size_t i = 0; i < NR_RUNS; i++) {
		fixture_analyze(&r->f[i]);
		r->run[i] = r->f[i].run;
	}
	r->report = (struct report){.runs = r->run, .nr_runs = NR_RUNS};
	run_table_build(&r->report, &r->t);
}

static void release(struct runs *r)
{
	run_table_release(&r->t);
	for (size_t i = 0; i < NR_RUNS; i++)
		fixture_release(&r->f[i]);
}

static void test_cells(void **state)
{
	const struct run_cell *c;
	struct runs r;

	(void)state;
	load(&r);
	assert_int_equal(r.t.nr_points, 8);
	c = run_table_cell(&r.t, 0, 0);
	assert_int_equal(c->nr_repeats, 2);
	assert_within(c->figure[DIR_TOTAL][TABLE_IOPS], 1050, 1e-9);
	assert_false(c->is_best[DIR_TOTAL][TABLE_IOPS]);
	assert_true(run_table_cell(&r.t, 0, 2)->is_best[DIR_TOTAL][TABLE_IOPS]);
	assert_true(run_table_cell(&r.t, 0, 2)->is_best[DIR_TOTAL][TABLE_LAT]);
	/* Spoiled and failed ones are no best. */
	c = run_table_cell(&r.t, 2, 2);
	assert_true(c->is_there && !c->is_valid && c->nr_repeats == 1);
	assert_within(c->figure[DIR_TOTAL][TABLE_IOPS], 8000, 1e-9);
	assert_true(run_table_cell(&r.t, 2, 0)->is_best[DIR_TOTAL][TABLE_IOPS]);
	assert_unknown(run_table_cell(&r.t, 3, 2)->figure[DIR_TOTAL][TABLE_IOPS]);
	assert_int_equal(run_table_cell(&r.t, 3, 2)->status, POINT_FAILED);
	release(&r);
}

/* Total is the sum, its latency weighted by IOPS. */
static void test_directions(void **state)
{
	const struct run_cell *c;
	struct runs r;

	(void)state;
	load(&r);
	assert_int_equal(r.t.point[7].rw, RW_RANDRW);
	c = run_table_cell(&r.t, 7, 1);
	assert_within(c->figure[DIR_TOTAL][TABLE_IOPS], 1020, 1e-9);
	assert_within(c->figure[DIR_TOTAL][TABLE_MIB_S], 1020 / 256.0, 1e-9);
	assert_within(c->figure[DIR_TOTAL][TABLE_LAT], (660 * 5e6 + 360 * 10e6) / 1020, 1e-3);
	assert_true(c->is_best[DIR_READ][TABLE_IOPS] && !c->is_best[DIR_WRITE][TABLE_IOPS]);
	assert_false(run_table_cell(&r.t, 7, 2)->is_there);
	release(&r);
}

/* O-40: two targets with one label are told apart by their paths. */
static void test_labels(void **state)
{
	struct runs r;

	(void)state;
	load(&r);
	assert_string_equal(run_table_label(&r.t, 1), "array 2");
	for (size_t i = 0; i < 2; i++) {
		free(r.f[i].info.target_label);
		free(r.f[i].info.target_given);
		r.f[i].info.target_label = xstrdup("disk.img");
		r.f[i].info.target_given = xasprintf("/srv/%zu/disk.img", i);
		r.f[i].info.target_identity = xasprintf("file:%zu", i);
	}
	assert_string_equal(run_table_label(&r.t, 1), "/srv/1/disk.img");
	/* The same target again is the same name. */
	free(r.f[1].info.target_identity);
	r.f[1].info.target_identity = xstrdup("file:0");
	assert_string_equal(run_table_label(&r.t, 1), "disk.img");
	release(&r);
}

static void test_text(void **state)
{
	struct buf b = BUF_INIT, bold = BUF_INIT;
	struct runs r;

	(void)state;
	load(&r);
	run_table_text(&b, &r.t, (struct text_style){0});
	assert_golden("run-table.txt", &b);
	/* Bold changes no place of anything. */
	run_table_text(&bold, &r.t, (struct text_style){.color = true});
	assert_non_null(strstr(bold.text, "\033[1m2000*\033[0m"));
	assert_int_equal(text_width(bold.text), text_width(b.text));
	buf_release(&b);
	buf_release(&bold);
	release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("each run has its cell of each point", test_cells),
		titled_test("total is the sum of the directions", test_directions),
		titled_test("one label of two targets is told apart", test_labels),
		titled_test("the table is the golden one, bold or not", test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
