/* SPDX-License-Identifier: MIT */
/* Inside the store: where spools lie, and which files may be one. */
#ifndef STORE_SPOOL_PLACE_H
#define STORE_SPOOL_PLACE_H

#include "store/spool.h"

/* The directory of place 0 or 1, without a slash at its end, for a database of this whole path; made
 * if may_make. NULL and e where it cannot be had, or others could write there. The caller frees it. */
char *spool_place(unsigned place, const char *db_path, bool may_make, struct err *e);

/* The caller frees it. */
char *spool_path(unsigned place, const char *dir, const char *db_path, int64_t run_id,
		 const char *mark);

/* Whether it is a file of our own, which nobody else can write, and no link. */
int spool_check_file(const char *path, struct err *e);

/* Spools by their names only, in the order of places. */
void spool_list_names(const char *db_path, struct spool **out, size_t *nr);

#endif
