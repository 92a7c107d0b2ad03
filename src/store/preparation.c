/* SPDX-License-Identifier: MIT */
#include "store/read.h"
#include "store/write.h"

#include <inttypes.h>

/* What changes while a preparation goes on; put_progress binds it in this order. */
#define PROGRESS_COLUMNS \
	"state, reason, end_ns, attempts, busy_ns, passes_done, pass_bytes, rounds, is_steady, " \
	"last_iops, last_range, last_slope"

/* What does not; put_work. */
#define WORK_COLUMNS \
	"target_resolved, start_ns, offset_bytes, span_bytes, passes, seed, bs_bytes, iodepth, " \
	"round_ns, max_ns, command, tool_version, git_id, engine, consent, overwrote_signature"

static void put_progress(struct stmt *q, const struct preparation *p)
{
	put_text(q, preparation_state_name(p->state));
	put_text(q, p->reason);
	put_u64_or_null(q, (uint64_t)p->end_wall_ns);
	put_int(q, p->attempts);
	put_u64(q, p->busy_ns);
	put_int(q, p->passes_done);
	put_u64(q, p->pass_bytes);
	if (p->bs_bytes) {
		put_int(q, p->rounds);
		put_int(q, p->is_steady);
	} else {
		put_null(q);
		put_null(q);
	}
	put_real(q, p->last_iops);
	put_real(q, p->last_range);
	put_real(q, p->last_slope);
}

static void get_progress(struct stmt *q, struct preparation *p)
{
	p->reason = get_text(q);
	p->end_wall_ns = get_int(q);
	p->attempts = get_u32(q);
	p->busy_ns = get_u64(q);
	p->passes_done = get_u32(q);
	p->pass_bytes = get_u64(q);
	p->rounds = get_u32(q);
	p->is_steady = get_int(q);
	p->last_iops = get_real(q);
	p->last_range = get_real(q);
	p->last_slope = get_real(q);
}

static void put_work(struct stmt *q, const struct preparation *p)
{
	put_text(q, p->target_resolved);
	put_int(q, p->start_wall_ns);
	put_u64(q, p->offset_bytes);
	put_u64(q, p->span_bytes);
	put_int(q, p->passes);
	put_u64(q, p->seed);
	put_u64_or_null(q, p->bs_bytes);
	put_u64_or_null(q, p->iodepth);
	put_u64_or_null(q, p->round_ns);
	put_u64_or_null(q, p->max_ns);
	put_text(q, p->command);
	put_text(q, p->tool_version);
	put_text(q, p->git_id);
	put_text(q, p->engine);
	put_text(q, p->consent);
	put_int(q, p->overwrote_signature);
}

static void get_work(struct stmt *q, struct preparation *p)
{
	p->target_resolved = get_text(q);
	p->start_wall_ns = get_int(q);
	p->offset_bytes = get_u64(q);
	p->span_bytes = get_u64(q);
	p->passes = get_u32(q);
	p->seed = get_u64(q);
	p->bs_bytes = get_u64(q);
	p->iodepth = get_u32(q);
	p->round_ns = get_u64(q);
	p->max_ns = get_u64(q);
	p->command = get_text(q);
	p->tool_version = get_text(q);
	p->git_id = get_text(q);
	p->engine = get_text(q);
	p->consent = get_text(q);
	p->overwrote_signature = get_int(q);
}

static int add(struct store *s, struct preparation *p, struct err *e)
{
	int64_t target = 0;
	struct stmt q;

	if (write_target(s, p->target_identity, p->target_label, p->target_size_bytes, &target,
			 e) ||
	    stmt_open(&q, s,
		      "INSERT INTO preparation (target_id, " WORK_COLUMNS ", " PROGRESS_COLUMNS
		      ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
		      "?, ?, ?, ?, ?, ?, ?)",
		      e))
		return -1;
	put_int(&q, target);
	put_work(&q, p);
	put_progress(&q, p);
	if (stmt_run_once(&q, e))
		return -1;
	p->id = sqlite3_last_insert_rowid(s->db);
	return 0;
}

