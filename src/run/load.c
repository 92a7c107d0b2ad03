/* SPDX-License-Identifier: MIT */
#include "run/load.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/rng.h"
#include "run/data.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

/* A point with this many errors will not become a measurement; errors come fast. */
#define MAX_ERRORS 16

/* How long a worker sleeps at most before it looks at the clock and at control. */
#define MAX_WAIT_NS (100 * NS_PER_MS)

/* Of what is reaped and submitted at a time, where a device works beside us. */
#define MIN_CHUNK 4
#define MAX_CHUNK 8

/* After so many submits in a row that had everything back on return, the target completes inside the
 * call; a device that is only fast has something out after one of them. */
#define INLINE_TURNS 16
/* An I/O that takes longer is not what system calls cost much of; and a submit call in which many of them go by
 * would see no signal and no end of the window. */
#define INLINE_IO_NS (10 * NS_PER_US)

/* Reading the clock costs more than looking at the ring. */
#define POLLS_PER_LOOK 64

/* With nothing in flight and the kernel taking nothing, there is no completion to wait for. */
#define NO_ROOM_SLEEP_NS NS_PER_MS
#define NO_ROOM_LIMIT_NS (30 * NS_PER_S)

/* A sleep ends so much before the next start of an open loop: waking takes 20 to 25 us. */
#define WAKE_AHEAD_NS (40 * NS_PER_US)

unsigned load_share(uint32_t iodepth, uint32_t workers, unsigned index)
{
	return iodepth / workers + (index < iodepth % workers);
}

/* The largest of equal parts of which none is above max: unequal ones would make I/Os wait for unlike numbers of turns. */
static unsigned equal_part(unsigned depth, unsigned max)
{
	unsigned parts = (depth + max - 1) / max;

	return (depth + parts - 1) / parts;
}

static unsigned chunk_of(unsigned depth)
{
	unsigned chunk = depth / 4;

	chunk = chunk < MIN_CHUNK ? MIN_CHUNK : chunk > MAX_CHUNK ? MAX_CHUNK : chunk;
	return chunk < depth ? chunk : depth;
}

static int open_init(struct load_worker *w, unsigned index, uint64_t seed)
{
	const struct load_control *c = w->control;
	struct load_open *o;

	if (!(c->rate_iops > 0))
		return 0;
	o = w->open = calloc(1, sizeof(*o));
	if (o)
		o->due_ns = calloc(w->depth, sizeof(*o->due_ns));
	if (!o || !o->due_ns)
		return -ENOMEM;
	hist_init(&o->late);
	arrival_init(&o->arrival, c->arrivals, c->rate_iops, w->spec->workers, index, seed,
		     c->begin_ns);
	return 0;
}

static int bind_slots(struct load_worker *w)
{
	w->slots = calloc(w->depth, sizeof(*w->slots));
	w->idle = calloc(w->depth, sizeof(*w->idle));
	if (!w->slots || !w->idle)
		return -ENOMEM;
	w->nr_idle = w->depth;
	for (unsigned i = 0; i < w->depth; i++) {
		struct load_slot *slot = &w->slots[i];

		slot->data = w->buffers + i * w->spec->bs_bytes;
		/* An earlier point may have read into these buffers. */
		slot->holds_read_data = true;
		engine_bind(w->engine, i, &slot->io, w->fd, slot->data,
			    (uint32_t)w->spec->bs_bytes);
		w->idle[i] = &slot->io;
	}
	return 0;
}

static int make_results(struct load_worker *w)
{
	for (enum dir d = DIR_READ; d <= DIR_WRITE; d++) {
		/* A mixed mode of 100 % or 0 % reads has one direction only. */
		if (d == DIR_READ ? !point_reads(w->spec) : !point_writes(w->spec))
			continue;
		w->lat[d] = malloc(sizeof(*w->lat[d]));
		if (!w->lat[d])
			return -ENOMEM;
		hist_init(w->lat[d]);
	}
	w->series = calloc(w->control->max_intervals, sizeof(*w->series));
	return w->series ? 0 : -ENOMEM;
}

