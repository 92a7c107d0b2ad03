/* SPDX-License-Identifier: MIT */
/*
 * Writes the database of this schema version that is kept in tests/data for later migrations:
 * run 1 imported, run 2 measured. After it: sqlite3 DB 'PRAGMA journal_mode = delete; PRAGMA
 * page_size = 1024; VACUUM'. How to call it: make_store_data TABLE.csv DB.
 */
#include "cmd/import_csv.h"

#include "base/file.h"
#include "store_fixture.h"

#define START_NS 1700000000000000000

static int add_imported(struct store *s, const char *csv, struct err *e)
{
	static char name[] = "o47-a", identity[] = "import:o47-a", file[] = "o47-a.csv";
	const struct pair_list none = {0};
	struct run_info r = {.sweep_name = name,
			     .target_label = name,
			     .target_identity = identity,
			     .target_given = file,
			     .start_wall_ns = START_NS,
			     .end_wall_ns = START_NS};
	struct import_source src = {.map = &none, .set = &none, .where = &none};
	struct import_result t = {0};
	struct buf text = BUF_INIT;
	int rc = file_read(csv, 1 << 20, &text, e);

	src.text = buf_text(&text);
	src.len = text.len;
	rc = rc || import_csv(&src, &t, e);
	r.sweep_text = text.text;
	rc = rc || store_import_run(s, &r, t.v[0].points, t.v[0].nr, e);
	import_result_release(&t);
	buf_release(&text);
	return rc;
}

static int add_point(struct store *s, int64_t run_id, const struct measurement *m, struct err *e)
{
	return store_point_started(s, run_id, &m->spec, START_NS, e) ||
	       store_point_finished(s, run_id, m, e);
}

/* ok, ok but spoiled, failed, skipped, still planned. */
static int add_measured(struct store *s, struct err *e)
{
	struct run_info r = fixture_run();
	struct planned_point points[5];
	struct measurement m;
	int rc;

	for (uint32_t i = 0; i < NR(points); i++)
		points[i] = (struct planned_point){fixture_spec(2U << i), i + 1, NULL};
	points[3].skip_reason = "bs 512 is below the logical block of 4096";
	facts_set(&r.facts, "kernel", "6.1.0");
	facts_set(&r.facts, "scheduler", "mq-deadline");
	r.start_wall_ns = START_NS;
	rc = store_add_run(s, &r, points, NR(points), e);
	fixture_measurement(&m, 2, 1);
	rc = rc || add_point(s, r.id, &m, e);
	measurement_release(&m);
	fixture_measurement(&m, 4, 2);
	measurement_flag(&m, FLAG_STALL, "nothing completed for 2.1 s");
	rc = rc || add_point(s, r.id, &m, e);
	measurement_release(&m);
	measurement_init(&m, &points[2].spec);
	m.seq = 3;
	m.status = POINT_FAILED;
	m.reason = xstrdup("read of 4096 bytes at 8192: Input/output error");
	m.err_errno = 5;
	m.err_offset = 8192;
	m.nr_errors = 1;
	m.start_wall_ns = START_NS;
	measurement_flag(&m, FLAG_IO_ERROR, "1 of 1 I/Os");
	rc = rc || add_point(s, r.id, &m, e);
	measurement_release(&m);
	facts_release(&r.facts);
	return rc;
}

int main(int argc, char **argv)
{
	struct store *s = NULL;
	struct err e = {0};
	int rc = argc != 3 || store_open(&s, argv[2], STORE_WRITE, &e) ||
		 add_imported(s, argv[1], &e) || add_measured(s, &e);

	store_close(s);
	if (rc)
		(void)fprintf(stderr, "%s\n", argc == 3 ? e.msg : "make_store_data TABLE.csv DB");
	return rc;
}
