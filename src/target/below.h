/* SPDX-License-Identifier: MIT */
/* What lies below a target: loop devices are followed to their files, and these to their disk;
 * partitions, and what device-mapper or md builds of one device, to the disk they are a part of. */
#ifndef TARGET_BELOW_H
#define TARGET_BELOW_H

#include "model/target.h"

/*
 * Fill in what t knows of the layers below (bottom_stat, is_part_of_bottom, is_bottomless,
 * is_buffered, is_memory_below, extent_file and extent_offset), from the sysfs folder of the
 * device that serves it; block_dir is NULL where that has none, as below a network file system.
 */
void below_device(struct target_info *t, const char *block_dir);

/* The stat file of the device of this sysfs folder, NULL where it keeps no count of its I/O. The
 * caller frees it. */
char *below_stat_file(const char *block_dir);

#endif
