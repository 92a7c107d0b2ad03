/* SPDX-License-Identifier: MIT */
#include "cmd/job.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/units.h"
#include "cmd/cmd.h"
#include "cmd/confirm.h"
#include "cmd/keep.h"
#include "cmd/limits.h"
#include "cmd/signals.h"
#include "io/engine.h"
#include "store/spool.h"
#include "target/guard.h"
#include "target/lock.h"
#include "target/space.h"
#include "target/target.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A run that may take longer than this is asked about first (D36). */
#define LONG_RUN_NS (12 * 3600 * NS_PER_S)

const struct opt job_write_opts[] = {
	{"write-to", 0, OPT_STRS, JOB_AT(write_to), "IDENTITY",
	 "consent to destroy its data; one for each target"},
	{"overwrite-signature", 0, OPT_FLAG, JOB_AT(overwrite_signature), NULL,
	 "also where an idle file system or partition table is"},
	{NULL, 0, OPT_END, 0, NULL, NULL},
};

static void copy_facts(struct facts *to, const struct facts *from)
{
	for (size_t i = 0; from && i < from->nr; i++)
		facts_set(to, from->v[i].name, from->v[i].value);
}

static void set_facts(struct run_info *r, const struct measure_job *job,
		      const struct job_options *o, const struct job_work *w)
{
	target_host_facts(&r->facts);
	copy_facts(&r->facts, &job->info.facts);
	facts_setf(&r->facts, "sweep.ramp_ns", "%" PRIu64, job->sweep->ramp_ns);
	facts_setf(&r->facts, "sweep.window_min_ns", "%" PRIu64, job->sweep->min_ns);
	facts_setf(&r->facts, "sweep.window_max_ns", "%" PRIu64, job->sweep->max_ns);
	facts_setf(&r->facts, "sweep.precision", "%.4g",
		   (double)job->sweep->precision_e4 / UNITS_100_PERCENT);
	facts_setf(&r->facts, "sweep.compress", "%u %%", job->sweep->compress_pct);
	facts_set(&r->facts, "sweep.spin", job->sweep->spin ? "yes" : "no");
	facts_set(&r->facts, FACT_ON_ERROR, sweep_on_error_name(job->sweep->on_error));
	facts_set(&r->facts, "sweep.order", sweep_order_name(job->sweep->order));
	if (sweep_has_rate(job->sweep))
		facts_set(&r->facts, "sweep.arrivals", arrivals_name(job->sweep->arrivals));
	facts_set(&r->facts, "sweep.seed_from", job->sweep->has_seed ? "the sweep" : "the kernel");
	facts_set(&r->facts, "consent.write_to",
		  plan_writes(&job->plan) ? guard_consent_text(&job->info) : "none: read-only");
	facts_set(&r->facts, "consent.overwrite_signature", o->overwrite_signature ? "yes" : "no");
	facts_set(&r->facts, "consent.allow_ram", o->allow_ram ? "yes" : "no");
	copy_facts(&r->facts, w->facts);
}

static void set_run_info(struct measure_job *job, const struct job_options *o,
			 const struct job_work *w)
{
	const struct sweep *s = job->sweep;
	struct run_info *r = &job->run;
	struct buf text = BUF_INIT;

	sweep_text(s, &text);
	r->state = RUN_RUNNING;
	r->key = xasprintf("%016" PRIx64, hash_str(w->key, job->info.identity));
	r->sweep_name = xstrdup(s->name);
	r->question = s->question ? xstrdup(s->question) : NULL;
	r->sweep_text = buf_detach(&text);
	r->command = xstrdup(w->command);
	r->tool_version = xstrdup(lunsweep_version);
	r->git_id = xstrdup(lunsweep_git_id);
	r->engine = xstrdup(s->engine);
	r->start_wall_ns = clock_wall_ns();
	r->target_given = xstrdup(job->info.given);
	r->target_resolved = xstrdup(job->info.resolved);
	r->target_identity = xstrdup(job->info.identity);
	r->target_label = xstrdup(job->info.label);
	r->target_size_bytes = job->info.size_bytes;
	r->target_queue_limit = target_queue_limit(&job->info);
	memcpy(r->caps, s->caps, sizeof(r->caps));
	r->nr_caps = s->nr_caps;
	r->accepted = s->accepted;
	set_facts(r, job, o, w);
}

/* A sparse file grows by what is written, and must not take the last room of its file system. */
static int check_space(const struct measure_job *job, struct err *e)
{
	struct plan_totals totals;

	plan_estimate(&job->plan, job->sweep, 1, &totals);
	return space_check(&job->info, totals.write_first_byte, totals.write_end_byte, e);
}

static int check_writes(const struct measure_job *job, const struct job_options *o, struct err *e)
{
	if (guard_check_idle(&job->info, o->overwrite_signature, e) ||
	    guard_check_consent(&job->info, &o->write_to, e))
		return -1;
	return check_space(job, e);
}

