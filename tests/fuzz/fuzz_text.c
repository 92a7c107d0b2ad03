/* SPDX-License-Identifier: MIT */
/* Any text as a number with a unit, a time or a list of caps: refused with a message, or a value
 * that reads back to itself when it is written. */
#include "fuzz.h"

#include "base/units.h"
#include "base/when.h"
#include "cmd/questions.h"
#include "plan/vm_profile.h"

#define NOW_WALL_NS 1764547200000000000 /* 2025-12-01 */

static void check_size(const char *text)
{
	struct buf b = BUF_INIT;
	struct err e = {0};
	uint64_t v, back;

	if (units_parse_size(text, &v, &e)) {
		require(e.msg[0] != '\0');
		return;
	}
	buf_add_size(&b, v);
	require(!units_parse_size(buf_text(&b), &back, &e) && back == v);
	buf_release(&b);
}

static void check_duration(const char *text)
{
	struct buf b = BUF_INIT;
	struct err e = {0};
	uint64_t v, back;

	if (units_parse_duration(text, &v, &e)) {
		require(e.msg[0] != '\0');
		return;
	}
	buf_add_duration(&b, v);
	require(!units_parse_duration(buf_text(&b), &back, &e) && back == v);
	buf_release(&b);
}

static void check_percent(const char *text)
{
	struct buf b = BUF_INIT;
	struct err e = {0};
	uint32_t v, back;

	if (units_parse_percent(text, &v, &e)) {
		require(e.msg[0] != '\0');
		return;
	}
	require(v <= UNITS_100_PERCENT);
	buf_add_percent(&b, v);
	require(!units_parse_percent(buf_text(&b), &back, &e) && back == v);
	buf_release(&b);
}

static void check_numbers(const char *text)
{
	struct err e = {0};
	uint64_t count;
	double v;

	require(!units_parse_count(text, &count, &e) || e.msg[0]);
	if (!units_parse_decimal(text, &v, &e))
		require(v >= 0 && v <= 1e300);
	if (!vm_parse_iops(text, &v, &e))
		require(v > 0);
	if (!vm_parse_capacity(text, &v, &e))
		require(v > 0);
	if (!vm_parse_read(text, &v, &e))
		require(v >= 0 && v <= 1);
}

static void check_time(const char *text)
{
	struct err e = {0};
	int64_t at;

	if (when_parse(text, NOW_WALL_NS, &at, &e))
		require(e.msg[0] != '\0');
}

static void check_questions(const char *text)
{
	struct str_list lists = {0};
	struct cap_list caps = {.nr = 0};
	flag_set accepted = 0;
	struct err e = {0};

	str_list_add(&lists, text);
	if (questions_caps(&lists, &caps, &e))
		require(e.msg[0] != '\0');
	require(caps.nr <= RUN_MAX_CAPS);
	e = (struct err){0};
	if (questions_accept(&lists, &accepted, &e))
		require(e.msg[0] != '\0');
	str_list_release(&lists);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text_of(data, size);

	check_size(text);
	check_duration(text);
	check_percent(text);
	check_numbers(text);
	check_time(text);
	check_questions(text);
	free(text);
	return 0;
}
