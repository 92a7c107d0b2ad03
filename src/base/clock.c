/* SPDX-License-Identifier: MIT */
#include "base/clock.h"

#include <time.h>

/* The load loop calls it twice a turn, and a third of its instructions were the stack check of a
 * function without an array. */
__attribute__((no_stack_protector)) uint64_t clock_now_ns(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

int64_t clock_wall_ns(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * (int64_t)NS_PER_S + (int64_t)ts.tv_nsec;
}

void clock_sleep_ns(uint64_t dur_ns)
{
	struct timespec ts = {(time_t)(dur_ns / NS_PER_S), (long)(dur_ns % NS_PER_S)};

	(void)clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
}

void buf_add_utc(struct buf *b, int64_t wall_ns)
{
	time_t secs = (time_t)(wall_ns / (int64_t)NS_PER_S);
	char text[32] = "";
	struct tm tm;

	if (gmtime_r(&secs, &tm))
		(void)strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	buf_addstr(b, text);
}
