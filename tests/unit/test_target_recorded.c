/* SPDX-License-Identifier: MIT */
/*
 * Devices that the machine at hand does not have (D5): a recorded /sys, and plain files that the
 * wrapped calls show as block devices.
 * WRAP: stat64 fstat64 ioctl
 */
#include "target/cgroup.h"
#include "target/sys.h"
#include "target/target.h"
#include "target/uses.h"

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
static void disguise(struct stat *st)
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
static void record(const char *path, const char *text)
{
	char *full = xasprintf("%s%s", root, path);
	char *slash = strrchr(full, '/');

	*slash = '\0';
	assert_int_equal(file_mkdirs(full, NULL), 0);
	*slash = '/';
	assert_int_equal(file_write(full, text, strlen(text), NULL), 0);
	free(full);
}

static void record_link(const char *path, const char *to)
{
	char *full = xasprintf("%s%s", root, path);

	assert_int_equal(symlink(to, full), 0);
	free(full);
}

/* A node for 8:minor; the caller frees its path. */
static char *node(const char *name, unsigned minor)
{
	char *path = xasprintf("/dev/%s", name), *full = xasprintf("%s%s", root, path);
	char *text = xasprintf("%*s", (int)(1000 + minor), "");

	record(path, text);
	free(text);
	free(path);
	return full;
}

/* sda with a partition, and an empty list of mounts. */
static int set_up(void **state)
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

static int tear_down(void **state)
{
	char *command = xasprintf("rm -rf '%s'", root);
	int rc = system(command);

	(void)state;
	free(command);
	free(root);
	sys_set_root("");
	return rc;
}

static void inspect(const char *name, unsigned minor, struct target_info *info)
{
	char *path = node(name, minor);
	struct err e = {0};

	assert_int_equal(target_inspect(path, info, &e), 0);
	free(path);
}

static void find_use(const char *path, struct buf *why)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	uses_find(&st, why);
}

/* What uses 8:minor; the caller frees it. */
static char *use_of(const char *name, unsigned minor)
{
	struct target_info info;
	struct buf why = BUF_INIT;

	inspect(name, minor, &info);
	find_use(info.resolved, &why);
	target_info_release(&info);
	return buf_detach(&why);
}

static void assert_use(const char *name, unsigned minor, const char *expected)
{
	char *use = use_of(name, minor);

	assert_string_equal(use ? use : "", expected);
	free(use);
}

static void assert_file_use(const char *path, const char *expected)
{
	char *full = xasprintf("%s%s", root, path);
	struct buf why = BUF_INIT;

	find_use(full, &why);
	assert_string_equal(buf_text(&why), expected);
	buf_release(&why);
	free(full);
}

static void a_partition_has_an_identity_of_its_own(void **state)
{
	struct target_info disk, first, second;

	(void)state;
	inspect("sda", 0, &disk);
	inspect("sda1", 1, &first);
	inspect("sda2", 2, &second);
	assert_string_equal(disk.identity, "wwid:naa.6001405f");
	assert_string_equal(first.identity, "wwid:naa.6001405f:partition:1");
	assert_string_equal(second.identity, "wwid:naa.6001405f:partition:2");
	target_info_release(&disk);
	target_info_release(&first);
	target_info_release(&second);
}

static void a_partition_has_the_limits_of_its_disk(void **state)
{
	struct target_info info;

	(void)state;
	inspect("sda2", 2, &info);
	assert_int_equal(info.nr_requests, 64);
	assert_int_equal(info.lun_queue_depth, 32);
	assert_int_equal(target_queue_limit(&info), 32);
	target_info_release(&info);
}

/* Where no hierarchy is mounted the list is empty, which is not the same as missing. */
static void without_control_groups_nothing_is_throttled(void **state)
{
	(void)state;
	record("/proc/self/cgroup", "");
	assert_null(cgroup_throttle(makedev(8, 0)));
}

static void an_idle_disk_is_in_no_use(void **state)
{
	(void)state;
	assert_use("sda", 0, "");
	assert_use("sda1", 1, "");
}

