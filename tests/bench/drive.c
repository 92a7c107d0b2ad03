/* SPDX-License-Identifier: MIT */
#include "drive.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

#define INTERVAL_NS  (100 * NS_PER_MS)
#define RANDOM_BYTES ((size_t)1 << 20)

/* No file system asks direct I/O for more. */
#define ALIGN_BYTES 4096

struct point_spec drive_spec(enum rw_mode rw, uint32_t iodepth, uint64_t bs_bytes,
			     uint64_t span_bytes)
{
	return (struct point_spec){
		.rw = rw,
		.iodepth = iodepth,
		.workers = 1,
		.rwmixread_pct = rw_writes(rw) ? 0 : 100,
		.random_pct = 100,
		.bs_bytes = bs_bytes,
		.span_bytes = span_bytes / bs_bytes * bs_bytes,
		.repeat = 1,
	};
}

static unsigned char *random_bytes(size_t size, uint64_t seed)
{
	unsigned char *mem = aligned_alloc(ALIGN_BYTES, (size + ALIGN_BYTES - 1) & ~(size_t)4095);
	struct rng rng;

	if (!mem)
		abort();
	rng_seed(&rng, seed);
	rng_fill(&rng, mem, size);
	return mem;
}

void drive_init(struct drive *d, const struct point_spec *spec, struct engine *engine, int fd,
		uint64_t seed, uint64_t ramp_ns, uint64_t window_ns)
{
	*d = (struct drive){.spec = *spec};
	d->buffers = random_bytes((size_t)(spec->iodepth * spec->bs_bytes), seed);
	d->random = random_bytes(RANDOM_BYTES, rng_mix(seed));
	d->control.give_up_ns = UINT64_MAX;
	d->control.drain_timeout_ns = 60 * NS_PER_S;
	d->control.interval_ns = INTERVAL_NS;
	d->control.max_intervals = (size_t)(window_ns / INTERVAL_NS) + 1;
	if (load_worker_init(&d->worker, &d->control, &d->spec, 0, engine, fd, d->buffers,
			     d->random, RANDOM_BYTES, seed))
		abort();
	d->control.window_start_ns = clock_now_ns() + ramp_ns;
	d->control.window_end_ns = d->control.window_start_ns + window_ns;
}

void drive_release(struct drive *d)
{
	load_worker_release(&d->worker);
	free(d->buffers);
	free(d->random);
}

int drive_run(struct drive *d)
{
	load_worker_run(&d->worker);
	return d->worker.nr_errors ? -d->worker.err_errno : 0;
}

void drive_stop(struct drive *d)
{
	atomic_store_explicit(&d->control.stop, true, memory_order_relaxed);
}

void drive_end_at(struct drive *d, uint64_t window_end_ns)
{
	atomic_store(&d->control.window_end_ns, window_end_ns);
}

size_t drive_intervals(const struct drive *d, const struct interval **series)
{
	*series = d->worker.series;
	return atomic_load_explicit(&d->worker.published, memory_order_acquire);
}

void drive_measurement(struct drive *d, struct measurement *m)
{
	struct load_worker *w = &d->worker;

	measurement_init(m, &d->spec);
	m->status = w->nr_errors ? POINT_FAILED : POINT_OK;
	m->interval_ns = INTERVAL_NS;
	m->window_ns = d->control.window_end_ns - d->control.window_start_ns;
	m->nr_intervals = (size_t)(m->window_ns / INTERVAL_NS);
	m->series = xcalloc(m->nr_intervals, sizeof(*m->series));
	memcpy(m->series, w->series, m->nr_intervals * sizeof(*m->series));
	m->worker = xcalloc(1, sizeof(*m->worker));
	*m->worker = w->result;
	for (enum dir dir = DIR_READ; dir <= DIR_WRITE; dir++) {
		m->lat[dir] = w->lat[dir];
		w->lat[dir] = NULL;
	}
}
