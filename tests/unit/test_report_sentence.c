/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/sentence.h"
#include "report_fixture.h"

struct row {
	uint32_t depth;
	double iops, mean_ms, p99_ms;
};

static void load(struct fixture *f, const struct row *rows, size_t nr)
{
	fixture_init(f);
	for (size_t i = 0; i < nr; i++)
		fixture_add(f, RW_RANDREAD, GIB, rows[i].depth, rows[i].iops, rows[i].mean_ms,
			    rows[i].p99_ms);
}

static void check_text(struct buf *b, const char *want)
{
	assert_null(strstr(buf_text(b), "nan"));
	assert_null(strstr(buf_text(b), "inf "));
	assert_string_equal(buf_text(b), want);
	buf_release(b);
}

static void check_knee(const struct fixture *f, size_t curve, const char *want)
{
	struct buf b = BUF_INIT;

	sentence_knee(&b, &f->curve[curve], &f->answers[curve].knee);
	check_text(&b, want);
}

static void check_cap(const struct fixture *f, size_t curve, unsigned cap, const char *want)
{
	struct buf b = BUF_INIT;

	sentence_cap(&b, &f->answers[curve].cap[cap]);
	check_text(&b, want);
}

static void a_knee_is_told_with_the_price_of_more_depth(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	assert_true(fixture_load_ult(&f));
	fixture_add_cap(&f, LAT_MEAN, 10);
	fixture_add_cap(&f, LAT_MEAN, 5);
	fixture_add_cap(&f, LAT_MEAN, 100);
	fixture_analyze(&f);
	check_knee(&f, 0,
		   "Saturates at iodepth 32: 4368 IOPS at 7.31 ms, 89 % of the peak; N* = 19.8. "
		   "The peak, 4891 IOPS at iodepth 256, costs 7.1x the latency for 1.12x the IOPS. "
		   "Against iodepth 1, iodepth 256 costs 12.9x the latency for 19.8x the IOPS. "
		   "A second plateau begins at iodepth 128 (4792 IOPS).");
	check_cap(&f, 1, 0,
		  "Maximum under mean latency 10 ms: 3905 IOPS at iodepth 32 (8.18 ms), measured; "
		  "about 3918 between iodepth 32 and 64 (estimate).");
	check_cap(&f, 3, 1, "No iodepth meets mean <= 5 ms; the lowest is 5.20 ms at iodepth 1.");
	check_cap(&f, 0, 2,
		  "Maximum under mean latency 100 ms: >= 4891 IOPS at iodepth 256 (52.1 ms), "
		  "measured; the cap is not exceeded even at iodepth 256.");
	fixture_release(&f);
}

static void the_interval_of_the_knee_is_told_where_errors_are_known(void **state)
{
	struct fixture f;
	struct buf b = BUF_INIT;

	(void)state;
	fixture_init(&f);
	assert_true(fixture_load_ult(&f));
	for (size_t i = 0; i < f.nr; i++)
		f.point[i].dir[DIR_TOTAL].iops_se_rel = 0.01;
	fixture_analyze(&f);
	sentence_knee(&b, &f.curve[0], &f.answers[0].knee);
	assert_non_null(strstr(buf_text(&b), "; N* = 19.8 (95 % 19.3 to 20.4). "));
	buf_release(&b);
	fixture_release(&f);
}

static void a_flat_curve_is_saturated_from_the_start(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	assert_true(fixture_load_ult(&f));
	fixture_analyze(&f);
	check_knee(&f, 4,
		   "Saturated from the start: iodepth 1 already gives 96 % of the peak (2035 IOPS "
		   "at 0.477 ms; N* <= 1.04). Against iodepth 1, iodepth 256 costs 253x the "
		   "latency for 1.04x the IOPS.");
	fixture_release(&f);
}

static void a_flat_curve_that_starts_deep_asks_for_smaller_depths(void **state)
{
	static const struct row rows[] = {
		{4, 500, 8, UNKNOWN}, {8, 500, 16, UNKNOWN}, {16, 500, 32, UNKNOWN}};
	struct fixture f;

	(void)state;
	load(&f, rows, 3);
	fixture_analyze(&f);
	check_knee(
		&f, 0,
		"Saturated from the start: iodepth 4 already gives 100 % of the peak (500 IOPS "
		"at 8.00 ms; N* <= 4.00). Against iodepth 4, iodepth 16 costs 4.0x the latency "
		"for 1.00x the IOPS. The knee lies at or below iodepth 4: measure smaller depths "
		"too.");
	fixture_release(&f);
}

