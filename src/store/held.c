/* SPDX-License-Identifier: MIT */
#include "store/held.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "store/copy.h"
#include "store/open.h"
#include "store/spool.h"
#include "store/write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A database that did not take the last point is asked again, and not waited for. */
#define RETRY_MS 100
/* How often a lock is looked at, and how long after a signal it may still be waited for. */
#define LOOK_MS		10
#define AFTER_SIGNAL_MS 500

/* What a finished point takes in the copy, on top of a planned one: its figures of each direction, and flags. */
#define POINT_BYTES 1536

struct held {
	struct store *disk, *memory;
	int64_t run_id;
	const volatile sig_atomic_t *nr_signals;
	char *db_path; /* whole */
	char *spool;
	bool has_failed; /* the last save did */
	bool is_taken;	 /* another process has a point of the run */
	uint64_t wait_until_ns, signal_ns;
};

/* ---- the copy ---- */

/* The run itself, and of other runs the points that its search began with. */
#define SEEDS	  "SELECT point_id FROM search_seed WHERE run_id = ?1"
#define RUNS	  "id = ?1 OR id IN (SELECT run_id FROM point WHERE id IN (" SEEDS "))"
#define POINTS	  "run_id = ?1 OR id IN (" SEEDS ")"
#define OF_POINTS "point_id IN (SELECT id FROM point WHERE " POINTS ")"

static int load(struct held *h, struct err *e)
{
	static const struct copy rows[] = {
		{.table = "target"},
		{.table = "run", .where = RUNS},
		{.table = "run_fact", .where = "run_id = ?1"},
		{.table = "run_cap", .where = "run_id = ?1"},
		{.table = "run_accept", .where = "run_id = ?1"},
		{.table = "point", .where = POINTS},
		{.table = "point_dir", .where = OF_POINTS, .none = "lat_hist"},
		{.table = "point_flag", .where = OF_POINTS},
		{.table = "search_seed", .where = "run_id = ?1"},
	};

	for (size_t i = 0; i < NR(rows); i++) {
		struct copy c = rows[i];

		c.key = h->run_id;
		c.where = c.where ? c.where : "?1 > 0";
		if (copy_rows(h->disk, h->memory, &c, e))
			return -1;
	}
	return 0;
}

/* What the database has: of each point, and of the run. */
static const char saved_sql[] =
	"CREATE TABLE saved (point_id INTEGER PRIMARY KEY, status TEXT, start_ns INTEGER, "
	"end_ns INTEGER, spooled_ns INTEGER);"
	"CREATE TABLE saved_fact (name TEXT PRIMARY KEY, value TEXT);"
	"CREATE TABLE saved_run (state TEXT, end_ns INTEGER);"
	"INSERT INTO saved SELECT id, status, start_ns, end_ns, NULL FROM point;";

static int run_sql(struct held *h, const char *sql, struct err *e)
{
	struct stmt q;

	if (stmt_open_for(&q, h->memory, sql, h->run_id, e))
		return -1;
	return stmt_run_once(&q, e);
}

static int note_run_saved(struct held *h, struct err *e)
{
	return db_exec(h->memory, "DELETE FROM saved_run; DELETE FROM saved_fact", "use", e) ||
			       run_sql(h,
				       "INSERT INTO saved_run SELECT state, end_ns FROM run "
				       "WHERE id = ?",
				       e) ||
			       run_sql(h,
				       "INSERT INTO saved_fact SELECT name, value FROM run_fact "
				       "WHERE run_id = ?",
				       e)
		       ? -1
		       : 0;
}

/* Memory for what is still to be measured, so that a night neither grows nor ends for want of it. SQLite
 * keeps the pages of a table that is dropped, and takes them before it asks for new ones. */
static int take_room(struct held *h, struct err *e)
{
	struct stmt q;
	int rc;

	if (db_exec(h->memory, "CREATE TABLE room (bytes BLOB)", "use", e) ||
	    stmt_open_for(&q, h->memory,
			  "INSERT INTO room SELECT zeroblob(?2) FROM point WHERE run_id = ?1 AND "
			  "status IN ('planned', 'running')",
			  h->run_id, e))
		return -1;
	put_int(&q, POINT_BYTES);
	rc = stmt_run_once(&q, e);
	return rc ? rc : db_exec(h->memory, "DROP TABLE room", "use", e);
}

