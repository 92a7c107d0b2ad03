/* SPDX-License-Identifier: MIT */
/* Points with a rate to response curves: latency against offered load. */
#ifndef ANALYZE_RESPONSE_H
#define ANALYZE_RESPONSE_H

#include "model/answer.h"

/*
 * Group the points (of one run) that have a rate into response curves, in report order; rows
 * ascend in the load offered, those that were never offered one come last. Points without a rate
 * belong to curves_build. Row pointers point into points.
 */
void responses_build(const struct point *points, size_t nr_points, flag_set accepted,
		     struct response **out, size_t *nr);
void responses_free(struct response *responses, size_t nr);

/* The highest load whose latency is within the cap, of those that were sustained. */
void response_find_cap(const struct response *r, struct cap cap, struct response_cap *out);

#endif