static void a_holder_of_a_partition_holds_the_disk_too(void **state)
{
	(void)state;
	record("/sys/block/sda/sda2/holders/dm-3", "");
	assert_use("sda", 0, "held by dm-3");
	assert_use("sda2", 2, "held by dm-3");
	assert_use("sda1", 1, "");
}

static void a_holder_of_the_disk_holds_it(void **state)
{
	(void)state;
	record("/sys/block/sda/holders/md127", "");
	assert_use("sda", 0, "held by md127");
}

static void mounts_are_found_by_number(void **state)
{
	(void)state;
	record("/proc/self/mountinfo",
	       "21 1 254:0 / / rw - ext4 /dev/vda rw\n"
	       "30 21 8:1 / /srv rw,relatime shared:1 - xfs /dev/sda1 rw\n");
	assert_use("sda", 0, "mounted at /srv");
	assert_use("sda1", 1, "mounted at /srv");
	assert_use("sda2", 2, "");
}

/* btrfs mounts under a number of its own. */
static void mounts_are_found_by_their_source_too(void **state)
{
	char *source = node("sda1", 1);
	char *text = xasprintf("30 21 0:45 /@ /srv rw shared:1 - btrfs %s rw\n", source);

	(void)state;
	record("/proc/self/mountinfo", text);
	assert_use("sda", 0, "mounted at /srv");
	free(text);
	free(source);
}

/* Mount point, source and swap file as the kernel writes a blank, a tab and a backslash. */
static void escapes_of_the_kernel_are_decoded(void **state)
{
	char *source = node("my disk", 1), *swap;
	char *text = xasprintf("30 21 8:2 / /srv/a\\040b\\134\\011c\\0401 rw - xfs /dev/sda2 rw\n"
			       "31 21 0:45 / /srv/8\\0409 rw - btrfs %s/dev/my\\040disk rw\n",
			       root);

	(void)state;
	record("/proc/self/mountinfo", text);
	assert_use("sda2", 2, "mounted at /srv/a b\\\tc 1");
	assert_use("sda1", 1, "mounted at /srv/8 9");
	free(text);
	free(source);
	record("/srv/swap file", "some data");
	record("/proc/self/mountinfo", "21 1 254:0 / / rw - ext4 /dev/vda rw\n");
	text = xasprintf("Filename\tType\n%s/srv/swap\\040file\t\tfile\t64\t0\t-2\n", root);
	record("/proc/swaps", text);
	swap = xasprintf("swap is on %s/srv/swap file", root);
	assert_file_use("/srv/swap file", swap);
	free(swap);
	free(text);
}

static void long_mount_points_are_told_whole(void **state)
{
	char *deep = xasprintf("/srv/%0300d", 1);
	char *text = xasprintf("30 21 8:1 / %s rw - xfs /dev/sda1 rw\n", deep);
	char *expected = xasprintf("mounted at %s", deep);

	(void)state;
	record("/proc/self/mountinfo", text);
	assert_use("sda", 0, expected);
	free(expected);
	free(text);
	free(deep);
}

static void without_a_list_of_mounts_nothing_is_idle(void **state)
{
	(void)state;
	record("/proc/self/mountinfo", "");
	assert_use("sda", 0, "it cannot be told what is mounted");
}

/* A loop device on this file, as sysfs shows it. */
static void record_loop(const char *backing_file)
{
	char *line = xasprintf("%s\n", backing_file);

	record("/sys/block/loop7/loop/backing_file", line);
	free(line);
}

static void a_loop_device_on_a_partition_uses_the_disk_too(void **state)
{
	char *partition = node("sda2", 2);

	(void)state;
	record_loop(partition);
	assert_use("sda2", 2, "backs the loop device loop7");
	assert_use("sda", 0, "backs the loop device loop7");
	assert_use("sda1", 1, "");
	free(partition);
}

