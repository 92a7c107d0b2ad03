/* SPDX-License-Identifier: MIT */
#include "cmd/measure.h"

#include "analyze/curve.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/units.h"
#include "cmd/anchors.h"
#include "cmd/guarded.h"
#include "cmd/keep.h"
#include "cmd/progress.h"
#include "cmd/recovery.h"
#include "cmd/schedule.h"
#include "cmd/signals.h"
#include "run/runner.h"
#include "target/target.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* A target that hung so often, and came back each time, keeps memory and contexts of every time. */
#define MAX_HANGS 8

struct measure {
	struct measure_job *job;
	struct keep *keep;
	struct store *store; /* of keep */
	struct target *target;
	struct runner *runner;
	struct runner_config config; /* of the runner */
	unsigned nr_hangs;	     /* runners that were left behind */
	struct recovery recovery;
	struct schedule *schedule; /* of a budget; NULL without */
	struct progress progress;
};

void measure_job_release(struct measure_job *job)
{
	if (job->lock_fd >= 0)
		(void)close(job->lock_fd);
	target_info_release(&job->info);
	plan_release(&job->plan);
	run_info_release(&job->run);
}

static int compare_spec(const void *key, const void *point)
{
	return point_spec_compare(key, &((const struct point *)point)->spec);
}

/* The points of the plan that the stored run, in report order, does not have yet. */
static size_t list_todo(const struct measure_job *job, const struct point *stored, size_t nr_stored,
			const struct plan_point **todo)
{
	size_t nr = 0;

	for (size_t i = 0; i < job->plan.nr; i++) {
		const struct plan_point *pp = &job->plan.v[i];
		const struct point *p = nr_stored ? bsearch(&pp->spec, stored, nr_stored,
							    sizeof(*stored), compare_spec)
						  : NULL;

		if (!pp->skip_reason && !(p && point_status_is_final(p->status)))
			todo[nr++] = pp;
	}
	return nr;
}

/* The caller frees *todo. */
static int look_at_run(struct measure *m, const struct plan_point ***todo, struct err *e)
{
	struct measure_job *job = m->job;
	struct point *stored;
	size_t nr_stored;

	if (store_load_points(m->store, job->run.id, &stored, &nr_stored, e))
		return -1;
	*todo = xcalloc(job->plan.nr, sizeof(struct plan_point *));
	m->progress.nr_todo = list_todo(job, stored, nr_stored, *todo);
	if (job->budget_text)
		m->schedule = schedule_new(job, stored, nr_stored, clock_now_ns());
	store_free_points(stored, nr_stored);
	return 0;
}

static void fill_config(struct runner_config *c, struct measure_job *job,
			const struct target *target, struct progress *p)
{
	const struct sweep *s = job->sweep;

	*c = (struct runner_config){
		.info = &job->info,
		.target = target,
		.engine = s->engine,
		.seed = job->run.seed,
		.ramp_ns = s->ramp_ns,
		.runtime_ns = s->runtime_ns,
		.min_ns = s->min_ns,
		.max_ns = s->max_ns,
		.precision = (double)s->precision_e4 / UNITS_100_PERCENT,
		.drain_timeout_ns = s->drain_timeout_ns,
		.spin = s->spin,
		.compress_pct = s->compress_pct,
		.arrivals = s->arrivals,
		.max_workers = 1,
		.max_depth_per_worker = 1,
		.nr_signals = &signals_nr,
		.progress = progress_show,
		.progress_arg = p,
	};
	for (size_t i = 0; i < job->plan.nr; i++) {
		const struct point_spec *spec = &job->plan.v[i].spec;
		uint32_t share;

		if (job->plan.v[i].skip_reason)
			continue;
		share = (spec->iodepth + spec->workers - 1) / spec->workers;
		if (spec->workers > c->max_workers)
			c->max_workers = spec->workers;
		if (share > c->max_depth_per_worker)
			c->max_depth_per_worker = share;
	}
}

/* D21, raised at the repeat that shows it: against each one that is stored already. Anchors are
 * compared with their curve instead. */
