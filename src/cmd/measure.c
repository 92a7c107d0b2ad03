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
#include "cmd/schedule.h"
#include "cmd/signals.h"
#include "report/format.h"
#include "run/runner.h"
#include "target/guard.h"
#include "target/target.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* What is in hand, for the progress line. */
struct progress {
	const struct measure_job *job;
	const struct plan_point *point;
	struct schedule *schedule; /* of a budget; NULL without */
	size_t nr_todo;		   /* 0 where nobody knows: a search */
	size_t nr_done;
	uint64_t begin_ns;
	uint64_t point_ns; /* what a point takes at most, for the time that is left */
	bool is_live;	   /* there is a progress line */
	bool is_warned;	   /* that nothing completes at this point */
};

struct measure {
	struct measure_job *job;
	struct store *store;
	struct target *target;
	struct runner *runner;
	struct progress progress;
};

/* Silence that the progress line tells, and that is told where there is none. */
#define SILENT_NS      (2 * NS_PER_S)
#define SILENT_WARN_NS (10 * NS_PER_S)

void measure_job_release(struct measure_job *job)
{
	if (job->lock_fd >= 0)
		(void)close(job->lock_fd);
	target_info_release(&job->info);
	plan_release(&job->plan);
	run_info_release(&job->run);
}

static void add_rate(struct buf *b, double iops, double lat_ns)
{
	if (isnan(iops))
		return;
	format_iops(b, iops);
	buf_addstr(b, " IOPS");
	if (!isnan(lat_ns)) {
		buf_addstr(b, ", ");
		format_ms(b, lat_ns);
	}
}

static void add_count(struct buf *b, const struct progress *p)
{
	if (p->nr_todo)
		buf_addf(b, "[%zu/%zu] ", p->nr_done + 1, p->nr_todo);
	else
		buf_addf(b, "[%zu] ", p->nr_done + 1);
}

/* Points that are done tell how long one takes; before there are any, the plan does. */
static uint64_t time_left(const struct progress *p, uint64_t elapsed_in_point_ns)
{
	uint64_t per_point = p->point_ns, left;

	if (!p->nr_todo)
		return per_point > elapsed_in_point_ns ? per_point - elapsed_in_point_ns : 0;
	if (p->nr_done)
		per_point = (clock_now_ns() - p->begin_ns - elapsed_in_point_ns) / p->nr_done;
	left = per_point * (p->nr_todo - p->nr_done);
	left = left > elapsed_in_point_ns ? left - elapsed_in_point_ns : 0;
	if (p->schedule && p->job->end_ns < clock_now_ns() + left)
		return p->job->end_ns > clock_now_ns() ? p->job->end_ns - clock_now_ns() : 0;
	return left;
}

/* A target that hangs should be told of long before its point fails. */
static void warn_silent(struct progress *p, const struct run_progress *rp)
{
	double fails_s = (double)p->job->sweep->drain_timeout_ns / (double)NS_PER_S;
	const char *target = p->job->info.given;

	if (p->is_warned || (rp->silent_ns < SILENT_WARN_NS && rp->drain_ns < SILENT_WARN_NS))
		return;
	p->is_warned = true;
	if (rp->drain_ns)
		log_warn("'%s' still has I/Os outstanding %.0f s after the window; the point fails "
			 "if they are not back %.0f s after it",
			 target, (double)rp->drain_ns / (double)NS_PER_S, fails_s);
	else
		log_warn("'%s' has completed nothing for %.0f s, with %s%u I/Os outstanding; the "
			 "point goes on, and fails if they are not back %.0f s after its window",
			 target, (double)rp->silent_ns / (double)NS_PER_S,
			 point_is_open(&p->point->spec) ? "up to " : "", p->point->spec.iodepth,
			 fails_s);
}

