/* SPDX-License-Identifier: MIT */
#include "target/space.h"

#include "base/units.h"
#include "target/fs.h"
#include "target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file system that is filled to the brim hurts everybody else on it. */
#define SPARE_BYTES ((uint64_t)64 << 20)

/* Blocks that the file lacks. What is allocated and not written counts as never written too, but
 * has its blocks; so the smaller of both is what is missing at most. */
static uint64_t missing_bytes(const struct target_info *info, uint64_t first, uint64_t end)
{
	struct target_extents x;
	uint64_t lacking;
	struct stat st;

	if (info->is_block || stat(info->resolved, &st) < 0 ||
	    (uint64_t)st.st_blocks * 512 >= info->size_bytes)
		return 0;
	lacking = info->size_bytes - (uint64_t)st.st_blocks * 512;
	target_find_unwritten(info, first, end - first, &x);
	if (!x.is_known || x.seen_bytes < end - first)
		return lacking;
	return x.unwritten_bytes < lacking ? x.unwritten_bytes : lacking;
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
