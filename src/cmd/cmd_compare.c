/* SPDX-License-Identifier: MIT */
#include "analyze/compare.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/compare_data.h"
#include "cmd/fail_if.h"
#include "cmd/output.h"
#include "cmd/questions.h"
#include "cmd/report_set.h"
#include "cmd/run_lists.h"
#include "report/chart_compare.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define STATUS_NOTHING_COMMON 3

struct options {
	const char *db, *format, *metric, *dir, *images;
	struct str_list caps, accept, fail_if;
	bool strict, pool, table;
};

static const struct opt opts[] = {
	{"db", 0, OPT_STR, offsetof(struct options, db), "PATH",
	 "database (LUNSWEEP_DB, else ./lunsweep.db)"},
	{"metric", 0, OPT_STR, offsetof(struct options, metric), "METRIC",
	 "iops, lat (the mean) or both (both)"},
	{"cap", 0, OPT_STRS, offsetof(struct options, caps), "FIGURE:TIME",
	 "latency caps: mean:10ms,p99:20ms; may be repeated"},
	{"accept", 0, OPT_STRS, offsetof(struct options, accept), "FLAGS",
	 "let points with these flags enter; may be repeated"},
	{"pool", 0, OPT_FLAG, offsetof(struct options, pool), NULL,
	 "pool the variance also of three runs and more"},
	{"fail-if", 0, OPT_STRS, offsetof(struct options, fail_if), "CONDITION",
	 "exit status 4 if B is so; may be repeated"},
	{"strict", 0, OPT_FLAG, offsetof(struct options, strict), NULL,
	 "with --fail-if: status 3 if any is inconclusive"},
	{"table", 0, OPT_FLAG, offsetof(struct options, table), NULL,
	 "no comparison: a table with a row for each run"},
	{"output", 'o', OPT_STR, offsetof(struct options, dir), "DIR",
	 "write text, Markdown, CSV, JSON and charts there"},
	{"image", 0, OPT_STR, offsetof(struct options, images), "FORMATS",
	 "pictures of charts: svg, png, pdf (svg,png)"},
	{"format", 0, OPT_STR, offsetof(struct options, format), "FORMAT",
	 "text, markdown, csv or json (text)"},
	{NULL, 0, OPT_END, 0, NULL, NULL},
};

static const struct opt_group groups[] = {{"Options", opts}, {NULL, NULL}};

enum format { FORMAT_TEXT, FORMAT_MARKDOWN, FORMAT_CSV, FORMAT_JSON };

/* The command line, understood. */
struct request {
	enum format format;
	struct cap_list caps;
	flag_set accepted;
	struct compare_how how;
	struct fail_if fail_if;
	struct run_list runs; /* all, those of A first */
	size_t nr_a;
	struct output_place place; /* of files and charts */
};

/* ---- the command line ---- */

static int parse_format(const char *name, enum format *format, struct err *e)
{
	static const char *const names[] = {"text", "markdown", "csv", "json"};

	for (size_t i = 0; i < NR(names); i++) {
		if (name && strcmp(names[i], name) != 0)
			continue;
		*format = (enum format)i;
		return 0;
	}
	return err_set(e, ERR_USAGE, "'%s' is no format: use text, markdown, csv or json", name);
}

static int parse_metric(const char *name, struct compare_how *how, struct err *e)
{
	bool both = !name || !strcmp(name, "both");

	how->iops = both || !strcmp(name, "iops");
	how->lat = both || !strcmp(name, "lat");
	if (!how->iops && !how->lat)
		return err_set(e, ERR_USAGE, "'%s' is no metric: use iops, lat or both", name);
	return 0;
}

static int check_conditions(const struct options *o, const struct request *q, struct err *e)
{
	for (size_t i = 0; i < q->fail_if.nr; i++) {
		if ((q->fail_if.v[i].kind == FAIL_IOPS_WORSE && !q->how.iops) ||
		    (q->fail_if.v[i].kind == FAIL_LAT_WORSE && !q->how.lat))
			return err_set(e, ERR_USAGE,
				       "--fail-if asks for what --metric %s leaves out", o->metric);
	}
	if (o->strict && !q->fail_if.nr)
		return err_set(e, ERR_USAGE, "--strict needs --fail-if");
	if (o->table && (q->fail_if.nr || o->metric || o->caps.nr || o->pool))
		return err_set(e, ERR_USAGE,
			       "--table compares nothing, so it goes without --fail-if, --metric, "
			       "--cap and --pool");
	return 0;
}

