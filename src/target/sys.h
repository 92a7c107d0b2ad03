/* SPDX-License-Identifier: MIT */
/* /sys and /proc behind a root prefix, so that tests can show recorded trees of layers that the
 * machine at hand does not have (D5). */
#ifndef TARGET_SYS_H
#define TARGET_SYS_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* "" unless a test sets another; kept by reference. */
void sys_set_root(const char *root);

/* The path with the prefix in front; the caller frees it. */
char *sys_path(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The first line of a file, without white space at its end; false and b empty when there is
 * none. */
bool sys_read(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A whole file; false when there is none. */
bool sys_read_all(struct buf *b, const char *path);

/* A number, 0 where there is none. */
uint64_t sys_read_u64(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Call fn with the path of each entry of the folder (with the prefix) that is not hidden. False when the folder is not
 * there or cannot be read to its end. */
bool sys_for_each(const char *dir, void (*fn)(const char *path, void *arg), void *arg);

/* The number in the file dev of a sysfs folder; false where there is none. */
bool sys_read_number(const char *dir, dev_t *dev);

/* The sysfs folder of a block device, with links resolved (and the prefix); NULL when it has
 * none. The caller frees it. */
char *sys_block_dir(dev_t dev);

/* The folder that holds queue/: that of the whole disk for a partition. The caller frees it. */
char *sys_disk_dir(const char *block_dir);

#endif
