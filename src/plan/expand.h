/* SPDX-License-Identifier: MIT */
/* From axes to distinct points; their order is made in plan.c. */
#ifndef PLAN_EXPAND_H
#define PLAN_EXPAND_H

#include "plan/plan.h"

/* A point before it has its place. */
struct candidate {
	struct point_spec spec;
	char *skip_reason;
	size_t listed;	 /* its place when the axes are nested as given */
	uint64_t key[4]; /* of the final order; used by plan.c */
};

struct candidates {
	struct candidate *v;
	size_t nr, cap;
};

/* Fills out, sorted by point_spec_compare and without duplicates. Errors as plan_make. */
int expand_sweep(const struct sweep *s, const struct target_info *t, struct candidates *out,
		 struct err *e);
void candidates_release(struct candidates *c);

#endif
