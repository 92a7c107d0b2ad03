/* SPDX-License-Identifier: MIT */
/*
 * An I/O engine: submits reads and writes of one worker and hands back their completions.
 * Nothing above src/io knows what is behind it. Functions return 0 or a count, or -errno; they
 * print nothing, and the ones of the load loop allocate nothing.
 *
 * A slot is a place for one I/O, 0 .. depth-1; the caller owns its buffer and does not prepare
 * a slot again before its completion was reaped. One thread at a time uses an engine.
 */
#ifndef IO_ENGINE_H
#define IO_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

struct engine;

struct engine_done {
	uint32_t slot;
	int64_t res; /* bytes, or -errno */
};

struct engine_ops {
	const char *name;
	int (*open)(unsigned depth, struct engine **out);
	void (*close)(struct engine *en);
	void (*prepare)(struct engine *en, uint32_t slot, int fd, bool is_write, void *data,
			uint32_t len, uint64_t offset);
	int (*submit)(struct engine *en, const uint32_t *slots, unsigned nr);
	int (*reap)(struct engine *en, struct engine_done *done, unsigned max, uint64_t wait_ns);
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

static inline void engine_prepare(struct engine *en, uint32_t slot, int fd, bool is_write,
				  void *data, uint32_t len, uint64_t offset)
{
	en->ops->prepare(en, slot, fd, is_write, data, len, offset);
}

/* Submit prepared slots in order: how many were taken, 0 when there is no room just now, or
 * -errno when the first of them can never be taken. */
static inline int engine_submit(struct engine *en, const uint32_t *slots, unsigned nr)
{
	return en->ops->submit(en, slots, nr);
}

/* Take at most max completions, waiting wait_ns at most for the first: how many, 0 after the
 * wait or a signal. */
static inline int engine_reap(struct engine *en, struct engine_done *done, unsigned max,
			      uint64_t wait_ns)
{
	return en->ops->reap(en, done, max, wait_ns);
}

/* The most completions that one reap may be asked for. */
#define ENGINE_MAX_REAP 64

extern const struct engine_ops engine_aio_ops;

#endif
