/* SPDX-License-Identifier: MIT */
#include "cmd/cmd_report.h"

#include "base/term.h"
#include "base/units.h"
#include "cmd/cmd.h"
#include "cmd/keep.h"
#include "cmd/output.h"
#include "cmd/questions.h"
#include "cmd/report_files.h"
#include "cmd/report_page.h"
#include "cmd/report_set.h"
#include "cmd/run_lists.h"
#include "report/pivot.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The command line. */

struct options {
	const char *db, *dir, *format, *span_depth, *images, *table;
	const char *x, *series, *panel;
	struct str_list caps, accept, figures, where, y;
	bool explain, plot, util;
};

static const struct opt opts[] = {
	{"db", 0, OPT_STR, offsetof(struct options, db), "PATH",
	 "database (LUNSWEEP_DB, else ./lunsweep.db)"},
	{"cap", 0, OPT_STRS, offsetof(struct options, caps), "FIGURE:TIME",
	 "latency caps: mean:10ms,p99:20ms; may be repeated"},
	{"accept", 0, OPT_STRS, offsetof(struct options, accept), "FLAGS",
	 "let points with these flags decide; may be repeated"},
	{"explain", 0, OPT_FLAG, offsetof(struct options, explain), NULL,
	 "show for each curve what its answers rest on"},
	{"plot", 0, OPT_FLAG, offsetof(struct options, plot), NULL,
	 "plot the curves in characters"},
	{"output", 'o', OPT_STR, offsetof(struct options, dir), "DIR",
	 "write HTML, text, Markdown, CSV, JSON and charts"},
	{"format", 0, OPT_STR, offsetof(struct options, format), "FORMAT",
	 "text, markdown, csv, json or html (text)"},
	{"table", 0, OPT_STR, offsetof(struct options, table), "AXES",
	 "print a table instead: by span, or by span,iodepth"},
	{"figures", 0, OPT_STRS, offsetof(struct options, figures), "LIST",
	 "what --table shows (iops,lat_mean,util)"},
	{"where", 0, OPT_STRS, offsetof(struct options, where), "CONDITION",
	 "points of --table: iodepth=16; may be repeated"},
	{"span-depth", 0, OPT_STR, offsetof(struct options, span_depth), "N",
	 "iodepth of what is against span (16, or next below)"},
	{"image", 0, OPT_STR, offsetof(struct options, images), "FORMATS",
	 "pictures of charts: svg, png, pdf (svg,png)"},
	{"util", 0, OPT_FLAG, offsetof(struct options, util), NULL,
	 "charts also show how busy the device was"},
	{NULL, 0, OPT_END, 0, NULL, NULL},
};

static const struct opt axis_opts[] = {
	{"x", 0, OPT_STR, offsetof(struct options, x), "AXIS", "what goes to the right"},
	{"series", 0, OPT_STR, offsetof(struct options, series), "AXIS", "a curve for each value"},
	{"panel", 0, OPT_STR, offsetof(struct options, panel), "AXIS",
	 "a column of panels for each value"},
	{"y", 0, OPT_STRS, offsetof(struct options, y), "FIGURES",
	 "a row of panels for each figure (iops,lat-mean)"},
	{NULL, 0, OPT_END, 0, NULL, NULL},
};

static const struct opt_group groups[] = {
	{"Options", opts}, {"One more chart, with -o", axis_opts}, {NULL, NULL}};

static int parse_depth(const char *text, uint32_t *depth, struct err *e)
{
	uint64_t v = 0;

	if (!text)
		return 0;
	if (units_parse_count(text, &v, e))
		return err_wrap(e, "--span-depth");
	if (!v || v > UINT32_MAX)
		return err_set(e, ERR_USAGE, "--span-depth: '%s' is no iodepth", text);
	*depth = (uint32_t)v;
	return 0;
}

/* Which pictures there are, and what is in them. */
static int parse_pictures(const struct options *o, struct cmd_report_how *how, struct err *e)
{
	struct output_place place;

	if (output_parse(o->dir, o->images, &place, e))
		return -1;
	how->images = place.images;
	how->charts.has_util = o->util;
	if (o->util && !o->dir && (!o->format || strcmp(o->format, "html") != 0))
		return err_set(e, ERR_USAGE,
			       "--util is of charts, which need -o DIR or --format html");
	return 0;
}

