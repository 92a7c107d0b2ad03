/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"

#include <string.h>

static void joined_errors_are_all_told_and_the_first_one_counts(void **state)
{
	struct err e = {0}, first = {.code = ERR_OUTPUT, .msg = "no room for 'a'"};
	const struct err second = {.code = ERR_TOOL, .msg = "no gnuplot"};

	(void)state;
	assert_int_equal(err_join(&e, &first), -1);
	assert_int_equal(err_join(&e, &second), -1);
	assert_int_equal(e.code, ERR_OUTPUT);
	assert_string_equal(e.msg, "no room for 'a'; no gnuplot");
	assert_int_equal(err_join(NULL, &second), -1);
}

static void a_join_of_many_is_cut_at_its_end(void **state)
{
	struct err e = {0};
	const struct err one = {.code = ERR_OUTPUT, .msg = "cannot write 'some/file/of/a/report'"};

	(void)state;
	for (int i = 0; i < 100; i++)
		(void)err_join(&e, &one);
	assert_int_equal(strlen(e.msg), sizeof(e.msg) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(joined_errors_are_all_told_and_the_first_one_counts),
		cmocka_unit_test(a_join_of_many_is_cut_at_its_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
