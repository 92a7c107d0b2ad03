/* SPDX-License-Identifier: MIT */
#include "target/guard.h"

#include "base/mem.h"
#include "target/sys.h"

#include <blkid/blkid.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* The target and its partitions as the kernel numbers them; a file has none. */
struct devices {
	dev_t v[256];
	size_t nr;
};

const char *guard_consent_text(const struct target_info *info)
{
	return info->is_block ? info->identity : info->resolved;
}

int guard_check_consent(const struct target_info *info, const struct str_list *list, struct err *e)
{
	const char *text = guard_consent_text(info);

	for (size_t i = 0; i < list->nr; i++)
		if (!strcmp(list->v[i], text))
			return 0;
	return err_set(e, ERR_USAGE,
		       "this writes to '%s' and destroys what is on it; to allow that, "
		       "add --write-to '%s'",
		       info->given, text);
}

static void add_use(struct buf *why, const char *what, const char *name)
{
	buf_addf(why, "%s%s%s", why->len ? ", " : "", what, name);
}

static bool has_device(const struct devices *d, dev_t dev)
{
	for (size_t i = 0; i < d->nr; i++)
		if (d->v[i] == dev)
			return true;
	return false;
}

/* Call fn with the path of each entry of the folder; a folder that is not there has none. */
static void for_each_entry(const char *dir, void (*fn)(const char *path, void *arg), void *arg)
{
	DIR *d = opendir(dir);
	struct dirent *de;

	while (d && (de = readdir(d))) {
		char *path = xasprintf("%s/%s", dir, de->d_name);

		if (de->d_name[0] != '.')
			fn(path, arg);
		free(path);
	}
	if (d)
		(void)closedir(d);
}

static bool read_number(const char *dir, dev_t *dev)
{
	struct buf b = BUF_INIT;
	unsigned maj, min;
	bool ok = sys_read(&b, "%s/dev", dir) && sscanf(buf_text(&b), "%u:%u", &maj, &min) == 2;

	if (ok)
		*dev = makedev(maj, min);
	buf_release(&b);
	return ok;
}

static void add_partition(const char *path, void *arg)
{
	struct devices *d = arg;
	struct buf b = BUF_INIT;
	dev_t dev;

	if (sys_read(&b, "%s/partition", path) && read_number(path, &dev) && d->nr < NR(d->v))
		d->v[d->nr++] = dev;
	buf_release(&b);
}

static void list_devices(dev_t dev, struct devices *d)
{
	char *dir = sys_block_dir(dev);

	d->nr = 0;
	d->v[d->nr++] = dev;
	if (dir)
		for_each_entry(dir, add_partition, d);
	free(dir);
}

