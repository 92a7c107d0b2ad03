/* SPDX-License-Identifier: MIT */
/*
 * What of a file was never written. FIEMAP tells extents that are allocated but hold no data yet
 * from those that do; where a file system has no FIEMAP, SEEK_DATA still tells holes.
 */
#include "base/clock.h"
#include "base/mem.h"
#include "target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Extents that are asked for at a time. */
#define BATCH 256
/* A file in a million pieces must not hold up a point. */
#define MAX_LOOK_NS (100 * NS_PER_MS)

struct look {
	int fd;
	uint64_t at, end; /* what is still to be looked at; file offsets */
	uint64_t unwritten_bytes;
	uint64_t give_up_ns;
};

static uint64_t clamp(uint64_t v, uint64_t low, uint64_t high)
{
	return v < low ? low : v > high ? high : v;
}

/* The next offset that is data, or a hole, from at on, end at most. ENXIO: only a hole is left.
 * A file system that cannot tell calls everything data. */
static uint64_t seek(int fd, uint64_t at, uint64_t end, int whence)
{
	off_t found = lseek(fd, (off_t)at, whence);

	if (found < 0)
		return whence == SEEK_DATA && errno != ENXIO ? at : end;
	return clamp((uint64_t)found, at, end);
}

/* Bytes in [*at, end) that SEEK_DATA calls a hole; *at becomes how far there was time to look. */
static uint64_t holes(const struct look *l, uint64_t *at, uint64_t end)
{
	uint64_t sum = 0;

	while (*at < end && clock_now_ns() < l->give_up_ns) {
		uint64_t data = seek(l->fd, *at, end, SEEK_DATA);

		sum += data - *at;
		*at = seek(l->fd, data, end, SEEK_HOLE);
	}
	return sum;
}

/* Whether the file system tells holes apart: one that does not calls the whole file data. */
static bool look_by_seek(struct look *l)
{
	l->unwritten_bytes = holes(l, &l->at, l->end);
	return l->unwritten_bytes > 0;
}

/* Count the extent, and the hole in front of it. */
static void take_extent(struct look *l, const struct fiemap_extent *x)
{
	uint64_t begin = clamp(x->fe_logical, l->at, l->end);
	uint64_t end = clamp(x->fe_logical + x->fe_length, begin, l->end);

	l->unwritten_bytes += begin - l->at;
	/* Its data may wait in the page cache: then SEEK_DATA knows of it. */
	if (x->fe_flags & FIEMAP_EXTENT_UNWRITTEN)
		l->unwritten_bytes += holes(l, &begin, end);
	else
		begin = end;
	l->at = begin;
}

/* One batch of extents; -1 and errno where there is no FIEMAP. */
static int take_batch(struct look *l, struct fiemap *map)
{
	*map = (struct fiemap){
		.fm_start = l->at, .fm_length = l->end - l->at, .fm_extent_count = BATCH};
	if (ioctl(l->fd, FS_IOC_FIEMAP, map) < 0)
		return -1;
	for (unsigned i = 0; i < map->fm_mapped_extents && l->at < l->end; i++) {
		take_extent(l, &map->fm_extents[i]);
		/* It may have been left in its middle. */
		if (clock_now_ns() >= l->give_up_ns)
			return 0;
	}
	if (map->fm_mapped_extents < BATCH && l->at < l->end) {
		l->unwritten_bytes += l->end - l->at;
		l->at = l->end;
	}
	return 0;
}

static bool look_by_fiemap(struct look *l)
{
	struct fiemap *map = xcalloc(1, sizeof(*map) + BATCH * sizeof(struct fiemap_extent));
	int rc = 0;

	while (!rc && l->at < l->end && clock_now_ns() < l->give_up_ns)
		rc = take_batch(l, map);
	free(map);
	return !rc;
}

void target_find_unwritten(const struct target_info *info, uint64_t offset, uint64_t len,
			   struct target_extents *out)
{
	uint64_t begin = info->extent_offset + offset;
	struct look l = {.at = begin, .end = begin + len};

	*out = (struct target_extents){0};
	l.fd = info->extent_file ? open(info->extent_file, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
	if (l.fd < 0)
		return;
	l.give_up_ns = clock_now_ns() + MAX_LOOK_NS;
	out->is_known = look_by_fiemap(&l) || (l.at == begin && look_by_seek(&l));
	out->seen_bytes = l.at - begin;
	out->unwritten_bytes = l.unwritten_bytes;
	(void)close(l.fd);
}
