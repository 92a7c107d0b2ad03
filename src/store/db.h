/* SPDX-License-Identifier: MIT */
/* Inside the store: an open database, transactions, and statements that remember their first
 * failure, so that a row of binds or columns needs one check. */
#ifndef STORE_DB_H
#define STORE_DB_H

#include "base/buf.h"
#include "base/err.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

struct store {
	sqlite3 *db;
	char *path;
	char *warning; /* see store_warning */
	int version;
	int last_rc; /* primary result code of the last failure */
	unsigned busy_ms;
};

/* Turn the result code of SQLite into "cannot DOING 'PATH': cause, and what to do"; -1. */
int db_error(struct store *s, int rc, const char *doing, struct err *e);

/* Run SQL without parameters. */
int db_exec(struct store *s, const char *sql, const char *doing, struct err *e);

/* Begin a transaction; one that writes takes the lock at once, so that it cannot fail half way
 * for a lock. */
int db_begin_write(struct store *s, struct err *e);
int db_begin_read(struct store *s, struct err *e);

/* End it: COMMIT when rc is 0, else ROLLBACK. A COMMIT that fails is rolled back. Returns rc,
 * or -1 with e when the COMMIT failed. */
int db_end(struct store *s, int rc, struct err *e);

/* There is no run of this number; -1. */
int db_no_run(const struct store *s, int64_t run_id, struct err *e);

struct stmt {
	struct store *store;
	sqlite3_stmt *st;
	int rc;	  /* first failure of a put or get */
	int next; /* parameter or column that the next put or get takes, from 0 */
};

/* Nothing is left to close when it fails. */
int stmt_open(struct stmt *q, struct store *s, const char *sql, struct err *e);
/* The same, and binds an id to the first parameter. */
int stmt_open_for(struct stmt *q, struct store *s, const char *sql, int64_t id, struct err *e);
void stmt_close(struct stmt *q);
/* 1: a row is there; 0: done, and ready for the next binds; -1. */
int stmt_step(struct stmt *q, struct err *e);
/* For statements without rows: step once, then be ready for the next binds. */
int stmt_run(struct stmt *q, struct err *e);
/* The same, and closes it. */
int stmt_run_once(struct stmt *q, struct err *e);

/* Bind the next parameter. Texts and blobs must live until the step. */
void put_int(struct stmt *q, int64_t v);
/* 64 bits as two's complement. */
void put_u64(struct stmt *q, uint64_t v);
/* NULL instead of 0, which stands for "not known" in the structs of model/. */
void put_u64_or_null(struct stmt *q, uint64_t v);
/* UNKNOWN becomes NULL. */
void put_real(struct stmt *q, double v);
void put_text(struct stmt *q, const char *s);
void put_blob(struct stmt *q, const struct buf *b);
void put_null(struct stmt *q);

/* Read the next column of the row. NULL gives 0, UNKNOWN or NULL. */
int64_t get_int(struct stmt *q);
uint64_t get_u64(struct stmt *q);
uint32_t get_u32(struct stmt *q);
double get_real(struct stmt *q);
/* A copy, which the caller frees. */
char *get_text(struct stmt *q);
/* Owned by the row, "" for NULL. */
const char *get_borrowed(struct stmt *q);
const void *get_blob(struct stmt *q, size_t *len);
/* Whether the next column is NULL; it stays the next one. */
bool get_is_null(const struct stmt *q);

#endif
