/* SPDX-License-Identifier: MIT */
/* What a finished measurement says about itself: raises the flags of design.md section 6. */
#ifndef RUN_VERDICT_H
#define RUN_VERDICT_H

#include "model/measurement.h"
#include "model/target.h"
#include "run/probe.h"
#include "target/target.h"

/* What the runner saw beside the measurement itself. */
struct evidence {
	uint64_t counters_late_ns; /* the counters were first read so long after the window began */
	struct target_extents extents; /* of the span, before the point began */
	struct probe probe;	       /* of the span, where extents tell nothing */
};

/* Raise the flags of an ok measurement; it becomes failed where its books do not balance. */
void verdict_judge(struct measurement *m, const struct target_info *info,
		   const struct evidence *ev);

/*
 * The longest time without a completion in the series, 0 where that is no stall (D19: max(1 s,
 * 10 x the median gap)). The series knows it to an interval or two; where an I/O took as long as
 * the gap may have been, its latency lat_max_ns tells it better.
 */
uint64_t verdict_stall_ns(const struct interval *series, size_t nr, uint64_t interval_ns,
			  uint64_t window_ns, double lat_max_ns);

#endif
