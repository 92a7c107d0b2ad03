/* SPDX-License-Identifier: MIT */
/* Spools that somebody has changed: nothing of them comes into the database, and they stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ledger.h"
#include "sqlite_ask.h"
#include "store/held.h"
#include "store/spool.h"
#include "store_fixture.h"

#include <fcntl.h>
#include <sys/stat.h>

struct place {
	char *dir, *db, *good, *spool;
	struct store *s;
	int64_t run_id;
};

static void change(const char *path, const char *sql)
{
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void copy_file(const char *from, const char *to, off_t at_most)
{
	char *data = xmalloc(1 << 20);
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ssize_t len = read(in, data, 1 << 20);

	assert_true(in >= 0 && out >= 0 && len > 0);
	len = at_most && at_most < len ? at_most : len;
	assert_int_equal(write(out, data, (size_t)len), len);
	assert_int_equal(close(in) | close(out), 0);
	free(data);
}

/* A run whose one point is in a spool, since the database was locked when it ended. */
static int setup(void **state)
{
	struct place *p = xcalloc(1, sizeof(*p));
	struct planned_point point = {fixture_spec(4), 1, NULL};
	struct run_info r = fixture_run();
	struct held_report report;
	struct measurement m;
	struct err e = {0};
	struct held *h;
	sqlite3 *other = NULL;
	struct spool *v;
	size_t nr;

	*state = p;
	(void)setenv("LUNSWEEP_BUSY_TIMEOUT", "1ms", 1);
	p->dir = fixture_dir();
	p->db = xasprintf("%s/db", p->dir);
	p->good = xasprintf("%s/other", p->dir);
	assert_int_equal(store_open(&p->s, p->db, STORE_WRITE, &e), 0);
	assert_int_equal(store_add_run(p->s, &r, &point, 1, &e), 0);
	p->run_id = r.id;
	assert_int_equal(held_open(&h, p->s, r.id, NULL, &e), 0);
	assert_int_equal(sqlite3_open(p->db, &other), SQLITE_OK);
	assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	fixture_measurement(&m, 4, 1);
	assert_int_equal(store_point_started(held_store(h), r.id, &m.spec, 1, &e), 0);
	assert_int_equal(store_point_finished(held_store(h), r.id, &m, &e), 0);
	assert_int_equal(held_save(h, false, &report, &e), 0);
	assert_false(report.is_saved);
	assert_int_equal(report.nr_waiting, 1);
	assert_int_equal(report.nr_in_memory, 0);
	held_close(h);
	assert_int_equal(sqlite3_close(other), SQLITE_OK);
	measurement_release(&m);
	spool_list(p->db, &v, &nr);
	assert_int_equal(nr, 1);
	assert_int_equal(v->nr_points, 1);
	assert_int_equal(v->run_id, r.id);
	p->spool = xstrdup(v->path);
	spool_free_list(v, nr);
	copy_file(p->spool, p->good, 0);
	return 0;
}

static int teardown(void **state)
{
	struct place *p = *state;

	store_close(p->s);
	(void)unlink(p->spool);
	free(p->spool);
	free(p->good);
	free(p->db);
	fixture_remove(p->dir);
	free(p);
	return 0;
}

static int64_t nr_ok(const struct place *p)
{
	sqlite3 *db = NULL;
	int64_t nr;

	assert_int_equal(sqlite3_open(p->db, &db), SQLITE_OK);
	nr = ask(db, "SELECT count(*) FROM point WHERE status = 'ok'");
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	return nr;
}

static void assert_refused(struct place *p, const char *why)
{
	struct err e = {0};
	struct stat st;
	unsigned nr = 0;

	assert_int_equal(spool_take_in(p->s, p->run_id, &nr, &e), -1);
	if (!strstr(e.msg, "cannot take in the spool '") || !strstr(e.msg, why) ||
	    !strstr(e.msg, "move it away"))
		fail_msg("%s", e.msg);
	assert_int_equal(nr, 0);
	assert_int_equal(nr_ok(p), 0);
	assert_int_equal(lstat(p->spool, &st), 0);
	ledger("bad_inputs", 1);
}

