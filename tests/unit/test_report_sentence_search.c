/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/num.h"
#include "report/sentence.h"

#include <string.h>

#define SECOND 1000000000ULL

static struct search_point point(uint64_t at, double iops, double lat_ms, double se)
{
	return (struct search_point){.at = at,
				     .iops = iops,
				     .iops_se = se > 0 ? se : UNKNOWN,
				     .lat_ns = lat_ms * 1e6,
				     .lat_se = se,
				     .ios = 100000,
				     .run_id = 7};
}

/* Of depths 36 and 37 under 10 ms, 5 points in 103 s. */
static struct search_answer answer(enum search_stop stop)
{
	return (struct search_answer){
		.cap = {LAT_MEAN, 10000000},
		.settings = {.max = SEARCH_MAX_DEPTH, .max_points = SEARCH_MAX_POINTS},
		.stop = stop,
		.best = point(36, 3992, 9.02, .005),
		.good = point(36, 3992, 9.02, .005),
		.bad = point(37, 4001, 10.25, .005),
		.lowest = point(1, 500, 2, .005),
		.nr_points = 5,
		.time_ns = 103 * SECOND};
}

static void check(const struct search_answer *a, const char *want)
{
	struct buf b = BUF_INIT;

	sentence_search(&b, a);
	assert_null(strstr(buf_text(&b), "nan"));
	assert_string_equal(buf_text(&b), want);
	buf_release(&b);
}

static void check_short(const struct search_answer *a, const char *want)
{
	struct buf b = BUF_INIT;

	sentence_search_short(&b, a);
	assert_string_equal(buf_text(&b), want);
	buf_release(&b);
}

static void test_met(void **state)
{
	struct search_answer a = answer(SEARCH_BRACKET);

	(void)state;
	check(&a, "Maximum under mean latency 10 ms: 3992 IOPS (95 % 3953 to 4031) at iodepth 36 "
		  "(9.02 ms, 95 % 8.93 to 9.11). Last good iodepth 36 (9.02 ms), first bad 37 "
		  "(10.2 ms), with nothing between. 5 points in 0:01:43.");
	check_short(&a, "3992 at iodepth 36");
	a.bad.at = 38;
	a.nr_shared = 4;
	a.nr_points = 1;
	a.time_ns = 20 * SECOND;
	check(&a, "Maximum under mean latency 10 ms: 3992 IOPS (95 % 3953 to 4031) at iodepth 36 "
		  "(9.02 ms, 95 % 8.93 to 9.11). Last good iodepth 36 (9.02 ms), first bad 38 "
		  "(10.2 ms), 6 % or less apart. 1 point in 20.0 s; 4 known from the caps before.");
	a = answer(SEARCH_FLAT);
	a.best = point(20, 3990, 5.01, 0);
	a.nr_points = 0;
	a.nr_seed = 9;
	a.seed_run[0] = 3;
	a.seed_run[1] = 5;
	a.nr_seed_runs = 2;
	check(&a,
	      "Maximum under mean latency 10 ms: 3990 IOPS at iodepth 20 (5.01 ms). Last good "
	      "iodepth 36 (9.02 ms), first bad 37 (10.2 ms); IOPS at both are within 2 %, so no "
	      "depth between gives more. No point had to be measured; 9 known from runs 3 and "
	      "5.");
}

static void test_at_the_cap(void **state)
{
	struct search_answer a = answer(SEARCH_AT_CAP);

	(void)state;
	a.best = a.good = point(40, 3999, 10.01, .005);
	check(&a, "Maximum under mean latency 10 ms: 3999 IOPS (95 % 3960 to 4038) at iodepth 40 "
		  "(10.0 ms, 95 % 9.91 to 10.1). The latency at iodepth 40 is the cap within its "
		  "noise. 5 points in 0:01:43.");
	a.best = point(24, 3998, 6, .005);
	check(&a, "Maximum under mean latency 10 ms: 3998 IOPS (95 % 3959 to 4037) at iodepth 24 "
		  "(6.00 ms, 95 % 5.94 to 6.06). The latency at iodepth 40, 10.0 ms, is the cap "
		  "within its noise; IOPS there are the same within theirs. 5 points in 0:01:43.");
}