static void compare_repeats(const struct point *stored, size_t nr, struct measurement *m)
{
	struct figures f;

	measurement_figures(m, DIR_TOTAL, &f);
	for (size_t i = 0; i < nr; i++) {
		const struct point *p = &stored[i];
		struct point_spec same = p->spec;

		same.repeat = m->spec.repeat;
		if (p->spec.repeat == m->spec.repeat || p->status != POINT_OK ||
		    point_spec_compare(&same, &m->spec) || !figures_differ(&p->dir[DIR_TOTAL], &f))
			continue;
		measurement_flag(m, FLAG_REPEATS_DISAGREE, "%.1f IOPS, repeat %" PRIu32 " had %.1f",
				 f.iops, p->spec.repeat, p->dir[DIR_TOTAL].iops);
	}
}

static int judge_repeats(const struct measure_job *job, struct store *store, struct measurement *m,
			 struct err *e)
{
	struct point *stored;
	size_t nr;

	if (job->sweep->repeats < 2 || m->spec.is_anchor || m->status != POINT_OK)
		return 0;
	if (store_load_curve(store, job->run.id, &m->spec, &stored, &nr, e))
		return -1;
	compare_repeats(stored, nr, m);
	store_free_points(stored, nr);
	return 0;
}

/* The highest IOPS of the closed loops that differ from this point in nothing but their depth;
 * UNKNOWN when none of them is valid. */
static double find_maximum(const struct point *points, size_t nr_points, flag_set accepted,
			   const struct point_spec *spec)
{
	struct point_spec closed = *spec;
	struct curve *curves;
	double max = UNKNOWN;
	size_t nr;

	closed.rate_e4 = 0;
	curves_build(points, nr_points, accepted, &curves, &nr);
	for (size_t i = 0; i < nr; i++) {
		if (!point_same_curve(&curves[i].spec, &closed))
			continue;
		for (size_t k = 0; k < curves[i].nr; k++)
			max = fmax(max, curves[i].pt[k].iops);
	}
	curves_free(curves, nr);
	return max;
}

/* What a rate in per cent is in IOPS here and now; skips a point that is of nothing. */
static int resolve_rate(struct measure_job *job, struct store *store, struct measurement *m,
			bool *is_known, struct err *e)
{
	struct point *points;
	size_t nr;
	double max;

	*is_known = true;
	if (!m->spec.rate_e4)
		return 0;
	if (store_load_curve(store, job->run.id, &m->spec, &points, &nr, e))
		return -1;
	max = find_maximum(points, nr, job->run.accepted, &m->spec);
	store_free_points(points, nr);
	m->rate_iops = max * m->spec.rate_e4 / UNITS_100_PERCENT;
	*is_known = m->rate_iops > 0;
	if (*is_known)
		return 0;
	m->status = POINT_SKIPPED;
	m->reason = xstrdup("no closed loop of these axes gave a valid maximum for the rate to be "
			    "a per cent of");
	m->start_wall_ns = m->end_wall_ns = clock_wall_ns();
	return 0;
}

/* An error of the target or the host, which may be gone at the next try; not a refusal. */
static bool has_failed(const struct measurement *result)
{
	return (result->status == POINT_FAILED && result->err_errno) ||
	       result->status == POINT_NO_IO;
}

static bool has_time_after(const struct measure *m, uint64_t delay_ns)
{
	return !m->schedule || clock_now_ns() + delay_ns + m->progress.point_ns <= m->job->end_ns;
}

static bool has_time(const struct measure *m)
{
	return has_time_after(m, 0);
}

/* Begin anew with the target: it may have come back as another instance of the same device, and what it
 * hangs with stays with the old runner. Every check of the start is done again. */
static int reopen(struct measure *m, struct err *e)
{
	bool was_stuck = m->runner && runner_is_stuck(m->runner);

	m->nr_hangs += was_stuck;
	runner_free(m->runner);
	m->runner = NULL;
	target_close(m->target);
	m->target = NULL;
	if (m->nr_hangs > MAX_HANGS)
		(void)err_set(e, ERR_TARGET, "'%s' hung %u times", m->job->info.given, m->nr_hangs);
	if (m->nr_hangs > MAX_HANGS || guarded_open(m->job, m->store, &m->target, e)) {
		m->job->is_stuck = was_stuck;
		return -1;
	}
	m->config.target = m->target;
	m->runner = runner_new(&m->config);
	return 0;
}

/* What hangs stays as it is until it answers: even closing it may wait. */
static void let_go(void *arg)
{
	struct measure *m = arg;

	if (!m->runner || runner_is_stuck(m->runner))
		return;
	runner_free(m->runner);
	m->runner = NULL;
	target_close(m->target);
	m->target = NULL;
}

