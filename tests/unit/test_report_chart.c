/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "chart_dir.h"
#include "golden.h"
#include "report/chart.h"
#include "report/gnuplot.h"
#include "report_fixture.h"

static const struct chart_how usual = {0};

static struct picture *find(struct charts *c, const char *name)
{
	for (size_t i = 0; i < c->nr; i++)
		if (!strcmp(c->v[i].name, name))
			return &c->v[i];
	fail_msg("there is no chart %s", name);
	return NULL;
}

static void check_goldens(struct charts *c, const char *name, const char *golden)
{
	const struct picture *p = find(c, name);
	struct buf gp = BUF_INIT, dat = BUF_INIT;
	char *gp_name = xasprintf("%s.gp", golden), *dat_name = xasprintf("%s.dat", golden);
	char *txt_name = xasprintf("%s.txt", golden);

	picture_script(p, "png svg", &gp);
	picture_data(p, &dat);
	assert_golden(gp_name, &gp);
	assert_golden(dat_name, &dat);
	assert_golden(txt_name, &p->caption);
	free(gp_name);
	free(dat_name);
	free(txt_name);
	buf_release(&gp);
	buf_release(&dat);
}

static void the_ult_study_gives_its_charts(void **state)
{
	struct fixture f;
	struct charts c;

	(void)state;
	fixture_init(&f);
	assert_true(fixture_load_ult(&f));
	fixture_add_cap(&f, LAT_MEAN, 10);
	fixture_analyze(&f);
	charts_build(&f.report, &usual, &c);
	check_goldens(&c, "iops-depth-randread-4k", "ult-iops-depth-randread-4k");
	check_goldens(&c, "iops-span-4k-d16", "ult-iops-span-4k-d16");
	check_goldens(&c, "modes-4k", "ult-modes-4k");
	check_goldens(&c, "response-randread-4k", "ult-response-randread-4k");
	charts_release(&c);
	fixture_release(&f);
}

static void a_response_curve_is_drawn_against_the_load(void **state)
{
	struct fixture f;
	struct charts c;

	(void)state;
	fixture_load_loads(&f);
	charts_build(&f.report, &usual, &c);
	check_goldens(&c, "load-randread-4k", "load-randread-4k");
	check_goldens(&c, "response-load-randread-4k", "response-load-randread-4k");
	/* The cap on the mean and the head-room are lines; of p99 the caption says why not, and where it is met. */
	assert_int_equal(find(&c, "response-load-randread-4k")->panel[0].nr_rules, 2);
	assert_non_null(strstr(buf_text(&find(&c, "response-load-randread-4k")->caption),
			       "percentile (p99 <= 30 ms) has no line here"));
	assert_non_null(strstr(buf_text(&find(&c, "response-load-randread-4k")->caption),
			       "Highest load under p99 latency 30 ms: 900 IOPS"));
	charts_release(&c);
	fixture_release(&f);
}

static void a_caption_speaks_of_bars_only_where_there_are_some(void **state)
{
	static const char *const names[] = {"iops-depth-randread-4k", "iops-span-4k-d8",
					    "response-randread-4k", "response-load-randread-4k",
					    "load-randread-4k"};
	struct charts c;

	(void)state;
	for (int has_bars = 0; has_bars < 2; has_bars++) {
		struct fixture f;

		fixture_init(&f);
		for (unsigned i = 0; i < 8; i++) {
			struct point *p = fixture_add(&f, RW_RANDREAD, (1 + i / 4) * GIB,
						      1u << i % 4, 1000 + i, 1 + i, UNKNOWN);

			p->dir[DIR_TOTAL].iops_se_rel = has_bars ? 0.01 : UNKNOWN;
			p->dir[DIR_TOTAL].lat_se_rel = has_bars ? 0.01 : UNKNOWN;
		}
		fixture_add_load(&f, 20, 200, 1, 2)->dir[DIR_TOTAL].iops_se_rel =
			has_bars ? 0.01 : UNKNOWN;
		fixture_analyze(&f);
		charts_build(&f.report, &usual, &c);
		for (size_t i = 0; i < NR(names); i++) {
			const char *text = buf_text(&find(&c, names[i])->caption);

			assert_int_equal(strstr(text, "Bars are") != NULL, has_bars);
		}
		charts_release(&c);
		fixture_release(&f);
	}
}