static void a_loop_device_whose_path_leads_nowhere_is_asked_itself(void **state)
{
	(void)state;
	record("/dev/loop7", "");
	record_loop("/dev/mapper/old (deleted)");
	assert_use("sda", 0, "");
	loop_info = (struct loop_info64){.lo_number = 7, .lo_rdevice = makedev(8, 2)};
	assert_use("sda2", 2, "backs the loop device loop7");
	assert_use("sda", 0, "backs the loop device loop7");
	assert_use("sda1", 1, "");
}

static void a_file_that_backs_a_loop_device_is_found_by_its_inode(void **state)
{
	struct stat st;
	char *path;

	(void)state;
	record("/srv/file", "some data");
	record("/srv/other", "some data");
	record("/dev/loop7", "");
	record_loop("/elsewhere/file");
	path = xasprintf("%s/srv/file", root);
	assert_int_equal(stat(path, &st), 0);
	loop_info =
		(struct loop_info64){.lo_number = 7, .lo_device = st.st_dev, .lo_inode = st.st_ino};
	assert_file_use("/srv/file", "backs the loop device loop7");
	assert_file_use("/srv/other", "");
	free(path);
}

/* sdb plays a loop device on this file, in the way that dio says; the file's disk is sda. */
static struct target_info inspect_loop(const char *file, const char *dio)
{
	char *path = node("sdb", 16), *full = xasprintf("%s%s", root, file);
	struct target_info info = {0};
	struct err e = {0};
	struct stat st;
	char *link, *line = xasprintf("%s\n", full);

	record(file, "some data");
	assert_int_equal(stat(full, &st), 0);
	link = xasprintf("/sys/dev/block/%u:%u", major(st.st_dev), minor(st.st_dev));
	record("/sys/block/sda/stat", "1 2 3 4 5 6 7 8 9 10 11\n");
	record("/sys/block/sdb/stat", "0 0 0 0 0 0 0 0 0 0 0\n");
	record("/sys/block/sdb/loop/backing_file", line);
	record("/sys/block/sdb/loop/offset", "4096\n");
	record("/sys/block/sdb/loop/dio", dio);
	record_link("/sys/dev/block/8:16", "../../block/sdb");
	record_link(link, "../../block/sda");
	if (target_inspect(path, &info, &e))
		fail_msg("%s", e.msg);
	free(line);
	free(link);
	free(full);
	free(path);
	return info;
}

static void a_loop_device_is_followed_to_the_disk_of_its_file(void **state)
{
	struct target_info info = inspect_loop("/srv/file", "1\n");
	struct dev_counters own, bottom;

	(void)state;
	assert_string_equal(facts_get(&info.facts, "bottom.device"), "sda");
	assert_false(info.is_bottomless);
	assert_false(info.is_buffered);
	assert_non_null(strstr(info.extent_file, "/srv/file"));
	assert_int_equal(info.extent_offset, 4096);
	target_counters(&info, &own, &bottom);
	assert_int_equal(own.read_ios, 0);
	assert_int_equal(bottom.read_bytes, 3 * 512);
	target_info_release(&info);
}

static void a_loop_device_without_direct_io_is_known(void **state)
{
	struct target_info info = inspect_loop("/srv/file", "0\n");

	(void)state;
	assert_true(info.is_buffered);
	target_info_release(&info);
}

static void a_device_that_does_not_count_has_no_counters(void **state)
{
	struct target_info info;
	struct dev_counters own, bottom;

	(void)state;
	record("/sys/block/sda/queue/iostats", "0\n");
	info = inspect_loop("/srv/file", "1\n");
	assert_true(info.is_bottomless);
	target_counters(&info, &own, &bottom);
	assert_true(own.is_known);
	assert_false(bottom.is_known);
	target_info_release(&info);
}

/* A whole disk 8:minor with these limits; 0 for none. */
static void record_disk(const char *name, unsigned minor, unsigned requests, unsigned depth)
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

