/* SPDX-License-Identifier: MIT */
#include "store/spool.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "store/copy.h"
#include "store/open.h"
#include "store/spool_place.h"
#include "store/write.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int run_mark(struct store *s, int64_t run_id, char mark[17], struct err *e)
{
	uint64_t hash = HASH_INIT;
	struct stmt q;
	int rc;

	if (stmt_open_for(&q, s, "SELECT ifnull(key, ''), seed, start_ns FROM run WHERE id = ?",
			  run_id, e))
		return -1;
	rc = stmt_step(&q, e);
	if (rc > 0) {
		hash = hash_str(hash, get_borrowed(&q));
		hash = hash_u64(hash, get_u64(&q));
		hash = hash_u64(hash, get_u64(&q));
		(void)snprintf(mark, 17, "%016" PRIx64, hash);
	}
	stmt_close(&q);
	return rc == 0 ? db_no_run(s, run_id, e) : rc < 0 ? -1 : 0;
}

/* ---- writing ---- */

static int copy_run(struct store *from, int64_t run_id, struct store *to, struct err *e)
{
	static const struct copy rows[] = {
		{.table = "target", .where = "id = (SELECT target_id FROM run WHERE id = ?1)"},
		{.table = "run", .where = "id = ?1"},
		{.table = "run_fact", .where = "run_id = ?1"},
		{.table = "run_cap", .where = "run_id = ?1"},
		{.table = "run_accept", .where = "run_id = ?1"},
	};

	for (size_t i = 0; i < NR(rows); i++) {
		struct copy c = rows[i];

		c.key = run_id;
		if (copy_rows(from, to, &c, e))
			return -1;
	}
	return 0;
}

static int add_sum(struct store *s, int64_t run_id, int64_t id, struct err *e)
{
	struct facts f = FACTS_INIT;
	struct stmt q;
	uint64_t sum, seq = 0;
	char name[48];
	int rc;

	if (copy_sum(s, id, &sum, e) ||
	    stmt_open_for(&q, s, "SELECT seq FROM point WHERE id = ?", id, e))
		return -1;
	rc = stmt_step(&q, e);
	if (rc > 0)
		seq = get_u64(&q);
	stmt_close(&q);
	if (rc < 0)
		return -1;
	(void)snprintf(name, sizeof(name), "spool.sum.%" PRIu64, seq);
	facts_setf(&f, name, "%016" PRIx64, sum);
	rc = write_facts(s, run_id, &f, e);
	facts_release(&f);
	return rc;
}

static int add_points(struct store *from, int64_t run_id, const int64_t *point_ids, size_t nr,
		      struct store *spool, struct err *e)
{
	for (size_t i = 0; i < nr; i++) {
		int64_t id;

		/* An earlier attempt at the point may wait there already. */
		if (copy_find_point(from, point_ids[i], spool, run_id, &id, e) ||
		    copy_point(from, point_ids[i], spool, run_id, id, e) ||
		    copy_find_point(from, point_ids[i], spool, run_id, &id, e) ||
		    add_sum(spool, run_id, id, e))
			return -1;
	}
	return 0;
}

static int write_spool(struct store *from, int64_t run_id, const int64_t *point_ids, size_t nr,
		       struct store *spool, bool is_new, struct err *e)
{
	int rc;

	if (db_begin_write(spool, e))
		return -1;
	rc = is_new ? copy_run(from, run_id, spool, e) : 0;
	rc = rc || add_points(from, run_id, point_ids, nr, spool, e) ? -1 : 0;
	return db_end(spool, rc, e);
}

static void remove_with_journal(const char *path)
{
	char *journal = xasprintf("%s-journal", path);

	/* In this order: a journal without its database is nothing, but not the other way round. */
	(void)unlink(path);
	(void)unlink(journal);
	free(journal);
}

/* What a spool is called before it is whole, so that no kill leaves half of one under its name. */
static char *new_path(const char *path)
{
	return xasprintf("%s.new", path);
}

static void remove_files(const char *path)
{
	char *new = new_path(path);

	remove_with_journal(path);
	remove_with_journal(new);
	free(new);
}