int load_worker_init(struct load_worker *w, struct load_control *control,
		     const struct point_spec *spec, unsigned index, struct engine *engine, int fd,
		     unsigned char *buffers, const unsigned char *random, size_t random_size,
		     uint64_t seed)
{
	memset(w, 0, sizeof(*w));
	w->control = control;
	w->spec = spec;
	w->engine = engine;
	w->fd = fd;
	w->depth = load_share(spec->iodepth, spec->workers, index);
	w->small_chunk = chunk_of(w->depth);
	w->large_chunk = equal_part(w->depth, ENGINE_MAX_BATCH);
	w->chunk = w->small_chunk;
	assert(spec->span_bytes >= spec->bs_bytes);
	w->bs_bytes = (int64_t)spec->bs_bytes;
	w->first_byte = spec->offset_bytes;
	w->last_place = spec->span_bytes - spec->bs_bytes;
	w->align_mask = (spec->bs_bytes & -spec->bs_bytes) - 1;
	w->buffers = buffers;
	w->random = random;
	w->random_size = random_size;
	w->key = rng_mix(seed);
	pattern_init(&w->pattern, spec, index, seed);
	rng_seed(&w->fill_rng, w->key);
	w->result.iodepth = w->depth;
	return bind_slots(w) || make_results(w) || open_init(w, index, seed) ? -ENOMEM : 0;
}

void load_worker_release(struct load_worker *w)
{
	free(w->slots);
	free(w->idle);
	free(w->lat[DIR_READ]);
	free(w->lat[DIR_WRITE]);
	free(w->series);
	if (w->open)
		free(w->open->due_ns);
	free(w->open);
}

/* CPU and scheduling of this thread so far. */
static void read_cpu(uint64_t cpu[5])
{
	struct rusage ru;
	FILE *f;

	memset(cpu, 0, 5 * sizeof(cpu[0]));
	if (getrusage(RUSAGE_THREAD, &ru) == 0) {
		cpu[0] = (uint64_t)ru.ru_utime.tv_sec * NS_PER_S +
			 (uint64_t)ru.ru_utime.tv_usec * NS_PER_US;
		cpu[1] = (uint64_t)ru.ru_stime.tv_sec * NS_PER_S +
			 (uint64_t)ru.ru_stime.tv_usec * NS_PER_US;
		cpu[4] = (uint64_t)ru.ru_nvcsw;
	}
	f = fopen("/proc/thread-self/schedstat", "re");
	if (!f)
		return;
	if (fscanf(f, "%" SCNu64 " %" SCNu64, &cpu[2], &cpu[3]) != 2)
		cpu[2] = cpu[3] = 0;
	(void)fclose(f);
}

/* Sum of the ages at time t of all that is in flight then. */
static uint64_t ages_at(const struct load_worker *w, uint64_t t)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < w->depth; i++)
		if (w->slots[i].start_ns && w->slots[i].start_ns < t)
			sum += t - w->slots[i].start_ns;
	return sum;
}

/* The first stamp behind the start: the number in flight has not changed since. */
static void open_window(struct load_worker *w)
{
	uint64_t start = w->control->window_start_ns;

	w->in_window = true;
	w->mark_ns = start;
	w->interval_end_ns = start + w->control->interval_ns;
	w->age_start_ns = ages_at(w, start);
	w->result.depth_max = load_in_flight(w);
	read_cpu(w->cpu_begin);
}

/* The in-flight count changes at now: sum the area under it up to here, or to the window's end. */
static void sum_area(struct load_worker *w, uint64_t now, uint64_t end)
{
	uint64_t upto = now < end ? now : end;

	if (upto > w->mark_ns) {
		w->area_ns += load_in_flight(w) * (upto - w->mark_ns);
		w->mark_ns = upto;
	}
}

/* The histogram counts anyway, so that an interval is what it has grown by. Its maximum begins anew with
 * each interval, which costs an I/O nothing; close_window puts that of the whole back. */
