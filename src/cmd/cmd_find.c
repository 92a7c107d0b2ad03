/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/units.h"
#include "cmd/confirm.h"
#include "cmd/find.h"
#include "cmd/job.h"
#include "cmd/keep.h"
#include "cmd/report_set.h"
#include "cmd/signals.h"
#include "report/json.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The most in flight under an offered load, as run has it. */
#define LOAD_DEPTH 256
#define MAX_POINTS 1000

struct find_options {
	struct job_options job; /* first, for the tables that are shared */
	const char *max_depth, *max_rate, *max_points, *format;
	bool rate, exact_depth, fresh;
};

#define AT(member) offsetof(struct find_options, member)

static const struct opt find_opts[] = {
	JOB_OPTS_PLACE,
	{"rate", 0, OPT_FLAG, AT(rate), NULL, "search the highest offered load, not the depth"},
	{"max-depth", 0, OPT_STR, AT(max_depth), "N",
	 "largest depth (1024); --rate: most in flight (256)"},
	{"max-rate", 0, OPT_STR, AT(max_rate), "IOPS", "largest load with --rate (10000000)"},
	{"max-points", 0, OPT_STR, AT(max_points), "N",
	 "points to measure for one curve and cap (24)"},
	{"exact-depth", 0, OPT_FLAG, AT(exact_depth), NULL,
	 "go on to the largest depth that meets the cap"},
	{"fresh", 0, OPT_FLAG, AT(fresh), NULL, "use no stored points of other runs"},
	{"format", 0, OPT_STR, AT(format), "FORMAT", "text or json (text)"},
	JOB_OPTS_WAY,
	{NULL, 0, OPT_END, 0, NULL, NULL},
};

static const struct opt_group groups[] = {
	{"Options", find_opts},
	{"Writing", job_write_opts},
	{"What is measured, and how (as for run)", sweep_search_opts},
	{NULL, NULL},
};

/* What job.c hands back. */
struct find_work {
	const struct find_options *options;
	struct find_config config;
	struct job_work work;
	bool is_json;
};

/* ---- the options ---- */

static int parse_number(const char *option, const char *text, uint64_t usual, uint64_t max,
			uint64_t *out, struct err *e)
{
	*out = usual;
	if (!text)
		return 0;
	if (units_parse_count(text, out, e))
		return err_wrap(e, "--%s", option);
	if (!*out || *out > max)
		return err_set(e, ERR_USAGE, "--%s: '%s' is not between 1 and %" PRIu64, option,
			       text, max);
	return 0;
}

static int parse_format(const char *format, bool *is_json, struct err *e)
{
	*is_json = format && !strcmp(format, "json");
	if (!format || *is_json || !strcmp(format, "text"))
		return 0;
	return err_set(e, ERR_USAGE, "--format is text or json, not '%s'", format);
}

static int check_kind(const struct find_options *o, struct err *e)
{
	if (o->max_rate && !o->rate)
		return err_set(e, ERR_USAGE, "--max-rate bounds the load that --rate searches");
	if (o->exact_depth && o->rate)
		return err_set(e, ERR_USAGE, "--exact-depth is of depths, and not of --rate");
	return 0;
}

/* depth: of a closed loop the largest, of an open one the most in flight. */
static int parse_settings(const struct find_options *o, struct search_settings *s, uint64_t *depth,
			  struct err *e)
{
	uint64_t rate, points;

	if (check_kind(o, e) ||
	    parse_number("max-depth", o->max_depth, o->rate ? LOAD_DEPTH : SEARCH_MAX_DEPTH,
			 1U << 20, depth, e) ||
	    parse_number("max-rate", o->max_rate, SEARCH_MAX_RATE, SEARCH_MAX_RATE, &rate, e) ||
	    parse_number("max-points", o->max_points, SEARCH_MAX_POINTS, MAX_POINTS, &points, e))
		return -1;
	*s = (struct search_settings){.is_load = o->rate,
				      .is_exact = o->exact_depth,
				      .max = o->rate ? rate : *depth,
				      .max_points = (uint32_t)points};
	return 0;
}

