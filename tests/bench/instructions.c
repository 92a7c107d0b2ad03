/* SPDX-License-Identifier: MIT */
/*
 * instructions FILE DEPTH NR_IOS [EXTRA]: about NR_IOS random 4 KiB reads of FILE by the load loop
 * on libaio, and nothing else, for callgrind to count (scripts/count-instructions.sh). Prints how
 * many completed: two runs of different length give instructions per I/O as a slope, without
 * whatever happens once. EXTRA instructions are wasted for each, to prove that they are seen.
 *
 * FILE is best one that was allocated and never written: its reads complete within the submit
 * call, so that a run takes the same path on every machine however slowly callgrind simulates it.
 */
#include "drive.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BS_BYTES 4096

static struct {
	struct engine_ops ops; /* those of libaio, but for reap */
	const struct engine_ops *real;
	struct drive drive;
	uint64_t nr_done, enough;
	uint64_t extra; /* instructions */
} count;

/* Two instructions a turn on x86 and ARM, whatever the compiler thinks of it. */
__attribute__((noinline)) static void waste(uint64_t instructions)
{
	for (uint64_t i = instructions / 2; i > 0; i--)
		__asm__ volatile("");
}

/* Its own instructions are taken off by who counts, so it must stay a function and call what it
 * wraps (no sibling call, which would leave the rest to its account). */
__attribute__((noinline)) static int counting_reap(struct engine *en, struct engine_done *done,
						   unsigned max, uint64_t wait_ns)
{
	int n = count.real->reap(en, done, max, wait_ns);

	if (n > 0)
		count.nr_done += (uint64_t)n;
	if (count.extra && n > 0)
		waste((uint64_t)n * count.extra);
	if (count.nr_done >= count.enough)
		drive_stop(&count.drive);
	return n;
}

static int die(const char *what, int err)
{
	(void)fprintf(stderr, "instructions: %s: %s\n", what, strerror(err));
	return 1;
}

static void wrap(struct engine *en)
{
	count.real = en->ops;
	count.ops = *en->ops;
	count.ops.reap = counting_reap;
	en->ops = &count.ops;
}

static int read_and_count(const char *path, int fd, unsigned depth)
{
	struct point_spec spec;
	struct engine *engine;
	struct stat st;
	int rc;

	if (fstat(fd, &st))
		return die(path, errno);
	rc = engine_open("libaio", depth, &engine);
	if (rc)
		return die("libaio", -rc);
	wrap(engine);
	spec = drive_spec(RW_RANDREAD, depth, BS_BYTES, (uint64_t)st.st_size);
	/* Far longer than it takes: the number of I/Os ends it. */
	drive_init(&count.drive, &spec, engine, fd, 1, 0, 600 * NS_PER_S);
	rc = drive_run(&count.drive);
	printf("%" PRIu64 "\n", count.nr_done);
	drive_release(&count.drive);
	engine_close(engine);
	return rc ? die(path, -rc) : 0;
}

int main(int argc, char **argv)
{
	int fd, rc;

	if (argc < 4 || argc > 5) {
		(void)fprintf(stderr, "usage: instructions FILE DEPTH NR_IOS [EXTRA]\n");
		return 2;
	}
	fd = open(argv[1], O_RDONLY | O_DIRECT | O_CLOEXEC);
	if (fd < 0)
		return die(argv[1], errno);
	count.enough = strtoull(argv[3], NULL, 10);
	count.extra = argc > 4 ? strtoull(argv[4], NULL, 10) : 0;
	rc = read_and_count(argv[1], fd, (unsigned)strtoul(argv[2], NULL, 10));
	(void)close(fd);
	return rc;
}
