/* SPDX-License-Identifier: MIT */
/*
 * What is on a device that nobody uses: file systems, partition tables, RAID, LVM, swap,
 * encryption, by libblkid, in their first place and where they keep a copy for the day on which
 * the first one is lost.
 */
#ifndef TARGET_SIGNATURE_H
#define TARGET_SIGNATURE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Append what is found through this descriptor of a device ("ext4 signature", "gpt partition table at
 * the end"); nothing when it is blank. pool, which may be NULL: the name of the ZFS pool that it is a
 * member of. False when it cannot be told, since it cannot be read.
 */
bool signature_find(int fd, uint64_t size_bytes, struct buf *what, struct buf *pool);

#endif
