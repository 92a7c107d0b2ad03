/* SPDX-License-Identifier: MIT */
#include "run/runner.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/rng.h"
#include "base/units.h"
#include "run/load.h"
#include "run/pool.h"
#include "run/probe.h"
#include "run/stop.h"
#include "run/verdict.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of the series. A series of a whole day for each worker would be more memory than the buffers, so
 * fixed windows of more than 20 minutes have the longer one. */
#define INTERVAL_NS	 (100 * NS_PER_MS)
#define LONG_INTERVAL_NS (500 * NS_PER_MS)
#define LONG_WINDOW_NS	 (20 * 60 * NS_PER_S)
#define TICK_NS		 (100 * NS_PER_MS)
#define JUDGE_NS	 NS_PER_S
/* How long a batch for the intervals of percentiles lasts: 40 of them in the shortest window, but
 * not so short that looking costs anything. */
#define BATCH_NS_MIN (100 * NS_PER_MS)
#define BATCH_NS_MAX NS_PER_S
#define CLOSE_NS     (20 * NS_PER_MS)
#define RANDOM_BYTES ((size_t)1 << 20)
/* After a signal the point must be stored within 3 s (D10). */
#define SIGNAL_DRAIN_NS (3 * NS_PER_S / 2)
/* A worker that is not back so long after its last instant is inside a submit call that blocks. */
#define LOST_NS (300 * NS_PER_MS)

/* What the probe of a span found, so that each span is read once. */
struct probed {
	uint64_t offset_bytes, span_bytes;
	struct probe found;
};

struct runner {
	struct runner_config cfg;
	struct pool pool;
	struct engine **engines; /* cfg.max_workers of them; NULL until first used */
	unsigned char *random;
	struct probed *probed;
	size_t nr_probed, cap_probed;
	bool is_stuck;
	struct session *left_behind; /* what lost workers and the kernel still use */
	struct runner *next;	     /* left behind before this one */
};

struct thread {
	pthread_t id;
	struct load_worker *worker;
	sem_t *ended;
	_Atomic bool has_ended;
	bool is_lost; /* given up by the main thread: nothing of its worker may be read */
};

/* One point in hand. Workers that are lost go on using it, so it is left to them then. */
struct session {
	struct runner *r;
	struct measurement *m;
	struct point_spec spec;
	struct load_control control;
	struct load_worker *workers;
	struct thread *threads;
	int *fds;
	unsigned nr_started;
	sem_t ended; /* posted by each worker that ends */
	uint64_t begin_ns, max_window_ns, judged_ns;
	uint64_t batch_ns, batch_due_ns;
	uint64_t counters_before_ns;
	bool has_before, has_after, has_stopped, interrupted;
	struct stop_state stop;
	struct evidence evidence;
	int64_t err_res; /* of the first error, as load_worker has it */
};

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

static void fail(struct measurement *m, int errnum, const char *reason)
{
	m->status = POINT_FAILED;
	if (!m->err_errno)
		m->err_errno = errnum;
	if (!m->reason)
		m->reason = xstrdup(reason);
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
		fail(m, EAGAIN,
		     "AIO limit: fs.aio-max-nr leaves no room for this depth; raise it with "
		     "sysctl fs.aio-max-nr");
	else
		fail(m, -rc, strerror(-rc));
	return false;
}

static size_t bytes_per_worker(const struct point_spec *spec)
{
	return (size_t)load_share(spec->iodepth, spec->workers, 0) * spec->bs_bytes;
}