static void hold_back(struct fixture *f, uint32_t from, uint32_t to, enum flag flag)
{
	for (size_t i = 0; i < f->nr; i++)
		if (f->point[i].spec.iodepth >= from && f->point[i].spec.iodepth <= to)
			f->point[i].flags |= FLAG_BIT(flag);
}

static void check_short(const struct fixture *f, const char *want)
{
	struct buf b = BUF_INIT;

	sentence_knee_short(&b, &f->curve[0], &f->answers[0].knee);
	check_text(&b, want);
}

#define HELD(flags) \
	" This host, not the target, was the limit at points that decide (" flags \
	"): the target alone may do more, and saturate elsewhere."

static void a_knee_on_points_that_were_held_back_is_a_lower_bound(void **state)
{
	static const struct row rows[] = {{1, 10000, 0.1, 0.1},	 {2, 20000, 0.1, 0.1},
					  {4, 40000, 0.1, 0.1},	 {8, 80000, 0.1, 0.1},
					  {16, 81000, 0.2, 0.2}, {32, 81000, 0.4, 0.4}};
	struct fixture f;

	(void)state;
	load(&f, rows, 6);
	hold_back(&f, 16, 32, FLAG_SUBMIT_BLOCKED);
	fixture_analyze(&f);
	check_knee(&f, 0,
		   "Saturates at iodepth 8 or deeper: 80000 IOPS at 0.100 ms, 99 % of the most "
		   "measured; N* >= 8.10. The peak, >= 81000 IOPS at iodepth 16, costs 2.0x the "
		   "latency for 1.01x the IOPS. Against iodepth 1, iodepth 32 costs 4.0x the "
		   "latency for 8.1x the IOPS." HELD("submit-blocked"));
	check_short(&f, "iodepth >= 8");
	fixture_release(&f);

	load(&f, rows, 5);
	hold_back(&f, 8, 8, FLAG_DEPTH_NOT_HELD);
	fixture_analyze(&f);
	check_knee(&f, 0,
		   "Saturates at iodepth 8: >= 80000 IOPS at 0.100 ms, 99 % of the peak; N* = "
		   "8.10. The peak, 81000 IOPS at iodepth 16, costs 2.0x the latency for 1.01x "
		   "the IOPS. Against iodepth 1, iodepth 16 costs 2.0x the latency for 8.1x the "
		   "IOPS." HELD("depth-not-held"));
	check_short(&f, "iodepth 8");
	fixture_release(&f);
}

static void a_fall_that_the_host_made_is_not_told_of_the_target(void **state)
{
	static const struct row rows[] = {
		{1, 1000, 1, 1}, {2, 2000, 1, 1}, {4, 4000, 1, 1}, {8, 2000, 4, 4}};
	struct fixture f;

	(void)state;
	load(&f, rows, 4);
	hold_back(&f, 8, 8, FLAG_SUBMIT_BLOCKED);
	fixture_analyze(&f);
	check_knee(&f, 0,
		   "Saturates at iodepth 4: 4000 IOPS at 1.00 ms, the peak; N* = 4.00. Beyond the "
		   "peak (4000 IOPS at iodepth 4) IOPS fall by 50 % to >= 2000 at iodepth 8: "
		   "this host held that point back, so the target alone need not fall. Against "
		   "iodepth 1, iodepth 8 costs 4.0x the latency for 2.0x the IOPS." HELD(
			   "submit-blocked"));
	fixture_release(&f);
}

/* Eight servers of 0.1 ms (O-47 A). */
static void equal_counts_go_to_the_smallest_depth(void **state)
{
	static const struct row rows[] = {{1, 10000, 0.1, 0.1},	 {2, 20000, 0.1, 0.1},
					  {4, 40000, 0.1, 0.1},	 {8, 80000, 0.1, 0.1},
					  {16, 80000, 0.2, 0.2}, {32, 80000, 0.4, 0.4}};
	struct fixture f;

	(void)state;
	load(&f, rows, 6);
	fixture_add_cap(&f, LAT_P99, 0.15);
	fixture_add_cap(&f, LAT_P99, 0.1);
	fixture_add_cap(&f, LAT_P99, 0.09);
	fixture_analyze(&f);
	check_knee(&f, 0,
		   "Saturates at iodepth 8: 80000 IOPS at 0.100 ms, the peak; N* = 8.00. Against "
		   "iodepth 1, iodepth 32 costs 4.0x the latency for 8.0x the IOPS.");
	check_cap(&f, 0, 0,
		  "Maximum under p99 latency 0.15 ms: 80000 IOPS at iodepth 8 (0.100 ms), "
		  "measured.");
	check_cap(&f, 0, 1,
		  "Maximum under p99 latency 0.1 ms: 80000 IOPS at iodepth 8 (0.100 ms), "
		  "measured.");
	check_cap(&f, 0, 2,
		  "No iodepth meets p99 <= 0.09 ms; the lowest is 0.100 ms at iodepth 1.");
	fixture_release(&f);
}