/* What goes on, instead of figures: false when figures do. */
static bool add_silence(struct buf *b, const struct run_progress *rp)
{
	if (rp->drain_ns >= SILENT_NS)
		buf_addf(b, "waiting for I/Os in flight for %.0f s",
			 (double)rp->drain_ns / (double)NS_PER_S);
	else if (rp->silent_ns >= SILENT_NS)
		buf_addf(b, "no completion for %.0f s", (double)rp->silent_ns / (double)NS_PER_S);
	else
		return false;
	return true;
}

static void show_progress(void *arg, const struct run_progress *rp)
{
	struct progress *p = arg;
	struct buf b = BUF_INIT;

	warn_silent(p, rp);
	if (!p->is_live)
		return;
	add_count(&b, p);
	buf_add_point(&b, &p->point->spec);
	buf_addstr(&b, rp->in_window ? "  " : "  ramp ");
	if (!add_silence(&b, rp))
		add_rate(&b, rp->iops, rp->lat_ns);
	/* How many points a search will need is not known, how long this one lasts at most is. */
	buf_addstr(&b, p->nr_todo ? "  ETA " : "  point ends within ");
	buf_add_hms(&b, time_left(p, rp->elapsed_ns));
	log_progress(buf_text(&b));
	buf_release(&b);
}

static void add_flags(struct buf *b, flag_set flags)
{
	const char *sep = "  (";

	for (enum flag f = 0; f < FLAG_NR; f++) {
		if (!(flags & FLAG_BIT(f)))
			continue;
		buf_addf(b, "%s%s", sep, flag_name(f));
		sep = ", ";
	}
	buf_addstr(b, flags ? ")" : "");
}