/* ---- the sweep that the searches begin from: one point a curve ---- */

static uint64_t most_workers(const struct sweep *s)
{
	const struct axis_list *l = &s->block[0].axis[AXIS_WORKERS];
	uint64_t most = 1;

	for (size_t i = 0; s->nr_blocks && i < l->nr; i++)
		most = l->v[i].value > most ? l->v[i].value : most;
	return most;
}

static int set_number(struct sweep *s, const char *key, uint64_t v, struct err *e)
{
	char *text = xasprintf("%" PRIu64, v);
	int rc = sweep_set(s, key, text, e);

	free(text);
	return rc;
}

/* "find mean:10ms,p99:20ms", with the rate if that is searched */
static int set_name(struct sweep *s, bool is_load, struct err *e)
{
	struct buf b = BUF_INIT;
	int rc;

	buf_addstr(&b, is_load ? "find rate" : "find");
	for (unsigned i = 0; i < s->nr_caps; i++) {
		buf_addf(&b, "%s%s:", i ? "," : " ", lat_stat_name(s->caps[i].stat));
		buf_add_duration(&b, s->caps[i].limit_ns);
	}
	rc = sweep_set(s, "name", buf_text(&b), e);
	buf_release(&b);
	return rc;
}

/* A closed loop begins with one I/O a worker. */
static int set_axes(struct sweep *s, bool is_load, uint64_t depth, struct err *e)
{
	uint64_t workers = most_workers(s);

	if (workers > depth)
		return err_set(e, ERR_USAGE,
			       "--max-depth %" PRIu64 " is less than %" PRIu64
			       " workers, which take one I/O each",
			       depth, workers);
	if (set_number(s, "iodepth", is_load ? depth : workers, e))
		return -1;
	return is_load ? set_number(s, "rate", 1, e) : 0;
}

static int build_sweep(struct sweep *s, const struct find_options *o, uint64_t depth, struct err *e)
{
	sweep_init(s);
	for (size_t i = 0; i < o->job.settings.nr; i++)
		if (sweep_set(s, o->job.settings.v[i].name, o->job.settings.v[i].value, e))
			return -1;
	if (!s->nr_caps && sweep_set(s, "cap", "mean:10ms", e))
		return -1;
	if (!s->name && set_name(s, o->rate, e))
		return -1;
	if (set_axes(s, o->rate, depth, e) || sweep_set(s, "order", "listed", e) ||
	    sweep_set(s, "anchors", "never", e))
		return -1;
	return sweep_finish(s, e);
}

/* D27; unlike those of a run, the caps decide what is measured. */
static uint64_t find_key(const struct sweep *s, const struct find_config *c)
{
	const uint64_t numbers[] = {c->settings.is_load, c->settings.is_exact, c->settings.max,
				    c->settings.max_points, c->is_fresh};
	uint64_t hash = hash_str(sweep_key(s), "find");

	for (size_t i = 0; i < NR(numbers); i++)
		hash = hash_u64(hash, numbers[i]);
	for (unsigned i = 0; i < s->nr_caps; i++)
		hash = hash_u64(hash_u64(hash, s->caps[i].stat), s->caps[i].limit_ns);
	return hash;
}

/* ---- the run ---- */

/* What this target cannot do is stored as skipped; what is measured is not known yet. */
static int add_run(struct measure_job *job, struct store *store, void *arg, struct err *e)
{
	size_t first = job->plan.nr - job->plan.nr_skipped;
	struct planned_point *points = xcalloc(job->plan.nr_skipped + 1, sizeof(*points));
	int rc;

	(void)arg;
	for (size_t i = 0; i < job->plan.nr_skipped; i++)
		points[i] = (struct planned_point){job->plan.v[first + i].spec, (uint32_t)i + 1,
						   job->plan.v[first + i].skip_reason};
	rc = store_add_run(store, &job->run, points, job->plan.nr_skipped, e);
	free(points);
	return rc;
}

