/* SPDX-License-Identifier: MIT */
#include "model/verdict.h"

#include "base/mem.h"

#include <string.h>

static const struct {
	const char *name;
	enum flag_effect effect;
	const char *meaning;
} table[FLAG_NR] = {
	[FLAG_IO_ERROR] = {"io-error", EFFECT_FAILED,
			   "the device returned errors, so this point has no figures; look at the "
			   "kernel log, mend the device, and run the point again"},
	[FLAG_LITTLE] = {"little", EFFECT_FAILED,
			 "the sum of latencies does not match the number in flight; this is a bug "
			 "of lunsweep, please report it with the database"},
	[FLAG_UNWRITTEN] = {"unwritten", EFFECT_SPOILED,
			    "reads fell on blocks that were never written, which no medium was "
			    "asked for; fill the span first, by lunsweep prepare"},
	[FLAG_HOST_CACHE] = {"host-cache", EFFECT_SPOILED,
			     "the device saw fewer bytes than were completed, so a cache of this "
			     "host answered; measure the device itself, or turn that cache off "
			     "(losetup --direct-io=on)"},
	[FLAG_FOREIGN_LOAD] = {"foreign-load", EFFECT_SPOILED,
			       "the device saw clearly more I/O than was issued; measure again "
			       "when nobody else uses it"},
	[FLAG_STALL] = {"stall", EFFECT_SPOILED,
			"nothing completed for a second or more, so means and knees are not those "
			"of the device at work, while its percentiles are; look for path failures "
			"and resets in the kernel log, and measure again"},
	[FLAG_CPU_BOUND] = {"cpu-bound", EFFECT_LOWER_BOUND,
			    "a worker was out of CPU: the client was measured, not the device; "
			    "give it more workers or more cores"},
	[FLAG_DEPTH_NOT_HELD] = {"depth-not-held", EFFECT_LOWER_BOUND,
				 "fewer I/Os were in flight than asked for; the depth achieved is "
				 "shown beside the depth asked"},
	[FLAG_SUBMIT_BLOCKED] = {"submit-blocked", EFFECT_LOWER_BOUND,
				 "most of the time went by inside the submit call, so fewer I/Os "
				 "were at the device than asked for; write the file in full "
				 "first, or use more workers"},
	[FLAG_QUEUE_LIMITED] = {"queue-limited", EFFECT_NOTED,
				"the depth asked for is above the queue limit of this host, so "
				"the rest waited in the host; raise nr_requests or queue_depth"},
	[FLAG_THROTTLED] = {"throttled", EFFECT_NOTED,
			    "a cgroup I/O limit is in force: it may be what was measured"},
	[FLAG_SPLIT] = {"split", EFFECT_NOTED,
			"requests were split below the block size by max_sectors_kb"},
	[FLAG_UNSTEADY] = {"unsteady", EFFECT_NOTED,
			   "steady state was not reached by max_time; intervals are withheld"},
	[FLAG_IMPRECISE] = {"imprecise", EFFECT_NOTED,
			    "the precision asked for was not reached by max_time"},
	[FLAG_FEW_SAMPLES] = {"few-samples", EFFECT_NOTED,
			      "too few I/Os for its mean or for a percentile that is shown"},
	[FLAG_NO_COUNTERS] = {"no-counters", EFFECT_NOTED,
			      "no device counters stand behind this target, so nothing checks that "
			      "the I/O reached a device"},
	[FLAG_READS_ZERO] = {"reads-zero", EFFECT_NOTED,
			     "most sampled blocks read as zeros: perhaps they were never written; "
			     "fill the span first, by lunsweep prepare"},
	[FLAG_INLINE] = {"inline", EFFECT_NOTED,
			 "I/O completed inside the submit call, so the target is not asynchronous: "
			 "each worker has one I/O at a time there, whatever the depth"},
	[FLAG_HOST_DISTURBED] = {"host-disturbed", EFFECT_NOTED,
				 "workers waited for a CPU; other programs were busy here"},
	[FLAG_REPEATS_DISAGREE] = {"repeats-disagree", EFFECT_NOTED,
				   "IOPS of repeats differ by more than their intervals and 5 %: "
				   "the target or its load changed"},
	[FLAG_SHARED_LOAD] = {"shared-load", EFFECT_NOTED,
			      "the disk below, which others use too, saw clearly more I/O than was "
			      "issued: other programs or the file system itself were at work"},
	[FLAG_RATE_MISSED] = {"rate-missed", EFFECT_NOTED,
			      "the offered load was not sustained: the queue grows as long as it "
			      "lasts, so the latency is that of this window and has no limit"},
	[FLAG_LATE_SUBMIT] = {"late-submit", EFFECT_NOTED,
			      "this host submitted I/Os clearly later than intended, which is part "
			      "of the latency; give it more workers or idle cores"},
	[FLAG_ALLOCATING] = {"allocating", EFFECT_NOTED,
			     "writes fell on blocks that were never written, which the file system "
			     "had to allocate; fill the span first to measure the device alone"},
	[FLAG_RETRIED] = {"retried", EFFECT_NOTED,
			  "the point failed before, and was measured again as on_error asks; only "
			  "the last attempt counts, but look at why the first failed"},
};

static const struct {
	enum flag flag;
	enum value_bound iops, lat;
} bounds[] = {
	{FLAG_CPU_BOUND, BOUND_LOWER, BOUND_UPPER},
	{FLAG_SUBMIT_BLOCKED, BOUND_LOWER, BOUND_UPPER},
	{FLAG_DEPTH_NOT_HELD, BOUND_LOWER, BOUND_LOWER},
	{FLAG_RATE_MISSED, BOUND_NONE, BOUND_LOWER},
	{FLAG_LATE_SUBMIT, BOUND_NONE, BOUND_UPPER},
};

const char *flag_name(enum flag flag)
{
	return table[flag].name;
}

enum flag flag_find(const char *name)
{
	enum flag f = 0;

	while (f < FLAG_NR && strcmp(table[f].name, name) != 0)
		f++;
	return f;
}

enum flag_effect flag_effect(enum flag flag)
{
	return table[flag].effect;
}

const char *flag_meaning(enum flag flag)
{
	return table[flag].meaning;
}

struct value_bounds flags_bounds(flag_set flags, bool is_latency)
{
	struct value_bounds s = {false, false, 0};

	for (size_t i = 0; i < NR(bounds); i++) {
		enum value_bound b = is_latency ? bounds[i].lat : bounds[i].iops;

		if (!(flags & FLAG_BIT(bounds[i].flag)) || b == BOUND_NONE)
			continue;
		s.flags |= FLAG_BIT(bounds[i].flag);
		s.is_low |= b == BOUND_LOWER;
		s.is_high |= b == BOUND_UPPER;
	}
	return s;
}

flag_set flags_with(flag_set flags, enum flag_effect effect)
{
	flag_set found = 0;

	/* Most points have none, and every answer asks for every point. */
	for (enum flag f = 0; f < FLAG_NR && flags >> f; f++)
		if ((flags & FLAG_BIT(f)) && table[f].effect == effect)
			found |= FLAG_BIT(f);
	return found;
}

bool flags_have(flag_set flags, enum flag_effect effect)
{
	return flags_with(flags, effect);
}
