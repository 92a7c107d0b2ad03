/* SPDX-License-Identifier: MIT */
#include "base/when.h"

#include "base/clock.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

struct parsed {
	struct tm tm;
	bool has_date, has_offset;
	long offset_s; /* east of UTC */
};

/* From min_digits to max_digits of them, and a number of at most max. */
static bool take_number(const char **s, int min_digits, int max_digits, int max, int *out)
{
	int n = 0;

	for (*out = 0; n < max_digits && **s >= '0' && **s <= '9'; n++)
		*out = *out * 10 + *(*s)++ - '0';
	return n >= min_digits && *out <= max;
}

static bool take_char(const char **s, const char *any)
{
	if (!**s || !strchr(any, **s))
		return false;
	(*s)++;
	return true;
}

static bool take_date(const char **s, struct tm *tm)
{
	bool is_date = take_number(s, 4, 4, 9999, &tm->tm_year) && take_char(s, "-") &&
		       take_number(s, 2, 2, 12, &tm->tm_mon) && take_char(s, "-") &&
		       take_number(s, 2, 2, 31, &tm->tm_mday) && take_char(s, "T ");

	tm->tm_year -= 1900;
	tm->tm_mon--;
	return is_date && tm->tm_mon >= 0 && tm->tm_mday > 0;
}

static bool take_time(const char **s, int min_digits, struct tm *tm)
{
	tm->tm_sec = 0;
	if (!take_number(s, min_digits, 2, 23, &tm->tm_hour) || !take_char(s, ":") ||
	    !take_number(s, 2, 2, 59, &tm->tm_min))
		return false;
	return !take_char(s, ":") || take_number(s, 2, 2, 59, &tm->tm_sec);
}

static bool take_offset(const char **s, struct parsed *p)
{
	bool is_west = **s == '-';
	int hours, minutes;

	p->has_offset = **s != '\0';
	if (!p->has_offset || take_char(s, "Z"))
		return true;
	if (!take_char(s, "+-") || !take_number(s, 2, 2, 14, &hours) || !take_char(s, ":") ||
	    !take_number(s, 2, 2, 59, &minutes))
		return false;
	p->offset_s = (hours * 60L + minutes) * (is_west ? -60 : 60);
	return true;
}

static bool parse(const char *s, struct parsed *p)
{
	p->has_date = strchr(s, '-') != NULL;
	if (p->has_date && !take_date(&s, &p->tm))
		return false;
	return take_time(&s, p->has_date ? 2 : 1, &p->tm) && (!p->has_date || take_offset(&s, p)) &&
	       !*s;
}

/* Seconds since 1970; false for a day that its month does not have. */
static bool to_seconds(const struct parsed *p, time_t *out)
{
	struct tm tm = p->tm;

	tm.tm_isdst = -1;
	*out = p->has_offset ? timegm(&tm) - p->offset_s : mktime(&tm);
	return tm.tm_mday == p->tm.tm_mday && tm.tm_mon == p->tm.tm_mon;
}

/* Today or, if that has passed, tomorrow. */
static time_t next_time(const struct parsed *p, time_t now)
{
	struct tm day;
	time_t t;

	(void)localtime_r(&now, &day);
	for (int i = 0; i < 2; i++) {
		struct tm tm = p->tm;

		tm.tm_year = day.tm_year;
		tm.tm_mon = day.tm_mon;
		tm.tm_mday = day.tm_mday + i;
		tm.tm_isdst = -1;
		t = mktime(&tm);
		if (t > now)
			break;
	}
	return t;
}

int when_parse(const char *text, int64_t now_wall_ns, int64_t *out_wall_ns, struct err *e)
{
	struct parsed p = {0};
	time_t t;

	if (!parse(text, &p))
		return err_set(e, ERR_USAGE,
			       "'%s' is no time of day (06:00) and no date with one "
			       "(2026-12-01T06:00)",
			       text);
	if (!p.has_date)
		t = next_time(&p, (time_t)(now_wall_ns / (int64_t)NS_PER_S));
	else if (!to_seconds(&p, &t))
		return err_set(e, ERR_USAGE, "'%s' is no day of the calendar", text);
	if (t < 0 || t > (time_t)(INT64_MAX / (int64_t)NS_PER_S))
		return err_set(e, ERR_USAGE, "'%s' is not between the years 1970 and 2262", text);
	*out_wall_ns = (int64_t)t * (int64_t)NS_PER_S;
	return 0;
}
