/* SPDX-License-Identifier: MIT */
#ifndef TARGET_SPACE_H
#define TARGET_SPACE_H

#include "base/err.h"
#include "model/target.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether all of [first, end) of a file can be written: blocks that it does not have yet must be free,
 * with 64 MiB to spare for others. -1 with both figures in e. Devices always pass, since a
 * device does not tell.
 */
int space_check(const struct target_info *info, uint64_t first, uint64_t end, struct err *e);

#endif
