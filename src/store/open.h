/* SPDX-License-Identifier: MIT */
/* Inside the store: databases that are not the user's own. */
#ifndef STORE_OPEN_H
#define STORE_OPEN_H

#include "store/db.h"

/* An empty database in memory, which calls itself name in messages. */
int open_memory(struct store **out, const char *name, struct err *e);

/*
 * A small database that has one writer and one reader, one after the other: a journal that is gone
 * when it is closed, and a commit that is on the disk with its directory. is_new: made with mode
 * 0600 where nothing is yet, not even a symbolic link. Otherwise it must be of this very schema.
 */
int open_spool(struct store **out, const char *path, bool is_new, struct err *e);

/* The directory that holds path, with its slash, "./" where path names none; the caller frees it. */
char *open_parent_dir(const char *path);
/* Make the names in that directory durable; where the file system cannot, it need not. */
int open_sync_parent(const char *path, struct err *e);

#endif
