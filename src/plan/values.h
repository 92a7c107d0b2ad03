/* SPDX-License-Identifier: MIT */
/* The values of an axis as text: scalars, lists with commas, and ranges. */
#ifndef PLAN_VALUES_H
#define PLAN_VALUES_H

#include "plan/sweep.h"

/* A piece of text and its place in the sweep file (line 0: not from a file). */
struct item {
	char *text; /* owned */
	unsigned line, column;
};

struct items {
	struct item *v;
	size_t nr, cap;
};

/*
 * Add the parts of text between commas, without the spaces around them. An empty part is
 * refused where the values are parsed. Every part keeps its own column, which is right as long as the
 * text stands on one line.
 */
void items_split(struct items *items, const char *text, unsigned line, unsigned column);
void items_add(struct items *items, const char *text, unsigned line, unsigned column);
void items_release(struct items *items);

/*
 * Parse one item and add its value or, for a range, its values to l:
 *   A..B*M   A, A*M, A*M*M, ... up to the last one that does not exceed B; M >= 2
 *   A..B+S   A, A+S, A+2S, ...
 *   A..B     with counts and per cents of a mix: steps of 1
 * Refuses what can be valid on no target: bs 0 or no multiple of 512 or above 1G, depth 0, span
 * 0, rate 0, per cents above 100 (a rate: 120). max is how many values l may hold.
 */
int axis_parse(struct axis_list *l, enum axis axis, const struct item *item, size_t max,
	       struct err *e);

/* A size or a per cent of the target, as spans and offsets are written. */
int extent_parse(const char *text, uint64_t *value, bool *is_percent, struct err *e);

/* The value as axis_parse takes it back. */
void buf_add_axis_value(struct buf *b, enum axis axis, const struct axis_value *v);

void axis_list_clear(struct axis_list *l);

#endif
