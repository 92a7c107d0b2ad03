/* SPDX-License-Identifier: MIT */
/* When a point is precise enough: the sequential stopping rule of method.md (c) 4. */
#ifndef RUN_STOP_H
#define RUN_STOP_H

#include "model/measurement.h"

#include <stdbool.h>
#include <stddef.h>

enum stop_answer {
	STOP_NOT_YET,	/* too few intervals to tell */
	STOP_UNSTEADY,	/* not in steady state */
	STOP_IMPRECISE, /* steady, but an interval is wider than asked for */
	STOP_PRECISE,
};

struct stop_state {
	enum stop_answer answer;
	double iops_half, lat_half; /* relative half widths of the 95 % intervals */
	double drift, range;	    /* of the steady-state check */
};

/*
 * Judge the series so far: nr equal intervals. They are merged first so that each
 * holds 20 I/Os or more (D11); fewer than 200 merged ones are not judged. precision is the
 * relative half width asked for.
 */
struct stop_state stop_judge(const struct interval *series, size_t nr, double precision);

#endif
