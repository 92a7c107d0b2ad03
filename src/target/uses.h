/* SPDX-License-Identifier: MIT */
/*
 * What uses a target, looked for upward through every layer (D29): its partitions, what
 * device-mapper, md or bcache build on it, loop devices on it or on files that lie on it, and what
 * is mounted from or swapped to at the top of each.
 */
#ifndef TARGET_USES_H
#define TARGET_USES_H

#include "base/buf.h"

#include <sys/stat.h>

/*
 * Append what uses the device or file of this fstat(2), by the name of what is found at the top:
 * "mounted at /srv through md0 and vg-data"; nothing when nobody does. The first few are named, and
 * how many more there are.
 */
void uses_find(const struct stat *target, struct buf *why);

#endif
