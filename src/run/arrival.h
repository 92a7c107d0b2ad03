/* SPDX-License-Identifier: MIT */
/*
 * When the I/Os of an offered load are to start: one worker's stream of intended starts, in whole
 * ns. It depends on its seed and its beginning only, never on what has completed, so that a slow
 * target cannot delay the load that shows how slow it is (coordinated omission).
 *
 * Poisson: exponential gaps; the streams of several workers together are one of the whole rate.
 * Constant: equal gaps, each worker a part of a gap behind the one before. What is lost by whole ns
 * is carried over, so that the rate holds for any time.
 */
#ifndef RUN_ARRIVAL_H
#define RUN_ARRIVAL_H

#include "base/rng.h"
#include "model/axis.h"

#include <stdint.h>

struct arrival {
	uint64_t next_ns; /* the next intended start */
	double carry_ns;  /* what it should be later, below 1 */
	double gap_ns;	  /* the mean of this worker */
	enum arrivals kind;
	struct rng rng;
};

/*
 * Worker index of workers, which share rate_iops. Begins at start_ns, which is the same for all of
 * them. seed is this worker's own; the draws are independent of any other use of it.
 */
void arrival_init(struct arrival *a, enum arrivals kind, double rate_iops, unsigned workers,
		  unsigned index, uint64_t seed, uint64_t start_ns);

/* Go on to the next one. */
void arrival_advance(struct arrival *a);

/* Leave out what was intended before now_ns: a worker that began late owes nothing. */
void arrival_skip_before(struct arrival *a, uint64_t now_ns);

/* Starts from the next one to end_ns inclusive; a is behind them then. Above a million the rest
 * is the mean number, since counting must not take as long as the overload did. */
uint64_t arrival_count_until(struct arrival *a, uint64_t end_ns);

#endif