static bool get_ready(struct session *s)
{
	const struct point_spec *spec = &s->m->spec;
	struct runner *r = s->r;
	size_t per_worker = bytes_per_worker(spec);
	struct err e = {0};

	if (pool_reserve(&r->pool, pool_need(per_worker, spec->workers), r->cfg.seed,
			 r->cfg.nr_signals, &e)) {
		fail(s->m, e.code == ERR_INTR ? EINTR : ENOMEM, e.msg);
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
			fail(s->m, errno, e.msg);
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
		fail(s->m, EINTR, "ended by a signal");
		s->m->status = POINT_INTERRUPTED;
	} else if (ev->probe.is_stuck) {
		fail(s->m, ETIMEDOUT,
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
		int rc;

		load_worker_init(&s->workers[i], &s->control, spec, i, s->r->engines[i], s->fds[i],
				 pool_region(&s->r->pool, per_worker, i), s->r->random,
				 RANDOM_BYTES,
				 pattern_seed(s->r->cfg.seed, s->r->cfg.rank, spec, i));
		t->worker = &s->workers[i];
		t->ended = &s->ended;
		rc = pthread_create(&t->id, NULL, worker_thread, t);
		if (rc) {
			load_worker_release(&s->workers[i]);
			atomic_store(&s->control.stop, true);
			fail(s->m, rc, "cannot start a worker thread");
			break;
		}
		s->nr_started++;
	}
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* Whole intervals that all workers are through with. */
static size_t published(const struct session *s)
{
	size_t least = SIZE_MAX;

	for (unsigned i = 0; i < s->nr_started; i++) {
		size_t n = atomic_load_explicit(&s->workers[i].published, memory_order_acquire);

		least = n < least ? n : least;
	}
	return least == SIZE_MAX ? 0 : least;
}

static void add_interval(struct interval *sum, const struct interval *iv)
{
	for (enum dir d = DIR_READ; d <= DIR_WRITE; d++) {
		sum->ios[d] += iv->ios[d];
		sum->lat_ns[d] += iv->lat_ns[d];
	}
}

/* The series of all workers together; the caller frees it. */
static struct interval *merge_series(const struct session *s, size_t first, size_t nr)
{
	struct interval *sum = xcalloc(nr, sizeof(*sum));

	for (unsigned w = 0; w < s->nr_started; w++)
		for (size_t i = 0; i < nr && !s->threads[w].is_lost; i++)
			add_interval(&sum[i], &s->workers[w].series[first + i]);
	return sum;
}

/* How long nothing has completed: the end of the last interval with a completion is the latest
 * instant at which one can have been. */
static uint64_t silent_ns(const struct session *s, uint64_t now)
{
	uint64_t last = s->control.window_start_ns;

	for (unsigned w = 0; w < s->nr_started; w++) {
		const struct load_worker *lw = &s->workers[w];
		size_t n = atomic_load_explicit(&lw->published, memory_order_acquire);
		uint64_t end;

		while (n > 0 &&
		       !(lw->series[n - 1].ios[DIR_READ] | lw->series[n - 1].ios[DIR_WRITE]))
			n--;
		end = s->control.window_start_ns + n * s->control.interval_ns;
		last = end > last ? end : last;
	}
	return now > last ? now - last : 0;
}

static void report_progress(const struct session *s, uint64_t now)
{
	size_t nr = published(s), last = nr < 10 ? nr : 10;
	struct interval *series = merge_series(s, nr - last, last);
	struct interval sum = {0};
	struct run_progress p = {
		.in_window = now > s->control.window_start_ns,
		.elapsed_ns = now - s->begin_ns,
		.iops = UNKNOWN,
		.lat_ns = UNKNOWN,
	};
	uint64_t end_ns = s->control.window_end_ns;
	double ios;

	if (now > end_ns)
		p.drain_ns = now - end_ns;
	else
		p.silent_ns = silent_ns(s, now);
	for (size_t i = 0; i < last; i++)
		add_interval(&sum, &series[i]);
	free(series);
	ios = (double)sum.ios[DIR_READ] + (double)sum.ios[DIR_WRITE];
	if (last)
		p.iops = ios * (double)NS_PER_S / ((double)last * (double)s->control.interval_ns);
	if (ios > 0)
		p.lat_ns = ((double)sum.lat_ns[DIR_READ] + (double)sum.lat_ns[DIR_WRITE]) / ios;
	s->r->cfg.progress(s->r->cfg.progress_arg, &p);
}

/* The stopping rule, once a second from min_time on: close the window as soon as it may. */
static void judge_precision(struct session *s, uint64_t now)
{
	const struct runner_config *cfg = &s->r->cfg;
	struct interval *series;
	uint64_t end;
	size_t nr;

	if (cfg->runtime_ns || s->stop.answer == STOP_PRECISE ||
	    now < s->control.window_start_ns + cfg->min_ns || now < s->judged_ns + JUDGE_NS ||
	    now >= s->control.window_end_ns)
		return;
	nr = published(s);
	series = merge_series(s, 0, nr);
	s->stop = stop_judge(series, nr, cfg->precision);
	free(series);
	/* With an interval too few it is looked again at the next tick, not a second later. */
	if (s->stop.answer != STOP_NOT_YET)
		s->judged_ns = now;
	/* A little ahead: no worker may have counted beyond the end by the time it is told. */
	end = clock_now_ns() + CLOSE_NS;
	if (s->stop.answer == STOP_PRECISE && end < s->control.window_end_ns)
		atomic_store(&s->control.window_end_ns, end);
}

/* All latencies of a direction so far, from workers that go on counting. */
static void end_batch(struct session *s, enum dir d)
{
	uint64_t *total = xcalloc(HIST_NR, sizeof(*total));

	for (unsigned i = 0; i < s->nr_started; i++)
		hist_snapshot(s->workers[i].lat[d], total);
	hist_batches_add(s->m->batches[d], total);
	free(total);
}

/* Both directions tick together, so that their batches are of the same time. */
static void take_batch(struct session *s, uint64_t now)
{
	if (now < s->batch_due_ns || now >= s->control.window_end_ns)
		return;
	s->batch_due_ns += s->batch_ns;
	for (enum dir d = DIR_READ; d <= DIR_WRITE; d++)
		if (s->m->batches[d] && hist_batches_tick(s->m->batches[d]))
			end_batch(s, d);
}

static void read_counters(struct session *s, uint64_t now)
{
	const struct target_info *info = s->r->cfg.info;
	struct measurement *m = s->m;

	if (!s->has_before && now >= s->control.window_start_ns) {
		target_counters(info, &m->before, &m->bottom_before);
		s->counters_before_ns = clock_now_ns();
		s->evidence.counters_late_ns = s->counters_before_ns - s->control.window_start_ns;
		s->has_before = true;
	}
	if (s->has_before && !s->has_after && now >= s->control.window_end_ns) {
		target_counters(info, &m->after, &m->bottom_after);
		m->counters_ns = clock_now_ns() - s->counters_before_ns;
		s->has_after = true;
	}
}

/* D10: after the first signal what is in flight has a little time to come back, after a second
 * one none. */
static void look_at_signals(struct session *s, uint64_t now)
{
	if (*s->r->cfg.nr_signals > 1)
		atomic_store(&s->control.give_up_ns, now);
	if (s->interrupted || !*s->r->cfg.nr_signals)
		return;
	s->interrupted = true;
	if (s->control.give_up_ns > now)
		atomic_store(&s->control.give_up_ns, now + SIGNAL_DRAIN_NS);
	atomic_store(&s->control.stop, true);
}

/* The next instant at which the main thread has something to do. */
static uint64_t next_tick(const struct session *s, uint64_t now)
{
	uint64_t tick = now + TICK_NS;
	uint64_t start = s->control.window_start_ns, end = s->control.window_end_ns;

	if (start > now && start < tick)
		tick = start;
	if (end > now && end < tick)
		tick = end;
	return tick;
}

/* When the last worker must be back: it drains, and gives up then by itself. */
static uint64_t last_instant(const struct session *s)
{
	uint64_t drained = s->control.window_end_ns + s->control.drain_timeout_ns;
	uint64_t give_up = s->control.give_up_ns;

	return (drained < give_up ? drained : give_up) + LOST_NS;
}

/* A worker that stopped because of errors ends the point for those that are inside the submit call. */
static void look_at_stop(struct session *s, uint64_t now)
{
	if (s->has_stopped || !atomic_load(&s->control.stop))
		return;
	s->has_stopped = true;
	if (s->control.give_up_ns > now + s->control.drain_timeout_ns)
		atomic_store(&s->control.give_up_ns, now + s->control.drain_timeout_ns);
}

/* Lost is who is not back when a whole tick was waited behind the last instant: this process may have
 * been stopped meanwhile, and the workers with it. */
static void watch(struct session *s)
{
	uint64_t now = clock_now_ns();
	unsigned nr_ended = 0;
	bool is_late = false;

	while (nr_ended < s->nr_started && !is_late) {
		uint64_t tick = next_tick(s, now);
		struct timespec ts = {(time_t)(tick / NS_PER_S), (long)(tick % NS_PER_S)};

		if (!sem_clockwait(&s->ended, CLOCK_MONOTONIC, &ts)) {
			nr_ended++;
			continue;
		}
		is_late = now >= last_instant(s);
		now = clock_now_ns();
		look_at_signals(s, now);
		look_at_stop(s, now);
		read_counters(s, now);
		take_batch(s, now);
		judge_precision(s, now);
		if (s->r->cfg.progress)
			report_progress(s, now);
	}
	/* A window that ends in the drain's last tick. */
	read_counters(s, clock_now_ns());
}

static void join(struct session *s)
{
	for (unsigned i = 0; i < s->nr_started; i++) {
		struct thread *t = &s->threads[i];

		t->is_lost = !atomic_load(&t->has_ended);
		if (!t->is_lost)
			(void)pthread_join(t->id, NULL);
		s->r->is_stuck |= t->is_lost || s->workers[i].is_stuck;
	}
}

static void merge_worker(struct measurement *m, unsigned i, struct load_worker *w)
{
	for (enum dir d = DIR_READ; d <= DIR_WRITE; d++) {
		if (!w->lat[d])
			continue;
		if (m->lat[d]) {
			hist_merge(m->lat[d], w->lat[d]);
			continue;
		}
		m->lat[d] = w->lat[d];
		w->lat[d] = NULL;
	}
	w->result.depth_mean = m->window_ns ? (double)w->area_ns / (double)m->window_ns : 0;
	m->depth_mean += w->result.depth_mean;
	/* The workers' maxima may be of different instants, so this is an upper bound. */
	m->depth_max += w->result.depth_max;
	m->worker[i] = w->result;
	m->nr_errors += w->nr_errors;
	if (w->err_errno && !m->err_errno) {
		m->err_errno = w->err_errno;
		m->err_offset = w->err_offset;
	}
}

/* How long what completed in the window was in flight; in a closed loop that is its latency. */
static double in_flight_ns(const struct load_worker *w)
{
	if (w->open)
		return (double)w->open->service_ns;
	return (double)w->result.dir[DIR_READ].lat_ns + (double)w->result.dir[DIR_WRITE].lat_ns;
}

/* D9: latencies completed in the window, less what of them lies before it, plus the age of what
 * is in flight at its end, against the area under the number in flight. */
static double little_difference(const struct session *s)
{
	double sum = 0, area = 0;

	for (unsigned i = 0; i < s->nr_started; i++) {
		const struct load_worker *w = &s->workers[i];

		if (s->threads[i].is_lost)
			continue;
		sum += in_flight_ns(w) - (double)w->age_start_ns + (double)w->age_end_ns;
		area += (double)w->area_ns;
	}
	return area > 0 ? sum / area - 1 : UNKNOWN;
}

/* When the point ended, without the drain. One that was stopped ended where the last worker
 * looked at the clock inside the window, or, before there was a window, when it was stopped. */
static uint64_t real_end(const struct session *s)
{
	uint64_t end = 0;

	if (!s->control.stop)
		return s->control.window_end_ns;
	for (unsigned i = 0; i < s->nr_started; i++)
		if (!s->threads[i].is_lost && s->workers[i].mark_ns > end)
			end = s->workers[i].mark_ns;
	if (end)
		return end;
	for (unsigned i = 0; i < s->nr_started; i++)
		if (!s->threads[i].is_lost && s->workers[i].stop_ns > end)
			end = s->workers[i].stop_ns;
	return end ? end : s->begin_ns;
}

static void merge_open(const struct session *s)
{
	struct measurement *m = s->m;
	struct hist *late;

	if (!point_is_open(&m->spec))
		return;
	late = xmalloc(sizeof(*late));
	hist_init(late);
	for (unsigned i = 0; i < s->nr_started; i++) {
		const struct load_open *o = s->workers[i].open;

		if (s->threads[i].is_lost)
			continue;
		hist_merge(late, &o->late);
		m->arrivals += o->nr_arrivals;
		m->backlog += o->nr_backlog;
	}
	m->late_p50_ns = hist_quantile(late, 0.5);
	m->late_p99_ns = hist_quantile(late, 0.99);
	m->late_max_ns = late->count ? (double)late->max : UNKNOWN;
	free(late);
}

static void merge(struct session *s)
{
	struct measurement *m = s->m;
	uint64_t start = s->control.window_start_ns, end = real_end(s), drained = end;

	m->ramp_ns = (end < start ? end : start) - s->begin_ns;
	m->window_ns = end > start ? end - start : 0;
	m->interval_ns = s->control.interval_ns;
	m->depth_mean = 0;
	m->worker = xcalloc(m->spec.workers, sizeof(*m->worker));
	for (unsigned i = 0; i < s->nr_started; i++) {
		struct load_worker *w = &s->workers[i];

		if (s->threads[i].is_lost)
			continue;
		if (!m->err_errno)
			s->err_res = w->err_res;
		drained = w->drain_end_ns > drained ? w->drain_end_ns : drained;
		merge_worker(m, i, w);
	}
	m->drain_ns = drained - end;
	merge_open(s);
	m->little_rel = little_difference(s);
	/* A last part of an interval is kept, so that the series adds up to all completions. */
	m->nr_intervals = (size_t)((m->window_ns + m->interval_ns - 1) / m->interval_ns);
	if (m->nr_intervals > s->control.max_intervals)
		m->nr_intervals = s->control.max_intervals;
	m->series = merge_series(s, 0, m->nr_intervals);
}

static void explain_errors(struct measurement *m, int64_t res)
{
	struct buf b = BUF_INIT;

	/* The kernel has no errno for what a device that is gone or smaller now no longer has. */
	if (res >= 0)
		buf_addf(&b,
			 "short I/O, %" PRIi64 " of %" PRIu64
			 " bytes (was the device removed or made smaller?)",
			 res, m->spec.bs_bytes);
	else
		buf_addstr(&b, strerror(m->err_errno));
	if (m->err_offset != LOAD_NO_OFFSET)
		buf_addf(&b, " at offset %" PRIu64, m->err_offset);
	else
		m->err_offset = 0;
	buf_addf(&b, " (%" PRIu64 " error%s)", m->nr_errors, m->nr_errors == 1 ? "" : "s");
	measurement_flag(m, FLAG_IO_ERROR, "%s", buf_text(&b));
	fail(m, m->err_errno, buf_text(&b));
	buf_release(&b);
}

/* The window lasted as long as it may: judge all of it, as the last look was up to a second ago,
 * or never where min_time is max_time. A last part of an interval would look like a fall. */
static void judge_whole_window(struct session *s)
{
	const struct measurement *m = s->m;
	size_t whole = (size_t)(m->window_ns / m->interval_ns);

	if (whole > m->nr_intervals)
		whole = m->nr_intervals;
	s->stop = stop_judge(m->series, whole, s->r->cfg.precision);
}

static void flag_precision(struct session *s)
{
	if (s->r->cfg.runtime_ns || s->stop.answer == STOP_PRECISE)
		return;
	judge_whole_window(s);
	if (s->stop.answer == STOP_PRECISE)
		return;
	if (s->stop.answer == STOP_UNSTEADY)
		measurement_flag(s->m, FLAG_UNSTEADY, "range %.1f %%, drift %.1f %%",
				 100 * s->stop.range, 100 * s->stop.drift);
	else if (s->stop.answer == STOP_IMPRECISE)
		measurement_flag(s->m, FLAG_IMPRECISE, "IOPS +-%.1f %%, latency +-%.1f %%",
				 100 * s->stop.iops_half, 100 * s->stop.lat_half);
	else
		measurement_flag(s->m, FLAG_IMPRECISE, "too few intervals to tell");
}

/* What is out, and since when. Of a lost worker nothing may be read. */
static void explain_hang(struct session *s)
{
	uint64_t nr = 0, oldest = UINT64_MAX, now = clock_now_ns();
	unsigned nr_lost = 0;
	struct buf b = BUF_INIT;

	for (unsigned i = 0; i < s->nr_started; i++) {
		const struct load_worker *w = &s->workers[i];

		nr_lost += s->threads[i].is_lost;
		for (unsigned k = 0; !s->threads[i].is_lost && k < w->depth; k++) {
			if (!w->slots[k].start_ns)
				continue;
			nr++;
			oldest = w->slots[k].start_ns < oldest ? w->slots[k].start_ns : oldest;
		}
	}
	buf_addf(&b, "hung: '%s'", s->r->cfg.info->given);
	if (nr)
		buf_addf(&b, " has had %" PRIu64 " I/O%s outstanding for %.1f s", nr,
			 nr == 1 ? "" : "s", (double)(now - oldest) / (double)NS_PER_S);
	if (nr_lost)
		buf_addf(&b, "%s keeps %u worker%s inside the submit call", nr ? " and" : "",
			 nr_lost, nr_lost == 1 ? "" : "s");
	fail(s->m, ETIMEDOUT, buf_text(&b));
	buf_release(&b);
}

static void decide_status(struct session *s)
{
	struct measurement *m = s->m;

	if (m->nr_errors) {
		explain_errors(m, s->err_res);
	} else if (m->status == POINT_FAILED) {
		return;
	} else if (s->interrupted) {
		m->status = POINT_INTERRUPTED;
		m->reason = xstrdup("ended by a signal");
	} else if (s->r->is_stuck) {
		explain_hang(s);
	} else if (!measurement_sums(m, DIR_TOTAL).ios) {
		m->status = POINT_NO_IO;
		m->reason = xstrdup("no I/O completed in the window");
	} else {
		m->status = POINT_OK;
		flag_precision(s);
		verdict_judge(m, s->r->cfg.info, &s->evidence);
	}
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
	if (get_ready(s) && look_at_blocks(s)) {
		init_control(s);
		init_batches(s);
		start_workers(s);
		watch(s);
		join(s);
		merge(s);
		decide_status(s);
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
