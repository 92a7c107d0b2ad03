/* SPDX-License-Identifier: MIT */
#include "target/lock.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Where the system keeps locks, and where it is not: the folder that anybody can write to. */
static const char *const folders[] = {"/run/lock", "/tmp"};

/* By identity, so that all names of a device, two paths to a LUN, and two loop devices on a file
 * have one lock (D26); a file by its number, which all of its names share. */
static char *lock_name(const char *identity, const struct stat *st)
{
	if (S_ISBLK(st->st_mode))
		return xasprintf("lunsweep-dev-%016" PRIx64 ".lock", hash_str(HASH_INIT, identity));
	return xasprintf("lunsweep-file-%u-%u-%" PRIu64 ".lock", major(st->st_dev),
			 minor(st->st_dev), (uint64_t)st->st_ino);
}

/* Where anybody can write, it could be a second name of a file that matters to somebody. */
static bool is_plain(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1;
}

/* One that another user made may only be read, and that is enough for flock; where links and files
 * of others are protected, even root may not name it with O_CREAT. -1 and ENOENT where there is
 * none and none can be made, EMLINK where it is not a file of its own. */
static int open_in(const char *path)
{
	/* Not through a link, and not waiting in a FIFO, which anybody could have put there. */
	int flags = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
	int fd = open(path, O_RDWR | O_CREAT | flags, 0644);
	bool is_writable = fd >= 0;

	if (fd < 0 && (errno == EACCES || errno == EROFS))
		fd = open(path, O_RDONLY | flags);
	if (fd < 0)
		return -1;
	if (!is_plain(fd)) {
		(void)close(fd);
		errno = EMLINK;
		return -1;
	}
	/* Whatever the umask says, other users must be able to open it. */
	if (is_writable)
		(void)fchmod(fd, 0644);
	return fd;
}

static int refuse_file(const char *path, struct err *e)
{
	if (errno != EMLINK)
		return err_sys(e, ERR_SYSTEM, errno, "cannot make the lock '%s'", path);
	return err_set(e, ERR_SYSTEM,
		       "the lock '%s' is no file of its own: it is not a regular file, or has "
		       "another name as well; remove it",
		       path);
}

/* The next folder only where the one before cannot hold the lock for anybody: two users who take
 * different ones would measure each other. */
static int open_lock(const char *name, struct err *e)
{
	int fd = -1;

	for (size_t i = 0; i < NR(folders) && fd < 0; i++) {
		char *path = xasprintf("%s/%s", folders[i], name);
		bool is_last = i + 1 == NR(folders);

		fd = open_in(path);
		if (fd < 0 && (errno != ENOENT || is_last)) {
			(void)refuse_file(path, e);
			free(path);
			break;
		}
		free(path);
	}
	return fd;
}

/* The number that the lock tells, 0 where that process is gone: one that may only read the lock leaves
 * the number of an earlier one there. */
static long read_pid(int fd)
{
	char text[32] = "";
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	long pid = n > 0 ? strtol(text, NULL, 10) : 0;

	return pid > 0 && pid <= INT_MAX && (kill((pid_t)pid, 0) == 0 || errno == EPERM) ? pid : 0;
}

static int refuse(int fd, const struct target_info *info, struct err *e)
{
	long pid = read_pid(fd);
	char *number = pid ? xasprintf("%ld", pid) : xstrdup("of unknown number");

	(void)err_set(e, ERR_TARGET,
		      "'%s' is being measured by another lunsweep, process %s; wait for its end",
		      info->given, number);
	free(number);
	return -1;
}

/* Whoever only looks (target_lock_look) has the lock for a moment, which is no reason to refuse. */
#define LOOKS	     5
#define LOOK_WAIT_NS (10 * NS_PER_MS)

static int lock_exclusively(int fd)
{
	int rc = -1;

	for (int i = 0; i < LOOKS && rc < 0; i++) {
		if (i)
			clock_sleep_ns(LOOK_WAIT_NS);
		rc = flock(fd, LOCK_EX | LOCK_NB);
		if (rc < 0 && errno != EWOULDBLOCK)
			break;
	}
	return rc;
}

int target_lock(const struct target_info *info, struct err *e)
{
	struct stat st;
	char *name;
	int fd, rc;

	if (stat(info->resolved, &st) < 0)
		return err_sys(e, ERR_TARGET, errno, "cannot look at '%s'", info->given);
	name = lock_name(info->identity, &st);
	fd = open_lock(name, e);
	free(name);
	if (fd < 0)
		return -1;
	if (lock_exclusively(fd) < 0) {
		rc = errno == EWOULDBLOCK
			     ? refuse(fd, info, e)
			     : err_sys(e, ERR_SYSTEM, errno, "cannot lock '%s'", info->given);
		(void)close(fd);
		return rc;
	}
	/* For whoever is refused; the lock holds without it too. */
	if (ftruncate(fd, 0) == 0)
		(void)dprintf(fd, "%d", (int)getpid());
	return fd;
}

/* Read-only and without making it: to look must leave nothing behind. */
static int open_to_look(const char *name)
{
	int fd = -1;

	for (size_t i = 0; i < NR(folders) && fd < 0; i++) {
		char *path = xasprintf("%s/%s", folders[i], name);

		fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
		free(path);
		if (fd < 0 && errno != ENOENT)
			break;
	}
	return fd;
}

enum lock_state target_lock_look(const char *resolved, const char *identity, long *pid)
{
	enum lock_state state = LOCK_UNKNOWN;
	struct stat st;
	char *name;
	int fd;

	*pid = 0;
	if (!resolved || !identity || stat(resolved, &st) < 0)
		return LOCK_UNKNOWN;
	name = lock_name(identity, &st);
	fd = open_to_look(name);
	free(name);
	if (fd < 0)
		return errno == ENOENT ? LOCK_FREE : LOCK_UNKNOWN;
	/* Shared, so that two who look do not take each other for a run. */
	if (flock(fd, LOCK_SH | LOCK_NB) == 0)
		state = LOCK_FREE;
	else if (errno == EWOULDBLOCK)
		state = LOCK_HELD;
	if (state == LOCK_HELD)
		*pid = read_pid(fd);
	(void)close(fd);
	return state;
}
