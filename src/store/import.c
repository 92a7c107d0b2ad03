/* SPDX-License-Identifier: MIT */
#include "store/write.h"

#include <math.h>

static bool has_figures(const struct figures *f)
{
	return !isnan(f->iops) || !isnan(f->lat_mean_ns) || !isnan(f->lat_p50_ns);
}

static int insert_imported_dirs(struct store *s, int64_t id, const struct point *p, struct err *e)
{
	struct stmt q;
	int rc = 0;

	if (write_dir_open(&q, s, e))
		return -1;
	for (enum dir d = 0; !rc && d < DIR_NR; d++)
		if (d == DIR_TOTAL || has_figures(&p->dir[d]))
			rc = write_dir(&q, id, d, p->dir[d], NULL, NULL, e);
	stmt_close(&q);
	return rc;
}

static int import_point(struct stmt *q, struct store *s, int64_t run_id, const struct point *p,
			struct err *e)
{
	struct planned_point planned = {.spec = p->spec, .seq = p->seq};
	int64_t id;

	if (write_point(q, run_id, &planned, true, e))
		return -1;
	id = sqlite3_last_insert_rowid(s->db);
	if (write_point_result(s, id, p, e) || write_flags(s, id, p->flags, NULL, e))
		return -1;
	return insert_imported_dirs(s, id, p, e);
}

static int import_run(struct store *s, const struct imported_run *v, struct err *e)
{
	struct stmt q;
	int rc = 0;

	v->run->state = RUN_FINISHED;
	v->run->imported = true;
	write_default_times(v->run);
	if (write_run(s, v->run, &v->run->id, e) || write_point_open(&q, s, e))
		return -1;
	for (size_t i = 0; !rc && i < v->nr; i++)
		rc = import_point(&q, s, v->run->id, &v->points[i], e);
	stmt_close(&q);
	return rc;
}

int store_import_runs(struct store *s, const struct imported_run *v, size_t nr, struct err *e)
{
	int rc = 0;

	if (db_begin_write(s, e))
		return -1;
	for (size_t i = 0; !rc && i < nr; i++)
		rc = import_run(s, &v[i], e);
	rc = db_end(s, rc, e);
	for (size_t i = 0; rc && i < nr; i++)
		v[i].run->id = 0;
	return rc;
}

int store_import_run(struct store *s, struct run_info *r, const struct point *points, size_t nr,
		     struct err *e)
{
	return store_import_runs(s, &(struct imported_run){r, points, nr}, 1, e);
}
