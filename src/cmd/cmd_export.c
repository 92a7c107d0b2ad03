/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/units.h"
#include "cmd/columns.h"
#include "cmd/fio_jobs.h"
#include "report/json_write.h"
#include "stats/ci.h"
#include "store/store.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct export_options {
	const char *db, *format, *output, *point, *series;
	bool fio;
};

static const struct opt export_opts[] = {
	{"format", 0, OPT_STR, offsetof(struct export_options, format), "FORMAT",
	 "csv, json, or fio: a job file for fio (csv)"},
	{"fio", 0, OPT_FLAG, offsetof(struct export_options, fio), NULL,
	 "the same as --format fio"},
	{"point", 0, OPT_STR, offsetof(struct export_options, point), "POINT",
	 "only this point (its seq)"},
	{"output", 'o', OPT_STR, offsetof(struct export_options, output), "FILE",
	 "write to FILE instead of standard output"},
	{"series", 0, OPT_STR, offsetof(struct export_options, series), "POINT",
	 "intervals of one point (its seq) instead, as CSV"},
	{"db", 0, OPT_STR, offsetof(struct export_options, db), "PATH",
	 "database (LUNSWEEP_DB, else ./lunsweep.db)"},
	{0},
};

static const struct opt_group export_groups[] = {{"Options", export_opts}, {0}};

/* One line of the export. */
struct row {
	const struct run_info *run;
	const struct point *p;
	const struct figures *f;
	enum dir dir;
};

/* Half of the 95 % interval in per cent, from a relative standard error. */
static double ci_pct(double se_rel)
{
	return 100 * Z_95 * se_rel;
}

static double ms(double ns)
{
	return ns / (double)NS_PER_MS;
}

/* 0 stands for a span that an import did not say. */
static double span_bytes(const struct point_spec *s)
{
	return s->span_bytes ? (double)s->span_bytes : UNKNOWN;
}

static double span_pct(const struct point_spec *s)
{
	return s->span_e4 ? 100.0 * s->span_e4 / UNITS_100_PERCENT : UNKNOWN;
}

static double rate_pct(const struct point_spec *s)
{
	return s->rate_e4 ? 100.0 * s->rate_e4 / UNITS_100_PERCENT : UNKNOWN;
}

/*
 * The columns, each once: name with unit, how it is taken from a row r, and what it says. The
 * getters, the table and the help are made from this list. Y is a column that the line of another
 * one explains, since --help must fit a screen.
 */
