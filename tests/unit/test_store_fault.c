/* SPDX-License-Identifier: MIT */
/* The store when memory and disk run out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sqlite_ask.h"
#include "store_fixture.h"

#include <limits.h>
#include <sqlite3.h>
#include <sys/mount.h>

/* Of SQLite's allocations since the count began, those from fail_from to fail_to fail. */
static sqlite3_mem_methods real;
static long nr_calls, fail_from, fail_to;

static bool must_fail_now(void)
{
	nr_calls++;
	return nr_calls >= fail_from && nr_calls <= fail_to;
}

static void *failing_malloc(int size)
{
	return must_fail_now() ? NULL : real.xMalloc(size);
}

static void *failing_realloc(void *p, int size)
{
	return must_fail_now() ? NULL : real.xRealloc(p, size);
}

static void fail_allocations(long from, long to)
{
	nr_calls = 0;
	fail_from = from;
	fail_to = to;
}

static int install(void **state)
{
	sqlite3_mem_methods failing;

	(void)state;
	if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real) != SQLITE_OK)
		return -1;
	failing = real;
	failing.xMalloc = failing_malloc;
	failing.xRealloc = failing_realloc;
	return sqlite3_config(SQLITE_CONFIG_MALLOC, &failing) == SQLITE_OK ? 0 : -1;
}

static void fill_run(struct run_info *r, struct planned_point points[2])
{
	*r = fixture_run();
	facts_set(&r->facts, "kernel", "6.1");
	points[0] = (struct planned_point){fixture_spec(2), 1, NULL};
	points[1] = (struct planned_point){fixture_spec(4), 2, NULL};
}

/* Everything that a run asks of the store, up to the first failure. *stored tells how many
 * points returned 0. */
static int use_store(const char *path, unsigned *stored, struct err *e)
{
	struct planned_point points[2];
	struct measurement m;
	struct store *s = NULL;
	struct run_info r;
	int rc;

	*stored = 0;
	fill_run(&r, points);
	rc = store_open(&s, path, STORE_WRITE, e) || store_add_run(s, &r, points, 2, e);
	for (unsigned i = 0; !rc && i < 2; i++) {
		fixture_measurement(&m, points[i].spec.iodepth, points[i].seq);
		rc = store_point_started(s, r.id, &m.spec, 1, e) ||
		     store_point_finished(s, r.id, &m, e);
		measurement_release(&m);
		*stored += !rc;
	}
	if (!rc)
		rc = store_set_run_state(s, r.id, RUN_FINISHED, e);
	store_close(s);
	facts_release(&r.facts);
	return rc ? -1 : 0;
}

