/* SPDX-License-Identifier: MIT */
#include "target/signature.h"

#include "base/mem.h"
#include "base/units.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

/* Signatures of one device go on without end only where libblkid does not move on. */
#define MAX_FOUND 64
/* Names of types in a list that ends with NULL. */
#define MAX_TYPES 4

struct look {
	int fd;
	uint64_t size_bytes;
	struct buf *what, *pool;
	/* Kinds that are told already: the copies of one say nothing new. */
	char **told;
	size_t nr_told, cap_told;
};

static void tell(struct look *l, const char *kind, const char *noun, const char *where)
{
	for (size_t i = 0; i < l->nr_told; i++)
		if (!strcmp(l->told[i], kind))
			return;
	VEC_GROW(l->told, l->nr_told, l->cap_told);
	l->told[l->nr_told++] = xstrdup(kind);
	buf_addf(l->what, "%s%s %s%s", l->what->len ? ", " : "", kind, noun, where);
}

static const char *value_of(blkid_probe pr, const char *name)
{
	const char *value;

	return blkid_probe_lookup_value(pr, name, &value, NULL) ? NULL : value;
}

/* Most are at the beginning, where it goes without saying. */
static const char *place_of(const struct look *l, blkid_probe pr, const char *name)
{
	const char *offset = value_of(pr, name);

	return offset && strtoull(offset, NULL, 10) > l->size_bytes / 2 && l->size_bytes > MIB
		       ? " at the end"
		       : "";
}

static void take(struct look *l, blkid_probe pr)
{
	const char *type = value_of(pr, "TYPE"), *table = value_of(pr, "PTTYPE");
	const char *label = value_of(pr, "LABEL");

	if (type && l->pool && !l->pool->len && !strcmp(type, "zfs_member") && label)
		buf_addstr(l->pool, label);
	if (type)
		tell(l, type, "signature", place_of(l, pr, "SBMAGIC_OFFSET"));
	if (table)
		tell(l, table, "partition table", place_of(l, pr, "PTMAGIC_OFFSET"));
}

/* All that libblkid finds. It looks for copies of RAID, ZFS and LUKS itself, and for that of a GPT
 * also where the mark in the first sector is gone. */
static bool look_everywhere(struct look *l)
{
	blkid_probe pr = blkid_new_probe();
	int rc = -1;

	if (pr && !blkid_probe_set_device(pr, l->fd, 0, 0)) {
		(void)blkid_probe_enable_superblocks(pr, 1);
		(void)blkid_probe_set_superblocks_flags(pr, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_MAGIC |
								    BLKID_SUBLKS_LABEL);
		(void)blkid_probe_enable_partitions(pr, 1);
		(void)blkid_probe_set_partitions_flags(pr,
						       BLKID_PARTS_MAGIC | BLKID_PARTS_FORCE_GPT);
		for (int i = 0; i < MAX_FOUND; i++) {
			rc = blkid_do_probe(pr); /* 0 found, 1 nothing more */
			if (rc)
				break;
			take(l, pr);
		}
	}
	blkid_free_probe(pr);
	return rc >= 0;
}

/*
 * Copies that libblkid does not look for. It is shown the device from such a place on that the copy
 * lies where it expects the first one.
 */
static const struct {
	const char *types[MAX_TYPES]; /* as libblkid names them */
	uint64_t copy_bytes;	      /* where the copy is */
	uint64_t first_bytes; /* where the first one is, from the begin of the file system */
} copies[] = {
	/* Groups 1, 3, 5 and 7 of 8 blocks' worth of bits each; blocks of 1 KiB begin at 1. */
	{{"ext4", "ext3", "ext2"}, 8 * MIB + KIB, KIB},
	{{"ext4", "ext3", "ext2"}, 24 * MIB + KIB, KIB},
	{{"ext4", "ext3", "ext2"}, 40 * MIB + KIB, KIB},
	{{"ext4", "ext3", "ext2"}, 56 * MIB + KIB, KIB},
	{{"ext4", "ext3", "ext2"}, 32 * MIB, KIB},
	{{"ext4", "ext3", "ext2"}, 96 * MIB, KIB},
	{{"ext4", "ext3", "ext2"}, 160 * MIB, KIB},
	{{"ext4", "ext3", "ext2"}, 224 * MIB, KIB},
	{{"ext4", "ext3", "ext2"}, 128 * MIB, KIB},
	{{"ext4", "ext3", "ext2"}, 384 * MIB, KIB},
	{{"ext4", "ext3", "ext2"}, 640 * MIB, KIB},
	{{"ext4", "ext3", "ext2"}, 896 * MIB, KIB},
	{{"btrfs"}, 64 * MIB, 64 * KIB},
	{{"btrfs"}, 256 * GIB, 64 * KIB},
	{{"f2fs"}, 5 * KIB, KIB},
};