/* 500 IOPS at every depth (O-47 B, O-31). */
static void the_limit_of_a_flat_curve_is_never_its_deepest_queue(void **state)
{
	static const struct row rows[] = {{1, 500, 2, UNKNOWN},
					  {2, 500, 4, UNKNOWN},
					  {4, 500, 8, UNKNOWN},
					  {8, 500, 16, UNKNOWN},
					  {16, 500, 32, UNKNOWN}};
	struct fixture f;

	(void)state;
	load(&f, rows, 5);
	fixture_add_cap(&f, LAT_MEAN, 1);
	fixture_add_cap(&f, LAT_P99, 10);
	fixture_analyze(&f);
	check_knee(&f, 0,
		   "Saturated from the start: iodepth 1 already gives 100 % of the peak (500 IOPS "
		   "at 2.00 ms; N* <= 1.00). Against iodepth 1, iodepth 16 costs 16.0x the latency "
		   "for 1.00x the IOPS.");
	check_cap(&f, 0, 0, "No iodepth meets mean <= 1 ms; the lowest is 2.00 ms at iodepth 1.");
	check_cap(&f, 0, 1,
		  "No answer for p99 <= 10 ms: no valid point of this curve has a p99 latency.");
	fixture_release(&f);
}

/* 1000 IOPS for each I/O in flight (O-47 C). */
static void a_knee_that_was_not_reached_asks_for_more_depth(void **state)
{
	static const struct row rows[] = {{1, 1000, 1, 1}, {2, 2000, 1, 1},   {4, 4000, 1, 1},
					  {8, 8000, 1, 1}, {16, 16000, 1, 1}, {32, 32000, 1, 1}};
	struct fixture f;

	(void)state;
	load(&f, rows, 6);
	fixture_analyze(&f);
	check_knee(&f, 0,
		   "Knee not reached: IOPS still rise 100 % per doubling at iodepth 32 (32000 IOPS "
		   "at 1.00 ms); raise iodepth beyond 32 (N* >= 32.0). Against iodepth 1, iodepth "
		   "32 costs 1.00x the latency for 32x the IOPS.");
	fixture_release(&f);
}

/* One point (O-47 D). */
static void one_point_needs_more_depths_but_answers_a_cap(void **state)
{
	static const struct row rows[] = {{4, 30000, 0.13, 0.3}};
	struct fixture f;

	(void)state;
	load(&f, rows, 1);
	fixture_add_cap(&f, LAT_P99, 0.3);
	fixture_analyze(&f);
	check_knee(&f, 0, "Needs more depths: a knee takes at least 3, this curve has 1.");
	check_cap(&f, 0, 0,
		  "Maximum under p99 latency 0.3 ms: >= 30000 IOPS at iodepth 4 (0.300 ms), "
		  "measured; the cap is not exceeded even at iodepth 4.");
	fixture_release(&f);
}

/* A disk that reorders (O-47 E). */
static void the_price_of_depth_is_told_on_a_disk(void **state)
{
	static const struct row rows[] = {
		{1, 120, 8.3, 20},  {2, 150, 13.3, 32},	 {4, 185, 21.6, 55}, {8, 215, 37, 100},
		{16, 240, 67, 190}, {32, 255, 125, 380}, {64, 262, 244, 800}};
	struct fixture f;

	(void)state;
	load(&f, rows, 7);
	fixture_add_cap(&f, LAT_P99, 60);
	fixture_analyze(&f);
	check_knee(&f, 0,
		   "Saturates at iodepth 4: 185 IOPS at 21.6 ms, 71 % of the peak; N* = 2.18. The "
		   "peak, 262 IOPS at iodepth 64, costs 11.3x the latency for 1.42x the IOPS. "
		   "Against iodepth 1, iodepth 64 costs 29x the latency for 2.2x the IOPS.");
	check_cap(&f, 0, 0,
		  "Maximum under p99 latency 60 ms: 185 IOPS at iodepth 4 (55.0 ms), measured; "
		  "about 189 between iodepth 4 and 8 (estimate).");
	fixture_release(&f);
}

