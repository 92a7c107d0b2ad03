/* SPDX-License-Identifier: MIT */
/* What of this host limits a target: its own queue and cgroup, and those of the devices below. */
#ifndef TARGET_LIMITS_H
#define TARGET_LIMITS_H

#include "model/target.h"

#include <sys/types.h>

/*
 * Fill in the limits of t (nr_requests to throttle) from the device that serves it, by its number
 * and its sysfs folder, which is NULL where it has none; and the fact limits.from, the devices
 * and their queues, where it is built of others.
 */
void limits_find(struct target_info *t, const char *block_dir, dev_t dev);

#endif