/* The chart that was asked for with -o; *is_asked says whether there is one. */
static int parse_choice(const struct options *o, struct chart_choice *c, bool *is_asked,
			struct err *e)
{
	*is_asked = o->x != NULL;
	if (!o->x && (o->series || o->panel || o->y.nr))
		return err_set(e, ERR_USAGE,
			       "--series, --panel and --y are of a chart that --x begins: "
			       "say what goes to the right, such as --x iodepth");
	if (!o->x)
		return 0;
	if (!o->dir)
		return err_set(
			e, ERR_USAGE,
			"--x asks for a chart, which is drawn into a directory: give -o DIR too");
	return chart_choice_parse(c, o->x, o->series, o->panel, &o->y, e);
}

struct text_style cmd_report_style(void)
{
	return (struct text_style){.width = term_width(STDOUT_FILENO),
				   .color = term_has_color(STDOUT_FILENO),
				   .utf8 = term_is_utf8()};
}

/* What to print: the report, or a table of it. */
struct output {
	const struct report_format *format;
	bool is_table;
	struct pivot_ask table;
};

static int add_table(struct buf *b, const struct report *r, const struct output *out, struct err *e)
{
	const char *name = out->format->name;
	struct pivot p;

	if (pivot_build(r, &out->table, &p, e))
		return -1;
	if (!strcmp(name, "csv"))
		pivot_csv(b, &p);
	else if (!strcmp(name, "json"))
		pivot_json(b, &p);
	else if (!strcmp(name, "markdown"))
		pivot_text(b, &p, (struct text_style){.is_markdown = true});
	else
		pivot_text(b, &p, cmd_report_style());
	pivot_release(&p);
	return 0;
}

/* Print in one format what was loaded. */
static int print(const struct report *r, const struct output *out)
{
	struct buf b = BUF_INIT;
	struct err e = {0};
	int rc = 0;

	if (out->is_table)
		rc = add_table(&b, r, out, &e);
	else if (out->format == &report_formats[0])
		text_report(&b, r, cmd_report_style());
	else
		out->format->add(&b, r);
	rc = rc ? cmd_fail(&e) : cmd_print(&b);
	buf_release(&b);
	return rc;
}

/* The page with charts that are drawn for it alone. */
static int draw_page(struct buf *page, const struct report_set *set,
		     const struct cmd_report_how *how)
{
	struct charts charts;
	struct err e = {0};
	int rc;

	charts_build(&set->report, &how->charts, &charts);
	rc = report_page_draw(page, set, &charts, &e) ? cmd_fail(&e) : 0;
	charts_release(&charts);
	return rc;
}

/* With a directory it has all formats; the terminal still gets what it asked for. */
static int put_out(const struct report_set *set, const char *dir, const struct cmd_report_how *how,
		   const struct output *out)
{
	bool is_page = !out->format->add && !out->is_table;
	struct buf page = BUF_INIT;
	struct err e = {0};
	int rc = is_page ? 0 : print(&set->report, out);

	if (dir && report_files_write(set, dir, how, &page, &e))
		rc = cmd_fail(&e);
	if (is_page && !dir)
		rc = draw_page(&page, set, how);
	if (is_page)
		rc = cmd_print(&page) || rc;
	buf_release(&page);
	return rc;
}

static int parse_table(const struct options *o, struct output *out, struct err *e)
{
	struct pivot_ask *ask = &out->table;

	*ask = (struct pivot_ask){.rows = AXIS_NR, .cols = AXIS_NR};
	out->is_table = o->table;
	if (!o->table && (o->figures.nr || o->where.nr))
		return err_set(e, ERR_USAGE, "--figures and --where are about --table");
	if (o->table && !out->format->add)
		return err_set(e, ERR_USAGE, "--table is text, markdown, csv or json, no page");
	if (o->table && pivot_parse_axes(o->table, ask, e))
		return err_wrap(e, "--table");
	for (size_t i = 0; i < o->figures.nr; i++)
		if (pivot_parse_figures(o->figures.v[i], ask, e))
			return err_wrap(e, "--figures");
	if (!ask->nr_figures)
		(void)pivot_parse_figures("iops,lat_mean,util", ask, e);
	for (size_t i = 0; i < o->where.nr; i++)
		if (pivot_parse_where(o->where.v[i], ask, e))
			return err_wrap(e, "--where");
	return 0;
}

