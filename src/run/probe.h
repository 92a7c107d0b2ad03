/* SPDX-License-Identifier: MIT */
/* Looks at a few blocks of a span before it is measured: whether it reads as zeros (D16). */
#ifndef RUN_PROBE_H
#define RUN_PROBE_H

#include "io/engine.h"
#include "model/point.h"

#include <signal.h>

struct probe {
	unsigned nr_read; /* blocks that came back whole */
	unsigned nr_zero; /* of these, without a byte other than 0 */
	bool is_stuck;	  /* an I/O is still out: engine and buffer may not be used again */
};

struct probe_config {
	struct engine *engine;
	int fd;		       /* opened with O_DIRECT */
	unsigned char *buffer; /* one block, aligned for direct I/O */
	uint64_t seed;
	uint64_t drain_timeout_ns;		 /* how long one read may take */
	const volatile sig_atomic_t *nr_signals; /* give up soon when not 0 */
};

/*
 * Read up to 64 blocks at random places of the point's span (of each the first 4 KiB at most),
 * one after the other, for half a second at most. Reads that fail are left out: the point itself
 * will meet what is wrong.
 */
void probe_read(const struct probe_config *c, const struct point_spec *spec, struct probe *out);

#endif
