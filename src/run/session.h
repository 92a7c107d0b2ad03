/* SPDX-License-Identifier: MIT */
/*
 * A point in hand, which runner.c begins and ends, watch.c looks after while it goes on, and
 * result.c makes a measurement of. Nobody else includes this.
 */
#ifndef RUN_SESSION_H
#define RUN_SESSION_H

#include "run/load.h"
#include "run/pool.h"
#include "run/probe.h"
#include "run/runner.h"
#include "run/stop.h"
#include "run/verdict.h"

#include <pthread.h>
#include <semaphore.h>

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
	struct cpu_times *cpu_before;
	size_t nr_cpus_before;
	bool has_before, has_after, has_stopped, interrupted;
	struct stop_state stop;
	struct evidence evidence;
	int64_t err_res; /* of the first error, as load_worker has it */
	bool is_astray;	 /* a worker's I/O would have left the span: the error is that one */
};

/* Signals, counters, batches, the stopping rule and progress, until all workers have ended or are
 * lost: not back when a whole tick was waited behind the last instant, since this process may have been
 * stopped meanwhile, and the workers with it. */
void session_watch(struct session *s);

/* Intervals of all workers together that are not lost; the caller frees them. */
struct interval *session_series(const struct session *s, size_t first, size_t nr);

/* Take the workers that have ended together into s->m, and judge it. */
void session_finish(struct session *s);

/* The point failed: the first errno and the first reason stay. */
void session_fail(struct measurement *m, int errnum, const char *reason);

#endif
