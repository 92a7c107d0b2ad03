/* SPDX-License-Identifier: MIT */
#include "run/fill.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/rng.h"
#include "io/engine.h"
#include "run/data.h"
#include "run/pool.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* 8 MiB in flight keep every array busy, and cost no memory worth mentioning. */
#define DEPTH	     8
#define RANDOM_BYTES ((size_t)1 << 20)
#define SAMPLES	     64

/* How much work a crash may cost; where a flush takes long, they come more rarely, so that they never
 * take more than a twentieth of the time. */
#define SYNC_NS	    (2 * NS_PER_S)
#define SYNC_FACTOR 20

/* A flush may have to write a whole cache, so it may take this many times what an I/O may. */
#define SYNC_PATIENCE 10

#define TICK_NS (100 * NS_PER_MS)
/* After a signal the state must be stored within 3 s (D10). */
#define SIGNAL_DRAIN_NS (3 * NS_PER_S / 2)
/* Where the kernel takes nothing although nothing is in flight. */
#define NO_ROOM_SLEEP_NS NS_PER_MS
#define NO_ROOM_LIMIT_NS (30 * NS_PER_S)

struct slot {
	struct engine_io io; /* the first member: a completion leads back to its slot */
	uint64_t at, len;    /* at: from the begin of the span */
	bool is_in_flight;
};

/* What the thread uses; left to it when it is lost. */
struct fill {
	struct fill_config c;
	struct pool pool;
	unsigned char *random;
	struct engine *engine;
	int fd;
	struct slot slots[DEPTH];
	unsigned in_flight;
	uint64_t next; /* what is submitted next */
	uint64_t next_sync_ns;

	uint64_t check_bytes; /* fill_check: how much of the pass there is */
	bool is_there;

	/* The first error: everything from its offset on counts as not written. */
	int err_errno;
	uint64_t err_at;
	bool is_err_sync;   /* of fdatasync: it has no offset */
	bool is_astray;	    /* a write would have left the span, and was not submitted ... */
	uint64_t astray_at; /* ... at this place of the target */

	_Atomic bool stop, has_ended, is_syncing;
	_Atomic uint64_t written, durable;
	_Atomic uint64_t alive_ns; /* when something last completed */
	sem_t ended;
	struct fill *left_before; /* when it was left behind too */
};

static uint64_t stream_of(const struct fill_config *c, uint32_t pass)
{
	return rng_mix(c->seed) + pass;
}

static unsigned char *buffer_of(struct fill *f, unsigned slot)
{
	return f->pool.mem + slot * FILL_BLOCK_BYTES;
}

/* Everything below it has been written, whatever has completed above. */
static uint64_t low_mark(const struct fill *f)
{
	uint64_t low = f->next;

	for (unsigned i = 0; i < DEPTH; i++)
		if (f->slots[i].is_in_flight && f->slots[i].at < low)
			low = f->slots[i].at;
	return f->err_errno && f->err_at < low ? f->err_at : low;
}

static void note_error(struct fill *f, int errnum, uint64_t at)
{
	if (!f->err_errno || at < f->err_at) {
		f->err_errno = errnum;
		f->err_at = at;
	}
	atomic_store(&f->stop, true);
}

static void plan_sync(struct fill *f, uint64_t begin_ns)
{
	uint64_t now = clock_now_ns(), wait = (now - begin_ns) * SYNC_FACTOR;

	f->next_sync_ns = now + (wait > SYNC_NS ? wait : SYNC_NS);
}

static int flush(struct fill *f)
{
	int rc;

	atomic_store(&f->is_syncing, true);
	rc = fdatasync(f->fd);
	/* First, as whoever watches must not see a short patience and an old time. */
	atomic_store(&f->alive_ns, clock_now_ns());
	atomic_store(&f->is_syncing, false);
	return rc;
}