static void close_interval(struct load_worker *w)
{
	struct interval *iv = &w->series[w->interval];

	for (enum dir d = DIR_READ; d <= DIR_WRITE; d++) {
		struct hist *lat = w->lat[d];

		if (!lat)
			continue;
		iv->ios[d] += (uint32_t)(lat->count - w->closed_ios[d]);
		iv->lat_ns[d] += lat->sum - w->closed_lat_ns[d];
		hist_cap_sum(lat);
		w->closed_ios[d] = lat->count;
		w->closed_lat_ns[d] = lat->sum;
		iv->lat_max_ns[d] = lat->max > iv->lat_max_ns[d] ? lat->max : iv->lat_max_ns[d];
		if (lat->max > w->closed_max_ns[d])
			w->closed_max_ns[d] = lat->max;
		lat->max = 0;
	}
}

static void sum_dirs(struct load_worker *w)
{
	for (enum dir d = DIR_READ; d <= DIR_WRITE; d++) {
		if (!w->lat[d])
			continue;
		w->lat[d]->max = w->closed_max_ns[d];
		w->result.dir[d].ios = w->lat[d]->count;
		w->result.dir[d].bytes = w->lat[d]->count * w->spec->bs_bytes;
		w->result.dir[d].lat_ns = w->lat[d]->sum;
		w->result.dir[d].slat_ns = w->slat_ns[d];
	}
}

/* What was due in the window and was not submitted by its end. */
static void close_open(struct load_worker *w, uint64_t end)
{
	struct load_open *o = w->open;
	uint64_t before = arrival_count_until(&o->arrival, w->control->window_start_ns);
	uint64_t inside = arrival_count_until(&o->arrival, end);

	o->nr_arrivals += inside;
	o->nr_backlog = w->nr_drawn + before + inside;
}

/* Called with the in-flight set as it was just before now. */
static void close_window(struct load_worker *w, uint64_t now, uint64_t end)
{
	uint64_t cpu[5];

	sum_area(w, now, end);
	w->age_end_ns = ages_at(w, now < end ? now : end);
	w->in_window = false;
	w->is_over = true;
	close_interval(w);
	sum_dirs(w);
	if (w->open)
		close_open(w, now < end ? now : end);
	read_cpu(cpu);
	w->result.cpu_user_ns = cpu[0] - w->cpu_begin[0];
	w->result.cpu_sys_ns = cpu[1] - w->cpu_begin[1];
	w->result.cpu_run_ns = cpu[2] - w->cpu_begin[2];
	w->result.cpu_wait_ns = cpu[3] - w->cpu_begin[3];
	w->result.voluntary_switches = cpu[4] - w->cpu_begin[4];
}

static uint64_t window_end(const struct load_worker *w)
{
	return atomic_load_explicit(&w->control->window_end_ns, memory_order_relaxed);
}

/* Completions at exactly the end of an interval belong to it. */
static void move_interval(struct load_worker *w, uint64_t now)
{
	while (now > w->interval_end_ns && w->interval + 1 < w->control->max_intervals) {
		close_interval(w);
		w->interval++;
		w->interval_end_ns += w->control->interval_ns;
	}
	/* Release: whoever sees the number sees the entries below it complete. */
	atomic_store_explicit(&w->published, w->interval, memory_order_release);
}

/* The engine itself does not work: no I/O is to blame. */
static void fail(struct load_worker *w, int err)
{
	if (!w->nr_errors++) {
		w->err_errno = err;
		w->err_res = -err;
		w->err_offset = LOAD_NO_OFFSET;
	}
	atomic_store_explicit(&w->control->stop, true, memory_order_relaxed);
}

static void note_error(struct load_worker *w, const struct engine_io *io, int64_t res)
{
	if (!w->nr_errors++) {
		/* A short transfer has no errno of its own: EIO is what a file system makes of it. */
		w->err_errno = res < 0 ? (int)-res : EIO;
		w->err_res = res;
		w->err_offset = io->offset_bytes;
	}
	if (w->nr_errors >= MAX_ERRORS)
		atomic_store_explicit(&w->control->stop, true, memory_order_relaxed);
}

