/* SPDX-License-Identifier: MIT */
/* The searches of one curve, told the points that are stored: the same for a search that goes on,
 * and for the report of one that ended long ago. */
#ifndef ANALYZE_SEARCH_CURVE_H
#define ANALYZE_SEARCH_CURVE_H

#include "model/search.h"

/* What the search of a curve knows; all of it borrowed. Points of other curves do not matter. */
struct search_input {
	struct search_settings settings;
	const struct point_spec *curve; /* over load: its iodepth is the most in flight */
	/* Valid points of other runs that it began with, and all of its own. */
	const struct point *seeds, *points;
	size_t nr_seeds, nr_points;
	const struct cap *caps;
	unsigned nr_caps;
	flag_set accepted;
	uint32_t queue_limit; /* of this host; 0 where none is known */
};

/*
 * One search a cap, in their order, each seeded with all that is known by then. A point that has no
 * final status yet in all its repeats is not known. Fills answer[nr_caps]. *next is the depth or
 * load that is needed next, 0 when all searches ended; those behind the one that needs it stay
 * SEARCH_GOES_ON.
 *
 * is_client_limited: the answer was limited by this host (cpu-bound, late-submit, or a lower bound at a
 * depth that its queue limit does not explain, D20), but for a load that meets the cap all the same;
 * or the first bad one, by anything but too few in flight.
 */
void search_curve(const struct search_input *in, struct search_answer *answer, uint64_t *next);

/* Whether a point of this spec is of the curve: a depth or a load in IOPS, and no anchor. */
bool search_is_of_curve(const struct search_input *in, const struct point_spec *s);
/* The spec of the point at this depth or load. */
struct point_spec search_spec(const struct search_input *in, uint64_t at);

#endif