/* Claim as durable what was written before the flush began. */
static void sync_data(struct fill *f)
{
	uint64_t low = low_mark(f), begin = clock_now_ns();

	atomic_store(&f->alive_ns, begin);
	if (low != atomic_load(&f->durable) && flush(f) < 0) {
		f->err_errno = f->err_errno ? f->err_errno : errno;
		f->is_err_sync = true;
		atomic_store(&f->stop, true);
		return;
	}
	atomic_store(&f->durable, low);
	plan_sync(f, begin);
}

static void put(struct fill *f, unsigned i)
{
	struct slot *s = &f->slots[i];
	uint64_t left = f->c.span_bytes - f->next;

	s->at = f->next;
	s->len = left < FILL_BLOCK_BYTES ? left : FILL_BLOCK_BYTES;
	data_fill(buffer_of(f, i), s->len, stream_of(&f->c, f->c.pass), s->at / DATA_PIECE_BYTES,
		  f->random, RANDOM_BYTES);
	s->io.is_write = true;
	s->io.offset_bytes = f->c.offset_bytes + s->at;
	/* Anew each time: the last block may be shorter. */
	engine_bind(f->engine, i, &s->io, f->fd, buffer_of(f, i), (uint32_t)s->len);
}

/* The one promise that must never be broken, asked of the very values that the engine gets: nothing
 * outside the span, nothing across the end of a block, and all of it whole logical blocks. */
static bool is_inside(const struct fill *f, const struct slot *s)
{
	uint64_t at = s->io.offset_bytes - f->c.offset_bytes;

	return at < f->c.span_bytes && s->len && s->len <= f->c.span_bytes - at &&
	       at % FILL_BLOCK_BYTES == 0 && s->len <= FILL_BLOCK_BYTES &&
	       s->len % f->c.info->logical_block_bytes == 0;
}

/* Submit a slot that was put: 1 taken, 0 no room just now, -1 after an error. */
static int submit(struct fill *f, struct slot *s)
{
	struct engine_io *io = &s->io;
	int n;

	if (!is_inside(f, s)) {
		f->is_astray = true;
		f->astray_at = s->io.offset_bytes;
		note_error(f, ERANGE, s->at);
		return -1;
	}
	n = engine_submit(f->engine, &io, 1);
	if (n < 0) {
		note_error(f, -n, s->at);
		return -1;
	}
	if (n) {
		s->is_in_flight = true;
		f->in_flight++;
		f->next += s->len;
	}
	return n;
}

static bool wants_more(const struct fill *f)
{
	return f->next < f->c.span_bytes && !atomic_load(&f->stop);
}

/* Fill what is free; false when the kernel takes nothing. */
static bool submit_all(struct fill *f)
{
	for (unsigned i = 0; i < DEPTH && wants_more(f); i++) {
		int n;

		if (f->slots[i].is_in_flight)
			continue;
		put(f, i);
		n = submit(f, &f->slots[i]);
		if (n <= 0)
			return n < 0;
	}
	return true;
}

/* A full file system writes a part of a block, a removed device none of it, without an error. */
static int errno_of(const struct fill *f, int64_t res)
{
	if (res < 0)
		return (int)-res;
	return res && !f->c.info->is_block ? ENOSPC : EIO;
}

static void reap(struct fill *f)
{
	struct engine_done done[DEPTH];
	int n = engine_reap(f->engine, done, DEPTH, TICK_NS);

	if (n < 0)
		note_error(f, -n, low_mark(f));
	for (int i = 0; i < n; i++) {
		struct slot *s = (struct slot *)done[i].io;

		s->is_in_flight = false;
		f->in_flight--;
		if (done[i].res != (int64_t)s->len)
			note_error(f, errno_of(f, done[i].res), s->at);
		else
			atomic_fetch_add(&f->written, s->len);
	}
	if (n > 0)
		atomic_store(&f->alive_ns, clock_now_ns());
}

