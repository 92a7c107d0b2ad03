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
#include <sys/syscall.h>
#include <unistd.h>

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
	struct iocb *batch[ENGINE_MAX_BATCH];
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

static void aio_bind(struct engine *en, unsigned index, struct engine_io *io, int fd, void *data,
		     uint32_t len)
{
	struct iocb *cb = &to_aio(en)->iocbs[index];

	io_prep_pread(cb, fd, data, len, 0);
	cb->data = io;
	io->prepared = cb;
}

/* libaio's own wrapper costs 30 instructions more, a tenth of a turn at depth 1. */
static long submit_batch(struct aio_engine *a, unsigned nr)
{
	long rc = syscall(SYS_io_submit, a->ctx, (long)nr, a->batch);

	return rc < 0 ? -errno : rc;
}

static int aio_submit(struct engine *en, struct engine_io *const *ios, unsigned nr)
{
	struct aio_engine *a = to_aio(en);
	unsigned i = 0;
	long rc;

	do {
		struct iocb *cb = ios[i]->prepared;

		cb->u.c.offset = (long long)ios[i]->offset_bytes;
		cb->aio_lio_opcode = ios[i]->is_write ? IO_CMD_PWRITE : IO_CMD_PREAD;
		a->batch[i] = cb;
	} while (++i < nr);
	/* A bad iocb that is not the first shows as a short count, and then as the first. */
	rc = submit_batch(a, nr);
	return rc == -EAGAIN || rc == -EINTR ? 0 : (int)rc;
}

static inline void take_event(const struct io_event *ev, struct engine_done *done)
{
	done->io = ev->data;
	/* res is unsigned in the header, but the kernel puts a signed number there. */
	done->res = (int64_t)ev->res;
}

static int reap_ring(struct aio_ring *ring, struct engine_done *done, unsigned max)
{
	unsigned head = atomic_load_explicit(&ring->head, memory_order_relaxed);
	unsigned tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
	const struct io_event *ev = ring->events + head, *end = ring->events + ring->nr;
	unsigned n = 0;

	if (head == tail)
		return 0;
	do {
		take_event(ev, &done[n++]);
		if (++ev == end)
			ev = ring->events;
	} while (ev != ring->events + tail && n < max);
	/* Release: the kernel may overwrite the events only once we have read them. */
	atomic_store_explicit(&ring->head, (unsigned)(ev - ring->events), memory_order_release);
	return (int)n;
}

/* Apart, so that a reap that finds something does not make room for an array on the stack. */
__attribute__((noinline)) static int reap_wait(struct aio_engine *a, struct engine_done *done,
					       unsigned max, uint64_t wait_ns)
{
	struct timespec ts = {(time_t)(wait_ns / 1000000000U), (long)(wait_ns % 1000000000U)};
	struct io_event ev[ENGINE_MAX_BATCH];
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

	if (a->ring) {
		int n = reap_ring(a->ring, done, max);

		if (n || !wait_ns)
			return n;
	}
	return reap_wait(a, done, max, wait_ns);
}

static unsigned aio_ready(const struct engine *en)
{
	const struct aio_ring *ring = ((const struct aio_engine *)(const void *)en)->ring;
	unsigned head, tail;

	if (!ring)
		return 0;
	head = atomic_load_explicit(&ring->head, memory_order_relaxed);
	tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
	return tail >= head ? tail - head : tail + ring->nr - head;
}

const struct engine_ops engine_aio_ops = {
	.name = "libaio",
	.open = aio_open,
	.close = aio_close,
	.bind = aio_bind,
	.submit = aio_submit,
	.reap = aio_reap,
	.ready = aio_ready,
};
