/* SPDX-License-Identifier: MIT */
#include "target/space.h"

#include "base/units.h"
#include "target/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file system that is filled to the brim hurts everybody else on it. */
#define SPARE_BYTES ((uint64_t)64 << 20)

/* Sum of what lies between data in [first, end). False when the file system does not tell. */
static bool sum_holes(int fd, uint64_t first, uint64_t end, uint64_t *holes)
{
	uint64_t at = first;

	*holes = 0;
	while (at < end) {
		off_t data = lseek(fd, (off_t)at, SEEK_DATA);
		off_t hole;

		/* ENXIO: nothing but a hole up to the end of the file. */
		if (data < 0 && errno != ENXIO)
			return false;
		if (data < 0 || (uint64_t)data >= end) {
			*holes += end - at;
			return true;
		}
		*holes += (uint64_t)data - at;
		hole = lseek(fd, data, SEEK_HOLE);
		if (hole <= data)
			return false;
		at = (uint64_t)hole;
	}
	return true;
}

bool space_unwritten_bytes(const struct target_info *info, uint64_t first, uint64_t end,
			   uint64_t *out)
{
	bool is_known;
	int fd;

	if (info->is_block)
		return false;
	fd = open(info->resolved, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	is_known = sum_holes(fd, first, end, out);
	(void)close(fd);
	return is_known;
}

/* Blocks that the file lacks. What is allocated and not written is a hole too, but has its blocks;
 * so the smaller of both is what is missing at most. */
static uint64_t missing_bytes(const struct target_info *info, uint64_t first, uint64_t end)
{
	uint64_t holes = 0, allocated;
	struct stat st;

	if (stat(info->resolved, &st) < 0 || !space_unwritten_bytes(info, first, end, &holes))
		return 0;
	allocated = (uint64_t)st.st_blocks * 512;
	if (allocated >= info->size_bytes)
		return 0;
	return holes < info->size_bytes - allocated ? holes : info->size_bytes - allocated;
}

int space_check(const struct target_info *info, uint64_t first, uint64_t end, struct err *e)
{
	uint64_t need = missing_bytes(info, first, end), free_bytes = fs_free_bytes(info->resolved);
	struct buf b = BUF_INIT;

	if (!need || (free_bytes >= SPARE_BYTES && need <= free_bytes - SPARE_BYTES))
		return 0;
	buf_add_size_human(&b, need);
	buf_addstr(&b, " more, and ");
	buf_add_size_human(&b, free_bytes);
	(void)err_set(e, ERR_TARGET,
		      "'%s' is sparse: to fill it takes %s are free on its file system, of which "
		      "64 MiB stay free for others",
		      info->given, buf_text(&b));
	buf_release(&b);
	return -1;
}
