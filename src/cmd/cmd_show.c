/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"
#include "cmd/output.h"

#include "base/file.h"
#include "base/units.h"
#include "cmd/cmd_report.h"
#include "cmd/keep.h"
#include "report/chart_point.h"
#include "report/point_json.h"
#include "report/point_text.h"
#include "report/run_text.h"
#include "report/text_plot.h"
#include "store/store.h"

#include <inttypes.h>
#include <string.h>

struct show_options {
	const char *db, *dir, *format;
	bool plot;
};

static const struct opt show_opts[] = {
	{"db", 0, OPT_STR, offsetof(struct show_options, db), "PATH",
	 "database (LUNSWEEP_DB, else ./lunsweep.db)"},
	{"output", 'o', OPT_STR, offsetof(struct show_options, dir), "DIR",
	 "draw the charts of a point into this directory"},
	{"plot", 0, OPT_FLAG, offsetof(struct show_options, plot), NULL,
	 "plot the series of a point in characters"},
	{"format", 0, OPT_STR, offsetof(struct show_options, format), "FORMAT",
	 "text, markdown, or json for a point (text)"},
	{0},
};

static const struct opt_group show_groups[] = {{"Options", show_opts}, {0}};

/* What is asked for. */
struct question {
	int64_t run_id;
	uint32_t seq; /* 0: the run */
	bool as_json, plot;
	const char *dir; /* of the charts of a point; NULL: none */
	struct text_style style;
};

static const struct point *find_seq(const struct point *points, size_t nr, uint32_t seq)
{
	for (size_t i = 0; i < nr; i++)
		if (points[i].seq == seq)
			return &points[i];
	return NULL;
}

/* Draw what there is to draw, and name the files on stderr. */
static int draw_point(const struct point_view *v, const char *dir, struct err *e)
{
	struct buf made = BUF_INIT, notes = BUF_INIT;
	struct charts c;
	int rc;

	charts_build_point(v, &c);
	if (!c.nr)
		buf_addf(&notes, "point %" PRIu32 " has neither series nor histograms: no charts\n",
			 v->p->seq);
	rc = file_mkdirs(dir, e) || charts_write(&c, dir, 0, &made, &notes, e) ? -1 : 0;
	output_log(&made, &notes);
	charts_release(&c);
	buf_release(&made);
	buf_release(&notes);
	return rc;
}

static int show_point(struct store *s, const struct run_info *r, const struct point *points,
		      size_t nr, const struct question *q, struct buf *b, struct err *e)
{
	struct point_view v = {.run = r, .p = find_seq(points, nr, q->seq)};
	struct measurement m;
	int rc = 0;

	if (!v.p)
		return err_set(e, ERR_DATA,
			       "run %" PRId64 " has no point %" PRIu32 "; 'lunsweep show %" PRId64
			       "' shows all",
			       r->id, q->seq, r->id);
	if (store_load_measurement(s, r->id, q->seq, &m, e))
		return -1;
	v.m = &m;
	if (q->as_json)
		point_json(b, &v);
	else
		point_text(b, &v, q->style);
	if (q->plot)
		text_series_plot(b, &m, q->style);
	if (q->dir)
		rc = draw_point(&v, q->dir, e);
	measurement_release(&m);
	return rc;
}

static int show(struct store *s, const struct question *q, struct buf *b, struct err *e)
{
	struct point *points = NULL;
	struct run_info r;
	size_t nr = 0;
	int rc;

	if (store_load_run(s, q->run_id, &r, e))
		return -1;
	rc = store_load_points(s, q->run_id, &points, &nr, e);
	if (!rc && q->seq)
		rc = show_point(s, &r, points, nr, q, b, e);
	else if (!rc)
		run_text(b, &r, points, nr, q->style);
	store_free_points(points, nr);
	run_info_release(&r);
	return rc;
}

