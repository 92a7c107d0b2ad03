/* SPDX-License-Identifier: MIT */
#include "store/copy.h"

#include "base/hash.h"
#include "base/mem.h"
#include "store/columns.h"
#include "store/write.h"

#include <stdlib.h>
#include <string.h>

static int open_select(struct stmt *q, struct store *s, const char *table, const char *where,
		       int64_t key, struct err *e)
{
	char *sql = xasprintf("SELECT * FROM %s WHERE %s ORDER BY 1, 2", table, where);
	int rc = stmt_open_for(q, s, sql, key, e);

	free(sql);
	return rc;
}

static int open_insert(struct stmt *q, struct store *s, const char *table, int nr, struct err *e)
{
	struct buf sql = BUF_INIT;
	int rc;

	buf_addf(&sql, "INSERT INTO %s VALUES (?", table);
	for (int i = 1; i < nr; i++)
		buf_addstr(&sql, ", ?");
	buf_addstr(&sql, ")");
	rc = stmt_open(q, s, buf_text(&sql), e);
	buf_release(&sql);
	return rc;
}

static void put_value(struct stmt *q, sqlite3_value *v)
{
	int rc = sqlite3_bind_value(q->st, ++q->next, v);

	if (q->rc == SQLITE_OK)
		q->rc = rc;
}

static bool is_column(const struct stmt *q, int i, const char *name)
{
	return name && !strcmp(sqlite3_column_name(q->st, i), name);
}

static int copy_row(struct stmt *in, struct stmt *out, const struct copy *c, struct err *e)
{
	int nr = sqlite3_column_count(in->st);

	for (int i = 0; i < nr; i++) {
		if (is_column(in, i, c->set))
			put_int(out, c->value);
		else if (is_column(in, i, c->none))
			put_null(out);
		else
			put_value(out, sqlite3_column_value(in->st, i));
	}
	return stmt_run(out, e);
}

int copy_rows(struct store *from, struct store *to, const struct copy *c, struct err *e)
{
	struct stmt in, out;
	int rc;

	if (open_select(&in, from, c->table, c->where, c->key, e))
		return -1;
	if (open_insert(&out, to, c->table, sqlite3_column_count(in.st), e)) {
		stmt_close(&in);
		return -1;
	}
	while ((rc = stmt_step(&in, e)) > 0)
		if (copy_row(&in, &out, c, e)) {
			rc = -1;
			break;
		}
	stmt_close(&out);
	stmt_close(&in);
	return rc;
}

static int read_schema(struct store *s, char **text, struct err *e)
{
	struct stmt q;
	int rc;

	*text = NULL;
	if (stmt_open(&q, s,
		      "SELECT group_concat(sql, ';') FROM (SELECT sql FROM sqlite_schema "
		      "WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name)",
		      e))
		return -1;
	rc = stmt_step(&q, e);
	if (rc > 0)
		*text = get_text(&q);
	stmt_close(&q);
	return rc < 0 ? -1 : 0;
}

int copy_same_schema(struct store *a, struct store *b, bool *is_same, struct err *e)
{
	char *x, *y = NULL;
	int rc = read_schema(a, &x, e) || read_schema(b, &y, e) ? -1 : 0;

	*is_same = !rc && x && y && !strcmp(x, y);
	free(x);
	free(y);
	return rc;
}

int copy_find_point(struct store *from, int64_t point_id, struct store *to, int64_t run_id,
		    int64_t *id, struct err *e)
{
	struct stmt in, out;
	int rc;

	*id = 0;
	if (stmt_open_for(&in, from, "SELECT " SPEC_COLUMNS " FROM point WHERE id = ?", point_id,
			  e))
		return -1;
	rc = stmt_step(&in, e);
	if (rc > 0)
		rc = stmt_open_for(&out, to,
				   "SELECT id FROM point WHERE run_id = ? AND " SPEC_MATCH, run_id,
				   e);
	if (!rc && sqlite3_data_count(in.st)) {
		for (int i = 0; i < sqlite3_column_count(in.st); i++)
			put_value(&out, sqlite3_column_value(in.st, i));
		rc = stmt_step(&out, e);
		if (rc > 0)
			*id = get_int(&out);
		stmt_close(&out);
	}
	stmt_close(&in);
	return rc < 0 ? -1 : 0;
}

/* Every column of a point but those that name it. */
static bool is_name(const struct stmt *q, int i)
{
	return is_column(q, i, "id") || is_column(q, i, "run_id") || is_column(q, i, "point_id");
}

