/* SPDX-License-Identifier: MIT */
/* Whether a database lies where others could have put something into it: SQLite would take that for ours. */
#ifndef STORE_PLACE_H
#define STORE_PLACE_H

#include "base/err.h"

#include <stdbool.h>

/*
 * What lies beside the database that is there (-wal, -shm, -journal) is a regular file, and where anybody may write, that
 * and, for_write, the database itself belong to us or root. -1 and e name what is not so.
 */
int place_check(const char *path, bool for_write, struct err *e);

#endif
