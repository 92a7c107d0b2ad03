/* SPDX-License-Identifier: MIT */
#include "run/session.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/rng.h"
#include "base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of the series. A series of a whole day for each worker would be more memory than the buffers, so
 * fixed windows of more than 20 minutes have the longer one. */
#define INTERVAL_NS	 (100 * NS_PER_MS)
#define LONG_INTERVAL_NS (500 * NS_PER_MS)
#define LONG_WINDOW_NS	 (20 * 60 * NS_PER_S)
/* How long a batch for the intervals of percentiles lasts: 40 of them in the shortest window, but
 * not so short that looking costs anything. */
#define BATCH_NS_MIN (100 * NS_PER_MS)
#define BATCH_NS_MAX NS_PER_S
#define RANDOM_BYTES ((size_t)1 << 20)

/* Kept in sight, so that a leak checker knows that it is meant; volatile, since nobody reads it. */
static struct runner *volatile left_behind;

struct runner *runner_new(const struct runner_config *config)
{
	struct runner *r = xcalloc(1, sizeof(*r));
	struct rng rng;

	r->cfg = *config;
	r->engines = xcalloc(config->max_workers, sizeof(struct engine *));
	r->random = xmalloc(RANDOM_BYTES);
	rng_seed(&rng, rng_mix(config->seed));
	rng_fill(&rng, r->random, RANDOM_BYTES);
	return r;
}

static void *close_thread(void *engine)
{
	engine_close(engine);
	return NULL;
}

/* Each waits some 30 ms for the kernel, so that many are closed side by side. */
static void close_engines(struct runner *r)
{
	pthread_t *threads = xcalloc(r->cfg.max_workers, sizeof(*threads));
	bool *started = xcalloc(r->cfg.max_workers, sizeof(*started));

	for (uint32_t i = 0; i < r->cfg.max_workers; i++) {
		started[i] = r->engines[i] &&
			     !pthread_create(&threads[i], NULL, close_thread, r->engines[i]);
		if (!started[i])
			engine_close(r->engines[i]);
	}
	for (uint32_t i = 0; i < r->cfg.max_workers; i++)
		if (started[i])
			(void)pthread_join(threads[i], NULL);
	free(threads);
	free(started);
}

void runner_free(struct runner *r)
{
	if (!r)
		return;
	/* The kernel may still write into these buffers; the end of the process waits for it. */
	if (r->is_stuck) {
		r->next = left_behind;
		left_behind = r;
		return;
	}
	close_engines(r);
	pool_release(&r->pool);
	free(r->engines);
	free(r->random);
	free(r->probed);
	free(r);
}

bool runner_is_stuck(const struct runner *r)
{
	return r->is_stuck;
}

static bool open_engine(struct runner *r, unsigned i, unsigned need, struct measurement *m)
{
	/* The first try is for the deepest point of all, so that contexts are made once. */
	const unsigned sizes[] = {r->cfg.max_depth_per_worker, need};
	int rc = 0;

	if (r->engines[i] && r->engines[i]->depth >= need)
		return true;
	engine_close(r->engines[i]);
	r->engines[i] = NULL;
	for (size_t s = 0; s < NR(sizes); s++) {
		rc = engine_open(r->cfg.engine, sizes[s], &r->engines[i]);
		if (!rc)
			return true;
	}
	if (rc == -EAGAIN)
		session_fail(
			m, EAGAIN,
			"AIO limit: fs.aio-max-nr leaves no room for this depth; raise it with "
			"sysctl fs.aio-max-nr");
	else
		session_fail(m, -rc, strerror(-rc));
	return false;
}

static size_t bytes_per_worker(const struct point_spec *spec)
{
	return (size_t)load_share(spec->iodepth, spec->workers, 0) * spec->bs_bytes;
}

/* What every offset is checked against is checked itself: the span lies on the target as it was found,
 * in whole logical blocks. The plan sees to it; so this never shows. */
static bool is_on_target(struct session *s)
{
	const struct target_info *info = s->r->cfg.info;
	const struct point_spec *spec = &s->spec;
	struct buf b = BUF_INIT;

	if (target_has_span(info, spec->offset_bytes, spec->span_bytes) &&
	    spec->span_bytes >= spec->bs_bytes && spec->bs_bytes % info->logical_block_bytes == 0)
		return true;
	buf_addf(&b,
		 "a mistake in this program: a span of %" PRIu64 " bytes at offset %" PRIu64
		 " in blocks of %" PRIu64 " bytes is none of '%s', which has %" PRIu64
		 " bytes; nothing was submitted; please report this",
		 spec->span_bytes, spec->offset_bytes, spec->bs_bytes, info->given,
		 info->size_bytes);
	session_fail(s->m, ERANGE, buf_text(&b));
	buf_release(&b);
	return false;
}

