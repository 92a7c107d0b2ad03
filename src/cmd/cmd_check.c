/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"

#include "analyze/acceptance.h"
#include "base/mem.h"
#include "cmd/cmd_report.h"
#include "cmd/questions.h"
#include "cmd/run_lists.h"
#include "plan/standard.h"
#include "report/acceptance.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>

/* D35 */
enum { STATUS_UNDECIDED = 3, STATUS_NOT_MET = 4 };

struct check_options {
	const char *db, *require, *class_name, *format;
	struct str_list accept;
};

static const struct opt opts[] = {
	{"require", 0, OPT_STR, offsetof(struct check_options, require), "FILE",
	 "the standard: what must be reached, and where"},
	{"class", 0, OPT_STR, offsetof(struct check_options, class_name), "NAME",
	 "the class of disk to check for (every class)"},
	{"accept", 0, OPT_STRS, offsetof(struct check_options, accept), "FLAGS",
	 "let points with these flags decide; may be repeated"},
	{"format", 0, OPT_STR, offsetof(struct check_options, format), "FORMAT",
	 "text, markdown or json (text)"},
	{"db", 0, OPT_STR, offsetof(struct check_options, db), "PATH",
	 "database (LUNSWEEP_DB, else ./lunsweep.db)"},
	{NULL, 0, OPT_END, 0, NULL, NULL},
};

static const struct opt_group groups[] = {{"Options", opts}, {NULL, NULL}};

/* How to check, as the command line says. */
struct how {
	struct standard standard;
	const struct disk_class *only; /* NULL: every class */
	flag_set accepted;
	bool as_json, as_markdown;
};

/* A run with what it is judged from. */
struct loaded {
	struct run_info info;
	struct point *points;
	size_t nr;
	struct point_series *series; /* of each point; empty where no guarantee asks for it */
	struct class_result *cls;
	size_t nr_cls;
};

static bool asks_for_series(const struct disk_class *c, const struct point_spec *s, uint64_t size)
{
	for (size_t i = 0; i < c->nr; i++)
		for (size_t k = 0; k < c->req[i].nr; k++)
			if (c->req[i].limit[k].figure == FIGURE_GUARANTEED_IOPS &&
			    acceptance_matches(&c->req[i], s, size))
				return true;
	return false;
}

/* Takes the series out of the measurement. */
static int load_series(struct store *s, const struct point *p, struct point_series *out,
		       struct err *e)
{
	struct measurement m;

	if (store_load_measurement(s, p->run_id, p->seq, &m, e))
		return -1;
	*out = (struct point_series){m.series, m.nr_intervals, m.interval_ns, m.window_ns};
	m.series = NULL;
	measurement_release(&m);
	return 0;
}

static int load_all_series(struct store *s, const struct disk_class *const *cls, struct loaded *l,
			   struct err *e)
{
	l->series = xcalloc(l->nr + 1, sizeof(*l->series));
	for (size_t i = 0; i < l->nr; i++) {
		const struct point *p = &l->points[i];
		bool asks = false;

		for (size_t c = 0; c < l->nr_cls; c++)
			asks |= asks_for_series(cls[c], &p->spec, l->info.target_size_bytes);
		if (asks && p->status == POINT_OK && !p->imported &&
		    load_series(s, p, &l->series[i], e))
			return -1;
	}
	return 0;
}

static void loaded_release(struct loaded *l)
{
	for (size_t i = 0; l->series && i < l->nr; i++)
		free(l->series[i].v);
	free(l->series);
	for (size_t i = 0; l->cls && i < l->nr_cls; i++)
		class_result_release(&l->cls[i]);
	free(l->cls);
	store_free_points(l->points, l->nr);
	run_info_release(&l->info);
}

/* What l holds is to be released in any case. */
static int check_run(struct store *s, int64_t run_id, const struct how *how, struct loaded *l,
		     struct err *e)
{
	const struct disk_class **cls = xcalloc(how->standard.nr, sizeof(*cls));
	struct acceptance_run run;
	int rc;

	for (size_t i = 0; i < how->standard.nr; i++)
		if (!how->only || how->only == &how->standard.cls[i])
			cls[l->nr_cls++] = &how->standard.cls[i];
	rc = store_load_run(s, run_id, &l->info, e) ||
			     store_load_points(s, run_id, &l->points, &l->nr, e) ||
			     load_all_series(s, cls, l, e)
		     ? -1
		     : 0;
	if (!rc) {
		run = (struct acceptance_run){.points = l->points,
					      .nr = l->nr,
					      .series = l->series,
					      .target_size_bytes = l->info.target_size_bytes,
					      .accepted = how->accepted | l->info.accepted};
		l->cls = xcalloc(l->nr_cls, sizeof(*l->cls));
		for (size_t c = 0; c < l->nr_cls; c++)
			acceptance_judge(cls[c], &run, &l->cls[c]);
	}
	free(cls);
	return rc;
}

