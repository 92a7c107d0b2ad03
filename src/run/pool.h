/* SPDX-License-Identifier: MIT */
/*
 * Buffers of all workers, one region each, made once and kept over the points of a run: the
 * first touch of huge pages takes far longer than a short point. Each region begins on a 2 MiB
 * boundary and asks for huge pages; scattered 4 KiB pages cost up to two thirds of the IOPS of
 * large blocks, because a request of a device holds a limited number of segments.
 */
#ifndef RUN_POOL_H
#define RUN_POOL_H

#include "base/err.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

struct pool {
	unsigned char *mem;
	size_t size;
	size_t huge_bytes; /* how much of it really is in huge pages */
};

#define POOL_INIT \
	{ \
		NULL, 0, 0 \
	}

/* What workers with these many bytes of buffers each need in all. */
size_t pool_need(size_t bytes_per_worker, unsigned workers);

/*
 * Make room for need bytes (of pool_need), filled with random data from seed; keeps what is
 * there when it is enough. -1 with "needs 4.00 GiB of buffers ..." in e, and an empty pool,
 * when the memory is not to be had; with ERR_INTR as soon as *nr_signals is more than 0, since
 * gigabytes take seconds.
 */
int pool_reserve(struct pool *p, size_t need, uint64_t seed,
		 const volatile sig_atomic_t *nr_signals, struct err *e);

/* Worker i's region, for the bytes_per_worker given to pool_need. */
void *pool_region(const struct pool *p, size_t bytes_per_worker, unsigned worker);

void pool_release(struct pool *p);

#endif
