/* SPDX-License-Identifier: MIT */
#include "store/open.h"
#include "store/store.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/units.h"
#include "store/db.h"
#include "store/place.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#define APPLICATION_ID	 0x6c737731 /* as in schemas/001_init.sql */
#define NFS_MAGIC	 0x6969	    /* NFS_SUPER_MAGIC of linux/magic.h */
#define BUSY_DEFAULT_MS	 30000
#define JOURNAL_RETRY_MS 10
#define SPOOL_BUSY_MS	 1000	     /* one process at a time writes a spool */
#define LENGTH_MAX	 (256 << 20) /* bytes of a row; the series of a week is less */

extern const unsigned char schemas_001_init[];
extern const unsigned char schemas_002_believe[];
extern const unsigned char schemas_003_interval_max[];

/* The file of schema n is at n - 1. */
static const unsigned char *const migrations[] = {schemas_001_init, schemas_002_believe,
						  schemas_003_interval_max};

#define SCHEMA_VERSION ((int)NR(migrations))

static int check_version(const struct store *s, int id, int nr_tables, struct err *e)
{
	if (!id && !s->version && !nr_tables)
		return 0;
	if (id != APPLICATION_ID || s->version < 1)
		return err_set(e, ERR_DB, "'%s' is not a lunsweep database", s->path);
	if (s->version > SCHEMA_VERSION)
		return err_set(
			e, ERR_DB,
			"'%s' was written by a newer lunsweep (schema %d, this one knows %d): "
			"use that version",
			s->path, s->version, SCHEMA_VERSION);
	return 0;
}

/*
 * Version 0 stands for a file without any table, such as one of length 0. One statement reads
 * it all: between two of them another process could commit a migration.
 */
static int read_version(struct store *s, struct err *e)
{
	int id = 0, nr_tables = 0;
	int64_t nr_virtual = 0;
	struct stmt q;
	int rc;

	if (stmt_open(&q, s,
		      "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema), "
		      "(SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND "
		      "ifnull(rootpage, 0) <= 0) FROM pragma_application_id, pragma_user_version",
		      e))
		return -1;
	rc = stmt_step(&q, e);
	if (rc > 0) {
		id = (int)get_int(&q);
		s->version = (int)get_int(&q);
		nr_tables = (int)get_int(&q);
		nr_virtual = get_int(&q);
	}
	stmt_close(&q);
	if (rc < 0 || check_version(s, id, nr_tables, e))
		return -1;
	/* Their modules would read whatever it is that they read. */
	return nr_virtual
		       ? err_set(e, ERR_DB, "'%s' holds virtual tables, which lunsweep never makes",
				 s->path)
		       : 0;
}

/* A migration that lost what rows refer to must not be kept. */
static int check_references(struct store *s, struct err *e)
{
	struct stmt q;
	int64_t nr = 0;
	int rc;

	if (stmt_open(&q, s, "SELECT count(*) FROM pragma_foreign_key_check", e))
		return -1;
	rc = stmt_step(&q, e);
	if (rc > 0)
		nr = get_int(&q);
	stmt_close(&q);
	if (rc < 0)
		return -1;
	return nr ? err_set(e, ERR_DB,
			    "'%s' holds %" PRId64
			    " rows that refer to nothing, so it cannot be brought up to date",
			    s->path, nr)
		  : 0;
}

/* One step: the version is read again under the lock, since another process may have taken it
 * meanwhile. */
static int migrate_one(struct store *s, struct err *e)
{
	char set_version[48];
	int rc;

	if (db_begin_write(s, e))
		return -1;
	rc = read_version(s, e);
	if (!rc && s->version < SCHEMA_VERSION) {
		(void)snprintf(set_version, sizeof(set_version), "PRAGMA user_version = %d",
			       s->version + 1);
		rc = db_exec(s, (const char *)migrations[s->version], "make the tables of", e) ||
				     check_references(s, e) ||
				     db_exec(s, set_version, "make the tables of", e)
			     ? -1
			     : 0;
	}
	rc = db_end(s, rc, e);
	return rc ? rc : read_version(s, e);
}

/*
 * Foreign keys are off meanwhile: a table that is made anew is dropped in between, which would
 * take all rows that refer to it along. The pragma does nothing inside a transaction.
 */
