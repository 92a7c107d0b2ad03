/* SPDX-License-Identifier: MIT */
/* Inside the store: rows as they are, from one database into another of the same schema. Nothing is
 * computed anew, so that nothing can differ. */
#ifndef STORE_COPY_H
#define STORE_COPY_H

#include "store/db.h"

struct copy {
	const char *table;
	const char *where; /* of the table; ?1 is key */
	int64_t key;
	const char *set; /* the column that gets another value, NULL for none ... */
	int64_t value;	 /* ... and that value */
	/* Columns that become NULL: such as a key that the other database shall give. NULL for none. */
	const char *none;
};

/* Insert the rows. */
int copy_rows(struct store *from, struct store *to, const struct copy *c, struct err *e);

/* Whether both databases are made of the same tables. */
int copy_same_schema(struct store *a, struct store *b, bool *is_same, struct err *e);

/* The row of the same point (by its axes) in the run of another database: 0 where it has none. */
int copy_find_point(struct store *from, int64_t point_id, struct store *to, int64_t run_id,
		    int64_t *id, struct err *e);

/* Put a point with all that hangs on it into the run of another database, over the row id of it that
 * is there; 0: a new one. */
int copy_point(struct store *from, int64_t point_id, struct store *to, int64_t run_id, int64_t id,
	       struct err *e);

/* A sum over everything that copy_point takes, but for the numbers of run and point. */
int copy_sum(struct store *s, int64_t point_id, uint64_t *sum, struct err *e);

#endif