/* With nothing in flight there is no completion to wait for. */
static void wait_for_room(struct fill *f)
{
	if (clock_now_ns() - atomic_load(&f->alive_ns) > NO_ROOM_LIMIT_NS)
		note_error(f, EAGAIN, f->next);
	clock_sleep_ns(NO_ROOM_SLEEP_NS);
}

static void write_span(struct fill *f)
{
	plan_sync(f, clock_now_ns());
	while (wants_more(f) || f->in_flight) {
		if (!submit_all(f) && !f->in_flight)
			wait_for_room(f);
		if (f->in_flight)
			reap(f);
		if (clock_now_ns() >= f->next_sync_ns && !f->is_err_sync)
			sync_data(f);
	}
	if (!f->is_err_sync)
		sync_data(f);
}

/* What a read must not cut: a piece, or the target's block where that is larger. */
static uint64_t sample_bytes(const struct fill *f)
{
	uint64_t block = f->c.info->logical_block_bytes;

	return block > DATA_PIECE_BYTES ? block : DATA_PIECE_BYTES;
}

static bool is_of_pass(struct fill *f, uint64_t at, uint64_t len, uint32_t pass)
{
	data_fill(buffer_of(f, 1), len, stream_of(&f->c, pass), at / DATA_PIECE_BYTES, f->random,
		  RANDOM_BYTES);
	return !memcmp(buffer_of(f, 0), buffer_of(f, 1), len);
}

static bool is_zero(const unsigned char *data, uint64_t len)
{
	return !data[0] && !memcmp(data, data + 1, len - 1);
}

static bool sample(struct fill *f, uint64_t at)
{
	uint64_t left = f->c.span_bytes - at, len = sample_bytes(f);
	ssize_t n;

	len = len < left ? len : left;
	n = pread(f->fd, buffer_of(f, 0), len, (off_t)(f->c.offset_bytes + at));
	if (n != (ssize_t)len) {
		note_error(f, n < 0 ? errno : EIO, at);
		return false;
	}
	atomic_store(&f->alive_ns, clock_now_ns());
	if (f->c.is_overwritten)
		return !is_zero(buffer_of(f, 0), len);
	if (is_of_pass(f, at, len, f->c.pass))
		return true;
	return at >= f->check_bytes && f->c.pass && is_of_pass(f, at, len, f->c.pass - 1);
}

static void check_samples(struct fill *f)
{
	uint64_t upto = f->c.pass ? f->c.span_bytes : f->check_bytes;
	uint64_t nr = (upto + sample_bytes(f) - 1) / sample_bytes(f);
	struct rng rng;

	rng_seed(&rng, rng_draw_seed());
	f->is_there = true;
	for (unsigned i = 0; i < SAMPLES && nr && f->is_there && !atomic_load(&f->stop); i++) {
		uint64_t k = !i ? 0 : i == 1 ? nr - 1 : rng_below(&rng, nr);

		f->is_there = sample(f, k * sample_bytes(f));
	}
}

struct thread {
	struct fill *f;
	void (*work)(struct fill *f);
};

static void *run_thread(void *p)
{
	struct thread t = *(struct thread *)p;

	free(p);
	t.work(t.f);
	atomic_store(&t.f->has_ended, true);
	(void)sem_post(&t.f->ended);
	return NULL;
}

static int start_thread(struct fill *f, void (*work)(struct fill *), pthread_t *id, struct err *e)
{
	struct thread *t = xmalloc(sizeof(*t));
	sigset_t all, old;
	int rc;

	*t = (struct thread){f, work};
	/* Signals are the caller's thread's. */
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(id, NULL, run_thread, t);
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!rc)
		return 0;
	free(t);
	return err_sys(e, ERR_SYSTEM, rc, "cannot start a thread");
}

/* Tell the caller what has become durable. */
static int save(const struct fill *f, uint64_t *saved, struct err *e)
{
	uint64_t durable = atomic_load(&f->durable);

	if (durable == *saved)
		return 0;
	*saved = durable;
	return f->c.save(f->c.arg, durable, e);
}

