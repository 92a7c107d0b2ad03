/* SPDX-License-Identifier: MIT */
/* Measuring a plan on one target, with every point stored as soon as it ends. */
#ifndef CMD_MEASURE_H
#define CMD_MEASURE_H

#include "base/err.h"
#include "plan/plan.h"
#include "plan/sweep.h"
#include "store/store.h"

#include <stdbool.h>

/* One target of the command, from inspection to the end of its run. */
struct measure_job {
	const struct sweep *sweep;
	struct target_info info;
	struct plan plan;
	struct run_info run; /* run.id not 0: goes on with that stored run */
	bool is_quiet;
	bool overwrite_signature; /* the second consent, for guard_check_idle */
	int lock_fd;		  /* of the instance lock; -1 without */
	const char *budget_text;  /* as struct budget has it; NULL without one, else ... */
	uint64_t end_ns;	  /* ... no point begins that may end later (clock_now_ns) */
	bool had_budget;	  /* an earlier command of this run was given one */
	/* Results. */
	unsigned nr_valid, nr_points; /* points that are ok and not spoiled; all of them */
	unsigned nr_left_out;	      /* for want of time; none of them is valid */
	bool is_kept_apart;	      /* the database does not have all that was measured ... */
	unsigned nr_lost;	      /* ... and of so many finished points nobody has anything */
	unsigned nr_undone; /* not measured, as the run ended early by errors; none is valid */
	bool has_ended;	    /* by errors: nothing more is measured, whatever is left */
	bool is_stuck;	    /* I/Os never came back: it cannot go on with this target */
};

void measure_job_release(struct measure_job *job);

/*
 * Run what of the plan is not measured yet, in the order of the plan or, with a budget, as
 * cmd/schedule.h says. The run must be in the store. 0 when every point
 * has its final status, the budget is used up, or a signal came (signals_nr); -1 when the target may not be opened
 * or written any more, or another process has taken up the run: then what was finished before is safe. A database that
 * takes no writes is neither (keep.h).
 */
int measure_run(struct measure_job *job, struct store *store, struct err *e);

/*
 * The same one point after the other, for a caller that decides which comes next. Points must be in the
 * store, planned. max_depth is the largest share of a worker that may come.
 */
struct measure;
/* -1: nothing is left open, and the run is marked interrupted. */
int measure_open(struct measure_job *job, struct store *store, uint32_t max_depth,
		 struct measure **out, struct err *e);
/* The run as it is while it is measured, for whoever decides what comes next. */
struct store *measure_store(const struct measure *m);
/* 0 when it is kept, whatever became of it. */
int measure_one(struct measure *m, const struct plan_point *point, struct err *e);
/* No signal came, and no error ended the run (on_error, or a target that does not come back). */
bool measure_may_go_on(const struct measure *m);
/* Mark the run as finished, or else as interrupted, and close. */
int measure_close(struct measure *m, bool is_complete, struct err *e);

#endif