static bool goes_on(const struct load_worker *w)
{
	return !w->is_over && !atomic_load_explicit(&w->control->stop, memory_order_relaxed);
}

/* Open, advance or close the window: the stamp is behind the end of an interval, or of the window
 * or the ramp. */
static void cross(struct load_worker *w, uint64_t now, uint64_t end)
{
	if (!w->in_window && goes_on(w))
		open_window(w);
	if (!w->in_window)
		return;
	if (now > end) {
		close_window(w, now, end);
		return;
	}
	sum_area(w, now, end);
	if (now > w->interval_end_ns)
		move_interval(w, now);
}

/* Before what happens at a stamp changes the number in flight. */
static inline void move_window(struct load_worker *w, uint64_t now)
{
	/* Read behind the stamp: a window that the runner closes just now can then not have
	 * completions counted that lie behind its end. */
	uint64_t end = window_end(w);

	if (now > w->interval_end_ns || now > end) {
		cross(w, now, end);
	} else if (w->in_window) {
		w->area_ns += load_in_flight(w) * (now - w->mark_ns);
		w->mark_ns = now;
	}
}

static struct load_slot *slot_of(struct engine_io *io)
{
	return (struct load_slot *)(void *)io;
}

static inline uint64_t *due_of(const struct load_worker *w, const struct load_slot *s)
{
	return &w->open->due_ns[s - w->slots];
}

/* is_open is a constant wherever this is called, so that a closed loop does not pay for it. */
static inline void complete(struct load_worker *w, const struct engine_done *done, uint64_t now,
			    bool is_open)
{
	struct load_slot *s = slot_of(done->io);
	enum dir dir = s->io.is_write ? DIR_WRITE : DIR_READ;
	uint64_t start_ns = s->start_ns;

	assert(start_ns);
	s->start_ns = 0;
	/* res of zero comes from devices that were removed, half from the end of a file: only
	 * the full length is an I/O. */
	if (done->res != w->bs_bytes) {
		note_error(w, done->io, done->res);
	} else if (w->in_window) {
		hist_add(w->lat[dir], now - (is_open ? *due_of(w, s) : start_ns));
		if (is_open)
			w->open->service_ns += now - start_ns;
		w->slat_ns[dir] += s->slat_ns;
	}
}

/* Everything that happens at a stamp at which n I/Os came back; n below 0 is the engine's error. */
__attribute__((always_inline)) static inline void reaped(struct load_worker *w, int n, uint64_t now,
							 bool is_open)
{
	const struct engine_done *done = w->done, *last = done + n;
	struct engine_io **idle = w->idle + w->nr_idle;

	move_window(w, now);
	if (n <= 0) {
		if (n < 0)
			fail(w, -n);
		return;
	}
	w->nr_idle += (unsigned)n;
	do {
		*idle++ = done->io;
		complete(w, done, now, is_open);
	} while (++done != last);
}

/* Of n bytes, those that are not to be compressed, by words. */
static size_t random_part(const struct load_worker *w, size_t n)
{
	return n * (100 - w->control->compress_pct) / 100 & ~(size_t)7;
}

/* Every 4 KiB that is written is the random data of its buffer under a key of its own, up to the
 * zeros that were asked for. Where a read has overwritten the buffer, the data comes from any place
 * of the random data. */
static void fill_write(struct load_worker *w, struct load_slot *s)
{
	unsigned char *data = s->data;
	size_t n, nr_random;

	for (uint64_t at = 0; at < w->spec->bs_bytes; at += n) {
		const unsigned char *src = data + at;

		n = w->spec->bs_bytes - at < DATA_PIECE_BYTES ? w->spec->bs_bytes - at
							      : DATA_PIECE_BYTES;
		if (s->holds_read_data)
			src = w->random +
			      (rng_below(&w->fill_rng, w->random_size - DATA_PIECE_BYTES) &
			       ~(size_t)7);
		nr_random = random_part(w, n);
		data_piece(data + at, src, nr_random, rng_mix(w->key++));
		memset(data + at + nr_random, 0, n - nr_random);
	}
	s->holds_read_data = false;
}

