/* SPDX-License-Identifier: MIT */
/*
 * set-clock SECONDS STEP [SECONDS STEP]...: wait, and set the wall clock by so many seconds. date(1) would do,
 * but starting a program takes the only processor of a machine for part of a millisecond.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
	for (int i = 1; i + 1 < argc; i += 2) {
		struct timespec wait = {strtol(argv[i], NULL, 10), 0}, now;

		if (clock_nanosleep(CLOCK_MONOTONIC, 0, &wait, NULL) ||
		    clock_gettime(CLOCK_REALTIME, &now))
			return 1;
		now.tv_sec += strtol(argv[i + 1], NULL, 10);
		if (clock_settime(CLOCK_REALTIME, &now)) {
			perror("clock_settime");
			return 1;
		}
	}
	return 0;
}
