/* SPDX-License-Identifier: MIT */
/* A published table of measured points, as text, to points that the store can take in. */
#ifndef CMD_IMPORT_CSV_H
#define CMD_IMPORT_CSV_H

#include "base/buf.h"
#include "base/err.h"
#include "base/opt.h"
#include "model/point.h"

#include <stdbool.h>
#include <stddef.h>

/* How the figures of a point were printed, which says how exact they are. */
struct import_print {
	unsigned line;	       /* of its first row */
	double iops_quantum;   /* what the last digit of the total stands for; 0: not known */
	double lat_quantum_ns; /* that of its mean latency */
	double mib_quantum;    /* that of MiB/s of the total; UNKNOWN where none was printed */
};

/* What was measured on one target. */
struct import_table {
	char *target;	      /* as its column says; NULL without one */
	struct point *points; /* in the order of the table; seq counts from 1 */
	struct import_print *print;
	size_t nr, cap, cap_print;
	unsigned first_line, last_line; /* of its rows */
};

struct import_result {
	struct import_table *v; /* in the order of the table */
	size_t nr, cap;
	struct buf warnings; /* one a line */
	/* What the checks need to know of the columns. */
	bool assumes_bs;
	char *mib_column; /* that gave MiB/s, NULL without; owned */
	double mib_scale; /* of it: 1 where it is MiB/s */
};

struct import_source {
	const char *text;
	size_t len;
	const struct pair_list *map, *set, *where;
};

/*
 * The first record names the columns; a name is one that the tables of import_columns.c and
 * import_row.c have, or given by map (column name, then ours, or "-" for a column to leave out).
 * set gives axes that are the same in every row (our name, then the value). Only rows whose
 * columns have the text that where gives are taken; of several texts for one column, one of them.
 * Empty fields are figures that are not known. Errors tell the line, and the column where there is
 * one.
 *
 * A column "target" makes a table of each target. A column "dir" makes rows of the same axes the
 * directions of one point; where no row gives its total, that is the sum of IOPS and the mean
 * latency weighted by them (D30).
 *
 * Warned of: an axis that is assumed. import_check does the rest, when percentiles have been
 * added. out is to be released in any case.
 */
int import_csv(const struct import_source *src, struct import_result *out, struct err *e);
void import_result_release(struct import_result *r);

/*
 * Percentiles as DiskSpd and others print them, one a row: columns "target" (where the table has
 * it), "pct" (min, 50th, 95, p99.9, 3-nines, max) and one or more of total, read and write with a
 * unit of time (read_ms). Each target must have one point only. Percentiles that there is no
 * figure for are left out.
 */
int import_percentiles(const char *text, size_t len, struct import_result *r, struct err *e);

/*
 * What cannot be is an error: percentiles out of order. Warned of is what contradicts itself: IOPS
 * x latency against the depth by method.md (e), as far as the printed digits tell; bytes against
 * IOPS x block size, and a unit that is wrong throughout; a total that is not that of its
 * directions; and two targets with the same figures.
 */
int import_check(struct import_result *r, struct err *e);

#endif
