/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "golden.h"
#include "report/csv.h"
#include "report/json.h"
#include "report/text.h"
#include "report_fixture.h"

static void the_text_report_shows_everything_that_happened(void **state)
{
	struct fixture f;
	struct buf b = BUF_INIT;

	(void)state;
	fixture_load_mini(&f);
	text_report(&b, &f.report, (struct text_style){0});
	assert_golden("report-mini.txt", &b);
	buf_release(&b);
	fixture_release(&f);
}

static void the_ult_study_is_reported_in_its_own_form(void **state)
{
	struct fixture f;
	struct buf b = BUF_INIT;

	(void)state;
	fixture_init(&f);
	assert_true(fixture_load_ult(&f));
	fixture_add_cap(&f, LAT_MEAN, 10);
	fixture_analyze(&f);
	text_report(&b, &f.report, (struct text_style){0});
	assert_golden("report-ult.txt", &b);
	buf_release(&b);
	fixture_release(&f);
}

static void a_response_curve_is_reported_apart_from_its_closed_loops(void **state)
{
	struct fixture f;
	struct buf b = BUF_INIT;

	(void)state;
	fixture_load_loads(&f);
	assert_int_equal(f.nr_curves, 1);
	text_report(&b, &f.report, (struct text_style){0});
	assert_golden("report-load.txt", &b);
	buf_reset(&b);
	csv_report(&b, &f.report);
	assert_golden("report-load.csv", &b);
	buf_reset(&b);
	json_report(&b, &f.report);
	assert_golden("report-load.json", &b);
	buf_release(&b);
	fixture_release(&f);
}

static void no_line_is_wider_than_the_terminal(void **state)
{
	static const size_t widths[] = {72, 80, 100, 132};
	struct fixture f;
	struct buf b = BUF_INIT;

	(void)state;
	fixture_load_mini(&f);
	for (size_t i = 0; i < NR(widths); i++) {
		text_report(&b, &f.report, (struct text_style){.width = widths[i]});
		assert_true(widest_line(&b) <= widths[i]);
		buf_reset(&b);
	}
	buf_release(&b);
	fixture_release(&f);
}

/* Two depths of a mix, of which the deeper one is within the cap where mean_ms is. */
static void add_mix(struct fixture *f, uint32_t reads_pct, uint32_t random_pct, uint64_t span_bytes,
		    double iops, double mean_ms)
{
	for (uint32_t depth = 1; depth <= 2; depth++) {
		struct point *p = fixture_add(f, RW_RANDRW, span_bytes, depth, depth * iops / 2,
					      depth == 1 ? 1 : mean_ms, UNKNOWN);

		p->spec.rwmixread_pct = reads_pct;
		p->spec.random_pct = random_pct;
	}
}

static void lines_for_many_curves_keep_bounds_and_names_apart(void **state)
{
	struct fixture f;
	struct buf b = BUF_INIT;

	(void)state;
	fixture_init(&f);
	for (uint64_t gib = 1; gib <= 3; gib++) {
		add_mix(&f, 0, 100, gib * GIB, 1000.0 * (double)gib, 2);
		add_mix(&f, 100, 100, gib * GIB, 1000.0 * (double)gib, gib == 3 ? 2 : 9);
		add_mix(&f, 100, 30, gib * GIB, 1000.0 * (double)gib, 9);
	}
	fixture_add_cap(&f, LAT_MEAN, 5);
	fixture_analyze(&f);
	text_report(&b, &f.report, (struct text_style){.width = 200});
	assert_non_null(strstr(buf_text(&b), "  randrw 0 % reads 4k (3 curves): "));
	assert_non_null(strstr(buf_text(&b), "  randrw 100 % reads 4k (3 curves): "));
	assert_non_null(strstr(buf_text(&b), "  randrw 100 % reads 30 % random 4k (3 curves): "));
	assert_non_null(strstr(buf_text(&b), "max at mean <= 5 ms: >= 1000 to >= 3000 IOPS at "));
	assert_non_null(strstr(buf_text(&b), "max at mean <= 5 ms: 500 to >= 3000 IOPS at "));
	assert_non_null(strstr(buf_text(&b), "max at mean <= 5 ms: 500 to 1500 IOPS at "));
	buf_release(&b);
	fixture_release(&f);
}