/* How long the thread may make no progress in what it does now. */
static uint64_t patience_ns(const struct fill *f)
{
	return f->c.drain_timeout_ns * (atomic_load(&f->is_syncing) ? SYNC_PATIENCE : 1);
}

static bool hangs(const struct fill *f, uint64_t now)
{
	/* In this order: see flush. */
	uint64_t patience = patience_ns(f);

	return now > atomic_load(&f->alive_ns) + patience;
}

/* Until the thread ends, or may no longer be waited for; saved is what the caller knows to be
 * durable. -1 when save failed. */
static int watch(struct fill *f, uint64_t saved, struct err *e)
{
	uint64_t give_up = UINT64_MAX;
	int rc = 0;

	for (uint64_t now = clock_now_ns(); now < give_up; now = clock_now_ns()) {
		struct timespec ts = {(time_t)((now + TICK_NS) / NS_PER_S),
				      (long)((now + TICK_NS) % NS_PER_S)};

		if (!sem_clockwait(&f->ended, CLOCK_MONOTONIC, &ts))
			break;
		if (*f->c.nr_signals && give_up == UINT64_MAX) {
			atomic_store(&f->stop, true);
			give_up = now + SIGNAL_DRAIN_NS;
		}
		if (*f->c.nr_signals > 1 || hangs(f, now)) {
			/* Nobody will store what the thread writes after this. */
			atomic_store(&f->stop, true);
			give_up = now;
		}
		if (f->c.progress)
			f->c.progress(f->c.arg, atomic_load(&f->written));
		if (!rc && save(f, &saved, e)) {
			atomic_store(&f->stop, true);
			rc = -1;
		}
	}
	return rc ? rc : save(f, &saved, e);
}

static int fail_io(const struct fill *f, const char *verb, struct err *e)
{
	uint64_t at = f->c.offset_bytes + f->err_at;

	if (f->is_astray)
		return err_set(
			e, ERR_IO,
			"a mistake in this program: a write to '%s' at offset %" PRIu64
			" is no part of the span from %" PRIu64 " to %" PRIu64
			"; it was not submitted, nor was anything after it; please report this",
			f->c.info->given, f->astray_at, f->c.offset_bytes,
			f->c.offset_bytes + f->c.span_bytes);
	if (f->is_err_sync)
		return err_sys(e, ERR_IO, f->err_errno, "cannot flush '%s' after writing",
			       f->c.info->given);
	if (f->err_errno == ENOSPC || f->err_errno == EDQUOT)
		return err_sys(e, ERR_IO, f->err_errno,
			       "cannot write '%s' at offset %" PRIu64
			       ", because the file system below has no room for it",
			       f->c.info->given, at);
	return err_sys(e, ERR_IO, f->err_errno, "cannot %s '%s' at offset %" PRIu64, verb,
		       f->c.info->given, at);
}

/* Kept in sight, so that a leak checker knows that it is meant; volatile, since nobody reads it. */
static struct fill *volatile left_behind;

static void fill_free(struct fill *f)
{
	if (!f)
		return;
	engine_close(f->engine);
	if (f->fd >= 0)
		(void)close(f->fd);
	pool_release(&f->pool);
	free(f->random);
	(void)sem_destroy(&f->ended);
	free(f);
}

static int open_engine(struct fill *f, struct err *e)
{
	int rc = engine_open(f->c.engine, DEPTH, &f->engine);

	if (rc == -EAGAIN)
		return err_set(e, ERR_IO,
			       "fs.aio-max-nr leaves no room for %d I/Os; raise it with sysctl "
			       "fs.aio-max-nr",
			       DEPTH);
	if (rc < 0)
		return err_sys(e, ERR_IO, -rc, "cannot use the engine %s", f->c.engine);
	return 0;
}

