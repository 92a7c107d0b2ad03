/* SPDX-License-Identifier: MIT */
#include "store/read.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define RUN_COLUMNS \
	"r.id, r.state, r.origin, r.key, r.sweep_name, r.question, r.command, r.tool_version, " \
	"r.git_id, r.engine, r.seed, r.start_ns, r.end_ns, r.target_given, r.target_resolved, " \
	"r.target_queue_limit, t.identity, t.label, t.size_bytes"

static int get_run(struct stmt *q, struct run_info *r, struct err *e)
{
	const char *state;

	r->id = get_int(q);
	state = get_borrowed(q);
	r->state = run_state_find(state);
	if (r->state == RUN_STATE_NR)
		return read_unknown(q->store, "run state", state, e);
	r->imported = !strcmp(get_borrowed(q), "imported");
	r->key = get_text(q);
	r->sweep_name = get_text(q);
	r->question = get_text(q);
	r->command = get_text(q);
	r->tool_version = get_text(q);
	r->git_id = get_text(q);
	r->engine = get_text(q);
	r->seed = get_u64(q);
	r->start_wall_ns = get_int(q);
	r->end_wall_ns = get_int(q);
	r->target_given = get_text(q);
	r->target_resolved = get_text(q);
	r->target_queue_limit = get_u32(q);
	r->target_identity = get_text(q);
	r->target_label = get_text(q);
	r->target_size_bytes = get_u64(q);
	return 0;
}

static int load_facts(struct store *s, struct run_info *r, struct err *e)
{
	struct stmt q;
	int rc;

	if (stmt_open_for(&q, s, "SELECT name, value FROM run_fact WHERE run_id = ? ORDER BY place",
			  r->id, e))
		return -1;
	while ((rc = stmt_step(&q, e)) > 0) {
		const char *name = get_borrowed(&q);

		facts_set(&r->facts, name, get_borrowed(&q));
	}
	stmt_close(&q);
	return rc;
}

static int get_cap(struct stmt *q, struct run_info *r, struct err *e)
{
	const char *name = get_borrowed(q);
	struct cap cap = {.stat = lat_stat_find(name), .limit_ns = get_u64(q)};

	if (cap.stat == LAT_STAT_NR)
		return read_unknown(q->store, "cap", name, e);
	if (r->nr_caps == RUN_MAX_CAPS)
		return err_set(e, ERR_DB, "run %" PRId64 " in '%s' has more than %d caps", r->id,
			       q->store->path, RUN_MAX_CAPS);
	r->caps[r->nr_caps++] = cap;
	return 0;
}

static int load_caps(struct store *s, struct run_info *r, struct err *e)
{
	struct stmt q;
	int rc;

	if (stmt_open_for(&q, s,
			  "SELECT stat, limit_ns FROM run_cap WHERE run_id = ? ORDER BY place",
			  r->id, e))
		return -1;
	while ((rc = stmt_step(&q, e)) > 0)
		if (get_cap(&q, r, e)) {
			rc = -1;
			break;
		}
	stmt_close(&q);
	return rc;
}

static int load_accepted(struct store *s, struct run_info *r, struct err *e)
{
	enum flag flag;
	struct stmt q;
	int rc;

	if (stmt_open_for(&q, s, "SELECT flag FROM run_accept WHERE run_id = ?", r->id, e))
		return -1;
	while ((rc = stmt_step(&q, e)) > 0)
		if (read_flag(&q, &r->accepted, &flag, e)) {
			rc = -1;
			break;
		}
	stmt_close(&q);
	return rc;
}

static int load_run_row(struct store *s, int64_t run_id, struct run_info *r, struct err *e)
{
	struct stmt q;
	int rc;

	if (stmt_open_for(&q, s,
			  "SELECT " RUN_COLUMNS ", r.sweep_text FROM run r "
			  "JOIN target t ON t.id = r.target_id WHERE r.id = ?",
			  run_id, e))
		return -1;
	rc = stmt_step(&q, e);
	if (rc == 0)
		rc = db_no_run(s, run_id, e);
	if (rc > 0)
		rc = get_run(&q, r, e);
	if (!rc) {
		r->sweep_text = get_text(&q);
		/* The step to the end tells whether a text was lost for want of memory. */
		rc = stmt_step(&q, e);
	}
	stmt_close(&q);
	return rc;
}

