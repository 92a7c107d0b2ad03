/* SPDX-License-Identifier: MIT */
#include "store/write.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>

const char *write_origin_name(bool imported)
{
	return imported ? "imported" : "measured";
}

static void put_target(struct stmt *q, const char *identity, const char *label, uint64_t size_bytes)
{
	put_text(q, identity);
	put_text(q, label);
	put_u64_or_null(q, size_bytes);
}

int write_target(struct store *s, const char *identity, const char *label, uint64_t size_bytes,
		 int64_t *id, struct err *e)
{
	struct stmt q;
	int rc;

	if (stmt_open(&q, s,
		      "SELECT id FROM target WHERE identity = ? AND label IS ? AND size_bytes IS ?",
		      e))
		return -1;
	put_target(&q, identity, label, size_bytes);
	rc = stmt_step(&q, e);
	if (rc > 0)
		*id = get_int(&q);
	stmt_close(&q);
	if (rc)
		return rc < 0 ? -1 : 0;
	if (stmt_open(&q, s, "INSERT INTO target (identity, label, size_bytes) VALUES (?, ?, ?)",
		      e))
		return -1;
	put_target(&q, identity, label, size_bytes);
	rc = stmt_run_once(&q, e);
	*id = sqlite3_last_insert_rowid(s->db);
	return rc;
}

static void put_sweep_hash(struct stmt *q, const char *text, char hex[17])
{
	if (text) {
		(void)snprintf(hex, 17, "%016" PRIx64, hash_str(HASH_INIT, text));
		put_text(q, hex);
	} else {
		put_null(q);
	}
}