/* "sda/sda2" is below the disk of this name. */
static void record_slave(const char *name, const char *slave)
{
	const char *last = strrchr(slave, '/');
	char *keep = xasprintf("/sys/block/%s/slaves/.keep", name);
	char *path = xasprintf("/sys/block/%s/slaves/%s", name, last ? last + 1 : slave);
	char *to = xasprintf("../../%s", slave);

	record(keep, "");
	record_link(path, to);
	free(to);
	free(path);
	free(keep);
}

/* dm-0 is request-based multipath on sda and sdb, whose depth is 32 each. */
static void record_multipath(void)
{
	record_disk("dm-0", 48, 2048, 0);
	record("/sys/block/dm-0/dm/uuid", "mpath-36001405f\n");
	record("/sys/block/dm-0/mq/0/nr_tags", "2048\n");
	record_disk("sdb", 16, 64, 32);
	record_slave("dm-0", "sda");
	record_slave("dm-0", "sdb");
}

/* dm-1 is a linear volume, which has no queue, on the second partition of sdc. */
static void record_linear(void)
{
	record_disk("dm-1", 49, 128, 0);
	record("/sys/block/dm-1/queue/max_sectors_kb", "1280\n");
	record("/sys/block/dm-1/stat", "0 0 0 0 0 0 0 0 0 0 0\n");
	record_disk("sdc", 32, 256, 64);
	record("/sys/block/sdc/queue/max_sectors_kb", "512\n");
	record("/sys/block/sdc/stat", "1 2 3 4 5 6 7 8 9 10 11\n");
	record("/sys/block/sdc/sdc2/partition", "2\n");
	record_slave("dm-1", "sdc/sdc2");
}

static void assert_limits(const char *name, unsigned minor, unsigned limit, const char *from)
{
	struct target_info info;
	const char *fact;

	inspect(name, minor, &info);
	fact = facts_get(&info.facts, "limits.from");
	assert_int_equal(target_queue_limit(&info), limit);
	assert_string_equal(fact ? fact : "", from);
	target_info_release(&info);
}

static void assert_throttle(const char *name, unsigned minor, const char *expected)
{
	struct target_info info;

	inspect(name, minor, &info);
	assert_string_equal(info.throttle ? info.throttle : "", expected);
	target_info_release(&info);
}

static void paths_have_their_queues_together(void **state)
{
	(void)state;
	record_multipath();
	assert_limits("dm-0", 48, 64, "dm-0 2048, sda 32, sdb 32");
	/* Its own queue counts where that is the smaller one. */
	record("/sys/block/dm-0/queue/nr_requests", "48\n");
	assert_limits("dm-0", 48, 48, "dm-0 48, sda 32, sdb 32");
}

static void one_queue_that_is_not_known_makes_the_sum_unknown(void **state)
{
	(void)state;
	record_multipath();
	record_disk("sdd", 64, 128, 0);
	record_slave("dm-0", "sdd");
	assert_limits("dm-0", 48, 2048, "dm-0 2048, sda 32, sdb 32");
	record("/sys/block/sdd/mq/0/nr_tags", "128\n");
	assert_limits("dm-0", 48, 192, "dm-0 2048, sda 32, sdb 32, sdd 128");
}

static void a_linear_volume_has_the_limits_of_its_disk(void **state)
{
	struct target_info info;

	(void)state;
	record_linear();
	/* The 128 of the volume itself is that of no queue. */
	assert_limits("dm-1", 49, 64, "sdc 64");
	inspect("dm-1", 49, &info);
	assert_int_equal(info.nr_requests, 0);
	assert_int_equal(info.max_sectors_kb, 512);
	target_info_release(&info);
	record("/sys/block/sdc/device/queue_depth", "16\n");
	record("/sys/block/sdc/queue/max_sectors_kb", "2048\n");
	assert_limits("dm-1", 49, 16, "sdc 16");
	inspect("dm-1", 49, &info);
	assert_int_equal(info.max_sectors_kb, 1280);
	target_info_release(&info);
}

static void a_volume_on_a_multipath_disk_is_followed_to_the_paths(void **state)
{
	(void)state;
	record_multipath();
	record_disk("dm-2", 50, 0, 0);
	record_slave("dm-2", "dm-0");
	assert_limits("dm-2", 50, 64, "dm-0 2048, sda 32, sdb 32");
}

