/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/clock.h"
#include "base/when.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Central Europe, without a data base of zones. */
static int in_europe(void **state)
{
	(void)state;
	assert_int_equal(setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1), 0);
	tzset();
	return 0;
}

static int64_t parse(const char *text, int64_t now_wall_ns)
{
	struct err e = {0};
	int64_t t;

	if (when_parse(text, now_wall_ns, &t, &e))
		fail_msg("%s", e.msg);
	return t / (int64_t)NS_PER_S;
}

/* Hours from one time, in UTC, to the next that the clock shows. */
static double hours_until(const char *text, const char *now)
{
	int64_t from = parse(now, 0);

	return (double)(parse(text, from * (int64_t)NS_PER_S) - from) / 3600;
}

static void a_time_of_day_is_the_next_one(void **state)
{
	(void)state;
	/* 22:00 in winter. */
	assert_within(hours_until("06:00", "2026-11-30T21:00Z"), 8, 0);
	assert_within(hours_until("6:00", "2026-11-30T21:00Z"), 8, 0);
	assert_within(hours_until("23:30", "2026-11-30T21:00Z"), 1.5, 0);
	assert_within(hours_until("22:00:36", "2026-11-30T21:00Z"), 0.01, 1e-9);
	/* The same time is a day away, also at the end of a year. */
	assert_within(hours_until("22:00", "2026-12-31T21:00Z"), 24, 0);
}

static void a_night_in_which_the_clocks_change_is_shorter_or_longer(void **state)
{
	(void)state;
	/* 22:00 in winter, and 06:00 in summer. */
	assert_within(hours_until("06:00", "2026-03-28T21:00Z"), 7, 0);
	/* 22:00 in summer, and 06:00 in winter. */
	assert_within(hours_until("06:00", "2026-10-24T20:00Z"), 9, 0);
}

static void dates_are_local_unless_they_say_otherwise(void **state)
{
	(void)state;
	assert_int_equal(parse("1970-01-01T01:00", 0), 0);
	assert_int_equal(parse("1970-01-01 01:00:05", 0), 5);
	assert_int_equal(parse("1970-01-02T00:00Z", 0), 86400);
	assert_int_equal(parse("1970-01-02T00:00:01Z", 0), 86401);
	assert_int_equal(parse("1970-01-02T02:00+02:00", 0), 86400);
	assert_int_equal(parse("1970-01-01T18:30-05:30", 0), 86400);
	assert_int_equal(parse("2026-07-01T06:00", 0), parse("2026-07-01T04:00Z", 0));
}

static void whatever_is_no_time_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"25:00",
		"24:00",
		"06:60",
		"06",
		"0600",
		"06:0",
		"006:00",
		"06:00:60",
		"06:00 ",
		" 06:00",
		"-06:00",
		"06:00Z",
		"2026-12-01",
		"2026-12-01T06",
		"2026-13-01T06:00",
		"2026-00-01T06:00",
		"2026-02-29T06:00",
		"2026-12-32T06:00",
		"26-12-01T06:00",
		"2026-12-01T06:00X",
		"2026-12-01T06:00+1",
		"1013-12-01T06:00+01:00",
		"1969-12-31T23:59Z",
		"2263-01-01T00:00Z",
		"9999-12-31T23:59",
		"tomorrow",
		"8h",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err e = {0};
		int64_t t;

		if (!when_parse(bad[i], 0, &t, &e))
			fail_msg("'%s' was taken", bad[i]);
		assert_int_equal(e.code, ERR_USAGE);
		assert_non_null(strstr(e.msg, bad[i]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("a time of day is the next one", a_time_of_day_is_the_next_one),
		titled_test("a night in which the clocks change is shorter or longer",
			    a_night_in_which_the_clocks_change_is_shorter_or_longer),
		titled_test("dates are local unless they say otherwise",
			    dates_are_local_unless_they_say_otherwise),
		titled_test("whatever is no time is refused", whatever_is_no_time_is_refused),
	};

	return cmocka_run_group_tests(tests, in_europe, NULL);
}
