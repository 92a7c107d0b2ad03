/* SPDX-License-Identifier: MIT */
/*
 * Devices that the machine at hand does not have (D5): a recorded /sys, and plain files that the
 * wrapped calls show as block devices.
 * WRAP: stat64 fstat64 ioctl
 */
#include "recorded.h"

#include "target/cgroup.h"

static char *identity_of_sdz(void)
{
	struct target_info t;
	char *identity;

	inspect("sdz", 100, &t);
	identity = xstrdup(t.identity);
	target_info_release(&t);
	return identity;
}

/* Numbers may be another device's after the next boot, and consent for one is none for the other. */
static void a_device_without_a_name_has_an_identity_of_this_boot(void **state)
{
	char *first, *second;

	(void)state;
	record_disk("sdz", 100, 64, 0);
	record("/sys/block/sdz/diskseq", "7\n");
	record("/proc/sys/kernel/random/boot_id", "0b5d3c1e-aaaa-bbbb-cccc-000000000001\n");
	first = identity_of_sdz();
	record("/proc/sys/kernel/random/boot_id", "99999999-aaaa-bbbb-cccc-000000000001\n");
	second = identity_of_sdz();
	assert_string_equal(first, "dev:8:100:7:0b5d3c1e");
	assert_string_equal(second, "dev:8:100:7:99999999");
	free(first);
	free(second);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_device_without_a_name_has_an_identity_of_this_boot),
		CASE(a_partition_has_an_identity_of_its_own),
		CASE(a_partition_has_the_limits_of_its_disk),
		CASE(without_control_groups_nothing_is_throttled),
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
	};

	return cmocka_run_group_tests_name("target on recorded trees", tests, NULL, NULL);
}
