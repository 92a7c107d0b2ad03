/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/num.h"
#include "report/format.h"
#include "report/table.h"

static void check(struct buf *b, const char *want)
{
	assert_string_equal(buf_text(b), want);
	buf_reset(b);
}

static void figures_have_three_significant_digits(void **state)
{
	static const struct {
		double v;
		const char *text;
	} cases[] = {
		{0, "0.00"},
		{0.0123, "0.0123"},
		{0.47698, "0.477"},
		{0.9994, "0.999"},
		{0.9996, "1.00"},
		{7.31, "7.31"},
		{9.994, "9.99"},
		{9.996, "10.0"},
		{99.94, "99.9"},
		{99.96, "100"},
		{4368, "4368"},
		{1234567, "1234567"},
		{1e11, "100000000000"},
		{1e300, "1.00e+300"},
	};
	struct buf b = BUF_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		format_sig3(&b, cases[i].v);
		check(&b, cases[i].text);
	}
	buf_release(&b);
}

static void what_is_not_known_is_a_dash(void **state)
{
	struct buf b = BUF_INIT;

	(void)state;
	format_sig3(&b, UNKNOWN);
	format_ratio(&b, (double)INFINITY);
	format_share(&b, UNKNOWN);
	format_fixed(&b, UNKNOWN, 2);
	check(&b, "----");
	buf_release(&b);
}

static void a_share_below_all_is_not_rounded_up_to_all(void **state)
{
	struct buf b = BUF_INIT;

	(void)state;
	format_share(&b, 0.999);
	check(&b, "99 %");
	format_share(&b, 1);
	check(&b, "100 %");
	buf_release(&b);
}

static void long_names_are_cut_between_characters(void **state)
{
	struct buf b = BUF_INIT;

	(void)state;
	buf_add_clean(&b,
		      "r\xc3\xa9sum\xc3\xa9 \xc3\xbc"
		      "ber_lv_1",
		      8);
	check(&b, "r\xc3\xa9sum\xc3\xa9 \xe2\x80\xa6");
	buf_add_clean(&b, "short", 5);
	check(&b, "short");
	buf_release(&b);
}

static void names_cannot_carry_control_characters(void **state)
{
	struct buf b = BUF_INIT;

	(void)state;
	buf_add_clean(&b, "a\033[31m\nb\xff", 100);
	check(&b, "a [31m b?");
	buf_release(&b);
}

static void the_status_says_what_decides_and_why(void **state)
{
	const flag_set stall = FLAG_BIT(FLAG_STALL), cached = FLAG_BIT(FLAG_HOST_CACHE);
	const struct {
		flag_set flags, accepted;
		const char *text;
	} cases[] = {
		{0, 0, "ok"},
		{0, stall, "ok"},
		{stall, 0, "spoiled: stall"},
		{stall, stall, "stall (accepted)"},
		{stall | cached, stall, "spoiled: host-cache, stall (accepted)"},
		{stall | cached, stall | cached, "host-cache (accepted), stall (accepted)"},
		{FLAG_BIT(FLAG_UNSTEADY), FLAG_BIT(FLAG_UNSTEADY), "unsteady"},
		/* Of such a point there are no figures to accept. */
		{FLAG_BIT(FLAG_LITTLE), FLAG_BIT(FLAG_LITTLE), "spoiled: little"},
	};
	struct buf b = BUF_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct point p = {.status = POINT_OK, .flags = cases[i].flags};

		format_status(&b, &p, cases[i].accepted);
		check(&b, cases[i].text);
	}
	buf_release(&b);
}

static void text_is_wrapped_between_words(void **state)
{
	struct buf b = BUF_INIT;

	(void)state;
	format_wrapped(&b, "one two three averyveryverylongword four", 2, 12);
	check(&b, "  one two\n  three\n  averyveryverylongword\n  four\n");
	buf_release(&b);
}

static const struct table_col cols[] = {
	{"name", true, 0}, {"n", false, 0}, {"extra", false, 1}, {"status", true, 0}};

static void fill(struct table *t)
{
	static const char *const cells[] = {"a",  "1",	"x", "ok",
					    "bb", "22", "y", "failed: the device went away"};

	table_init(t, cols, 4);
	for (size_t i = 0; i < 8; i++)
		table_add(t, cells[i]);
}

static void a_table_is_as_wide_as_it_needs(void **state)
{
	struct buf b = BUF_INIT;
	struct table t;

	(void)state;
	fill(&t);
	table_print(&t, &b, 1, 80);
	check(&b, " name   n  extra  status\n"
		  " a      1      x  ok\n"
		  " bb    22      y  failed: the device went away\n");
	table_release(&t);
	buf_release(&b);
}

static void a_narrow_table_drops_columns_and_wraps_the_last(void **state)
{
	struct buf b = BUF_INIT;
	struct table t;

	(void)state;
	fill(&t);
	table_print(&t, &b, 0, 24);
	check(&b, "name   n  status\n"
		  "a      1  ok\n"
		  "bb    22  failed: the\n"
		  "          device went\n"
		  "          away\n");
	table_release(&t);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_have_three_significant_digits),
		cmocka_unit_test(what_is_not_known_is_a_dash),
		cmocka_unit_test(a_share_below_all_is_not_rounded_up_to_all),
		cmocka_unit_test(long_names_are_cut_between_characters),
		cmocka_unit_test(names_cannot_carry_control_characters),
		cmocka_unit_test(the_status_says_what_decides_and_why),
		cmocka_unit_test(text_is_wrapped_between_words),
		cmocka_unit_test(a_table_is_as_wide_as_it_needs),
		cmocka_unit_test(a_narrow_table_drops_columns_and_wraps_the_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
