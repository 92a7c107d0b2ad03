/* SPDX-License-Identifier: MIT */
/* A store of a test in a folder of its own, and questions to its database beside it. */
#ifndef STORE_TEST_H
#define STORE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/db.h"
#include "store_fixture.h"

#include <sqlite3.h>

struct fixture {
	char *dir, *path;
	struct store *s;
	struct err e;
};

static inline void open_store(struct fixture *f, enum store_mode mode)
{
	if (store_open(&f->s, f->path, mode, &f->e))
		fail_msg("%s", f->e.msg);
}

static inline int setup(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));

	f->dir = fixture_dir();
	f->path = xasprintf("%s/db", f->dir);
	*state = f;
	return 0;
}

static inline int setup_open(void **state)
{
	(void)setup(state);
	open_store(*state, STORE_WRITE);
	return 0;
}

static inline int teardown(void **state)
{
	struct fixture *f = *state;

	store_close(f->s);
	fixture_remove(f->dir);
	free(f->path);
	free(f);
	(void)unsetenv("LUNSWEEP_BUSY_TIMEOUT");
	return 0;
}

static inline void must(struct fixture *f, int rc)
{
	if (rc)
		fail_msg("%s", f->e.msg);
}

static inline void must_fail(struct fixture *f, int rc, const char *words)
{
	assert_int_equal(rc, -1);
	if (!strstr(f->e.msg, words))
		fail_msg("no '%s' in '%s'", words, f->e.msg);
}

/* A connection of somebody else. */
static inline sqlite3 *other_open(const struct fixture *f)
{
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
	return db;
}

static inline int keep_text(void *out, int nr, char **values, char **names)
{
	struct buf *b = out;

	(void)names;
	for (int i = 0; i < nr; i++)
		buf_addf(b, "%s%s", b->len ? " " : "", values[i] ? values[i] : "NULL");
	return 0;
}

/* Values of a query, separated by blanks. */
static inline char *ask(sqlite3 *db, const char *sql)
{
	struct buf b = BUF_INIT;
	char *message = NULL;

	if (sqlite3_exec(db, sql, keep_text, &b, &message) != SQLITE_OK)
		fail_msg("%s: %s", sql, message);
	return buf_detach(&b);
}

static inline void assert_answer(const struct fixture *f, const char *sql, const char *want)
{
	sqlite3 *db = other_open(f);
	char *got = ask(db, sql);

	assert_string_equal(got, want);
	free(got);
	sqlite3_close(db);
}

static inline int64_t add_run(struct fixture *f, struct run_info *r, uint32_t nr)
{
	struct planned_point *points = xcalloc(nr, sizeof(*points));

	for (uint32_t i = 0; i < nr; i++)
		points[i] = (struct planned_point){fixture_spec(2U << i), i + 1, NULL};
	must(f, store_add_run(f->s, r, points, nr, &f->e));
	free(points);
	return r->id;
}

static inline void store_measurement(struct fixture *f, int64_t run_id, const struct measurement *m)
{
	must(f, store_point_started(f->s, run_id, &m->spec, m->start_wall_ns, &f->e));
	must(f, store_point_finished(f->s, run_id, m, &f->e));
}

static inline void finish(struct fixture *f, int64_t run_id, uint32_t iodepth, uint32_t seq)
{
	struct measurement m;

	fixture_measurement(&m, iodepth, seq);
	store_measurement(f, run_id, &m);
	measurement_release(&m);
}

#define TEST(f)	     cmocka_unit_test_setup_teardown(f, setup, teardown)
#define TEST_OPEN(f) cmocka_unit_test_setup_teardown(f, setup_open, teardown)

#endif