/* Its name answers; whether what is open answers to that name too, and is not of a device that went. */
static bool is_still_open(struct measure *m)
{
	struct err e = {0};
	int fd = -1;

	if (m->runner && !runner_is_stuck(m->runner) && !target_check_medium(m->target, &e))
		fd = target_open_worker(m->target, false, &e);
	if (fd >= 0)
		(void)close(fd);
	return fd >= 0;
}

/* After a failed point: whether the target can be measured further, now or after a wait. Else the run has
 * ended, with a sentence. */
static bool find_target(struct measure *m)
{
	struct measure_job *job = m->job;
	uint64_t point_ns = m->progress.point_ns;
	uint64_t latest = !m->schedule		   ? UINT64_MAX
			  : job->end_ns > point_ns ? job->end_ns - point_ns
						   : 0;
	enum recovery_end end = recovery_wait(&m->recovery, latest);
	struct err e = {0};

	if (end == RECOVERY_ANSWERS && is_still_open(m))
		return true;
	if ((end == RECOVERY_ANSWERS || end == RECOVERY_LATE) && !reopen(m, &e))
		return true;
	if (e.code)
		log_error("%s; the rest of the run is not measured", e.msg);
	job->has_ended = end != RECOVERY_SIGNAL;
	return false;
}

/* -1 only when the store failed. */
static int attempt_once(struct measure *m, struct measurement *result, struct err *e)
{
	const struct point_spec spec = result->spec;
	bool is_allowed = false;

	if (guarded_point(m->job, m->store, m->target, result, &is_allowed, e))
		return -1;
	if (is_allowed)
		runner_measure(m->runner, &spec, result->seq, result);
	return 0;
}

/* Forget what an attempt gave, but for what was asked. */
static void begin_again(struct measurement *result)
{
	const struct point_spec spec = result->spec;
	double rate_iops = result->rate_iops;
	uint32_t seq = result->seq;

	measurement_release(result);
	measurement_init(result, &spec);
	result->seq = seq;
	result->rate_iops = rate_iops;
}

/* A wait, after which the target answers and there is time for another attempt. */
static bool may_retry(struct measure *m, const struct measurement *result, unsigned nr)
{
	const struct sweep *s = m->job->sweep;
	unsigned most = s->on_error == ON_ERROR_RETRY ? s->retries + 1 : 1;
	uint64_t delay = recovery_delay_ns(s->retry_wait_ns, nr + 1);

	if (nr >= most || !has_failed(result) || signals_nr || !has_time_after(m, delay))
		return false;
	log_warn("failed: %s; measured again in %.3g s", result->reason,
		 (double)delay / (double)NS_PER_S);
	return recovery_pause(&m->recovery, delay) && find_target(m) && has_time(m);
}

/* Measure it; with on_error retry again until it does not fail, while there are attempts, time and a target. */
static int attempt_point(struct measure *m, struct measurement *result, struct err *e)
{
	char *first = NULL;
	unsigned nr = 1;
	int rc = attempt_once(m, result, e);

	while (!rc && may_retry(m, result, nr)) {
		if (!first)
			first = xstrdup(result->reason);
		begin_again(result);
		nr++;
		rc = attempt_once(m, result, e);
	}
	if (!rc && first)
		measurement_flag(result, FLAG_RETRIED, "%u attempts; the first failed: %s", nr,
				 first);
	free(first);
	return rc;
}

/* What on_error asks for now that the point is stored. */
static void look_at_failure(struct measure *m, bool failed)
{
	struct measure_job *job = m->job;

	/* For nothing more nobody waits; a search, of which there is no number, ends with a point that failed. */
	if (!failed || signals_nr || job->has_ended ||
	    m->progress.nr_done + 1 >= m->progress.nr_todo)
		return;
	if (job->sweep->on_error == ON_ERROR_STOP) {
		job->has_ended = true;
		log_error("the run ends at its first failed point, as on_error stop asks");
	} else {
		(void)find_target(m);
	}
}