/* The one promise that must never be broken: the I/O lies in the span, on a multiple of what divides
 * its block. */
static inline bool is_inside(const struct load_worker *w, uint64_t place)
{
	return place <= w->last_place && !(place & w->align_mask);
}

/* Whatever is wrong then, it is in this program, and nothing that it would do next can be trusted:
 * nothing is submitted any more, what was drawn before it neither. */
__attribute__((cold, noinline)) static void go_astray(struct load_worker *w, uint64_t place)
{
	w->nr_errors++;
	w->is_astray = true;
	w->err_errno = ERANGE;
	w->err_res = -ERANGE;
	w->err_offset = w->first_byte + place;
	atomic_store_explicit(&w->control->stop, true, memory_order_relaxed);
}

/* Where an I/O goes has no other way into it than through here. */
static inline bool set_place(struct load_worker *w, struct engine_io *io, uint64_t place)
{
	if (__builtin_expect(!is_inside(w, place), 0)) {
		go_astray(w, place);
		return false;
	}
	io->offset_bytes = w->first_byte + place;
	return true;
}

/* Random reads: slots were made as such. */
static inline void draw_plain(struct load_worker *w, unsigned nr)
{
	struct rng rng = w->pattern.rng;

	for (unsigned i = w->nr_drawn; i < nr; i++)
		if (!set_place(w, w->idle[i], pattern_plain_place(&w->pattern, &rng)))
			break;
	w->pattern.rng = rng;
}

/* Returns the stamp at which they begin: making the data of writes takes time, which is none of the
 * target's. */
__attribute__((noinline)) static uint64_t draw_any(struct load_worker *w, unsigned nr, uint64_t now)
{
	struct rng rng = w->pattern.rng;

	for (unsigned i = w->nr_drawn; i < nr; i++) {
		struct engine_io *io = w->idle[i];
		enum dir dir = pattern_dir(&w->pattern, &rng);

		if (!set_place(w, io, pattern_place(&w->pattern, &rng, dir)))
			break;
		io->is_write = dir == DIR_WRITE;
		if (io->is_write)
			fill_write(w, slot_of(io));
		else
			slot_of(io)->holds_read_data = true;
	}
	w->pattern.rng = rng;
	/* The window may close here, and counts what is drawn as not submitted. */
	w->nr_drawn = nr;
	if (!w->pattern.always_read) {
		now = clock_now_ns();
		move_window(w, now);
	}
	return now;
}

/* Draw blocks until nr of the idle ones have them. Returns the stamp at which they begin. */
static inline uint64_t draw(struct load_worker *w, unsigned nr, uint64_t now)
{
	if (!w->pattern.is_plain)
		return draw_any(w, nr, now);
	draw_plain(w, nr);
	return now;
}

static inline void submitted(struct load_worker *w, unsigned n, uint64_t now, uint64_t after)
{
	unsigned i = 0;

	do {
		struct load_slot *s = slot_of(w->idle[i]);

		s->start_ns = now;
		s->slat_ns = after - now;
	} while (++i < n);
	w->nr_idle -= n;
	if (w->nr_idle)
		memmove(w->idle, w->idle + n, w->nr_idle * sizeof(w->idle[0]));
	if (w->in_window) {
		w->result.submit_ns += after - now;
		if (load_in_flight(w) > w->result.depth_max)
			w->result.depth_max = load_in_flight(w);
	}
}

/* The kernel takes nothing and owes us nothing: wait a little, but not for ever. */
static void no_room(struct load_worker *w, uint64_t now)
{
	if (!w->no_room_since_ns)
		w->no_room_since_ns = now;
	if (now - w->no_room_since_ns > NO_ROOM_LIMIT_NS)
		fail(w, EAGAIN);
	clock_sleep_ns(NO_ROOM_SLEEP_NS);
}

