/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/units.h"
#include "cmd/budget.h"
#include "cmd/cmd_report.h"
#include "cmd/confirm.h"
#include "cmd/limits.h"
#include "cmd/measure.h"
#include "cmd/signals.h"
#include "io/engine.h"
#include "target/guard.h"
#include "target/lock.h"
#include "target/space.h"
#include "target/target.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A run that may take longer than this is asked about first (D36). */
#define LONG_RUN_NS (12 * 3600 * NS_PER_S)

struct run_options {
	struct pair_list settings; /* first, for sweep_opts */
	struct str_list targets, write_to;
	const char *db, *resume, *report, *budget, *until;
	bool overwrite_signature, allow_ram, yes, new_run, quiet;
};

#define AT(member) offsetof(struct run_options, member)

static const struct opt run_opts[] = {
	{"target", 't', OPT_STRS, AT(targets), "PATH", "block device or file; may be repeated"},
	{"db", 0, OPT_STR, AT(db), "PATH", "database (LUNSWEEP_DB, else ./lunsweep.db)"},
	{"report", 0, OPT_STR, AT(report), "DIR", "write reports and charts there at the end"},
	{"budget", 0, OPT_STR, AT(budget), "TIME",
	 "take no longer: the points that tell most first"},
	{"until", 0, OPT_STR, AT(until), "TIME", "the same until 06:00, or 2026-12-01T06:00"},
	{"new", 0, OPT_FLAG, AT(new_run), NULL, "begin afresh, whatever is unfinished"},
	{"resume", 0, OPT_STR, AT(resume), "RUN", "go on with this run, whatever version began it"},
	{"yes", 'y', OPT_FLAG, AT(yes), NULL, "do not ask before long runs and before writing"},
	{"quiet", 'q', OPT_FLAG, AT(quiet), NULL, "only warnings, errors and the answers"},
	{"allow-ram", 0, OPT_FLAG, AT(allow_ram), NULL,
	 "also a file in memory, which is no storage"},
	{NULL, 0, OPT_END, 0, NULL, NULL},
};

static const struct opt write_opts[] = {
	{"write-to", 0, OPT_STRS, AT(write_to), "IDENTITY",
	 "consent to destroy its data; one for each target"},
	{"overwrite-signature", 0, OPT_FLAG, AT(overwrite_signature), NULL,
	 "also where an idle file system or partition table is"},
	{NULL, 0, OPT_END, 0, NULL, NULL},
};

static const struct opt_group groups[] = {
	{"Options", run_opts},
	{"Writing", write_opts},
	{"Sweep (as in sweep files, which they go before)", sweep_opts},
	{NULL, NULL},
};

static char *run_key(const struct sweep *s, const struct target_info *t)
{
	return xasprintf("%016" PRIx64, hash_str(sweep_key(s), t->identity));
}

static void set_facts(struct run_info *r, const struct measure_job *job,
		      const struct run_options *o)
{
	const struct facts *t = &job->info.facts;

	target_host_facts(&r->facts);
	for (size_t i = 0; i < t->nr; i++)
		facts_set(&r->facts, t->v[i].name, t->v[i].value);
	facts_setf(&r->facts, "sweep.ramp_ns", "%" PRIu64, job->sweep->ramp_ns);
	facts_setf(&r->facts, "sweep.window_min_ns", "%" PRIu64, job->sweep->min_ns);
	facts_setf(&r->facts, "sweep.window_max_ns", "%" PRIu64, job->sweep->max_ns);
	facts_setf(&r->facts, "sweep.precision", "%.4g",
		   (double)job->sweep->precision_e4 / UNITS_100_PERCENT);
	facts_setf(&r->facts, "sweep.compress", "%u %%", job->sweep->compress_pct);
	facts_set(&r->facts, "sweep.spin", job->sweep->spin ? "yes" : "no");
	facts_set(&r->facts, "sweep.order", sweep_order_name(job->sweep->order));
	if (sweep_has_rate(job->sweep))
		facts_set(&r->facts, "sweep.arrivals", arrivals_name(job->sweep->arrivals));
	facts_set(&r->facts, "sweep.seed_from", job->sweep->has_seed ? "the sweep" : "the kernel");
	facts_set(&r->facts, "consent.write_to",
		  plan_writes(&job->plan) ? guard_consent_text(&job->info) : "none: read-only");
	facts_set(&r->facts, "consent.overwrite_signature", o->overwrite_signature ? "yes" : "no");
	facts_set(&r->facts, "consent.allow_ram", o->allow_ram ? "yes" : "no");
}