static int fill(struct held *h, struct err *e)
{
	int rc;

	if (db_begin_write(h->memory, e))
		return -1;
	rc = db_begin_read(h->disk, e);
	if (!rc)
		rc = db_end(h->disk, load(h, e), e);
	rc = rc || db_exec(h->memory, saved_sql, "use", e) || note_run_saved(h, e) ||
			     take_room(h, e)
		     ? -1
		     : 0;
	return db_end(h->memory, rc, e);
}

/* ---- waiting for a lock ---- */

static int on_busy(void *arg, int nr)
{
	struct held *h = arg;
	uint64_t now = clock_now_ns();

	(void)nr;
	if (h->nr_signals && *h->nr_signals && !h->signal_ns)
		h->signal_ns = now;
	if (now >= h->wait_until_ns ||
	    (h->signal_ns && now >= h->signal_ns + AFTER_SIGNAL_MS * NS_PER_MS))
		return 0;
	(void)sqlite3_sleep(LOOK_MS);
	return 1;
}

int held_open(struct held **out, struct store *s, int64_t run_id,
	      const volatile sig_atomic_t *nr_signals, struct err *e)
{
	struct held *h = xcalloc(1, sizeof(*h));
	int rc;

	*h = (struct held){.disk = s, .run_id = run_id, .nr_signals = nr_signals};
	h->db_path = spool_database(s->path);
	rc = open_memory(&h->memory, s->path, e);
	rc = rc ? rc : fill(h, e);
	if (rc) {
		held_close(h);
		return rc;
	}
	(void)sqlite3_busy_handler(s->db, on_busy, h);
	*out = h;
	return 0;
}

void held_close(struct held *h)
{
	if (!h)
		return;
	(void)sqlite3_busy_timeout(h->disk->db, (int)h->disk->busy_ms);
	store_close(h->memory);
	free(h->db_path);
	free(h->spool);
	free(h);
}

struct store *held_store(const struct held *h)
{
	return h->memory;
}

/* ---- saving ---- */

#define CHANGED \
	"FROM point p LEFT JOIN saved s ON s.point_id = p.id WHERE p.run_id = ?1 AND " \
	"(s.point_id IS NULL OR s.status <> p.status OR s.start_ns IS NOT p.start_ns OR " \
	"s.end_ns IS NOT p.end_ns)"
/* The runner ended it, whatever came of it. */
#define FINISHED "p.end_ns IS NOT NULL AND p.status NOT IN ('planned', 'running')"
#define WAITING	 CHANGED " AND " FINISHED
#define UNSAFE	 WAITING " AND s.spooled_ns IS NOT p.end_ns"

/* A point that the database does not have as it is. */
struct change {
	int64_t id, start_ns, end_ns;
	bool was_started; /* and the database knows */
};

struct changed {
	struct change *v;
	size_t nr, cap;
};

/* In the order of measuring, those without an end last. */
static int list_changed(struct held *h, const char *from_where, struct changed *c, struct err *e)
{
	char *sql = xasprintf("SELECT p.id, p.start_ns, p.end_ns, "
			      "ifnull(s.status, '') = 'running' %s "
			      "ORDER BY p.end_ns IS NULL, p.end_ns, p.seq",
			      from_where);
	struct stmt q;
	int rc = stmt_open_for(&q, h->memory, sql, h->run_id, e);

	free(sql);
	if (rc)
		return rc;
	while ((rc = stmt_step(&q, e)) > 0) {
		VEC_GROW(c->v, c->nr, c->cap);
		c->v[c->nr].id = get_int(&q);
		c->v[c->nr].start_ns = get_int(&q);
		c->v[c->nr].end_ns = get_int(&q);
		c->v[c->nr++].was_started = get_int(&q);
	}
	stmt_close(&q);
	return rc;
}

/* What another process stored is never replaced: of a point that we have marked as running nobody
 * else changes the mark, and nobody measures one that is not marked. Our own measurement may be there
 * already, if the failure of the save before came behind its commit. */
static int check_not_taken(struct held *h, const struct change *c, int64_t id, struct err *e)
{
	struct stmt q;
	bool is_taken = false;
	int rc;

	if (stmt_open_for(
		    &q, h->disk,
		    "SELECT (status = 'ok' OR (?2 AND status <> 'running')) AND "
		    "NOT (start_ns IS ?3 AND end_ns IS ?4), seq, status FROM point WHERE id = ?1",
		    id, e))
		return -1;
	put_int(&q, c->was_started);
	put_u64_or_null(&q, (uint64_t)c->start_ns);
	put_u64_or_null(&q, (uint64_t)c->end_ns);
	rc = stmt_step(&q, e);
	if (rc > 0) {
		is_taken = get_int(&q);
		rc = 0;
	}
	if (!rc && is_taken) {
		uint32_t seq = get_u32(&q);

		h->is_taken = true;
		rc = err_set(e, ERR_DB,
			     "point %" PRIu32 " of run %" PRId64 " is %s and not running any more, "
			     "so this measurement of it is not stored: has another lunsweep taken "
			     "up the run?",
			     seq, h->run_id, get_borrowed(&q));
	}
	stmt_close(&q);
	return rc;
}

