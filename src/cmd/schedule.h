/* SPDX-License-Identifier: MIT */
/*
 * What a run with a budget measures next: analyze/infill.h says which point tells most, and here is
 * whether there is time for it. A point begins only if its longest time fits.
 *
 * The groups of the plan (reads before writes, closed loops before loads) are measured one after
 * the other, so that each has to leave time for those behind it: for their ends in any case, and
 * beyond that for as large a share as they have of the points, unless at the speed so far
 * all of them will be done. A curve that will have anchors (D24) keeps the time for them from its
 * third depth on.
 */
#ifndef CMD_SCHEDULE_H
#define CMD_SCHEDULE_H

#include "cmd/measure.h"

struct schedule;

/* stored are the points of the run, in report order; the job and its plan must stay. */
struct schedule *schedule_new(const struct measure_job *job, const struct point *stored,
			      size_t nr_stored, uint64_t now_ns);
void schedule_free(struct schedule *s);

/* The next point of this group of the plan; NULL when none is left, or none that there is time for. */
const struct plan_point *schedule_next(struct schedule *s, unsigned group, uint64_t now_ns);
/* It was measured. Anchors count for the time only. */
void schedule_done(struct schedule *s, const struct plan_point *point, const struct measurement *m);

#endif
