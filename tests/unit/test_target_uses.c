/* SPDX-License-Identifier: MIT */
/*
 * What uses a target, through layers that the machine at hand does not have.
 * WRAP: stat64 fstat64 ioctl
 */
#include "recorded.h"

#include "target/uses.h"

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

/* A holder of the device in this folder of /sys/block: 8:minor. */
static void record_holder(const char *below, const char *name, unsigned minor)
{
	char *path = xasprintf("/sys/block/%s/holders/.keep", below);

	if (minor)
		record_disk(name, minor, 0, 0);
	record(path, "");
	free(path);
	path = xasprintf("/sys/block/%s/holders/%s", below, name);
	record_link(path, name);
	free(path);
}

static void record_dm(const char *name, const char *dm_name, const char *uuid)
{
	char *path = xasprintf("/sys/block/%s/dm/name", name);

	record(path, dm_name);
	free(path);
	path = xasprintf("/sys/block/%s/dm/uuid", name);
	record(path, uuid);
	free(path);
}

/* sda2 and sdb1 below md0, and on that the volume group vg with the volume data, 8:50. */
static void record_stack(void)
{
	record_disk("sdb", 16, 0, 0);
	record_holder("sda/sda2", "md0", 48);
	record_holder("sdb", "md0", 0);
	record_holder("md0", "dm-1", 50);
	record_dm("dm-1", "vg-data\n", "LVM-k3Sf\n");
}

static void a_mount_is_found_through_an_array_and_a_volume(void **state)
{
	(void)state;
	record_stack();
	assert_use("sda", 0, "held by dm-1 (LVM volume vg-data) through md0");
	record("/proc/self/mountinfo", "30 21 8:50 / /srv rw - xfs /dev/dm-1 rw\n");
	assert_use("sda", 0, "mounted at /srv through md0 and vg-data");
	assert_use("sda2", 2, "mounted at /srv through md0 and vg-data");
	assert_use("sdb", 16, "mounted at /srv through md0 and vg-data");
	assert_use("md0", 48, "mounted at /srv through vg-data");
	assert_use("dm-1", 50, "mounted at /srv");
	assert_use("sda1", 1, "");
}

static void swap_is_found_through_an_encrypted_device(void **state)
{
	char *swap = node("dm-1", 50),
	     *lines = xasprintf("Filename\tType\n%s\tpartition\t64\n", swap);
	char *expected = xasprintf("swap is on %s through secret", swap);

	(void)state;
	record_holder("sda/sda1", "dm-1", 50);
	record_dm("dm-1", "secret\n", "CRYPT-LUKS2-77-secret\n");
	assert_use("sda1", 1, "held by dm-1 (encrypted device secret)");
	record("/proc/swaps", lines);
	assert_use("sda1", 1, expected);
	assert_use("sda", 0, expected);
	free(expected);
	free(lines);
	free(swap);
}

/* A path of a multipath device, whose partition kpartx maps again. */
static void a_path_of_a_multipath_device_is_in_use(void **state)
{
	(void)state;
	record_holder("sda", "dm-0", 48);
	record_dm("dm-0", "mpatha\n", "mpath-36001405f\n");
	assert_use("sda", 0, "held by dm-0 (multipath device mpatha)");
	/* Its own partitions are below it too. */
	assert_use("sda1", 1, "held by dm-0 (multipath device mpatha)");
	record_holder("dm-0", "dm-3", 51);
	record_dm("dm-3", "mpatha1\n", "part1-mpath-36001405f\n");
	assert_use("sda", 0, "held by dm-3 (partition mpatha1) through mpatha");
	record("/proc/self/mountinfo", "30 21 8:51 / /srv rw - xfs /dev/dm-3 rw\n");
	assert_use("sda", 0, "mounted at /srv through mpatha and mpatha1");
}

static void bcache_is_found_before_and_after_it_has_built_something(void **state)
{
	(void)state;
	record("/sys/block/sda/sda1/bcache/label", "");
	assert_use("sda", 0, "registered with bcache");
	record_holder("sda/sda1", "bcache0", 48);
	assert_use("sda", 0, "held by bcache0");
	record("/proc/self/mountinfo", "30 21 8:48 / /srv rw - xfs /dev/bcache0 rw\n");
	assert_use("sda1", 1, "mounted at /srv through bcache0");
}

