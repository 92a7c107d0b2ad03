/* SPDX-License-Identifier: MIT */
/* What people see while points are measured: a live line on a terminal, a line a point, warnings of a target
 * that is silent; and what `status` is told. */
#ifndef CMD_PROGRESS_H
#define CMD_PROGRESS_H

#include "cmd/live.h"
#include "cmd/measure.h"
#include "report/progress.h"
#include "run/runner.h"

struct progress {
	const struct measure_job *job;
	const struct plan_point *point;
	size_t nr_todo; /* 0 where nobody knows: a search */
	size_t nr_done;
	uint64_t begin_ns; /* of the first point */
	uint64_t point_begin_ns;
	uint64_t point_ns; /* what a point takes at most, for the time that is left */
	bool is_live;	   /* there is a progress line */
	uint64_t shown_ns; /* when it was written last */
	bool is_warned;	   /* that nothing completes at this point */
	struct progress_counts counts;
	struct live *live;
	struct live_state state;
};

/* The run must be in the store by the time of the first point. */
void progress_init(struct progress *p, const struct measure_job *job, const char *db_path);
void progress_release(struct progress *p);

void progress_begin_point(struct progress *p, const struct plan_point *point);
/* Of the runner, about ten times a second; arg is the struct progress. */
void progress_show(void *arg, const struct run_progress *rp);
/* No point goes on: the target is waited for, for so long already. About ten times a second. */
void progress_wait(struct progress *p, const char *target, uint64_t waited_ns);
/* So long was waited, which is no time that points take. */
void progress_waited(struct progress *p, uint64_t waited_ns);
/* The point is stored. */
void progress_end_point(struct progress *p, const struct measurement *m);

#endif