/* True when libblkid finds one of these types in the device from begin on. */
static bool look_from(struct look *l, const char *const *types, uint64_t begin, uint64_t copy)
{
	blkid_probe pr = blkid_new_probe();
	char *names[MAX_TYPES];
	bool found = false;

	if (pr && !blkid_probe_set_device(pr, l->fd, (blkid_loff_t)begin,
					  (blkid_loff_t)(l->size_bytes - begin))) {
		/* It only reads the names, but does not say so. */
		memcpy(names, types, sizeof(names));
		(void)blkid_probe_filter_superblocks_type(pr, BLKID_FLTR_ONLYIN, names);
		(void)blkid_probe_set_superblocks_flags(pr, BLKID_SUBLKS_TYPE);
		found = blkid_do_probe(pr) == 0 && value_of(pr, "TYPE");
	}
	if (found) {
		struct buf where = BUF_INIT;

		buf_addstr(&where, " in a copy at ");
		buf_add_size(&where, copy);
		tell(l, value_of(pr, "TYPE"), "signature", buf_text(&where));
		buf_release(&where);
	}
	blkid_free_probe(pr);
	return found;
}

static void look_at_copies(struct look *l)
{
	for (size_t i = 0; i < NR(copies); i++) {
		uint64_t begin = copies[i].copy_bytes - copies[i].first_bytes;

		if (copies[i].copy_bytes + 4 * KIB <= l->size_bytes)
			(void)look_from(l, copies[i].types, begin, copies[i].copy_bytes);
	}
}

/* The copies of XFS are at the begin of each allocation group: a device is divided into 1 to 32 of
 * them, in whole blocks, or they have 1 TiB each. */
static void look_at_xfs(struct look *l)
{
	static const char *const xfs[MAX_TYPES] = {"xfs"};
	uint64_t blocks = l->size_bytes / 4096;

	for (uint64_t groups = 2; groups <= 32; groups *= 2) {
		uint64_t down = blocks / groups * 4096, up = (blocks + groups - 1) / groups * 4096;

		if (up + 4096 > l->size_bytes || down < 4096)
			return;
		if (look_from(l, xfs, down, down) || (up != down && look_from(l, xfs, up, up)))
			return;
	}
	if (l->size_bytes > 1024 * GIB)
		(void)look_from(l, xfs, 1024 * GIB, 1024 * GIB);
}

/* What libblkid does not know by itself: the metadata that an LVM label leads to. */
static const struct {
	const char *kind;
	uint64_t at_bytes;
	const char *magic;
	size_t len;
} magics[] = {
	{"LVM2_member", 4096 + 4, " LVM2 x[5A%r0N*>", 16},
};

static bool look_at_magics(struct look *l)
{
	for (size_t i = 0; i < NR(magics); i++) {
		struct buf where = BUF_INIT;
		char data[32] = "";
		ssize_t n;

		if (magics[i].at_bytes + sizeof(data) > l->size_bytes)
			continue;
		n = pread(l->fd, data, sizeof(data), (off_t)magics[i].at_bytes);
		if (n != (ssize_t)sizeof(data))
			return false;
		if (memcmp(data, magics[i].magic, magics[i].len) != 0)
			continue;
		buf_addf(&where, " in its metadata at %u", (unsigned)magics[i].at_bytes);
		tell(l, magics[i].kind, "signature", buf_text(&where));
		buf_release(&where);
	}
	return true;
}

bool signature_find(int fd, uint64_t size_bytes, struct buf *what, struct buf *pool)
{
	struct look l = {.fd = fd, .size_bytes = size_bytes, .what = what, .pool = pool};
	bool ok = look_everywhere(&l) && look_at_magics(&l);

	if (ok) {
		look_at_copies(&l);
		look_at_xfs(&l);
	}
	for (size_t i = 0; i < l.nr_told; i++)
		free(l.told[i]);
	free(l.told);
	return ok;
}