static int insert_run_row(struct store *s, const struct run_info *r, int64_t target, struct err *e)
{
	char hex[17];
	struct stmt q;

	if (stmt_open(&q, s,
		      "INSERT INTO run (state, origin, key, sweep_name, question, sweep_text, "
		      "sweep_hash, command, tool_version, git_id, schema_version, engine, seed, "
		      "start_ns, end_ns, target_id, target_given, target_resolved, "
		      "target_queue_limit) VALUES "
		      "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		      e))
		return -1;
	put_text(&q, run_state_name(r->state));
	put_text(&q, write_origin_name(r->imported));
	put_text(&q, r->key);
	put_text(&q, r->sweep_name);
	put_text(&q, r->question);
	put_text(&q, r->sweep_text);
	put_sweep_hash(&q, r->sweep_text, hex);
	put_text(&q, r->command);
	put_text(&q, r->tool_version);
	put_text(&q, r->git_id);
	put_int(&q, s->version);
	put_text(&q, r->engine);
	put_u64(&q, r->seed);
	put_int(&q, r->start_wall_ns);
	put_u64_or_null(&q, (uint64_t)r->end_wall_ns);
	put_int(&q, target);
	put_text(&q, r->target_given);
	put_text(&q, r->target_resolved);
	put_u64_or_null(&q, r->target_queue_limit);
	return stmt_run_once(&q, e);
}

int write_facts(struct store *s, int64_t run_id, const struct facts *f, struct err *e)
{
	struct stmt q;
	int rc = 0;

	if (stmt_open(&q, s,
		      "INSERT INTO run_fact (run_id, name, value, place) VALUES (?1, ?2, ?3, "
		      "(SELECT ifnull(max(place), 0) + 1 FROM run_fact WHERE run_id = ?1)) "
		      "ON CONFLICT (run_id, name) DO UPDATE SET value = excluded.value",
		      e))
		return -1;
	for (size_t i = 0; !rc && i < f->nr; i++) {
		put_int(&q, run_id);
		put_text(&q, f->v[i].name);
		put_text(&q, f->v[i].value);
		rc = stmt_run(&q, e);
	}
	stmt_close(&q);
	return rc;
}

static int insert_caps(struct store *s, int64_t run_id, const struct cap *caps, unsigned nr_caps,
		       struct err *e)
{
	struct stmt q;
	int rc = 0;

	if (stmt_open(&q, s,
		      "INSERT INTO run_cap (run_id, place, stat, limit_ns) VALUES (?, ?, ?, ?)", e))
		return -1;
	for (unsigned i = 0; !rc && i < nr_caps; i++) {
		put_int(&q, run_id);
		put_int(&q, i + 1);
		put_text(&q, lat_stat_name(caps[i].stat));
		put_u64(&q, caps[i].limit_ns);
		rc = stmt_run(&q, e);
	}
	stmt_close(&q);
	return rc;
}

static int insert_accepted(struct store *s, int64_t run_id, flag_set accepted, struct err *e)
{
	struct stmt q;
	int rc = 0;

	if (stmt_open(&q, s, "INSERT INTO run_accept (run_id, flag) VALUES (?, ?)", e))
		return -1;
	for (enum flag f = 0; !rc && f < FLAG_NR; f++) {
		if (!(accepted & FLAG_BIT(f)))
			continue;
		put_int(&q, run_id);
		put_text(&q, flag_name(f));
		rc = stmt_run(&q, e);
	}
	stmt_close(&q);
	return rc;
}

/* The run and what belongs to it, without points; *id is its number. */
int write_run(struct store *s, const struct run_info *r, int64_t *id, struct err *e)
{
	int64_t target = 0;

	if (write_target(s, r->target_identity, r->target_label, r->target_size_bytes, &target,
			 e) ||
	    insert_run_row(s, r, target, e))
		return -1;
	*id = sqlite3_last_insert_rowid(s->db);
	if (write_facts(s, *id, &r->facts, e) || insert_caps(s, *id, r->caps, r->nr_caps, e) ||
	    insert_accepted(s, *id, r->accepted, e))
		return -1;
	return 0;
}

void write_default_times(struct run_info *r)
{
	if (!r->start_wall_ns)
		r->start_wall_ns = clock_wall_ns();
	if (r->state == RUN_FINISHED && !r->end_wall_ns)
		r->end_wall_ns = clock_wall_ns();
}

int store_find_unfinished(struct store *s, const char *key, int64_t *run_id, struct err *e)
{
	struct stmt q;
	int rc;

	*run_id = 0;
	if (stmt_open(&q, s,
		      "SELECT id FROM run WHERE key = ? AND state <> 'finished' "
		      "ORDER BY id DESC LIMIT 1",
		      e))
		return -1;
	put_text(&q, key);
	rc = stmt_step(&q, e);
	if (rc > 0)
		*run_id = get_int(&q);
	stmt_close(&q);
	return rc < 0 ? -1 : 0;
}

static int set_run_state(struct store *s, int64_t run_id, enum run_state state, struct err *e)
{
	struct stmt q;

	if (stmt_open(&q, s, "UPDATE run SET state = ?, end_ns = ? WHERE id = ?", e))
		return -1;
	put_text(&q, run_state_name(state));
	put_u64_or_null(&q, state == RUN_RUNNING ? 0 : (uint64_t)clock_wall_ns());
	put_int(&q, run_id);
	if (stmt_run_once(&q, e))
		return -1;
	if (sqlite3_changes(s->db) == 0)
		return db_no_run(s, run_id, e);
	if (stmt_open(&q, s,
		      "UPDATE point SET status = 'interrupted', "
		      "reason = 'the process ended during this point' "
		      "WHERE run_id = ? AND status = 'running'",
		      e))
		return -1;
	put_int(&q, run_id);
	return stmt_run_once(&q, e);
}

int store_set_run_state(struct store *s, int64_t run_id, enum run_state state, struct err *e)
{
	if (db_begin_write(s, e))
		return -1;
	return db_end(s, set_run_state(s, run_id, state, e), e);
}

static int delete_questions(struct store *s, int64_t run_id, struct err *e)
{
	static const char *const sql[] = {"DELETE FROM run_cap WHERE run_id = ?",
					  "DELETE FROM run_accept WHERE run_id = ?"};

	for (size_t i = 0; i < NR(sql); i++) {
		struct stmt q;

		if (stmt_open_for(&q, s, sql[i], run_id, e) || stmt_run_once(&q, e))
			return -1;
	}
	return 0;
}

static int check_run(struct store *s, int64_t run_id, struct err *e)
{
	struct stmt q;
	int rc;

	if (stmt_open_for(&q, s, "SELECT 1 FROM run WHERE id = ?", run_id, e))
		return -1;
	rc = stmt_step(&q, e);
	stmt_close(&q);
	if (rc == 0)
		return db_no_run(s, run_id, e);
	return rc < 0 ? -1 : 0;
}

int store_set_questions(struct store *s, int64_t run_id, const struct cap *caps, unsigned nr_caps,
			flag_set accepted, struct err *e)
{
	int rc;

	if (db_begin_write(s, e))
		return -1;
	rc = check_run(s, run_id, e) || delete_questions(s, run_id, e) ||
			     insert_caps(s, run_id, caps, nr_caps, e) ||
			     insert_accepted(s, run_id, accepted, e)
		     ? -1
		     : 0;
	return db_end(s, rc, e);
}

int store_add_facts(struct store *s, int64_t run_id, const struct facts *f, struct err *e)
{
	if (db_begin_write(s, e))
		return -1;
	return db_end(s, write_facts(s, run_id, f, e), e);
}

static int insert_seeds(struct store *s, int64_t run_id, const struct point *points, size_t nr,
			struct err *e)
{
	struct stmt q;
	int rc = 0;

	if (stmt_open(&q, s, "INSERT OR IGNORE INTO search_seed (run_id, point_id) VALUES (?, ?)",
		      e))
		return -1;
	for (size_t i = 0; !rc && i < nr; i++) {
		put_int(&q, run_id);
		put_int(&q, points[i].point_id);
		rc = stmt_run(&q, e);
	}
	stmt_close(&q);
	return rc;
}

int store_add_seeds(struct store *s, int64_t run_id, const struct point *points, size_t nr,
		    struct err *e)
{
	if (db_begin_write(s, e))
		return -1;
	return db_end(s, insert_seeds(s, run_id, points, nr, e), e);
}