/* Its neighbours are valid: no line may lead from one to the other. */
static void a_spoiled_load_is_drawn_hollow_and_breaks_the_line(void **state)
{
	struct fixture f;
	struct charts c;
	const struct series *s;
	const struct picture *p;

	(void)state;
	fixture_init(&f);
	fixture_add_load(&f, 20, 200, 1, 2);
	fixture_add_load(&f, 40, 401, 1, 2)->flags = FLAG_BIT(FLAG_STALL);
	fixture_add_load(&f, 40, 402, 1, 2)->flags = FLAG_BIT(FLAG_STALL);
	fixture_add_load(&f, 80, 800, 2, 4);
	fixture_analyze(&f);
	charts_build(&f.report, &usual, &c);
	p = find(&c, "response-load-randread-4k");
	s = &p->panel[0].series[0];
	assert_int_equal(s->nr, 3);
	assert_int_equal(s->cell[1].kind, CELL_SPOILED);
	assert_int_equal(s->cell[1].x, 401);
	assert_non_null(strstr(buf_text(&p->caption), "spoiled: stall"));
	s = &find(&c, "load-randread-4k")->panel[0].series[0];
	assert_int_equal(s->nr, 3);
	assert_int_equal(s->cell[1].y, 401);
	charts_release(&c);
	fixture_release(&f);
}

/* As in the table of the same figures. */
static void of_repeats_that_are_all_spoiled_the_first_is_drawn(void **state)
{
	struct fixture f;
	struct charts c;
	const struct series *s;

	(void)state;
	fixture_init(&f);
	fixture_add(&f, RW_RANDREAD, GIB, 1, 1000, 1, 2);
	for (uint32_t i = 0; i < 3; i++) {
		struct point *p = fixture_add(&f, RW_RANDREAD, GIB, 2, 2000 + i, 1, 2);

		p->spec.repeat = i + 1;
		p->flags = FLAG_BIT(FLAG_STALL);
	}
	fixture_analyze(&f);
	charts_build(&f.report, &usual, &c);
	s = &find(&c, "iops-depth-randread-4k")->panel[0].series[0];
	assert_int_equal(s->cell[1].kind, CELL_SPOILED);
	assert_int_equal(s->cell[1].y, 2000);
	charts_release(&c);
	fixture_release(&f);
}

static void gaps_spoiled_points_and_hostile_names_are_drawn_safely(void **state)
{
	struct fixture f;
	struct charts c;

	(void)state;
	fixture_load_mini(&f);
	charts_build(&f.report, &usual, &c);
	check_goldens(&c, "iops-depth-randread-4k", "mini-iops-depth-randread-4k");
	find(&c, "iops-depth-randrw-4k-70r");
	charts_release(&c);
	fixture_release(&f);
}

static void the_span_chart_takes_the_depth_asked_for_or_the_nearest_below(void **state)
{
	struct fixture f;
	struct charts c;

	(void)state;
	fixture_load_mini(&f);
	charts_build(&f.report, &usual, &c);
	find(&c, "iops-span-4k-d8");
	charts_release(&c);
	charts_build(&f.report, &(struct chart_how){.span_depth = 3}, &c);
	find(&c, "iops-span-4k-d2");
	charts_release(&c);
	fixture_release(&f);
}

/* 12 depths, 10 block sizes, 3 spans, and one group of 20 spans. */
static void load_many(struct fixture *f)
{
	fixture_init(f);
	free(f->info.target_given);
	f->info.target_given = xasprintf("%0*d", 120, 7);
	for (unsigned bs = 0; bs < 10; bs++)
		for (unsigned span = 1; span <= (bs == 3 ? 20 : 3); span++)
			for (unsigned depth = 1; depth <= 2048; depth *= 2) {
				double iops = 1000.0 * depth / (1 + depth / 24.0) / (1 + bs) *
					      (1 - 0.02 * span);

				fixture_add(f, RW_RANDREAD, span * 64 * GIB, depth, iops,
					    1000 * depth / iops, UNKNOWN)
					->spec.bs_bytes = 512ULL << bs;
			}
	fixture_add_cap(f, LAT_MEAN, 10);
	fixture_analyze(f);
}

static void many_curves_are_split_and_keep_one_scale(void **state)
{
	struct fixture f;
	struct charts c;

	(void)state;
	load_many(&f);
	charts_build(&f.report, &usual, &c);
	for (size_t i = 0; i < c.nr; i++)
		for (size_t k = 0; k < (size_t)c.v[i].rows * c.v[i].cols; k++)
			assert_true(c.v[i].panel[k].nr_series <= PICTURE_MAX_SERIES);
	assert_int_equal(find(&c, "iops-depth-randread-4k-1")->panel->nr_series, 6);
	assert_int_equal(find(&c, "iops-depth-randread-4k-2")->panel->nr_series, 7);
	assert_int_equal(find(&c, "iops-depth-randread-4k-3")->panel->nr_series, 7);
	assert_true(find(&c, "iops-depth-randread-4k-1")->panel->y.max ==
		    find(&c, "iops-depth-randread-4k-3")->panel->y.max);
	charts_release(&c);
	fixture_release(&f);
}

