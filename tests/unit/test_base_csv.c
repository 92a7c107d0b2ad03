/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/csv.h"
#include "base/units.h"

#include <stdio.h>
#include <string.h>

/* All records as "line:field|field;", or the error. */
static void assert_csv_len(const char *text, size_t len, const char *want)
{
	struct buf got = BUF_INIT;
	struct err e = {0};
	struct csv c;
	int rc;

	csv_init(&c, text, len);
	while ((rc = csv_next(&c, &e)) > 0) {
		buf_addf(&got, "%u:", c.line_nr);
		for (size_t i = 0; i < c.nr_fields; i++)
			buf_addf(&got, "%s%s", i ? "|" : "", csv_field(&c, i));
		buf_addstr(&got, ";");
	}
	if (rc < 0)
		buf_addstr(&got, e.msg);
	assert_string_equal(buf_text(&got), want);
	buf_release(&got);
	csv_release(&c);
}

static void assert_csv(const char *text, const char *want)
{
	assert_csv_len(text, strlen(text), want);
}

static void fields_and_records_are_split(void **state)
{
	(void)state;
	assert_csv("", "");
	assert_csv("\n\r\n", "");
	assert_csv("a,b\nc,d\n", "1:a|b;2:c|d;");
	assert_csv("a,b\r\nc,d", "1:a|b;2:c|d;");
	assert_csv("\xef\xbb\xbf"
		   "a\n\n\nb",
		   "1:a;4:b;");
	assert_csv("a,,\n,\n", "1:a||;2:|;");
	assert_csv(" a , b\n", "1: a | b;");
	assert_csv("a\rb,c\n", "1:a\rb|c;");
}

static void quoted_fields_hold_anything(void **state)
{
	(void)state;
	assert_csv("\"a,b\",\"say \"\"x\"\"\",\"\"\n", "1:a,b|say \"x\"|;");
	assert_csv("\"a\nb\r\nc\",d\ne\n", "1:a\nb\r\nc|d;4:e;");
	assert_csv("\"a\"", "1:a;");
}

static void what_is_no_csv_is_refused_with_its_line(void **state)
{
	(void)state;
	assert_csv("a\n\"b", "1:a;line 2: a quoted field does not end");
	assert_csv("a\nb\"c\"\n", "1:a;line 2: a quote inside a field without quotes");
	assert_csv("\"a\"b\n", "line 1: text behind the closing quote of a field");
	assert_csv_len("a\nb\0c\n", 6, "1:a;line 2: a NUL byte: this is no text");
	assert_csv_len("\"b\0c\"\n", 6, "line 1: a NUL byte: this is no text");
}

static void what_buf_csv_str_writes_is_read_back(void **state)
{
	static const char *const texts[] = {"", "a", "a,b", "say \"x\"", "two\nlines", " a", "ü"};
	struct buf b = BUF_INIT;
	struct err e = {0};
	struct csv c;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		buf_csv_str(&b, texts[i]);
		buf_addstr(&b, ",");
	}
	csv_init(&c, buf_text(&b), b.len);
	assert_int_equal(csv_next(&c, &e), 1);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_string_equal(csv_field(&c, i), texts[i]);
	csv_release(&c);
	buf_release(&b);
}

static void decimal_sizes_are_shown_as_they_were_printed(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *want;
	} cases[] = {{500000000000, "500GB"},
		     {4000000000000, "4000GB"},
		     {500ULL << 30, "500G"},
		     {1ULL << 40, "1T"},
		     {4096, "4k"},
		     {1000000, "1000000"},
		     {1000000000ULL << 30, "1000000000G"}};
	struct buf b = BUF_INIT;
	uint64_t bytes;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		buf_reset(&b);
		buf_add_size_title(&b, cases[i].bytes);
		assert_string_equal(buf_text(&b), cases[i].want);
	}
	assert_int_equal(units_parse_size("500GB", &bytes, NULL), -1);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_and_records_are_split),
		cmocka_unit_test(quoted_fields_hold_anything),
		cmocka_unit_test(what_is_no_csv_is_refused_with_its_line),
		cmocka_unit_test(what_buf_csv_str_writes_is_read_back),
		cmocka_unit_test(decimal_sizes_are_shown_as_they_were_printed),
	};

	return cmocka_run_group_tests_name("csv", tests, NULL, NULL);
}
