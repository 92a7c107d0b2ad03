/* SPDX-License-Identifier: MIT */
/* What export and plan write as jobs for fio. */
#ifndef CMD_FIO_JOBS_H
#define CMD_FIO_JOBS_H

#include "model/run.h"
#include "model/target.h"
#include "plan/plan.h"

/*
 * The points of a run, in its order. A point that was measured takes as long as it took then,
 * another one the longest that its sweep allows. Refuses an imported run, which has no target.
 */
int fio_jobs_of_run(const struct run_info *run, const struct point *points, size_t nr,
		    struct buf *b, struct err *e);

/* The points of a plan; the longest windows. t must have a path. */
int fio_jobs_of_plan(const struct sweep *s, const struct plan *plan, const struct target_info *t,
		     struct buf *b, struct err *e);

#endif
