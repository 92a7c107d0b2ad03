/* SPDX-License-Identifier: MIT */
/*
 * Which point tells most, when there is no time for all of them: both ends of every curve, then the depth
 * whose IOPS are least certain from what is known of its neighbours.
 *
 * IOPS are taken for a rising, concave function of the depth. Between two measured depths they then lie
 * above the chord, and below the line from the origin, the lines through the neighbours, and (where
 * they rise) the IOPS of the deeper one. The uncertainty of a depth is the logarithm of the highest by the
 * lowest. With only the ends known it is largest where the two asymptotes cross, which is N*, so
 * the knee comes first and is closed in from both sides; a plateau and a curve that is flat come last.
 * A gap that the latency of a cap falls into counts double. Of a response curve the uncertainty is
 * the ratio of the latencies on both sides.
 */
#ifndef ANALYZE_INFILL_H
#define ANALYZE_INFILL_H

#include "model/answer.h"

/* A point of the plan. */
struct infill_point {
	struct point_spec spec;
	unsigned group; /* groups are measured one after the other; a curve lies within one */
	bool is_done;	/* never chosen again */
	double iops;	/* UNKNOWN: not measured, or measured and not valid */
	double lat_ns[LAT_STAT_NR];
};

struct infill;

#define INFILL_NONE SIZE_MAX

/*
 * Points are named by their place in points, which is copied; no two are the same. The same points, seed
 * and calls give the same choices. At most as many caps as a run has.
 */
struct infill *infill_new(const struct infill_point *points, size_t nr, const struct cap *caps,
			  unsigned nr_caps, uint64_t seed);
void infill_free(struct infill *f);

/* The point was measured; iops is UNKNOWN (and lat_ns may be NULL) where it is not valid. */
void infill_done(struct infill *f, size_t point, double iops, const double *lat_ns);

/*
 * The next point of the group, INFILL_NONE when all are done; *is_end says that it is the first or the
 * last of its curve. Repeats come after all points of the repeat before. Ends come curve by
 * curve. Among points that write, the seed decides the order of the ends, and which is next of those at
 * least half as uncertain as the first (D24: what writing changes must not rise with the depth).
 */
size_t infill_next(struct infill *f, unsigned group, bool *is_end);

/* What is left to measure in the group; with a point's place, as if that were done. */
struct infill_left {
	size_t nr_points;
	size_t nr_ends;	  /* of the present repeat; a curve of one depth has one end */
	size_t nr_judged; /* closed loops with three depths or more that are done, so with a knee */
	size_t nr_judged_writing; /* those of them that write */
};
void infill_count(const struct infill *f, unsigned group, size_t as_if_done,
		  struct infill_left *out);

#endif
