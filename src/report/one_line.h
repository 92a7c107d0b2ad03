/* SPDX-License-Identifier: MIT */
/* One line of several parts that never gets wider than its room: what matters least goes first. */
#ifndef REPORT_ONE_LINE_H
#define REPORT_ONE_LINE_H

#include "base/buf.h"

#include <stddef.h>

#define ONE_LINE_PARTS 8

struct one_line {
	struct buf part[ONE_LINE_PARTS];
	unsigned rank[ONE_LINE_PARTS];
	size_t nr;
};

/* The next part, to be written into; empty ones are passed over. Those of the lowest rank, and of equals the
 * first, take their room before others. */
struct buf *one_line_part(struct one_line *l, unsigned rank);

/* Add the line to b, without a line end: at most width columns, two blanks between parts. The part that matters
 * most is cut if it alone is too wide. The parts are released. */
void one_line_take(struct one_line *l, size_t width, struct buf *b);

#endif