static int parse_numbers(const struct str_list *args, struct question *q, struct err *e)
{
	uint64_t run = 0, point = 0;

	if (args->nr < 1 || args->nr > 2)
		return err_set(e, ERR_USAGE,
			       "show takes the number of a run, and perhaps of one of "
			       "its points; 'lunsweep list' shows all runs");
	if (units_parse_count(args->v[0], &run, e))
		return err_wrap(e, "run");
	if (args->nr == 2 && units_parse_count(args->v[1], &point, e))
		return err_wrap(e, "point");
	if (args->nr == 2 && (!point || point > UINT32_MAX))
		return err_set(e, ERR_USAGE, "point: '%s' is out of range", args->v[1]);
	q->run_id = (int64_t)run;
	q->seq = (uint32_t)point;
	return 0;
}

static int parse_format(const char *format, struct question *q, struct err *e)
{
	bool as_markdown = format && !strcmp(format, "markdown");

	q->as_json = format && !strcmp(format, "json");
	q->style = as_markdown ? (struct text_style){.is_markdown = true} : cmd_report_style();
	if (format && !q->as_json && !as_markdown && strcmp(format, "text") != 0)
		return err_set(e, ERR_USAGE, "'%s' is no format: use text, markdown or json",
			       format);
	if (q->as_json && !q->seq)
		return err_set(e, ERR_USAGE,
			       "show gives a point as JSON; 'lunsweep report %" PRId64
			       " --format json' gives a run",
			       q->run_id);
	return 0;
}

static int check_plot(const struct question *q, struct err *e)
{
	if (q->plot && q->as_json)
		return err_set(e, ERR_USAGE,
			       "--plot is for text and markdown: JSON has the figures");
	if (q->plot && !q->seq)
		return err_set(e, ERR_USAGE,
			       "show plots the series of a point; 'lunsweep report %" PRId64
			       " --plot' plots the curves of a run",
			       q->run_id);
	return 0;
}

static int check_dir(const struct question *q, struct err *e)
{
	if (!q->dir || q->seq)
		return 0;
	return err_set(e, ERR_USAGE,
		       "show draws the charts of a point; 'lunsweep report %" PRId64
		       " -o %s' draws those of a run",
		       q->run_id, q->dir);
}

static int show_from(const struct show_options *o, const struct str_list *args, struct buf *b,
		     struct err *e)
{
	struct question q = {0};
	struct store *s = NULL;
	int rc;

	q.dir = o->dir;
	q.plot = o->plot;
	if (parse_numbers(args, &q, e) || parse_format(o->format, &q, e) || check_dir(&q, e) ||
	    check_plot(&q, e))
		return -1;
	keep_say_spools(cmd_db_path(o->db));
	if (store_open(&s, cmd_db_path(o->db), STORE_READ, e))
		return -1;
	rc = show(s, &q, b, e);
	store_close(s);
	return rc;
}

static int run_show(int argc, char **argv)
{
	struct show_options o = {0};
	struct str_list args = {0};
	struct buf b = BUF_INIT;
	struct err e = {0};
	int status = 2;

	if (!cmd_parse(&cmd_show, argc, argv, &o, &args)) {
		bool is_failed = show_from(&o, &args, &b, &e) != 0;

		/* Without charts the text is there all the same. */
		status = b.len ? cmd_print(&b) : 0;
		status = is_failed ? cmd_fail(&e) : status;
	}
	buf_release(&b);
	str_list_release(&args);
	return status;
}

const struct cmd cmd_show = {
	.name = "show",
	.args = "RUN [POINT] [OPTION...]",
	.summary = "show a run, or one of its points in full",
	.about =
		"For a run: the target, the command, everything known about the set-up, the sweep\n"
		"and a line per point. For a point (its seq): depth, rates and latency by worker\n"
		"and direction, percentiles from min to 9 nines and max, CPU of the workers and\n"
		"of the host's cores, the device's counters, and what each verdict means. A\n"
		"percentile with fewer than 10 samples beyond it is marked. It works while the\n"
		"run goes on. With -o, DIR gets charts of the point: IOPS and latency over time,\n"
		"the tail, and the distribution of its latencies; --plot draws the first in\n"
		"characters.\n\n"
		"Examples:\n"
		"  lunsweep show 3\n"
		"  lunsweep show 3 17 --plot\n",
	.groups = show_groups,
	.run = run_show,
};
