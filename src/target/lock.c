/* SPDX-License-Identifier: MIT */
#include "target/lock.h"

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
static char *lock_name(const struct target_info *info, const struct stat *st)
{
	if (S_ISBLK(st->st_mode))
		return xasprintf("lunsweep-dev-%016" PRIx64 ".lock",
				 hash_str(HASH_INIT, info->identity));
	return xasprintf("lunsweep-file-%u-%u-%" PRIu64 ".lock", major(st->st_dev),
			 minor(st->st_dev), (uint64_t)st->st_ino);
}

/* One that another user made may only be read, and that is enough for flock; where links and files
 * of others are protected, even root may not name it with O_CREAT. -1 and ENOENT where there is
 * none and none can be made. */
static int open_in(const char *folder, const char *name)
{
	char *path = xasprintf("%s/%s", folder, name);
	/* Not through a link, and not waiting in a FIFO, which anybody could have put there. */
	int flags = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
	int fd = open(path, O_RDWR | O_CREAT | flags, 0644);

	if (fd < 0 && (errno == EACCES || errno == EROFS))
		fd = open(path, O_RDONLY | flags);
	/* Whatever the umask says, other users must be able to open it. */
	else if (fd >= 0)
		(void)fchmod(fd, 0644);
	free(path);
	return fd;
}

/* The next folder only where the one before cannot hold the lock for anybody: two users who take
 * different ones would measure each other. */
static int open_lock(const char *name)
{
	int fd = -1;

	errno = ENOENT;
	for (size_t i = 0; i < NR(folders) && fd < 0 && errno == ENOENT; i++)
		fd = open_in(folders[i], name);
	return fd;
}

/* One that may only read the lock leaves the number of an earlier one there. */
static bool is_running(const char *text)
{
	long pid = strtol(text, NULL, 10);

	return pid > 0 && pid <= INT_MAX && (kill((pid_t)pid, 0) == 0 || errno == EPERM);
}

static int refuse(int fd, const struct target_info *info, struct err *e)
{
	char pid[32] = "";
	ssize_t n = pread(fd, pid, sizeof(pid) - 1, 0);

	return err_set(e, ERR_TARGET,
		       "'%s' is being measured by another lunsweep, process %s; wait for its end",
		       info->given, n > 0 && is_running(pid) ? pid : "of unknown number");
}

int target_lock(const struct target_info *info, struct err *e)
{
	struct stat st;
	char *name;
	int fd, rc;

	if (stat(info->resolved, &st) < 0)
		return err_sys(e, ERR_TARGET, errno, "cannot look at '%s'", info->given);
	name = lock_name(info, &st);
	fd = open_lock(name);
	if (fd < 0) {
		rc = err_sys(e, ERR_SYSTEM, errno, "cannot make the lock '%s/%s'", folders[0],
			     name);
		free(name);
		return rc;
	}
	free(name);
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
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
