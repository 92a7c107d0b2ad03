/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/units.h"

#include <string.h>

#define UNTOUCHED 0xabcdef

static void good_size(const char *text, uint64_t want)
{
	uint64_t got = UNTOUCHED;
	struct err e = {0};

	if (units_parse_size(text, &got, &e) || got != want)
		fail_msg("%s: %llu, %s", text, (unsigned long long)got, e.msg);
}

/* The message must hold the offending text. */
static void bad_size(const char *text)
{
	uint64_t got = UNTOUCHED;
	struct err e = {0};

	if (!units_parse_size(text, &got, &e))
		fail_msg("'%s' was taken as %llu", text, (unsigned long long)got);
	assert_int_equal(got, UNTOUCHED);
	assert_int_equal(e.code, ERR_USAGE);
	assert_non_null(strstr(e.msg, text));
}

/* Case O-09 of what people typed into other tools. */
static void test_sizes(void **state)
{
	(void)state;
	good_size("4096", 4096);
	good_size("4k", 4096);
	good_size("4K", 4096);
	good_size("4KiB", 4096);
	good_size("512B", 512);
	good_size("64k", 65536);
	good_size("1m", 1048576);
	good_size("1M", 1048576);
	good_size("1MiB", 1048576);
	good_size("1G", 1073741824);
	good_size("1g", 1073741824);
	good_size("2T", 2199023255552);
	good_size("20T", 21990232555520);
	good_size("1P", 1125899906842624);
	good_size("1.5M", 1572864);
	good_size("0.5k", 512);
	good_size("0", 0); /* an offset may be; a block or a span is refused by the plan */
	good_size("9223372036854775807", INT64_MAX);
	good_size("007", 7);
}

static void test_bad_sizes(void **state)
{
	static const char *const bad[] = {
		"4 k",
		"4q",
		"4kk",
		"-1",
		"+1",
		"1e3",
		"",
		" 4k",
		"4k ",
		"k",
		"4kB",
		"4KB",
		"1MB",
		"1GB",
		"0x10",
		"1.k",
		".5k",
		"1.5",
		"1,5k",
		"1.0001k",
		"4k,",
		"4Kib",
		"inf",
		"nan",
		"1_000",
		"99999999999T",
		"9223372036854775808",
		"18446744073709551616",
		"99999999999999999999999",
		"8388608T",
		"1.00000000000000000000k",
		"1..5M",
		"4kiB",
		"1 G",
	};

	(void)state;
	for (size_t i = 0; i < NR(bad); i++)
		bad_size(bad[i]);
}

static void good_duration(const char *text, uint64_t want)
{
	uint64_t got = UNTOUCHED;

	assert_int_equal(units_parse_duration(text, &got, NULL), 0);
	assert_true(got == want);
}

static void test_durations(void **state)
{
	static const char *const bad[] = {"",  "5",  "5 s", "-5s", "5sec",  "5S",  "1e3s",
					  "s", "ms", "5ss", "1d",  "0.5ns", "10M", "9999999999h"};

	(void)state;
	good_duration("0", 0);
	good_duration("0s", 0);
	good_duration("7ns", 7);
	good_duration("250us", 250 * NS_PER_US);
	good_duration("10ms", 10 * NS_PER_MS);
	good_duration("0.5s", NS_PER_S / 2);
	good_duration("1.5ms", 1500000);
	good_duration("5s", 5 * NS_PER_S);
	good_duration("2m", 120 * NS_PER_S);
	good_duration("8h", 8 * 3600 * NS_PER_S);
	for (size_t i = 0; i < NR(bad); i++) {
		uint64_t got = UNTOUCHED;
		struct err e = {0};

		assert_int_equal(units_parse_duration(bad[i], &got, &e), -1);
		assert_int_equal(got, UNTOUCHED);
		assert_non_null(strstr(e.msg, bad[i]));
	}
}

static void test_percents(void **state)
{
	static const struct {
		const char *text;
		uint32_t e4;
	} good[] = {{"0%", 0},	       {"1%", 10000},  {"12.5%", 125000},    {"33.3333%", 333333},
		    {"100%", 1000000}, {"0.0001%", 1}, {"99.9999%", 999999}, {"100.0%", 1000000}};
	static const char *const bad[] = {"",	      "%",    "101%", "100.0001%",
					  "-1%",      "12.5", "5 %",  "5%%",
					  "1.23456%", "1e1%", "5%x",  "99999999999999999999%"};

	(void)state;
	for (size_t i = 0; i < NR(good); i++) {
		uint32_t got = UNTOUCHED;

		assert_int_equal(units_parse_percent(good[i].text, &got, NULL), 0);
		assert_int_equal(got, good[i].e4);
	}
	for (size_t i = 0; i < NR(bad); i++) {
		uint32_t got = UNTOUCHED;
		struct err e = {0};

		assert_int_equal(units_parse_percent(bad[i], &got, &e), -1);
		assert_int_equal(got, UNTOUCHED);
		assert_non_null(strstr(e.msg, bad[i]));
	}
}

static void test_counts(void **state)
{
	static const char *const bad[] = {"",
					  "-1",
					  "+1",
					  "1.0",
					  "1k",
					  " 1",
					  "1 ",
					  "0x1",
					  "1e2",
					  "abc",
					  "9223372036854775808",
					  "18446744073709551617"};
	uint64_t got = UNTOUCHED;

	(void)state;
	assert_int_equal(units_parse_count("0", &got, NULL), 0);
	assert_int_equal(got, 0);
	assert_int_equal(units_parse_count("9223372036854775807", &got, NULL), 0);
	assert_true(got == INT64_MAX);
	for (size_t i = 0; i < NR(bad); i++) {
		struct err e = {0};

		got = UNTOUCHED;
		assert_int_equal(units_parse_count(bad[i], &got, &e), -1);
		assert_int_equal(got, UNTOUCHED);
		assert_non_null(strstr(e.msg, bad[i]));
	}
}