static int migrate(struct store *s, struct err *e)
{
	int rc = 0;

	if (s->version == SCHEMA_VERSION)
		return 0;
	if (db_exec(s, "PRAGMA foreign_keys = OFF", "open", e))
		return -1;
	while (!rc && s->version < SCHEMA_VERSION)
		rc = migrate_one(s, e);
	return rc ? rc : db_exec(s, "PRAGMA foreign_keys = ON", "open", e);
}

/*
 * Whoever wrote the file may have put triggers, views and functions of his into it: none of them runs, a view in the place
 * of a table is refused, and nothing is larger than what a run can store.
 */
static int harden(struct store *s, struct err *e)
{
	static const struct {
		int what, on;
	} config[] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},
		      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
		      {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
		      {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
		      {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0}};
	int rc = SQLITE_OK;

	for (size_t i = 0; i < NR(config) && rc == SQLITE_OK; i++)
		rc = sqlite3_db_config(s->db, config[i].what, config[i].on, NULL);
	if (rc != SQLITE_OK)
		return db_error(s, rc, "open", e);
	(void)sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, LENGTH_MAX);
	(void)sqlite3_limit(s->db, SQLITE_LIMIT_ATTACHED, 0);
	/* A page whose cells do not fit into it is an error instead of whatever lies there. */
	return db_exec(s, "PRAGMA cell_size_check = ON", "open", e);
}

/* Copy all of the database into memory, and use the copy. */
static int take_to_memory(struct store *s, struct err *e)
{
	sqlite3 *memory = NULL, *file = s->db;
	sqlite3_backup *backup;
	int rc = sqlite3_open(":memory:", &memory);

	if (rc == SQLITE_OK)
		rc = sqlite3_busy_timeout(memory, (int)s->busy_ms);
	if (rc == SQLITE_OK) {
		backup = sqlite3_backup_init(memory, "main", file, "main");
		/* All pages in one step are one transaction: a writer cannot change half of it. */
		rc = backup ? sqlite3_backup_step(backup, -1) : sqlite3_errcode(memory);
		if (backup && sqlite3_backup_finish(backup) != SQLITE_OK && rc == SQLITE_DONE)
			rc = sqlite3_errcode(memory);
	}
	if (rc != SQLITE_DONE) {
		(void)sqlite3_close(memory);
		return db_error(s, rc, "copy into memory", e);
	}
	s->db = memory;
	(void)sqlite3_close(file);
	return harden(s, e);
}

/* A reader never changes the file: an older schema is brought up to date in a copy in memory. */
static int make_readable(struct store *s, struct err *e)
{
	if (s->version == 0)
		return err_set(e, ERR_DB, "'%s' is empty: nothing was stored in it yet", s->path);
	if (s->version == SCHEMA_VERSION)
		return 0;
	return take_to_memory(s, e) || migrate(s, e) ? -1 : 0;
}

char *open_parent_dir(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? xstrndup(path, (size_t)(slash - path) + 1) : xstrdup("./");
}

/* The name of a new file is on the disk only when its directory is. Some file systems cannot
 * sync a directory, and then need not. */
int open_sync_parent(const char *path, struct err *e)
{
	char *dir = open_parent_dir(path);
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = 0;

	if (fd < 0 || (fsync(fd) < 0 && errno != EINVAL && errno != ENOTSUP))
		rc = err_sys(e, ERR_DB, errno, "cannot make the directory of '%s' durable", path);
	if (fd >= 0)
		(void)close(fd);
	free(dir);
	return rc;
}

/* Make sure that a file is there, made by us with mode 0600. SQLite follows a link, so the last component is looked at,
 * too. */
static int prepare_file(const char *path, struct err *e)
{
	char *whole = xasprintf("%s/", path);
	int rc = file_check_links(whole, e), fd;

	free(whole);
	if (rc)
		return -1;
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd >= 0 && close(fd) < 0)
		return err_sys(e, ERR_DB, errno, "cannot create '%s'", path);
	if (fd >= 0)
		return open_sync_parent(path, e);
	return errno == EEXIST ? 0
			       : err_sys(e, ERR_DB, errno, "cannot create the database '%s'", path);
}