static int parse_table_runs(const struct str_list *args, struct request *q, struct err *e)
{
	if (!args->nr)
		return err_set(e, ERR_USAGE, "--table needs the numbers of runs");
	for (size_t i = 0; i < args->nr; i++)
		if (run_list_add(&q->runs, args->v[i], e))
			return -1;
	return 0;
}

static int parse_groups(const struct str_list *args, struct request *q, struct err *e)
{
	struct run_list b = {0};
	int rc = 0;

	if (args->nr != 2)
		return err_set(
			e, ERR_USAGE,
			"compare takes two runs or groups of runs, such as 3 4 or 1,3,5 2,4,6");
	if (run_list_add(&q->runs, args->v[0], e))
		return -1;
	q->nr_a = q->runs.nr;
	rc = run_list_add(&b, args->v[1], e);
	for (size_t i = 0; !rc && i < b.nr; i++) {
		size_t before = q->runs.nr;
		char *id = xasprintf("%" PRId64, b.id[i]);

		rc = run_list_add(&q->runs, id, e);
		if (!rc && q->runs.nr == before)
			rc = err_set(e, ERR_USAGE, "run %s is in both groups", id);
		free(id);
	}
	run_list_release(&b);
	return rc;
}

static int parse(const struct options *o, const struct str_list *args, struct request *q,
		 struct err *e)
{
	q->how.pool = o->pool;
	q->fail_if.strict = o->strict;
	if (parse_format(o->format, &q->format, e) ||
	    output_parse(o->dir, o->images, &q->place, e) || parse_metric(o->metric, &q->how, e) ||
	    questions_caps(&o->caps, &q->caps, e) ||
	    questions_accept(&o->accept, &q->accepted, e) ||
	    fail_if_parse(&o->fail_if, &q->fail_if, e) || check_conditions(o, q, e))
		return -1;
	return o->table ? parse_table_runs(args, q, e) : parse_groups(args, q, e);
}

/* ---- comparing ---- */

/* All runs answer the same caps: those asked for, else those of the first run. */
static int choose_caps(struct store *s, struct request *q, struct err *e)
{
	struct run_info first = {0};

	if (q->caps.nr)
		return 0;
	if (store_load_run(s, q->runs.id[0], &first, e))
		return -1;
	memcpy(q->caps.v, first.caps, first.nr_caps * sizeof(*first.caps));
	q->caps.nr = first.nr_caps;
	run_info_release(&first);
	if (q->caps.nr)
		return 0;
	q->caps.nr = 1;
	return cap_parse("mean:10ms", &q->caps.v[0], e);
}

/* The caller frees what it returns, which the curves of out are. */
static struct compare_curve *run_to_compare(const struct report_run *run, struct compare_run *out)
{
	struct compare_curve *curves = xcalloc(run->nr_curves + 1, sizeof(*curves));

	for (size_t i = 0; i < run->nr_curves; i++)
		curves[i] = (struct compare_curve){run->curves[i].curve, &run->curves[i].knee,
						   run->curves[i].cap};
	*out = (struct compare_run){.curves = curves, .nr = run->nr_curves};
	for (size_t i = 0; i < run->nr_points; i++)
		out->nr_open += point_is_open(&run->points[i].spec);
	return curves;
}

static void compare(const struct report *r, const struct request *q, struct comparison *c)
{
	struct compare_run *runs = xcalloc(r->nr_runs, sizeof(*runs));
	struct compare_curve **curves = xcalloc(r->nr_runs, sizeof(*curves));
	struct compare_group group[2] = {{runs, q->nr_a}, {runs + q->nr_a, r->nr_runs - q->nr_a}};
	struct compare_how how = q->how;

	how.caps = q->caps.v;
	how.nr_caps = q->caps.nr;
	for (size_t i = 0; i < r->nr_runs; i++)
		curves[i] = run_to_compare(&r->runs[i], &runs[i]);
	compare_groups(group, &how, c);
	for (size_t i = 0; i < r->nr_runs; i++)
		free(curves[i]);
	free(curves);
	free(runs);
}

/* The row of another run's point that the curves of this run hold; NULL when it is not among them. */
static const struct point *find_point(const struct report_run *run, int64_t point_id)
{
	for (size_t i = 0; i < run->nr_curves; i++) {
		const struct curve *c = run->curves[i].curve;

		for (size_t k = 0; k < c->nr_rows; k++)
			if (c->row[k]->point_id == point_id)
				return c->row[k];
	}
	return NULL;
}