static int find_format(const char *name, const struct report_format **f, struct err *e)
{
	for (size_t i = 0; report_formats[i].name; i++) {
		if (name && strcmp(report_formats[i].name, name) != 0)
			continue;
		*f = &report_formats[i];
		return 0;
	}
	return err_set(e, ERR_USAGE, "'%s' is no format: use text, markdown, csv, json or html",
		       name);
}

static int report(const struct options *o, const struct str_list *args,
		  const struct cmd_report_how *how, const struct output *out)
{
	struct report_set r;
	struct store *s = NULL;
	struct err e = {0};
	struct run_list runs = {0};
	int rc = 0;

	keep_say_spools(cmd_db_path(o->db));
	if (store_open(&s, cmd_db_path(o->db), STORE_READ, &e))
		return cmd_fail(&e);
	if (run_list_choose(&runs, s, args, &e) ||
	    report_set_load(s, runs.id, runs.nr, how, &r, &e)) {
		rc = cmd_fail(&e);
	} else {
		rc = put_out(&r, o->dir, how, out);
		report_set_release(&r);
	}
	run_list_release(&runs);
	store_close(s);
	return rc;
}

static int run_report(int argc, char **argv)
{
	struct options o = {0};
	struct str_list args = {0};
	struct cap_list caps = {.nr = 0};
	struct cmd_report_how how = {.caps = caps.v};
	struct chart_choice choice;
	struct output out = {0};
	struct err e = {0};
	bool is_chosen;
	int rc;

	if (cmd_parse(&cmd_report, argc, argv, &o, &args)) {
		rc = 2;
	} else if (find_format(o.format, &out.format, &e) || parse_table(&o, &out, &e) ||
		   questions_caps(&o.caps, &caps, &e) ||
		   questions_accept(&o.accept, &how.accepted, &e) ||
		   parse_depth(o.span_depth, &how.charts.span_depth, &e) ||
		   parse_pictures(&o, &how, &e) || parse_choice(&o, &choice, &is_chosen, &e)) {
		rc = cmd_fail(&e);
	} else {
		how.nr_caps = caps.nr;
		how.explain = o.explain;
		how.with_details = o.dir != NULL || !out.format->add; /* the page has charts */
		how.choice = is_chosen ? &choice : NULL;
		how.database = cmd_db_path(o.db);
		how.plot = o.plot;
		rc = report(&o, &args, &how, &out);
	}
	pivot_ask_release(&out.table);
	str_list_release(&o.figures);
	str_list_release(&o.where);
	str_list_release(&o.caps);
	str_list_release(&o.accept);
	str_list_release(&o.y);
	str_list_release(&args);
	return rc;
}

const struct cmd cmd_report = {
	.name = "report",
	.args = "[RUN...] [OPTION...]",
	.summary = "answers, tables and charts of stored runs",
	.about =
		"Says for each curve where it saturates and the maximum IOPS under each latency\n"
		"cap, with the table of its points. --explain adds what each answer rests on,\n"
		"--plot the curves in characters. Without RUN it reports the newest run.\n"
		"\n"
		"With -o, DIR gets report.html, one page with all of it that needs no other file;\n"
		"report.md, .txt, .csv and .json; and the charts: IOPS and response time against\n"
		"iodepth, span and each other, what a larger LUN costs, and more, with the\n"
		"gnuplot scripts and data beside the pictures. --table turns the points\n"
		"into tables by any axes, for people, wikis and spreadsheets.\n"
		"\n"
		"--x adds a chart of your own. AXIS is rw, bs, iodepth, span, offset, rwmixread,\n"
		"random, workers, rate or target, for --x also iops. FIGURES are of iops, mib,\n"
		"lat-mean, p50, p90, p95, p99, p99.9, util and cpu. Axes that vary and are not\n"
		"named give a picture for each value.\n"
		"\n"
		"Examples:\n"
		"  lunsweep report 3 4 --cap mean:10ms --cap p99:20ms -o lun-study\n"
		"  lunsweep report 3 -o lun-study --x bs --series iodepth --panel rw --y iops,p99\n",
	.groups = groups,
	.run = run_report,
};