static void charts_of_two_runs_have_one_scale(void **state)
{
	struct fixture f, g;
	struct report_run runs[2];
	struct report r = {.runs = runs, .nr_runs = 2};
	struct charts c;

	(void)state;
	fixture_init(&f);
	fixture_add(&f, RW_READ, GIB, 1, 100, 10, UNKNOWN);
	fixture_analyze(&f);
	fixture_init(&g);
	g.info.id = 2;
	fixture_add(&g, RW_READ, GIB, 1, 900, 1.1, UNKNOWN);
	fixture_add(&g, RW_WRITE, GIB, 1, 5000, 0.2, UNKNOWN);
	fixture_analyze(&g);
	runs[0] = f.run;
	runs[1] = g.run;
	charts_build(&r, &usual, &c);
	assert_true(find(&c, "run1-iops-depth-read-4k")->panel->y.max == 900);
	assert_true(find(&c, "run2-iops-depth-read-4k")->panel->y.max == 900);
	assert_true(find(&c, "run1-iops-depth-read-4k")->panel[1].y.min < 1.2);
	charts_release(&c);
	fixture_release(&f);
	fixture_release(&g);
}

/* Drawing. */

static void draw_all(const struct fixture *f, const char *dir, struct buf *notes)
{
	struct buf made = BUF_INIT;
	struct err e = {0};
	struct charts c;

	charts_build(&f->report, &usual, &c);
	if (charts_write(&c, dir, 0, &made, notes, &e))
		fail_msg("%s", e.msg);
	charts_release(&c);
	buf_release(&made);
}

static void hostile_names_are_drawn_and_do_nothing(void **state)
{
	struct fixture f;
	struct buf notes = BUF_INIT;

	fixture_load_mini(&f);
	draw_all(&f, *state, &notes);
	assert_true(size_of(*state, "iops-depth-randread-4k.png") > 1000);
	assert_true(size_of(*state, "iops-depth-randread-4k.svg") > 1000);
	assert_int_equal(size_of(*state, "pwned"), -1);
	assert_string_equal(buf_text(&notes), "");
	buf_release(&notes);
	fixture_release(&f);
}

/* gnuplot takes tick labels for formats. */
static void spans_in_per_cent_are_drawn(void **state)
{
	struct fixture f;
	struct buf notes = BUF_INIT;

	fixture_init(&f);
	fixture_add(&f, RW_READ, GIB, 4, 100, 40, UNKNOWN)->spec.span_e4 = 125000;
	fixture_add(&f, RW_READ, 2 * GIB, 4, 90, 44, UNKNOWN)->spec.span_e4 = 250000;
	fixture_analyze(&f);
	draw_all(&f, *state, &notes);
	assert_true(size_of(*state, "iops-span-4k-d4.png") > 1000);
	assert_string_equal(buf_text(&notes), "");
	buf_release(&notes);
	fixture_release(&f);
}

static void one_point_is_a_picture(void **state)
{
	struct fixture f;
	struct buf notes = BUF_INIT;

	fixture_init(&f);
	fixture_add(&f, RW_READ, GIB, 4, 100, 40, UNKNOWN);
	fixture_analyze(&f);
	draw_all(&f, *state, &notes);
	assert_true(size_of(*state, "iops-depth-read-4k.png") > 1000);
	assert_string_equal(buf_text(&notes), "");
	buf_release(&notes);
	fixture_release(&f);
}

static void zeros_and_missing_latencies_do_not_stop_a_picture(void **state)
{
	struct fixture f;
	struct buf notes = BUF_INIT;

	fixture_init(&f);
	fixture_add(&f, RW_READ, GIB, 1, 0, 0, UNKNOWN);
	fixture_add(&f, RW_READ, GIB, 2, 100, UNKNOWN, UNKNOWN);
	fixture_analyze(&f);
	draw_all(&f, *state, &notes);
	assert_true(size_of(*state, "iops-depth-read-4k.png") > 1000);
	buf_release(&notes);
	fixture_release(&f);
}