static bool get_ready(struct session *s)
{
	const struct point_spec *spec = &s->m->spec;
	struct runner *r = s->r;
	size_t per_worker = bytes_per_worker(spec);
	struct err e = {0};

	if (pool_reserve(&r->pool, pool_need(per_worker, spec->workers), r->cfg.seed,
			 r->cfg.nr_signals, &e)) {
		session_fail(s->m, e.code == ERR_INTR ? EINTR : ENOMEM, e.msg);
		if (e.code == ERR_INTR)
			s->m->status = POINT_INTERRUPTED;
		return false;
	}
	s->m->buffer_bytes = pool_need(per_worker, spec->workers);
	s->m->buffer_huge_bytes =
		r->pool.huge_bytes < s->m->buffer_bytes ? r->pool.huge_bytes : s->m->buffer_bytes;
	for (unsigned i = 0; i < spec->workers; i++) {
		if (!open_engine(r, i, load_share(spec->iodepth, spec->workers, i), s->m))
			return false;
		s->fds[i] = target_open_worker(r->cfg.target, point_writes(spec), &e);
		if (s->fds[i] < 0) {
			session_fail(s->m, errno, e.msg);
			return false;
		}
	}
	return true;
}

static void probe_span(struct session *s, struct probe *found)
{
	const struct runner_config *cfg = &s->r->cfg;
	const struct point_spec *spec = &s->spec;
	const struct probe_config c = {
		.engine = s->r->engines[0],
		.fd = s->fds[0],
		.buffer = pool_region(&s->r->pool, bytes_per_worker(spec), 0),
		.seed = cfg->seed ^ spec->span_bytes,
		.drain_timeout_ns = cfg->drain_timeout_ns,
		.nr_signals = cfg->nr_signals,
	};

	probe_read(&c, spec, found);
}

static struct probe probe_once(struct session *s)
{
	struct runner *r = s->r;
	struct probed *p;

	for (size_t i = 0; i < r->nr_probed; i++)
		if (r->probed[i].span_bytes == s->spec.span_bytes &&
		    r->probed[i].offset_bytes == s->spec.offset_bytes)
			return r->probed[i].found;
	VEC_GROW(r->probed, r->nr_probed, r->cap_probed);
	p = &r->probed[r->nr_probed++];
	*p = (struct probed){.offset_bytes = s->spec.offset_bytes,
			     .span_bytes = s->spec.span_bytes};
	probe_span(s, &p->found);
	return p->found;
}

/*
 * Whether the blocks that are going to be read or written were ever written before (D16): as it is
 * now, since writes of this point may fill them. False when the target hangs already, or a signal came.
 */
static bool look_at_blocks(struct session *s)
{
	struct evidence *ev = &s->evidence;

	target_find_unwritten(s->r->cfg.info, s->spec.offset_bytes, s->spec.span_bytes,
			      &ev->extents);
	if (!ev->extents.is_known && point_reads(&s->spec))
		ev->probe = probe_once(s);
	s->r->is_stuck |= ev->probe.is_stuck;
	if (*s->r->cfg.nr_signals) {
		session_fail(s->m, EINTR, "ended by a signal");
		s->m->status = POINT_INTERRUPTED;
	} else if (ev->probe.is_stuck) {
		session_fail(s->m, ETIMEDOUT,
			     "hung: a first read did not come back within the drain timeout");
	}
	return s->m->status == POINT_PLANNED;
}

static void init_control(struct session *s)
{
	const struct runner_config *cfg = &s->r->cfg;

	s->max_window_ns = cfg->runtime_ns ? cfg->runtime_ns : cfg->max_ns;
	s->begin_ns = clock_now_ns();
	s->control.window_start_ns = s->begin_ns + cfg->ramp_ns;
	s->control.window_end_ns = s->control.window_start_ns + s->max_window_ns;
	s->control.give_up_ns = UINT64_MAX;
	s->control.drain_timeout_ns = cfg->drain_timeout_ns;
	s->control.spin = cfg->spin;
	s->control.compress_pct = cfg->compress_pct;
	s->control.interval_ns = cfg->runtime_ns > LONG_WINDOW_NS ? LONG_INTERVAL_NS : INTERVAL_NS;
	s->control.begin_ns = s->begin_ns;
	s->control.arrivals = cfg->arrivals;
	s->control.rate_iops = point_is_open(&s->spec) ? s->m->rate_iops : 0;
	s->control.max_intervals = (size_t)(s->max_window_ns / s->control.interval_ns) + 1;
}