/* SQLite would wait for ever on a FIFO. */
static int check_regular(const char *path, struct err *e)
{
	struct stat st;

	if (stat(path, &st) < 0 && errno == ENOENT)
		return err_set(e, ERR_DB,
			       "there is no database '%s'; --db or LUNSWEEP_DB names another",
			       path);
	if (stat(path, &st) < 0)
		return err_sys(e, ERR_DB, errno, "cannot open the database '%s'", path);
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_DB, "'%s' is not a lunsweep database: it is no file", path);
	return 0;
}

static int read_busy_timeout(struct store *s, struct err *e)
{
	const char *text = getenv("LUNSWEEP_BUSY_TIMEOUT");
	uint64_t ns = 0;

	s->busy_ms = BUSY_DEFAULT_MS;
	if (!text || !*text)
		return 0;
	if (units_parse_duration(text, &ns, e))
		return err_wrap(e, "LUNSWEEP_BUSY_TIMEOUT");
	if (ns / NS_PER_MS > INT_MAX)
		return err_set(e, ERR_USAGE, "LUNSWEEP_BUSY_TIMEOUT: '%s' is too long", text);
	s->busy_ms = (unsigned)(ns / NS_PER_MS);
	return 0;
}

/*
 * A database in WAL mode needs its -shm file even for reading; where that cannot be made, the
 * first read fails with SQLITE_CANTOPEN or SQLITE_READONLY.
 */
static int wal_hint(struct store *s, int rc, struct err *e)
{
	char *dir;
	bool may_write;

	if (!rc || (s->last_rc != SQLITE_CANTOPEN && s->last_rc != SQLITE_READONLY))
		return rc;
	dir = open_parent_dir(s->path);
	may_write = access(dir, W_OK) == 0;
	free(dir);
	if (!may_write)
		return err_set(
			e, ERR_DB,
			"cannot read '%s': a database in WAL mode needs files beside it, and "
			"its directory cannot be written; copy it (and its -wal file) to one "
			"that can",
			s->path);
	return err_set(
		e, ERR_DB,
		"cannot read '%s': the files beside it, -wal and -shm, cannot be opened; look "
		"at whose they are, and at the limit of open files (ulimit -n)",
		s->path);
}