static int write_at(struct store *from, int64_t run_id, const int64_t *point_ids, size_t nr,
		    const char *path, bool is_new, struct err *e)
{
	struct store *spool = NULL;
	int rc = open_spool(&spool, path, is_new, e);

	rc = rc ? rc : write_spool(from, run_id, point_ids, nr, spool, is_new, e);
	store_close(spool);
	return rc;
}

static int add_new(struct store *from, int64_t run_id, const int64_t *point_ids, size_t nr,
		   const char *path, struct err *e)
{
	char *new = new_path(path);
	int rc;

	remove_with_journal(new);
	rc = write_at(from, run_id, point_ids, nr, new, true, e);
	if (!rc && rename(new, path) < 0)
		rc = err_sys(e, ERR_DB, errno, "cannot rename '%s'", new);
	if (!rc)
		rc = open_sync_parent(path, e);
	if (rc)
		remove_with_journal(new);
	free(new);
	return rc;
}

static int add_at(struct store *from, int64_t run_id, const int64_t *point_ids, size_t nr,
		  const char *path, struct err *e)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return add_new(from, run_id, point_ids, nr, path, e);
	if (spool_check_file(path, e))
		return -1;
	return write_at(from, run_id, point_ids, nr, path, false, e);
}

int spool_add(struct store *from, int64_t run_id, const int64_t *point_ids, size_t nr,
	      const char *db_path, char **path, struct err *e)
{
	struct err first = {0};
	char mark[17];
	int rc = run_mark(from, run_id, mark, e);

	*path = NULL;
	if (rc)
		return rc;
	for (unsigned place = 0; place < SPOOL_PLACES; place++) {
		struct err why = {0};
		char *dir = spool_place(place, db_path, true, &why);

		if (dir) {
			*path = spool_path(place, dir, db_path, run_id, mark);
			free(dir);
			if (!add_at(from, run_id, point_ids, nr, *path, &why))
				return 0;
			free(*path);
			*path = NULL;
		}
		(void)err_join(&first, &why);
	}
	return err_set(e, ERR_DB, "%s", first.msg);
}

int spool_remove(struct store *from, int64_t run_id, const char *db_path, struct err *e)
{
	char mark[17];
	int rc = run_mark(from, run_id, mark, e);

	for (unsigned place = 0; !rc && place < SPOOL_PLACES; place++) {
		char *dir = spool_place(place, db_path, false, NULL), *path;

		if (!dir)
			continue;
		path = spool_path(place, dir, db_path, run_id, mark);
		remove_files(path);
		free(path);
		free(dir);
	}
	return rc;
}

/* ---- reading ---- */

static int count(struct store *s, const char *sql, int64_t key, int64_t *nr, struct err *e)
{
	struct stmt q;
	int rc;

	*nr = 0;
	if (stmt_open_for(&q, s, sql, key, e))
		return -1;
	rc = stmt_step(&q, e);
	if (rc > 0)
		*nr = get_int(&q);
	stmt_close(&q);
	return rc < 0 ? -1 : 0;
}

static int check_schema(struct store *s, struct err *e)
{
	struct store *own = NULL;
	bool is_same = false;
	int64_t nr_bad;
	int rc = open_memory(&own, s->path, e);

	rc = rc ? rc : copy_same_schema(s, own, &is_same, e);
	store_close(own);
	if (!rc && !is_same)
		rc = err_set(e, ERR_DB, "its tables are not those of a spool");
	rc = rc ? rc
		: count(s,
			"SELECT (SELECT count(*) FROM pragma_integrity_check WHERE "
			"integrity_check <> 'ok') + (SELECT count(*) FROM pragma_foreign_key_check) + 0 * ?",
			0, &nr_bad, e);
	if (!rc && nr_bad)
		rc = err_set(e, ERR_DB, "it is damaged");
	return rc;
}

