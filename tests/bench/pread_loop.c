/* SPDX-License-Identifier: MIT */
/*
 * pread_loop FILE BS_BYTES MS: random reads of FILE, one after the other, by pread and nothing else:
 * the least that a read can cost at depth 1. Prints "IOS MEAN_NS", the mean between a stamp before
 * the call and one behind it.
 */
#include "base/clock.h"
#include "base/rng.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int die(const char *what)
{
	(void)fprintf(stderr, "pread_loop: %s: %s\n", what, strerror(errno));
	return 1;
}

/* As the load loop opens its target: without access times, where that is allowed. */
static int open_direct(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECT | O_NOATIME | O_CLOEXEC);

	return fd < 0 && errno == EPERM ? open(path, O_RDONLY | O_DIRECT | O_CLOEXEC) : fd;
}

static int read_for(int fd, uint64_t nr_blocks, size_t bs, uint64_t dur_ns)
{
	unsigned char *data = aligned_alloc(4096, bs < 4096 ? 4096 : bs);
	uint64_t end_ns = clock_now_ns() + dur_ns, ios = 0, sum_ns = 0, before, after = 0;
	struct rng rng;

	if (!data)
		return die("memory");
	rng_seed(&rng, end_ns);
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	for (; after < end_ns; ios++) {
		uint64_t offset = rng_below(&rng, nr_blocks) * bs;

		before = clock_now_ns();
		if (pread(fd, data, bs, (off_t)offset) != (ssize_t)bs)
			return die("pread");
		after = clock_now_ns();
		sum_ns += after - before;
	}
	printf("%" PRIu64 " %.1f\n", ios, (double)sum_ns / (double)ios);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	struct stat st;
	size_t bs;
	int fd;

	if (argc != 4) {
		(void)fprintf(stderr, "usage: pread_loop FILE BS_BYTES MS\n");
		return 2;
	}
	bs = strtoul(argv[2], NULL, 10);
	fd = open_direct(argv[1]);
	if (fd < 0 || fstat(fd, &st))
		return die(argv[1]);
	if (!bs || (uint64_t)st.st_size < bs) {
		(void)fprintf(stderr, "pread_loop: %s holds no block\n", argv[1]);
		return 1;
	}
	return read_for(fd, (uint64_t)st.st_size / bs, bs, strtoull(argv[3], NULL, 10) * NS_PER_MS);
}
