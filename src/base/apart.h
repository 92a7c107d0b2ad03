/* SPDX-License-Identifier: MIT */
/*
 * Text that a process of its own writes, for what may hang in the kernel, as looking at a device that does not
 * answer does: a thread that hangs there would keep the whole program from ending.
 */
#ifndef BASE_APART_H
#define BASE_APART_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct apart {
	pid_t pid;
	int fd;
	struct buf text;
};

/*
 * Start write in a process of its own, which ends behind it, and with this one. For programs without other
 * threads only. The caller calls apart_end.
 */
int apart_start(struct apart *a, void (*write)(struct buf *b, void *arg), void *arg, struct err *e);

/* Wait until then (clock_now_ns) at most; true when all is written, which is in a->text then. */
bool apart_wait(struct apart *a, uint64_t until_ns);

/* Also while it hangs: it is killed, and goes as soon as the kernel lets it. */
void apart_end(struct apart *a);

#endif
