/* SPDX-License-Identifier: MIT */
#include "base/file.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_fd(int fd, size_t max, struct buf *b)
{
	char chunk[4096];
	ssize_t n;

	while ((n = read(fd, chunk, sizeof(chunk))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if ((size_t)n > max || b->len > max - (size_t)n)
			return -EFBIG;
		buf_add(b, chunk, (size_t)n);
	}
	return 0;
}

int file_read(const char *path, size_t max, struct buf *b, struct err *e)
{
	/* O_NONBLOCK: a FIFO in the place of a file must not hang us. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int rc;

	if (fd < 0)
		return err_sys(e, ERR_DATA, errno, "cannot open '%s'", path);
	rc = read_fd(fd, max, b);
	(void)close(fd);
	if (rc < 0)
		return err_sys(e, ERR_DATA, -rc, "cannot read '%s'", path);
	return 0;
}

bool file_read_line(const char *path, struct buf *b)
{
	buf_reset(b);
	if (file_read(path, 1 << 20, b, NULL))
		return false;
	while (b->len && strchr(" \t\r\n", b->text[b->len - 1]))
		b->text[--b->len] = '\0';
	return true;
}

int file_write_fd(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -ENOSPC;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

#define MAX_LINKS 40 /* that one path may lead through, as for the kernel */

static int refuse_link(const char *link, const struct stat *dir, struct err *e)
{
	return err_set(e, ERR_OUTPUT,
		       "the symbolic link '%s' %s, so it is not followed to write: name the place "
		       "that it leads to",
		       link,
		       dir->st_mode & S_IWOTH ? "lies in a directory that anybody may write to"
					      : "belongs to another user");
}

static int check_links(const char *path, int left, struct err *e);

/* What lies behind the link of len bytes at the beginning of path, and then the rest of it. */
static int check_target(const char *path, size_t len, int left, struct err *e)
{
	char *link = xstrndup(path, len), target[PATH_MAX], *whole, *slash = strrchr(link, '/');
	ssize_t n = readlink(link, target, sizeof(target) - 1);
	int rc;

	if (n < 0 || !left) {
		rc = err_sys(e, ERR_OUTPUT, n < 0 ? errno : ELOOP, "cannot follow '%s'", link);
		free(link);
		return rc;
	}
	target[n] = '\0';
	if (slash)
		slash[1] = '\0';
	whole = xasprintf("%s%s%s", *target == '/' || !slash ? "" : link, target, path + len);
	rc = check_links(whole, left - 1, e);
	free(whole);
	free(link);
	return rc;
}

static int check_links(const char *path, int left, struct err *e)
{
	struct stat dir, st;

	if (stat(*path == '/' ? "/" : ".", &dir) < 0)
		return 0;
	for (const char *s = path; (s = strchr(s, '/')); s += strspn(s, "/")) {
		size_t len = (size_t)(s - path);
		char *part = xstrndup(path, len);
		int rc = len ? lstat(part, &st) : 1;

		if (!rc && S_ISLNK(st.st_mode)) {
			rc = (st.st_uid && st.st_uid != geteuid()) || dir.st_mode & S_IWOTH
				     ? refuse_link(part, &dir, e)
				     : check_target(path, len, left, e);
			free(part);
			return rc;
		}
		free(part);
		if (rc < 0)
			return 0; /* not there, or not to be looked at: whoever opens it tells why */
		if (!rc)
			dir = st;
	}
	return 0;
}

int file_check_links(const char *path, struct err *e)
{
	return check_links(path, MAX_LINKS, e);
}

/* A new file beside path, whose name nobody can guess, with the mode that the umask leaves; its name is for the caller
 * to free. -1 and errno. */
static int open_beside(const char *path, char **name)
{
	for (int tries = 0; tries < 100; tries++) {
		uint64_t random;
		int fd;

		if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
			return -1;
		*name = xasprintf("%s.tmp-%016" PRIx64, path, random);
		fd = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
		if (fd >= 0)
			return fd;
		free(*name);
		if (errno != EEXIST)
			break;
	}
	return -1;
}

/* What a new file would take the place of: a device node or a pipe is none of ours to replace. */
static int check_place(const char *path, struct err *e)
{
	struct stat st;

	if (file_check_links(path, e))
		return -1;
	if (stat(path, &st) < 0 || S_ISREG(st.st_mode))
		return 0;
	return err_set(e, ERR_OUTPUT,
		       "'%s' is no ordinary file, and is not replaced by one; name another, or "
		       "leave the option out for standard output",
		       path);
}

int file_write(const char *path, const void *data, size_t len, struct err *e)
{
	char *tmp;
	int fd, rc;

	if (check_place(path, e))
		return -1;
	fd = open_beside(path, &tmp);
	if (fd < 0)
		return err_sys(e, ERR_OUTPUT, errno, "cannot create '%s'", path);
	rc = file_write_fd(fd, data, len);
	if (!rc && fsync(fd) < 0 && errno != EINVAL)
		rc = -errno;
	if (close(fd) < 0 && !rc)
		rc = -errno;
	if (!rc && rename(tmp, path) < 0)
		rc = -errno;
	if (rc)
		(void)unlink(tmp);
	free(tmp);
	return rc ? err_sys(e, ERR_OUTPUT, -rc, "cannot write '%s'", path) : 0;
}

int file_write_text(const char *dir, const char *name, const struct buf *text, struct buf *made,
		    struct err *e)
{
	char *path = xasprintf("%s/%s", dir, name);
	int rc = file_write(path, buf_text(text), text->len, e);

	if (!rc)
		buf_addf(made, "%s\n", path);
	free(path);
	return rc;
}

int file_create(const char *path, const void *data, size_t len, struct err *e)
{
	int fd, rc;

	if (file_check_links(path, e))
		return -1;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_sys(e, ERR_OUTPUT, errno, "cannot create '%s'", path);
	rc = file_write_fd(fd, data, len);
	if (close(fd) < 0 && !rc)
		rc = -errno;
	return rc ? err_sys(e, ERR_OUTPUT, -rc, "cannot write '%s'", path) : 0;
}

static int copy(const char *from, const char *to, size_t max, struct err *e)
{
	struct buf b = BUF_INIT;
	int rc = file_read(from, max, &b, e) || file_write(to, buf_text(&b), b.len, e);

	buf_release(&b);
	return rc ? -1 : 0;
}

/* Others may write to no file that we leave, whatever the umask let another program make. */
static int take_write(const char *path)
{
	struct stat st;

	if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode) || !(st.st_mode & (S_IWGRP | S_IWOTH)))
		return 0;
	return chmod(path, st.st_mode & 0755);
}

int file_move(const char *from, const char *to, size_t max, struct err *e)
{
	if (check_place(to, e))
		return -1;
	if (take_write(from) < 0)
		return err_sys(e, ERR_OUTPUT, errno, "cannot set the mode of '%s'", from);
	if (rename(from, to) == 0)
		return 0;
	if (errno != EXDEV)
		return err_sys(e, ERR_OUTPUT, errno, "cannot write '%s'", to);
	return copy(from, to, max, e);
}

static bool is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int file_mkdirs(const char *path, struct err *e)
{
	char *copy = xasprintf("%s/", path);
	int rc = file_check_links(copy, e);

	copy[strlen(path)] = '\0';
	for (char *s = copy + 1; !rc && *copy; s++) {
		char c = *s;

		if (c != '/' && c != '\0')
			continue;
		*s = '\0';
		if (mkdir(copy, 0755) < 0 && (errno != EEXIST || (c == '\0' && !is_dir(copy))))
			rc = err_sys(e, ERR_OUTPUT, errno, "cannot make the directory '%s'", copy);
		*s = c;
		if (c == '\0')
			break;
	}
	free(copy);
	return rc;
}
