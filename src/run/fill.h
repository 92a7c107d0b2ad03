/* SPDX-License-Identifier: MIT */
/*
 * Filling a span: every block of it is written once, in order, with data that nothing below can make
 * smaller. What was written is known afterwards by a seed, so that whoever goes on with an
 * interrupted fill can see whether it is still there.
 *
 * The I/O is done by a thread; the caller's waits for it, hears signals, and calls back. So a
 * target that hangs keeps the thread and not the program.
 */
#ifndef RUN_FILL_H
#define RUN_FILL_H

#include "base/err.h"
#include "target/target.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Everything is written in blocks of this size; the last one may be shorter. */
#define FILL_BLOCK_BYTES ((uint64_t)1 << 20)

struct fill_config {
	const struct target_info *info;
	const struct target *target; /* open for writing */
	const char *engine;
	uint64_t offset_bytes, span_bytes; /* multiples of the logical block */
	uint64_t seed;
	uint32_t pass;	     /* 0, 1, ...: each has data of its own */
	bool is_overwritten; /* fill_check: other data came over it, so only zeros tell */
	uint64_t drain_timeout_ns;
	const volatile sig_atomic_t *nr_signals;
	/*
	 * Both from the caller's thread, bytes counted from the begin of the span. progress (or NULL),
	 * about ten times a second: how much is written. save, whenever more is certain: so much of
	 * the pass is on the medium and survives a crash; -1 and e ends the fill.
	 */
	void (*progress)(void *arg, uint64_t written_bytes);
	int (*save)(void *arg, uint64_t durable_bytes, struct err *e);
	void *arg;
};

/*
 * Write the pass from from_bytes (of an earlier save) to the end of the span. 0 when all of it is
 * durable and saved; -1 and e when an I/O failed (with its errno and offset), when a signal came
 * (ERR_INTR), or when save failed; all that is durable was saved then. *is_stuck: I/Os did not
 * come back within the drain timeout, a flush within ten times as long, or either within 1.5 s
 * after a signal; nothing new is written then, and the process ends when the kernel gives them back.
 */
int fill_pass(const struct fill_config *c, uint64_t from_bytes, bool *is_stuck, struct err *e);

/*
 * Whether the target still holds what passes before c->pass wrote to all of the span, and c->pass to
 * the first pass_bytes of it: by 64 samples, the first and last block among them. May be asked
 * before c->pass has begun. Returns as fill_pass.
 */
int fill_check(const struct fill_config *c, uint64_t pass_bytes, bool *is_there, bool *is_stuck,
	       struct err *e);

#endif
