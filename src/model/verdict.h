/* SPDX-License-Identifier: MIT */
/* The verdicts of a point (design.md section 6): whether its figures can be believed. */
#ifndef MODEL_VERDICT_H
#define MODEL_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

enum flag {
	FLAG_IO_ERROR,
	FLAG_LITTLE,
	FLAG_UNWRITTEN,
	FLAG_HOST_CACHE,
	FLAG_FOREIGN_LOAD,
	FLAG_STALL,
	FLAG_CPU_BOUND,
	FLAG_DEPTH_NOT_HELD,
	FLAG_SUBMIT_BLOCKED,
	FLAG_QUEUE_LIMITED,
	FLAG_THROTTLED,
	FLAG_SPLIT,
	FLAG_UNSTEADY,
	FLAG_IMPRECISE,
	FLAG_FEW_SAMPLES,
	FLAG_NO_COUNTERS,
	FLAG_READS_ZERO,
	FLAG_INLINE,
	FLAG_HOST_DISTURBED,
	FLAG_REPEATS_DISAGREE,
	FLAG_SHARED_LOAD,
	FLAG_RATE_MISSED,
	FLAG_LATE_SUBMIT,
	FLAG_ALLOCATING,
	FLAG_RETRIED,
	FLAG_NR,
};

/* What a flag does to its point. */
enum flag_effect {
	EFFECT_FAILED,	    /* the point is in no curve */
	EFFECT_SPOILED,	    /* decides no answer, unless accepted by --accept */
	EFFECT_LOWER_BOUND, /* the device can do at least this; no knee or cap may rest on it */
	EFFECT_NOTED,	    /* valid; the reader should know */
};

typedef uint32_t flag_set;

#define FLAG_BIT(flag) ((flag_set)1 << (flag))

/* What a measured value is of the one that the target alone would give. */
enum value_bound { BOUND_NONE, BOUND_LOWER, BOUND_UPPER };

/* What flags make of a value. Bounds on both sides leave nothing: neither side is sure then. */
struct value_bounds {
	bool is_low, is_high;
	flag_set flags; /* those that make it a bound; 0: it is the value itself */
};

const char *flag_name(enum flag flag);
/* FLAG_NR where there is no such flag. */
enum flag flag_find(const char *name);
enum flag_effect flag_effect(enum flag flag);
/* What was seen and what to do about it: one sentence. */
const char *flag_meaning(enum flag flag);

/* Of IOPS or of a latency: the target alone does as many IOPS or more; its latency is as low or lower, or it
 * would be as high or higher at the depth or the load that was asked for. */
struct value_bounds flags_bounds(flag_set flags, bool is_latency);

/* Those of the set that have this effect, and whether there is any. */
flag_set flags_with(flag_set flags, enum flag_effect effect);
bool flags_have(flag_set flags, enum flag_effect effect);

#endif