#define EXPORT_COLUMNS(X, Y) \
	X(run, value_int(v, r->p->run_id), "number of the run") \
	X(seq, value_int(v, r->p->seq), "number of the point in its run") \
	X(status, value_text(v, point_status_name(r->p->status)), "ok, failed, no-io, ...") \
	X(target, value_text(v, r->run->target_identity), "identity of the target") \
	X(target_label, value_text(v, r->run->target_label), "its short name") \
	X(rw, value_text(v, rw_name(r->p->spec.rw)), "I/O pattern, by fio's names") \
	X(dir, value_text(v, dir_name(r->dir)), "total, read or write: whose figures these are") \
	X(bs_bytes, value_int(v, (int64_t)r->p->spec.bs_bytes), "block size") \
	X(iodepth, value_int(v, r->p->spec.iodepth), "I/Os in flight asked, over all workers") \
	X(span_bytes, value_count(v, span_bytes(&r->p->spec)), "part of the target in use") \
	X(span_pct, value_real(v, span_pct(&r->p->spec)), "the same where asked in per cent") \
	X(offset_bytes, value_int(v, (int64_t)r->p->spec.offset_bytes), "where the span begins") \
	X(rwmixread_pct, value_int(v, r->p->spec.rwmixread_pct), "share of reads") \
	X(random_pct, value_int(v, r->p->spec.random_pct), "share of random offsets") \
	X(workers, value_int(v, r->p->spec.workers), "threads") \
	X(repeat, value_int(v, r->p->spec.repeat), "1, 2, ... of the same point") \
	X(ios, value_count(v, r->f->ios), "completions in the window") \
	X(iops, value_real(v, r->f->iops), "completions per second") \
	X(iops_ci_pct, value_real(v, ci_pct(r->f->iops_se_rel)), "half of its 95 % interval") \
	X(mib_s, value_real(v, r->f->mib_s), "MiB per second") \
	X(lat_mean_ms, value_real(v, ms(r->f->lat_mean_ns)), "latency, submit to completion") \
	X(lat_ci_pct, value_real(v, ci_pct(r->f->lat_se_rel)), "half of its 95 % interval") \
	X(lat_sd_ms, value_real(v, ms(r->f->lat_sd_ns)), "its standard deviation") \
	X(lat_min_ms, value_real(v, ms(r->f->lat_min_ns)), "its minimum") \
	X(lat_p50_ms, value_real(v, ms(r->f->lat_p50_ns)), "50 %, the median") \
	X(lat_p90_ms, value_real(v, ms(r->f->lat_p90_ns)), "90 %") \
	X(lat_p95_ms, value_real(v, ms(r->f->lat_p95_ns)), "95 %") \
	X(lat_p95_lo_ms, value_real(v, ms(r->f->lat_p95_lo_ns)), \
	  "its 95 % interval, to lat_p95_hi_ms") \
	Y(lat_p95_hi_ms, value_real(v, ms(r->f->lat_p95_hi_ns)), NULL) \
	X(lat_p99_ms, value_real(v, ms(r->f->lat_p99_ns)), "99 %") \
	X(lat_p99_lo_ms, value_real(v, ms(r->f->lat_p99_lo_ns)), \
	  "its 95 % interval, to lat_p99_hi_ms") \
	Y(lat_p99_hi_ms, value_real(v, ms(r->f->lat_p99_hi_ns)), NULL) \
	X(lat_p999_ms, value_real(v, ms(r->f->lat_p999_ns)), "99.9 %") \
	X(lat_max_ms, value_real(v, ms(r->f->lat_max_ns)), "its maximum") \
	X(slat_mean_ms, value_real(v, ms(r->f->slat_mean_ns)), "part inside the submit call") \
	X(clat_mean_ms, value_real(v, ms(r->f->clat_mean_ns)), "the rest") \
	X(util_pct, value_real(v, r->p->util_pct), "device busy") \
	X(cpu_pct, value_real(v, r->p->cpu_pct), "CPU of all workers; 100 is one core") \
	X(depth_mean, value_real(v, r->p->depth_mean), "I/Os in flight achieved, mean") \
	X(depth_max, value_count(v, r->p->depth_max), "and maximum") \
	X(window_s, value_real(v, r->p->window_s), "how long it was measured") \
	X(ramp_s, value_real(v, r->p->ramp_s), "ramp before it") \
	X(started_utc, value_utc(v, r->p->start_wall_ns), "wall clock") \
	X(flags, value_flags(v, r->p->flags), "verdicts, separated by blanks") \
	X(reason, value_text(v, r->p->reason), "why it failed or was skipped") \
	X(origin, value_text(v, r->p->imported ? "imported" : "measured"), "measured or imported") \
	X(is_anchor, value_int(v, r->p->spec.is_anchor), \
	  "1: measured again at the end of its curve") \
	X(rate_iops, value_real(v, r->p->rate_iops), "offered load; empty for a closed loop") \
	X(rate_pct, value_real(v, rate_pct(&r->p->spec)), "the same where asked in per cent") \
	X(arrivals, value_count(v, r->p->arrivals), "starts intended in the window") \
	X(backlog, value_count(v, r->p->backlog), "starts not submitted at its end") \
	X(late_p50_ms, value_real(v, ms(r->p->late_p50_ns)), \
	  "submitted later than intended; also late_p99_ms, late_max_ms") \
	Y(late_p99_ms, value_real(v, ms(r->p->late_p99_ns)), NULL) \
	Y(late_max_ms, value_real(v, ms(r->p->late_max_ns)), NULL)

#define GETTER(name, put, help) \
	static void get_##name(const void *row, struct value *v) \
	{ \
		const struct row *r = row; \
\
		put; \
	}