/* Of the point with this seq, and whatever it holds can be understood by those who read it later. */
static int check_point(struct store *s, int64_t run_id, uint32_t seq, int64_t id, struct err *e)
{
	struct measurement m;
	struct stmt q;
	char text[17];
	uint64_t sum;
	int rc;

	if (copy_sum(s, id, &sum, e) || store_load_measurement(s, run_id, seq, &m, e))
		return -1;
	measurement_release(&m);
	(void)snprintf(text, sizeof(text), "%016" PRIx64, sum);
	if (stmt_open_for(&q, s,
			  "SELECT 1 FROM run_fact WHERE run_id = ? AND value = ? AND "
			  "name = 'spool.sum.' || ?",
			  run_id, e))
		return -1;
	put_text(&q, text);
	put_int(&q, seq);
	rc = stmt_step(&q, e);
	stmt_close(&q);
	if (rc == 0)
		return err_set(e, ERR_DB, "point %" PRIu32 " in it is damaged", seq);
	return rc < 0 ? -1 : 0;
}

struct waiting {
	struct {
		int64_t id;
		uint32_t seq;
	} * v;
	size_t nr, cap;
};

/* In the order in which they ended. */
static int list_points(struct store *s, int64_t run_id, struct waiting *w, struct err *e)
{
	struct stmt q;
	int rc;

	if (stmt_open_for(&q, s, "SELECT id, seq FROM point WHERE run_id = ? ORDER BY end_ns, seq",
			  run_id, e))
		return -1;
	while ((rc = stmt_step(&q, e)) > 0) {
		VEC_GROW(w->v, w->nr, w->cap);
		w->v[w->nr].id = get_int(&q);
		w->v[w->nr++].seq = get_u32(&q);
	}
	stmt_close(&q);
	return rc;
}

static int check_spool(struct store *s, const struct spool *of, struct waiting *w, struct err *e)
{
	char mark[17];

	if (check_schema(s, e) || run_mark(s, of->run_id, mark, e))
		return -1;
	if (strcmp(mark, of->mark) != 0)
		return err_set(e, ERR_DB, "the run in it is not the one that its name says");
	if (list_points(s, of->run_id, w, e))
		return -1;
	for (size_t i = 0; i < w->nr; i++)
		if (check_point(s, of->run_id, w->v[i].seq, w->v[i].id, e))
			return -1;
	return 0;
}

/*
 * What the database has of a point: nothing, the mark that it is running, an earlier attempt that
 * failed, or this very measurement. The wall clock cannot say which of two is later, since it may be
 * set back.
 */
static int is_wanted(struct store *spool, int64_t spool_id, struct store *s, int64_t id,
		     bool *wanted, struct err *e)
{
	struct stmt q;
	int64_t start_ns, end_ns, is_ok;
	int rc;

	*wanted = true;
	if (!id)
		return 0;
	if (count(spool, "SELECT start_ns FROM point WHERE id = ?", spool_id, &start_ns, e) ||
	    count(spool, "SELECT end_ns FROM point WHERE id = ?", spool_id, &end_ns, e) ||
	    count(spool, "SELECT status = 'ok' FROM point WHERE id = ?", spool_id, &is_ok, e) ||
	    stmt_open_for(&q, s,
			  "SELECT start_ns IS ?2 AND end_ns IS ?3, status = 'ok', seq FROM point "
			  "WHERE id = ?1",
			  id, e))
		return -1;
	put_int(&q, start_ns);
	put_int(&q, end_ns);
	rc = stmt_step(&q, e);
	if (rc > 0) {
		bool is_same = get_int(&q), has_ok = get_int(&q);

		*wanted = !is_same && !has_ok;
		rc = has_ok && is_ok && !is_same
			     ? err_set(e, ERR_DB,
				       "the database has another measurement of point %" PRIu32
				       " by now",
				       get_u32(&q))
			     : 0;
	}
	stmt_close(&q);
	return rc;
}

static int take_points(struct store *spool, const struct waiting *w, struct store *s,
		       int64_t run_id, unsigned *nr, struct err *e)
{
	for (size_t i = 0; i < w->nr; i++) {
		bool wanted = false;
		int64_t id;

		if (copy_find_point(spool, w->v[i].id, s, run_id, &id, e) ||
		    is_wanted(spool, w->v[i].id, s, id, &wanted, e) ||
		    (wanted && copy_point(spool, w->v[i].id, s, run_id, id, e)))
			return -1;
		*nr += wanted;
	}
	return 0;
}

