/* SPDX-License-Identifier: MIT */
/*
 * What comes between a failed point and the next I/O: whether the target answers, and the wait until it does.
 *
 * It is asked by reading one block (target_ask), never by a write. One that does not answer is asked again
 * after retry_wait, then after twice that, and so on, but once a minute at least, for retry_limit in all. A read
 * that does not come back is not asked again before it does, so that a target that hangs collects no threads.
 */
#ifndef CMD_RECOVERY_H
#define CMD_RECOVERY_H

#include "cmd/measure.h"
#include "cmd/progress.h"

struct alive;

struct recovery {
	const struct measure_job *job;
	struct progress *progress;
	struct alive *asked; /* a read that is not back */
	/* Told when a wait begins: to close what is open of the target, since a disk that is found again gets its name
	 * back only when nobody holds the old one. */
	void (*let_go)(void *arg);
	void *let_go_arg;
};

enum recovery_end {
	RECOVERY_ANSWERS, /* at once */
	RECOVERY_LATE,	  /* after a wait that the user was told of */
	RECOVERY_GONE,	  /* not within the limit, or the time of the budget */
	RECOVERY_OTHER,	  /* something else has its name, or its size: never go on */
	RECOVERY_SIGNAL,
};

void recovery_init(struct recovery *r, const struct measure_job *job, struct progress *progress,
		   void (*let_go)(void *arg), void *let_go_arg);
void recovery_release(struct recovery *r);

/*
 * Ask until the target answers. A wait that is not over after two seconds at most, or that begins with an answer other than
 * yes, is told of: what for, and until when; and so is its end. No wait goes beyond end_ns (clock_now_ns;
 * UINT64_MAX for none), and a signal ends it within 0.2 s.
 */
enum recovery_end recovery_wait(struct recovery *r, uint64_t end_ns);

/* Wait so long before a point is measured again. False when a signal came. */
bool recovery_pause(struct recovery *r, uint64_t pause_ns);

/* The wait before this attempt (2 is the first retry): retry_wait, doubled each time, a minute at most unless
 * retry_wait is longer. */
uint64_t recovery_delay_ns(uint64_t retry_wait_ns, unsigned attempt);

#endif
