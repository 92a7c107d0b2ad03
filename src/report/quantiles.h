/* SPDX-License-Identifier: MIT */
/* The points of a latency distribution that a point is shown with in full. */
#ifndef REPORT_QUANTILES_H
#define REPORT_QUANTILES_H

#include "model/point.h"
#include "stats/hist.h"

#include <stdbool.h>
#include <stddef.h>

struct quantile {
	const char *name; /* "min", "99.9 %", "5 nines" */
	double q;
	size_t offset; /* of the stored figure in struct figures, 0 (which is no latency) without */
	size_t low, high; /* the same of its 95 % interval */
};

#define NR_QUANTILES 15

/* From min over 25 % and so on to 9 nines and max. */
extern const struct quantile quantiles[NR_QUANTILES];

/* Its latency from the histogram, or where that is NULL from the stored figures; UNKNOWN where
 * neither has it. */
double quantile_ns(const struct quantile *q, const struct hist *h, const struct figures *f);

/* Its 95 % interval; false where there is none. */
bool quantile_interval(const struct quantile *q, const struct figures *f, double *low_ns,
		       double *high_ns);

/* Whether fewer than 10 of so many I/Os lie beyond it; never of min and max. */
bool quantile_has_few(const struct quantile *q, uint64_t ios);

#endif