static void assert_taken(struct place *p)
{
	struct err e = {0};
	unsigned nr = 0;

	if (spool_take_in(p->s, p->run_id, &nr, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(nr, 1);
	assert_int_equal(nr_ok(p), 1);
	assert_int_equal(access(p->spool, F_OK), -1);
	assert_int_equal(spool_take_in(p->s, p->run_id, &nr, &e), 0);
	assert_int_equal(nr, 0);
}

static void changed_contents_are_refused(void **state)
{
	static const char *const sql[][2] = {
		{"UPDATE point SET iops = iops + 1", "damaged"},
		{"UPDATE point_dir SET lat_hist = x'00' WHERE dir = 'read'", "damaged"},
		{"DELETE FROM point_series WHERE interval = 1", "damaged"},
		{"UPDATE point_worker SET depth_max = depth_max + 1", "damaged"},
		{"DELETE FROM point_flag", "damaged"},
		{"DELETE FROM run_fact", "damaged"},
		{"INSERT INTO point_flag VALUES (1, 'made-up', NULL)", "made-up"},
		{"CREATE TRIGGER t AFTER UPDATE ON point BEGIN DELETE FROM run; END", "tables"},
		{"ALTER TABLE point_cpu RENAME TO t; CREATE VIEW point_cpu AS SELECT * FROM t",
		 "tables"},
		{"UPDATE run SET seed = seed + 1", "not the one that its name says"},
		{"PRAGMA user_version = 1", "another version"},
		{"PRAGMA user_version = 99", "newer"},
		{"PRAGMA application_id = 1", "no"},
	};
	struct place *p = *state;

	for (size_t i = 0; i < NR(sql); i++) {
		copy_file(p->good, p->spool, 0);
		change(p->spool, sql[i][0]);
		assert_refused(p, sql[i][1]);
	}
	copy_file(p->good, p->spool, 0);
	assert_taken(p);
}

static void torn_files_are_refused(void **state)
{
	struct place *p = *state;
	struct stat st;

	assert_int_equal(stat(p->good, &st), 0);
	for (off_t len = 1; len < st.st_size; len += 7001) {
		copy_file(p->good, p->spool, len);
		assert_refused(p, "");
	}
	assert_int_equal(truncate(p->spool, 0), 0);
	assert_refused(p, "");
	copy_file(p->good, p->spool, 0);
	assert_taken(p);
}

static void files_of_others_are_refused(void **state)
{
	struct place *p = *state;

	assert_int_equal(chmod(p->spool, 0666), 0);
	assert_refused(p, "no file of this user alone");
	assert_int_equal(unlink(p->spool), 0);
	assert_int_equal(symlink(p->good, p->spool), 0);
	assert_refused(p, "a link or no file");
	assert_int_equal(unlink(p->spool), 0);
	assert_int_equal(link(p->good, p->spool), 0);
	assert_refused(p, "a link or no file");
	assert_int_equal(unlink(p->spool), 0);
	assert_int_equal(mkfifo(p->spool, 0600), 0);
	assert_refused(p, "a link or no file");
	assert_int_equal(unlink(p->spool), 0);
	copy_file(p->good, p->spool, 0);
	assert_taken(p);
}

static void another_run_of_that_number_takes_nothing(void **state)
{
	struct place *p = *state;
	struct err e = {0};
	unsigned nr = 1;

	change(p->db, "UPDATE run SET start_ns = start_ns + 1");
	assert_int_equal(spool_take_in(p->s, p->run_id, &nr, &e), 0);
	assert_int_equal(nr, 0);
	assert_int_equal(nr_ok(p), 0);
	assert_int_equal(access(p->spool, F_OK), 0);
}

static void what_was_measured_again_is_never_replaced(void **state)
{
	struct place *p = *state;
	struct measurement m;
	struct err e = {0};
	unsigned nr = 0;

	fixture_measurement(&m, 4, 1);
	m.start_wall_ns++;
	assert_int_equal(store_point_started(p->s, p->run_id, &m.spec, 1, &e), 0);
	assert_int_equal(store_point_finished(p->s, p->run_id, &m, &e), 0);
	measurement_release(&m);
	assert_int_equal(spool_take_in(p->s, p->run_id, &nr, &e), -1);
	assert_non_null(strstr(e.msg, "has another measurement of point 1 by now"));
	assert_int_equal(access(p->spool, F_OK), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(changed_contents_are_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(torn_files_are_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(files_of_others_are_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(another_run_of_that_number_takes_nothing, setup,
						teardown),
		cmocka_unit_test_setup_teardown(what_was_measured_again_is_never_replaced, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
