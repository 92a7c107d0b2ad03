/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/budget.h"
#include "cmd/cmd_report.h"
#include "cmd/confirm.h"
#include "cmd/job.h"
#include "cmd/keep.h"
#include "cmd/signals.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

struct run_options {
	struct job_options job; /* first, for the tables that are shared */
	const char *report, *budget, *until;
};

static const struct opt run_opts[] = {
	JOB_OPTS_PLACE,
	{"report", 0, OPT_STR, offsetof(struct run_options, report), "DIR",
	 "write reports and charts there at the end"},
	{"budget", 0, OPT_STR, offsetof(struct run_options, budget), "TIME",
	 "take no longer: the points that tell most first"},
	{"until", 0, OPT_STR, offsetof(struct run_options, until), "TIME",
	 "the same until 06:00, or 2026-12-01T06:00"},
	JOB_OPTS_WAY,
	{NULL, 0, OPT_END, 0, NULL, NULL},
};

static const struct opt_group groups[] = {
	{"Options", run_opts},
	{"Writing", job_write_opts},
	{"Sweep (as in sweep files, which they go before)", sweep_opts},
	{NULL, NULL},
};

/* What job.c hands back. */
struct run_work {
	const struct run_options *options;
	struct budget *budget;
	struct job_work work;
};

static int add_run(struct measure_job *job, struct store *store, void *arg, struct err *e)
{
	struct planned_point *points;
	int rc;

	(void)arg;
	points = xcalloc(job->plan.nr, sizeof(*points));
	for (size_t i = 0; i < job->plan.nr; i++)
		points[i] = (struct planned_point){job->plan.v[i].spec, job->plan.v[i].seq,
						   job->plan.v[i].skip_reason};
	rc = store_add_run(store, &job->run, points, job->plan.nr, e);
	free(points);
	return rc;
}

/* The answers, and with --report the files; of all runs that were begun. */
static int report(struct store *store, const struct measure_job *jobs, size_t nr,
		  const struct run_options *o)
{
	struct cmd_report_how how = {.database = cmd_db_path(o->job.db)};
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
	unsigned nr_points = 0, nr_valid = 0, nr_left_out = 0, nr_undone = 0, nr_bad;
	bool has_ended = false;

	for (size_t i = 0; i < nr; i++) {
		nr_points += jobs[i].run.id ? jobs[i].nr_points : 0;
		nr_valid += jobs[i].run.id ? jobs[i].nr_valid : 0;
		nr_left_out += jobs[i].run.id ? jobs[i].nr_left_out : 0;
		nr_undone += jobs[i].run.id ? jobs[i].nr_undone : 0;
		has_ended |= jobs[i].has_ended;
	}
	if (signals_nr)
		return job_conclude_signal(nr_valid, nr_points);
	if (nr_left_out)
		log_warn("%u of %u points were left out: the %s was used up; the same command goes "
			 "on with them",
			 nr_left_out, nr_points, budget->text);
	if (rc)
		return rc;
	nr_bad = nr_points - nr_valid - nr_left_out - nr_undone;
	if (!nr_bad && !has_ended)
		return 0;
	if (nr_undone)
		log_error("%u of %u points were not measured; the same command goes on with them",
			  nr_undone, nr_points);
	if (nr_bad)
		log_error("%u of %u points failed, were skipped or are spoiled", nr_bad, nr_points);
	return 3;
}

static int run_job(struct measure_job *job, struct store *store, const struct run_work *w,
		   struct err *e)
{
	if (job_store(job, store, &w->options->job, &w->work, e))
		return -1;
	log_info("run %" PRId64 ": %s on %s", job->run.id, job->run.sweep_name,
		 job->run.target_resolved);
	return measure_run(job, store, e);
}

static int run_jobs(struct measure_job *jobs, size_t nr, struct store *store, void *arg)
{
	const struct run_work *w = arg;
	struct err e = {0};
	int rc = 0, report_rc;

	budget_begin(w->budget);
	/* One that hangs keeps its own threads and buffers, and no other target. */
	for (size_t i = 0; i < nr && !signals_nr; i++) {
		budget_share(w->budget, nr - i, &jobs[i]);
		if (run_job(&jobs[i], store, w, &e))
			rc = cmd_fail(&e);
	}
	report_rc = report(store, jobs, nr, w->options);
	rc = conclude(jobs, nr, w->budget, rc ? rc : report_rc);
	jobs_say_stuck(jobs, nr);
	return keep_conclude(jobs, nr, rc);
}

static int get_ready(const struct measure_job *jobs, size_t nr, void *arg, struct err *e)
{
	const struct run_work *w = arg;

	for (size_t i = 0; i < nr; i++)
		if (budget_check(w->budget, nr, &jobs[i].plan, jobs[i].sweep, e))
			return -1;
	/* A folder that cannot be made should be known now, not in the morning. */
	return w->options->report ? file_mkdirs(w->options->report, e) : 0;
}

static int check_and_run(const struct sweep *sweep, const struct run_options *o,
			 struct budget *budget, const char *command)
{
	struct run_work w = {.options = o,
			     .budget = budget,
			     .work = {.command = command,
				      .key = sweep_key(sweep),
				      .points_each = 1,
				      .longest_ns = budget->total_ns,
				      .get_ready = get_ready,
				      .add = add_run,
				      .run = run_jobs}};

	w.work.arg = &w;
	return jobs_run(sweep, &o->job, &w.work);
}

static int check_options(const struct run_options *o, const struct str_list *args, struct err *e)
{
	if (args->nr > 1)
		return err_set(e, ERR_USAGE, "run takes one sweep file, but '%s' is given too",
			       args->v[1]);
	return job_check_options(&o->job, "run", e);
}

static int build_and_run(const struct run_options *o, const char *path, const char *command)
{
	struct budget budget = {0};
	struct sweep sweep;
	struct err e = {0};
	int rc;

	if (sweep_build(&sweep, path, &o->job.settings, &e) ||
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
		log_set_quiet(o.job.quiet);
		if (check_options(&o, &args, &e))
			rc = cmd_fail(&e);
		else
			rc = build_and_run(&o, args.nr ? args.v[0] : NULL, command);
	}
	free(command);
	str_list_release(&args);
	job_options_release(&o.job);
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
		"but some points are not valid, or not in the database yet; 128+n ended by\n"
		"signal n, all finished is saved.\n"
		"Points that --budget or --until leave out are no reason for 3.\n"
		"\n"
		"Examples:\n"
		"  lunsweep run sweeps/quick.yaml --target /dev/sdx\n"
		"  lunsweep run --target /srv/scratch.img --bs 4k,64k --iodepth 1..256*2\n",
	.groups = groups,
	.run = run,
};