EXPORT_COLUMNS(GETTER, GETTER)

#define COLUMN(name, put, help) {#name, get_##name, 0},
static const struct column columns[] = {EXPORT_COLUMNS(COLUMN, COLUMN)};

#define HELP(name, put, help) "  " #name ": " help "\n"
#define NO_HELP(name, put, help)

/* Whether figures of this direction were asked for; total always is (D30). */
static bool has_dir(const struct point_spec *s, enum dir dir)
{
	if (dir == DIR_TOTAL)
		return true;
	return dir == DIR_READ ? s->rwmixread_pct > 0 : s->rwmixread_pct < 100;
}

typedef void row_fn(const struct row *r, struct buf *b);

static void each_row(const struct run_info *run, const struct point *points, size_t nr, row_fn *fn,
		     struct buf *b)
{
	static const enum dir order[] = {DIR_TOTAL, DIR_READ, DIR_WRITE};

	for (size_t i = 0; i < nr; i++) {
		for (size_t d = 0; d < NR(order); d++) {
			struct row r = {run, &points[i], &points[i].dir[order[d]], order[d]};

			if (has_dir(&points[i].spec, order[d]))
				fn(&r, b);
		}
	}
}

static void csv_row(const struct row *r, struct buf *b)
{
	columns_csv_row(columns, NR(columns), r, b);
}

static void json_row(const struct row *r, struct buf *b)
{
	if (b->text[b->len - 1] == '}')
		buf_addch(b, ',');
	buf_addstr(b, "\n  ");
	columns_json_row(columns, NR(columns), r, b);
}

static void json_pair(struct buf *b, const char *name, const char *value)
{
	buf_addf(b, ",\n  \"%s\": ", name);
	buf_json_str(b, value);
}

/* What is known about the run, so that the file can be understood alone. */
static void json_run(const struct run_info *r, struct buf *b)
{
	json_begin(b, "export", 1);
	buf_addf(b, ",\n \"run\": {\n  \"run\": %" PRId64, r->id);
	json_pair(b, "state", run_state_name(r->state));
	json_pair(b, "sweep", r->sweep_name);
	json_pair(b, "question", r->question);
	json_pair(b, "sweep_text", r->sweep_text);
	json_pair(b, "command", r->command);
	json_pair(b, "tool_version", r->tool_version);
	json_pair(b, "engine", r->engine);
	/* As text: a number in JSON is a double, which does not hold 64 bits. */
	buf_addf(b, ",\n  \"seed\": \"%" PRIu64 "\"", r->seed);
	json_pair(b, "target", r->target_identity);
	json_pair(b, "target_label", r->target_label);
	json_pair(b, "target_given", r->target_given);
	json_pair(b, "target_resolved", r->target_resolved);
	buf_addstr(b, ",\n  \"facts\": {");
	for (size_t i = 0; i < r->facts.nr; i++) {
		buf_addstr(b, i ? ",\n    " : "\n    ");
		buf_json_str(b, r->facts.v[i].name);
		buf_addstr(b, ": ");
		buf_json_str(b, r->facts.v[i].value);
	}
	buf_addstr(b, "}},\n \"points\": [");
}

enum export_format { EXPORT_CSV, EXPORT_JSON, EXPORT_FIO, EXPORT_NR };

static const char *const format_names[EXPORT_NR] = {"csv", "json", "fio"};

struct export_job {
	int64_t run_id;
	uint32_t point;	 /* the only one, or 0 */
	uint32_t series; /* the point of the series, or 0 */
	enum export_format format;
};

static int add_points(const struct export_job *job, const struct run_info *run,
		      const struct point *points, size_t nr, struct buf *b, struct err *e)
{
	switch (job->format) {
	case EXPORT_JSON:
		json_run(run, b);
		each_row(run, points, nr, json_row, b);
		buf_addstr(b, "]}\n");
		return 0;
	case EXPORT_FIO:
		return fio_jobs_of_run(run, points, nr, b, e);
	default:
		columns_csv_header(columns, NR(columns), b);
		each_row(run, points, nr, csv_row, b);
		return 0;
	}
}