static void set_run_info(struct measure_job *job, const struct run_options *o, const char *command)
{
	const struct sweep *s = job->sweep;
	struct run_info *r = &job->run;
	struct buf text = BUF_INIT;

	sweep_text(s, &text);
	r->state = RUN_RUNNING;
	r->key = run_key(s, &job->info);
	r->sweep_name = xstrdup(s->name);
	r->question = s->question ? xstrdup(s->question) : NULL;
	r->sweep_text = buf_detach(&text);
	r->command = xstrdup(command);
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
	set_facts(r, job, o);
}

/* A sparse file grows by what is written, and must not take the last room of its file system. */
static int check_space(const struct measure_job *job, struct err *e)
{
	struct plan_totals totals;

	plan_estimate(&job->plan, job->sweep, 1, &totals);
	return space_check(&job->info, totals.write_first_byte, totals.write_end_byte, e);
}

static int check_writes(const struct measure_job *job, const struct run_options *o, struct err *e)
{
	if (guard_check_idle(&job->info, o->overwrite_signature, e) ||
	    guard_check_consent(&job->info, &o->write_to, e))
		return -1;
	return check_space(job, e);
}

/* Everything about one target that can be known before any I/O. */
static int check_target(struct measure_job *job, const char *path, const struct run_options *o,
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

static int confirm(const struct measure_job *jobs, size_t nr, const struct run_options *o,
		   const struct budget *budget, struct err *e)
{
	uint64_t total_ns = 0;
	struct buf b = BUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < nr && !rc; i++) {
		struct plan_totals totals;

		plan_estimate(&jobs[i].plan, jobs[i].sweep, 1, &totals);
		total_ns += totals.time_max_ns;
		if (!jobs[i].info.is_block || !plan_writes(&jobs[i].plan))
			continue;
		buf_reset(&b);
		buf_addf(&b, "This overwrites data on '%s' (%s).", jobs[i].info.resolved,
			 jobs[i].info.identity);
		rc = confirm_ask(o->yes, buf_text(&b), e);
	}
	if (budget->total_ns && budget->total_ns < total_ns)
		total_ns = budget->total_ns;
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

static int add_run(struct measure_job *job, struct store *store, struct err *e)
{
	struct planned_point *points;
	int rc;

	if (add_preparation_facts(job, store, e))
		return -1;
	points = xcalloc(job->plan.nr, sizeof(*points));
	for (size_t i = 0; i < job->plan.nr; i++)
		points[i] = (struct planned_point){job->plan.v[i].spec, job->plan.v[i].seq,
						   job->plan.v[i].skip_reason};
	rc = store_add_run(store, &job->run, points, job->plan.nr, e);
	free(points);
	return rc;
}

static int find_run_to_resume(const struct measure_job *job, struct store *store,
			      const struct run_options *o, int64_t *id, struct err *e)
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
			   const struct run_options *o, struct err *e)
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
	log_info("going on with run %" PRId64, old->id);
	return 0;
}

static int store_job(struct measure_job *job, struct store *store, const struct run_options *o,
		     struct err *e)
{
	struct run_info old = {0};
	int64_t id;
	int rc;

	if (find_run_to_resume(job, store, o, &id, e))
		return -1;
	if (!id)
		return add_run(job, store, e);
	rc = store_load_run(store, id, &old, e);
	if (!rc)
		rc = check_resumable(job, &old, o, e);
	if (!rc)
		rc = take_up(job, store, &old, e);
	run_info_release(&old);
	return rc;
}