static void say_point(const struct progress *p, const struct measurement *m)
{
	struct buf b = BUF_INIT;
	struct figures f;

	add_count(&b, p);
	buf_add_point(&b, &m->spec);
	buf_addstr(&b, ": ");
	if (m->status == POINT_OK) {
		measurement_figures(m, DIR_TOTAL, &f);
		add_rate(&b, f.iops, f.lat_mean_ns);
		add_flags(&b, m->flags);
	} else {
		buf_addf(&b, "%s: %s", point_status_name(m->status), m->reason);
	}
	log_info("%s", buf_text(&b));
	buf_release(&b);
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
static int look_at_run(struct measure_job *job, struct store *store, struct progress *p,
		       const struct plan_point ***todo, struct err *e)
{
	struct point *stored;
	size_t nr_stored;

	if (store_load_points(store, job->run.id, &stored, &nr_stored, e))
		return -1;
	*todo = xcalloc(job->plan.nr, sizeof(struct plan_point *));
	p->nr_todo = list_todo(job, stored, nr_stored, *todo);
	if (job->budget_text)
		p->schedule = schedule_new(job, stored, nr_stored, clock_now_ns());
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
		.progress = show_progress,
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

/* Something may have been mounted or built on the target since the run began. */
static bool may_go_on(const struct measure_job *job, const struct point_spec *spec,
		      struct measurement *m)
{
	struct buf use = BUF_INIT;

	if (point_writes(spec))
		guard_find_use(&job->info, &use);
	if (!use.len)
		return true;
	m->status = POINT_FAILED;
	m->reason = xasprintf("not written, the target came into use: %s", buf_text(&use));
	m->start_wall_ns = m->end_wall_ns = clock_wall_ns();
	buf_release(&use);
	return false;
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

static int measure_point(struct measure_job *job, struct store *store, struct runner *runner,
			 const struct plan_point *pp, struct progress *p, struct err *e)
{
	struct measurement m;
	bool is_known = false;
	int rc;

	measurement_init(&m, &pp->spec);
	m.seq = pp->seq;
	rc = store_point_started(store, job->run.id, &pp->spec, clock_wall_ns(), e);
	rc = rc ? rc : resolve_rate(job, store, &m, &is_known, e);
	if (!rc && is_known && may_go_on(job, &pp->spec, &m))
		runner_measure(runner, &pp->spec, pp->seq, &m);
	rc = rc ? rc : judge_repeats(job, store, &m, e);
	rc = rc ? rc : store_point_finished(store, job->run.id, &m, e);
	if (!rc)
		say_point(p, &m);
	if (!rc && p->schedule)
		schedule_done(p->schedule, pp, &m);
	measurement_release(&m);
	return rc;
}

static bool may_begin(const struct runner *runner)
{
	return !signals_nr && !runner_is_stuck(runner);
}

static bool has_time(const struct progress *p)
{
	return !p->schedule || clock_now_ns() + p->point_ns <= p->job->end_ns;
}

static int measure_next(struct measure_job *job, struct store *store, struct runner *runner,
			const struct plan_point *pp, struct progress *p, struct err *e)
{
	p->point = pp;
	p->is_warned = false;
	if (measure_point(job, store, runner, pp, p, e))
		return -1;
	p->nr_done++;
	return 0;
}

/* What curves measure again at their end. */
static int measure_anchors(struct measure_job *job, struct store *store, struct runner *runner,
			   const struct anchors_of *of, struct progress *p, struct err *e)
{
	struct plan_point *anchor = NULL;
	size_t nr = 0;
	int rc = anchors_add(job, store, of, &anchor, &nr, e);

	p->nr_todo += nr;
	for (size_t i = 0; !rc && i < nr && may_begin(runner) && has_time(p); i++)
		rc = measure_next(job, store, runner, &anchor[i], p, e);
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

static int measure_todo(struct measure_job *job, struct store *store, struct runner *runner,
			const struct plan_point **todo, struct progress *p, struct err *e)
{
	static const struct anchors_of all = {.curve = NULL};
	size_t nr = p->nr_todo;

	/* A run that goes on may have ended between the last point of a curve and its anchors. */
	if (nr < job->plan.nr - job->plan.nr_skipped &&
	    measure_anchors(job, store, runner, &all, p, e))
		return -1;
	for (size_t i = 0; i < nr && may_begin(runner); i++) {
		const struct anchors_of this = {.curve = &todo[i]->spec};

		if (measure_next(job, store, runner, todo[i], p, e) ||
		    (!signals_nr && ends_curve(todo, nr, i) &&
		     measure_anchors(job, store, runner, &this, p, e)))
			return -1;
	}
	return 0;
}

/* What the budget takes of the plan: each group, and then the anchors of its curves. */
static int measure_scheduled(struct measure_job *job, struct store *store, struct runner *runner,
			     struct progress *p, struct err *e)
{
	for (unsigned group = 0; group < PLAN_GROUPS && may_begin(runner); group++) {
		const struct anchors_of these = {.is_partial = true, .group = group};
		const struct plan_point *pp;

		while (may_begin(runner) &&
		       (pp = schedule_next(p->schedule, group, clock_now_ns())))
			if (measure_next(job, store, runner, pp, p, e))
				return -1;
		if (may_begin(runner) && measure_anchors(job, store, runner, &these, p, e))
			return -1;
	}
	return 0;
}

static int count_points(struct measure_job *job, struct store *store, bool has_failed,
			bool *is_complete, struct err *e)
{
	struct point *points;
	size_t nr;

	if (store_load_points(store, job->run.id, &points, &nr, e))
		return -1;
	*is_complete = true;
	job->nr_points = (unsigned)nr;
	job->nr_valid = job->nr_left_out = 0;
	for (size_t i = 0; i < nr; i++) {
		job->nr_valid += point_is_valid(&points[i], job->run.accepted);
		job->nr_left_out += !point_status_is_final(points[i].status);
		*is_complete &= point_status_is_final(points[i].status);
	}
	store_free_points(points, nr);
	if (!job->budget_text || has_failed || job->is_stuck || signals_nr)
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

/* Targets before this one may have taken hours since it was looked at. Now that it is claimed, what
 * is found on it is what stays there. */
static int open_target(const struct measure_job *job, struct target **out, struct err *e)
{
	bool writes = plan_writes(&job->plan);

	if (target_open(&job->info, writes, out, e))
		return -1;
	return writes ? guard_check_idle(&job->info, job->overwrite_signature, e) : 0;
}

/* Nothing is open yet in what measure_close takes. */
static struct measure *measure_new(struct measure_job *job, struct store *store)
{
	struct measure *m = xcalloc(1, sizeof(*m));

	*m = (struct measure){
		.job = job,
		.store = store,
		.progress = {.job = job,
			     .is_live = log_is_live() && !job->is_quiet,
			     .begin_ns = clock_now_ns(),
			     .point_ns = job->sweep->ramp_ns + job->sweep->max_ns +
					 PLAN_POINT_OVERHEAD_NS},
	};
	return m;
}

static int measure_start(struct measure *m, uint32_t max_depth, struct err *e)
{
	struct measure_job *job = m->job;
	struct runner_config config;

	if (open_target(job, &m->target, e) ||
	    store_set_run_state(m->store, job->run.id, RUN_RUNNING, e))
		return -1;
	fill_config(&config, job, m->target, &m->progress);
	if (max_depth > config.max_depth_per_worker)
		config.max_depth_per_worker = max_depth;
	m->runner = runner_new(&config);
	return 0;
}

static void measure_free(struct measure *m)
{
	if (m->runner) {
		m->job->is_stuck = runner_is_stuck(m->runner);
		runner_free(m->runner);
	}
	/* Closing can wait for a target that hangs. */
	if (!m->job->is_stuck)
		target_close(m->target);
	free(m);
}

int measure_open(struct measure_job *job, struct store *store, uint32_t max_depth,
		 struct measure **out, struct err *e)
{
	struct measure *m = measure_new(job, store);

	*out = m;
	if (!measure_start(m, max_depth, e))
		return 0;
	(void)store_set_run_state(store, job->run.id, RUN_INTERRUPTED, NULL);
	measure_free(m);
	*out = NULL;
	return -1;
}

int measure_one(struct measure *m, const struct plan_point *point, struct err *e)
{
	m->progress.point = point;
	m->progress.is_warned = false;
	if (measure_point(m->job, m->store, m->runner, point, &m->progress, e))
		return -1;
	m->progress.nr_done++;
	return 0;
}

bool measure_may_go_on(const struct measure *m)
{
	return !signals_nr && !runner_is_stuck(m->runner);
}

int measure_close(struct measure *m, bool is_complete, struct err *e)
{
	enum run_state state = is_complete ? RUN_FINISHED : RUN_INTERRUPTED;
	int rc = store_set_run_state(m->store, m->job->run.id, state, e);

	measure_free(m);
	return rc;
}

int measure_run(struct measure_job *job, struct store *store, struct err *e)
{
	const struct plan_point **todo = NULL;
	struct measure *m = measure_new(job, store);
	bool is_complete = false;
	int rc;

	rc = look_at_run(job, store, &m->progress, &todo, e);
	if (!rc)
		rc = measure_start(m, 1, e);
	if (!rc) {
		m->progress.begin_ns = clock_now_ns();
		rc = m->progress.schedule
			     ? measure_scheduled(job, store, m->runner, &m->progress, e)
			     : measure_todo(job, store, m->runner, todo, &m->progress, e);
		job->is_stuck = runner_is_stuck(m->runner);
	}
	/* Whatever happened, the run says how far it came; the first error is the one to tell. */
	if (count_points(job, store, rc != 0, &is_complete, rc ? NULL : e) ||
	    note_budget(job, store, rc ? NULL : e) ||
	    store_set_run_state(store, job->run.id, is_complete ? RUN_FINISHED : RUN_INTERRUPTED,
				rc ? NULL : e))
		rc = -1;
	schedule_free(m->progress.schedule);
	free(todo);
	measure_free(m);
	return rc;
}
