/* SPDX-License-Identifier: MIT */
/*
 * An I/O engine: submits reads and writes of one worker and hands back their completions.
 * Nothing above src/io knows what is behind it. Functions return 0 or a count, or -errno; they
 * print nothing, and the ones of the load loop allocate nothing.
 *
 * An engine_io is a place for one I/O at a time, 0 .. depth-1 of them; the caller owns it and its
 * buffer. Descriptor, buffer and length are bound to it once, for all I/Os to come; what changes
 * with each is offset and direction. It is not submitted again before its completion was reaped.
 * One thread at a time uses an engine.
 */
#ifndef IO_ENGINE_H
#define IO_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

struct engine;

struct engine_io {
	uint64_t offset_bytes;
	void *prepared; /* the engine's own */
	bool is_write;
};

struct engine_done {
	struct engine_io *io;
	int64_t res; /* bytes, or -errno */
};

struct engine_ops {
	const char *name;
	int (*open)(unsigned depth, struct engine **out);
	void (*close)(struct engine *en);
	void (*bind)(struct engine *en, unsigned index, struct engine_io *io, int fd, void *data,
		     uint32_t len);
	int (*submit)(struct engine *en, struct engine_io *const *ios, unsigned nr);
	int (*reap)(struct engine *en, struct engine_done *done, unsigned max, uint64_t wait_ns);
	unsigned (*ready)(const struct engine *en); /* NULL: never known */
};

struct engine {
	const struct engine_ops *ops;
	unsigned depth;
};

/* Whether there is an engine of that name. "libaio" is the default everywhere. */
bool engine_exists(const char *name);

/* -EAGAIN from libaio: fs.aio-max-nr, which all processes share, leaves no room for depth. */
int engine_open(const char *name, unsigned depth, struct engine **out);

/* Waits for what is in flight; NULL is fine. libaio: takes some 30 ms, so once a run. */
void engine_close(struct engine *en);

/* What every I/O of io, number index of this engine, uses from now on; it is not in flight. */
static inline void engine_bind(struct engine *en, unsigned index, struct engine_io *io, int fd,
			       void *data, uint32_t len)
{
	en->ops->bind(en, index, io, fd, data, len);
}

/* Submit nr I/Os, 1 or more, in order: how many were taken, 0 when there is no room just now, or -errno when the first
 * of them can never be taken. */
static inline int engine_submit(struct engine *en, struct engine_io *const *ios, unsigned nr)
{
	return en->ops->submit(en, ios, nr);
}

/* Take at most max completions, waiting wait_ns at most for the first: how many, 0 after the
 * wait or a signal. */
static inline int engine_reap(struct engine *en, struct engine_done *done, unsigned max,
			      uint64_t wait_ns)
{
	return en->ops->reap(en, done, max, wait_ns);
}

/* How many completions a reap would find just now; 0 where only a system call can tell. */
static inline unsigned engine_ready(const struct engine *en)
{
	return en->ops->ready ? en->ops->ready(en) : 0;
}

/* The most I/Os that one submit or reap may be asked for. */
#define ENGINE_MAX_BATCH 64

extern const struct engine_ops engine_aio_ops, engine_uring_ops;

#endif
