/* SPDX-License-Identifier: MIT */
/*
 * The runner: measures points on one target, one after the other. It reports through a sink
 * and knows nothing of the store, and it takes each point from its caller, so that something
 * else (several hosts at once, a search) can decide what comes next.
 */
#ifndef RUN_RUNNER_H
#define RUN_RUNNER_H

#include "base/err.h"
#include "model/measurement.h"
#include "model/target.h"
#include "target/target.h"

#include <signal.h>
#include <stdint.h>

/* Sent about ten times a second while a point goes on, for a progress line. */
struct run_progress {
	bool in_window;
	uint64_t elapsed_ns; /* since the point began */
	double iops, lat_ns; /* of the last second; UNKNOWN before there is one */
	uint64_t silent_ns;  /* in the window: since the last completion, or since it began */
	uint64_t drain_ns;   /* since the end of the window: I/Os are still out */
};

struct runner_config {
	const struct target_info *info;
	const struct target *target;
	const char *engine;
	uint64_t seed;
	unsigned rank; /* place among several hosts; 0 alone */
	uint64_t ramp_ns;
	uint64_t runtime_ns;	 /* the window, when it is fixed; else 0 and ... */
	uint64_t min_ns, max_ns; /* ... between these, by the stopping rule, ... */
	double precision;	 /* ... for this relative half width */
	uint64_t drain_timeout_ns;
	uint32_t compress_pct;			    /* of each 4 KiB written, how much is zeros */
	bool spin;				    /* poll for completions */
	enum arrivals arrivals;			    /* of points with a rate */
	uint32_t max_depth_per_worker, max_workers; /* of all points: contexts are made once */
	const volatile sig_atomic_t *nr_signals;    /* stop in good order when not 0 */
	void (*progress)(void *arg, const struct run_progress *p);
	void *progress_arg;
};

struct runner;

struct runner *runner_new(const struct runner_config *config);
/* Leaves behind what an I/O that never came back may still write to. */
void runner_free(struct runner *r);

/*
 * Measure one point into m (measurement_init first); that of a rate in per cent has its rate_iops
 * already. A point that cannot be measured, for
 * whatever reason, is a failed measurement with the reason in it, not an error of the runner.
 */
void runner_measure(struct runner *r, const struct point_spec *spec, uint32_t seq,
		    struct measurement *m);

/* I/Os of the last point never came back: nothing more can be measured on this target. */
bool runner_is_stuck(const struct runner *r);

#endif
