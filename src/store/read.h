/* SPDX-License-Identifier: MIT */
/* Inside the store: columns that become names of model/. An unknown name is an error, since it
 * comes from a later version. */
#ifndef STORE_READ_H
#define STORE_READ_H

#include "store/db.h"
#include "store/store.h"

/* Report a name that is not known; -1. */
int read_unknown(const struct store *s, const char *what, const char *name, struct err *e);

/* Each takes the next columns of the row. A flag is added to *flags as well. */
int read_flag(struct stmt *q, flag_set *flags, enum flag *flag, struct err *e);
int read_status(struct stmt *q, enum point_status *status, struct err *e);
/* SPEC_COLUMNS and span_e4. */
int read_spec(struct stmt *q, struct point_spec *p, struct err *e);
/* DIR_NR where there is no such direction. */
enum dir read_dir_name(const char *name);

#endif
