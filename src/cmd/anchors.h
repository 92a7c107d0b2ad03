/* SPDX-License-Identifier: MIT */
/*
 * Anchors (D24, method.md a): when a curve is done, its first and its peak depth are measured
 * again, so that a target that has changed meanwhile is not taken for one that dislikes depth.
 */
#ifndef CMD_ANCHORS_H
#define CMD_ANCHORS_H

#include "cmd/measure.h"

/* The curves that are looked at; all zero: all that are done. */
struct anchors_of {
	const struct point_spec *curve; /* this one only; NULL: all */
	/* Of this group of the plan, also those that the budget leaves without some of their points. */
	bool is_partial;
	unsigned group;
};

/*
 * The anchors that are due in the job's run: of these curves, provided that every point of the
 * curve has its final status, or is_partial. Those that the store does not have yet
 * are added to it. Fills *out with *nr points to measure; the caller frees it.
 */
int anchors_add(struct measure_job *job, struct store *store, const struct anchors_of *of,
		struct plan_point **out, size_t *nr, struct err *e);

/* Sets *is_complete to whether none is due in any curve. */
int anchors_are_due(struct measure_job *job, struct store *store, bool *is_complete, struct err *e);

#endif