static int fill_new(const struct fill_config *c, struct fill **out, struct err *e)
{
	struct fill *f = xcalloc(1, sizeof(*f));
	struct rng rng;

	f->c = *c;
	f->fd = -1;
	f->random = xmalloc(RANDOM_BYTES);
	/* From the seed too: it is part of the data that must be known again. */
	rng_seed(&rng, c->seed);
	rng_fill(&rng, f->random, RANDOM_BYTES);
	(void)sem_init(&f->ended, 0, 0);
	atomic_store(&f->alive_ns, clock_now_ns());
	if (!pool_reserve(&f->pool, pool_need(DEPTH * FILL_BLOCK_BYTES, 1), c->seed, c->nr_signals,
			  e) &&
	    !open_engine(f, e)) {
		f->fd = target_open_worker(c->target, true, e);
		if (f->fd >= 0) {
			*out = f;
			return 0;
		}
	}
	fill_free(f);
	return -1;
}

/* Let a thread do the work; 0 when it ended and met no error. f is freed unless *is_stuck. */
static int finish(struct fill *f, int rc, const char *verb, bool *is_stuck, struct err *e)
{
	*is_stuck = !atomic_load(&f->has_ended);
	if (*is_stuck && !*f->c.nr_signals)
		rc = err_set(e, ERR_IO,
			     "'%s' hangs: %s for %" PRIu64
			     " s; this program ends when the kernel gives the I/Os back",
			     f->c.info->given,
			     atomic_load(&f->is_syncing) ? "a flush has not ended"
							 : "nothing has completed",
			     (uint64_t)(patience_ns(f) / NS_PER_S));
	else if (!rc && !*is_stuck && f->err_errno)
		rc = fail_io(f, verb, e);
	else if (!rc && *f->c.nr_signals)
		rc = err_set(e, ERR_INTR, "ended by a signal");
	return rc;
}

static int run(struct fill *f, void (*work)(struct fill *), const char *verb, bool *is_stuck,
	       struct err *e)
{
	/* Before the thread begins: it may have done all of a small span by the time it is watched. */
	uint64_t saved = atomic_load(&f->durable);
	pthread_t id;
	int rc = start_thread(f, work, &id, e);

	*is_stuck = false;
	if (rc)
		return rc;
	rc = finish(f, watch(f, saved, e), verb, is_stuck, e);
	if (*is_stuck) {
		(void)pthread_detach(id); /* so that its stack goes when the kernel lets it end */
		f->left_before = left_behind;
		left_behind = f;
	} else {
		(void)pthread_join(id, NULL);
	}
	return rc;
}

int fill_pass(const struct fill_config *c, uint64_t from_bytes, bool *is_stuck, struct err *e)
{
	struct fill *f;
	int rc;

	*is_stuck = false;
	if (!target_has_span(c->info, c->offset_bytes, c->span_bytes))
		return err_set(e, ERR_IO,
			       "a mistake in this program: a span of %" PRIu64
			       " bytes at offset %" PRIu64 " is none of '%s', which has %" PRIu64
			       " bytes; nothing was written; please report this",
			       c->span_bytes, c->offset_bytes, c->info->given, c->info->size_bytes);
	/* A piece is known by its number, so a pass goes on at the begin of one. */
	from_bytes -= from_bytes % FILL_BLOCK_BYTES;
	if (fill_new(c, &f, e))
		return -1;
	f->next = from_bytes;
	atomic_store(&f->written, from_bytes);
	atomic_store(&f->durable, from_bytes);
	rc = run(f, write_span, "write", is_stuck, e);
	if (!*is_stuck)
		fill_free(f);
	return rc;
}

int fill_check(const struct fill_config *c, uint64_t pass_bytes, bool *is_there, bool *is_stuck,
	       struct err *e)
{
	struct fill *f;
	int rc;

	*is_stuck = false;
	if (fill_new(c, &f, e))
		return -1;
	f->check_bytes = pass_bytes;
	rc = run(f, check_samples, "read", is_stuck, e);
	*is_there = !rc && f->is_there;
	if (!*is_stuck)
		fill_free(f);
	return rc;
}