static void a_chart_without_points_is_a_note_and_others_are_drawn(void **state)
{
	struct fixture f;
	struct buf notes = BUF_INIT;

	fixture_init(&f);
	fixture_fail(fixture_add(&f, RW_READ, GIB, 1, 1, 1, 1), POINT_FAILED, "gone");
	fixture_fail(fixture_add(&f, RW_READ, GIB, 2, 1, 1, 1), POINT_NO_IO, NULL);
	fixture_add(&f, RW_WRITE, GIB, 1, 100, 10, UNKNOWN);
	fixture_analyze(&f);
	draw_all(&f, *state, &notes);
	assert_string_equal(buf_text(&notes), "no valid points for 'read 4k: IOPS and response "
					      "time against iodepth': no picture\n");
	assert_int_equal(size_of(*state, "iops-depth-read-4k.png"), -1);
	assert_true(size_of(*state, "iops-depth-write-4k.png") > 1000);
	buf_release(&notes);
	fixture_release(&f);
}

static void without_gnuplot_the_scripts_are_there_and_the_package_is_named(void **state)
{
	char *path = xstrdup(getenv("PATH"));
	struct buf made = BUF_INIT, notes = BUF_INIT;
	struct err e = {0};
	struct fixture f;
	struct charts c;
	int rc;

	fixture_load_mini(&f);
	charts_build(&f.report, &usual, &c);
	assert_int_equal(setenv("PATH", *state, 1), 0);
	rc = charts_write(&c, *state, 0, &made, &notes, &e);
	assert_int_equal(setenv("PATH", path, 1), 0);
	assert_int_equal(rc, -1);
	assert_int_equal(e.code, ERR_TOOL);
	assert_non_null(strstr(e.msg, "install the package gnuplot-nox"));
	assert_true(size_of(*state, "iops-depth-randread-4k.gp") > 0);
	assert_true(size_of(*state, "iops-span-4k-d8.dat") > 0);
	charts_release(&c);
	buf_release(&made);
	buf_release(&notes);
	fixture_release(&f);
	free(path);
}

static void put(const char *dir, const char *name, const char *text)
{
	char *path = xasprintf("%s/%s", dir, name);
	struct err e = {0};

	assert_int_equal(file_write(path, text, strlen(text), &e), 0);
	free(path);
}

static void a_chart_that_cannot_be_written_keeps_no_other_away(void **state)
{
	char *in_the_way = xasprintf("%s/iops-depth-randread-4k.gp", (const char *)*state);
	struct buf made = BUF_INIT, notes = BUF_INIT;
	struct err e = {0};
	struct fixture f;
	struct charts c;

	fixture_load_mini(&f);
	charts_build(&f.report, &usual, &c);
	assert_int_equal(mkdir(in_the_way, 0755), 0);
	put(*state, "iops-depth-randread-4k.svg", "old");
	put(*state, "iops-span-4k-d8.svg", "old");
	put(*state, "iops-span-4k-d8.pdf", "old");
	assert_int_equal(charts_write(&c, *state, 0, &made, &notes, &e), -1);
	assert_int_equal(e.code, ERR_OUTPUT);
	assert_non_null(strstr(e.msg, in_the_way));
	assert_int_equal(size_of(*state, "iops-depth-randread-4k.svg"), -1);
	assert_int_equal(size_of(*state, "iops-span-4k-d8.pdf"), -1);
	assert_true(size_of(*state, "iops-span-4k-d8.svg") > 1000);
	charts_release(&c);
	buf_release(&made);
	buf_release(&notes);
	fixture_release(&f);
	free(in_the_way);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_ult_study_gives_its_charts),
		cmocka_unit_test(a_response_curve_is_drawn_against_the_load),
		cmocka_unit_test(a_caption_speaks_of_bars_only_where_there_are_some),
		cmocka_unit_test(of_repeats_that_are_all_spoiled_the_first_is_drawn),
		cmocka_unit_test(a_spoiled_load_is_drawn_hollow_and_breaks_the_line),
		cmocka_unit_test(gaps_spoiled_points_and_hostile_names_are_drawn_safely),
		cmocka_unit_test(the_span_chart_takes_the_depth_asked_for_or_the_nearest_below),
		cmocka_unit_test(many_curves_are_split_and_keep_one_scale),
		cmocka_unit_test(charts_of_two_runs_have_one_scale),
		TEST_IN_DIR(hostile_names_are_drawn_and_do_nothing),
		TEST_IN_DIR(spans_in_per_cent_are_drawn),
		TEST_IN_DIR(one_point_is_a_picture),
		TEST_IN_DIR(zeros_and_missing_latencies_do_not_stop_a_picture),
		TEST_IN_DIR(a_chart_without_points_is_a_note_and_others_are_drawn),
		TEST_IN_DIR(a_chart_that_cannot_be_written_keeps_no_other_away),
		TEST_IN_DIR(without_gnuplot_the_scripts_are_there_and_the_package_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