static void headings_are_bold_only_when_asked_for(void **state)
{
	struct fixture f;
	struct buf b = BUF_INIT;

	(void)state;
	fixture_load_mini(&f);
	text_report(&b, &f.report, (struct text_style){0});
	assert_null(strchr(buf_text(&b), '\033'));
	text_report(&b, &f.report, (struct text_style){.color = true});
	assert_non_null(strstr(buf_text(&b), "\033[1mAnswers\033[0m\n"));
	buf_release(&b);
	fixture_release(&f);
}

static void two_runs_are_told_apart_by_what_differs(void **state)
{
	struct fixture f, g;
	struct buf b = BUF_INIT;
	struct report_run runs[2];
	struct report r = {.runs = runs, .nr_runs = 2};

	(void)state;
	fixture_load_mini(&f);
	fixture_load_mini(&g);
	g.info.id = 2;
	facts_set(&g.info.facts, "queue.scheduler", "mq-deadline");
	facts_set(&g.info.facts, "cgroup.limit", "500 IOPS");
	runs[0] = f.run;
	runs[1] = g.run;
	text_report(&b, &r, (struct text_style){0});
	assert_non_null(strstr(buf_text(&b), "Set-up that differs from run 1\n"
					     "  run 2, queue.scheduler: none -> mq-deadline\n"
					     "  run 2, cgroup.limit: (not known) -> 500 IOPS\n"));
	buf_release(&b);
	fixture_release(&f);
	fixture_release(&g);
}

static void repeats_are_shown_apart(void **state)
{
	struct fixture f;
	struct buf b = BUF_INIT;

	(void)state;
	fixture_init(&f);
	fixture_add(&f, RW_READ, GIB, 1, 100, 10, UNKNOWN);
	fixture_add(&f, RW_READ, GIB, 1, 110, 9, UNKNOWN)->spec.repeat = 2;
	fixture_analyze(&f);
	text_report(&b, &f.report, (struct text_style){0});
	assert_non_null(strstr(buf_text(&b), "  iodepth  bs  rep  IOPS"));
	assert_non_null(strstr(buf_text(&b), "        1  4k    1   100   10.000"));
	assert_non_null(strstr(buf_text(&b), "        1  4k    2   110    9.000"));
	buf_release(&b);
	fixture_release(&f);
}

static void a_run_without_points_is_reported_too(void **state)
{
	struct fixture f;
	struct buf b = BUF_INIT;

	(void)state;
	fixture_init(&f);
	fixture_analyze(&f);
	text_report(&b, &f.report, (struct text_style){0});
	assert_non_null(strstr(buf_text(&b), "0 of 0 points"));
	buf_release(&b);
	fixture_release(&f);
}

static void the_csv_report_has_every_answer_and_point(void **state)
{
	struct fixture f;
	struct buf b = BUF_INIT;

	(void)state;
	fixture_load_mini(&f);
	csv_report(&b, &f.report);
	assert_golden("report-mini.csv", &b);
	buf_release(&b);
	fixture_release(&f);
}

/* Fields of a line, by the quoting rules of RFC 4180. */
static size_t count_fields(const char *line)
{
	bool is_quoted = false;
	size_t nr = 1;

	for (; *line; line++) {
		if (*line == '"')
			is_quoted = !is_quoted;
		else if (*line == ',' && !is_quoted)
			nr++;
	}
	return nr;
}

static void check_fields(const struct fixture *f, size_t want_lines)
{
	struct buf b = BUF_INIT;
	char *save = NULL;
	size_t nr_lines = 0, want;

	csv_report(&b, &f->report);
	assert_null(strstr(buf_text(&b), "nan"));
	assert_null(strstr(buf_text(&b), "inf"));
	want = 0;
	for (char *s = strtok_r(b.text, "\n", &save); s; s = strtok_r(NULL, "\n", &save)) {
		want = want ? want : count_fields(s);
		assert_int_equal(count_fields(s), want);
		nr_lines++;
	}
	assert_int_equal(nr_lines, want_lines);
	buf_release(&b);
}

