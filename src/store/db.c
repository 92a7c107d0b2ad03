/* SPDX-License-Identifier: MIT */
#include "store/db.h"

#include "base/mem.h"
#include "base/num.h"

#include <inttypes.h>

/* What a user can do about it; NULL where SQLite's own words must do. */
static const char *advice(int rc)
{
	switch (rc & 0xff) {
	case SQLITE_FULL:
		return "the disk is full; what was stored before is intact";
	case SQLITE_NOTADB:
		return "it is not a lunsweep database";
	case SQLITE_CORRUPT:
		/* SQLite says the same of a disk that does not read. */
		return "the database is damaged, or its disk cannot be read; restore it from a "
		       "copy unless the kernel's log tells of errors of the disk";
	case SQLITE_IOERR:
		return "disk I/O error; the kernel's log may tell more";
	case SQLITE_PROTOCOL:
		return "locks do not work there; use a local file system";
	case SQLITE_NOMEM:
		return "out of memory";
	case SQLITE_READONLY:
		return "the file or its directory cannot be written";
	default:
		return NULL;
	}
}

int db_error(struct store *s, int rc, const char *doing, struct err *e)
{
	const char *cause = advice(rc);
	int sys = s->db ? sqlite3_system_errno(s->db) : 0;

	s->last_rc = rc & 0xff;
	if (s->last_rc == SQLITE_CANTOPEN && sys)
		return err_sys(e, ERR_DB, sys, "cannot %s '%s'", doing, s->path);
	if ((rc & 0xff) == SQLITE_BUSY || (rc & 0xff) == SQLITE_LOCKED)
		return err_set(e, ERR_DB,
			       "cannot %s '%s': another program has locked it for more than %.1f s",
			       doing, s->path, s->busy_ms / 1000.0);
	if (!cause)
		cause = s->db && sqlite3_errcode(s->db) != SQLITE_OK ? sqlite3_errmsg(s->db)
								     : sqlite3_errstr(rc);
	return err_set(e, ERR_DB, "cannot %s '%s': %s", doing, s->path, cause);
}

int db_no_run(const struct store *s, int64_t run_id, struct err *e)
{
	return err_set(e, ERR_DB, "there is no run %" PRId64 " in '%s'; 'lunsweep list' shows all",
		       run_id, s->path);
}

int db_exec(struct store *s, const char *sql, const char *doing, struct err *e)
{
	int rc = sqlite3_exec(s->db, sql, NULL, NULL, NULL);

	return rc == SQLITE_OK ? 0 : db_error(s, rc, doing, e);
}

int db_begin_write(struct store *s, struct err *e)
{
	return db_exec(s, "BEGIN IMMEDIATE", "write to", e);
}

int db_begin_read(struct store *s, struct err *e)
{
	return db_exec(s, "BEGIN", "read", e);
}

int db_end(struct store *s, int rc, struct err *e)
{
	if (!rc)
		rc = db_exec(s, "COMMIT", "write to", e);
	/* Some failures (a full disk) have rolled back already. A ROLLBACK that fails leaves
	 * nothing to do: the error that led here is the one to report. */
	if (rc && !sqlite3_get_autocommit(s->db))
		(void)sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	return rc;
}

int stmt_open(struct stmt *q, struct store *s, const char *sql, struct err *e)
{
	*q = (struct stmt){.store = s};
	q->rc = sqlite3_prepare_v2(s->db, sql, -1, &q->st, NULL);
	return q->rc == SQLITE_OK ? 0 : db_error(s, q->rc, "use", e);
}

int stmt_open_for(struct stmt *q, struct store *s, const char *sql, int64_t id, struct err *e)
{
	if (stmt_open(q, s, sql, e))
		return -1;
	put_int(q, id);
	return 0;
}

void stmt_close(struct stmt *q)
{
	/* Its result repeats that of the last step, which was looked at. */
	(void)sqlite3_finalize(q->st);
	q->st = NULL;
}

