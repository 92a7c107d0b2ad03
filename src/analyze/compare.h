/* SPDX-License-Identifier: MIT */
/*
 * Two groups of runs compared point by point, method.md (f): ratios of run-level values with
 * Welch's test, or with a variance pooled over the depths of a curve where a group has two runs only;
 * Holm's adjustment; verdicts that take a difference of 5 %.
 */
#ifndef ANALYZE_COMPARE_H
#define ANALYZE_COMPARE_H

#include "model/comparison.h"

/* Borrowed answers of a curve; caps are the same and in the same order for all curves. */
struct compare_curve {
	const struct curve *curve;
	const struct knee *knee;
	const struct cap_answer *cap;
};

struct compare_run {
	const struct compare_curve *curves;
	size_t nr;
	size_t nr_open; /* its points with an offered load */
};

struct compare_group {
	const struct compare_run *runs;
	size_t nr;
};

struct compare_how {
	bool iops, lat;		/* which figures of points; one at least */
	const struct cap *caps; /* those of every compare_curve */
	unsigned nr_caps;
	bool pool; /* the variance, also where both groups have three runs or more */
};

/*
 * Points are the same when all axes are; the target is none of them. A span that was asked for as
 * a share of the target is the same share of another one. Repeats of a point within a run are one
 * value of that run (curves_build). Only valid points enter.
 *
 * N* is compared where each run has a knee that is neither a bound nor the host's; with two runs in
 * a group its error comes from the pooled one of the two points that decide. The maximum under a cap
 * is the estimate between depths, since the measured one jumps from depth to depth. Both need the
 * same depths in all runs.
 *
 * The family of Holm's adjustment is everything in the comparison but the latencies, which are a
 * family of their own where both are compared: at a held depth they say the same as IOPS (Little's law), and counting both
 * would only hide differences.
 *
 * The caller releases out with comparison_release.
 */
void compare_groups(const struct compare_group group[2], const struct compare_how *how,
		    struct comparison *out);

/*
 * Adjust the p values of all items by Holm, latencies as a family of their own or not, and give
 * verdicts: different with an adjusted p below .05 and 5 % or more, equivalent with the 90 %
 * interval within [1/1.05, 1.05], else inconclusive. What rests on a bound (model/verdict.h) is
 * inconclusive too: a likeness with one, and a difference that the target alone may not have. Fewer IOPS
 * in B than in A are none if those of B are a lower bound, and more are none if those of A are one.
 */
void compare_judge(struct comparison *c, bool latency_apart);

#endif