static void a_curve_that_falls_names_the_depth_to_stay_below(void **state)
{
	static const struct row rows[] = {{1, 1000, 1, UNKNOWN},
					  {2, 1900, 1.05, UNKNOWN},
					  {4, 3400, 1.18, UNKNOWN},
					  {8, 4000, 2, UNKNOWN},
					  {16, 2000, 8, UNKNOWN}};
	struct fixture f;

	(void)state;
	load(&f, rows, 5);
	fixture_analyze(&f);
	check_knee(
		&f, 0,
		"Saturates at iodepth 4: 3400 IOPS at 1.18 ms, 85 % of the peak; N* = 4.00. "
		"Beyond the peak (4000 IOPS at iodepth 8) IOPS fall by 50 % to 2000 at iodepth "
		"16: if a second run shows it too, never queue deeper than 8. Against iodepth 1, iodepth 16 costs 8.0x the "
		"latency for 2.0x the IOPS.");
	fixture_release(&f);
}

static void dips_are_told(void **state)
{
	static const struct row rows[] = {
		{1, 100, UNKNOWN, UNKNOWN},   {2, 200, UNKNOWN, UNKNOWN},
		{4, 150, UNKNOWN, UNKNOWN},   {8, 800, UNKNOWN, UNKNOWN},
		{16, 1600, UNKNOWN, UNKNOWN}, {32, 1600, UNKNOWN, UNKNOWN},
		{64, 1600, UNKNOWN, UNKNOWN}};
	struct fixture f;

	(void)state;
	load(&f, rows, 7);
	fixture_analyze(&f);
	check_knee(&f, 0,
		   "Saturates at iodepth 16: 1600 IOPS, the peak; N* = 16.0. IOPS dip at iodepth "
		   "4.");
	fixture_release(&f);
}

static void a_curve_without_latencies_says_nothing_of_them(void **state)
{
	static const struct row rows[] = {{1, 100, UNKNOWN, UNKNOWN},
					  {2, 200, UNKNOWN, UNKNOWN},
					  {4, 300, UNKNOWN, UNKNOWN},
					  {8, 310, UNKNOWN, UNKNOWN},
					  {16, 320, UNKNOWN, UNKNOWN}};
	struct fixture f;

	(void)state;
	load(&f, rows, 5);
	fixture_add_cap(&f, LAT_MEAN, 10);
	fixture_analyze(&f);
	check_knee(&f, 0,
		   "Saturates at iodepth 4: 300 IOPS, 94 % of the peak; N* = 3.20. The peak, 320 "
		   "IOPS at iodepth 16, is 1.07x that.");
	check_cap(&f, 0, 0,
		  "No answer for mean <= 10 ms: no valid point of this curve has a mean latency.");
	fixture_release(&f);
}

static void a_curve_without_valid_points_says_why(void **state)
{
	static const struct row rows[] = {{1, 100, 1, 1}, {2, 200, 1, 1}};
	struct fixture f;

	(void)state;
	load(&f, rows, 2);
	fixture_fail(&f.point[0], POINT_FAILED, "3 I/O errors");
	f.point[1].flags = FLAG_BIT(FLAG_STALL);
	fixture_analyze(&f);
	check_knee(&f, 0, "No valid points, so no knee; 1 not measured or failed; 1 spoiled.");
	fixture_release(&f);
}

