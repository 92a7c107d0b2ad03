/* SPDX-License-Identifier: MIT */
#include "target/uses.h"

#include "base/mem.h"
#include "target/mounts.h"
#include "target/sys.h"

#include <fcntl.h>
#include <linux/loop.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* More layers than any kernel stacks; a ring of links ends here too. */
#define MAX_LAYERS 32
/* So many uses are named. */
#define MAX_NAMED 6

/* A device, or a file by its file system and inode. */
struct thing {
	bool is_file;
	dev_t dev;
	ino_t ino;
};

struct search {
	struct mounts mounts;
	struct buf *why;
	size_t nr_uses;
	/* Devices that were looked at; one above two partitions of a disk is met twice. */
	dev_t *seen;
	size_t nr_seen, cap_seen;
	/* Names of the layers between the target and what is looked at; partitions have none. */
	char *layer[MAX_LAYERS];
	unsigned nr_layers;
};

static void look_at(struct search *s, const struct thing *t);

/* "what name", and through which layers. */
static void add_use(struct search *s, const char *what, const char *name)
{
	if (++s->nr_uses > MAX_NAMED)
		return;
	buf_addf(s->why, "%s%s%s", s->why->len ? ", " : "", what, name);
	for (unsigned i = 0; i < s->nr_layers; i++)
		buf_addf(s->why, "%s%s",
			 i == 0			? " through "
			 : i + 1 < s->nr_layers ? ", "
						: " and ",
			 s->layer[i]);
}

static bool is_thing(const struct stat *st, const struct thing *t)
{
	if (t->is_file)
		return st->st_dev == t->dev && st->st_ino == t->ino;
	return S_ISBLK(st->st_mode) && st->st_rdev == t->dev;
}

static bool leads_to(const char *path, const struct thing *t)
{
	struct stat st;

	return path[0] == '/' && stat(path, &st) == 0 && is_thing(&st, t);
}

/* ---- what is at the top ---- */

static void add_mount(struct search *s, const struct mount *m, const char *note)
{
	char *where = m->pid ? xasprintf("%s%s (in the mount namespace of process %ld)", m->where,
					 note, m->pid)
			     : xasprintf("%s%s", m->where, note);

	add_use(s, "mounted at ", where);
	free(where);
}

/* By number, and by source too: btrfs mounts under a number that belongs to no device. */
static bool is_mount_of(const struct mount *m, const struct thing *t)
{
	return (!t->is_file && m->dev == t->dev) || leads_to(m->source, t);
}

/* All places of our own namespace; of the others, which may be hundreds of containers, the first. */
static bool find_mounts(struct search *s, const struct thing *t)
{
	bool found = false;

	for (size_t i = 0; i < s->mounts.nr; i++) {
		const struct mount *m = &s->mounts.v[i];

		if ((m->pid && found) || !is_mount_of(m, t))
			continue;
		add_mount(s, m, "");
		found = true;
	}
	return found;
}

static void find_swap(struct search *s, const struct thing *t)
{
	for (size_t i = 0; i < s->mounts.nr_swap; i++)
		if (leads_to(s->mounts.swap[i], t))
			add_use(s, "swap is on ", s->mounts.swap[i]);
}

/* ---- btrfs of several devices: only one of them is told in the list of mounts ---- */

struct btrfs {
	struct search *s;
	dev_t dev;
	dev_t member[64];
	size_t nr;
	bool has_it;
};

static void add_member(const char *path, void *arg)
{
	struct btrfs *b = arg;
	dev_t dev;

	if (!sys_read_number(path, &dev) || b->nr == NR(b->member))
		return;
	b->member[b->nr++] = dev;
	b->has_it |= dev == b->dev;
}

static bool find_member_mounts(struct btrfs *b)
{
	bool found = false;

	for (size_t i = 0; i < b->s->mounts.nr; i++) {
		const struct mount *m = &b->s->mounts.v[i];

		for (size_t k = 0; k < b->nr; k++) {
			struct thing t = {.dev = b->member[k]};

			if ((m->pid && found) || !is_mount_of(m, &t))
				continue;
			add_mount(b->s, m, " (btrfs of several devices)");
			found = true;
			break;
		}
	}
	return found;
}

static void look_at_btrfs(const char *path, void *arg)
{
	struct btrfs *b = arg;
	char *devices = xasprintf("%s/devices", path);

	b->nr = 0;
	b->has_it = false;
	(void)sys_for_each(devices, add_member, b);
	if (b->has_it && !find_member_mounts(b))
		add_use(b->s, "a member of the mounted btrfs file system ", strrchr(path, '/') + 1);
	free(devices);
}

static void find_btrfs(struct search *s, dev_t dev)
{
	struct btrfs b = {.s = s, .dev = dev};
	char *dir = sys_path("/sys/fs/btrfs");

	(void)sys_for_each(dir, look_at_btrfs, &b);
	free(dir);
}

/* ---- one layer up ---- */

