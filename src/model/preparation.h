/* SPDX-License-Identifier: MIT */
/* A preparation: a target, or a span of it, that was filled and perhaps brought to a steady state. */
#ifndef MODEL_PREPARATION_H
#define MODEL_PREPARATION_H

#include "model/facts.h"

#include <stdbool.h>
#include <stdint.h>

enum preparation_state {
	PREPARATION_RUNNING,	 /* in hand, or its process died */
	PREPARATION_INTERRUPTED, /* by a signal; can be gone on with */
	PREPARATION_FAILED,	 /* by an error; can be gone on with */
	PREPARATION_ABANDONED,	 /* what it had written is gone, so another one began afresh */
	PREPARATION_FINISHED,
	PREPARATION_STATE_NR,
};

const char *preparation_state_name(enum preparation_state state);
/* PREPARATION_STATE_NR where there is no such state. */
enum preparation_state preparation_state_find(const char *name);

struct preparation {
	int64_t id; /* 0 before it is stored */
	enum preparation_state state;
	char *target_identity, *target_label, *target_resolved;
	uint64_t target_size_bytes;
	/* The fill: passes in order over the span, each block once a pass. */
	uint64_t offset_bytes, span_bytes;
	uint32_t passes, passes_done;
	uint64_t pass_bytes; /* durable bytes of the pass in hand */
	uint64_t seed;	     /* of its data */
	/* Random writes until steady; bs_bytes 0: not asked for. */
	uint64_t bs_bytes;
	uint32_t iodepth;
	uint64_t round_ns, max_ns;
	uint32_t rounds;			  /* of the last attempt */
	double last_iops, last_range, last_slope; /* UNKNOWN before there are any */
	bool is_steady;
	char *reason;					/* why it is not finished, or not steady */
	uint64_t busy_ns;				/* spent writing, over all attempts */
	uint32_t attempts;				/* commands that worked on it */
	int64_t start_wall_ns, end_wall_ns;		/* 0: not yet */
	char *command, *tool_version, *git_id, *engine; /* of the first attempt */
	char *consent;					/* what --write-to said */
	bool overwrote_signature;
};

/* All bytes that the passes have written so far. */
uint64_t preparation_filled_bytes(const struct preparation *p);

/* Whether b asks for the same of the same target, so that it can go on with what a has done. */
bool preparation_same_work(const struct preparation *a, const struct preparation *b);

/* What a run should remember of it, as facts named prepare.*: when, which bytes, how, and how it
 * ended. */
void preparation_facts(const struct preparation *p, struct facts *f);

void preparation_release(struct preparation *p);

#endif