int store_load_run(struct store *s, int64_t run_id, struct run_info *r, struct err *e)
{
	int rc;

	*r = (struct run_info){0};
	if (db_begin_read(s, e))
		return -1;
	rc = load_run_row(s, run_id, r, e) || load_facts(s, r, e) || load_caps(s, r, e) ||
			     load_accepted(s, r, e)
		     ? -1
		     : 0;
	rc = db_end(s, rc, e);
	if (rc)
		run_info_release(r);
	return rc;
}

struct run_list {
	struct run_summary *v;
	size_t nr, cap;
};

/* Runs ascend by id, and so do the rows that belong to them. */
static struct run_summary *find_summary(struct run_list *l, int64_t run_id)
{
	size_t low = 0, high = l->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (l->v[mid].info.id == run_id)
			return &l->v[mid];
		if (l->v[mid].info.id < run_id)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

static int list_run_rows(struct store *s, struct run_list *l, struct err *e)
{
	struct stmt q;
	int rc;

	if (stmt_open(&q, s,
		      "SELECT " RUN_COLUMNS " FROM run r JOIN target t ON t.id = r.target_id "
		      "ORDER BY r.id",
		      e))
		return -1;
	while ((rc = stmt_step(&q, e)) > 0) {
		VEC_GROW(l->v, l->nr, l->cap);
		l->v[l->nr] = (struct run_summary){0};
		if (get_run(&q, &l->v[l->nr++].info, e)) {
			rc = -1;
			break;
		}
	}
	stmt_close(&q);
	return rc;
}

static int count_points(struct store *s, struct run_list *l, struct err *e)
{
	struct stmt q;
	int rc;

	if (stmt_open(&q, s, "SELECT run_id, status, count(*) FROM point GROUP BY run_id, status",
		      e))
		return -1;
	while ((rc = stmt_step(&q, e)) > 0) {
		struct run_summary *run = find_summary(l, get_int(&q));
		enum point_status status;

		if (read_status(&q, &status, e)) {
			rc = -1;
			break;
		}
		if (run) {
			run->nr_points[status] = get_u32(&q);
			run->nr_total += run->nr_points[status];
		}
	}
	stmt_close(&q);
	return rc;
}

/* What is accepted in each run, before its spoiled points are counted. */
static int list_accepted(struct store *s, struct run_list *l, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < l->nr; i++)
		rc = load_accepted(s, &l->v[i].info, e);
	return rc;
}

static int count_spoiled(struct store *s, struct run_list *l, struct err *e)
{
	int64_t last_spoiled = 0;
	struct stmt q;
	int rc;

	if (stmt_open(&q, s,
		      "SELECT p.run_id, p.id, f.flag FROM point_flag f JOIN point p "
		      "ON p.id = f.point_id WHERE p.status = 'ok' ORDER BY p.id",
		      e))
		return -1;
	while ((rc = stmt_step(&q, e)) > 0) {
		struct run_summary *run = find_summary(l, get_int(&q));
		int64_t point_id = get_int(&q);
		flag_set flags = 0;
		enum flag flag;

		if (read_flag(&q, &flags, &flag, e)) {
			rc = -1;
			break;
		}
		if (run && point_id != last_spoiled &&
		    (flags_have(flags & ~run->info.accepted, EFFECT_SPOILED) ||
		     flags_have(flags, EFFECT_FAILED))) {
			run->nr_spoiled++;
			last_spoiled = point_id;
		}
	}
	stmt_close(&q);
	return rc;
}

int store_newest_run(struct store *s, int64_t *id, struct err *e)
{
	struct stmt q;
	int rc;

	*id = 0;
	if (stmt_open(&q, s, "SELECT max(id) FROM run", e))
		return -1;
	rc = stmt_step(&q, e);
	if (rc > 0)
		*id = get_int(&q);
	stmt_close(&q);
	return rc < 0 ? -1 : 0;
}

int store_list_runs(struct store *s, struct run_summary **out, size_t *nr, struct err *e)
{
	struct run_list l = {0};
	int rc;

	if (db_begin_read(s, e))
		return -1;
	rc = list_run_rows(s, &l, e) || count_points(s, &l, e) || list_accepted(s, &l, e) ||
			     count_spoiled(s, &l, e)
		     ? -1
		     : 0;
	rc = db_end(s, rc, e);
	if (rc) {
		store_free_list(l.v, l.nr);
		return rc;
	}
	*out = l.v;
	*nr = l.nr;
	return 0;
}

void store_free_list(struct run_summary *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		run_info_release(&list[i].info);
	free(list);
}
