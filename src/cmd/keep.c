/* SPDX-License-Identifier: MIT */
#include "cmd/keep.h"

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/signals.h"
#include "store/held.h"
#include "store/spool.h"

#include <inttypes.h>
#include <stdlib.h>

struct keep {
	struct measure_job *job;
	struct held *held;
	const char *db_path;
	/* What the user knows. */
	bool knows_failure, knows_spool, knows_memory;
};

static const char *s_of(unsigned nr)
{
	return nr == 1 ? "" : "s";
}

int keep_open(struct keep **out, struct measure_job *job, struct store *store, struct err *e)
{
	struct keep *k = xcalloc(1, sizeof(*k));

	*k = (struct keep){.job = job, .db_path = store_path(store)};
	if (held_open(&k->held, store, job->run.id, &signals_nr, e)) {
		free(k);
		return -1;
	}
	*out = k;
	return 0;
}

struct store *keep_store(const struct keep *k)
{
	return held_store(k->held);
}

static void tell_failure(struct keep *k, const struct held_report *r)
{
	if (!k->knows_failure)
		log_warn("%s; run %" PRId64
			 " goes on, and what it measures is written there as soon "
			 "as that is possible",
			 r->why.msg, k->job->run.id);
	k->knows_failure = true;
	if (r->spool && r->nr_waiting > r->nr_in_memory && !k->knows_spool) {
		log_warn("until then finished points are kept in the spool '%s'", r->spool);
		k->knows_spool = true;
	}
	if (r->nr_in_memory && !k->knows_memory) {
		log_warn("%u finished point%s cannot be put into a spool either and %s in memory "
			 "only: %s",
			 r->nr_in_memory, s_of(r->nr_in_memory),
			 r->nr_in_memory == 1 ? "is" : "are", r->why_spool.msg);
		k->knows_memory = true;
	}
	if (!r->nr_in_memory)
		k->knows_memory = false;
}

static void tell(struct keep *k, const struct held_report *r)
{
	if (!r->is_saved) {
		tell_failure(k, r);
		return;
	}
	if (k->knows_failure && r->nr_moved)
		log_warn(
			"'%s' can be written again, and has the %u finished point%s of run %" PRId64
			" that waited",
			k->db_path, r->nr_moved, s_of(r->nr_moved), k->job->run.id);
	else if (k->knows_failure)
		log_warn("'%s' can be written again", k->db_path);
	k->knows_failure = k->knows_spool = k->knows_memory = false;
}

int keep_save(struct keep *k, struct err *e)
{
	struct held_report r;
	int rc = held_save(k->held, false, &r, e);

	tell(k, &r);
	return rc;
}

static void tell_end(const struct keep *k, const struct held_report *r)
{
	unsigned nr_spooled = r->nr_waiting - r->nr_in_memory;
	struct buf lost = BUF_INIT;

	if (nr_spooled)
		log_error("%u finished point%s of run %" PRId64
			  " %s in the spool '%s' and not in '%s'; the same command puts them there "
			  "and goes on, and 'lunsweep report --db' with the spool shows them",
			  nr_spooled, s_of(nr_spooled), k->job->run.id,
			  nr_spooled == 1 ? "is" : "are", r->spool, k->db_path);
	if (r->nr_in_memory) {
		held_add_unsaved(k->held, &lost);
		log_error("LOST: %u finished point%s of run %" PRId64
			  " could be stored nowhere (number %s): %s; %s",
			  r->nr_in_memory, s_of(r->nr_in_memory), k->job->run.id, buf_text(&lost),
			  r->why.msg, r->why_spool.msg);
	}
	if (!r->nr_waiting)
		log_error("how run %" PRId64 " ended could not be written to '%s'", k->job->run.id,
			  k->db_path);
	buf_release(&lost);
}

int keep_close(struct keep *k, struct err *e)
{
	struct held_report r;
	int rc;

	if (!k)
		return 0;
	rc = held_save(k->held, true, &r, e);
	tell(k, &r);
	k->job->is_kept_apart = !r.is_saved;
	k->job->nr_lost = r.nr_in_memory;
	if (!r.is_saved)
		tell_end(k, &r);
	held_close(k->held);
	free(k);
	return rc;
}

int keep_conclude(const struct measure_job *jobs, size_t nr, int rc)
{
	bool is_kept_apart = false, is_lost = false;

	for (size_t i = 0; i < nr; i++) {
		is_kept_apart |= jobs[i].is_kept_apart;
		is_lost |= jobs[i].nr_lost > 0;
	}
	/* 128 and more promise that everything finished is stored. */
	if (is_lost)
		return 1;
	return is_kept_apart && rc != 1 && rc < 128 ? 3 : rc;
}

void keep_say_spools(const char *db_path)
{
	struct spool *v;
	size_t nr;

	spool_list(db_path, &v, &nr);
	for (size_t i = 0; i < nr; i++) {
		if (v[i].trouble)
			log_warn("run %" PRId64 " has a spool '%s' that cannot be read: %s",
				 v[i].run_id, v[i].path, v[i].trouble);
		else
			log_warn(
				"run %" PRId64
				": %u finished point%s may be in the spool '%s' only; the command that "
				"began the run puts them into the database and goes on",
				v[i].run_id, v[i].nr_points, s_of(v[i].nr_points), v[i].path);
	}
	spool_free_list(v, nr);
}

int keep_take_in(struct store *store, int64_t run_id, struct err *e)
{
	unsigned nr = 0;

	if (spool_take_in(store, run_id, &nr, e))
		return -1;
	if (nr)
		log_info("%u finished point%s of run %" PRId64
			 " came into the database from a spool",
			 nr, s_of(nr), run_id);
	return 0;
}