static int check_apart(const struct report_run *a, const struct report_run *b, struct err *e)
{
	for (size_t i = 0; a->is_search && i < a->nr_curves; i++) {
		const struct curve *c = a->curves[i].curve;

		for (size_t k = 0; k < c->nr_rows; k++)
			if (find_point(b, c->row[k]->point_id))
				return err_set(e, ERR_USAGE,
					       "runs %" PRId64 " and %" PRId64
					       " hold the same points, of run %" PRId64
					       ", so they are not two measurements; 'lunsweep find "
					       "--fresh' measures all anew",
					       a->info->id, b->info->id, c->row[k]->run_id);
	}
	return 0;
}

/* A search that began with the points of another run says nothing new of them: counted twice, they would
 * pass for repeats that agree to the last digit. */
static int check_independent(const struct report *r, struct err *e)
{
	for (size_t i = 0; i < r->nr_runs; i++)
		for (size_t k = 0; k < r->nr_runs; k++)
			if (i != k && check_apart(&r->runs[i], &r->runs[k], e))
				return -1;
	return 0;
}

/* The exit status, and the sentence of --fail-if. */
static int judge(const struct request *q, const struct comparison *c, struct buf *sentence)
{
	if (q->fail_if.nr)
		return fail_if_judge(&q->fail_if, c, sentence);
	return c->nr ? 0 : STATUS_NOTHING_COMMON;
}

static bool is_for_people(enum format format)
{
	return format == FORMAT_TEXT || format == FORMAT_MARKDOWN;
}

static struct text_style style_of(enum format format)
{
	return format == FORMAT_TEXT ? cmd_report_style()
				     : (struct text_style){.is_markdown = true};
}

static void format_comparison(struct buf *b, const struct compare_report *r, enum format format,
			      int status)
{
	if (is_for_people(format))
		compare_text(b, r, style_of(format));
	else if (format == FORMAT_CSV)
		compare_csv(b, r);
	else
		compare_json(b, r, status);
}

static void release_files(struct output_file *files, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		buf_release(&files[i].text);
}

static int write_comparison(const struct compare_report *view, const struct report *r,
			    const struct output_place *place, int status)
{
	struct output_file files[] = {{"compare.txt", BUF_INIT},
				      {"compare.csv", BUF_INIT},
				      {"compare.json", BUF_INIT},
				      {"compare.md", BUF_INIT}};
	struct charts charts;
	struct err e = {0};
	int rc;

	compare_text(&files[0].text, view, (struct text_style){0});
	compare_csv(&files[1].text, view);
	compare_json(&files[2].text, view, status);
	compare_text(&files[3].text, view, style_of(FORMAT_MARKDOWN));
	charts_build_compare(view, r, &charts);
	rc = output_write(place, files, NR(files), &charts, &e);
	charts_release(&charts);
	release_files(files, NR(files));
	return rc ? cmd_fail(&e) : 0;
}

static int print_comparison(const struct report *r, const struct request *q)
{
	const struct run_info **info = xcalloc(r->nr_runs, sizeof(const struct run_info *));
	struct compare_report view = {
		.group = {{info, q->nr_a}, {info + q->nr_a, r->nr_runs - q->nr_a}}};
	struct setup_difference *setup = NULL;
	struct buf sentence = BUF_INIT, b = BUF_INIT;
	struct comparison c;
	int status;

	for (size_t i = 0; i < r->nr_runs; i++)
		info[i] = r->runs[i].info;
	compare(r, q, &c);
	compare_setups(view.group, &setup, &view.nr_setup);
	view.setup = setup;
	view.c = &c;
	view.order = compare_order(view.group);
	status = judge(q, &c, &sentence);
	view.condition = q->fail_if.nr ? buf_text(&sentence) : NULL;
	format_comparison(&b, &view, q->format, status);
	if (cmd_print(&b) || (q->place.dir && write_comparison(&view, r, &q->place, status)))
		status = 1;
	/* For whoever reads the data by a program, and the log by eye. */
	if (view.condition && !is_for_people(q->format))
		(status ? log_warn : log_info)("--fail-if: %s", view.condition);
	buf_release(&b);
	buf_release(&sentence);
	comparison_release(&c);
	free(setup);
	free(info);
	return status;
}

