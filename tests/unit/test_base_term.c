/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/term.h"

#include <stdlib.h>
#include <string.h>

/* No terminal, whatever runs this test. */
#define NO_TERMINAL (-1)

static void without_a_terminal_columns_tells_the_width(void **state)
{
	static const struct {
		const char *columns;
		size_t want;
	} all[] = {{"80", 80},
		   {"1", 1},
		   {"0", 0},
		   {"-5", 0},
		   {"", 0},
		   {"x", 0},
		   {"80x", 0},
		   {"200", 200},
		   {"10000", 10000},
		   {"10001", 0},
		   {"99999999999999999999", 0}};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		assert_int_equal(setenv("COLUMNS", all[i].columns, 1), 0);
		assert_int_equal(term_width(NO_TERMINAL), all[i].want);
	}
	assert_int_equal(unsetenv("COLUMNS"), 0);
	assert_int_equal(term_width(NO_TERMINAL), 0);
}

static void colour_is_as_asked_for(void **state)
{
	struct err e = {0};

	(void)state;
	assert_false(term_has_color(NO_TERMINAL));
	assert_int_equal(setenv("NO_COLOR", "1", 1), 0);
	assert_int_equal(term_set_color("always", &e), 0);
	assert_true(term_has_color(NO_TERMINAL));
	assert_int_equal(term_set_color("never", &e), 0);
	assert_false(term_has_color(NO_TERMINAL));
	assert_int_equal(term_set_color("auto", &e), 0);
	assert_false(term_has_color(NO_TERMINAL));
	assert_int_equal(term_set_color("sometimes", &e), -1);
	assert_int_equal(e.code, ERR_USAGE);
	assert_string_equal(e.msg, "--color is auto, always or never, not 'sometimes'");
}

static void utf8_is_what_the_locale_says(void **state)
{
	(void)state;
	assert_int_equal(unsetenv("LC_ALL"), 0);
	assert_int_equal(unsetenv("LC_CTYPE"), 0);
	assert_int_equal(setenv("LANG", "C", 1), 0);
	assert_false(term_is_utf8());
	assert_int_equal(setenv("LANG", "no_SUCH.UTF-8", 1), 0);
	assert_false(term_is_utf8());
	assert_int_equal(setenv("LC_ALL", "C.UTF-8", 1), 0);
	assert_true(term_is_utf8());
}

static void a_style_is_a_style_only_where_there_is_colour(void **state)
{
	struct buf b = BUF_INIT;

	(void)state;
	buf_add_styled(&b, false, TERM_BAD, "failed");
	assert_string_equal(buf_text(&b), "failed");
	buf_reset(&b);
	buf_add_styled(&b, true, TERM_BAD, "failed");
	assert_string_equal(buf_text(&b), "\033[1;31mfailed\033[0m");
	assert_int_equal(text_width(buf_text(&b)), 6);
	buf_reset(&b);
	buf_add_styled(&b, true, TERM_BAD, "");
	assert_int_equal(b.len, 0);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_terminal_columns_tells_the_width),
		cmocka_unit_test(colour_is_as_asked_for),
		cmocka_unit_test(utf8_is_what_the_locale_says),
		cmocka_unit_test(a_style_is_a_style_only_where_there_is_colour),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