static int open_db(struct store *s, enum store_mode mode, struct err *e)
{
	int flags = SQLITE_OPEN_NOMUTEX |
		    (mode == STORE_WRITE ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY);
	int rc = sqlite3_open_v2(s->path, &s->db, flags, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_extended_result_codes(s->db, 0);
	if (rc == SQLITE_OK)
		rc = sqlite3_busy_timeout(s->db, (int)s->busy_ms);
	if (rc != SQLITE_OK)
		return db_error(s, rc, "open", e);
	return harden(s, e) || db_exec(s, "PRAGMA foreign_keys = ON", "open", e) ? -1 : 0;
}

/* Ask for a journal mode and make sure that it was given. */
static int ask_journal(struct store *s, const char *mode, struct err *e)
{
	char sql[48];
	struct stmt q;
	int rc;

	(void)snprintf(sql, sizeof(sql), "PRAGMA journal_mode = %s", mode);
	if (stmt_open(&q, s, sql, e))
		return -1;
	rc = stmt_step(&q, e);
	if (rc > 0) {
		const char *got = get_borrowed(&q);

		s->last_rc = SQLITE_OK;
		rc = strcmp(got, mode) ? err_set(e, ERR_DB,
						 "'%s' cannot be switched to the %s journal: it "
						 "stays with %s",
						 s->path, mode, got)
				       : 0;
	}
	stmt_close(&q);
	return rc;
}

/* Where several processes switch a new database at once, SQLite tells all but one that it is
 * locked and does not wait: they hold a lock that the others wait for. So we wait here. */
static int set_journal(struct store *s, const char *mode, struct err *e)
{
	uint64_t deadline_ns = clock_now_ns() + s->busy_ms * NS_PER_MS;
	struct err last = {0};

	while (ask_journal(s, mode, &last)) {
		if (s->last_rc != SQLITE_BUSY || clock_now_ns() >= deadline_ns)
			return err_set(e, last.code, "%s", last.msg);
		(void)sqlite3_sleep(JOURNAL_RETRY_MS);
	}
	return 0;
}

/* WAL shares memory between processes, which a network file system cannot give. */
static int choose_journal(struct store *s, struct err *e)
{
	struct statfs fs;
	bool is_nfs = statfs(s->path, &fs) == 0 && fs.f_type == NFS_MAGIC;

	if (db_exec(s, "PRAGMA synchronous = FULL", "open", e))
		return -1;
	if (!is_nfs)
		return set_journal(s, "wal", e);
	s->warning = xasprintf("'%s' lies on NFS, where the write-ahead log cannot work: whoever "
			       "reads it makes the sweep wait",
			       s->path);
	return set_journal(s, "delete", e);
}

static int open_for_write(struct store *s, struct err *e)
{
	if (prepare_file(s->path, e) || check_regular(s->path, e) ||
	    place_check(s->path, true, e) || open_db(s, STORE_WRITE, e) || read_version(s, e) ||
	    choose_journal(s, e))
		return -1;
	return migrate(s, e);
}

static int open_for_read(struct store *s, struct err *e)
{
	if (check_regular(s->path, e) || place_check(s->path, false, e) ||
	    open_db(s, STORE_READ, e))
		return -1;
	if (wal_hint(s, read_version(s, e), e))
		return -1;
	return make_readable(s, e);
}

/* Hand out what was opened, or close it. */
static int hand_out(struct store *s, int rc, struct store **out)
{
	if (rc) {
		store_close(s);
		return rc;
	}
	*out = s;
	return 0;
}

int open_memory(struct store **out, const char *name, struct err *e)
{
	struct store *s = xcalloc(1, sizeof(*s));
	int rc;

	s->path = xstrdup(name);
	rc = sqlite3_open(":memory:", &s->db);
	if (rc != SQLITE_OK)
		rc = db_error(s, rc, "make a copy in memory of", e);
	else
		rc = db_exec(s,
			     "PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; "
			     "PRAGMA temp_store = MEMORY",
			     "open", e) ||
				     read_version(s, e) || migrate(s, e)
			     ? -1
			     : 0;
	return hand_out(s, rc, out);
}

static int make_spool_tables(struct store *s, bool is_new, struct err *e)
{
	if (db_exec(s, "PRAGMA synchronous = EXTRA", "open", e) || read_version(s, e))
		return -1;
	if (s->version == SCHEMA_VERSION)
		return 0;
	if (!is_new)
		return err_set(e, ERR_DB,
			       "'%s' was written by another version of lunsweep (schema %d, this "
			       "one has %d): use that version",
			       s->path, s->version, SCHEMA_VERSION);
	return set_journal(s, "delete", e) || migrate(s, e) ? -1 : 0;
}

int open_spool(struct store **out, const char *path, bool is_new, struct err *e)
{
	struct store *s = xcalloc(1, sizeof(*s));
	int fd = is_new ? open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
	int rc = 0;

	s->path = xstrdup(path);
	s->busy_ms = SPOOL_BUSY_MS;
	if (is_new && (fd < 0 || close(fd) < 0))
		rc = err_sys(e, ERR_DB, errno, "cannot create '%s'", path);
	if (!rc)
		rc = open_db(s, STORE_WRITE, e) || make_spool_tables(s, is_new, e) ? -1 : 0;
	if (!rc && is_new)
		rc = open_sync_parent(path, e);
	return hand_out(s, rc, out);
}

int store_open(struct store **out, const char *path, enum store_mode mode, struct err *e)
{
	struct store *s = xcalloc(1, sizeof(*s));
	int rc;

	s->path = xstrdup(path);
	rc = read_busy_timeout(s, e);
	if (!rc)
		rc = mode == STORE_WRITE ? open_for_write(s, e) : open_for_read(s, e);
	return hand_out(s, rc, out);
}

void store_close(struct store *s)
{
	if (!s)
		return;
	/* Every statement is closed by the function that opened it, so this cannot be busy. */
	(void)sqlite3_close(s->db);
	free(s->path);
	free(s->warning);
	free(s);
}

const char *store_path(const struct store *s)
{
	return s->path;
}

int store_schema_version(const struct store *s)
{
	return s->version;
}

const char *store_warning(const struct store *s)
{
	return s->warning;
}