/* How late the first n of the idle ones are at this stamp, less the wait for one to be idle. */
static void note_late(struct load_worker *w, unsigned n, uint64_t now)
{
	struct load_open *o = w->open;

	move_window(w, now);
	for (unsigned i = 0; i < n && w->in_window; i++) {
		uint64_t due = *due_of(w, slot_of(w->idle[i]));
		uint64_t from = due > o->room_since_ns ? due : o->room_since_ns;

		hist_add(&o->late, now > from ? now - from : 0);
	}
}

/*
 * Submit the nr that are drawn, at most a chunk; what the kernel does not take stays drawn and is
 * stamped anew. False when it took nothing: then only a completion makes room.
 */
__attribute__((always_inline)) static inline bool submit_drawn(struct load_worker *w, unsigned nr,
							       uint64_t now, bool is_open)
{
	int n;

	w->nr_drawn = nr;
	if (w->is_astray)
		return false;
	n = engine_submit(w->engine, w->idle, nr);
	if (n > 0) {
		w->nr_drawn -= (unsigned)n;
		if (is_open)
			note_late(w, (unsigned)n, now);
		submitted(w, (unsigned)n, now, clock_now_ns());
		w->no_room_since_ns = 0;
		return true;
	}
	if (n < 0) {
		note_error(w, w->idle[0], n);
		atomic_store_explicit(&w->control->stop, true, memory_order_relaxed);
	} else if (!load_in_flight(w)) {
		no_room(w, now);
	}
	return false;
}

static inline unsigned chunk_of_idle(const struct load_worker *w)
{
	return w->nr_idle < w->chunk ? w->nr_idle : w->chunk;
}

/* Put the whole depth in flight; after a reap that is one chunk. Filled before anything is
 * reaped, because a target that completes at once would else never see more than a chunk. */
static inline void submit(struct load_worker *w, uint64_t now)
{
	unsigned nr = chunk_of_idle(w);

	now = draw(w, nr, now);
	while (submit_drawn(w, nr, now, false) && w->nr_idle && goes_on(w)) {
		now = clock_now_ns();
		move_window(w, now);
		nr = chunk_of_idle(w);
		now = draw(w, nr, now);
	}
}

/* Behind a target that completes inside the submit call nothing stands idle while we are at a larger
 * batch, and each call that is saved is its IOPS. Back at once when anything is out. */
static inline void size_chunk(struct load_worker *w)
{
	/* Of what is drawn for a large one nothing may be forgotten. */
	if (w->nr_drawn > w->small_chunk)
		return;
	if (!load_in_flight(w) || engine_ready(w->engine) < load_in_flight(w) ||
	    w->slots[0].slat_ns > w->chunk * INLINE_IO_NS) {
		w->nr_inline = 0;
		w->chunk = w->small_chunk;
	} else if (w->nr_inline < INLINE_TURNS) {
		w->nr_inline++;
	} else {
		w->chunk = w->large_chunk;
	}
}

static uint64_t wait_until(uint64_t now, uint64_t end)
{
	uint64_t wait = end > now ? end - now : 0;

	return wait < MAX_WAIT_NS ? wait : MAX_WAIT_NS;
}

/* Until the next instant that matters: the window opens, or it ends. */
static uint64_t next_wait(const struct load_worker *w, uint64_t now)
{
	if (!w->in_window)
		return wait_until(now, w->control->window_start_ns + 1);
	return wait_until(now, window_end(w) + 1);
}

static void drain(struct load_worker *w, uint64_t now)
{
	uint64_t until = now + w->control->drain_timeout_ns;
	int n;

	w->stop_ns = now;
	while (load_in_flight(w)) {
		uint64_t give_up =
			atomic_load_explicit(&w->control->give_up_ns, memory_order_relaxed);

		/* What came back while this process was stopped is there all the same. */
		bool is_late = now >= until || now >= give_up;

		n = engine_reap(w->engine, w->done, w->chunk, is_late ? 0 : wait_until(now, until));
		now = clock_now_ns();
		reaped(w, n, now, false);
		if (is_late && n <= 0) {
			w->is_stuck = true;
			break;
		}
	}
	w->drain_end_ns = now;
}

