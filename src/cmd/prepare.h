/* SPDX-License-Identifier: MIT */
/* Preparing a target: the passes of the fill, then rounds of random writes, with the state in the
 * store at every step. */
#ifndef CMD_PREPARE_H
#define CMD_PREPARE_H

#include "base/err.h"
#include "model/preparation.h"
#include "model/target.h"
#include "store/store.h"

#include <stdbool.h>

struct prepare_job {
	struct target_info info;
	struct preparation work; /* what is asked for; then how far it came */
	bool is_fresh;		 /* do not go on with an unfinished one */
	bool is_quiet;
	int lock_fd; /* of the instance lock; -1 without */
	/* Result: I/Os never came back, and the program cannot go on. */
	bool is_stuck;
};

void prepare_job_release(struct prepare_job *job);

/*
 * Do the work, or go on with it where an earlier command for the same work stopped, when what that
 * one wrote is still there. 0 when it is finished (work.is_steady says whether steady was
 * reached); -1 and e when it is not, ERR_INTR after a signal: what is durable is in the
 * store then, and the same call goes on with it.
 */
int prepare_run(struct prepare_job *job, struct store *store, struct err *e);

#endif