static void the_disks_of_an_array_have_their_queues_together(void **state)
{
	(void)state;
	record_disk("md0", 51, 128, 0);
	record_disk("sdb", 16, 64, 20);
	record_slave("md0", "sda/sda1");
	record_slave("md0", "sdb");
	assert_limits("md0", 51, 52, "sda 32, sdb 20");
	/* Two partitions of a disk have one queue. */
	record_slave("md0", "sda/sda2");
	assert_limits("md0", 51, 52, "sda 32, sdb 20");
}

static void a_disk_of_its_own_has_its_own_limits_only(void **state)
{
	(void)state;
	assert_limits("sda", 0, 32, "");
	/* Folders that lead in a ring are left. */
	record_slave("sda", "sda");
	assert_limits("sda", 0, 32,
		      "sda 32, sda 32, sda 32, sda 32, sda 32, sda 32, sda 32, "
		      "sda 32, sda 32");
}

static void a_control_group_may_limit_the_disk_below(void **state)
{
	(void)state;
	record_linear();
	record("/proc/self/cgroup", "0::/batch\n");
	record("/sys/fs/cgroup/batch/io.max", "8:0 riops=500\n");
	assert_throttle("dm-1", 49, "");
	record("/sys/fs/cgroup/batch/io.max", "8:32 riops=500\n");
	assert_throttle("dm-1", 49, "io.max riops=500 in cgroup /batch on sdc");
	record("/sys/fs/cgroup/batch/io.max", "8:32 riops=500\n8:49 wiops=9\n");
	assert_throttle(
		"dm-1", 49,
		"io.max wiops=9 in cgroup /batch, io.max riops=500 in cgroup /batch on sdc");
}

static void a_control_group_does_not_hold_requests_to_paths_back(void **state)
{
	(void)state;
	record_multipath();
	record("/proc/self/cgroup", "0::/batch\n");
	record("/sys/fs/cgroup/batch/io.max", "8:0 riops=500\n8:16 riops=500\n");
	assert_throttle("dm-0", 48, "");
	record("/sys/fs/cgroup/batch/io.max", "8:48 riops=500\n");
	assert_throttle("dm-0", 48, "io.max riops=500 in cgroup /batch");
}

/* The bytes read that the bottom layer of 8:minor counts; its name is "" where it has none. */
static void assert_bottom(const char *name, unsigned minor, const char *disk, uint64_t bytes)
{
	struct dev_counters own, bottom;
	struct target_info info;
	const char *fact;

	inspect(name, minor, &info);
	fact = facts_get(&info.facts, "bottom.device");
	assert_string_equal(fact ? fact : "", disk);
	assert_int_equal(info.is_part_of_bottom, bytes != 0);
	assert_false(info.is_bottomless);
	target_counters(&info, &own, &bottom);
	assert_int_equal(bottom.is_known, bytes != 0);
	assert_int_equal(bottom.read_bytes, bytes);
	target_info_release(&info);
}

static void the_disk_of_a_partition_counts_its_neighbours(void **state)
{
	(void)state;
	record("/sys/block/sda/stat", "1 2 3 4 5 6 7 8 9 10 11\n");
	record("/sys/block/sda/sda1/stat", "0 0 0 0 0 0 0 0 0 0 0\n");
	assert_bottom("sda1", 1, "sda", 3 * 512);
	assert_bottom("sda", 0, "", 0);
	record("/sys/block/sda/queue/iostats", "0\n");
	assert_bottom("sda1", 1, "sda", 0);
}

static void the_disk_of_a_volume_counts_its_neighbours(void **state)
{
	(void)state;
	record_linear();
	assert_bottom("dm-1", 49, "sdc", 3 * 512);
	/* On two disks there is no single one to ask. */
	record_slave("dm-1", "sda");
	assert_bottom("dm-1", 49, "", 0);
}