static void test_no_maximum(void **state)
{
	struct search_answer a = answer(SEARCH_NOT_REACHED);

	(void)state;
	a.bad.at = 0;
	check(&a,
	      "Maximum under mean latency 10 ms: >= 3992 IOPS (95 % 3953 to 4031) at iodepth 36 "
	      "(9.02 ms, 95 % 8.93 to 9.11). The cap is not exceeded even at iodepth 36, the largest "
	      "that may be tried. 5 points in 0:01:43.");
	check_short(&a, ">= 3992 at iodepth 36");
	a = answer(SEARCH_NEVER);
	a.cap.limit_ns = 1000000;
	a.best.at = a.good.at = 0;
	a.nr_points = 1;
	a.time_ns = 25 * SECOND;
	check(&a, "No iodepth meets mean <= 1 ms: the lowest latency is 2.00 ms, 95 % 1.98 to "
		  "2.02 at iodepth 1. 1 point in 25.0 s.");
	check_short(&a, "never");
	a = answer(SEARCH_NO_POINTS);
	a.settings.max_points = 5;
	a.bad.at = 144;
	check(&a,
	      "Maximum under mean latency 10 ms: >= 3992 IOPS (95 % 3953 to 4031) at iodepth 36 "
	      "(9.02 ms, 95 % 8.93 to 9.11). Last good iodepth 36 (9.02 ms), first bad 144 "
	      "(10.2 ms). No more than 5 points were allowed, so the maximum may lie between. 5 "
	      "points in 0:01:43.");
	check_short(&a, ">= 3992 at iodepth 36");
}

static void test_errors(void **state)
{
	struct search_answer a = answer(SEARCH_FAILED);

	(void)state;
	a.failed_at = 64;
	(void)strcpy(a.failed_reason, "failed: 3 I/O errors");
	check(&a, "No answer for mean <= 10 ms: the search ended by iodepth 64, failed: 3 I/O "
		  "errors. So far: 3992 IOPS (95 % 3953 to 4031) at iodepth 36 (9.02 ms, 95 % 8.93 "
		  "to 9.11) meets the cap. Iodepth 37 (10.2 ms) does not. 5 points in 0:01:43.");
	check_short(&a, "ended by an error");
	a.best.at = a.good.at = a.bad.at = 0;
	a.nr_points = 0;
	check(&a, "No answer for mean <= 10 ms: the search ended by iodepth 64, failed: 3 I/O "
		  "errors. No point had to be measured.");
	a = answer(SEARCH_GOES_ON);
	check(&a,
	      "Not finished for mean <= 10 ms. So far: 3992 IOPS (95 % 3953 to 4031) at "
	      "iodepth 36 (9.02 ms, 95 % 8.93 to 9.11) meets the cap. Iodepth 37 (10.2 ms) does "
	      "not. 5 points in 0:01:43.");
	check_short(&a, "not finished");
}

static void test_worth(void **state)
{
	struct search_answer a = answer(SEARCH_BRACKET);

	(void)state;
	a.is_client_limited = true;
	a.best.flags = FLAG_BIT(FLAG_CPU_BOUND) | FLAG_BIT(FLAG_SPLIT);
	check(&a,
	      "Maximum under mean latency 10 ms: >= 3992 IOPS (95 % 3953 to 4031) at iodepth 36 "
	      "(9.02 ms, 95 % 8.93 to 9.11). Last good iodepth 36 (9.02 ms), first bad 37 "
	      "(10.2 ms), with nothing between. Client-limited: this host was the limit "
	      "(cpu-bound), so the target may do more. Give it more workers or cores and search "
	      "again. 5 points in 0:01:43.");
	check_short(&a, ">= 3992 at iodepth 36");
	a = answer(SEARCH_BRACKET);
	a.queue_limit = 32;
	a.cap.stat = LAT_P99;
	a.best.ios = 800;
	a.best.lat_se = .1;
	check(&a,
	      "Maximum under p99 latency 10 ms: 3992 IOPS (95 % 3953 to 4031) at iodepth 36 "
	      "(9.02 ms, 95 % 7.41 to 11.0). Last good iodepth 36 (9.02 ms), first bad 37 "
	      "(10.2 ms), with nothing between. That it meets the cap is not sure: its interval "
	      "reaches beyond it. Iodepth 36 is above the queue limit of this host, 32: the rest "
	      "waits in the host, and the latency holds that wait. Only 800 I/Os are behind this "
	      "p99, which takes 1000. 5 points in 0:01:43.");
}

static void test_load(void **state)
{
	struct search_answer a = answer(SEARCH_BRACKET);

	(void)state;
	a.settings.is_load = true;
	a.best = a.good = point(3180, 3178, 9.8, .01);
	a.bad = point(3240, 3100, 80, .01);
	a.bad.is_missed = true;
	check(&a, "Highest load under mean latency 10 ms: 3180 IOPS offered, 3178 achieved (95 % "
		  "3116 to 3240), at 9.80 ms, 95 % 9.61 to 9.99. Last good load 3180 (9.80 ms), "
		  "first bad 3240 (not sustained, 3100 achieved), 2 % or less apart. 5 points in "
		  "0:01:43.");
	check_short(&a, "3180 IOPS");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("an answer with its bracket, reason and cost", test_met),
		titled_test("at the cap within the noise", test_at_the_cap),
		titled_test("not reached, never met, no more points", test_no_maximum),
		titled_test("ended by an error, and not finished", test_errors),
		titled_test("what the deciding points are worth", test_worth),
		titled_test("over load", test_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
