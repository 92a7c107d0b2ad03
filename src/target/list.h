/* SPDX-License-Identifier: MIT */
#ifndef TARGET_LIST_H
#define TARGET_LIST_H

#include "base/err.h"
#include "model/target.h"

#include <stddef.h>

/* A device that cannot be looked at has no identity, and the reason in this fact. */
#define TARGET_LIST_ERROR "target.error"

/* Every block device of this host that has a size, partitions behind their disks, by name. The
 * caller frees it with target_list_free. */
int target_list(struct target_info **out, size_t *nr, struct err *e);
void target_list_free(struct target_info *list, size_t nr);

#endif
