/* SPDX-License-Identifier: MIT */
#ifndef TARGET_CGROUP_H
#define TARGET_CGROUP_H

#include <sys/types.h>

/*
 * The I/O limit that a cgroup (v1 blkio or v2 io, this one or any above it) sets for this
 * process on the device or the disk that it is a partition of: "read_iops_device 500 in
 * /batch", NULL without one. The caller frees it.
 */
char *cgroup_throttle(dev_t dev);

#endif