/* The kernel writes blanks, newlines and backslashes of names as \ooo. */
static void decode_octal(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (s[0] == '\\' && strspn(s + 1, "01234567") >= 3) {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

/* Cut the next field off, decoded; "" behind the last one. */
static char *next_field(char **rest)
{
	char *field = *rest + strspn(*rest, " \t");

	*rest = field + strcspn(field, " \t");
	if (**rest)
		*(*rest)++ = '\0';
	decode_octal(field);
	return field;
}

struct mount {
	dev_t dev;
	const char *where, *source;
};

/* Fields of mountinfo: id parent MAJ:MIN root mount-point options ... - type source ... */
static bool parse_mount(char *line, struct mount *m)
{
	char *behind = strstr(line, " - "), *numbers;
	unsigned maj, min;

	if (!behind)
		return false;
	*behind = '\0';
	behind += 3;
	(void)next_field(&line);
	(void)next_field(&line);
	numbers = next_field(&line);
	(void)next_field(&line);
	m->where = next_field(&line);
	(void)next_field(&behind);
	m->source = next_field(&behind);
	if (sscanf(numbers, "%u:%u", &maj, &min) != 2)
		return false;
	m->dev = makedev(maj, min);
	return true;
}

static bool is_number_of(const char *path, const struct devices *d)
{
	struct stat st;

	return path[0] == '/' && stat(path, &st) == 0 && S_ISBLK(st.st_mode) &&
	       has_device(d, st.st_rdev);
}

/* By number, and by source too: btrfs mounts under a number that belongs to no device. */
static void find_mounts(const struct devices *d, struct buf *why)
{
	struct buf all = BUF_INIT;
	char *save = NULL, *line;

	if (!sys_read_all(&all, "/proc/self/mountinfo") || !all.len)
		add_use(why, "it cannot be told what is mounted", "");
	for (line = all.text ? strtok_r(all.text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		struct mount m;

		if (parse_mount(line, &m) && (has_device(d, m.dev) || is_number_of(m.source, d)))
			add_use(why, "mounted at ", m.where);
	}
	buf_release(&all);
}

/* Whether path leads to the target or, for a device, to one of its partitions. */
static bool is_target(const char *path, const struct stat *target, const struct devices *d)
{
	struct stat st;

	if (S_ISBLK(target->st_mode))
		return is_number_of(path, d);
	return path[0] == '/' && stat(path, &st) == 0 && st.st_dev == target->st_dev &&
	       st.st_ino == target->st_ino;
}

static void find_swap(const struct devices *d, const struct stat *target, struct buf *why)
{
	struct buf all = BUF_INIT;
	char *save = NULL, *line;

	(void)sys_read_all(&all, "/proc/swaps");
	for (line = all.text ? strtok_r(all.text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		const char *path = next_field(&line);

		if (is_target(path, target, d))
			add_use(why, "swap is on ", path);
	}
	buf_release(&all);
}

static void add_holder(const char *path, void *arg)
{
	add_use(arg, "held by ", strrchr(path, '/') + 1);
}

/* What is built on a device (md, device-mapper, bcache) shows in its folder holders/. */
static void find_holders(const struct devices *d, struct buf *why)
{
	for (size_t i = 0; i < d->nr; i++) {
		char *dir = sys_block_dir(d->v[i]);
		char *holders = dir ? xasprintf("%s/holders", dir) : NULL;

		if (holders)
			for_each_entry(holders, add_holder, why);
		free(holders);
		free(dir);
	}
}

struct loop_search {
	const struct devices *d;
	const struct stat *target;
	struct buf *why;
};

/* The kernel tells what it holds open, also where no path leads to it any more. False too where
 * /dev lacks the node or it may not be opened; then only the path can tell. */
static bool loop_holds(const char *name, const struct loop_search *s)
{
	char *path = sys_path("/dev/%s", name);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct loop_info64 info;
	bool ok = fd >= 0 && ioctl(fd, LOOP_GET_STATUS64, &info) == 0;

	if (fd >= 0)
		(void)close(fd);
	free(path);
	if (ok && S_ISBLK(s->target->st_mode))
		return has_device(s->d, (dev_t)info.lo_rdevice);
	return ok && info.lo_device == s->target->st_dev && info.lo_inode == s->target->st_ino;
}

/* A loop device over our target is no holder in sysfs, and O_EXCL does not see it either. */
static void check_loop(const char *path, void *arg)
{
	struct loop_search *s = arg;
	const char *name = strrchr(path, '/') + 1;
	struct buf b = BUF_INIT;

	if (sys_read(&b, "%s/loop/backing_file", path) &&
	    (is_target(buf_text(&b), s->target, s->d) || loop_holds(name, s)))
		add_use(s->why, "backs the loop device ", name);
	buf_release(&b);
}

static void find_loops(const struct devices *d, const struct stat *target, struct buf *why)
{
	struct loop_search s = {d, target, why};
	char *dir = sys_path("/sys/block");

	for_each_entry(dir, check_loop, &s);
	free(dir);
}

void guard_find_use(const struct target_info *info, struct buf *why)
{
	struct devices d = {.nr = 0};
	struct stat st;

	if (stat(info->resolved, &st) < 0) {
		add_use(why, "it cannot be looked at: ", strerror(errno));
		return;
	}
	if (S_ISBLK(st.st_mode)) {
		list_devices(st.st_rdev, &d);
		find_mounts(&d, why);
		find_holders(&d, why);
	}
	find_swap(&d, &st, why);
	find_loops(&d, &st, why);
}

static void add_value(blkid_probe pr, const char *name, const char *suffix, struct buf *what)
{
	const char *value;

	if (!blkid_probe_lookup_value(pr, name, &value, NULL))
		buf_addf(what, "%s%s%s", what->len ? ", " : "", value, suffix);
}

int guard_find_signature(const struct target_info *info, struct buf *what, struct err *e)
{
	int fd = open(info->resolved, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	blkid_probe pr = fd < 0 ? NULL : blkid_new_probe();
	int rc = -1;

	if (pr && !blkid_probe_set_device(pr, fd, 0, 0)) {
		(void)blkid_probe_enable_superblocks(pr, 1);
		(void)blkid_probe_set_superblocks_flags(pr, BLKID_SUBLKS_TYPE);
		(void)blkid_probe_enable_partitions(pr, 1);
		rc = blkid_do_safeprobe(pr); /* 0 found, 1 nothing, -2 more than one thing */
	}
	if (rc == 0) {
		add_value(pr, "TYPE", " signature", what);
		add_value(pr, "PTTYPE", " partition table", what);
	} else if (rc == -2) {
		buf_addstr(what, "more than one signature");
	}
	blkid_free_probe(pr);
	if (fd >= 0)
		(void)close(fd);
	if (rc == 0 || rc == 1 || rc == -2)
		return 0;
	return err_set(e, ERR_TARGET, "cannot tell what is on '%s', so it is not written",
		       info->given);
}

int guard_check_idle(const struct target_info *info, bool overwrite_signature, struct err *e)
{
	struct buf b = BUF_INIT;
	int rc = 0;

	if (info->is_read_only)
		return err_set(e, ERR_TARGET, "'%s' is read-only and cannot be written",
			       info->given);
	guard_find_use(info, &b);
	if (b.len)
		rc = err_set(e, ERR_TARGET, "'%s' is in use and is not written: %s", info->given,
			     buf_text(&b));
	if (!rc && info->is_block) {
		rc = guard_find_signature(info, &b, e);
		if (!rc && b.len && !overwrite_signature)
			rc = err_set(e, ERR_TARGET,
				     "'%s' carries data (%s) and is not written; if that may be "
				     "destroyed, add --overwrite-signature",
				     info->given, buf_text(&b));
	}
	buf_release(&b);
	return rc;
}