/* Of all points the one that is asked for. */
static int pick_point(const struct export_job *job, const struct point **points, size_t *nr,
		      struct err *e)
{
	for (size_t i = 0; i < *nr; i++) {
		if ((*points)[i].seq != job->point)
			continue;
		*points += i;
		*nr = 1;
		return 0;
	}
	return err_set(e, ERR_DATA, "run %" PRId64 " has no point %" PRIu32, job->run_id,
		       job->point);
}

static int export_points(struct store *s, const struct export_job *job, struct buf *b,
			 struct err *e)
{
	struct point *points = NULL;
	const struct point *picked;
	struct run_info run;
	size_t nr = 0, nr_picked;
	int rc;

	if (store_load_run(s, job->run_id, &run, e))
		return -1;
	if (store_load_points(s, job->run_id, &points, &nr, e)) {
		run_info_release(&run);
		return -1;
	}
	picked = points;
	nr_picked = nr;
	rc = job->point ? pick_point(job, &picked, &nr_picked, e) : 0;
	if (!rc)
		rc = add_points(job, &run, picked, nr_picked, b, e);
	store_free_points(points, nr);
	run_info_release(&run);
	return rc;
}

struct interval_row {
	const struct measurement *m;
	size_t i;
};

static double interval_lat_ms(const struct interval *v, enum dir d)
{
	return v->ios[d] ? ms((double)v->lat_ns[d] / v->ios[d]) : UNKNOWN;
}

#define SERIES_COLUMNS(X) \
	X(interval, value_int(v, (int64_t)r->i)) \
	X(start_s, value_real(v, (double)(r->i * r->m->interval_ns) / (double)NS_PER_S)) \
	X(length_s, value_real(v, (double)r->m->interval_ns / (double)NS_PER_S)) \
	X(read_ios, value_int(v, r->m->series[r->i].ios[DIR_READ])) \
	X(read_lat_mean_ms, value_real(v, interval_lat_ms(&r->m->series[r->i], DIR_READ))) \
	X(write_ios, value_int(v, r->m->series[r->i].ios[DIR_WRITE])) \
	X(write_lat_mean_ms, value_real(v, interval_lat_ms(&r->m->series[r->i], DIR_WRITE))) \
	X(read_lat_max_ms, value_real(v, ms(interval_lat_max_ns(&r->m->series[r->i], DIR_READ)))) \
	X(write_lat_max_ms, value_real(v, ms(interval_lat_max_ns(&r->m->series[r->i], DIR_WRITE))))

#define SERIES_GETTER(name, put) \
	static void series_##name(const void *row, struct value *v) \
	{ \
		const struct interval_row *r = row; \
\
		put; \
	}
SERIES_COLUMNS(SERIES_GETTER)

#define SERIES_COLUMN(name, put) {#name, series_##name, 0},
static const struct column series_columns[] = {SERIES_COLUMNS(SERIES_COLUMN)};

static int export_series(struct store *s, int64_t run_id, uint32_t seq, struct buf *b,
			 struct err *e)
{
	struct measurement m;
	int rc = 0;

	if (store_load_measurement(s, run_id, seq, &m, e))
		return -1;
	if (!m.nr_intervals)
		rc = err_set(e, ERR_DATA,
			     "point %" PRIu32 " of run %" PRId64
			     " has no series: it was imported, or did not run",
			     seq, run_id);
	columns_csv_header(series_columns, NR(series_columns), b);
	for (size_t i = 0; i < m.nr_intervals; i++) {
		struct interval_row r = {&m, i};

		columns_csv_row(series_columns, NR(series_columns), &r, b);
	}
	measurement_release(&m);
	return rc;
}

static int parse_format(const struct export_options *o, enum export_format *out, struct err *e)
{
	*out = o->fio ? EXPORT_FIO : EXPORT_CSV;
	if (!o->format)
		return 0;
	for (*out = 0; *out < EXPORT_NR; (*out)++)
		if (!strcmp(format_names[*out], o->format))
			break;
	if (*out == EXPORT_NR)
		return err_set(e, ERR_USAGE, "--format is csv, json or fio, not '%s'", o->format);
	if (o->fio && *out != EXPORT_FIO)
		return err_set(e, ERR_USAGE, "--fio and --format %s contradict each other",
			       o->format);
	return 0;
}