static int measure_point(struct measure *m, const struct plan_point *pp, struct err *e)
{
	struct measure_job *job = m->job;
	struct measurement result;
	bool is_known = false, failed;
	int rc;

	measurement_init(&result, &pp->spec);
	result.seq = pp->seq;
	rc = store_point_started(m->store, job->run.id, &pp->spec, clock_wall_ns(), e);
	rc = rc ? rc : keep_save(m->keep, e);
	rc = rc ? rc : resolve_rate(job, m->store, &result, &is_known, e);
	if (!rc && is_known)
		rc = attempt_point(m, &result, e);
	rc = rc ? rc : judge_repeats(job, m->store, &result, e);
	rc = rc ? rc : store_point_finished(m->store, job->run.id, &result, e);
	rc = rc ? rc : keep_save(m->keep, e);
	if (!rc)
		progress_end_point(&m->progress, &result);
	if (!rc && m->schedule)
		schedule_done(m->schedule, pp, &result);
	failed = has_failed(&result);
	measurement_release(&result);
	if (!rc)
		look_at_failure(m, failed);
	return rc;
}

int measure_one(struct measure *m, const struct plan_point *point, struct err *e)
{
	progress_begin_point(&m->progress, point);
	if (measure_point(m, point, e))
		return -1;
	m->progress.nr_done++;
	return 0;
}

bool measure_may_go_on(const struct measure *m)
{
	return !signals_nr && !m->job->has_ended && m->runner && !runner_is_stuck(m->runner);
}

/* What curves measure again at their end. */
static int measure_anchors(struct measure *m, const struct anchors_of *of, struct err *e)
{
	struct plan_point *anchor = NULL;
	size_t nr = 0;
	int rc = anchors_add(m->job, m->store, of, &anchor, &nr, e);

	m->progress.nr_todo += nr;
	for (size_t i = 0; !rc && i < nr && measure_may_go_on(m) && has_time(m); i++)
		rc = measure_one(m, &anchor[i], e);
	free(anchor);
	return rc;
}

static bool ends_curve(const struct plan_point *const *todo, size_t nr, size_t i)
{
	for (size_t k = i + 1; k < nr; k++)
		if (point_same_curve(&todo[k]->spec, &todo[i]->spec))
			return false;
	return true;
}

static int measure_todo(struct measure *m, const struct plan_point **todo, struct err *e)
{
	static const struct anchors_of all = {.curve = NULL};
	const struct plan *plan = &m->job->plan;
	size_t nr = m->progress.nr_todo;

	/* A run that goes on may have ended between the last point of a curve and its anchors. */
	if (nr < plan->nr - plan->nr_skipped && measure_anchors(m, &all, e))
		return -1;
	for (size_t i = 0; i < nr && measure_may_go_on(m); i++) {
		const struct anchors_of this = {.curve = &todo[i]->spec};

		if (measure_one(m, todo[i], e) ||
		    (measure_may_go_on(m) && ends_curve(todo, nr, i) &&
		     measure_anchors(m, &this, e)))
			return -1;
	}
	return 0;
}

/* What the budget takes of the plan: each group, and then the anchors of its curves. */
static int measure_scheduled(struct measure *m, struct err *e)
{
	for (unsigned group = 0; group < PLAN_GROUPS && measure_may_go_on(m); group++) {
		const struct anchors_of these = {.is_partial = true, .group = group};
		const struct plan_point *pp;

		while (measure_may_go_on(m) &&
		       (pp = schedule_next(m->schedule, group, clock_now_ns())))
			if (measure_one(m, pp, e))
				return -1;
		if (measure_may_go_on(m) && measure_anchors(m, &these, e))
			return -1;
	}
	return 0;
}

static int count_points(struct measure_job *job, struct store *store, bool had_error,
			bool *is_complete, struct err *e)
{
	struct point *points;
	size_t nr;

	if (store_load_points(store, job->run.id, &points, &nr, e))
		return -1;
	*is_complete = true;
	job->nr_points = (unsigned)nr;
	job->nr_valid = job->nr_left_out = job->nr_undone = 0;
	for (size_t i = 0; i < nr; i++) {
		job->nr_valid += point_is_valid(&points[i], job->run.accepted);
		job->nr_left_out += !point_status_is_final(points[i].status);
		*is_complete &= point_status_is_final(points[i].status);
	}
	store_free_points(points, nr);
	if (job->has_ended && !signals_nr)
		job->nr_undone = job->nr_left_out;
	if (!job->budget_text || had_error || job->has_ended || signals_nr)
		job->nr_left_out = 0;
	/* The anchors of the last curve are not in the store before they are due. */
	if (*is_complete && !job->is_stuck)
		return anchors_are_due(job, store, is_complete, e);
	return 0;
}

