/* SPDX-License-Identifier: MIT */
#include "target/target.h"

#include "base/mem.h"
#include "target/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

struct target {
	const struct target_info *info;
	int fd;
	bool is_claimed;  /* opened with O_EXCL */
	struct stat st;	  /* as it was opened */
	uint64_t diskseq; /* the kernel counts media; 0 where it does not tell */
};

#define PROBES 8
/* A whole number of logical blocks, and aligned for any device. */
#define PROBE_BYTES 4096

/* Looked at again through the descriptor, so that no other thing can have taken the name. *is_other: it is
 * known to be something else. */
static int same_target(int fd, const struct target_info *info, bool *is_other, struct err *e)
{
	struct target_info now;
	char path[64];
	int rc = 0;

	*is_other = false;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (target_inspect(path, &now, e))
		return err_wrap(e, "'%s' cannot be looked at any more", info->given);
	*is_other = strcmp(now.identity, info->identity) != 0 || now.size_bytes != info->size_bytes;
	if (*is_other)
		rc = err_set(e, ERR_TARGET,
			     "'%s' is no longer what it was: first %s with %" PRIu64
			     " bytes, now %s with %" PRIu64 " bytes",
			     info->given, info->identity, info->size_bytes, now.identity,
			     now.size_bytes);
	target_info_release(&now);
	return rc;
}

static int explain_open(const struct target_info *info, bool for_write, struct err *e)
{
	if (errno == EBUSY)
		return err_set(e, ERR_TARGET,
			       "'%s' is in use: another program holds it exclusively", info->given);
	return err_sys(e, ERR_TARGET, errno, "cannot open '%s' for %s", info->given,
		       for_write ? "writing" : "reading");
}

static uint64_t read_diskseq(const struct stat *st)
{
	char *dir = S_ISBLK(st->st_mode) ? sys_block_dir(st->st_rdev) : NULL;
	char *disk = dir ? sys_disk_dir(dir) : NULL;
	uint64_t seq = disk ? sys_read_u64("%s/diskseq", disk) : 0;

	free(disk);
	free(dir);
	return seq;
}

