/* SPDX-License-Identifier: MIT */
/*
 * A plan: the points of a sweep on one target, in the order of the run, with what they will
 * cost and what will distort them. Nothing here touches the target.
 */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include "base/err.h"
#include "model/point.h"
#include "model/target.h"
#include "plan/sweep.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct plan_point {
	struct point_spec spec;
	uint32_t seq;	   /* place in the plan, from 1; skipped points come last */
	char *skip_reason; /* why this target cannot do it; NULL for a point to measure; owned */
};

struct plan {
	struct plan_point *v;
	size_t nr;
	size_t nr_skipped; /* the last ones of v */
	uint64_t seed;
};

/*
 * Expand s (finished) for the target. t->size_bytes 0 means unknown: then per cents of the target are
 * refused and sizes are not checked. Equal points are planned once; axes that mean nothing to
 * a mode take their neutral value (random_pct 0 for sequential modes, rwmixread 100 for reads
 * and 0 for writes). Spans become whole blocks, and per cent offsets too (D25): a skipped span
 * below one block keeps the bytes that were asked for.
 *
 * What can never be valid on this target is an error (D23) with the place in the file or the
 * offending text: a span, or span and offset, beyond the target; a span below one block for
 * every bs; and a sweep of which no point can be measured. What single combinations
 * cannot do is planned as skipped: bs or offset no multiple of the logical block, a span below
 * this bs, a depth below the number of workers.
 *
 * Points with a rate run with the largest iodepth of their block as the limit of I/Os in flight; where a
 * rate is in per cent, all depths of the block are planned as closed loops too, which find the maximum.
 *
 * Order (D24): points that write come after those that do not, unless mix_order is as-listed, and
 * among each of the two, points with a rate come after closed loops.
 * listed: axes nested as they were given, values ascending (rw as given), repeats innermost.
 * interleaved: rounds through all curves, by ascending depth for reading curves and by depths shuffled
 * with the seed for writing ones (rates likewise); repeats outermost. random: shuffled with the seed.
 */
int plan_make(const struct sweep *s, const struct target_info *t, uint64_t seed, struct plan *p,
	      struct err *e);
void plan_release(struct plan *p);

/* What of the order holds whatever else decides it (D24): points of a lower group come first. */
#define PLAN_GROUPS 4
unsigned plan_group(const struct point_spec *spec, const struct sweep *s);

/* Whether any point that will be measured writes. */
bool plan_writes(const struct plan *p);
/* Whether another seed would give another order of points. */
bool plan_order_needs_seed(const struct plan *p, const struct sweep *s);

/*
 * Allowance for each point beside ramp and window: starting the workers, waiting for the last
 * I/Os, and one durable transaction. Ordinary targets take less; a target that hangs takes up
 * to drain_timeout.
 */
#define PLAN_POINT_OVERHEAD_NS (100 * 1000 * 1000ULL)

struct plan_totals {
	size_t nr_points; /* to measure */
	size_t nr_skipped;
	size_t nr_curves, nr_ends; /* first and last depths (rates); a curve of one has one end */
	/*
	 * Anchors: curves that will have one or two, and those that have them only if their IOPS
	 * turn out to fall behind the peak. Times and bytes below are with the former (ramp and overhead
	 * with two a curve), and without the latter.
	 */
	size_t nr_anchored, nr_perhaps_anchored;
	uint64_t time_perhaps_ns;		   /* what the latter add at most */
	uint64_t ramp_ns, overhead_ns;		   /* of all points together */
	uint64_t window_min_ns, window_max_ns;	   /* equal for fixed windows */
	uint64_t time_min_ns, time_max_ns;	   /* all of it */
	double iops;				   /* the speed that the next four assume */
	double read_min_bytes, read_max_bytes;	   /* ramp and window, at that speed */
	double write_min_bytes, write_max_bytes;   /* the same */
	uint64_t write_region_bytes;		   /* of the target, that may be overwritten */
	uint64_t write_first_byte, write_end_byte; /* bounds of that region */
	/* What is read, and so must have been written once: its union and its bounds. */
	uint64_t read_region_bytes, read_first_byte, read_end_byte;
	uint64_t buffer_max_bytes; /* I/O buffers of the largest point (D13) */
};

/*
 * How fast a target is, is what a sweep finds out, so bytes can only be stated for an assumed
 * speed: every point is taken to run at iops.
 */
void plan_estimate(const struct plan *p, const struct sweep *s, double iops,
		   struct plan_totals *out);

/* What the caller knows of this machine, and of what the target holds; 0 where it does not. */
struct plan_limits {
	uint64_t memory_available_bytes;
	uint64_t aio_free;	/* AIO requests that the system still has to give */
	double unwritten_share; /* of what is read, from its first byte to its last */
};

struct plan_warnings {
	char **v; /* sentences without a full stop; owned */
	size_t nr, cap;
};

/* What will distort the figures or stop the run: limits of queue and request size, a cgroup
 * limit, caches below the target, blocks never written, memory, AIO requests, a read-only target,
 * axes without effect. */
void plan_warn(const struct plan *p, const struct sweep *s, const struct target_info *t,
	       const struct plan_limits *limits, struct plan_warnings *out);
void plan_warnings_release(struct plan_warnings *w);

/* The warnings that concern one point, in a few words: "above the queue limit 32, split 16:1". */
void buf_add_plan_note(struct buf *b, const struct point_spec *spec, const struct target_info *t);

#endif
