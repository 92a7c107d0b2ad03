/* SPDX-License-Identifier: MIT */
/*
 * points DB RUNS POINTS: a database of so many runs of so many points each, as if they had been
 * measured: curves of ten depths, with figures of the direction, a histogram, ten intervals of
 * their series, and a flag here and there. For what commands on a large database take.
 */
#include "base/mem.h"
#include "base/num.h"
#include "base/rng.h"
#include "stats/hist.h"
#include "store/store.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NR_DEPTHS     10
#define CEILING_IOPS  4000.0
#define SERVICE_MS    2.0
#define START_NS      1700000000000000000
#define POINT_NS      25000000000
#define HIST_SAMPLES  100000
#define MAX_POINTS    1000000
#define FLAGGED_EVERY 20

/* Eight servers of 2 ms, whose queue is in no hurry to form. */
static void set_figures(struct figures *f, uint32_t depth, double noise)
{
	figures_clear(f);
	f->iops = CEILING_IOPS * (1 - exp(-(double)depth / 8)) * noise;
	f->ios = floor(f->iops * 20);
	f->mib_s = f->iops / 256;
	f->lat_mean_ns = depth / f->iops * 1e9;
	f->lat_sd_ns = f->lat_mean_ns / 3;
	f->lat_min_ns = f->lat_mean_ns / 4;
	f->lat_p50_ns = f->lat_mean_ns * .9;
	f->lat_p90_ns = f->lat_mean_ns * 1.5;
	f->lat_p95_ns = f->lat_mean_ns * 1.8;
	f->lat_p99_ns = f->lat_mean_ns * 2.5;
	f->lat_p999_ns = f->lat_mean_ns * 4;
	f->lat_max_ns = f->lat_mean_ns * 6;
	f->slat_mean_ns = 4000;
	f->clat_mean_ns = f->lat_mean_ns - 4000;
	f->iops_se_rel = f->lat_se_rel = .004;
	f->lat_p95_lo_ns = f->lat_mean_ns * 1.75;
	f->lat_p95_hi_ns = f->lat_mean_ns * 1.85;
	f->lat_p99_lo_ns = f->lat_mean_ns * 2.4;
	f->lat_p99_hi_ns = f->lat_mean_ns * 2.6;
}

static void set_point(struct point *p, size_t i, struct rng *r)
{
	bool writes = i / NR_DEPTHS % 2;

	*p = (struct point){
		.spec = {.rw = writes ? RW_RANDWRITE : RW_RANDREAD,
			 .iodepth = 1U << i % NR_DEPTHS,
			 .workers = 1,
			 .rwmixread_pct = writes ? 0 : 100,
			 .random_pct = 100,
			 .bs_bytes = 4096,
			 .span_bytes = (uint64_t)(i / NR_DEPTHS / 2 + 1) << 30,
			 .repeat = 1},
		.seq = (uint32_t)i + 1,
		.status = POINT_OK,
		.flags = i % FLAGGED_EVERY ? 0 : FLAG_BIT(FLAG_QUEUE_LIMITED),
		.start_wall_ns = START_NS + (int64_t)i * POINT_NS,
		.end_wall_ns = START_NS + ((int64_t)i + 1) * POINT_NS,
		.window_s = 20,
		.ramp_s = 5,
		.drain_s = .01,
		.util_pct = 99,
		.cpu_pct = 12,
		.rate_iops = UNKNOWN,
		.arrivals = UNKNOWN,
		.backlog = UNKNOWN,
		.late_p50_ns = UNKNOWN,
		.late_p99_ns = UNKNOWN,
		.late_max_ns = UNKNOWN,
	};
	p->depth_mean = p->depth_max = p->spec.iodepth;
	for (enum dir d = 0; d < DIR_NR; d++)
		figures_clear(&p->dir[d]);
	set_figures(&p->dir[DIR_TOTAL], p->spec.iodepth, 1 + (double)rng_below(r, 100) / 10000);
	p->dir[writes ? DIR_WRITE : DIR_READ] = p->dir[DIR_TOTAL];
}