static void a_knee_of_the_client_is_withheld(void **state)
{
	static const struct row rows[] = {{1, 1000, 1, UNKNOWN},
					  {2, 1900, 1.05, UNKNOWN},
					  {4, 2000, 2, UNKNOWN},
					  {8, 2010, 4, UNKNOWN}};
	struct fixture f;

	(void)state;
	load(&f, rows, 4);
	fixture_add_cap(&f, LAT_MEAN, 5);
	for (size_t i = 0; i < 4; i++)
		f.point[i].flags = FLAG_BIT(FLAG_CPU_BOUND);
	fixture_analyze(&f);
	check_knee(&f, 0,
		   "Knee withheld, client-limited: this host ran out of CPU before the device did, "
		   "which can do at least 2010 IOPS (iodepth 8). Give it more workers or cores and "
		   "measure again.");
	check_cap(
		&f, 0, 0,
		"Maximum under mean latency 5 ms: >= 2010 IOPS at iodepth 8 (4.00 ms), measured; "
		"the cap is not exceeded even at iodepth 8. This is a lower bound: the client or its "
		"queue was the limit there.");
	fixture_release(&f);

	load(&f, rows, 4);
	fixture_add_cap(&f, LAT_MEAN, 3);
	fixture_add_cap(&f, LAT_MEAN, 0.5);
	f.point[0].flags = f.point[3].flags = FLAG_BIT(FLAG_CPU_BOUND);
	fixture_analyze(&f);
	check_cap(
		&f, 0, 0,
		"Maximum under mean latency 3 ms: >= 2000 IOPS at iodepth 4 (2.00 ms), measured; "
		"about 2006 between iodepth 4 and 8 (estimate). This is a lower bound: the client "
		"or its queue was the limit at iodepth 8, so the target alone may meet the cap "
		"there.");
	check_cap(&f, 0, 1,
		  "No iodepth meets mean <= 0.5 ms; the lowest is 1.00 ms at iodepth 1. The client "
		  "or its queue was the limit there, so the target alone may meet it.");
	fixture_release(&f);
}

/* The deciding point itself was held back, while the depth beyond the cap was not. */
static void a_lower_bound_is_one_in_few_words_too(void **state)
{
	static const struct row rows[] = {{1, 1000, 1, 2}, {2, 1500, 1.3, 3}, {4, 1600, 2.5, 9}};
	struct buf b = BUF_INIT;
	struct fixture f;

	(void)state;
	load(&f, rows, 3);
	fixture_add_cap(&f, LAT_MEAN, 2);
	f.point[1].flags = FLAG_BIT(FLAG_CPU_BOUND);
	fixture_analyze(&f);
	assert_int_equal(f.answers[0].cap[0].status, CAP_OK);
	sentence_cap_short(&b, &f.answers[0].cap[0]);
	check_text(&b, ">= 1500 at iodepth 2");
	fixture_release(&f);
}

static void a_plateau_at_the_queue_limit_is_that_of_the_host(void **state)
{
	static const struct row rows[] = {{1, 1000, 1, UNKNOWN},
					  {2, 2000, 1, UNKNOWN},
					  {4, 4000, 1, UNKNOWN},
					  {8, 4000, 2, UNKNOWN},
					  {16, 4000, 4, UNKNOWN}};
	struct fixture f;

	(void)state;
	load(&f, rows, 5);
	f.info.target_queue_limit = 4;
	f.point[3].flags = f.point[4].flags = FLAG_BIT(FLAG_QUEUE_LIMITED);
	fixture_analyze(&f);
	check_knee(&f, 0,
		   "Host queue limit 4: 4000 IOPS at 1.00 ms at iodepth 4, the peak (N* = 4.00). "
		   "Deeper I/O waits in this host, so the plateau need not be the device's: raise "
		   "nr_requests or queue_depth to see its own. Against iodepth 1, iodepth 16 costs "
		   "4.0x the latency for 4.0x the IOPS.");
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_knee_is_told_with_the_price_of_more_depth),
		cmocka_unit_test(the_interval_of_the_knee_is_told_where_errors_are_known),
		cmocka_unit_test(a_knee_on_points_that_were_held_back_is_a_lower_bound),
		cmocka_unit_test(a_fall_that_the_host_made_is_not_told_of_the_target),
		cmocka_unit_test(a_flat_curve_is_saturated_from_the_start),
		cmocka_unit_test(a_flat_curve_that_starts_deep_asks_for_smaller_depths),
		cmocka_unit_test(equal_counts_go_to_the_smallest_depth),
		cmocka_unit_test(the_limit_of_a_flat_curve_is_never_its_deepest_queue),
		cmocka_unit_test(a_knee_that_was_not_reached_asks_for_more_depth),
		cmocka_unit_test(one_point_needs_more_depths_but_answers_a_cap),
		cmocka_unit_test(the_price_of_depth_is_told_on_a_disk),
		cmocka_unit_test(a_curve_that_falls_names_the_depth_to_stay_below),
		cmocka_unit_test(dips_are_told),
		cmocka_unit_test(a_curve_without_latencies_says_nothing_of_them),
		cmocka_unit_test(a_curve_without_valid_points_says_why),
		cmocka_unit_test(a_knee_of_the_client_is_withheld),
		cmocka_unit_test(a_lower_bound_is_one_in_few_words_too),
		cmocka_unit_test(a_plateau_at_the_queue_limit_is_that_of_the_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
