/* SPDX-License-Identifier: MIT */
/*
 * Devices that the machine at hand does not have (D5): a recorded /sys, and plain files that the
 * wrapped calls show as block devices. A test that includes it says WRAP: stat64 fstat64 ioctl.
 */
#ifndef RECORDED_H
#define RECORDED_H

#include "target/sys.h"
#include "target/target.h"

#include "base/file.h"
#include "base/mem.h"

#include <linux/fs.h>
#include <linux/loop.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

int __real_stat64(const char *path, struct stat *st);
int __real_fstat64(int fd, struct stat *st);
int __wrap_stat64(const char *path, struct stat *st);
int __wrap_fstat64(int fd, struct stat *st);
int __wrap_ioctl(int fd, unsigned long request, void *arg);

static char *root;
/* What every loop device says of itself; none does where lo_number is UINT32_MAX. */
static struct loop_info64 loop_info;

/* A file whose size is 1000 + minor bytes stands for the SCSI disk device 8:minor. */
static inline void disguise(struct stat *st)
{
	if (S_ISREG(st->st_mode) && st->st_size >= 1000 && st->st_size < 1256) {
		st->st_mode = S_IFBLK | 0600;
		st->st_rdev = makedev(8, (unsigned)(st->st_size - 1000));
	}
}

int __wrap_stat64(const char *path, struct stat *st)
{
	int rc = __real_stat64(path, st);

	if (!rc)
		disguise(st);
	return rc;
}

int __wrap_fstat64(int fd, struct stat *st)
{
	int rc = __real_fstat64(fd, st);

	if (!rc)
		disguise(st);
	return rc;
}

int __wrap_ioctl(int fd, unsigned long request, void *arg)
{
	(void)fd;
	if (request == BLKGETSIZE64)
		*(uint64_t *)arg = 1 << 30;
	else if (request == BLKSSZGET)
		*(int *)arg = 512;
	else if (request == BLKROGET)
		*(int *)arg = 0;
	else if (request == LOOP_GET_STATUS64 && loop_info.lo_number != UINT32_MAX)
		*(struct loop_info64 *)arg = loop_info;
	else
		return -1;
	return 0;
}

/* A file below the recorded root, with the folders that it needs. */
static inline void record(const char *path, const char *text)
{
	char *full = xasprintf("%s%s", root, path);
	char *slash = strrchr(full, '/');

	*slash = '\0';
	assert_int_equal(file_mkdirs(full, NULL), 0);
	*slash = '/';
	/* What was a node, by its disguise, would not be written over. */
	(void)unlink(full);
	assert_int_equal(file_write(full, text, strlen(text), NULL), 0);
	free(full);
}

static inline void record_link(const char *path, const char *to)
{
	char *full = xasprintf("%s%s", root, path);

	assert_int_equal(symlink(to, full), 0);
	free(full);
}

/* A node for 8:minor; the caller frees its path. */
static inline char *node(const char *name, unsigned minor)
{
	char *path = xasprintf("/dev/%s", name), *full = xasprintf("%s%s", root, path);
	char *text = xasprintf("%*s", (int)(1000 + minor), "");

	record(path, text);
	free(text);
	free(path);
	return full;
}

/* sda with a partition, and an empty list of mounts. */
static inline int set_up(void **state)
{
	char dir[] = "/tmp/lunsweep-recorded-XXXXXX";

	(void)state;
	loop_info = (struct loop_info64){.lo_number = UINT32_MAX};
	root = mkdtemp(dir) ? xstrdup(dir) : NULL;
	if (!root)
		return -1;
	sys_set_root(root);
	record("/sys/block/sda/dev", "8:0\n");
	record("/sys/block/sda/device/wwid", "naa.6001405f\n");
	record("/sys/block/sda/device/queue_depth", "32\n");
	record("/sys/block/sda/queue/nr_requests", "64\n");
	record("/sys/block/sda/sda1/dev", "8:1\n");
	record("/sys/block/sda/sda1/partition", "1\n");
	record("/sys/block/sda/sda2/dev", "8:2\n");
	record("/sys/block/sda/sda2/partition", "2\n");
	record("/sys/dev/block/.keep", "");
	record_link("/sys/dev/block/8:0", "../../block/sda");
	record_link("/sys/dev/block/8:1", "../../block/sda/sda1");
	record_link("/sys/dev/block/8:2", "../../block/sda/sda2");
	record("/proc/self/mountinfo", "21 1 254:0 / / rw - ext4 /dev/vda rw\n");
	record("/proc/swaps", "Filename Type Size Used Priority\n");
	return 0;
}

static inline int tear_down(void **state)
{
	char *command = xasprintf("rm -rf '%s'", root);
	int rc = system(command);

	(void)state;
	free(command);
	free(root);
	sys_set_root("");
	return rc;
}

static inline void inspect(const char *name, unsigned minor, struct target_info *info)
{
	char *path = node(name, minor);
	struct err e = {0};

	assert_int_equal(target_inspect(path, info, &e), 0);
	free(path);
}

/* A whole disk 8:minor with these limits; 0 for none. */
static inline void record_disk(const char *name, unsigned minor, unsigned requests, unsigned depth)
{
	const struct {
		const char *file;
		unsigned value;
	} m[] = {{"queue/nr_requests", requests}, {"device/queue_depth", depth}};
	char *path = xasprintf("/sys/block/%s/dev", name), *text = xasprintf("8:%u\n", minor);
	char *to = xasprintf("../../block/%s", name);

	record(path, text);
	free(path);
	free(text);
	path = xasprintf("/sys/dev/block/8:%u", minor);
	record_link(path, to);
	free(path);
	free(to);
	for (size_t i = 0; i < NR(m); i++) {
		path = xasprintf("/sys/block/%s/%s", name, m[i].file);
		text = xasprintf("%u\n", m[i].value);
		if (m[i].value)
			record(path, text);
		free(path);
		free(text);
	}
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

#endif