static int add_run(struct store *s, struct point *points, size_t nr, struct err *e)
{
	static char name[] = "points", identity[] = "wwid:naa.5000", file[] = "/dev/sdx",
		    text[] = "axes:\n  rw: [randread, randwrite]\n";
	struct run_info r = {.sweep_name = name,
			     .target_label = name,
			     .target_identity = identity,
			     .target_given = file,
			     .sweep_text = text,
			     .start_wall_ns = START_NS};

	return store_import_run(s, &r, points, nr, e);
}

static int add_runs(const char *path, size_t nr_runs, size_t nr_points, struct err *e)
{
	struct point *points = xcalloc(nr_points, sizeof(*points));
	struct store *s = NULL;
	struct rng r;
	int rc = store_open(&s, path, STORE_WRITE, e);

	rng_seed(&r, 1);
	for (size_t run = 0; !rc && run < nr_runs; run++) {
		for (size_t i = 0; i < nr_points; i++)
			set_point(&points[i], i, &r);
		rc = add_run(s, points, nr_points, e);
	}
	store_close(s);
	free(points);
	return rc;
}

/* A histogram as a point of some ms has it. */
static void pack_hist(struct buf *b)
{
	struct hist *h = xmalloc(sizeof(*h));
	struct rng r;

	rng_seed(&r, 2);
	hist_init(h);
	for (int i = 0; i < HIST_SAMPLES; i++) {
		double u = ((double)rng_below(&r, 1000000) + 1) / 1000001;

		hist_add(h, (uint64_t)(1e6 * (SERVICE_MS - log(u))));
	}
	hist_pack(h, b);
	free(h);
}

/* What an import does not have. */
static int add_raw(const char *path, struct err *e)
{
	static const char sql[] =
		"PRAGMA synchronous = OFF; BEGIN;"
		"UPDATE point_dir SET lat_hist = (SELECT b FROM temp.packed) WHERE dir <> 'total';"
		"UPDATE point SET origin = 'measured'; UPDATE run SET origin = 'measured';"
		"INSERT INTO point_series WITH n (i) AS (VALUES (0) UNION ALL "
		"SELECT i + 1 FROM n WHERE i < 9) SELECT id, i, 8000, 16000000000, 0, 0, 9000000, NULL FROM point, n;"
		"COMMIT; VACUUM;";
	struct buf packed = BUF_INIT;
	sqlite3_stmt *st = NULL;
	sqlite3 *db = NULL;
	int rc;

	pack_hist(&packed);
	rc = sqlite3_open(path, &db) ||
	     sqlite3_exec(db, "CREATE TEMP TABLE packed (b BLOB)", NULL, NULL, NULL) ||
	     sqlite3_prepare_v2(db, "INSERT INTO temp.packed VALUES (?)", -1, &st, NULL) ||
	     sqlite3_bind_blob(st, 1, packed.text, (int)packed.len, SQLITE_STATIC);
	rc = rc || sqlite3_step(st) != SQLITE_DONE;
	(void)sqlite3_finalize(st);
	rc = rc || sqlite3_exec(db, sql, NULL, NULL, NULL);
	if (rc)
		(void)err_set(e, ERR_DB, "cannot fill '%s': %s", path, sqlite3_errmsg(db));
	(void)sqlite3_close(db);
	buf_release(&packed);
	return rc ? -1 : 0;
}

int main(int argc, char **argv)
{
	size_t nr_runs = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
	size_t nr_points = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;
	struct err e = {0};

	if (!nr_runs || !nr_points || nr_points > MAX_POINTS) {
		(void)fprintf(stderr, "usage: points DB RUNS POINTS\n");
		return 2;
	}
	if (add_runs(argv[1], nr_runs, nr_points, &e) || add_raw(argv[1], &e)) {
		(void)fprintf(stderr, "%s\n", e.msg);
		return 1;
	}
	return 0;
}