/* Look at what is above; where nothing is mounted from it, it is itself the use: "what name". */
static void go_up(struct search *s, const char *layer, const struct thing *above, const char *what,
		  const char *name)
{
	size_t before = s->nr_uses;

	if (above && s->nr_layers < MAX_LAYERS) {
		s->layer[s->nr_layers++] = xstrdup(layer);
		look_at(s, above);
		free(s->layer[--s->nr_layers]);
	}
	if (s->nr_uses == before && what)
		add_use(s, what, name);
}

static bool was_seen(struct search *s, dev_t dev)
{
	for (size_t i = 0; i < s->nr_seen; i++)
		if (s->seen[i] == dev)
			return true;
	return false;
}

static void look_at_partition(const char *path, void *arg)
{
	struct search *s = arg;
	struct buf b = BUF_INIT;
	struct thing t = {0};

	if (sys_read(&b, "%s/partition", path) && sys_read_number(path, &t.dev))
		look_at(s, &t);
	buf_release(&b);
}

/* What the beginning of a device-mapper uuid says of who made it. */
static const char *dm_kind(const char *uuid)
{
	static const struct {
		const char *prefix, *kind;
	} kinds[] = {
		{"LVM-", "LVM volume"},		{"CRYPT-", "encrypted device"},
		{"mpath-", "multipath device"}, {"DMRAID-", "RAID of the firmware"},
		{"part", "partition"},
	};

	for (size_t i = 0; i < NR(kinds); i++)
		if (!strncmp(uuid, kinds[i].prefix, strlen(kinds[i].prefix)))
			return kinds[i].kind;
	return "device-mapper";
}

/* What is built on a device (md, device-mapper, bcache) shows in its folder holders/. */
static void look_at_holder(const char *path, void *arg)
{
	struct search *s = arg;
	const char *name = strrchr(path, '/') + 1;
	char *dir = sys_path("/sys/block/%s", name), *told;
	struct buf dm = BUF_INIT, uuid = BUF_INIT;
	struct thing t = {0};
	bool has_number = sys_read_number(dir, &t.dev);

	(void)sys_read(&uuid, "%s/dm/uuid", dir);
	if (sys_read(&dm, "%s/dm/name", dir) && dm.len)
		told = xasprintf("%s (%s %s)", name, dm_kind(buf_text(&uuid)), buf_text(&dm));
	else
		told = xstrdup(name);
	if (!has_number || !was_seen(s, t.dev))
		go_up(s, dm.len ? buf_text(&dm) : name, has_number ? &t : NULL, "held by ", told);
	free(told);
	free(dir);
	buf_release(&dm);
	buf_release(&uuid);
}

struct loop_search {
	struct search *s;
	const struct thing *t;
	bool is_mounted;
};

/* Whether a file system on the device has this number for its files. */
static bool is_fs_of(const struct loop_search *l, dev_t dev)
{
	if (l->t->is_file)
		return false;
	if (dev == l->t->dev)
		return true;
	for (size_t i = 0; l->is_mounted && i < l->s->mounts.nr; i++)
		if (l->s->mounts.v[i].dev == dev && is_mount_of(&l->s->mounts.v[i], l->t))
			return true;
	return false;
}

/* How a loop device rests on what is looked at. */
enum rests { RESTS_NOT, RESTS_ON_IT, RESTS_ON_FILE_IN_IT };

static enum rests rests_on(const struct loop_search *l, const struct stat *file)
{
	if (is_thing(file, l->t))
		return RESTS_ON_IT;
	return S_ISREG(file->st_mode) && is_fs_of(l, file->st_dev) ? RESTS_ON_FILE_IN_IT
								   : RESTS_NOT;
}

/* The kernel tells what it holds open, also where no path leads to it any more. Nothing where /dev
 * lacks the node or it may not be opened; then only the path can tell. */
static enum rests ask_loop(const struct loop_search *l, const char *name)
{
	char *path = sys_path("/dev/%s", name);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct loop_info64 info;
	struct stat file = {0};
	bool ok = fd >= 0 && ioctl(fd, LOOP_GET_STATUS64, &info) == 0;

	if (fd >= 0)
		(void)close(fd);
	free(path);
	if (!ok)
		return RESTS_NOT;
	file.st_mode = info.lo_rdevice ? S_IFBLK : S_IFREG;
	file.st_rdev = (dev_t)info.lo_rdevice;
	file.st_dev = (dev_t)info.lo_device;
	file.st_ino = (ino_t)info.lo_inode;
	return rests_on(l, &file);
}

/* A loop device over our target is no holder in sysfs, and O_EXCL does not see it either. */
static void look_at_loop(const char *path, void *arg)
{
	struct loop_search *l = arg;
	const char *name = strrchr(path, '/') + 1;
	enum rests rests = RESTS_NOT;
	struct buf b = BUF_INIT;
	struct thing t = {0};
	struct stat st;

	if (sys_read(&b, "%s/loop/backing_file", path)) {
		if (b.len && b.text[0] == '/' && stat(b.text, &st) == 0)
			rests = rests_on(l, &st);
		if (rests == RESTS_NOT)
			rests = ask_loop(l, name);
	}
	buf_release(&b);
	/* Of a device that is mounted only what is mounted again above it says more. */
	if (rests != RESTS_NOT)
		go_up(l->s, name, sys_read_number(path, &t.dev) ? &t : NULL,
		      rests == RESTS_ON_IT || !l->is_mounted ? "backs the loop device " : NULL,
		      name);
}