/* Everything about one target that can be known before any I/O. */
static int check_target(struct measure_job *job, const char *path, const struct job_options *o,
			struct err *e)
{
	uint64_t seed = job->sweep->has_seed ? job->sweep->seed : rng_draw_seed();

	if (target_inspect(path, &job->info, e))
		return -1;
	if (confirm_storage(&job->info, o->allow_ram, e))
		return -1;
	if (plan_make(job->sweep, &job->info, seed, &job->plan, e))
		return -1;
	job->run.seed = seed;
	if (confirm_database(&job->info, cmd_db_path(o->db), e))
		return -1;
	return plan_writes(&job->plan) ? check_writes(job, o, e) : 0;
}

static void warn(const struct measure_job *job)
{
	struct target_extents unwritten;
	struct plan_limits limits = cmd_limits(&job->plan, job->sweep, &job->info, &unwritten);
	struct plan_warnings w = {NULL, 0, 0};

	plan_warn(&job->plan, job->sweep, &job->info, &limits, &w);
	for (size_t i = 0; i < w.nr; i++)
		log_warn("%s", w.v[i]);
	plan_warnings_release(&w);
	for (size_t i = job->plan.nr - job->plan.nr_skipped; i < job->plan.nr; i++) {
		struct buf b = BUF_INIT;

		buf_add_point(&b, &job->plan.v[i].spec);
		log_warn("skipped: %s: %s", buf_text(&b), job->plan.v[i].skip_reason);
		buf_release(&b);
	}
}

static int confirm(const struct measure_job *jobs, size_t nr, const struct job_options *o,
		   const struct job_work *w, struct err *e)
{
	uint64_t total_ns = 0;
	struct buf b = BUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < nr && !rc; i++) {
		struct plan_totals totals;

		plan_estimate(&jobs[i].plan, jobs[i].sweep, 1, &totals);
		total_ns += w->points_each * totals.time_max_ns;
		if (!jobs[i].info.is_block || !plan_writes(&jobs[i].plan))
			continue;
		buf_reset(&b);
		buf_addf(&b, "This overwrites data on '%s' (%s).", jobs[i].info.resolved,
			 jobs[i].info.identity);
		rc = confirm_ask(o->yes, buf_text(&b), e);
	}
	if (w->longest_ns && w->longest_ns < total_ns)
		total_ns = w->longest_ns;
	if (!rc && total_ns > LONG_RUN_NS) {
		buf_reset(&b);
		buf_addstr(&b, "This may take ");
		buf_add_hms(&b, total_ns);
		buf_addstr(&b, ".");
		rc = confirm_ask(o->yes, buf_text(&b), e);
	}
	buf_release(&b);
	return rc;
}

/* How the target was last prepared, as far as this database knows. */
static int add_preparation_facts(struct measure_job *job, struct store *store, struct err *e)
{
	struct preparation p;

	if (store_last_preparation(store, job->info.identity, &p, e))
		return -1;
	if (p.id)
		preparation_facts(&p, &job->run.facts);
	preparation_release(&p);
	return 0;
}

static int find_run_to_resume(const struct measure_job *job, struct store *store,
			      const struct job_options *o, int64_t *id, struct err *e)
{
	uint64_t number;

	*id = 0;
	if (o->new_run)
		return 0;
	if (!o->resume)
		return store_find_unfinished(store, job->run.key, id, e);
	if (units_parse_count(o->resume, &number, e))
		return err_wrap(e, "--resume");
	*id = (int64_t)number;
	return 0;
}

static int check_resumable(const struct measure_job *job, const struct run_info *old,
			   const struct job_options *o, struct err *e)
{
	if (strcmp(old->key, job->run.key) != 0)
		return err_set(e, ERR_USAGE,
			       "run %" PRId64 " is of another sweep or another target", old->id);
	if (old->state == RUN_FINISHED)
		return err_set(e, ERR_USAGE, "run %" PRId64 " is finished already", old->id);
	if (!o->resume && (strcmp(old->tool_version, lunsweep_version) != 0 ||
			   strcmp(old->git_id, lunsweep_git_id) != 0))
		return err_set(e, ERR_USAGE,
			       "run %" PRId64 " was begun by lunsweep %s (%s); go on with it by "
			       "--resume %" PRId64 ", or begin afresh by --new",
			       old->id, old->tool_version, old->git_id, old->id);
	return 0;
}

/* Take up the stored run: its number, its seed, and the order that the seed gives. */
static int take_up(struct measure_job *job, struct store *store, const struct run_info *old,
		   struct err *e)
{
	struct facts f = FACTS_INIT;
	int rc;

	job->run.id = old->id;
	job->run.seed = old->seed;
	job->had_budget = facts_get(&old->facts, FACT_BUDGET) != NULL;
	plan_release(&job->plan);
	if (plan_make(job->sweep, &job->info, old->seed, &job->plan, e))
		return -1;
	/* The questions may have changed since; the points have not. */
	if (store_set_questions(store, old->id, job->run.caps, job->run.nr_caps, job->run.accepted,
				e))
		return -1;
	facts_set(&f, FACT_ON_ERROR, sweep_on_error_name(job->sweep->on_error));
	rc = store_add_facts(store, old->id, &f, e);
	facts_release(&f);
	if (rc)
		return -1;
	log_info("going on with run %" PRId64, old->id);
	return keep_take_in(store, old->id, e);
}