int target_open(const struct target_info *info, bool for_write, struct target **out, struct err *e)
{
	int flags = (for_write ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW;
	struct target *t;
	bool is_other;
	int fd;

	/* On a block device O_EXCL without O_CREAT claims it: mounts and other claims fail
	 * while we hold it, and we fail while they do. */
	if (for_write && info->is_block)
		flags |= O_EXCL;
	fd = open(info->resolved, flags);
	if (fd < 0)
		return explain_open(info, for_write, e);
	if (same_target(fd, info, &is_other, e)) {
		(void)close(fd);
		return -1;
	}
	t = xcalloc(1, sizeof(*t));
	t->info = info;
	t->fd = fd;
	t->is_claimed = flags & O_EXCL;
	if (fstat(fd, &t->st) < 0) {
		target_close(t);
		return err_sys(e, ERR_TARGET, errno, "cannot look at '%s'", info->given);
	}
	t->diskseq = read_diskseq(&t->st);
	*out = t;
	return 0;
}

const struct target_info *target_info_of(const struct target *t)
{
	return t->info;
}

int target_fd(const struct target *t)
{
	return t->fd;
}

bool target_is_claimed(const struct target *t)
{
	return t->is_claimed;
}

/* A device by its number, whatever node leads to it; a file by its inode. */
static bool is_same_thing(const struct stat *a, const struct stat *b)
{
	if (S_ISBLK(a->st_mode))
		return S_ISBLK(b->st_mode) && a->st_rdev == b->st_rdev;
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static int check_name(const struct target *t, const char *path, struct err *e)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return err_set(e, ERR_TARGET, "'%s' no longer leads to what is measured: %s", path,
			       strerror(errno));
	if (!is_same_thing(&st, &t->st))
		return err_set(e, ERR_TARGET,
			       "'%s' no longer leads to what is measured, but to something else",
			       path);
	return 0;
}

int target_check_names(const struct target *t, struct err *e)
{
	bool is_other;

	if (check_name(t, t->info->given, e) || check_name(t, t->info->resolved, e))
		return -1;
	/* A file is its inode, and to look at it in full would read it. */
	return t->info->is_block ? same_target(t->fd, t->info, &is_other, e)
				 : target_check_medium(t, e);
}

/* What can be asked of a device that is gone is left to the I/O to tell. */
int target_check_medium(const struct target *t, struct err *e)
{
	uint64_t diskseq = read_diskseq(&t->st), size_bytes = 0;
	struct stat st;

	if (S_ISBLK(t->st.st_mode))
		(void)ioctl(t->fd, BLKGETSIZE64, &size_bytes);
	else if (fstat(t->fd, &st) == 0)
		size_bytes = (uint64_t)st.st_size;
	if (size_bytes && size_bytes != t->info->size_bytes)
		return err_set(e, ERR_TARGET,
			       "'%s' has another size than at the start: first %" PRIu64
			       " bytes, now %" PRIu64 " bytes",
			       t->info->given, t->info->size_bytes, size_bytes);
	if (diskseq && diskseq != t->diskseq)
		return err_set(e, ERR_TARGET, "'%s' has another medium than at the start",
			       t->info->given);
	return 0;
}

/* Whether any of a few blocks over the whole target comes back. */
static bool read_any(int fd, const struct target_info *id, struct err *e)
{
	uint64_t stride = id->size_bytes / PROBES / PROBE_BYTES * PROBE_BYTES;
	void *block = NULL;
	ssize_t n = -1;
	int rc = posix_memalign(&block, PROBE_BYTES, PROBE_BYTES);

	if (rc) {
		(void)err_sys(e, ERR_SYSTEM, rc, "no memory to look at '%s'", id->given);
		return false;
	}
	/* All of them: where a part of the target hangs, it has not answered. */
	for (unsigned i = 0; i < PROBES; i++) {
		ssize_t got = pread(fd, block, PROBE_BYTES, (off_t)(i * stride));

		n = n > 0 ? n : got;
	}
	if (!n)
		(void)err_set(e, ERR_IO, "'%s' reads as if it were empty", id->given);
	else if (n < 0)
		(void)err_sys(e, ERR_IO, errno, "cannot read '%s'", id->given);
	free(block);
	return n > 0;
}

enum target_answer target_ask(const struct target_info *id, struct err *e)
{
	int fd = open(id->resolved, O_RDONLY | O_DIRECT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	enum target_answer answer = TARGET_SILENT;
	bool is_other;

	if (fd < 0) {
		(void)explain_open(id, false, e);
		return TARGET_SILENT;
	}
	if (same_target(fd, id, &is_other, e))
		answer = is_other ? TARGET_OTHER : TARGET_SILENT;
	else if (read_any(fd, id, e))
		answer = TARGET_ANSWERS;
	(void)close(fd);
	return answer;
}

void target_close(struct target *t)
{
	if (!t)
		return;
	(void)close(t->fd);
	free(t);
}

int target_open_worker(const struct target *t, bool for_write, struct err *e)
{
	int flags = (for_write ? O_RDWR : O_RDONLY) | O_DIRECT | O_CLOEXEC;
	char path[64];
	int fd;

	/* Through the descriptor that was checked, not the name, which may have moved on. */
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", t->fd);
	fd = open(path, flags | O_NOATIME);
	/* Only the owner may have O_NOATIME. */
	if (fd < 0 && errno == EPERM)
		fd = open(path, flags);
	if (fd < 0 && errno == EINVAL) {
		const char *fs = facts_get(&t->info->facts, "fs.type");

		return err_set(e, ERR_TARGET,
			       "'%s': the file system %s does not support direct I/O",
			       t->info->given, fs ? fs : "");
	}
	if (fd < 0)
		return err_sys(e, ERR_TARGET, errno, "cannot open '%s' for %s", t->info->given,
			       for_write ? "writing" : "reading");
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	return fd;
}

static void read_stat(const char *stat, struct dev_counters *out)
{
	uint64_t v[11] = {0};
	struct buf b = BUF_INIT;

	*out = (struct dev_counters){0};
	if (stat && sys_read(&b, "%s", stat) &&
	    sscanf(buf_text(&b),
		   "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
		   &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7], &v[8], &v[9],
		   &v[10]) == 11) {
		out->is_known = true;
		out->read_ios = v[0];
		out->read_bytes = v[2] * 512;
		out->read_ms = v[3];
		out->write_ios = v[4];
		out->write_bytes = v[6] * 512;
		out->write_ms = v[7];
		out->in_flight = v[8];
		out->busy_ms = v[9];
		out->queue_ms = v[10];
	}
	buf_release(&b);
}

void target_counters(const struct target_info *info, struct dev_counters *own,
		     struct dev_counters *bottom)
{
	read_stat(info->counter_stat, own);
	read_stat(info->bottom_stat, bottom);
}
