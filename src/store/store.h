/* SPDX-License-Identifier: MIT */
/*
 * The database: one function per question asked of the data. SQLite in WAL mode with
 * synchronous=FULL; what a function has returned 0 for is on the disk.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "base/err.h"
#include "model/measurement.h"
#include "model/point.h"
#include "model/preparation.h"
#include "model/run.h"

struct store;

enum store_mode {
	STORE_READ,  /* it must exist; nothing is changed: an older schema is migrated in memory */
	STORE_WRITE, /* made when missing (mode 0600); an older schema is migrated */
};

/*
 * Refuses a file that is no lunsweep database, and one that a newer version wrote. A file of
 * length 0 is taken as new. No file is made through a symbolic link, and none is opened for
 * writing through one in a directory that anybody may write to. Whoever finds the database locked waits 30 s, or as long as the
 * environment variable LUNSWEEP_BUSY_TIMEOUT says (a duration such as 200ms).
 */
int store_open(struct store **out, const char *path, enum store_mode mode, struct err *e);
void store_close(struct store *s);
/* As it was opened; owned by s. */
const char *store_path(const struct store *s);
/* Schema version of the open database. */
int store_schema_version(const struct store *s);
/* A sentence that the user should see (the database lies on NFS), or NULL; owned by s. */
const char *store_warning(const struct store *s);

/* A point of a run that is about to start; skip_reason NULL means that it will be measured. */
struct planned_point {
	struct point_spec spec;
	uint32_t seq;
	const char *skip_reason;
};

/* Store the run and all its points (planned or skipped) in one transaction; fills r->id. */
int store_add_run(struct store *s, struct run_info *r, const struct planned_point *points,
		  size_t nr, struct err *e);

/* Points that a run turned out to need beside those that it was added with. */
int store_add_points(struct store *s, int64_t run_id, const struct planned_point *points, size_t nr,
		     struct err *e);

/*
 * The newest run with this key that is not finished: *run_id, or 0 when there is none.
 * identity is part of the key already.
 */
int store_find_unfinished(struct store *s, const char *key, int64_t *run_id, struct err *e);

/* Mark a run as going on again, or as ended in this state (end time is now). A point that is
 * still marked running becomes interrupted: its process is gone. */
int store_set_run_state(struct store *s, int64_t run_id, enum run_state state, struct err *e);
/* Replace the caps that a run asks for and the flags that it accepts, in one transaction. */
int store_set_questions(struct store *s, int64_t run_id, const struct cap *caps, unsigned nr_caps,
			flag_set accepted, struct err *e);
/* Add or replace facts of a run. */
int store_add_facts(struct store *s, int64_t run_id, const struct facts *f, struct err *e);

/* Forgets what an earlier attempt at this point left; a point that is ok is not started again. */
int store_point_started(struct store *s, int64_t run_id, const struct point_spec *spec,
			int64_t start_wall_ns, struct err *e);
/* Everything that the measurement holds, and the figures derived from it, in one transaction.
 * Refuses a point that is not marked running: what another process stored is never replaced.
 * After a failure the point is still running, and the same call may be made again. */
int store_point_finished(struct store *s, int64_t run_id, const struct measurement *m,
			 struct err *e);

/* Store points that were not measured here: a finished run and its points with their figures
 * as given, UNKNOWN becoming NULL. Fills r->id. Of the points, spec, seq, status, flags, reason
 * and everything that is a figure count. */
int store_import_run(struct store *s, struct run_info *r, const struct point *points, size_t nr,
		     struct err *e);

/* Several of them in one transaction: all are stored, or none. */
struct imported_run {
	struct run_info *run;
	const struct point *points;
	size_t nr;
};
int store_import_runs(struct store *s, const struct imported_run *v, size_t nr, struct err *e);

/* Store a new preparation; fills p->id. */
int store_add_preparation(struct store *s, struct preparation *p, struct err *e);
/* Replace what changes while it goes on: state, reason, end, attempts, busy time, passes and bytes
 * done, and how far it is from steady. */
int store_save_preparation(struct store *s, const struct preparation *p, struct err *e);
/* The newest preparation of this target (NULL: of any), into *p (the caller calls preparation_release); p->id is
 * 0 when there is none. */
int store_last_preparation(struct store *s, const char *identity, struct preparation *p,
			   struct err *e);
/* The same of those that ask for this work (preparation_same_work). */
int store_find_preparation(struct store *s, const struct preparation *work, struct preparation *p,
			   struct err *e);

/* A round of random writes of the present attempt. */
struct preparation_round {
	uint32_t round; /* 1, 2, ... */
	int64_t start_wall_ns;
	uint64_t window_ns, ios;
	double iops, lat_mean_ns;
};
int store_add_round(struct store *s, const struct preparation *p,
		    const struct preparation_round *round, struct err *e);

/* The number of the newest run, 0 where there is none. */
int store_newest_run(struct store *s, int64_t *id, struct err *e);

/* All runs, oldest first, with counts by status; the caller frees with store_free_list. */
struct run_summary {
	struct run_info info; /* without facts and sweep text */
	unsigned nr_points[POINT_STATUS_NR];
	unsigned nr_total;
	unsigned nr_spoiled; /* ok, but not valid (point_is_valid) with what the run accepts */
};
int store_list_runs(struct store *s, struct run_summary **out, size_t *nr, struct err *e);
void store_free_list(struct run_summary *list, size_t nr);

/* One run by its number; the caller calls run_info_release. */
int store_load_run(struct store *s, int64_t run_id, struct run_info *r, struct err *e);

/* The points of a run in report order; the caller frees with store_free_points. */
int store_load_points(struct store *s, int64_t run_id, struct point **out, size_t *nr,
		      struct err *e);
void store_free_points(struct point *points, size_t nr);
/* Load lat_hist of those points that have none yet; where nothing is stored they stay empty. */
int store_load_lat_hists(struct store *s, struct point *points, size_t nr, struct err *e);
/* Of them those that differ from this one in nothing but depth, rate, repeat and being an anchor. */
int store_load_curve(struct store *s, int64_t run_id, const struct point_spec *curve,
		     struct point **out, size_t *nr, struct err *e);
/* The largest seq of the run, 0 without points. */
int store_last_seq(struct store *s, int64_t run_id, uint32_t *seq, struct err *e);

/* The points of other runs that a search begins with, by their point_id; and these points in full,
 * in report order, freed with store_free_points. Each is added once, whatever is asked. */
int store_add_seeds(struct store *s, int64_t run_id, const struct point *points, size_t nr,
		    struct err *e);
int store_load_seeds(struct store *s, int64_t run_id, struct point **out, size_t *nr,
		     struct err *e);

/* One point in full (histograms, workers, series, counters), by its seq in the run; the caller
 * calls measurement_release. */
int store_load_measurement(struct store *s, int64_t run_id, uint32_t seq, struct measurement *m,
			   struct err *e);

#endif
