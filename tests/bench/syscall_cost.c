/* SPDX-License-Identifier: MIT */
/*
 * What an empty system call costs here, in ns of CPU time: printed ahead of the figures of an I/O,
 * because it decides how much batches save. Some 150 ns on a plain machine; ten times that under
 * page table isolation in some virtual machines, where a loop that submits 8 at a time cannot
 * be as cheap as one that submits 64.
 */
#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NR_CALLS 200000

static uint64_t cpu_ns(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

int main(void)
{
	uint64_t begin = cpu_ns();

	for (int i = 0; i < NR_CALLS; i++)
		(void)syscall(SYS_getppid);
	printf("%" PRIu64 "\n", (cpu_ns() - begin) / NR_CALLS);
	return 0;
}
