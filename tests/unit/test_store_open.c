/* SPDX-License-Identifier: MIT */
/* WRAP: statfs64 sqlite3_step */
#include "store_test.h"

#include "base/file.h"
#include "store/place.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/wait.h>

static bool pretend_nfs;

int __real_statfs64(const char *path, struct statfs *buf);
int __wrap_statfs64(const char *path, struct statfs *buf);

int __wrap_statfs64(const char *path, struct statfs *buf)
{
	int rc = __real_statfs64(path, buf);

	if (pretend_nfs)
		buf->f_type = 0x6969;
	return rc;
}

/* The database that another process fills before this step from now; 0: none. */
static unsigned fill_at_step;
static const char *fill_path;

int __real_sqlite3_step(sqlite3_stmt *st);
int __wrap_sqlite3_step(sqlite3_stmt *st);

int __wrap_sqlite3_step(sqlite3_stmt *st)
{
	struct store *other = NULL;

	if (fill_at_step && !--fill_at_step) {
		/* It fails where the lock is held, as it should. */
		(void)store_open(&other, fill_path, STORE_WRITE, NULL);
		store_close(other);
	}
	return __real_sqlite3_step(st);
}

static void new_database_is_private(void **state)
{
	struct fixture *f = *state;
	struct stat st;

	open_store(f, STORE_WRITE);
	assert_int_equal(stat(f->path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(store_schema_version(f->s), 3);
	assert_null(store_warning(f->s));
	assert_answer(f,
		      "SELECT journal_mode, user_version FROM pragma_journal_mode, "
		      "pragma_user_version",
		      "wal 3");
}

static void write_text(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	assert_true(fputs(text, out) >= 0);
	assert_int_equal(fclose(out), 0);
}

static void file_of_length_0_is_taken_as_new(void **state)
{
	struct fixture *f = *state;

	write_text(f->path, "");
	must_fail(f, store_open(&f->s, f->path, STORE_READ, &f->e), "nothing was stored");
	open_store(f, STORE_WRITE);
	assert_int_equal(store_schema_version(f->s), 3);
}

/* Whether the other process came before the store was open. */
static bool open_while_another_fills(struct fixture *f, unsigned at_step, enum store_mode mode)
{
	(void)unlink(f->path);
	write_text(f->path, "");
	fill_path = f->path;
	fill_at_step = at_step;
	if (!store_open(&f->s, f->path, mode, &f->e))
		assert_int_equal(store_schema_version(f->s), 3);
	else if (mode == STORE_WRITE || !strstr(f->e.msg, "nothing was stored"))
		fail_msg("step %u: %s", at_step, f->e.msg);
	store_close(f->s);
	f->s = NULL;
	return fill_at_step == 0;
}

static void tables_may_be_made_by_another_process_at_any_time(void **state)
{
	unsigned at_step = 1;

	(void)setenv("LUNSWEEP_BUSY_TIMEOUT", "0", 1);
	while (open_while_another_fills(*state, at_step, STORE_WRITE))
		at_step++;
	assert_true(at_step > 2);
	at_step = 1;
	while (open_while_another_fills(*state, at_step, STORE_READ))
		at_step++;
	assert_true(at_step > 1);
	fill_at_step = 0;
}

static void foreign_files_are_refused_untouched(void **state)
{
	static const char text[] = "id,name\n1,something that is long enough to be looked at\n";
	struct fixture *f = *state;
	struct buf b = BUF_INIT;
	sqlite3 *db;

	write_text(f->path, text);
	must_fail(f, store_open(&f->s, f->path, STORE_WRITE, &f->e), "not a lunsweep database");
	must_fail(f, store_open(&f->s, f->path, STORE_READ, &f->e), "not a lunsweep database");
	assert_true(file_read(f->path, 4096, &b, NULL) == 0);
	assert_string_equal(buf_text(&b), text);
	buf_release(&b);
	assert_int_equal(unlink(f->path), 0);
	db = other_open(f);
	free(ask(db, "CREATE TABLE mine (x); PRAGMA user_version = 1"));
	sqlite3_close(db);
	must_fail(f, store_open(&f->s, f->path, STORE_WRITE, &f->e), "not a lunsweep database");
	assert_answer(f, "SELECT group_concat(name) FROM sqlite_schema", "mine");
	assert_int_equal(unlink(f->path), 0);
	assert_int_equal(mkfifo(f->path, 0600), 0);
	must_fail(f, store_open(&f->s, f->path, STORE_WRITE, &f->e), "not a lunsweep database");
	must_fail(f, store_open(&f->s, f->dir, STORE_READ, &f->e), "not a lunsweep database");
}

static void newer_and_missing_databases_are_refused(void **state)
{
	struct fixture *f = *state;
	sqlite3 *db;

	must_fail(f, store_open(&f->s, f->path, STORE_READ, &f->e), "there is no database");
	assert_int_equal(access(f->path, F_OK), -1);
	open_store(f, STORE_WRITE);
	store_close(f->s);
	f->s = NULL;
	db = other_open(f);
	free(ask(db, "PRAGMA user_version = 7"));
	sqlite3_close(db);
	must_fail(f, store_open(&f->s, f->path, STORE_WRITE, &f->e), "newer lunsweep (schema 7");
	must_fail(f, store_open(&f->s, f->path, STORE_READ, &f->e), "newer lunsweep (schema 7");
}

static void copy_schema(const struct fixture *f, int version)
{
	char *from = xasprintf("%s/schema-%d.db", getenv("TEST_DATA"), version);
	struct buf b = BUF_INIT;
	FILE *out = fopen(f->path, "w");

	assert_non_null(out);
	assert_int_equal(file_read(from, 16 << 20, &b, NULL), 0);
	assert_int_equal(fwrite(buf_text(&b), 1, b.len, out), b.len);
	assert_int_equal(fclose(out), 0);
	buf_release(&b);
	free(from);
}

/* Everything that refers to a point must survive the table that is made anew. */
#define EVERYTHING \
	"SELECT (SELECT count(*) FROM point) || ' ' || (SELECT count(*) FROM point_dir) || ' ' " \
	"|| (SELECT count(*) FROM point_flag) || ' ' || (SELECT count(*) FROM point_worker) " \
	"|| ' ' || (SELECT count(*) FROM point_series) || ' ' " \
	"|| (SELECT count(*) FROM point_counter) || ' ' || (SELECT sum(iops) FROM point)"

static void is_migrated_whole(struct fixture *f, int version)
{
	sqlite3 *db;
	char *before;

	copy_schema(f, version);
	db = other_open(f);
	before = ask(db, EVERYTHING);
	sqlite3_close(db);
	open_store(f, STORE_WRITE);
	assert_int_equal(store_schema_version(f->s), 3);
	assert_answer(f, EVERYTHING, before);
	assert_answer(f, "SELECT count(*) FROM pragma_foreign_key_check", "0");
	assert_answer(f, "SELECT integrity_check FROM pragma_integrity_check", "ok");
	free(before);
}

static void schema_1_is_migrated_whole(void **state)
{
	is_migrated_whole(*state, 1);
}

static void schema_2_is_migrated_whole(void **state)
{
	struct fixture *f = *state;

	is_migrated_whole(f, 2);
	assert_answer(f,
		      "SELECT count(*) || ' ' || count(read_lat_max_ns) || ' ' || "
		      "count(write_lat_max_ns) FROM point_series",
		      "100 0 0");
}

static void reader_of_schema_2_knows_no_maximum_of_intervals(void **state)
{
	struct fixture *f = *state;
	struct measurement m;

	copy_schema(f, 2);
	assert_int_equal(chmod(f->path, 0400), 0);
	open_store(f, STORE_READ);
	must(f, store_load_measurement(f->s, 2, 1, &m, &f->e));
	assert_int_equal(m.nr_intervals, 50);
	for (size_t i = 0; i < m.nr_intervals; i++) {
		assert_true(m.series[i].ios[DIR_READ] > 0);
		assert_true(isnan(interval_lat_max_ns(&m.series[i], DIR_TOTAL)));
	}
	measurement_release(&m);
	assert_answer(f, "SELECT user_version FROM pragma_user_version", "2");
}

static void reader_of_schema_1_changes_nothing(void **state)
{
	struct fixture *f = *state;
	struct measurement m;

	copy_schema(f, 1);
	assert_int_equal(chmod(f->path, 0400), 0);
	open_store(f, STORE_READ);
	assert_int_equal(store_schema_version(f->s), 3);
	must(f, store_load_measurement(f->s, 1, 1, &m, &f->e));
	measurement_release(&m);
	/* What that version did not keep is not known. */
	must(f, store_load_measurement(f->s, 2, 1, &m, &f->e));
	assert_true(m.worker[0].dir[DIR_READ].ios > 0);
	assert_true(isnan(worker_lat_sd_ns(&m.worker[0], DIR_TOTAL)));
	assert_null(m.cpu);
	measurement_release(&m);
	assert_answer(f, "SELECT user_version FROM pragma_user_version", "1");
}

static void links_in_public_places_are_not_followed(void **state)
{
	struct fixture *f = *state;
	char *link = xasprintf("%s/link", f->dir), *other = xasprintf("%s/other", f->dir);

	assert_int_equal(symlink(other, link), 0);
	must_fail(f, store_open(&f->s, link, STORE_WRITE, &f->e), "there is no database");
	assert_int_equal(access(other, F_OK), -1);
	write_text(other, "");
	assert_int_equal(chmod(f->dir, 01777), 0);
	must_fail(f, store_open(&f->s, link, STORE_WRITE, &f->e), "symbolic link");
	assert_int_equal(chmod(f->dir, 0700), 0);
	must(f, store_open(&f->s, link, STORE_WRITE, &f->e));
	free(link);
	free(other);
}

static int teardown_nfs(void **state)
{
	pretend_nfs = false;
	return teardown(state);
}

static void no_wal_on_nfs(void **state)
{
	struct fixture *f = *state;

	pretend_nfs = true;
	open_store(f, STORE_WRITE);
	assert_non_null(strstr(store_warning(f->s), "NFS"));
	assert_answer(f, "PRAGMA journal_mode", "delete");
}

static void locked_database_is_reported_after_the_timeout(void **state)
{
	struct fixture *f = *state;
	struct run_info r = fixture_run();
	struct planned_point p = {fixture_spec(2), 1, NULL};
	sqlite3 *db;

	(void)setenv("LUNSWEEP_BUSY_TIMEOUT", "200ms", 1);
	open_store(f, STORE_WRITE);
	db = other_open(f);
	free(ask(db, "BEGIN EXCLUSIVE"));
	must_fail(f, store_add_run(f->s, &r, &p, 1, &f->e), "locked it for more than 0.2 s");
	free(ask(db, "COMMIT"));
	sqlite3_close(db);
	must(f, store_add_run(f->s, &r, &p, 1, &f->e));
	(void)setenv("LUNSWEEP_BUSY_TIMEOUT", "soon", 1);
	must_fail(f, store_open(&f->s, f->path, STORE_READ, &f->e),
		  "LUNSWEEP_BUSY_TIMEOUT: 'soon'");
}

/* Reads until its standard input ends. */
static _Noreturn void select_for_ever(const char *path, int stop_fd)
{
	struct store *s;
	int rc = 0;
	char c;

	do {
		struct run_summary *list;
		size_t nr;

		s = NULL;
		rc = store_open(&s, path, STORE_READ, NULL) || store_list_runs(s, &list, &nr, NULL);
		if (!rc) {
			/* A transaction never shows half of a run. */
			rc = nr != 1 || list[0].nr_total != 8;
			store_free_list(list, nr);
		}
		store_close(s);
	} while (!rc && read(stop_fd, &c, 1) < 0);
	_exit(rc ? 1 : 0);
}

static void readers_never_block_the_writer(void **state)
{
	struct fixture *f = *state;
	struct run_info r = fixture_run();
	int stop[2], status = 0;
	pid_t child;

	(void)setenv("LUNSWEEP_BUSY_TIMEOUT", "0", 1);
	open_store(f, STORE_WRITE);
	(void)add_run(f, &r, 8);
	store_close(f->s);
	assert_int_equal(pipe2(stop, O_NONBLOCK | O_CLOEXEC), 0);
	child = fork();
	if (child == 0) {
		(void)close(stop[1]);
		/* Whoever opens a database that nobody has open may find the last one closing it. */
		(void)setenv("LUNSWEEP_BUSY_TIMEOUT", "5s", 1);
		select_for_ever(f->path, stop[0]);
	}
	(void)close(stop[0]);
	open_store(f, STORE_WRITE);
	for (uint32_t i = 0; i < 8; i++)
		finish(f, r.id, 2U << i, i + 1);
	(void)close(stop[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void open_read_transaction_does_not_block_the_writer(void **state)
{
	struct fixture *f = *state;
	struct run_info r = fixture_run();
	sqlite3 *db;
	char *text;

	(void)setenv("LUNSWEEP_BUSY_TIMEOUT", "0", 1);
	open_store(f, STORE_WRITE);
	db = other_open(f);
	text = ask(db, "BEGIN; SELECT count(*) FROM run");
	assert_string_equal(text, "0");
	free(text);
	(void)add_run(f, &r, 1);
	finish(f, r.id, 2, 1);
	text = ask(db, "SELECT count(*) FROM run; COMMIT; SELECT count(*) FROM run");
	assert_string_equal(text, "0 1");
	free(text);
	sqlite3_close(db);
}

/* What SQLite would take for its own beside the database, where others may have made it. */
static void what_others_put_beside_a_database_is_refused(void **state)
{
	static const char *const beside[] = {"-wal", "-shm", "-journal"};
	struct fixture *f = *state;

	if (geteuid())
		skip();
	open_store(f, STORE_WRITE);
	store_close(f->s);
	f->s = NULL;
	for (size_t i = 0; i < NR(beside); i++) {
		char *name = xasprintf("%s%s", f->path, beside[i]);

		write_text(name, "");
		assert_int_equal(chown(name, 65534, 65534), 0);
		assert_int_equal(chmod(f->dir, 0755), 0);
		must(f, place_check(f->path, true, &f->e));
		/* A journal is played back, and can have other files removed. */
		assert_int_equal(chmod(f->dir, 0775), 0);
		if (strstr(name, "-journal"))
			must_fail(f, place_check(f->path, false, &f->e), "belongs to another user");
		else
			must(f, place_check(f->path, true, &f->e));
		assert_int_equal(chmod(f->dir, 01777), 0);
		must_fail(f, place_check(f->path, false, &f->e), "belongs to another user");
		assert_int_equal(unlink(name), 0);
		assert_int_equal(symlink("db", name), 0);
		must_fail(f, place_check(f->path, false, &f->e), "is no regular file");
		assert_int_equal(unlink(name), 0);
		free(name);
	}
	assert_int_equal(chown(f->path, 65534, 65534), 0);
	must(f, place_check(f->path, false, &f->e));
	must_fail(f, place_check(f->path, true, &f->e), "belongs to another user");
	must_fail(f, store_open(&f->s, f->path, STORE_WRITE, &f->e), "belongs to another user");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(schema_1_is_migrated_whole),
		TEST(schema_2_is_migrated_whole),
		TEST(reader_of_schema_1_changes_nothing),
		TEST(reader_of_schema_2_knows_no_maximum_of_intervals),
		TEST(new_database_is_private),
		TEST(file_of_length_0_is_taken_as_new),
		TEST(tables_may_be_made_by_another_process_at_any_time),
		TEST(foreign_files_are_refused_untouched),
		TEST(newer_and_missing_databases_are_refused),
		TEST(links_in_public_places_are_not_followed),
		TEST(what_others_put_beside_a_database_is_refused),
		cmocka_unit_test_setup_teardown(no_wal_on_nfs, setup, teardown_nfs),
		TEST(locked_database_is_reported_after_the_timeout),
		TEST(readers_never_block_the_writer),
		TEST(open_read_transaction_does_not_block_the_writer),
	};

	return cmocka_run_group_tests_name("store: opening", tests, NULL, NULL);
}
