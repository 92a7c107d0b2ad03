/* SPDX-License-Identifier: MIT */
/* The maximum IOPS under a latency cap on the measured grid, method.md (b) and D34. */
#ifndef ANALYZE_CAP_H
#define ANALYZE_CAP_H

#include "model/answer.h"

/*
 * Points of which the asked latency figure is not known are not used; CAP_NO_DATA where none is
 * left. A latency equal to the cap meets it. A cap on a percentile also uses the points of
 * c->stalled, whose IOPS are too low if anything.
 *
 * depth, iops, lat_ns: the smallest depth that meets the cap with IOPS not below the best such
 * by more than 1.645 standard errors; with unknown errors the best itself (D34). depth_interp and
 * iops_interp: the larger of that best and the log-log interpolation from the largest depth that
 * meets the cap (last_good_depth) towards the next (first_bad_depth); the best alone where the
 * cap is not reached. Without a depth that meets the cap all of these are 0 or UNKNOWN, and
 * lat_min_ns says how far off it is.
 *
 * verdict: what the interval of the latency that answers (of the lowest, where none meets the cap) says:
 * meets when it lies below the cap, fails when it lies above, else undecided.
 */
void cap_find(const struct curve *c, struct cap cap, struct cap_answer *a);

#endif
