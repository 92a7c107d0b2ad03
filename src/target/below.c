/* SPDX-License-Identifier: MIT */
#include "target/below.h"

#include "base/buf.h"
#include "base/mem.h"
#include "target/fs.h"
#include "target/slaves.h"
#include "target/sys.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Loop devices on files on loop devices: the kernel allows eight. */
#define MAX_LAYERS 8

char *below_stat_file(const char *block_dir)
{
	char *disk_dir = sys_disk_dir(block_dir);
	struct buf b = BUF_INIT;
	bool is_off = sys_read(&b, "%s/queue/iostats", disk_dir) && !strcmp(buf_text(&b), "0");

	buf_release(&b);
	free(disk_dir);
	return is_off ? NULL : xasprintf("%s/stat", block_dir);
}

static bool is_in_memory(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	bool is_memory = false;

	if (fd < 0)
		return false;
	(void)fs_type(fd, &is_memory);
	(void)close(fd);
	return is_memory;
}

/* The file that a loop device is attached to, and where in it the device begins; a partition of
 * one begins further on. NULL when it is no loop device; the caller frees it. */
static char *backing_file(const char *block_dir, uint64_t *offset, bool *is_buffered)
{
	char *disk_dir = sys_disk_dir(block_dir);
	struct buf b = BUF_INIT, dio = BUF_INIT;

	if (sys_read(&b, "%s/loop/backing_file", disk_dir) && b.len) {
		*offset = sys_read_u64("%s/loop/offset", disk_dir);
		if (strcmp(disk_dir, block_dir) != 0)
			*offset += 512 * sys_read_u64("%s/start", block_dir);
		*is_buffered =
			sys_read(&dio, "%s/loop/dio", disk_dir) && !strcmp(buf_text(&dio), "0");
	}
	free(disk_dir);
	buf_release(&dio);
	if (b.len)
		return buf_detach(&b);
	buf_release(&b);
	return NULL;
}

/* One layer down from a loop device; the folder of the next device, NULL where there is none. */
static char *one_down(struct target_info *t, const char *file, uint64_t offset, bool is_first)
{
	struct stat st;

	/* A file that was removed, or that another mount namespace has. */
	if (stat(file, &st) < 0)
		return NULL;
	if (S_ISBLK(st.st_mode))
		return sys_block_dir(st.st_rdev);
	t->is_memory_below |= is_in_memory(file);
	if (is_first && t->is_block) {
		t->extent_file = xstrdup(file);
		t->extent_offset = offset;
	}
	return sys_block_dir(st.st_dev);
}

/* The disk that this device is a part of, as far down as there is but one; the caller frees it. */
static char *whole_disk(const char *block_dir)
{
	char *dir = sys_disk_dir(block_dir);
	size_t nr = 1;

	for (unsigned i = 0; nr == 1 && i < MAX_SLAVE_LAYERS; i++) {
		struct slaves s;

		slaves_list(dir, &s);
		nr = s.nr;
		if (nr == 1) {
			free(dir);
			dir = xstrdup(s.v[0]);
		}
		slaves_release(&s);
	}
	return dir;
}

static void set_bottom(struct target_info *t, const char *dir)
{
	const char *name = strrchr(dir, '/');

	t->bottom_stat = below_stat_file(dir);
	facts_set(&t->facts, "bottom.device", name ? name + 1 : dir);
}

/* The counters of a partition or a volume leave out the neighbours on the same disk. */
static void look_beside(struct target_info *t, const char *block_dir)
{
	char *dir = whole_disk(block_dir);

	if (strcmp(dir, block_dir) != 0) {
		set_bottom(t, dir);
		t->is_part_of_bottom = t->bottom_stat != NULL;
	}
	free(dir);
}

void below_device(struct target_info *t, const char *block_dir)
{
	char *dir = block_dir ? xstrdup(block_dir) : NULL, *file = NULL;
	unsigned layers = 0;

	for (; dir && layers < MAX_LAYERS; layers++) {
		bool is_buffered = false;
		uint64_t offset = 0;
		char *next;

		file = backing_file(dir, &offset, &is_buffered);
		if (!file)
			break;
		t->is_buffered |= is_buffered;
		next = one_down(t, file, offset, layers == 0);
		free(file);
		free(dir);
		dir = next;
	}
	t->is_bottomless = !dir;
	if (dir && layers) {
		set_bottom(t, dir);
		t->is_bottomless = !t->bottom_stat;
	} else if (dir) {
		look_beside(t, dir);
	}
	free(dir);
}