static void rewind_stmt(struct stmt *q)
{
	(void)sqlite3_reset(q->st);
	(void)sqlite3_clear_bindings(q->st);
	q->next = 0;
}

int stmt_step(struct stmt *q, struct err *e)
{
	int rc = q->rc;

	if (rc == SQLITE_OK)
		rc = sqlite3_step(q->st);
	q->next = 0;
	if (rc == SQLITE_ROW)
		return 1;
	if (rc == SQLITE_DONE) {
		rewind_stmt(q);
		return 0;
	}
	(void)db_error(q->store, rc, sqlite3_stmt_readonly(q->st) ? "read" : "write to", e);
	rewind_stmt(q);
	return -1;
}

int stmt_run(struct stmt *q, struct err *e)
{
	return stmt_step(q, e) < 0 ? -1 : 0;
}

int stmt_run_once(struct stmt *q, struct err *e)
{
	int rc = stmt_run(q, e);

	stmt_close(q);
	return rc;
}

static void keep(struct stmt *q, int rc)
{
	if (q->rc == SQLITE_OK)
		q->rc = rc;
}

void put_int(struct stmt *q, int64_t v)
{
	keep(q, sqlite3_bind_int64(q->st, ++q->next, v));
}

void put_u64(struct stmt *q, uint64_t v)
{
	put_int(q, (int64_t)v);
}

void put_u64_or_null(struct stmt *q, uint64_t v)
{
	if (v)
		put_u64(q, v);
	else
		put_null(q);
}

void put_real(struct stmt *q, double v)
{
	if (isnan(v))
		put_null(q);
	else
		keep(q, sqlite3_bind_double(q->st, ++q->next, v));
}

void put_text(struct stmt *q, const char *s)
{
	keep(q, sqlite3_bind_text(q->st, ++q->next, s, -1, SQLITE_STATIC));
}

void put_blob(struct stmt *q, const struct buf *b)
{
	keep(q, sqlite3_bind_blob64(q->st, ++q->next, b->text, b->len, SQLITE_STATIC));
}

void put_null(struct stmt *q)
{
	keep(q, sqlite3_bind_null(q->st, ++q->next));
}

int64_t get_int(struct stmt *q)
{
	return sqlite3_column_int64(q->st, q->next++);
}

uint64_t get_u64(struct stmt *q)
{
	return (uint64_t)get_int(q);
}

uint32_t get_u32(struct stmt *q)
{
	return (uint32_t)get_int(q);
}

bool get_is_null(const struct stmt *q)
{
	return sqlite3_column_type(q->st, q->next) == SQLITE_NULL;
}

double get_real(struct stmt *q)
{
	double v = sqlite3_column_double(q->st, q->next);

	/* NULL comes as 0. */
	if (v == 0 && get_is_null(q))
		v = UNKNOWN;
	q->next++;
	return v;
}

/* SQLite gives NULL both for NULL and when its memory ran out. */
static const char *column_text(struct stmt *q)
{
	bool is_null = get_is_null(q);
	const char *s = (const char *)sqlite3_column_text(q->st, q->next++);

	if (!s && !is_null)
		keep(q, SQLITE_NOMEM);
	return s;
}

char *get_text(struct stmt *q)
{
	const char *s = column_text(q);

	return s ? xstrdup(s) : NULL;
}

const char *get_borrowed(struct stmt *q)
{
	const char *s = column_text(q);

	return s ? s : "";
}

const void *get_blob(struct stmt *q, size_t *len)
{
	bool is_null = get_is_null(q);
	const void *data = sqlite3_column_blob(q->st, q->next);

	*len = (size_t)sqlite3_column_bytes(q->st, q->next++);
	if (!data && !is_null && sqlite3_errcode(q->store->db) == SQLITE_NOMEM)
		keep(q, SQLITE_NOMEM);
	return data;
}
