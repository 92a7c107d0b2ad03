/* SPDX-License-Identifier: MIT */
#ifndef TARGET_LOCK_H
#define TARGET_LOCK_H

#include "base/err.h"
#include "model/target.h"

/*
 * One instance a target (D28): two that measure the same device would measure each other. The
 * lock is an flock on a file of its own for each device or file, so that it ends with the process
 * however that ends.
 *
 * Returns the descriptor that holds it (close it to give the lock up), or -1 with the number of
 * the process that has it in e. A lock that is no file of its own (a link to another, or a second
 * name of it) is refused and left as it is.
 */
int target_lock(const struct target_info *info, struct err *e);

enum lock_state {
	LOCK_UNKNOWN, /* the target is not there, or its lock may not be looked at */
	LOCK_FREE,
	LOCK_HELD,
};

/* Whether anybody measures the target of this path and identity, and then the number of the process (0
 * where it did not leave one). Whoever wants the lock at the same moment gets it all the same. */
enum lock_state target_lock_look(const char *resolved, const char *identity, long *pid);

#endif
