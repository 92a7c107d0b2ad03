/* SPDX-License-Identifier: MIT */
/* A published table of measured points, as text, to points that the store can take in. */
#ifndef CMD_IMPORT_CSV_H
#define CMD_IMPORT_CSV_H

#include "base/buf.h"
#include "base/err.h"
#include "base/opt.h"
#include "model/point.h"

#include <stddef.h>

struct import_table {
	struct point *points; /* in the order of the table; seq counts from 1 */
	size_t nr;
	struct buf warnings; /* one a line */
};

/*
 * The first record names the columns; a name is one that the table in the .c file has, or given by map (column
 * name, then ours, or "-" for a column to leave out). set gives axes that are the same in every
 * row (our name, then the value). Empty fields are figures that are not known. Errors tell the
 * line, and the column where there is one.
 *
 * Warned of: an axis that is assumed; a row whose IOPS x latency does not match its depth by
 * method.md (e). out is to be released in any case.
 */
int import_csv(const char *text, size_t len, const struct pair_list *map,
	       const struct pair_list *set, struct import_table *out, struct err *e);
void import_table_release(struct import_table *t);

#endif
