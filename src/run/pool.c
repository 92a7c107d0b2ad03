/* SPDX-License-Identifier: MIT */
#include "run/pool.h"

#include "base/buf.h"
#include "base/rng.h"
#include "base/units.h"
#include "target/target.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>

#define HUGE_SIZE ((size_t)2 << 20)

static size_t round_up(size_t n)
{
	return (n + HUGE_SIZE - 1) / HUGE_SIZE * HUGE_SIZE;
}

size_t pool_need(size_t bytes_per_worker, unsigned workers)
{
	return round_up(bytes_per_worker) * workers;
}

void *pool_region(const struct pool *p, size_t bytes_per_worker, unsigned worker)
{
	return p->mem + round_up(bytes_per_worker) * worker;
}

/* Sum of the AnonHugePages lines of the mappings inside [mem, mem + size). */
static size_t huge_bytes(const unsigned char *mem, size_t size)
{
	uintptr_t low = 0, high = 0, from, to, start = (uintptr_t)mem;
	FILE *f = fopen("/proc/self/smaps", "re");
	size_t total = 0, kib;
	char line[512];

	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f)) {
		/* Into other variables first: the A of AnonHugePages is a hex digit too. */
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) == 2) {
			low = from;
			high = to;
		} else if (low >= start && high <= start + size + HUGE_SIZE &&
			   sscanf(line, "AnonHugePages: %zu kB", &kib) == 1) {
			total += kib * 1024;
		}
	}
	(void)fclose(f);
	return total < size ? total : size;
}

static int refuse(size_t need, const char *why, struct err *e)
{
	struct buf b = BUF_INIT;

	buf_add_size_human(&b, need);
	(void)err_set(e, ERR_SYSTEM, "needs %s of buffers, %s", buf_text(&b), why);
	buf_release(&b);
	return -1;
}

/* A mapping that begins on a 2 MiB boundary: map more and give back both ends. */
static unsigned char *map_aligned(size_t need)
{
	unsigned char *raw, *mem;
	size_t head;

	raw = mmap(NULL, need + HUGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		   0);
	if (raw == MAP_FAILED)
		return NULL;
	head = round_up((uintptr_t)raw) - (uintptr_t)raw;
	mem = raw + head;
	if (head)
		(void)munmap(raw, head);
	(void)munmap(mem + need, HUGE_SIZE - head);
	return mem;
}

static int fill(struct pool *p, uint64_t seed, const volatile sig_atomic_t *nr_signals,
		struct err *e)
{
	struct rng rng;

	rng_seed(&rng, seed);
	for (size_t at = 0; at < p->size; at += HUGE_SIZE) {
		if (*nr_signals)
			return err_set(e, ERR_INTR, "ended by a signal");
		rng_fill(&rng, p->mem + at, HUGE_SIZE);
	}
	return 0;
}

int pool_reserve(struct pool *p, size_t need, uint64_t seed,
		 const volatile sig_atomic_t *nr_signals, struct err *e)
{
	if (need <= p->size)
		return 0;
	pool_release(p);
	/* The kernel grants more than it has and kills somebody later, so ask first. */
	if (need > target_memory_available())
		return refuse(need, "which this host does not have free", e);
	p->mem = map_aligned(need);
	if (!p->mem)
		return refuse(need, "not available", e);
	p->size = need;
	/* Advice only: without huge pages the point records that it had none. */
	(void)madvise(p->mem, need, MADV_HUGEPAGE);
	if (fill(p, seed, nr_signals, e)) {
		pool_release(p);
		return -1;
	}
	p->huge_bytes = huge_bytes(p->mem, need);
	return 0;
}

void pool_release(struct pool *p)
{
	if (p->mem)
		(void)munmap(p->mem, p->size);
	*p = (struct pool)POOL_INIT;
}