static void find_loops(struct search *s, const struct thing *t, bool is_mounted)
{
	struct loop_search l = {s, t, is_mounted};
	char *dir = sys_path("/sys/block");

	/* Neither O_EXCL nor anything else tells of loop devices. */
	if (!sys_for_each(dir, look_at_loop, &l) && !s->nr_uses)
		add_use(s, "it cannot be told which loop devices there are", "");
	free(dir);
}

/* A device that bcache knows and has built nothing on yet. */
static void find_bcache(struct search *s, const char *dir)
{
	char *path = xasprintf("%s/bcache", dir);

	if (access(path, F_OK) == 0)
		add_use(s, "registered with bcache", "");
	free(path);
}

static void look_above_device(struct search *s, dev_t dev)
{
	char *dir = sys_block_dir(dev), *holders;
	size_t before = s->nr_uses;

	if (!dir)
		return;
	holders = xasprintf("%s/holders", dir);
	(void)sys_for_each(holders, look_at_holder, s);
	if (s->nr_uses == before)
		find_bcache(s, dir);
	(void)sys_for_each(dir, look_at_partition, s);
	free(holders);
	free(dir);
}

static void look_at(struct search *s, const struct thing *t)
{
	bool is_mounted;

	if (!t->is_file) {
		if (was_seen(s, t->dev))
			return;
		VEC_GROW(s->seen, s->nr_seen, s->cap_seen);
		s->seen[s->nr_seen++] = t->dev;
	}
	is_mounted = find_mounts(s, t);
	if (!is_mounted && !t->is_file)
		find_btrfs(s, t->dev);
	find_swap(s, t);
	if (!t->is_file)
		look_above_device(s, t->dev);
	find_loops(s, t, is_mounted);
}

/* Whoever writes a partition writes the disk that it is a part of: what uses that as a whole has
 * it, the other partitions have not. */
static void look_at_disk_of(struct search *s, dev_t partition)
{
	char *dir = sys_block_dir(partition), *disk = dir ? sys_disk_dir(dir) : NULL, *holders;
	struct thing t = {0};

	if (disk && strcmp(disk, dir) != 0 && sys_read_number(disk, &t.dev) &&
	    !was_seen(s, t.dev)) {
		holders = xasprintf("%s/holders", disk);
		find_swap(s, &t);
		(void)sys_for_each(holders, look_at_holder, s);
		find_loops(s, &t, find_mounts(s, &t));
		free(holders);
	}
	free(disk);
	free(dir);
}

/* ---- other paths to the same LUN, each of which is a device of its own ---- */

struct other_paths {
	struct search *s;
	const struct buf *wwid;
	const char *disk; /* the folder of the target's disk */
};

static bool read_wwid(struct buf *b, const char *dir)
{
	return (sys_read(b, "%s/wwid", dir) || sys_read(b, "%s/device/wwid", dir)) && b->len;
}

static void look_at_path(const char *path, void *arg)
{
	const struct other_paths *o = arg;
	char *real = realpath(path, NULL);
	struct buf wwid = BUF_INIT;
	struct thing t = {0};

	if (real && strcmp(real, o->disk) != 0 && read_wwid(&wwid, real) &&
	    !strcmp(buf_text(&wwid), buf_text(o->wwid)) && sys_read_number(real, &t.dev)) {
		char *layer = xasprintf("another path to it, %s", strrchr(real, '/') + 1);

		go_up(o->s, layer, &t, NULL, NULL);
		free(layer);
	}
	buf_release(&wwid);
	free(real);
}

/* Without multipath each path is a disk: what is mounted by one is not seen by looking at another. Of a partition
 * all of the other disk counts, as its numbers need not be the same. */
static void look_at_other_paths(struct search *s, dev_t dev)
{
	char *dir = sys_block_dir(dev), *disk = dir ? sys_disk_dir(dir) : NULL;
	struct buf wwid = BUF_INIT;

	if (disk && read_wwid(&wwid, disk)) {
		struct other_paths o = {s, &wwid, disk};
		char *all = sys_path("/sys/block");

		(void)sys_for_each(all, look_at_path, &o);
		free(all);
	}
	buf_release(&wwid);
	free(disk);
	free(dir);
}

void uses_find(const struct stat *target, struct buf *why)
{
	struct thing t = {.is_file = !S_ISBLK(target->st_mode)};
	struct search s = {.why = why};

	t.dev = t.is_file ? target->st_dev : target->st_rdev;
	t.ino = target->st_ino;
	mounts_load(&s.mounts);
	if (!s.mounts.is_known && !t.is_file)
		add_use(&s, "it cannot be told what is mounted", "");
	look_at(&s, &t);
	if (!t.is_file) {
		look_at_disk_of(&s, t.dev);
		look_at_other_paths(&s, t.dev);
	}
	if (s.nr_uses > MAX_NAMED)
		buf_addf(why, " and %zu more", s.nr_uses - MAX_NAMED);
	free(s.seen);
	mounts_release(&s.mounts);
}