static void check_text(struct buf *b, const char *want)
{
	assert_string_equal(buf_text(b), want);
	buf_reset(b);
}

static void test_decimals(void **state)
{
	static const char *const bad[] = {"", ".5", "1.", "-1", "1e3", "2x", "1,5", "nan"};
	double got = 0;

	(void)state;
	assert_int_equal(units_parse_decimal("1.5", &got, NULL), 0);
	assert_within(got, 1.5, 0);
	assert_int_equal(units_parse_decimal("0", &got, NULL), 0);
	assert_within(got, 0, 0);
	for (size_t i = 0; i < NR(bad); i++) {
		struct err e = {0};

		assert_int_equal(units_parse_decimal(bad[i], &got, &e), -1);
		assert_non_null(strstr(e.msg, bad[i]));
	}
}

static void test_formats(void **state)
{
	struct buf b = BUF_INIT;

	(void)state;
	buf_add_size(&b, 4096);
	check_text(&b, "4k");
	buf_add_size(&b, 1536);
	check_text(&b, "1536");
	buf_add_size(&b, 500ULL << 30);
	check_text(&b, "500G");
	buf_add_size(&b, 0);
	check_text(&b, "0");
	buf_add_duration(&b, 250 * NS_PER_US);
	check_text(&b, "250us");
	buf_add_duration(&b, 90 * NS_PER_S);
	check_text(&b, "90s");
	buf_add_duration(&b, 0);
	check_text(&b, "0s");
	buf_add_percent(&b, 125000);
	check_text(&b, "12.5%");
	buf_add_percent(&b, 1000000);
	check_text(&b, "100%");
	buf_add_percent(&b, 333333);
	check_text(&b, "33.3333%");
	buf_add_hms(&b, 4 * NS_PER_S);
	check_text(&b, "4.0 s");
	buf_add_hms(&b, 75790 * NS_PER_S);
	check_text(&b, "21:03:10");
	buf_add_hms(&b, 60 * NS_PER_S - 1);
	check_text(&b, "0:01:00");
	buf_release(&b);
}

static void test_human_sizes(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} rows[] = {
		{0, "0 B"},
		{512, "512 B"},
		{999, "999 B"},
		{1000, "0.977 KiB"},
		{1024, "1.00 KiB"},
		{1023488000, "976 MiB"},
		{1572864000, "1.46 GiB"},
		{10ULL << 20, "10.0 MiB"},
		{1023ULL << 20, "0.999 GiB"},
		{64ULL << 20, "64.0 MiB"},
		{20ULL << 40, "20.0 TiB"},
		{UINT64_MAX, "16384 PiB"},
	};
	struct buf b = BUF_INIT;

	(void)state;
	for (size_t i = 0; i < NR(rows); i++) {
		buf_add_size_human(&b, rows[i].bytes);
		check_text(&b, rows[i].text);
	}
	buf_release(&b);
}

/* Half of the values are round, so that units are used. */
static uint64_t round_or_not(struct rng *r, const uint64_t *units, size_t nr)
{
	uint64_t v = rng_next(r) >> (1 + rng_below(r, 63)), unit = units[rng_below(r, nr)];

	return v % 2 ? v : v - v % unit;
}

static void test_title_sizes(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *want;
	} rows[] = {{209712ULL << 10, "204.8m"}, {2097120ULL << 10, "2G"},
		    {2000ULL << 20, "2000m"},	 {12345, "12345"},
		    {500000000000, "500GB"},	 {1501ULL << 30, "1501G"}};
	struct buf b = BUF_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		buf_add_size_title(&b, rows[i].bytes);
		check_text(&b, rows[i].want);
	}
	buf_release(&b);
}

static void test_round_trips(void **state)
{
	static const uint64_t sizes[] = {1 << 10, 1 << 20, 1 << 30, 1ULL << 40};
	static const uint64_t times[] = {NS_PER_US, NS_PER_MS, NS_PER_S, 60 * NS_PER_S,
					 3600 * NS_PER_S};
	struct buf b = BUF_INIT;
	struct rng r;

	(void)state;
	rng_seed(&r, 12);
	for (int i = 0; i < 100000; i++) {
		uint64_t size = round_or_not(&r, sizes, NR(sizes)), got = UNTOUCHED;
		uint64_t time = round_or_not(&r, times, NR(times));
		uint32_t percent = (uint32_t)rng_below(&r, UNITS_100_PERCENT + 1), e4 = UNTOUCHED;

		buf_reset(&b);
		buf_add_size(&b, size);
		assert_int_equal(units_parse_size(b.text, &got, NULL), 0);
		assert_true(got == size);
		buf_reset(&b);
		buf_add_duration(&b, time);
		assert_int_equal(units_parse_duration(b.text, &got, NULL), 0);
		assert_true(got == time);
		buf_reset(&b);
		buf_add_percent(&b, percent);
		assert_int_equal(units_parse_percent(b.text, &e4, NULL), 0);
		assert_int_equal(e4, percent);
	}
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("sizes are 1024-based and exact", test_sizes),
		titled_test("bad sizes are refused with their text", test_bad_sizes),
		titled_test("durations need a unit and are exact", test_durations),
		titled_test("per cents have four decimals and end at 100", test_percents),
		titled_test("counts are whole numbers", test_counts),
		titled_test("decimals are plain numbers", test_decimals),
		titled_test("values are printed in the largest exact unit", test_formats),
		titled_test("sizes for people have three digits", test_human_sizes),
		titled_test("titles round sizes that no unit makes short", test_title_sizes),
		titled_test("what is printed is taken back unchanged", test_round_trips),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