int job_store(struct measure_job *job, struct store *store, const struct job_options *o,
	      const struct job_work *w, struct err *e)
{
	struct run_info old = {0};
	int64_t id;
	int rc;

	if (find_run_to_resume(job, store, o, &id, e))
		return -1;
	if (!id)
		return add_preparation_facts(job, store, e) || w->add(job, store, w->arg, e) ? -1
											     : 0;
	rc = store_load_run(store, id, &old, e);
	if (!rc)
		rc = check_resumable(job, &old, o, e);
	if (!rc)
		rc = take_up(job, store, &old, e);
	run_info_release(&old);
	return rc;
}

/* One target on its own, then against those before it. */
static int check_job(struct measure_job *jobs, size_t i, const struct job_options *o,
		     const struct job_work *w, struct err *e)
{
	if (check_target(&jobs[i], o->targets.v[i], o, e))
		return -1;
	for (size_t k = 0; k < i; k++)
		if (!strcmp(jobs[k].info.identity, jobs[i].info.identity))
			return err_set(e, ERR_USAGE, "'%s' and '%s' are the same target",
				       jobs[k].info.given, jobs[i].info.given);
	jobs[i].lock_fd = target_lock(&jobs[i].info, e);
	if (jobs[i].lock_fd < 0)
		return -1;
	set_run_info(&jobs[i], o, w);
	warn(&jobs[i]);
	return 0;
}

/* Some hosts forbid io_uring, which is better told before a night begins. libaio is in every kernel
 * that this program runs on; its limit is a warning of the plan. */
static int check_engine(const struct sweep *sweep, struct err *e)
{
	struct engine *engine;
	int rc;

	if (!strcmp(sweep->engine, "libaio"))
		return 0;
	rc = engine_open(sweep->engine, 1, &engine);
	if (rc < 0)
		return err_sys(e, ERR_SYSTEM, -rc,
			       "cannot use %s on this host, so take --engine libaio (sysctl "
			       "kernel.io_uring_disabled may forbid it)",
			       sweep->engine);
	engine_close(engine);
	return 0;
}

/* Everything that can be known before any I/O. */
static int check_jobs(struct measure_job *jobs, size_t nr, const struct sweep *sweep,
		      const struct job_options *o, const struct job_work *w, struct err *e)
{
	for (size_t i = 0; i < nr; i++)
		jobs[i] = (struct measure_job){.sweep = sweep,
					       .is_quiet = o->quiet,
					       .overwrite_signature = o->overwrite_signature,
					       .lock_fd = -1};
	for (size_t i = 0; i < nr; i++)
		if (check_job(jobs, i, o, w, e))
			return -1;
	if (check_engine(sweep, e) || (w->get_ready && w->get_ready(jobs, nr, w->arg, e)))
		return -1;
	return confirm(jobs, nr, o, w, e);
}

int jobs_run(const struct sweep *sweep, const struct job_options *o, const struct job_work *w)
{
	size_t nr = o->targets.nr;
	struct measure_job *jobs = xcalloc(nr, sizeof(*jobs));
	struct store *store = NULL;
	struct err e = {0};
	int rc;

	if (check_jobs(jobs, nr, sweep, o, w, &e) ||
	    store_open(&store, cmd_db_path(o->db), STORE_WRITE, &e) || spool_tidy(store, &e)) {
		rc = cmd_fail(&e);
	} else {
		if (store_warning(store))
			log_warn("%s", store_warning(store));
		signals_catch();
		rc = w->run(jobs, nr, store, w->arg);
	}
	store_close(store);
	for (size_t i = 0; i < nr; i++)
		measure_job_release(&jobs[i]);
	free(jobs);
	return rc;
}

int job_check_options(const struct job_options *o, const char *name, struct err *e)
{
	if (!o->targets.nr)
		return err_set(e, ERR_USAGE,
			       "%s needs --target: the block device or file to measure", name);
	if (o->resume && (o->new_run || o->targets.nr > 1))
		return err_set(e, ERR_USAGE, "--resume goes with one target, and not with --new");
	return 0;
}

void job_options_release(struct job_options *o)
{
	str_list_release(&o->targets);
	str_list_release(&o->write_to);
	pair_list_release(&o->settings);
}

int job_conclude_signal(unsigned nr_valid, unsigned nr_points)
{
	if (!signals_nr)
		return 0;
	log_error("ended by signal %d; %u of %u points are stored; the same command goes on with "
		  "the rest",
		  signals_first(), nr_valid, nr_points);
	return 128 + signals_first();
}

void jobs_say_stuck(const struct measure_job *jobs, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (jobs[i].is_stuck)
			log_error(
				"I/Os did not come back from '%s'; all finished points are saved; "
				"the kernel may keep this program until the device answers or "
				"is removed",
				jobs[i].info.given);
}