static int save_point(struct held *h, const struct change *c, struct err *e)
{
	int64_t id;

	if (copy_find_point(h->memory, c->id, h->disk, h->run_id, &id, e) ||
	    (id && check_not_taken(h, c, id, e)))
		return -1;
	return copy_point(h->memory, c->id, h->disk, h->run_id, id, e);
}

/* The row is of this very run only if it began at the same moment with the same seed. */
static int save_state(struct held *h, struct err *e)
{
	struct stmt in, out;
	int rc;

	if (stmt_open_for(&in, h->memory,
			  "SELECT state, end_ns, id, start_ns, seed FROM run WHERE id = ?",
			  h->run_id, e))
		return -1;
	rc = stmt_step(&in, e) > 0 ? stmt_open(&out, h->disk,
					       "UPDATE run SET state = ?, end_ns = ? WHERE id = ? "
					       "AND start_ns = ? AND seed = ?",
					       e)
				   : -1;
	if (!rc) {
		put_text(&out, get_borrowed(&in));
		put_u64_or_null(&out, get_u64(&in));
		for (int i = 0; i < 3; i++)
			put_int(&out, get_int(&in));
		rc = stmt_run_once(&out, e);
	}
	stmt_close(&in);
	if (!rc && sqlite3_changes(h->disk->db) == 0)
		rc = err_set(e, ERR_DB, "'%s' has this run no more", h->disk->path);
	return rc;
}

static int save_facts(struct held *h, struct err *e)
{
	struct facts f = FACTS_INIT;
	struct stmt q;
	int rc;

	if (stmt_open_for(&q, h->memory,
			  "SELECT f.name, f.value FROM run_fact f LEFT JOIN saved_fact s "
			  "ON s.name = f.name WHERE f.run_id = ? AND s.value IS NOT f.value "
			  "ORDER BY f.place",
			  h->run_id, e))
		return -1;
	while ((rc = stmt_step(&q, e)) > 0) {
		const char *name = get_borrowed(&q);

		facts_set(&f, name, get_borrowed(&q));
	}
	stmt_close(&q);
	rc = rc ? rc : write_facts(h->disk, h->run_id, &f, e);
	facts_release(&f);
	return rc;
}

/* Writes into a file that has lost its name succeed, and are lost with it. */
static int check_place(struct held *h, struct err *e)
{
	int moved = 0;
	int rc = sqlite3_file_control(h->disk->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);

	if (rc == SQLITE_OK && moved)
		return err_set(e, ERR_DB, "'%s' is not there any more, or is another file by now",
			       h->disk->path);
	return 0;
}

static int save_all(struct held *h, const struct changed *c, struct err *e)
{
	int rc = check_place(h, e);

	if (rc || db_begin_write(h->disk, e))
		return -1;
	rc = save_state(h, e) || save_facts(h, e) ? -1 : 0;
	for (size_t i = 0; !rc && i < c->nr; i++)
		rc = save_point(h, &c->v[i], e);
	return db_end(h->disk, rc, e) || check_place(h, e) ? -1 : 0;
}

/* What is large of a point that is stored. */
static int make_light(struct held *h, int64_t id, struct err *e)
{
	static const char *const sql[] = {
		"UPDATE point_dir SET lat_hist = NULL WHERE point_id = ?",
		"DELETE FROM point_worker WHERE point_id = ?",
		"DELETE FROM point_series WHERE point_id = ?",
		"DELETE FROM point_counter WHERE point_id = ?",
		"DELETE FROM point_cpu WHERE point_id = ?",
		("INSERT OR REPLACE INTO saved SELECT id, status, start_ns, end_ns, NULL "
		 "FROM point WHERE id = ?")};

	for (size_t i = 0; i < NR(sql); i++) {
		struct stmt q;

		if (stmt_open_for(&q, h->memory, sql[i], id, e) || stmt_run_once(&q, e))
			return -1;
	}
	return 0;
}

