/* SPDX-License-Identifier: MIT */
/*
 * io_uring, one ring a worker, in its plainest form: no fixed buffers or files, no polling thread.
 * On file systems and devices that cannot do without waiting (tmpfs, zram) the kernel hands each
 * I/O to a worker thread of its own, which costs many times the CPU of libaio.
 */
#include "io/engine.h"

#include <errno.h>
#include <liburing.h>
#include <stdlib.h>

/* What is bound to an engine_io. */
struct uring_io {
	int fd;
	uint32_t len;
	void *data;
};

struct uring_engine {
	struct engine base;
	struct io_uring ring;
	struct uring_io *ios;
};

static struct uring_engine *to_uring(struct engine *en)
{
	return (struct uring_engine *)(void *)en;
}

static int open_ring(struct uring_engine *u, unsigned depth)
{
	int rc = io_uring_queue_init(depth, &u->ring, 0);

	if (rc)
		return rc;
	/* Since Linux 5.11: before, a wait with a time limit takes an entry of the ring itself. */
	if (u->ring.features & IORING_FEAT_EXT_ARG)
		return 0;
	io_uring_queue_exit(&u->ring);
	return -ENOSYS;
}

static int uring_open(unsigned depth, struct engine **out)
{
	struct uring_engine *u = calloc(1, sizeof(*u));
	int rc;

	if (!u)
		return -ENOMEM;
	u->ios = calloc(depth, sizeof(*u->ios));
	rc = u->ios ? open_ring(u, depth) : -ENOMEM;
	if (rc) {
		free(u->ios);
		free(u);
		return rc;
	}
	*out = &u->base;
	return 0;
}

static void uring_close(struct engine *en)
{
	struct uring_engine *u = to_uring(en);

	io_uring_queue_exit(&u->ring);
	free(u->ios);
	free(u);
}

static void uring_bind(struct engine *en, unsigned index, struct engine_io *io, int fd, void *data,
		       uint32_t len)
{
	struct uring_io *bound = &to_uring(en)->ios[index];

	*bound = (struct uring_io){fd, len, data};
	io->prepared = bound;
}

/* The entry for one more; there are as many as I/Os, and all of the last submit are gone. */
static void add_entry(struct io_uring *ring, struct engine_io *io)
{
	const struct uring_io *bound = io->prepared;
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);

	if (io->is_write)
		io_uring_prep_write(sqe, bound->fd, bound->data, bound->len, io->offset_bytes);
	else
		io_uring_prep_read(sqe, bound->fd, bound->data, bound->len, io->offset_bytes);
	io_uring_sqe_set_data(sqe, io);
}

/* Entries that the kernel did not take must not go with the next submit: who gave them gives them
 * again. Nobody else looks at the tail between two submits, as there is no polling thread. */
static void take_back(struct io_uring *ring)
{
	unsigned left = io_uring_sq_ready(ring);

	ring->sq.sqe_tail -= left;
	ring->sq.sqe_head = ring->sq.sqe_tail;
	*ring->sq.ktail = ring->sq.sqe_tail;
}

static int uring_submit(struct engine *en, struct engine_io *const *ios, unsigned nr)
{
	struct io_uring *ring = &to_uring(en)->ring;
	int rc;

	for (unsigned i = 0; i < nr; i++)
		add_entry(ring, ios[i]);
	rc = io_uring_submit(ring);
	if (rc < (int)nr)
		take_back(ring);
	/* Busy: the completion ring is full, and room comes with the next reap. */
	return rc == -EAGAIN || rc == -EBUSY || rc == -EINTR ? 0 : rc;
}

static unsigned reap_ring(struct io_uring *ring, struct engine_done *done, unsigned max)
{
	struct io_uring_cqe *cqes[ENGINE_MAX_BATCH];
	unsigned n = io_uring_peek_batch_cqe(ring, cqes, max);

	for (unsigned i = 0; i < n; i++) {
		done[i].io = io_uring_cqe_get_data(cqes[i]);
		done[i].res = cqes[i]->res;
	}
	/* Release: the kernel may overwrite the entries only once we have read them. */
	io_uring_cq_advance(ring, n);
	return n;
}

static int uring_reap(struct engine *en, struct engine_done *done, unsigned max, uint64_t wait_ns)
{
	struct io_uring *ring = &to_uring(en)->ring;
	struct __kernel_timespec ts = {(long long)(wait_ns / 1000000000U),
				       (long long)(wait_ns % 1000000000U)};
	unsigned n = reap_ring(ring, done, max);
	struct io_uring_cqe *cqe;
	int rc;

	if (n || !wait_ns)
		return (int)n;
	rc = io_uring_wait_cqe_timeout(ring, &cqe, &ts);
	if (rc == -ETIME || rc == -EINTR || rc == -EAGAIN)
		return 0;
	return rc ? rc : (int)reap_ring(ring, done, max);
}

static unsigned uring_ready(const struct engine *en)
{
	return io_uring_cq_ready(&((const struct uring_engine *)(const void *)en)->ring);
}

const struct engine_ops engine_uring_ops = {
	.name = "io_uring",
	.open = uring_open,
	.close = uring_close,
	.bind = uring_bind,
	.submit = uring_submit,
	.reap = uring_reap,
	.ready = uring_ready,
};
