/* SPDX-License-Identifier: MIT */
/*
 * One worker of the real load loop on an engine of the caller's, without the runner around it.
 * All that the programs of this folder know of how a worker is set up is in drive.c.
 */
#ifndef BENCH_DRIVE_H
#define BENCH_DRIVE_H

#include "run/load.h"

#include <stdint.h>

struct drive {
	struct point_spec spec;
	struct load_control control;
	struct load_worker worker;
	unsigned char *buffers, *random;
};

/* A point of one worker: random I/O of bs_bytes all over the first span_bytes. */
struct point_spec drive_spec(enum rw_mode rw, uint32_t iodepth, uint64_t bs_bytes,
			     uint64_t span_bytes);

/* The ramp begins now. The engine stays the caller's; d must not move until drive_release. */
void drive_init(struct drive *d, const struct point_spec *spec, struct engine *engine, int fd,
		uint64_t seed, uint64_t ramp_ns, uint64_t window_ns);
void drive_release(struct drive *d);

/* In this thread, to the end of the window or until drive_stop. 0, or the first error as -errno. */
int drive_run(struct drive *d);

/* Submit nothing more; from within the engine, or from another thread. */
void drive_stop(struct drive *d);

/* Close the window at this instant instead, which is not past and not later than it was. */
void drive_end_at(struct drive *d, uint64_t window_end_ns);

/* Whole intervals of the series that are complete. */
size_t drive_intervals(const struct drive *d, const struct interval **series);

/* After drive_run: what it measured, as the runner hands it over. m is not initialized before, and
 * released with measurement_release. */
void drive_measurement(struct drive *d, struct measurement *m);

#endif