static int take_in(struct store *spool, const struct spool *of, struct store *s, unsigned *nr,
		   struct err *e)
{
	struct waiting w = {0};
	unsigned nr_new = 0;
	int rc = check_spool(spool, of, &w, e);

	if (!rc)
		rc = db_begin_write(s, e);
	if (!rc)
		rc = db_end(s, take_points(spool, &w, s, of->run_id, &nr_new, e), e);
	free(w.v);
	if (!rc)
		*nr += nr_new;
	return rc;
}

static int take_one(const struct spool *of, struct store *s, unsigned *nr, struct err *e)
{
	struct store *spool = NULL;
	struct err why = {0};
	int rc;

	s->last_rc = SQLITE_OK;
	rc = spool_check_file(of->path, &why) || open_spool(&spool, of->path, false, &why)
		     ? -1
		     : take_in(spool, of, s, nr, &why);

	store_close(spool);
	if (!rc) {
		remove_files(of->path);
		return open_sync_parent(of->path, e);
	}
	/* It may be the database that is in trouble, and not the spool. */
	return err_set(e, ERR_DB, "cannot take in the spool '%s', which stays as it is: %s%s",
		       of->path, why.msg,
		       s->last_rc ? "" : "; move it away to go on without what it holds");
}

int spool_take_in(struct store *s, int64_t run_id, unsigned *nr, struct err *e)
{
	char *db_path = spool_database(s->path), mark[17];
	struct spool *v = NULL;
	size_t nr_spools = 0;
	int rc = run_mark(s, run_id, mark, e);

	*nr = 0;
	if (!rc)
		spool_list_names(db_path, &v, &nr_spools);
	for (size_t i = 0; !rc && i < nr_spools; i++)
		if (v[i].run_id == run_id && !strcmp(v[i].mark, mark))
			rc = take_one(&v[i], s, nr, e);
	spool_free_list(v, nr_spools);
	free(db_path);
	return rc;
}

static int run_is_finished(struct store *s, const struct spool *of, bool *is, struct err *e)
{
	char mark[17] = "";
	int64_t nr;
	int rc = count(s, "SELECT count(*) FROM run WHERE id = ? AND state = 'finished'",
		       of->run_id, &nr, e);

	if (!rc && nr)
		rc = run_mark(s, of->run_id, mark, e);
	*is = !rc && !strcmp(mark, of->mark);
	return rc;
}

int spool_tidy(struct store *s, struct err *e)
{
	char *db_path = spool_database(s->path);
	struct spool *v;
	size_t nr;
	int rc = 0;

	spool_list_names(db_path, &v, &nr);
	for (size_t i = 0; !rc && i < nr; i++) {
		unsigned nr_new = 0;
		bool is = false;

		rc = run_is_finished(s, &v[i], &is, e);
		/* One that is refused is told of by those who list them. */
		if (!rc && is)
			(void)take_one(&v[i], s, &nr_new, NULL);
	}
	spool_free_list(v, nr);
	free(db_path);
	return rc;
}

/* For those who only look: a spool that needs its journal to be whole is left to who takes it in. */
static void look_into(struct spool *p)
{
	struct store *s = NULL;
	struct err e = {0};
	int64_t nr = 0;

	if (spool_check_file(p->path, &e) || store_open(&s, p->path, STORE_READ, &e) ||
	    count(s, "SELECT count(*) FROM point WHERE run_id = ?", p->run_id, &nr, &e))
		p->trouble = xstrdup(e.msg);
	p->nr_points = (unsigned)nr;
	store_close(s);
}

void spool_list(const char *db_path, struct spool **out, size_t *nr)
{
	char *whole = spool_database(db_path);

	spool_list_names(whole, out, nr);
	for (size_t i = 0; i < *nr; i++)
		look_into(&(*out)[i]);
	free(whole);
}

void spool_free_list(struct spool *v, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		free(v[i].path);
		free(v[i].trouble);
	}
	free(v);
}
