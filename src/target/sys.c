/* SPDX-License-Identifier: MIT */
#include "target/sys.h"

#include "base/file.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static const char *root = "";

void sys_set_root(const char *new_root)
{
	root = new_root;
}

static char *__attribute__((format(printf, 1, 0))) vpath(const char *fmt, va_list ap)
{
	char *tail = NULL, *path;

	if (vasprintf(&tail, fmt, ap) < 0)
		tail = xstrdup("");
	/* What sys_block_dir returned has the prefix already. */
	path = !strncmp(tail, root, strlen(root)) ? xstrdup(tail) : xasprintf("%s%s", root, tail);
	free(tail);
	return path;
}

char *sys_path(const char *fmt, ...)
{
	va_list ap;
	char *path;

	va_start(ap, fmt);
	path = vpath(fmt, ap);
	va_end(ap);
	return path;
}

bool sys_read(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	char *path;
	bool ok;

	va_start(ap, fmt);
	path = vpath(fmt, ap);
	va_end(ap);
	ok = file_read_line(path, b);
	free(path);
	return ok;
}

bool sys_read_all(struct buf *b, const char *path)
{
	char *full = sys_path("%s", path);
	bool ok;

	buf_reset(b);
	ok = !file_read(full, 16 << 20, b, NULL);
	free(full);
	return ok;
}

uint64_t sys_read_u64(const char *fmt, ...)
{
	struct buf b = BUF_INIT;
	uint64_t v = 0;
	va_list ap;
	char *path;

	va_start(ap, fmt);
	path = vpath(fmt, ap);
	va_end(ap);
	if (file_read_line(path, &b))
		v = strtoull(buf_text(&b), NULL, 10);
	free(path);
	buf_release(&b);
	return v;
}

bool sys_for_each(const char *dir, void (*fn)(const char *path, void *arg), void *arg)
{
	DIR *d = opendir(dir);
	struct dirent *de;
	bool is_whole;

	if (!d)
		return false;
	while (errno = 0, (de = readdir(d))) {
		char *path = xasprintf("%s/%s", dir, de->d_name);

		if (de->d_name[0] != '.')
			fn(path, arg);
		free(path);
	}
	is_whole = !errno;
	(void)closedir(d);
	return is_whole;
}

bool sys_read_number(const char *dir, dev_t *dev)
{
	struct buf b = BUF_INIT;
	unsigned maj, min;
	bool ok = sys_read(&b, "%s/dev", dir) && sscanf(buf_text(&b), "%u:%u", &maj, &min) == 2;

	if (ok)
		*dev = makedev(maj, min);
	buf_release(&b);
	return ok;
}

char *sys_block_dir(dev_t dev)
{
	char *link = sys_path("/sys/dev/block/%u:%u", major(dev), minor(dev));
	char *dir = realpath(link, NULL);

	free(link);
	return dir;
}

char *sys_disk_dir(const char *block_dir)
{
	struct buf b = BUF_INIT;
	bool is_partition = sys_read(&b, "%s/partition", block_dir);
	const char *slash = strrchr(block_dir, '/');

	buf_release(&b);
	if (is_partition && slash)
		return xstrndup(block_dir, (size_t)(slash - block_dir));
	return xstrdup(block_dir);
}
