/* SPDX-License-Identifier: MIT */
#include "cmd/guarded.h"

#include "base/clock.h"
#include "base/mem.h"
#include "target/guard.h"

#include <inttypes.h>
#include <stdlib.h>

/* Targets before this one may have taken hours since it was looked at. Now that it is claimed, what
 * is found on it is what stays there. */
static int check_opened(const struct measure_job *job, struct store *store,
			const struct target *target, struct err *e)
{
	struct facts found = FACTS_INIT;
	int rc = guard_check_target(target, job->overwrite_signature, &found, e);

	/* The refusal is the error to tell. */
	if (store_add_facts(store, job->run.id, &found, rc ? NULL : e))
		rc = -1;
	facts_release(&found);
	return rc;
}

static void note_refusal(const struct measure_job *job, struct store *store, const char *refusal)
{
	struct facts found = FACTS_INIT;

	guard_add_decision(&found, "on opening", refusal);
	(void)store_add_facts(store, job->run.id, &found, NULL);
	facts_release(&found);
}

int guarded_open(const struct measure_job *job, struct store *store, struct target **out,
		 struct err *e)
{
	bool writes = plan_writes(&job->plan);
	struct err refusal = {0};

	*out = NULL;
	if (target_open(&job->info, writes, out, &refusal)) {
		note_refusal(job, store, refusal.msg);
		*e = refusal;
		return -1;
	}
	if (!writes || !check_opened(job, store, *out, e))
		return 0;
	target_close(*out);
	*out = NULL;
	return -1;
}

int guarded_point(const struct measure_job *job, struct store *store, const struct target *target,
		  struct measurement *m, bool *is_allowed, struct err *e)
{
	bool writes = point_writes(&m->spec);
	struct facts found = FACTS_INIT;
	struct err refusal = {0};
	char *detail;
	int rc;

	*is_allowed = !guard_check_point(target, writes, &refusal);
	if (*is_allowed)
		return 0;
	m->status = POINT_FAILED;
	m->reason = xasprintf("not %s: %s", writes ? "written" : "measured", refusal.msg);
	m->start_wall_ns = m->end_wall_ns = clock_wall_ns();
	detail = xasprintf("point %" PRIu32, m->seq);
	guard_add_decision(&found, detail, m->reason);
	rc = store_add_facts(store, job->run.id, &found, e);
	facts_release(&found);
	free(detail);
	return rc;
}