/* For those who read the run: what the last command was given, and left out for it. */
static int note_budget(const struct measure_job *job, struct store *store, struct err *e)
{
	struct facts f = FACTS_INIT;
	int rc;

	if (!job->budget_text && !job->had_budget)
		return 0;
	facts_set(&f, FACT_BUDGET, job->budget_text ? job->budget_text : "none");
	facts_setf(&f, FACT_LEFT_OUT, "%u", job->nr_left_out);
	rc = store_add_facts(store, job->run.id, &f, e);
	facts_release(&f);
	return rc;
}

/* Nothing is open yet in what measure_close takes, but the run in the store. NULL and e when that cannot be read. */
static struct measure *measure_new(struct measure_job *job, struct store *store, struct err *e)
{
	struct measure *m = xcalloc(1, sizeof(*m));

	*m = (struct measure){.job = job};
	if (keep_open(&m->keep, job, store, e)) {
		free(m);
		return NULL;
	}
	m->store = keep_store(m->keep);
	progress_init(&m->progress, job, store_path(store));
	recovery_init(&m->recovery, job, &m->progress, let_go, m);
	return m;
}

struct store *measure_store(const struct measure *m)
{
	return m->store;
}

static int measure_start(struct measure *m, uint32_t max_depth, struct err *e)
{
	struct measure_job *job = m->job;

	if (guarded_open(job, m->store, &m->target, e) ||
	    store_set_run_state(m->store, job->run.id, RUN_RUNNING, e) || keep_save(m->keep, e))
		return -1;
	fill_config(&m->config, job, m->target, &m->progress);
	if (max_depth > m->config.max_depth_per_worker)
		m->config.max_depth_per_worker = max_depth;
	m->runner = runner_new(&m->config);
	return 0;
}

static void measure_free(struct measure *m)
{
	if (m->runner) {
		m->job->is_stuck = runner_is_stuck(m->runner);
		runner_free(m->runner);
	}
	/* A question that is not back hangs as a point does. */
	m->job->is_stuck |= m->recovery.asked != NULL;
	/* Closing can wait for a target that hangs. */
	if (!m->job->is_stuck)
		target_close(m->target);
	schedule_free(m->schedule);
	recovery_release(&m->recovery);
	progress_release(&m->progress);
	free(m);
}

/* Whatever happened, the run says how far it came; the first error is the one to tell. */
static int measure_end(struct measure *m, bool is_complete, struct err *e)
{
	enum run_state state = is_complete ? RUN_FINISHED : RUN_INTERRUPTED;
	struct err first = {0};
	int rc = store_set_run_state(m->store, m->job->run.id, state, &first);

	rc = keep_close(m->keep, rc ? NULL : &first) || rc ? -1 : 0;
	measure_free(m);
	return rc ? err_set(e, first.code, "%s", first.msg) : 0;
}

int measure_open(struct measure_job *job, struct store *store, uint32_t max_depth,
		 struct measure **out, struct err *e)
{
	struct measure *m = measure_new(job, store, e);

	*out = m;
	if (!m || !measure_start(m, max_depth, e))
		return m ? 0 : -1;
	(void)measure_end(m, false, NULL);
	*out = NULL;
	return -1;
}

int measure_close(struct measure *m, bool is_complete, struct err *e)
{
	return measure_end(m, is_complete, e);
}

int measure_run(struct measure_job *job, struct store *store, struct err *e)
{
	const struct plan_point **todo = NULL;
	struct measure *m = measure_new(job, store, e);
	bool is_complete = false;
	int rc;

	if (!m)
		return -1;
	rc = look_at_run(m, &todo, e);
	if (!rc)
		rc = measure_start(m, 1, e);
	if (!rc) {
		rc = m->schedule ? measure_scheduled(m, e) : measure_todo(m, todo, e);
		job->is_stuck |= m->runner && runner_is_stuck(m->runner);
	}
	if (count_points(job, m->store, rc != 0, &is_complete, rc ? NULL : e) ||
	    note_budget(job, m->store, rc ? NULL : e))
		rc = -1;
	free(todo);
	return measure_end(m, is_complete, rc ? NULL : e) || rc ? -1 : 0;
}
