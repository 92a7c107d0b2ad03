/* SPDX-License-Identifier: MIT */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include "base/buf.h"

#include <stdint.h>

#define NS_PER_US 1000ULL
#define NS_PER_MS 1000000ULL
#define NS_PER_S  1000000000ULL

/* Monotonic time in ns. Everything that is measured comes from this clock, so that a step of
 * the wall clock changes no figure. In the vdso: about 25 ns, no system call. */
uint64_t clock_now_ns(void);

/* Wall clock in ns since 1970, for stamps that people read; never for a duration. */
int64_t clock_wall_ns(void);

/* Sleep for dur_ns; a signal ends it early. */
void clock_sleep_ns(uint64_t dur_ns);

/* Wall-clock stamp as 2026-11-30T11:45:00Z. */
void buf_add_utc(struct buf *b, int64_t wall_ns);

#endif
