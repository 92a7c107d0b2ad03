/* SPDX-License-Identifier: MIT */
/*
 * Linux native asynchronous I/O. One context a worker. Completions are taken from the ring
 * that the kernel shares with us, since a system call for each visit would cost a fifth of the
 * IOPS at depth 1; io_getevents is called only to wait.
 */
#include "io/engine.h"

#include <errno.h>
#include <libaio.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* The head of the shared ring, as fs/aio.c lays it out since Linux 2.6; the io_context_t is its
 * address. The kernel moves tail, its one reader moves head. */
struct aio_ring {
	unsigned id;
	unsigned nr;
	_Atomic unsigned head;
	_Atomic unsigned tail;
	unsigned magic;
	unsigned compat_features;
	unsigned incompat_features;
	unsigned header_length;
	struct io_event events[];
};

#define AIO_RING_MAGIC 0xa10a10a1U

struct aio_engine {
	struct engine base;
	io_context_t ctx;
	struct aio_ring *ring; /* NULL where its layout is not the one we know */
	struct iocb *iocbs;    /* one a slot */
	struct iocb *batch[ENGINE_MAX_REAP];
};

static struct aio_engine *to_aio(struct engine *en)
{
	return (struct aio_engine *)(void *)en;
}

static struct aio_ring *find_ring(io_context_t ctx)
{
	struct aio_ring *ring = (struct aio_ring *)(void *)ctx;

	if (ring->magic != AIO_RING_MAGIC || ring->incompat_features != 0 ||
	    ring->header_length != sizeof(*ring))
		return NULL;
	return ring;
}

static int aio_open(unsigned depth, struct engine **out)
{
	struct aio_engine *a = calloc(1, sizeof(*a));
	int rc;

	if (!a)
		return -ENOMEM;
	a->iocbs = calloc(depth, sizeof(*a->iocbs));
	rc = a->iocbs ? io_setup((int)depth, &a->ctx) : -ENOMEM;
	if (rc < 0) {
		free(a->iocbs);
		free(a);
		return rc;
	}
	a->ring = find_ring(a->ctx);
	*out = &a->base;
	return 0;
}

static void aio_close(struct engine *en)
{
	struct aio_engine *a = to_aio(en);

	(void)io_destroy(a->ctx); /* fails only for a context that is none */
	free(a->iocbs);
	free(a);
}

static void aio_prepare(struct engine *en, uint32_t slot, int fd, bool is_write, void *data,
			uint32_t len, uint64_t offset)
{
	struct iocb *cb = &to_aio(en)->iocbs[slot];

	if (is_write)
		io_prep_pwrite(cb, fd, data, len, (long long)offset);
	else
		io_prep_pread(cb, fd, data, len, (long long)offset);
	cb->data = (void *)(uintptr_t)slot;
}

static int aio_submit(struct engine *en, const uint32_t *slots, unsigned nr)
{
	struct aio_engine *a = to_aio(en);
	int rc;

	if (nr > ENGINE_MAX_REAP)
		nr = ENGINE_MAX_REAP;
	for (unsigned i = 0; i < nr; i++)
		a->batch[i] = &a->iocbs[slots[i]];
	/* A bad iocb that is not the first shows as a short count, and then as the first. */
	rc = io_submit(a->ctx, (long)nr, a->batch);
	return rc == -EAGAIN || rc == -EINTR ? 0 : rc;
}

static void take_event(const struct io_event *ev, struct engine_done *done)
{
	done->slot = (uint32_t)(uintptr_t)ev->data;
	/* res is unsigned in the header, but the kernel puts a signed number there. */
	done->res = (int64_t)ev->res;
}

static int reap_ring(struct aio_ring *ring, struct engine_done *done, unsigned max)
{
	unsigned head = atomic_load_explicit(&ring->head, memory_order_relaxed);
	unsigned tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
	unsigned n = 0;

	for (; head != tail && n < max; n++) {
		take_event(&ring->events[head], &done[n]);
		head = head + 1 == ring->nr ? 0 : head + 1;
	}
	/* Release: the kernel may overwrite the events only once we have read them. */
	if (n)
		atomic_store_explicit(&ring->head, head, memory_order_release);
	return (int)n;
}

static int reap_wait(struct aio_engine *a, struct engine_done *done, unsigned max, uint64_t wait_ns)
{
	struct timespec ts = {(time_t)(wait_ns / 1000000000U), (long)(wait_ns % 1000000000U)};
	struct io_event ev[ENGINE_MAX_REAP];
	int n = io_getevents(a->ctx, 1, (long)max, ev, &ts);

	if (n == -EINTR || n == -EAGAIN)
		return 0;
	for (int i = 0; i < n; i++)
		take_event(&ev[i], &done[i]);
	return n;
}

static int aio_reap(struct engine *en, struct engine_done *done, unsigned max, uint64_t wait_ns)
{
	struct aio_engine *a = to_aio(en);
	int n = 0;

	if (max > ENGINE_MAX_REAP)
		max = ENGINE_MAX_REAP;
	if (a->ring)
		n = reap_ring(a->ring, done, max);
	if (n || (!wait_ns && a->ring))
		return n;
	return reap_wait(a, done, max, wait_ns);
}

const struct engine_ops engine_aio_ops = {
	.name = "libaio",
	.open = aio_open,
	.close = aio_close,
	.prepare = aio_prepare,
	.submit = aio_submit,
	.reap = aio_reap,
};
