/* SPDX-License-Identifier: MIT */
/* A run: one execution of a sweep against one target. */
#ifndef MODEL_RUN_H
#define MODEL_RUN_H

#include "model/answer.h"
#include "model/facts.h"

#include <stdbool.h>
#include <stdint.h>

enum run_state {
	RUN_RUNNING,	 /* in hand, or its process died */
	RUN_INTERRUPTED, /* ended by a signal or an error; can be gone on with */
	RUN_FINISHED,	 /* every point has its final status */
	RUN_STATE_NR,
};

const char *run_state_name(enum run_state state);
enum run_state run_state_find(const char *name);

#define RUN_MAX_CAPS 16

/* Facts of runs that were given a budget: what the last command was given ("budget of 8h", "none"), and
 * how many points it left out for that. */
#define FACT_BUDGET   "budget.given"
#define FACT_LEFT_OUT "budget.left_out"

/* What the last command did after a failed point: a name of sweep_on_error_name. */
#define FACT_ON_ERROR "sweep.on_error"

struct run_info {
	int64_t id; /* 0 before it is stored */
	enum run_state state;
	bool imported;
	char *key;	  /* what makes it resumable by the same command (D27) */
	char *sweep_name; /* for options the axes in short */
	char *question;
	char *sweep_text; /* the definition in full, as it was used */
	char *command;	  /* the command line, quoted for a shell */
	char *tool_version, *git_id;
	char *engine;
	uint64_t seed;
	int64_t start_wall_ns, end_wall_ns; /* 0: not yet */
	/* The target, as struct target_info had it. */
	char *target_given, *target_resolved, *target_identity, *target_label;
	uint64_t target_size_bytes;
	uint32_t target_queue_limit;   /* 0: none known */
	struct cap caps[RUN_MAX_CAPS]; /* the questions that the sweep asks */
	unsigned nr_caps;
	flag_set accepted;  /* flags that do not spoil (--accept) */
	struct facts facts; /* host, target, settings, consent */
};

void run_info_release(struct run_info *r);

#endif
