/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "report/one_line.h"
#include "report/progress.h"

#include <math.h>
#include <string.h>

static const struct point_spec spec = {.rw = RW_RANDREAD,
				       .iodepth = 8,
				       .workers = 1,
				       .rwmixread_pct = 100,
				       .random_pct = 100,
				       .bs_bytes = 4096,
				       .span_bytes = 1 << 30,
				       .repeat = 1};

static const struct progress_view full = {
	.nr_done = 4,
	.nr_todo = 12,
	.share = 0.38,
	.spec = &spec,
	.iops = 3905,
	.lat_ns = 8.18e6,
	.left_ns = 70 * NS_PER_S,
	.left_title = "ETA",
	.counts = {.nr_failed = 1, .nr_spoiled = 2, .flags = FLAG_BIT(FLAG_STALL)},
};

static void assert_line(const struct progress_view *v, size_t width, const char *want)
{
	struct buf b = BUF_INIT;

	progress_line(&b, v, width);
	assert_string_equal(buf_text(&b), want);
	buf_release(&b);
}

static void a_narrow_line_keeps_what_matters_most(void **state)
{
	(void)state;
	assert_line(&full, 200,
		    "[5/12]  38 %  randread 4k iodepth 8 span 1G  3905 IOPS, 8.18 ms  "
		    "ETA 0:01:10  1 failed, 2 spoiled (stall)");
	assert_line(&full, 80,
		    "[5/12]  38 %  randread 4k iodepth 8 span 1G  3905 IOPS, 8.18 ms  "
		    "ETA 0:01:10");
	assert_line(&full, 60, "[5/12]  38 %  3905 IOPS, 8.18 ms  ETA 0:01:10");
	assert_line(&full, 40, "[5/12]  3905 IOPS, 8.18 ms  ETA 0:01:10");
	assert_line(&full, 30, "[5/12]  3905 IOPS, 8.18 ms");
	assert_line(&full, 20, "[5/12]  ETA 0:01:10");
	assert_line(&full, 10, "[5/12]");
	assert_line(&full, 4, "[5/\xe2\x80\xa6");
	assert_line(&full, 0, "");
}

static void no_line_is_wider_than_its_room(void **state)
{
	(void)state;
	for (size_t width = 0; width <= 200; width++) {
		struct buf b = BUF_INIT;

		progress_line(&b, &full, width);
		assert_true(text_width(buf_text(&b)) <= width);
		buf_release(&b);
	}
}

static void what_is_not_known_is_left_out(void **state)
{
	struct progress_view v = full;

	(void)state;
	v.nr_todo = 0;
	v.share = v.iops = v.lat_ns = UNKNOWN;
	v.left_ns = PROGRESS_TIME_UNKNOWN;
	v.counts = (struct progress_counts){.nr_failed = 0};
	assert_line(&v, 80, "[5]  randread 4k iodepth 8 span 1G");
	v.doing = "ramp";
	assert_line(&v, 80, "[5]  randread 4k iodepth 8 span 1G  ramp");
	v.iops = 100;
	assert_line(&v, 80, "[5]  randread 4k iodepth 8 span 1G  ramp 100 IOPS");
}

static void the_time_that_is_left_is_never_negative(void **state)
{
	(void)state;
	assert_int_equal(progress_left_ns(10, 3, 4), 26);
	/* A point that takes longer than the others did is not taken from those behind it. */
	assert_int_equal(progress_left_ns(10, 3, 10), 20);
	assert_int_equal(progress_left_ns(10, 3, 1000), 20);
	assert_int_equal(progress_left_ns(10, 1, 1000), 0);
	assert_int_equal(progress_left_ns(10, 0, 1000), 0);
	assert_int_equal(progress_left_ns(0, 7, 1000), 0);
}

static void the_share_never_leaves_its_bounds(void **state)
{
	(void)state;
	assert_true(isnan(progress_share(10, 0, 0, 0)));
	assert_float_equal(progress_share(10, 0, 4, 5), 0.125, 1e-9);
	assert_float_equal(progress_share(10, 3, 1, 1000), 1, 1e-9);
	assert_float_equal(progress_share(0, 2, 2, 1000), 0.5, 1e-9);
}

static void counts_say_nothing_where_all_is_well(void **state)
{
	struct progress_counts c = {.nr_spoiled = 1, .flags = FLAG_BIT(FLAG_HOST_CACHE)};
	struct buf b = BUF_INIT;

	(void)state;
	progress_counts(&b, &(struct progress_counts){.nr_failed = 0});
	assert_string_equal(buf_text(&b), "");
	progress_counts(&b, &c);
	assert_string_equal(buf_text(&b), "1 spoiled (host-cache)");
	buf_release(&b);
}

static void parts_of_one_rank_go_from_the_right(void **state)
{
	struct one_line l = {.nr = 0};
	struct buf b = BUF_INIT;

	(void)state;
	buf_addstr(one_line_part(&l, 1), "first");
	buf_addstr(one_line_part(&l, 1), "second");
	(void)one_line_part(&l, 0);
	buf_addstr(one_line_part(&l, 2), "third");
	one_line_take(&l, 14, &b);
	assert_string_equal(buf_text(&b), "first  second");
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_narrow_line_keeps_what_matters_most),
		cmocka_unit_test(no_line_is_wider_than_its_room),
		cmocka_unit_test(what_is_not_known_is_left_out),
		cmocka_unit_test(the_time_that_is_left_is_never_negative),
		cmocka_unit_test(the_share_never_leaves_its_bounds),
		cmocka_unit_test(counts_say_nothing_where_all_is_well),
		cmocka_unit_test(parts_of_one_rank_go_from_the_right),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
