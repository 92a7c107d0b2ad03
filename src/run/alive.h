/* SPDX-License-Identifier: MIT */
/*
 * Asks a target whether it answers, without waiting for one that does not: opening and reading (target_ask) are
 * a thread's, which is left behind with all that it uses when it does not come back.
 */
#ifndef RUN_ALIVE_H
#define RUN_ALIVE_H

#include "base/err.h"
#include "target/target.h"

#include <stdbool.h>
#include <stdint.h>

struct alive;

/* Begin to ask the target that info describes; info may go meanwhile. NULL where no thread can be started. */
struct alive *alive_ask(const struct target_info *info);

/* Wait until then (clock_now_ns), or for a signal, at most. Whether the answer is there; it stays. e is why
 * the target does not answer, and untouched where it does. */
bool alive_wait(struct alive *a, uint64_t until_ns, enum target_answer *answer, struct err *e);

/* Also while it is being asked. a may be NULL. */
void alive_release(struct alive *a);

#endif
