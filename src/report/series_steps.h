/* SPDX-License-Identifier: MIT */
/* The series of a point in steps: so many of the stored intervals together that they can be drawn. */
#ifndef REPORT_SERIES_STEPS_H
#define REPORT_SERIES_STEPS_H

#include "model/measurement.h"

struct series_steps {
	const struct measurement *m; /* borrowed */
	size_t merge;		     /* stored intervals in each */
	size_t nr;
};

/* What completed in a step. */
struct series_step {
	uint64_t ios;
	double lat_ns;	   /* their sum */
	double lat_max_ns; /* UNKNOWN where no maximum was kept */
	double at_s;	   /* the middle of the step, since the window began */
	double length_s;
};

/* At most max steps, which is not 0. */
struct series_steps series_steps_of(const struct measurement *m, size_t max);
struct series_step series_step_at(const struct series_steps *s, size_t i, enum dir dir);

/* Time of the window that stored intervals [first, last) cover: the last may be cut by its end. */
uint64_t series_length_ns(const struct measurement *m, size_t first, size_t last);

#endif
