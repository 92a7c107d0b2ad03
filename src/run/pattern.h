/* SPDX-License-Identifier: MIT */
/*
 * Which block comes next and in which direction: one worker's stream. Constant memory for any
 * span. A random offset is uniform over exactly the blocks of [offset, offset + span).
 *
 * Sequential I/O: each worker has its own slice of the span and walks it round and round, from a
 * random place on, which differs from point to point; in mixed modes the writes begin half a slice behind the reads, so that they do not feed them.
 */
#ifndef RUN_PATTERN_H
#define RUN_PATTERN_H

#include "base/rng.h"
#include "model/point.h"

#include <stdbool.h>
#include <stdint.h>

struct pattern {
	struct rng rng;
	uint64_t bs_bytes;
	uint64_t nr_blocks;	      /* of the span */
	uint64_t slice, slice_blocks; /* this worker's own part, in blocks */
	uint64_t next[2];	      /* by enum dir: the next sequential block within the slice */
	uint32_t read_below;	      /* an I/O is a read when 32 random bits are below this ... */
	uint32_t random_below;	      /* ... and at a random place when below this */
	bool always_read, always_random;
	bool is_plain; /* both: pattern_plain_place will do */
};

/* seed is this worker's own. */
void pattern_init(struct pattern *p, const struct point_spec *spec, unsigned worker, uint64_t seed);

/* A worker's seed from the run's, the place of this host among several, and the point. */
uint64_t pattern_seed(uint64_t run_seed, unsigned rank, const struct point_spec *spec,
		      unsigned worker);

/* rng is the pattern's, or a copy that the caller puts back: in a loop it stays in registers. */
static inline enum dir pattern_dir(const struct pattern *p, struct rng *rng)
{
	if (p->always_read)
		return DIR_READ;
	if (!p->read_below)
		return DIR_WRITE;
	return (uint32_t)(rng_next(rng) >> 32) < p->read_below ? DIR_READ : DIR_WRITE;
}

/* Where the next block begins, counted from the beginning of the span. */
static inline uint64_t pattern_place(struct pattern *p, struct rng *rng, enum dir dir)
{
	uint64_t block;

	if (p->always_random ||
	    (p->random_below && (uint32_t)(rng_next(rng) >> 32) < p->random_below)) {
		block = rng_below(rng, p->nr_blocks);
	} else {
		block = p->slice + p->next[dir];
		p->next[dir] = p->next[dir] + 1 == p->slice_blocks ? 0 : p->next[dir] + 1;
	}
	return block * p->bs_bytes;
}

/* The same for random reads alone, which most points are: no question asked. */
static inline uint64_t pattern_plain_place(const struct pattern *p, struct rng *rng)
{
	return rng_below(rng, p->nr_blocks) * p->bs_bytes;
}

#endif