int store_add_preparation(struct store *s, struct preparation *p, struct err *e)
{
	if (db_begin_write(s, e))
		return -1;
	return db_end(s, add(s, p, e), e);
}

static int save(struct store *s, const struct preparation *p, struct err *e)
{
	struct stmt q;

	if (stmt_open(&q, s,
		      "UPDATE preparation SET (" PROGRESS_COLUMNS
		      ") = (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE id = ?",
		      e))
		return -1;
	put_progress(&q, p);
	put_int(&q, p->id);
	if (stmt_run_once(&q, e))
		return -1;
	if (sqlite3_changes(s->db) == 1)
		return 0;
	return err_set(e, ERR_DB, "there is no preparation %" PRId64 " in '%s' any more", p->id,
		       s->path);
}

int store_save_preparation(struct store *s, const struct preparation *p, struct err *e)
{
	if (db_begin_write(s, e))
		return -1;
	return db_end(s, save(s, p, e), e);
}

static int get_preparation(struct stmt *q, struct preparation *p, struct err *e)
{
	const char *state;

	p->id = get_int(q);
	p->target_identity = get_text(q);
	p->target_label = get_text(q);
	p->target_size_bytes = get_u64(q);
	get_work(q, p);
	state = get_borrowed(q);
	p->state = preparation_state_find(state);
	if (p->state == PREPARATION_STATE_NR)
		return read_unknown(q->store, "state of a preparation", state, e);
	get_progress(q, p);
	return 0;
}

/* The newest preparation of the target (NULL: of any), or with work the newest that asks for the same. */
static int find(struct store *s, const char *identity, const struct preparation *work,
		struct preparation *p, struct err *e)
{
	struct stmt q;
	int rc;

	*p = (struct preparation){0};
	if (stmt_open(&q, s,
		      "SELECT p.id, t.identity, t.label, t.size_bytes, " WORK_COLUMNS
		      ", " PROGRESS_COLUMNS " FROM preparation p JOIN target t ON t.id = "
		      "p.target_id WHERE ?1 IS NULL OR t.identity = ?1 ORDER BY p.id DESC",
		      e))
		return -1;
	put_text(&q, identity);
	while ((rc = stmt_step(&q, e)) > 0) {
		preparation_release(p);
		if (get_preparation(&q, p, e)) {
			rc = -1;
			break;
		}
		if (!work || preparation_same_work(p, work)) {
			/* One more step tells whether a text was lost for want of memory. */
			rc = stmt_step(&q, e) < 0 ? -1 : 1;
			break;
		}
	}
	stmt_close(&q);
	if (rc <= 0)
		preparation_release(p);
	return rc < 0 ? -1 : 0;
}

int store_last_preparation(struct store *s, const char *identity, struct preparation *p,
			   struct err *e)
{
	return find(s, identity, NULL, p, e);
}

int store_find_preparation(struct store *s, const struct preparation *work, struct preparation *p,
			   struct err *e)
{
	return find(s, work->target_identity, work, p, e);
}

int store_add_round(struct store *s, const struct preparation *p,
		    const struct preparation_round *round, struct err *e)
{
	struct stmt q;

	if (stmt_open(&q, s,
		      "INSERT INTO preparation_round (preparation_id, attempt, round, start_ns, "
		      "window_ns, ios, iops, lat_mean_ns) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		      e))
		return -1;
	put_int(&q, p->id);
	put_int(&q, p->attempts);
	put_int(&q, round->round);
	put_int(&q, round->start_wall_ns);
	put_u64(&q, round->window_ns);
	put_u64(&q, round->ios);
	put_real(&q, round->iops);
	put_real(&q, round->lat_mean_ns);
	return stmt_run_once(&q, e);
}