static void init_batches(struct session *s)
{
	const struct runner_config *cfg = &s->r->cfg;
	uint64_t shortest = cfg->runtime_ns ? cfg->runtime_ns : cfg->min_ns;

	s->batch_ns = shortest / BATCHES_MAX;
	if (s->batch_ns < BATCH_NS_MIN)
		s->batch_ns = BATCH_NS_MIN;
	if (s->batch_ns > BATCH_NS_MAX)
		s->batch_ns = BATCH_NS_MAX;
	s->batch_due_ns = s->control.window_start_ns + s->batch_ns;
	for (enum dir d = DIR_READ; d <= DIR_WRITE; d++)
		if (d == DIR_READ ? s->spec.rwmixread_pct > 0 : s->spec.rwmixread_pct < 100)
			s->m->batches[d] = hist_batches_new();
}

static void *worker_thread(void *p)
{
	struct thread *t = p;

	load_worker_run(t->worker);
	atomic_store(&t->has_ended, true);
	(void)sem_post(t->ended);
	return NULL;
}

static void fail_start(struct measurement *m, unsigned worker, int errnum)
{
	struct err e = {0};

	(void)err_sys(&e, ERR_SYSTEM, errnum,
		      errnum == ENOMEM ? "no memory for worker %u of %u at this depth"
				       : "cannot start the thread of worker %u of %u",
		      worker + 1, m->spec.workers);
	session_fail(m, errnum, e.msg);
}

static void start_workers(struct session *s)
{
	const struct point_spec *spec = &s->spec;
	size_t per_worker = bytes_per_worker(spec);
	sigset_t all, old;

	/* Signals are the main thread's: workers look at control->stop. */
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &old);
	for (unsigned i = 0; i < spec->workers; i++) {
		struct thread *t = &s->threads[i];
		int rc = -load_worker_init(&s->workers[i], &s->control, spec, i, s->r->engines[i],
					   s->fds[i], pool_region(&s->r->pool, per_worker, i),
					   s->r->random, RANDOM_BYTES,
					   pattern_seed(s->r->cfg.seed, s->r->cfg.rank, spec, i));

		t->worker = &s->workers[i];
		t->ended = &s->ended;
		if (!rc)
			rc = pthread_create(&t->id, NULL, worker_thread, t);
		if (rc) {
			load_worker_release(&s->workers[i]);
			atomic_store(&s->control.stop, true);
			fail_start(s->m, i, rc);
			break;
		}
		s->nr_started++;
	}
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static struct session *session_new(struct runner *r, struct measurement *m)
{
	struct session *s = xcalloc(1, sizeof(*s));

	s->r = r;
	s->m = m;
	s->spec = m->spec;
	s->workers = xcalloc(s->spec.workers, sizeof(*s->workers));
	s->threads = xcalloc(s->spec.workers, sizeof(*s->threads));
	s->fds = xmalloc(s->spec.workers * sizeof(*s->fds));
	for (unsigned i = 0; i < s->spec.workers; i++)
		s->fds[i] = -1;
	(void)sem_init(&s->ended, 0, 0);
	return s;
}

static void session_free(struct session *s)
{
	for (unsigned i = 0; i < s->spec.workers; i++)
		if (s->fds[i] >= 0)
			(void)close(s->fds[i]);
	for (unsigned i = 0; i < s->nr_started; i++)
		load_worker_release(&s->workers[i]);
	(void)sem_destroy(&s->ended);
	free(s->workers);
	free(s->threads);
	free(s->fds);
	free(s->cpu_before);
	free(s);
}

void runner_measure(struct runner *r, const struct point_spec *spec, uint32_t seq,
		    struct measurement *m)
{
	struct session *s;

	m->spec = *spec;
	m->seq = seq;
	m->seed = r->cfg.seed;
	m->spin = r->cfg.spin;
	m->start_wall_ns = clock_wall_ns();
	s = session_new(r, m);
	if (is_on_target(s) && get_ready(s) && look_at_blocks(s)) {
		init_control(s);
		init_batches(s);
		start_workers(s);
		session_watch(s);
		session_finish(s);
	}
	/* What was found before it wrote is no longer so, neither by this point nor by those before. */
	if (point_writes(spec))
		r->nr_probed = 0;
	m->end_wall_ns = clock_wall_ns();
	/* Even closing a descriptor can wait for a target that hangs. */
	if (r->is_stuck)
		r->left_behind = s;
	else
		session_free(s);
}
