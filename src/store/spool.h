/* SPDX-License-Identifier: MIT */
/*
 * Spools: where finished points wait that their database cannot take. A spool is a small database
 * of the same schema with one run, its facts, and these points in full, each with a sum over all of
 * it (the fact "spool.sum.SEQ"); it is on the disk when spool_add returns. It lies beside its
 * database, or, where that cannot be written or anybody else may write there, in
 * $XDG_STATE_HOME/lunsweep, else in /var/tmp/lunsweep-UID, which must belong to this user alone.
 *
 *   DATABASE.spool-RUN-MARK        beside it
 *   HASH-NAME.spool-RUN-MARK       elsewhere: HASH of the whole path, NAME of the database
 *
 * It has .new behind its name until it is whole. MARK is made of the run's key, seed and begin, so that the run of the same number in another
 * database is another.
 */
#ifndef STORE_SPOOL_H
#define STORE_SPOOL_H

#include "store/store.h"

#define SPOOL_PLACES 2

struct spool {
	char *path;
	int64_t run_id;
	char mark[17];
	/* Points that wait, or the sentence why it cannot be read. Whether the run is in the database is
	 * for the caller to know. */
	unsigned nr_points;
	char *trouble;
};

/* All spools of this database, which need not exist; nothing is changed. The caller frees with
 * spool_free_list. */
void spool_list(const char *db_path, struct spool **out, size_t *nr);
void spool_free_list(struct spool *v, size_t nr);

/* The whole path of a database, also when it is gone; the caller frees it. */
char *spool_database(const char *db_path);

/*
 * Put finished points of a run, as from has it, into the first place that takes them; db_path is
 * what spool_database said. *path is where they are, to be freed. -1: no place took them, and e says
 * why for each.
 */
int spool_add(struct store *from, int64_t run_id, const int64_t *point_ids, size_t nr,
	      const char *db_path, char **path, struct err *e);

/* Remove all spools of this run, whose points the database has now. */
int spool_remove(struct store *from, int64_t run_id, const char *db_path, struct err *e);

/*
 * Put what spools of this run hold into s, in the order in which it was measured, and then remove
 * them: *nr points that were not there yet. Whoever calls has the lock of the target. A spool that is
 * damaged, or not what it says it is, is refused and stays as it is, and nothing of it is taken.
 */
int spool_take_in(struct store *s, int64_t run_id, unsigned *nr, struct err *e);

/* Remove what a kill left behind of runs that are finished: a run is finished in the transaction that
 * stores the last of its points. */
int spool_tidy(struct store *s, struct err *e);

#endif