/* Only one of several devices is told as the source of the mount. */
static void each_member_of_a_mounted_btrfs_is_in_use(void **state)
{
	char *source = node("sda1", 1);
	char *line = xasprintf("30 21 0:45 /@ /srv rw - btrfs %s rw\n", source);

	(void)state;
	record_disk("sdb", 16, 0, 0);
	record_disk("sdc", 32, 0, 0);
	record("/sys/fs/btrfs/features/big_metadata", "1\n");
	record("/sys/fs/btrfs/6e7c-11/devices/sda1/dev", "8:1\n");
	record("/sys/fs/btrfs/6e7c-11/devices/sdb/dev", "8:16\n");
	assert_use("sdb", 16, "a member of the mounted btrfs file system 6e7c-11");
	record("/proc/self/mountinfo", line);
	assert_use("sdb", 16, "mounted at /srv (btrfs of several devices)");
	assert_use("sda", 0, "mounted at /srv");
	assert_use("sdc", 32, "");
	free(line);
	free(source);
}

/* The file of the loop device lies on what the target is mounted at. */
static void what_is_mounted_from_a_file_on_the_target_is_found(void **state)
{
	char *image = xasprintf("%s/srv/image", root), *line = xasprintf("%s\n", image), *numbers;
	struct stat st;

	(void)state;
	record("/srv/image", "some data");
	assert_int_equal(stat(image, &st), 0);
	record_disk("loop7", 57, 0, 0);
	record("/sys/block/loop7/loop/backing_file", line);
	/* The file's file system has the number of the disk at hand; it plays one that sda1 makes up. */
	numbers = xasprintf("30 21 %u:%u / /srv rw - btrfs %s/dev/sda1 rw\n"
			    "31 21 8:57 / /deep rw - ext4 /dev/loop7 rw\n",
			    major(st.st_dev), minor(st.st_dev), root);
	free(node("sda1", 1));
	record("/proc/self/mountinfo", numbers);
	assert_use("sda", 0, "mounted at /srv, mounted at /deep through loop7");
	assert_use("sda2", 2, "");
	free(numbers);
	free(line);
	free(image);
}

static void a_loop_device_on_a_loop_device_is_followed(void **state)
{
	char *lower = node("loop6", 56);

	(void)state;
	record_disk("loop6", 56, 0, 0);
	record_disk("loop7", 57, 0, 0);
	record("/srv/file", "some data");
	record_loop(lower);
	free(lower);
	lower = xasprintf("%s/srv/file\n", root);
	record("/sys/block/loop6/loop/backing_file", lower);
	assert_file_use("/srv/file", "backs the loop device loop7 through loop6");
	record("/proc/self/mountinfo", "30 21 8:57 / /srv rw - ext4 /dev/loop7 rw\n");
	assert_file_use("/srv/file", "mounted at /srv through loop6 and loop7");
	free(lower);
}

static void record_namespace(const char *pid, const char *name, const char *mounts)
{
	char *path = xasprintf("/proc/%s/mountinfo", pid);

	record(path, mounts);
	free(path);
	path = xasprintf("/proc/%s/ns/.keep", pid);
	record(path, "");
	free(path);
	path = xasprintf("/proc/%s/ns/mnt", pid);
	record_link(path, name);
	free(path);
}

static void a_mount_of_another_namespace_is_told_with_a_process(void **state)
{
	const char *none = "21 1 254:0 / / rw - ext4 /dev/vda rw\n";

	(void)state;
	record_namespace("self", "mnt:[40]", none);
	record_namespace("77", "mnt:[40]", "30 21 8:1 / /not-read rw - xfs /dev/sda1 rw\n");
	record_namespace("4711", "mnt:[41]", "30 21 8:1 / /data rw - xfs /dev/sda1 rw\n");
	assert_use("sda", 0, "mounted at /data (in the mount namespace of process 4711)");
	assert_use("sda2", 2, "");
	/* One that we see ourselves says enough. */
	record("/proc/self/mountinfo", "30 21 8:1 / /srv rw - xfs /dev/sda1 rw\n");
	assert_use("sda", 0, "mounted at /srv");
}

