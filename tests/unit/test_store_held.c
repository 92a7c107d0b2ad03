/* SPDX-License-Identifier: MIT */
/* A night of points: what is held of them in memory does not grow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/db.h"
#include "store/held.h"
#include "store_fixture.h"

#include <sqlite3.h>

#define NR_POINTS 400
#define NR_WARM	  20 /* until SQLite has what it needs once */

struct night {
	char *dir, *db;
	struct store *s;
	struct held *h;
	struct run_info run;
};

static int setup(void **state)
{
	struct planned_point *points = xcalloc(NR_POINTS, sizeof(*points));
	struct night *n = xcalloc(1, sizeof(*n));
	struct err e = {0};

	*state = n;
	n->dir = fixture_dir();
	n->db = xasprintf("%s/db", n->dir);
	n->run = fixture_run();
	for (uint32_t i = 0; i < NR_POINTS; i++)
		points[i] = (struct planned_point){fixture_spec(i + 1), i + 1, NULL};
	assert_int_equal(store_open(&n->s, n->db, STORE_WRITE, &e), 0);
	/* The cache of the file would fill for hundreds of points. */
	assert_int_equal(
		db_exec(n->s, "PRAGMA cache_size = 8; PRAGMA synchronous = OFF", "use", &e), 0);
	assert_int_equal(store_add_run(n->s, &n->run, points, NR_POINTS, &e), 0);
	assert_int_equal(held_open(&n->h, n->s, n->run.id, NULL, &e), 0);
	free(points);
	return 0;
}

static int teardown(void **state)
{
	struct night *n = *state;

	held_close(n->h);
	store_close(n->s);
	free(n->db);
	fixture_remove(n->dir);
	free(n);
	return 0;
}

static void measure(struct night *n, uint32_t i)
{
	struct held_report report;
	struct measurement m;
	struct err e = {0};

	fixture_measurement(&m, i, i);
	assert_int_equal(store_point_started(held_store(n->h), n->run.id, &m.spec, i, &e), 0);
	assert_int_equal(store_point_finished(held_store(n->h), n->run.id, &m, &e), 0);
	assert_int_equal(held_save(n->h, false, &report, &e), 0);
	assert_true(report.is_saved);
	measurement_release(&m);
}

static void memory_is_that_of_the_whole_run_from_the_start(void **state)
{
	struct night *n = *state;
	sqlite3_int64 used = 0;

	for (uint32_t i = 1; i <= NR_POINTS; i++) {
		measure(n, i);
		if (i == NR_WARM)
			used = sqlite3_memory_used();
	}
	/* 41 bytes a point, of which each has more than a thousand. */
	assert_in_range(sqlite3_memory_used(), 0, used + 4096LL * (NR_POINTS - NR_WARM) / 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(memory_is_that_of_the_whole_run_from_the_start,
						setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
