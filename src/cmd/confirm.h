/* SPDX-License-Identifier: MIT */
/* What comes before a target is touched, in every command that does. */
#ifndef CMD_CONFIRM_H
#define CMD_CONFIRM_H

#include "base/err.h"
#include "model/target.h"

#include <stdbool.h>

/* Ask on the terminal, unless yes; without a terminal that is an error. -1 when nobody agreed. */
int confirm_ask(bool yes, const char *question, struct err *e);

/* The database must not be what is measured or written; on the device under test it may lie, but
 * the user is told (D31). */
int confirm_database(const struct target_info *t, const char *db, struct err *e);

/* A file in memory is no storage, unless allowed. */
int confirm_storage(const struct target_info *t, bool allow_ram, struct err *e);

/* "lunsweep NAME ARG..." in a form that a shell takes back; the caller frees it. */
char *confirm_quote(const char *name, int argc, char **argv);

#endif
