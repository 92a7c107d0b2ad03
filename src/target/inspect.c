/* SPDX-License-Identifier: MIT */
#include "target/target.h"

#include "base/buf.h"
#include "base/mem.h"
#include "target/below.h"
#include "target/fs.h"
#include "target/limits.h"
#include "target/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Facts that are one line of a file under the device's sysfs folder. */
static const struct {
	const char *fact, *file;
	bool of_disk; /* queue/ and device/ belong to the whole disk */
} sysfs_facts[] = {
	{"device.model", "device/model", true},
	{"device.vendor", "device/vendor", true},
	{"device.firmware", "device/rev", true},
	{"device.firmware", "device/firmware_rev", true},
	{"device.serial", "device/serial", true},
	{"device.serial", "serial", true},
	{"device.wwid", "wwid", true},
	{"device.wwid", "device/wwid", true},
	{"device.queue_depth", "device/queue_depth", true},
	{"device.diskseq", "diskseq", true},
	{"device.partition", "partition", false},
	{"dm.name", "dm/name", false},
	{"dm.uuid", "dm/uuid", false},
	{"loop.backing_file", "loop/backing_file", false},
	{"loop.offset", "loop/offset", false},
	{"loop.direct_io", "loop/dio", false},
	{"queue.scheduler", "queue/scheduler", true},
	{"queue.nr_requests", "queue/nr_requests", true},
	{"queue.max_sectors_kb", "queue/max_sectors_kb", true},
	{"queue.max_hw_sectors_kb", "queue/max_hw_sectors_kb", true},
	{"queue.max_segments", "queue/max_segments", true},
	{"queue.logical_block_size", "queue/logical_block_size", true},
	{"queue.physical_block_size", "queue/physical_block_size", true},
	{"queue.rotational", "queue/rotational", true},
	{"queue.write_cache", "queue/write_cache", true},
	{"queue.io_poll", "queue/io_poll", true},
	{"queue.nomerges", "queue/nomerges", true},
};

static int refuse_kind(const char *path, mode_t mode, struct err *e)
{
	const char *what = S_ISDIR(mode)    ? "a directory"
			   : S_ISCHR(mode)  ? "a character device"
			   : S_ISFIFO(mode) ? "a FIFO"
			   : S_ISSOCK(mode) ? "a socket"
					    : "neither a block device nor a file";

	return err_set(e, ERR_TARGET,
		       "'%s' is %s, not a target; name a block device or a regular file", path,
		       what);
}

static int refuse_missing(const char *path, int errnum, struct err *e)
{
	struct stat st;

	if (errnum == ENOENT && lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
		return err_set(e, ERR_TARGET, "'%s' is a symbolic link to nothing", path);
	if (errnum == ENOENT && !strncmp(path, "/dev/", 5))
		return err_set(e, ERR_TARGET, "there is no such device as '%s'", path);
	if (errnum == ENOENT)
		return err_set(e, ERR_TARGET,
			       "there is no file '%s'; 'lunsweep prepare --make-file' makes one",
			       path);
	return err_sys(e, ERR_TARGET, errnum, "cannot look at '%s'", path);
}

static void add_sysfs_facts(struct target_info *t, const char *block_dir, const char *disk_dir)
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < NR(sysfs_facts); i++) {
		const char *dir = sysfs_facts[i].of_disk ? disk_dir : block_dir;

		if (!facts_get(&t->facts, sysfs_facts[i].fact) &&
		    sys_read(&b, "%s/%s", dir, sysfs_facts[i].file) && b.len)
			facts_set(&t->facts, sysfs_facts[i].fact, b.text);
	}
	buf_release(&b);
}

/* Numbers count from each boot on, and can be another device's after the next one: some of the boot's own id makes
 * them a name that ends with it. */
static char *boot_identity(dev_t dev, const char *seq)
{
	char *path = sys_path("/proc/sys/kernel/random/boot_id"), *text;
	struct buf boot = BUF_INIT;
	bool is_known = sys_read(&boot, "%s", path);

	text = xasprintf("dev:%u:%u:%s%s%.8s", major(dev), minor(dev), seq, is_known ? ":" : "",
			 buf_text(&boot));
	buf_release(&boot);
	free(path);
	return text;
}