static void the_time_of_each_core_is_told(void **state)
{
	uint64_t tick_ms = 1000 / (uint64_t)sysconf(_SC_CLK_TCK);
	struct cpu_times *before, *after;
	size_t nr_before, nr;

	(void)state;
	record("/proc/stat", "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 10 2 30 400 50 6 7 8 1 0\n"
			     "cpu1 1 0 0 1 0 0 0 0 0 0\ncpu4 5 0 5 5 5 0 0 0 0 0\nintr 5 0\n");
	target_cpu_times(&before, &nr_before);
	assert_int_equal(nr_before, 3);
	assert_int_equal(before[2].cpu, 4);
	/* Core 1 has left, 2 has come, and iowait was counted backwards. */
	record("/proc/stat", "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 20 3 50 440 48 7 9 9 1 0\n"
			     "cpu2 1 0 0 1 0 0 0 0 0 0\ncpu4 5 0 6 9 9 0 0 0 0 0\nintr 5 0\n");
	target_cpu_times(&after, &nr);
	nr = target_cpu_subtract(after, nr, before, nr_before);
	assert_int_equal(nr, 2);
	assert_int_equal(after[0].cpu, 0);
	assert_int_equal(after[0].user_ms, 11 * tick_ms);
	assert_int_equal(after[0].system_ms, 20 * tick_ms);
	assert_int_equal(after[0].irq_ms, 3 * tick_ms);
	assert_int_equal(after[0].steal_ms, tick_ms);
	assert_int_equal(after[0].iowait_ms, 0);
	assert_int_equal(after[0].idle_ms, 40 * tick_ms);
	assert_int_equal(after[1].cpu, 4);
	assert_int_equal(after[1].idle_ms, 4 * tick_ms);
	free(before);
	free(after);
}

static void without_proc_the_time_of_cores_is_not_known(void **state)
{
	struct cpu_times *cpu;
	size_t nr = 7;

	(void)state;
	target_cpu_times(&cpu, &nr);
	assert_null(cpu);
	assert_int_equal(nr, 0);
	assert_int_equal(target_cpu_subtract(NULL, 0, NULL, 0), 0);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_partition_has_an_identity_of_its_own),
		CASE(a_partition_has_the_limits_of_its_disk),
		CASE(without_control_groups_nothing_is_throttled),
		CASE(an_idle_disk_is_in_no_use),
		CASE(a_holder_of_a_partition_holds_the_disk_too),
		CASE(a_holder_of_the_disk_holds_it),
		CASE(mounts_are_found_by_number),
		CASE(mounts_are_found_by_their_source_too),
		CASE(a_loop_device_on_a_partition_uses_the_disk_too),
		CASE(a_loop_device_whose_path_leads_nowhere_is_asked_itself),
		CASE(a_file_that_backs_a_loop_device_is_found_by_its_inode),
		CASE(a_loop_device_is_followed_to_the_disk_of_its_file),
		CASE(a_loop_device_without_direct_io_is_known),
		CASE(a_device_that_does_not_count_has_no_counters),
		CASE(paths_have_their_queues_together),
		CASE(one_queue_that_is_not_known_makes_the_sum_unknown),
		CASE(a_linear_volume_has_the_limits_of_its_disk),
		CASE(a_volume_on_a_multipath_disk_is_followed_to_the_paths),
		CASE(the_disks_of_an_array_have_their_queues_together),
		CASE(a_disk_of_its_own_has_its_own_limits_only),
		CASE(a_control_group_may_limit_the_disk_below),
		CASE(a_control_group_does_not_hold_requests_to_paths_back),
		CASE(the_disk_of_a_partition_counts_its_neighbours),
		CASE(the_disk_of_a_volume_counts_its_neighbours),
		CASE(the_time_of_each_core_is_told),
		CASE(without_proc_the_time_of_cores_is_not_known),
		CASE(escapes_of_the_kernel_are_decoded),
		CASE(long_mount_points_are_told_whole),
		CASE(without_a_list_of_mounts_nothing_is_idle),
	};

	return cmocka_run_group_tests_name("target on recorded trees", tests, NULL, NULL);
}