static void every_line_of_the_csv_report_has_the_same_fields(void **state)
{
	struct fixture f;

	(void)state;
	/* A header; a knee and two caps for each of 3 curves; 8 points of two lines, 2 of three. */
	fixture_load_mini(&f);
	check_fields(&f, 1 + 3 * 3 + 8 * 2 + 2 * 3);
	fixture_release(&f);
	/* A knee and two caps of the closed loops, two caps of the loads; 7 points of two lines. */
	fixture_load_loads(&f);
	check_fields(&f, 1 + 3 + 2 + 7 * 2);
	fixture_release(&f);
}

static void the_json_report_has_every_answer_and_point(void **state)
{
	struct fixture f;
	struct buf b = BUF_INIT;

	(void)state;
	fixture_load_mini(&f);
	json_report(&b, &f.report);
	assert_golden("report-mini.json", &b);
	buf_release(&b);
	fixture_release(&f);
}

static void programs_read_that_a_knee_was_held_back(void **state)
{
	static const double iops[] = {1000, 2000, 4000, 4100};
	struct fixture f;
	struct buf b = BUF_INIT;

	(void)state;
	fixture_init(&f);
	for (uint32_t i = 0; i < NR(iops); i++) {
		fixture_add(&f, RW_RANDREAD, GIB, 1u << i, iops[i], 1, UNKNOWN);
		f.point[i].flags = i < 2 ? 0 : FLAG_BIT(FLAG_SUBMIT_BLOCKED);
	}
	fixture_analyze(&f);
	json_report(&b, &f.report);
	assert_non_null(strstr(buf_text(&b), "\"iops\":4000,\"iops_bound\":\">=\","));
	assert_non_null(strstr(buf_text(&b), "\"bound\":\">=\",\"nstar\":4.1,"));
	assert_non_null(strstr(buf_text(&b), "\"peak_iops\":4100,\"peak_bound\":\">=\","));
	assert_non_null(strstr(buf_text(&b), "\"last_iops\":4100,\"last_bound\":\">=\","
					     "\"errors_known\":false,"
					     "\"flags\":[\"submit-blocked\"],"));
	buf_reset(&b);
	csv_report(&b, &f.report);
	assert_non_null(strstr(buf_text(&b), ",knee,>=,4.1,,,4100,8,"));
	assert_non_null(strstr(buf_text(&b), ",>=,>=,submit-blocked\n"));
	buf_reset(&b);
	text_report(&b, &f.report, (struct text_style){.width = 100});
	assert_non_null(strstr(buf_text(&b), "iodepth >= 4  >= 4000  "));
	buf_release(&b);
	fixture_release(&f);
}

static void what_was_accepted_is_valid_for_programs_too(void **state)
{
	struct fixture f;
	struct buf b = BUF_INIT;

	(void)state;
	fixture_load_mini(&f);
	json_report(&b, &f.report);
	assert_non_null(strstr(buf_text(&b), "\"status\":\"ok\",\"valid\":false,"));
	csv_report(&b, &f.report);
	assert_non_null(strstr(buf_text(&b), ",0,0,,,\npoint,"));
	buf_reset(&b);
	f.run.accepted = FLAG_BIT(FLAG_STALL);
	json_report(&b, &f.report);
	assert_null(strstr(buf_text(&b), "\"status\":\"ok\",\"valid\":false,"));
	assert_non_null(strstr(buf_text(&b), "\"status\":\"failed\",\"valid\":false,"));
	buf_release(&b);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_text_report_shows_everything_that_happened),
		cmocka_unit_test(the_ult_study_is_reported_in_its_own_form),
		cmocka_unit_test(a_response_curve_is_reported_apart_from_its_closed_loops),
		cmocka_unit_test(no_line_is_wider_than_the_terminal),
		cmocka_unit_test(lines_for_many_curves_keep_bounds_and_names_apart),
		cmocka_unit_test(headings_are_bold_only_when_asked_for),
		cmocka_unit_test(two_runs_are_told_apart_by_what_differs),
		cmocka_unit_test(repeats_are_shown_apart),
		cmocka_unit_test(a_run_without_points_is_reported_too),
		cmocka_unit_test(the_csv_report_has_every_answer_and_point),
		cmocka_unit_test(every_line_of_the_csv_report_has_the_same_fields),
		cmocka_unit_test(the_json_report_has_every_answer_and_point),
		cmocka_unit_test(programs_read_that_a_knee_was_held_back),
		cmocka_unit_test(what_was_accepted_is_valid_for_programs_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