static int run_job(struct measure_job *job, struct store *store, const struct run_options *o,
		   struct err *e)
{
	if (store_job(job, store, o, e))
		return -1;
	log_info("run %" PRId64 ": %s on %s", job->run.id, job->run.sweep_name,
		 job->run.target_resolved);
	return measure_run(job, store, e);
}

/* The answers, and with --report the files; of all runs that were begun. */
static int report(struct store *store, const struct measure_job *jobs, size_t nr,
		  const struct run_options *o)
{
	struct cmd_report_how how = {NULL, 0, 0, 0};
	int64_t *ids = xcalloc(nr, sizeof(*ids));
	struct buf b = BUF_INIT;
	struct err e = {0};
	size_t nr_ids = 0;
	int rc = 0;

	for (size_t i = 0; i < nr; i++)
		if (jobs[i].run.id)
			ids[nr_ids++] = jobs[i].run.id;
	if (nr_ids && cmd_report_text(store, ids, nr_ids, &how, cmd_report_style(), &b, &e))
		rc = cmd_fail(&e);
	else
		rc = cmd_print(&b);
	if (nr_ids && o->report && cmd_report_write(store, ids, nr_ids, o->report, &how, &e)) {
		/* Pictures can be made later; what was measured is as valid without them. */
		if (e.code == ERR_TOOL)
			log_warn("%s", e.msg);
		else
			rc = cmd_fail(&e);
	}
	buf_release(&b);
	free(ids);
	return rc;
}

/* What the last line says, and the exit status (D22). What the budget left out was asked for. */
static int conclude(const struct measure_job *jobs, size_t nr, const struct budget *budget, int rc)
{
	unsigned nr_points = 0, nr_valid = 0, nr_left_out = 0;

	for (size_t i = 0; i < nr; i++) {
		nr_points += jobs[i].run.id ? jobs[i].nr_points : 0;
		nr_valid += jobs[i].run.id ? jobs[i].nr_valid : 0;
		nr_left_out += jobs[i].run.id ? jobs[i].nr_left_out : 0;
	}
	if (signals_nr) {
		log_error("ended by signal %d; %u of %u points are stored; the same command goes "
			  "on with the rest",
			  signals_first(), nr_valid, nr_points);
		return 128 + signals_first();
	}
	if (nr_left_out)
		log_warn("%u of %u points were left out: the %s was used up; the same command goes "
			 "on with them",
			 nr_left_out, nr_points, budget->text);
	if (rc)
		return rc;
	if (nr_valid + nr_left_out == nr_points)
		return 0;
	log_error("%u of %u points failed, were skipped or are spoiled",
		  nr_points - nr_valid - nr_left_out, nr_points);
	return 3;
}

static int run_jobs(struct measure_job *jobs, size_t nr, struct store *store,
		    const struct run_options *o, struct budget *budget)
{
	struct err e = {0};
	int rc = 0, report_rc;

	budget_begin(budget);
	/* One that hangs keeps its own threads and buffers, and no other target. */
	for (size_t i = 0; i < nr && !signals_nr; i++) {
		budget_share(budget, nr - i, &jobs[i]);
		if (run_job(&jobs[i], store, o, &e))
			rc = cmd_fail(&e);
	}
	report_rc = report(store, jobs, nr, o);
	rc = conclude(jobs, nr, budget, rc ? rc : report_rc);
	for (size_t i = 0; i < nr; i++)
		if (jobs[i].is_stuck)
			log_error(
				"I/Os did not come back from '%s'; all finished points are saved; "
				"the kernel may keep this program until the device answers or "
				"is removed",
				jobs[i].info.given);
	return rc;
}

/* One target on its own, then against those before it. */
static int check_job(struct measure_job *jobs, size_t i, const struct run_options *o,
		     const char *command, struct err *e)
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
	set_run_info(&jobs[i], o, command);
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

static int check_and_run(const struct sweep *sweep, const struct run_options *o,
			 struct budget *budget, const char *command)
{
	struct measure_job *jobs = xcalloc(o->targets.nr, sizeof(*jobs));
	struct store *store = NULL;
	size_t nr = o->targets.nr;
	struct err e = {0};
	int rc = 0;