static int find_job(struct measure_job *job, struct store *store, const struct find_work *w,
		    struct err *e)
{
	if (job_store(job, store, &w->options->job, &w->work, e))
		return -1;
	log_info("run %" PRId64 ": %s on %s", job->run.id, job->run.sweep_name,
		 job->run.target_resolved);
	return find_run(job, store, &w->config, e);
}

/* The exit status that an answer asks for (D35); the larger claim wins: not decided, never met. */
static int status_of(const struct search_answer *a)
{
	switch (search_status(a)) {
	case SEARCH_MET:
	case SEARCH_STATUS_NOT_REACHED:
		return 0;
	case SEARCH_STATUS_NEVER:
		return 4;
	case SEARCH_STATUS_CLIENT:
	case SEARCH_STATUS_ERRORS:
	case SEARCH_STATUS_UNFINISHED:
	case SEARCH_STATUS_NR:
		break;
	}
	return 3;
}

static int worst_status(int a, int b)
{
	return a == 3 || b == 3 ? 3 : a > b ? a : b;
}

static int status_of_searches(const struct search_answer *const *search, unsigned nr)
{
	int rc = 0;

	for (unsigned i = 0; i < nr; i++)
		if (search[i])
			rc = worst_status(rc, status_of(search[i]));
	return rc;
}

static int status_of_report(const struct report *r)
{
	int rc = 0;

	for (size_t i = 0; i < r->nr_runs; i++) {
		const struct report_run *run = &r->runs[i];

		for (size_t k = 0; k < run->nr_curves; k++)
			rc = worst_status(rc,
					  status_of_searches(run->curves[k].search, run->nr_caps));
		for (size_t k = 0; k < run->nr_responses; k++)
			rc = worst_status(
				rc, status_of_searches(run->responses[k].search, run->nr_caps));
	}
	return rc;
}

/* Print the answers of all runs that were begun; the exit status that they ask for. */
static int print_answers(struct store *store, const struct measure_job *jobs, size_t nr,
			 const struct find_work *w)
{
	struct cmd_report_how how = {.caps = NULL};
	int64_t *ids = xcalloc(nr, sizeof(*ids));
	struct report_set set;
	struct buf b = BUF_INIT;
	struct err e = {0};
	size_t nr_ids = 0;
	int rc;

	for (size_t i = 0; i < nr; i++)
		if (jobs[i].run.id)
			ids[nr_ids++] = jobs[i].run.id;
	if (report_set_load(store, ids, nr_ids, &how, &set, &e)) {
		rc = cmd_fail(&e);
	} else {
		if (w->is_json)
			json_searches(&b, &set.report);
		else
			text_searches(&b, &set.report, cmd_report_style());
		rc = cmd_print(&b);
		rc = rc ? rc : status_of_report(&set.report);
		report_set_release(&set);
	}
	buf_release(&b);
	free(ids);
	return rc;
}

/* 3 when errors ended a search. */
static int conclude_errors(const struct measure_job *jobs, size_t nr)
{
	int rc = 0;

	for (size_t i = 0; i < nr; i++) {
		if (!jobs[i].has_ended)
			continue;
		log_error("errors ended the search on '%s'; the same command goes on with it",
			  jobs[i].info.given);
		rc = 3;
	}
	return rc;
}

static int find_all(struct measure_job *jobs, size_t nr, struct store *store, void *arg)
{
	const struct find_work *w = arg;
	unsigned nr_points = 0, nr_valid = 0;
	struct err e = {0};
	int rc = 0, answers;

	/* One that hangs keeps its own threads and buffers, and no other target. */
	for (size_t i = 0; i < nr && !signals_nr; i++)
		if (find_job(&jobs[i], store, w, &e))
			rc = cmd_fail(&e);
	answers = print_answers(store, jobs, nr, w);
	for (size_t i = 0; i < nr; i++) {
		nr_points += jobs[i].nr_points;
		nr_valid += jobs[i].nr_valid;
	}
	if (signals_nr)
		rc = job_conclude_signal(nr_valid, nr_points);
	else if (!rc)
		rc = conclude_errors(jobs, nr);
	jobs_say_stuck(jobs, nr);
	return keep_conclude(jobs, nr, rc ? rc : answers);
}