static int open_update(struct stmt *q, const struct stmt *in, struct store *to, struct err *e)
{
	struct buf sql = BUF_INIT;
	const char *comma = "";
	int rc;

	buf_addstr(&sql, "UPDATE point SET");
	for (int i = 0; i < sqlite3_column_count(in->st); i++) {
		if (is_name(in, i) || is_column(in, i, "seq"))
			continue;
		buf_addf(&sql, "%s %s = ?", comma, sqlite3_column_name(in->st, i));
		comma = ",";
	}
	buf_addstr(&sql, " WHERE id = ?");
	rc = stmt_open(q, to, buf_text(&sql), e);
	buf_release(&sql);
	return rc;
}

/* Over the row that is there, which keeps its number, since others refer to it. */
static int update_point(struct store *from, int64_t point_id, struct store *to, int64_t id,
			struct err *e)
{
	struct stmt in, out;
	int rc;

	if (open_select(&in, from, "point", "id = ?1", point_id, e))
		return -1;
	rc = stmt_step(&in, e) > 0 ? open_update(&out, &in, to, e) : -1;
	if (!rc) {
		for (int i = 0; i < sqlite3_column_count(in.st); i++)
			if (!is_name(&in, i) && !is_column(&in, i, "seq"))
				put_value(&out, sqlite3_column_value(in.st, i));
		put_int(&out, id);
		rc = stmt_run_once(&out, e);
	}
	stmt_close(&in);
	return rc;
}

static int insert_point(struct store *from, int64_t point_id, struct store *to, int64_t run_id,
			int64_t *id, struct err *e)
{
	const struct copy c = {.table = "point",
			       .where = "id = ?1",
			       .key = point_id,
			       .set = "run_id",
			       .value = run_id,
			       .none = "id"};

	if (copy_rows(from, to, &c, e))
		return -1;
	*id = sqlite3_last_insert_rowid(to->db);
	return 0;
}

int copy_point(struct store *from, int64_t point_id, struct store *to, int64_t run_id, int64_t id,
	       struct err *e)
{
	int rc = id ? update_point(from, point_id, to, id, e) || write_clear_point(to, id, e)
		    : insert_point(from, point_id, to, run_id, &id, e);

	for (size_t i = 0; !rc && i < WRITE_NR_CHILDREN; i++) {
		const struct copy c = {.table = write_children[i],
				       .where = "point_id = ?1",
				       .key = point_id,
				       .set = "point_id",
				       .value = id};

		rc = copy_rows(from, to, &c, e);
	}
	return rc ? -1 : 0;
}

/* With the type, since 1 and 1.0 are not the same. */
static uint64_t sum_value(uint64_t sum, const struct stmt *q, int i)
{
	int type = sqlite3_column_type(q->st, i);
	double real;

	sum = hash_u64(sum, (uint64_t)type);
	if (type == SQLITE_INTEGER)
		return hash_u64(sum, (uint64_t)sqlite3_column_int64(q->st, i));
	if (type == SQLITE_FLOAT) {
		real = sqlite3_column_double(q->st, i);
		return hash_bytes(sum, &real, sizeof(real));
	}
	if (type == SQLITE_NULL)
		return sum;
	sum = hash_u64(sum, (uint64_t)sqlite3_column_bytes(q->st, i));
	return hash_bytes(sum, sqlite3_column_blob(q->st, i),
			  (size_t)sqlite3_column_bytes(q->st, i));
}

static int sum_rows(struct store *s, const char *table, const char *where, int64_t key,
		    uint64_t *sum, struct err *e)
{
	struct stmt q;
	int rc;

	*sum = hash_str(*sum, table);
	if (open_select(&q, s, table, where, key, e))
		return -1;
	while ((rc = stmt_step(&q, e)) > 0)
		for (int i = 0; i < sqlite3_column_count(q.st); i++)
			if (!is_name(&q, i))
				*sum = sum_value(*sum, &q, i);
	stmt_close(&q);
	return rc;
}

int copy_sum(struct store *s, int64_t point_id, uint64_t *sum, struct err *e)
{
	*sum = HASH_INIT;
	if (sum_rows(s, "point", "id = ?1", point_id, sum, e))
		return -1;
	for (size_t i = 0; i < WRITE_NR_CHILDREN; i++)
		if (sum_rows(s, write_children[i], "point_id = ?1", point_id, sum, e))
			return -1;
	return 0;
}