/* The database is whole and holds these points. */
static void assert_intact(const char *path, unsigned stored)
{
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(ask(db, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
	assert_int_equal(ask(db, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
	if (ask(db, "SELECT count(*) FROM sqlite_schema")) {
		/* Each migration is a transaction of its own. */
		assert_in_range(ask(db, "SELECT user_version FROM pragma_user_version"), 1, 3);
		assert_int_equal(ask(db, "SELECT count(*) FROM point WHERE status = 'ok'"), stored);
		assert_int_equal(ask(db, "SELECT count(*) FROM point_series"), stored * 50);
	}
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void remove_db(const char *path)
{
	static const char *const ends[] = {"", "-wal", "-shm", "-journal"};

	for (size_t i = 0; i < NR(ends); i++) {
		char *name = xasprintf("%s%s", path, ends[i]);

		(void)unlink(name);
		free(name);
	}
}

/* One use of the store with failing memory. The error is reported and nothing is lost. */
static int use_with_failures(const char *path, long from, long to)
{
	unsigned stored = 0;
	struct err e = {0};
	int rc;

	remove_db(path);
	fail_allocations(from, to);
	rc = use_store(path, &stored, &e);
	fail_from = fail_to = 0;
	if (rc) {
		assert_int_equal(e.code, ERR_DB);
		assert_true(strlen(e.msg) > 0);
	} else {
		assert_int_equal(stored, 2);
	}
	assert_int_equal(sqlite3_memory_used(), 0);
	assert_intact(path, stored);
	return rc;
}

/* On a memory file system where there is one: a thousand databases are synced. */
static char *fast_dir(void)
{
	if (access("/dev/shm", W_OK) == 0)
		(void)setenv("TMPDIR", "/dev/shm", 0);
	return fixture_dir();
}

/*
 * Memory fails from the first allocation on, from the second on, and so forth until all goes
 * well; LeakSanitizer sees what was not given back. The step grows so that the test ends soon.
 */
static void lasting_want_of_memory_breaks_nothing(void **state)
{
	char *dir = fast_dir(), *path = xasprintf("%s/db", dir);
	unsigned failures = 0;

	(void)state;
	for (long call = 1; use_with_failures(path, call, LONG_MAX); call += call < 500 ? 1 : 11)
		failures++;
	assert_true(failures > 100);
	fixture_remove(dir);
	free(path);
}

/* The same with a single failure, which SQLite can sometimes do without. */
static void passing_want_of_memory_breaks_nothing(void **state)
{
	char *dir = fast_dir(), *path = xasprintf("%s/db", dir);
	unsigned failures = 0;
	long call = 1;

	(void)state;
	do {
		failures += use_with_failures(path, call, call) != 0;
		call += call < 500 ? 1 : 11;
	} while (nr_calls >= call);
	assert_true(failures > 100);
	fixture_remove(dir);
	free(path);
}

/* Returns whether this process may make a small file system at dir. */
static bool mount_small(const char *dir, const char *size)
{
	return geteuid() == 0 && mount("tmpfs", dir, "tmpfs", 0, size) == 0;
}

static void full_disk_loses_no_earlier_point(void **state)
{
	char *dir = fixture_dir(), *path = xasprintf("%s/db", dir);
	struct planned_point points[64];
	struct run_info r = fixture_run();
	struct store *s = NULL;
	struct err e = {0};
	unsigned stored = 0;
	int rc = 0;

	(void)state;
	if (!mount_small(dir, "size=640k")) {
		fixture_remove(dir);
		free(path);
		skip();
	}
	for (uint32_t i = 0; i < 64; i++)
		points[i] = (struct planned_point){fixture_spec(2 + i), i + 1, NULL};
	if (store_open(&s, path, STORE_WRITE, &e) || store_add_run(s, &r, points, 64, &e))
		fail_msg("%s", e.msg);
	while (!rc && stored < 64) {
		struct measurement m;

		fixture_measurement(&m, 2 + stored, stored + 1);
		rc = store_point_started(s, r.id, &m.spec, 1, &e) ||
		     store_point_finished(s, r.id, &m, &e);
		measurement_release(&m);
		stored += !rc;
	}
	assert_int_not_equal(rc, 0);
	assert_non_null(strstr(e.msg, "the disk is full"));
	assert_true(stored > 0);
	store_close(s);
	assert_intact(path, stored);
	remove_db(path);
	assert_int_equal(umount(dir), 0);
	fixture_remove(dir);
	free(path);
}

static void wal_database_in_a_read_only_place_is_explained(void **state)
{
	char *dir = fixture_dir(), *path = xasprintf("%s/db", dir);
	unsigned stored;
	struct store *s = NULL;
	struct err e = {0};

	(void)state;
	if (!mount_small(dir, "size=8m")) {
		fixture_remove(dir);
		free(path);
		skip();
	}
	assert_int_equal(use_store(path, &stored, &e), 0);
	assert_int_equal(mount("tmpfs", dir, "tmpfs", MS_REMOUNT | MS_RDONLY, NULL), 0);
	assert_int_equal(store_open(&s, path, STORE_READ, &e), -1);
	assert_non_null(strstr(e.msg, "its directory cannot be written; copy it"));
	assert_int_equal(store_open(&s, path, STORE_WRITE, &e), -1);
	assert_int_equal(umount(dir), 0);
	fixture_remove(dir);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lasting_want_of_memory_breaks_nothing),
		cmocka_unit_test(passing_want_of_memory_breaks_nothing),
		cmocka_unit_test(full_disk_loses_no_earlier_point),
		cmocka_unit_test(wal_database_in_a_read_only_place_is_explained),
	};

	return cmocka_run_group_tests_name("store under faults", tests, install, NULL);
}