static void a_partition_of_a_disk_that_is_used_as_a_whole_is_in_use(void **state)
{
	(void)state;
	record("/proc/self/mountinfo", "30 21 8:0 / /srv rw - xfs /dev/sda rw\n");
	assert_use("sda1", 1, "mounted at /srv");
	record("/proc/self/mountinfo", "30 21 8:2 / /srv rw - xfs /dev/sda2 rw\n");
	assert_use("sda1", 1, "");
}

/* Without multipath the same LUN is there twice. */
static void what_is_mounted_by_another_path_is_in_use(void **state)
{
	(void)state;
	record_disk("sdb", 16, 0, 0);
	record("/sys/block/sdb/device/wwid", "naa.6001405f\n");
	assert_use("sda", 0, "");
	record("/proc/self/mountinfo", "30 21 8:16 / /srv rw - xfs /dev/sdb rw\n");
	assert_use("sda", 0, "mounted at /srv through another path to it, sdb");
	record("/sys/block/sdb/device/wwid", "naa.60014060\n");
	assert_use("sda", 0, "");
}

static void without_a_list_of_block_devices_nothing_is_idle(void **state)
{
	char *from = xasprintf("%s/sys/block", root), *to = xasprintf("%s/sys/gone", root);

	(void)state;
	record("/srv/disk.img", "data");
	assert_file_use("/srv/disk.img", "");
	assert_int_equal(rename(from, to), 0);
	assert_file_use("/srv/disk.img", "it cannot be told which loop devices there are");
	assert_int_equal(rename(to, from), 0);
	free(from);
	free(to);
}

static void links_in_a_ring_end(void **state)
{
	(void)state;
	record_holder("sda", "dm-0", 48);
	record_holder("dm-0", "dm-1", 49);
	record_holder("dm-1", "dm-0", 0);
	assert_use("sda", 0, "held by dm-1 through dm-0");
}

static void the_first_uses_are_named_and_the_others_counted(void **state)
{
	struct buf lines = BUF_INIT;

	(void)state;
	for (int i = 1; i <= 9; i++)
		buf_addf(&lines, "%d 21 8:1 / /m%d rw - xfs /dev/sda1 rw\n", 30 + i, i);
	record("/proc/self/mountinfo", buf_text(&lines));
	assert_use("sda", 0,
		   "mounted at /m1, mounted at /m2, mounted at /m3, mounted at /m4, "
		   "mounted at /m5, mounted at /m6 and 3 more");
	buf_release(&lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(an_idle_disk_is_in_no_use),
		CASE(a_holder_of_a_partition_holds_the_disk_too),
		CASE(a_holder_of_the_disk_holds_it),
		CASE(mounts_are_found_by_number),
		CASE(mounts_are_found_by_their_source_too),
		CASE(escapes_of_the_kernel_are_decoded),
		CASE(long_mount_points_are_told_whole),
		CASE(without_a_list_of_mounts_nothing_is_idle),
		CASE(a_loop_device_on_a_partition_uses_the_disk_too),
		CASE(a_loop_device_whose_path_leads_nowhere_is_asked_itself),
		CASE(a_file_that_backs_a_loop_device_is_found_by_its_inode),
		CASE(a_mount_is_found_through_an_array_and_a_volume),
		CASE(swap_is_found_through_an_encrypted_device),
		CASE(a_path_of_a_multipath_device_is_in_use),
		CASE(bcache_is_found_before_and_after_it_has_built_something),
		CASE(each_member_of_a_mounted_btrfs_is_in_use),
		CASE(what_is_mounted_from_a_file_on_the_target_is_found),
		CASE(a_loop_device_on_a_loop_device_is_followed),
		CASE(a_mount_of_another_namespace_is_told_with_a_process),
		CASE(a_partition_of_a_disk_that_is_used_as_a_whole_is_in_use),
		CASE(what_is_mounted_by_another_path_is_in_use),
		CASE(without_a_list_of_block_devices_nothing_is_idle),
		CASE(links_in_a_ring_end),
		CASE(the_first_uses_are_named_and_the_others_counted),
	};

	return cmocka_run_group_tests_name("uses of a target", tests, NULL, NULL);
}
