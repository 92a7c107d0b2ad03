/* SPDX-License-Identifier: MIT */
#include "base/file.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static int write_fd(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

int file_write(const char *path, const void *data, size_t len, struct err *e)
{
	char *tmp = xasprintf("%s.tmp-XXXXXX", path);
	int fd = mkostemp(tmp, O_CLOEXEC);
	int rc;

	if (fd < 0) {
		rc = -errno;
		free(tmp);
		return err_sys(e, ERR_OUTPUT, -rc, "cannot create '%s'", path);
	}
	rc = write_fd(fd, data, len);
	if (!rc && fsync(fd) < 0 && errno != EINVAL)
		rc = -errno;
	/* mkostemp makes files private; what we write with this is meant to be read. */
	if (!rc && fchmod(fd, 0644) < 0)
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
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	int rc;

	if (fd < 0)
		return err_sys(e, ERR_OUTPUT, errno, "cannot create '%s'", path);
	rc = write_fd(fd, data, len);
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

int file_move(const char *from, const char *to, size_t max, struct err *e)
{
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
	char *copy = xstrdup(path);
	int rc = 0;

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
