/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct buf b = BUF_INIT;

static int release(void **state)
{
	(void)state;
	buf_release(&b);
	return 0;
}

static void check(const char *want)
{
	assert_string_equal(buf_text(&b), want);
	assert_int_equal(b.len, strlen(want));
	buf_reset(&b);
}

static void test_grows(void **state)
{
	size_t want = 0;

	(void)state;
	assert_string_equal(buf_text(&b), "");
	for (int i = 0; i < 5000; i++) {
		buf_addch(&b, 'x');
		buf_addf(&b, "%d", i);
		buf_add(&b, "ab", 2);
		buf_addstr(&b, "");
		want += i < 10 ? 4U : i < 100 ? 5U : i < 1000 ? 6U : 7U;
	}
	assert_int_equal(b.len, want);
	assert_int_equal(strlen(b.text), want);
	assert_true(!strncmp(b.text, "x0abx1abx2ab", 12));
	assert_string_equal(b.text + want - 7, "x4999ab");
	buf_reset(&b);
	check("");
}

static void test_bytes(void **state)
{
	(void)state;
	buf_add(&b, "a\0b", 3);
	assert_int_equal(b.len, 3);
	assert_memory_equal(b.text, "a\0b", 4);
	buf_reset(&b);
}

static void test_detach(void **state)
{
	char *s;

	(void)state;
	buf_release(&b);
	s = buf_detach(&b);
	assert_string_equal(s, "");
	free(s);
	buf_addstr(&b, "text");
	s = buf_detach(&b);
	assert_string_equal(s, "text");
	assert_null(b.text);
	check("");
	free(s);
}

static void json(const char *s, const char *want)
{
	buf_json_str(&b, s);
	check(want);
}

static void test_json_strings(void **state)
{
	(void)state;
	json(NULL, "null");
	json("", "\"\"");
	json("a\"b\\c/d", "\"a\\\"b\\\\c/d\"");
	json("\n\t\r\b\f\x01\x1f\x7f", "\"\\n\\t\\u000d\\u0008\\u000c\\u0001\\u001f\\u007f\"");
	json("r\xc3\xa9sum\xc3\xa9 \xe6\xb5\x8b \xf0\x9f\x98\x80",
	     "\"r\xc3\xa9sum\xc3\xa9 \xe6\xb5\x8b \xf0\x9f\x98\x80\"");
}

static void test_json_invalid_utf8(void **state)
{
	static const struct {
		const char *text;
		unsigned replaced;
	} rows[] = {
		{"\x80", 1},	 /* a continuation alone */
		{"\xc3", 1},	 /* cut off */
		{"\xe6\xb5", 2}, /* cut off later */
		{"\xf0\x9f\x98", 3},
		{"\xc0\xaf", 2}, /* overlong */
		{"\xe0\x80\xaf", 3},
		{"\xf0\x80\x80\xaf", 4},
		{"\xed\xa0\x80", 3},	 /* half of a surrogate pair */
		{"\xf4\x90\x80\x80", 4}, /* beyond U+10FFFF */
		{"\xf5\x80\x80\x80", 4},
		{"\xff\xfe", 2},
	};

	(void)state;
	for (size_t i = 0; i < NR(rows); i++) {
		struct buf want = BUF_INIT, text = BUF_INIT;

		buf_addf(&text, "a%sb", rows[i].text);
		buf_addstr(&want, "\"a");
		for (unsigned j = 0; j < rows[i].replaced; j++)
			buf_addstr(&want, "\\ufffd");
		buf_addstr(&want, "b\"");
		json(text.text, want.text);
		buf_release(&want);
		buf_release(&text);
	}
	json("\xe2\x82"
	     "\xc3\xa9",
	     "\"\\ufffd\\ufffd\xc3\xa9\"");
}

static void clean(const char *s, size_t max, const char *want)
{
	buf_add_clean(&b, s, max);
	check(want);
}

static void test_treacherous(void **state)
{
	(void)state;
	clean("a\033]0;t\a\tb\nc\x7f", SIZE_MAX, "a ]0;t  b c ");
	clean("\xc2\x9b|\xe2\x80\xa8|\xe2\x80\xae|\xe2\x81\xa6|\xff", SIZE_MAX, "?|?|?|?|?");
	/* Neighbours of those that are not shown. */
	clean("\xc2\xa0\xe2\x80\xa7\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa", SIZE_MAX,
	      "\xc2\xa0\xe2\x80\xa7\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa");
	clean("abc\033", 3, "ab\xe2\x80\xa6");
	json("\xc2\x9b\xe2\x80\xa8\xe2\x80\xae\xe2\x81\xa9", "\"\\u009b\\u2028\\u202e\\u2069\"");
}

