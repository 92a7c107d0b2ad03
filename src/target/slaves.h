/* SPDX-License-Identifier: MIT */
#ifndef TARGET_SLAVES_H
#define TARGET_SLAVES_H

#include <stdbool.h>
#include <stddef.h>

/* Volumes on arrays on mapped paths are three; whoever stacks more is not followed further. */
#define MAX_SLAVE_LAYERS 8

struct slaves {
	char **v; /* sysfs folders, with links resolved */
	size_t nr;
};

/*
 * The disks that a disk is built of (device-mapper, md, bcache), by name; none for others. Of a
 * partition that it is built of, the disk: limits and neighbours are the disk's. A disk with two
 * such partitions is there once, since it has one queue. The caller calls slaves_release.
 */
void slaves_list(const char *disk_dir, struct slaves *out);
void slaves_release(struct slaves *s);

/* Add a copy; false when it is there already. */
bool slaves_add(struct slaves *s, const char *disk_dir);

#endif
