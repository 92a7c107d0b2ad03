/* SPDX-License-Identifier: MIT */
/* Inside the store: the rows that measured and imported runs share. The caller holds the
 * transaction. */
#ifndef STORE_WRITE_H
#define STORE_WRITE_H

#include "store/db.h"
#include "store/store.h"

/* The row of a target, made when it is not there; label and size may be NULL and 0. */
int write_target(struct store *s, const char *identity, const char *label, uint64_t size_bytes,
		 int64_t *id, struct err *e);
/* Fill in start and end where they are not given. */
void write_default_times(struct run_info *r);
/* The run and what belongs to it, without points; *id is its number. */
int write_run(struct store *s, const struct run_info *r, int64_t *id, struct err *e);
/* Add or replace facts of a run. */
int write_facts(struct store *s, int64_t run_id, const struct facts *f, struct err *e);
const char *write_origin_name(bool imported);

/* A planned or skipped point, by a statement that write_point_open made. */
int write_point_open(struct stmt *q, struct store *s, struct err *e);
int write_point(struct stmt *q, int64_t run_id, const struct planned_point *p, bool imported,
		struct err *e);
/* The tables that have what hangs on a point, by point_id; and remove it all. */
#define WRITE_NR_CHILDREN 6
extern const char *const write_children[WRITE_NR_CHILDREN];
int write_clear_point(struct store *s, int64_t id, struct err *e);
/* Status, reason, stamps and figures of a point that is there. */
int write_point_result(struct store *s, int64_t id, const struct point *p, struct err *e);
/* detail is indexed by flag, or NULL. */
int write_flags(struct store *s, int64_t id, flag_set flags, char *const *detail, struct err *e);
/* The figures of one direction, by a statement that write_dir_open made; sums and hist are NULL
 * where there is only the figure. */
int write_dir_open(struct stmt *q, struct store *s, struct err *e);
int write_dir(struct stmt *q, int64_t id, enum dir dir, struct figures f,
	      const struct dir_sums *sums, const struct hist *hist, struct err *e);

#endif