static int write_table(const struct run_table *t, const struct report *r,
		       const struct output_place *place)
{
	struct output_file files[] = {{"table.txt", BUF_INIT},
				      {"table.csv", BUF_INIT},
				      {"table.json", BUF_INIT},
				      {"table.md", BUF_INIT}};
	struct charts charts;
	struct err e = {0};
	int rc;

	run_table_text(&files[0].text, t, (struct text_style){0});
	run_table_csv(&files[1].text, t);
	run_table_json(&files[2].text, t);
	run_table_text(&files[3].text, t, style_of(FORMAT_MARKDOWN));
	charts_build_table(t, r, &charts);
	rc = output_write(place, files, NR(files), &charts, &e);
	charts_release(&charts);
	release_files(files, NR(files));
	return rc ? cmd_fail(&e) : 0;
}

static int print_table(const struct report *r, const struct request *q)
{
	struct run_table t;
	struct buf b = BUF_INIT;
	int rc;

	run_table_build(r, &t);
	if (is_for_people(q->format))
		run_table_text(&b, &t, style_of(q->format));
	else if (q->format == FORMAT_CSV)
		run_table_csv(&b, &t);
	else
		run_table_json(&b, &t);
	rc = cmd_print(&b);
	if (!rc && q->place.dir)
		rc = write_table(&t, r, &q->place);
	buf_release(&b);
	run_table_release(&t);
	return rc;
}

static int load_and_print(const struct options *o, struct request *q)
{
	struct cmd_report_how how = {.accepted = q->accepted};
	struct report_set set;
	struct store *s = NULL;
	struct err e = {0};
	int status;

	if (store_open(&s, cmd_db_path(o->db), STORE_READ, &e))
		return cmd_fail(&e);
	if (choose_caps(s, q, &e)) {
		store_close(s);
		return cmd_fail(&e);
	}
	how.caps = q->caps.v;
	how.nr_caps = q->caps.nr;
	if (report_set_load(s, q->runs.id, q->runs.nr, &how, &set, &e)) {
		status = cmd_fail(&e);
	} else {
		if (o->table)
			status = print_table(&set.report, q);
		else if (check_independent(&set.report, &e))
			status = cmd_fail(&e);
		else
			status = print_comparison(&set.report, q);
		report_set_release(&set);
	}
	store_close(s);
	return status;
}

static int run_compare(int argc, char **argv)
{
	struct options o = {0};
	struct str_list args = {0};
	struct request q = {0};
	struct err e = {0};
	int status = 2;

	if (!cmd_parse(&cmd_compare, argc, argv, &o, &args))
		status = parse(&o, &args, &q, &e) ? cmd_fail(&e) : load_and_print(&o, &q);
	run_list_release(&q.runs);
	str_list_release(&o.caps);
	str_list_release(&o.accept);
	str_list_release(&o.fail_if);
	str_list_release(&args);
	return status;
}

const struct cmd cmd_compare = {
	.name = "compare",
	.args = "A B [OPTION...] | --table RUN... [OPTION...]",
	.summary = "two groups of runs: ratios, and what is really different",
	.about =
		"A and B are runs or groups of runs: 3, or 1,3,5, or 4..6. Compares IOPS and mean\n"
		"latency point by point, the knee and the maximum under each cap, and lists what\n"
		"differs in the set-ups. The target is no part of a point, so two targets can be\n"
		"compared as well as one before and after a change.\n"
		"\n"
		"Runs of one target differ by more than each of them shows. So three runs of each\n"
		"are tested (Welch), two with the variance of all depths of a curve, and one run\n"
		"gives a ratio without significance. Run A and B in turn. Different means:\n"
		"p < .05 by Holm's adjustment, and by 5 % or more. Equivalent: the 90 % interval\n"
		"of the ratio lies within 5 %.\n"
		"\n"
		"CONDITION is worse:5%, iops-worse:5%, lat-worse:5% or different. Exit status 4:\n"
		"it is met; 3: it cannot be judged, such as with one run each.\n"
		"\n"
		"With -o, DIR gets the data and charts: ratios with their intervals, or with\n"
		"--table bars, and the curves of all runs over each other.\n"
		"\n"
		"Examples:\n"
		"  lunsweep compare 1,3 2,4 --fail-if worse:5%\n"
		"  lunsweep compare --table 1..4 --format csv >table.csv\n",
	.groups = groups,
	.run = run_compare,
};