static int exit_status(const struct loaded *l, size_t nr)
{
	bool is_undecided = false;

	for (size_t i = 0; i < nr; i++) {
		for (size_t c = 0; c < l[i].nr_cls; c++) {
			if (l[i].cls[c].verdict == ACCEPTANCE_FAIL)
				return STATUS_NOT_MET;
			is_undecided |= l[i].cls[c].verdict == ACCEPTANCE_UNDECIDED;
		}
	}
	return is_undecided ? STATUS_UNDECIDED : 0;
}

/* Print it all; the exit status. */
static int print(const struct check_options *o, const struct how *how, const struct loaded *l,
		 size_t nr)
{
	struct checked_run *runs = xcalloc(nr + 1, sizeof(*runs));
	struct acceptance_report r = {o->require, &how->standard, runs, nr};
	struct buf b = BUF_INIT;
	int rc;

	for (size_t i = 0; i < nr; i++)
		runs[i] = (struct checked_run){&l[i].info, l[i].cls, l[i].nr_cls};
	if (how->as_json)
		acceptance_json(&b, &r);
	else
		acceptance_text(&b, &r,
				how->as_markdown ? (struct text_style){.is_markdown = true}
						 : cmd_report_style());
	rc = cmd_print(&b);
	buf_release(&b);
	free(runs);
	return rc ? rc : exit_status(l, nr);
}

static int check(const struct check_options *o, const struct str_list *args, const struct how *how)
{
	struct loaded *l = NULL;
	struct store *s = NULL;
	struct err e = {0};
	struct run_list runs = {0};
	size_t loaded = 0;
	int rc;

	if (store_open(&s, cmd_db_path(o->db), STORE_READ, &e))
		return cmd_fail(&e);
	rc = run_list_choose(&runs, s, args, &e);
	l = xcalloc(runs.nr + 1, sizeof(*l));
	while (!rc && loaded < runs.nr) {
		rc = check_run(s, runs.id[loaded], how, &l[loaded], &e);
		loaded++;
	}
	store_close(s);
	rc = rc ? cmd_fail(&e) : print(o, how, l, runs.nr);
	for (size_t i = 0; i < loaded; i++)
		loaded_release(&l[i]);
	free(l);
	run_list_release(&runs);
	return rc;
}

static int read_options(const struct check_options *o, struct how *how, struct err *e)
{
	how->as_json = o->format && !strcmp(o->format, "json");
	how->as_markdown = o->format && !strcmp(o->format, "markdown");
	if (o->format && !how->as_json && !how->as_markdown && strcmp(o->format, "text") != 0)
		return err_set(e, ERR_USAGE, "--format is text, markdown or json, not '%s'",
			       o->format);
	if (!o->require)
		return err_set(e, ERR_USAGE,
			       "check needs --require FILE with the standard; see 'lunsweep check "
			       "--help'");
	if (questions_accept(&o->accept, &how->accepted, e) ||
	    standard_load(&how->standard, o->require, e))
		return -1;
	if (!o->class_name)
		return 0;
	how->only = standard_class(&how->standard, o->class_name, e);
	return how->only ? 0 : err_wrap(e, "--class");
}

static int run_check(int argc, char **argv)
{
	struct check_options o = {0};
	struct str_list args = {0};
	struct how how = {.accepted = 0};
	struct err e = {0};
	int rc = 2;

	if (!cmd_parse(&cmd_check, argc, argv, &o, &args))
		rc = read_options(&o, &how, &e) ? cmd_fail(&e) : check(&o, &args, &how);
	standard_release(&how.standard);
	str_list_release(&o.accept);
	str_list_release(&args);
	return rc;
}

const struct cmd cmd_check = {
	.name = "check",
	.args = "[RUN...] --require FILE [OPTION...]",
	.summary = "whether stored runs meet a declared standard",
	.about = "Holds the points of a run to what FILE requires of a class of disk: IOPS and\n"
		 "MiB/s at least, latency at most, IOPS guaranteed over time. Without RUN it\n"
		 "checks the newest run, without --class every class of the standard.\n"
		 "\n"
		 "A requirement passes when the whole 95 % interval lies on its good side, fails\n"
		 "when it lies on the other, and is undecided in between, or where there is no\n"
		 "figure that can be believed. Total IOPS are the sum of reads and writes, total\n"
		 "latency is weighted by their completions.\n"
		 "\n"
		 "Exit status: 0 all met, 4 some not met, 3 none failed but some are undecided.\n"
		 "'man lunsweep' explains the file; sweeps/standards has an example.\n"
		 "\n"
		 "Examples:\n"
		 "  lunsweep check 6 --require sweeps/standards/cloud-disk.yaml --class gold\n"
		 "  lunsweep check --require sweeps/standards/cloud-disk.yaml --format json\n",
	.groups = groups,
	.run = run_check,
};
