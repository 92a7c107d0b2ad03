/* SPDX-License-Identifier: MIT */
#ifndef TARGET_MAKE_FILE_H
#define TARGET_MAKE_FILE_H

#include "base/err.h"

#include <signal.h>
#include <stdint.h>

/*
 * Make a scratch file of size_bytes, filled with incompressible data from seed and flushed, so
 * that every block of it was written. Only where nothing is yet, never below /dev, never on a
 * file system in memory, and only when the space is there with some to spare. Nothing is left
 * behind on failure or when *nr_signals becomes more than 0.
 */
int target_make_file(const char *path, uint64_t size_bytes, uint64_t seed,
		     const volatile sig_atomic_t *nr_signals, struct err *e);

#endif