static int note_saved(struct held *h, const struct changed *c, struct err *e)
{
	int rc;

	if (db_begin_write(h->memory, e))
		return -1;
	rc = note_run_saved(h, e);
	for (size_t i = 0; !rc && i < c->nr; i++)
		rc = make_light(h, c->v[i].id, e);
	return db_end(h->memory, rc, e);
}

static int count(struct held *h, const char *from_where, unsigned *nr, struct err *e)
{
	struct changed c = {0};
	int rc = list_changed(h, from_where, &c, e);

	*nr = (unsigned)c.nr;
	free(c.v);
	return rc;
}

/* 1: the database did not take it, for the reason in r->why. */
static int save_to_disk(struct held *h, struct held_report *r, struct err *e)
{
	struct changed c = {0};
	unsigned nr_waited = 0;
	int rc = list_changed(h, CHANGED, &c, e) || count(h, WAITING, &nr_waited, e) ? -1 : 0;

	if (!rc && save_all(h, &c, &r->why))
		rc = 1;
	if (!rc)
		rc = note_saved(h, &c, e);
	free(c.v);
	if (rc)
		return rc;
	r->is_saved = true;
	r->nr_moved = h->has_failed ? nr_waited : 0;
	if (!h->spool)
		return 0;
	free(h->spool);
	h->spool = NULL;
	/* One that cannot be removed is found to hold nothing new when it is taken in. */
	return spool_remove(h->memory, h->run_id, h->db_path, e);
}

static int note_spooled(struct held *h, const int64_t *ids, size_t nr, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < nr; i++) {
		struct stmt q;

		rc = stmt_open_for(&q, h->memory,
				   "INSERT INTO saved (point_id, spooled_ns) SELECT id, end_ns "
				   "FROM point WHERE id = ? ON CONFLICT (point_id) DO UPDATE SET "
				   "spooled_ns = excluded.spooled_ns",
				   ids[i], e) ||
				     stmt_run_once(&q, e)
			     ? -1
			     : 0;
	}
	return rc;
}

/* Those points into a spool, whose path is then *path, which stays NULL where there are none or no place takes them. */
static int spool_points(struct held *h, const char *from_where, char **path, struct held_report *r,
			struct err *e)
{
	struct changed c = {0};
	int64_t *ids;
	int rc = list_changed(h, from_where, &c, e);

	*path = NULL;
	ids = xcalloc(c.nr + 1, sizeof(*ids));
	for (size_t i = 0; i < c.nr; i++)
		ids[i] = c.v[i].id;
	if (!rc && c.nr &&
	    !spool_add(h->memory, h->run_id, ids, c.nr, h->db_path, path, &r->why_spool))
		rc = note_spooled(h, ids, c.nr, e);
	free(ids);
	free(c.v);
	return rc;
}

static int save_to_spool(struct held *h, struct held_report *r, struct err *e)
{
	char *path, *again = NULL;
	int rc = spool_points(h, UNSAFE, &path, r, e);

	/* The place of the one before is gone, and may not come back: this one gets them all. */
	if (!rc && path && h->spool && strcmp(path, h->spool) != 0)
		rc = spool_points(h, WAITING, &again, r, e);
	free(again);
	if (path) {
		free(h->spool);
		h->spool = path;
	}
	return rc || count(h, WAITING, &r->nr_waiting, e) || count(h, UNSAFE, &r->nr_in_memory, e)
		       ? -1
		       : 0;
}

int held_save(struct held *h, bool is_last, struct held_report *r, struct err *e)
{
	uint64_t patience_ms = h->disk->busy_ms;
	int rc;

	if (h->has_failed && !is_last && patience_ms > RETRY_MS)
		patience_ms = RETRY_MS;
	*r = (struct held_report){.is_saved = false};
	h->wait_until_ns = clock_now_ns() + patience_ms * NS_PER_MS;
	rc = save_to_disk(h, r, e);
	if (rc > 0)
		rc = save_to_spool(h, r, e);
	h->has_failed = !r->is_saved;
	r->spool = h->spool;
	if (!rc && h->is_taken)
		return err_set(e, r->why.code, "%s", r->why.msg);
	return rc;
}

void held_add_unsaved(const struct held *h, struct buf *b)
{
	struct stmt q;
	const char *comma = "";

	if (stmt_open_for(&q, h->memory, "SELECT p.seq " UNSAFE " ORDER BY p.seq", h->run_id, NULL))
		return;
	while (stmt_step(&q, NULL) > 0) {
		buf_addf(b, "%s%" PRIu32, comma, get_u32(&q));
		comma = ", ";
	}
	stmt_close(&q);
}