/* Whatever goes in, no raw control character and no unescaped quote comes out. */
static void test_json_random(void **state)
{
	char text[40];
	struct rng r;

	(void)state;
	rng_seed(&r, 13);
	for (int round = 0; round < 20000; round++) {
		size_t len = rng_below(&r, sizeof(text));

		rng_fill(&r, text, len);
		text[len] = '\0';
		buf_json_str(&b, text);
		assert_true(b.len >= 2 && b.text[0] == '"' && b.text[b.len - 1] == '"');
		for (size_t i = 1; i + 1 < b.len; i++) {
			assert_true((unsigned char)b.text[i] >= 0x20);
			assert_true(b.text[i] != '"');
			i += b.text[i] == '\\';
		}
		buf_reset(&b);
	}
}

static void test_json_numbers(void **state)
{
	(void)state;
	buf_json_num(&b, 0.1);
	check("0.1");
	buf_json_num(&b, -2);
	check("-2");
	buf_json_num(&b, 1e15);
	check("1e+15");
	buf_json_num(&b, UNKNOWN);
	check("null");
	buf_json_num(&b, (double)INFINITY);
	check("null");
}

static void csv(const char *s, const char *want)
{
	buf_csv_str(&b, s);
	check(want);
}

static void test_csv(void **state)
{
	(void)state;
	csv(NULL, "");
	csv("", "");
	csv("plain text", "plain text");
	csv("a,b", "\"a,b\"");
	csv("say \"hi\"", "\"say \"\"hi\"\"\"");
	csv("two\nlines", "\"two\nlines\"");
	csv("cr\r", "\"cr\r\"");
	csv(" led", "\" led\"");
	csv("\"", "\"\"\"\"");
	csv("=cmd|'/C calc'!A0", "'=cmd|'/C calc'!A0");
	csv("@SUM(1,2)", "\"'@SUM(1,2)\"");
	csv("-2+3", "'-2+3");
	csv("=", "=");
	csv("a\033[2J\302\2332J\342\200\256", "a [2J?2J?");
	csv("\xc3\xbc"
	    "ber_lv_1",
	    "\xc3\xbc"
	    "ber_lv_1");
}

/* The same texts as printf makes. */
static void check_number(double v)
{
	char want[400];

	for (int decimals = 0; decimals <= 10; decimals++) {
		(void)snprintf(want, sizeof(want), "%.*f", decimals, v);
		buf_add_fixed(&b, v, decimals);
		check(want);
	}
	(void)snprintf(want, sizeof(want), "%.10g", v);
	buf_add_g10(&b, v);
	check(want);
}

static void test_numbers(void **state)
{
	static const double special[] = {
		0,	     -0.0,	   .5,	     1.5,	    2.5,
		.125,	     .375,	   1e-4,     9.9999e-5,	    1e-5,
		1e9,	     1e10,	   1e15,     1e300,	    -1.25,
		0.1,	     .3,	   999.9995, 9.99999999995, 99999.999995,
		123456789.5, 999999999.95, HUGE_VAL, -HUGE_VAL};
	struct rng r;

	(void)state;
	for (size_t i = 0; i < NR(special); i++)
		check_number(special[i]);
	rng_seed(&r, 5);
	for (int i = 0; i < 10000; i++) {
		double v = (double)(rng_next(&r) >> 11) / 9007199254740992.0;
		int power = (int)rng_below(&r, 18) - 6;

		check_number(v * pow(10, power));
		/* Halves and other short fractions, where rounding is hardest. */
		check_number((double)rng_below(&r, 1 << 20) / (double)(1 << rng_below(&r, 12)));
		/* As whoever types them means them. */
		check_number((double)rng_below(&r, 1000000) / pow(10, (double)rng_below(&r, 7)));
	}
	buf_add_u64(&b, 0);
	check("0");
	buf_add_u64(&b, UINT64_MAX);
	check("18446744073709551615");
	buf_add_blanks(&b, 3);
	check("   ");
	buf_add_blanks(&b, 0);
	check("");
}

static void test_width(void **state)
{
	(void)state;
	assert_int_equal(text_width(""), 0);
	assert_int_equal(text_width("abc"), 3);
	assert_int_equal(text_width("r\xc3\xa9sum\xc3\xa9"), 6);
	assert_int_equal(text_width("\xe6\xb5\x8b"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("a buffer grows and stays terminated", test_grows),
		titled_test("bytes are taken as they are", test_bytes),
		titled_test("a text can be taken out", test_detach),
		titled_test("JSON strings are escaped", test_json_strings),
		titled_test("JSON strings hold no invalid UTF-8", test_json_invalid_utf8),
		titled_test("no input breaks a JSON string", test_json_random),
		titled_test("what a terminal would obey is not written", test_treacherous),
		titled_test("JSON numbers are finite or null", test_json_numbers),
		titled_test("CSV fields are quoted only where they must be", test_csv),
		titled_test("numbers are written as printf writes them", test_numbers),
		titled_test("width counts characters", test_width),
	};

	return cmocka_run_group_tests(tests, NULL, release);
}