/* D26: the first name that is the device's own, and stays with it over a reboot. A partition
 * shares wwid and serial with its disk, but consent for the one is none for the other. */
static char *device_identity(const struct target_info *t, dev_t dev)
{
	const char *number = facts_get(&t->facts, "device.partition");
	const char *part = number ? ":partition:" : "";
	const char *wwid = facts_get(&t->facts, "device.wwid");
	const char *serial = facts_get(&t->facts, "device.serial");
	const char *dm = facts_get(&t->facts, "dm.uuid");
	const char *backing = facts_get(&t->facts, "loop.backing_file");
	const char *seq = facts_get(&t->facts, "device.diskseq");
	const char *offset = facts_get(&t->facts, "loop.offset");
	struct stat st;

	if (wwid)
		return xasprintf("wwid:%s%s%s", wwid, part, number ? number : "");
	if (serial)
		return xasprintf("serial:%s:%" PRIu64 "%s%s", serial, t->size_bytes, part,
				 number ? number : "");
	if (dm)
		return xasprintf("dm:%s", dm);
	if (backing && stat(backing, &st) == 0)
		return xasprintf("loop:%u:%u:%" PRIu64 ":%s+%s", major(st.st_dev), minor(st.st_dev),
				 (uint64_t)st.st_ino, backing, offset ? offset : "0");
	return boot_identity(dev, seq ? seq : "0");
}

static void set_label(struct target_info *t)
{
	const char *model = facts_get(&t->facts, "device.model");
	const char *backing = facts_get(&t->facts, "loop.backing_file");
	const char *name = strrchr(t->resolved, '/');

	name = name ? name + 1 : t->resolved;
	if (backing && strrchr(backing, '/'))
		t->label = xasprintf("%s (%s)", name, strrchr(backing, '/') + 1);
	else if (model && t->is_block)
		t->label = xasprintf("%s (%s)", name, model);
	else
		t->label = xstrdup(name);
}

static int read_sizes(int fd, struct target_info *t, struct err *e)
{
	uint64_t size = 0;
	int sector = 512, read_only = 0;

	if (ioctl(fd, BLKGETSIZE64, &size) < 0 || ioctl(fd, BLKSSZGET, &sector) < 0 ||
	    ioctl(fd, BLKROGET, &read_only) < 0)
		return err_sys(e, ERR_TARGET, errno, "cannot ask '%s' for its size", t->given);
	if (!size)
		return err_set(e, ERR_TARGET,
			       "'%s' has no size: no medium or file is attached to it", t->given);
	t->size_bytes = size;
	t->logical_block_bytes = (uint32_t)sector;
	t->is_read_only = read_only != 0;
	return 0;
}

static int inspect_block(int fd, dev_t dev, struct target_info *t, struct err *e)
{
	char *block_dir = sys_block_dir(dev), *disk_dir;

	if (read_sizes(fd, t, e)) {
		free(block_dir);
		return -1;
	}
	facts_setf(&t->facts, "device.number", "%u:%u", major(dev), minor(dev));
	if (block_dir) {
		disk_dir = sys_disk_dir(block_dir);
		add_sysfs_facts(t, block_dir, disk_dir);
		t->counter_stat = below_stat_file(block_dir);
		free(disk_dir);
	}
	below_device(t, block_dir);
	limits_find(t, block_dir, dev);
	free(block_dir);
	t->identity = device_identity(t, dev);
	return 0;
}

/*
 * The smallest length that the file system takes for direct I/O, found by trying, because no
 * call of the C library here tells it. Reads only. 512 where even 4096 fails: the first point
 * will say why.
 */
