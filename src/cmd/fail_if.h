/* SPDX-License-Identifier: MIT */
/* compare --fail-if: when a comparison ends with exit status 4 (D35), and when nobody can tell. */
#ifndef CMD_FAIL_IF_H
#define CMD_FAIL_IF_H

#include "base/buf.h"
#include "base/opt.h"
#include "model/comparison.h"

enum fail_kind { FAIL_WORSE, FAIL_IOPS_WORSE, FAIL_LAT_WORSE, FAIL_DIFFERENT };

struct fail_condition {
	enum fail_kind kind;
	double share; /* 0.05: worse by 5 % or more */
};

#define FAIL_MAX_CONDITIONS 8

struct fail_if {
	struct fail_condition v[FAIL_MAX_CONDITIONS];
	size_t nr;
	bool strict; /* what is inconclusive does not pass */
};

/* worse, iops-worse or lat-worse, each with :PER CENT or 5 % without, or different; lists by commas. */
int fail_if_parse(const struct str_list *lists, struct fail_if *f, struct err *e);

/*
 * The exit status, and what was found as a sentence without a full stop:
 *   4  a figure meets a condition, with an adjusted p below .05
 *   3  nothing can be judged (one run in a group, no valid point in common), or a point that is
 *      valid in A is not in B, or only A meets a cap; with strict also when anything that the
 *      conditions look at is inconclusive or not judged, offered loads included
 *   0  otherwise; the sentence says how much was inconclusive
 * N* is neither better nor worse and counts for different only.
 */
int fail_if_judge(const struct fail_if *f, const struct comparison *c, struct buf *sentence);

#endif
