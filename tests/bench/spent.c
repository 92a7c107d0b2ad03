/* SPDX-License-Identifier: MIT */
/*
 * spent FILE CMD ARG...: run CMD and write to FILE what the kernel accounts for it with all its
 * threads: "CPU_NS PEAK_KIB", user and system time together (only the sum is exact where the kernel
 * samples the two at its ticks) and the most that was resident. Every program that is compared is
 * measured by this, from outside. Ends with the status of CMD.
 */
#include "base/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int die(const char *what)
{
	(void)fprintf(stderr, "spent: %s: %s\n", what, strerror(errno));
	return 127;
}

static uint64_t to_ns(struct timeval tv)
{
	return (uint64_t)tv.tv_sec * NS_PER_S + (uint64_t)tv.tv_usec * NS_PER_US;
}

int main(int argc, char **argv)
{
	struct rusage ru;
	int status;
	pid_t pid;
	FILE *f;

	if (argc < 3) {
		(void)fprintf(stderr, "usage: spent FILE CMD ARG...\n");
		return 2;
	}
	pid = fork();
	if (pid < 0)
		return die("fork");
	if (pid == 0) {
		(void)execvp(argv[2], argv + 2);
		_exit(die(argv[2]));
	}
	if (wait4(pid, &status, 0, &ru) < 0)
		return die(argv[2]);
	f = fopen(argv[1], "we");
	if (!f)
		return die(argv[1]);
	(void)fprintf(f, "%" PRIu64 " %ld\n", to_ns(ru.ru_utime) + to_ns(ru.ru_stime),
		      ru.ru_maxrss);
	if (fclose(f))
		return die(argv[1]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
