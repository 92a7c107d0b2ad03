/* SPDX-License-Identifier: MIT */
#ifndef TARGET_LIST_H
#define TARGET_LIST_H

#include "base/err.h"
#include "model/target.h"

#include <stddef.h>

/* A device that cannot be looked at has no identity, and the reason in this fact. */
#define TARGET_LIST_ERROR "target.error"

/* Every block device of this host that has a size, partitions behind their disks, by name: given, resolved,
 * is_block and size_bytes, which need no device to answer. The caller frees it with target_list_free. */
int target_list(struct target_info **out, size_t *nr, struct err *e);

/* How many of the nr from the first on are one disk and its partitions: at least 1. */
size_t target_list_disk(const struct target_info *list, size_t nr);

/* Look at one of the list: what target_inspect tells, or TARGET_LIST_ERROR. A device that hangs keeps its
 * caller. */
void target_list_look(struct target_info *t);
void target_list_free(struct target_info *list, size_t nr);

#endif