/* Tell the other half of the core that we only wait. */
static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/* Poll for the first completion, at most until the next instant that matters. */
static int spin(struct load_worker *w, uint64_t now)
{
	uint64_t until = now + next_wait(w, now);
	int n = 0;

	while (!n && goes_on(w) && now < until) {
		for (unsigned i = 0; !n && i < POLLS_PER_LOOK; i++) {
			relax();
			n = engine_reap(w->engine, w->done, w->chunk, 0);
		}
		now = clock_now_ns();
	}
	return n;
}

static int wait(struct load_worker *w, uint64_t now)
{
	return w->control->spin ? spin(w, now)
				: engine_reap(w->engine, w->done, w->chunk, next_wait(w, now));
}

/* Each returns its last stamp. */
static uint64_t run_closed(struct load_worker *w, uint64_t now)
{
	int n;

	while (goes_on(w)) {
		if (w->nr_idle)
			submit(w, now);
		if (w->depth > MIN_CHUNK)
			size_chunk(w);
		n = engine_reap(w->engine, w->done, w->chunk, 0);
		if (!n && load_in_flight(w))
			n = wait(w, now);
		now = clock_now_ns();
		reaped(w, n, now, false);
	}
	return now;
}

/* Draw what is due by *now, a chunk at most; how many are drawn. Nothing is due behind the window. */
static unsigned draw_due(struct load_worker *w, uint64_t *now)
{
	unsigned nr = w->nr_drawn, max = chunk_of_idle(w);
	struct arrival *a = &w->open->arrival;
	uint64_t end = window_end(w), until = *now < end ? *now : end;

	for (; nr < max && a->next_ns <= until; nr++) {
		w->open->nr_arrivals += a->next_ns > w->control->window_start_ns;
		*due_of(w, slot_of(w->idle[nr])) = a->next_ns;
		arrival_advance(a);
	}
	*now = draw(w, nr, *now);
	return nr;
}

static void submit_due(struct load_worker *w, uint64_t now)
{
	unsigned nr;

	while (w->nr_idle && goes_on(w) && (nr = draw_due(w, &now)) &&
	       submit_drawn(w, nr, now, true))
		now = clock_now_ns();
}

/* Until the next start, but for the time that a wake-up takes, which is spent polling. */
static uint64_t open_wait(const struct load_worker *w)
{
	uint64_t now = clock_now_ns(), wait = next_wait(w, now), next = w->open->arrival.next_ns;

	/* What the kernel refused has waited in no_room, and nothing in flight would end a wait. */
	if (w->control->spin || (w->nr_drawn && !load_in_flight(w)))
		return 0;
	if (!w->nr_idle || w->nr_drawn)
		return wait;
	if (next <= now + WAKE_AHEAD_NS)
		return 0;
	next -= now + WAKE_AHEAD_NS;
	return next < wait ? next : wait;
}

static uint64_t run_open(struct load_worker *w, uint64_t now)
{
	bool was_full;
	int n;

	/* The default lets the kernel wake us 50 us late. */
	(void)prctl(PR_SET_TIMERSLACK, 1UL);
	arrival_skip_before(&w->open->arrival, now);
	while (goes_on(w)) {
		submit_due(w, now);
		was_full = !w->nr_idle;
		relax();
		n = engine_reap(w->engine, w->done, w->chunk, 0);
		if (!n)
			n = engine_reap(w->engine, w->done, w->chunk, open_wait(w));
		now = clock_now_ns();
		reaped(w, n, now, true);
		if (was_full && w->nr_idle)
			w->open->room_since_ns = now;
	}
	return now;
}

void load_worker_run(struct load_worker *w)
{
	uint64_t now = clock_now_ns();

	w->interval_end_ns = w->control->window_start_ns;
	move_window(w, now);
	now = w->open ? run_open(w, now) : run_closed(w, now);
	if (w->in_window)
		close_window(w, now, window_end(w));
	/* A point that was stopped in its ramp has no window, not one within the drain. */
	w->is_over = true;
	drain(w, now);
}
