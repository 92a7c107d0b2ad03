/* SPDX-License-Identifier: MIT */
/* What is mounted and what is swapped on, in every mount namespace that can be seen. */
#ifndef TARGET_MOUNTS_H
#define TARGET_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct mount {
	dev_t dev; /* of its files; btrfs and others make up one that belongs to no device */
	char *where, *source;
	long pid; /* a process of the namespace that has it; 0: our own */
};

struct mounts {
	struct mount *v; /* those of our own namespace first */
	size_t nr, cap;
	char **swap; /* paths of what is swapped on */
	size_t nr_swap, cap_swap;
	bool is_known; /* false: the list of our own namespace cannot be read */
};

/* Read all lists; of each other namespace that of one process. The caller calls mounts_release. */
void mounts_load(struct mounts *m);
void mounts_release(struct mounts *m);

#endif
