/* SPDX-License-Identifier: MIT */
#include "run/session.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "target/target.h"

#include <stdlib.h>

#define TICK_NS	 (100 * NS_PER_MS)
#define JUDGE_NS NS_PER_S
#define CLOSE_NS (20 * NS_PER_MS)
/* After a signal the point must be stored within 3 s (D10). */
#define SIGNAL_DRAIN_NS (3 * NS_PER_S / 2)
/* A worker that is not back so long after its last instant is inside a submit call that blocks. */
#define LOST_NS (300 * NS_PER_MS)

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
		if (iv->lat_max_ns[d] > sum->lat_max_ns[d])
			sum->lat_max_ns[d] = iv->lat_max_ns[d];
	}
}

struct interval *session_series(const struct session *s, size_t first, size_t nr)
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
	struct interval *series = session_series(s, nr - last, last);
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
	series = session_series(s, 0, nr);
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
		target_cpu_times(&m->cpu, &m->nr_cpus);
		m->nr_cpus =
			target_cpu_subtract(m->cpu, m->nr_cpus, s->cpu_before, s->nr_cpus_before);
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

void session_watch(struct session *s)
{
	uint64_t now;
	unsigned nr_ended = 0;
	bool is_late = false;

	/* Reading them takes a while where there are many cores or slow ones, so not in the window. */
	target_cpu_times(&s->cpu_before, &s->nr_cpus_before);
	now = clock_now_ns();
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