static uint32_t probe_alignment(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	uint32_t found = 512;
	void *data = NULL;

	if (fd < 0 || posix_memalign(&data, 4096, 4096) != 0)
		data = NULL;
	for (uint32_t len = 512; data && len <= 4096; len *= 2) {
		ssize_t n;

		do
			n = pread(fd, data, len, len);
		while (n < 0 && errno == EINTR);
		/* Whatever else fails says nothing about the length. */
		if (n < 0 && errno == EINVAL)
			continue;
		if (n >= 0)
			found = len;
		break;
	}
	free(data);
	if (fd >= 0)
		(void)close(fd);
	return found;
}

static int inspect_file(int fd, const struct stat *st, struct target_info *t, struct err *e)
{
	char *block_dir = sys_block_dir(st->st_dev), *disk_dir;
	const char *fs_name;

	if (!st->st_size) {
		free(block_dir);
		return err_set(e, ERR_TARGET, "'%s' is empty: there is nothing to measure",
			       t->given);
	}
	t->size_bytes = (uint64_t)st->st_size;
	t->is_shared_device = true;
	t->is_read_only = access(t->resolved, W_OK) != 0;
	fs_name = fs_type(fd, &t->is_memory);
	facts_set(&t->facts, "fs.type", fs_name);
	facts_setf(&t->facts, "fs.device", "%u:%u", major(st->st_dev), minor(st->st_dev));
	t->logical_block_bytes = probe_alignment(t->resolved);
	if (block_dir) {
		disk_dir = sys_disk_dir(block_dir);
		add_sysfs_facts(t, block_dir, disk_dir);
		t->counter_stat = below_stat_file(block_dir);
		free(disk_dir);
		limits_find(t, block_dir, st->st_dev);
	}
	t->extent_file = xstrdup(t->resolved);
	below_device(t, block_dir);
	free(block_dir);
	t->identity = xasprintf("file:%s#%u:%u:%" PRIu64, t->resolved, major(st->st_dev),
				minor(st->st_dev), (uint64_t)st->st_ino);
	return 0;
}

static int inspect_open(int fd, struct target_info *t, struct err *e)
{
	struct stat st;
	int rc;

	if (fstat(fd, &st) < 0)
		return err_sys(e, ERR_TARGET, errno, "cannot look at '%s'", t->given);
	if (S_ISBLK(st.st_mode)) {
		t->is_block = true;
		rc = inspect_block(fd, st.st_rdev, t, e);
	} else if (S_ISREG(st.st_mode)) {
		rc = inspect_file(fd, &st, t, e);
	} else {
		return refuse_kind(t->given, st.st_mode, e);
	}
	if (rc)
		return -1;
	set_label(t);
	facts_set(&t->facts, "target.given", t->given);
	facts_set(&t->facts, "target.resolved", t->resolved);
	facts_set(&t->facts, "target.type", t->is_block ? "block device" : "file");
	facts_setf(&t->facts, "target.size_bytes", "%" PRIu64, t->size_bytes);
	facts_setf(&t->facts, "target.logical_block_bytes", "%u", t->logical_block_bytes);
	facts_set(&t->facts, "target.read_only", t->is_read_only ? "yes" : "no");
	facts_set(&t->facts, "cgroup.io_limit", t->throttle ? t->throttle : "none");
	return 0;
}

int target_inspect(const char *path, struct target_info *out, struct err *e)
{
	struct target_info t = {0};
	struct stat st;
	int fd, rc;

	if (!*path)
		return err_set(e, ERR_USAGE, "the target is empty; name a device or a file");
	if (stat(path, &st) < 0)
		return refuse_missing(path, errno, e);
	/* Looked at before it is opened, since opening some things has effects of its own. */
	if (!S_ISBLK(st.st_mode) && !S_ISREG(st.st_mode))
		return refuse_kind(path, st.st_mode, e);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, ERR_TARGET, errno, "cannot open '%s'", path);
	t.given = xstrdup(path);
	t.resolved = realpath(path, NULL);
	if (!t.resolved)
		t.resolved = xstrdup(path);
	rc = inspect_open(fd, &t, e);
	(void)close(fd);
	if (rc)
		target_info_release(&t);
	else
		*out = t;
	return rc;
}
