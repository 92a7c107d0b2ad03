/* SPDX-License-Identifier: MIT */
/* A table of text: for a terminal with columns as wide as they need to be and the last one wrapped, or in Markdown. */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

struct table_col {
	const char *title;
	bool is_left; /* aligned left; figures are right */
	int drop;     /* left out when the table is too wide: 1 first, then 2, ...; 0 never */
};

struct table_cell {
	size_t at;    /* where its text begins */
	size_t width; /* columns that it takes */
};

struct table {
	const struct table_col *cols; /* borrowed */
	size_t nr_cols;
	size_t last_min; /* the last column is wrapped to no less, other columns go first */
	struct buf *
		dropped; /* titles of columns that are left out are added here, each once; NULL for nowhere */
	struct buf text;	 /* of all cells, each ended by NUL */
	struct table_cell *cell; /* row by row */
	size_t nr, cap;
};

void table_init(struct table *t, const struct table_col *cols, size_t nr_cols);
void table_release(struct table *t);
/* The next cell, from left to right, row by row. */
void table_add(struct table *t, const char *text);
/* The same from b, which is empty afterwards. */
void table_take(struct table *t, struct buf *b);
/* Append the table in lines of at most width columns, indent blanks in front of each. Where even the columns that
 * stay have no room beside each other, each row is folded: its first cell, and below it the others behind their
 * titles. Words are not broken. */
void table_print(const struct table *t, struct buf *b, size_t indent, size_t width);
/* Append the whole table as GitHub-flavoured Markdown; what stands in its cells means nothing there. */
void table_markdown(const struct table *t, struct buf *b);

#endif