static int parse_seq(const char *option, const char *text, uint32_t *out, struct err *e)
{
	uint64_t seq = 0;

	if (!text)
		return 0;
	if (units_parse_count(text, &seq, e))
		return err_wrap(e, "%s", option);
	if (!seq || seq > UINT32_MAX)
		return err_set(e, ERR_USAGE, "%s: there is no point '%s'", option, text);
	*out = (uint32_t)seq;
	return 0;
}

static int parse_job(const struct export_options *o, const struct str_list *args,
		     struct export_job *job, struct err *e)
{
	uint64_t run_id = 0;

	if (args->nr != 1)
		return err_set(e, ERR_USAGE,
			       "export takes the number of one run; 'lunsweep "
			       "list' shows all");
	if (parse_format(o, &job->format, e))
		return -1;
	if (o->series && job->format != EXPORT_CSV)
		return err_set(e, ERR_USAGE, "--series is written as CSV only");
	if (o->series && o->point)
		return err_set(e, ERR_USAGE, "--series names its point already; leave out --point");
	if (units_parse_count(args->v[0], &run_id, e))
		return err_wrap(e, "run");
	job->run_id = (int64_t)run_id;
	return parse_seq("--series", o->series, &job->series, e) ||
			       parse_seq("--point", o->point, &job->point, e)
		       ? -1
		       : 0;
}

/* The database is never what is written over. */
static int check_output(const struct export_options *o, struct err *e)
{
	struct stat db, out;

	if (!o->output || stat(cmd_db_path(o->db), &db) < 0 || stat(o->output, &out) < 0 ||
	    db.st_dev != out.st_dev || db.st_ino != out.st_ino)
		return 0;
	return err_set(e, ERR_USAGE, "--output '%s' is the database itself; name another file",
		       o->output);
}

static int do_export(const struct export_options *o, const struct export_job *job, struct buf *b,
		     struct err *e)
{
	struct store *s = NULL;
	int rc;

	if (check_output(o, e) || store_open(&s, cmd_db_path(o->db), STORE_READ, e))
		return -1;
	rc = job->series ? export_series(s, job->run_id, job->series, b, e)
			 : export_points(s, job, b, e);
	store_close(s);
	if (!rc && o->output)
		rc = file_write(o->output, buf_text(b), b->len, e);
	return rc;
}

static int run_export(int argc, char **argv)
{
	struct export_options o = {0};
	struct export_job job = {0};
	struct str_list args = {0};
	struct buf b = BUF_INIT;
	struct err e = {0};
	int status = 2;

	if (!cmd_parse(&cmd_export, argc, argv, &o, &args)) {
		if (parse_job(&o, &args, &job, &e) || do_export(&o, &job, &b, &e))
			status = cmd_fail(&e);
		else
			status = o.output ? 0 : cmd_print(&b);
	}
	buf_release(&b);
	str_list_release(&args);
	return status;
}

const struct cmd cmd_export = {
	.name = "export",
	.args = "RUN [--format csv|json|fio] [-o FILE] [--series POINT]",
	.summary = "write the points of a run as CSV or JSON, or as jobs for fio",
	.about =
		"One row per point and direction: total always, read and write where the point\n"
		"has them, failed and skipped points included. A figure that is not known is an\n"
		"empty field in CSV and null in JSON. JSON also has what is known about the run.\n"
		"As jobs for fio each point is a job that does the same load for the same time;\n"
		"the head of the file says what fio cannot do. It works while the run goes on.\n"
		"The columns:\n\n" EXPORT_COLUMNS(
			HELP,
			NO_HELP) "\n"
				 "Examples:\n"
				 "  lunsweep export 3 --format json | jq '.points[] | [.iodepth, .iops]'\n"
				 "  lunsweep export 5 --fio -o run5.fio && fio --readonly --parse-only run5.fio\n",
	.groups = export_groups,
	.run = run_export,
};