	for (size_t i = 0; i < nr; i++)
		jobs[i] = (struct measure_job){.sweep = sweep,
					       .is_quiet = o->quiet,
					       .overwrite_signature = o->overwrite_signature,
					       .lock_fd = -1};
	for (size_t i = 0; i < nr && !rc; i++)
		rc = check_job(jobs, i, o, command, &e);
	for (size_t i = 0; i < nr && !rc; i++)
		rc = budget_check(budget, nr, &jobs[i].plan, sweep, &e);
	rc = rc ? rc : check_engine(sweep, &e);
	rc = rc ? rc : confirm(jobs, nr, o, budget, &e);
	/* A folder that cannot be made should be known now, not in the morning. */
	rc = rc || !o->report ? rc : file_mkdirs(o->report, &e);
	rc = rc ? rc : store_open(&store, cmd_db_path(o->db), STORE_WRITE, &e);
	if (rc) {
		rc = cmd_fail(&e);
	} else {
		if (store_warning(store))
			log_warn("%s", store_warning(store));
		signals_catch();
		rc = run_jobs(jobs, nr, store, o, budget);
	}
	store_close(store);
	for (size_t i = 0; i < nr; i++)
		measure_job_release(&jobs[i]);
	free(jobs);
	return rc;
}

static int check_options(const struct run_options *o, const struct str_list *args, struct err *e)
{
	if (args->nr > 1)
		return err_set(e, ERR_USAGE, "run takes one sweep file, but '%s' is given too",
			       args->v[1]);
	if (!o->targets.nr)
		return err_set(e, ERR_USAGE,
			       "run needs --target: the block device or file to measure");
	if (o->resume && (o->new_run || o->targets.nr > 1))
		return err_set(e, ERR_USAGE, "--resume goes with one target, and not with --new");
	return 0;
}

static int build_and_run(const struct run_options *o, const char *path, const char *command)
{
	struct budget budget = {0};
	struct sweep sweep;
	struct err e = {0};
	int rc;

	if (sweep_build(&sweep, path, &o->settings, &e) ||
	    budget_parse(o->budget, o->until, &budget, &e))
		rc = cmd_fail(&e);
	else
		rc = check_and_run(&sweep, o, &budget, command);
	budget_release(&budget);
	sweep_release(&sweep);
	return rc;
}

static int run(int argc, char **argv)
{
	struct run_options o = {0};
	struct str_list args = {0};
	char *command = confirm_quote("run", argc, argv);
	struct err e = {0};
	int rc = 2;

	if (!cmd_parse(&cmd_run, argc, argv, &o, &args)) {
		log_set_quiet(o.quiet);
		if (check_options(&o, &args, &e))
			rc = cmd_fail(&e);
		else
			rc = build_and_run(&o, args.nr ? args.v[0] : NULL, command);
	}
	free(command);
	str_list_release(&args);
	str_list_release(&o.targets);
	str_list_release(&o.write_to);
	pair_list_release(&o.settings);
	return rc;
}

const struct cmd cmd_run = {
	.name = "run",
	.args = "[SWEEP] --target PATH [OPTION...]",
	.summary = "measure a target, or go on with an unfinished run",
	.about =
		"Measures every point of a sweep file, or of the axes given as options, and\n"
		"stores each one as soon as it ends. Started again after a signal or a crash, the\n"
		"same command goes on where it stopped. At the end it prints the answers.\n"
		"\n"
		"A sweep without writes opens the target read-only. One that writes needs\n"
		"--write-to with the identity that 'lunsweep devices' prints, or the absolute\n"
		"path of a file; what is mounted or otherwise in use is never written.\n"
		"\n"
		"Exit status: 0 all points valid; 1 failed; 2 usage or sweep file; 3 finished,\n"
		"but some points are not valid; 128+n ended by signal n, all finished is saved.\n"
		"Points that --budget or --until leave out are no reason for 3.\n"
		"\n"
		"Examples:\n"
		"  lunsweep run sweeps/quick.yaml --target /dev/sdx\n"
		"  lunsweep run --target /srv/scratch.img --bs 4k,64k --iodepth 1..256*2\n",
	.groups = groups,
	.run = run,
};
