/* SPDX-License-Identifier: MIT */
#ifndef CMD_LIMITS_H
#define CMD_LIMITS_H

#include "model/target.h"
#include "plan/plan.h"
#include "target/target.h"

/* What plan_warn has to know of this machine and of the target, looked up now; for a target that
 * is only a size, that of the machine. Reads no data and flushes none. *unwritten is about all
 * that the plan reads, from its first byte to its last. */
struct plan_limits cmd_limits(const struct plan *p, const struct sweep *s,
			      const struct target_info *t, struct target_extents *unwritten);

#endif