static int find_sweep(const struct sweep *sweep, struct find_work *w, const char *command)
{
	struct facts facts = FACTS_INIT;
	int rc;

	search_settings_to_facts(&w->config.settings, &facts);
	w->work = (struct job_work){.command = command,
				    .key = find_key(sweep, &w->config),
				    .points_each = w->config.settings.max_points * sweep->nr_caps,
				    .facts = &facts,
				    .add = add_run,
				    .run = find_all,
				    .arg = w};
	rc = jobs_run(sweep, &w->options->job, &w->work);
	facts_release(&facts);
	return rc;
}

static int build_and_find(const struct find_options *o, const char *command)
{
	struct find_work w = {.options = o, .config = {.is_fresh = o->fresh}};
	struct sweep sweep = {0};
	struct err e = {0};
	uint64_t depth;
	int rc;

	if (job_check_options(&o->job, "find", &e) || parse_format(o->format, &w.is_json, &e) ||
	    parse_settings(o, &w.config.settings, &depth, &e))
		return cmd_fail(&e);
	if (build_sweep(&sweep, o, depth, &e))
		rc = cmd_fail(&e);
	else
		rc = find_sweep(&sweep, &w, command);
	sweep_release(&sweep);
	return rc;
}

/* The option that users of run will try first. */
static bool names_depth(int argc, char **argv)
{
	static const char name[] = "--iodepth";

	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (!strncmp(argv[i], name, strlen(name)) && strchr("=", argv[i][strlen(name)]))
			return true;
	return false;
}

static int find(int argc, char **argv)
{
	struct find_options o = {.rate = false};
	struct str_list args = {0};
	char *command = confirm_quote("find", argc, argv);
	struct err e = {0};
	int rc = 2;

	if (names_depth(argc, argv)) {
		(void)err_set(&e, ERR_USAGE,
			      "the iodepth is what find looks for; --max-depth bounds it");
		rc = cmd_fail(&e);
	} else if (!cmd_parse(&cmd_find, argc, argv, &o, &args)) {
		log_set_quiet(o.job.quiet);
		if (args.nr)
			(void)err_set(&e, ERR_USAGE, "find takes no arguments, not '%s'",
				      args.v[0]);
		rc = args.nr ? cmd_fail(&e) : build_and_find(&o, command);
	}
	free(command);
	str_list_release(&args);
	job_options_release(&o.job);
	return rc;
}

const struct cmd cmd_find = {
	.name = "find",
	.args = "--target PATH [--cap FIGURE:TIME] [OPTION...]",
	.summary = "search the maximum IOPS under a latency cap",
	.about = "Measures the depths that it takes to find the maximum IOPS whose latency is\n"
		 "within the cap (mean:10ms unless told otherwise), for each combination of the\n"
		 "axes. Stored points of the same target and axes are where it begins. Started\n"
		 "again after a signal or a crash, the same command goes on where it stopped.\n"
		 "\n"
		 "Consent to writes (--write-to) and all other care is as for run.\n"
		 "\n"
		 "Exit status: 0 found, or the cap is met up to --max-depth or --max-rate; 1\n"
		 "failed; 2 usage; 3 limited by this host, or ended by errors or --max-points;\n"
		 "4 never met; 128+n ended by signal n, all finished is saved.\n"
		 "\n"
		 "Examples:\n"
		 "  lunsweep find --target /dev/sdx --cap mean:10ms,p99:20ms --bs 4k,64k\n"
		 "  lunsweep find --target /srv/scratch.img --cap p95:20ms --rate\n",
	.groups = groups,
	.run = find,
};
