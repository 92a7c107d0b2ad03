/* SPDX-License-Identifier: MIT */
/* What is measured is kept, whatever the database does (store/held.h); this tells the user what
 * became of it. */
#ifndef CMD_KEEP_H
#define CMD_KEEP_H

#include "cmd/measure.h"

struct keep;

/* Hold the stored run of the job (job->run.id) for keep_store; -1 when it cannot be read. Ends with keep_close. */
int keep_open(struct keep **out, struct measure_job *job, struct store *store, struct err *e);
/* The run as it is held, for all that is read and written while it is measured. */
struct store *keep_store(const struct keep *k);

/* Save what changed, between two points. A database that does not take it is no error: the user is told once, and again
 * when it takes writes again. -1: another process has taken up the run. */
int keep_save(struct keep *k, struct err *e);

/* The same for the last time, into job->is_kept_apart and job->nr_lost too; closes. NULL is fine. */
int keep_close(struct keep *k, struct err *e);

/* The exit status of a command that would end with rc: points that are in a spool only, or lost, are no success. */
int keep_conclude(const struct measure_job *jobs, size_t nr, int rc);

/* For those who read a database: say what waits beside it. */
void keep_say_spools(const char *db_path);

/* Put what an earlier process of this run left in a spool where it belongs, before the run goes on. */
int keep_take_in(struct store *store, int64_t run_id, struct err *e);

#endif
