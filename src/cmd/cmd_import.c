/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/units.h"
#include "cmd/import_csv.h"
#include "report/json_write.h"
#include "store/store.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FILE_BYTES (64U << 20)

struct import_options {
	const char *db, *name, *label, *queue_limit, *format, *percentiles;
	struct str_list map, set, where;
};

static const struct opt import_opts[] = {
	{"name", 0, OPT_STR, offsetof(struct import_options, name), "NAME",
	 "what the run is called (that of the file)"},
	{"target-label", 0, OPT_STR, offsetof(struct import_options, label), "LABEL",
	 "what was measured, for titles (NAME)"},
	{"map", 0, OPT_STRS, offsetof(struct import_options, map), "COL=NAME,...",
	 "what a column holds; NAME - leaves it out"},
	{"set", 0, OPT_STRS, offsetof(struct import_options, set), "AXIS=VALUE,...",
	 "axes that are the same in every row and no column"},
	{"where", 0, OPT_STRS, offsetof(struct import_options, where), "COL=TEXT,...",
	 "take only rows whose column COL has this text"},
	{"percentiles", 0, OPT_STR, offsetof(struct import_options, percentiles), "FILE",
	 "a second table: columns target, pct, total_ms, ..."},
	{"queue-limit", 0, OPT_STR, offsetof(struct import_options, queue_limit), "N",
	 "the smallest queue limit of the host that measured"},
	{"format", 0, OPT_STR, offsetof(struct import_options, format), "FORMAT",
	 "text or json (text)"},
	{"db", 0, OPT_STR, offsetof(struct import_options, db), "PATH",
	 "database (LUNSWEEP_DB, else ./lunsweep.db)"},
	{0},
};

static const struct opt_group import_groups[] = {{"Options", import_opts}, {0}};

/* Pieces of NAME=VALUE,... with the memory that they point into. */
struct pairs {
	struct pair_list list;
	char **text;
	size_t nr, cap;
};

static int split_pairs(const struct str_list *in, const char *option, struct pairs *out,
		       struct err *e)
{
	for (size_t i = 0; i < in->nr; i++) {
		char *rest = xstrdup(in->v[i]), *piece;

		VEC_GROW(out->text, out->nr, out->cap);
		out->text[out->nr++] = rest;
		while ((piece = strsep(&rest, ","))) {
			char *equals = strrchr(piece, '=');

			if (!equals || equals == piece || !equals[1])
				return err_set(e, ERR_USAGE, "--%s %s: '%s' is not NAME=VALUE",
					       option, in->v[i], piece);
			*equals = '\0';
			pair_list_add(&out->list, piece, equals + 1);
		}
	}
	return 0;
}

static void pairs_release(struct pairs *p)
{
	for (size_t i = 0; i < p->nr; i++)
		free(p->text[i]);
	free(p->text);
	pair_list_release(&p->list);
}

static char *command_line(int argc, char **argv)
{
	struct buf b = BUF_INIT;

	buf_addstr(&b, "lunsweep import");
	for (int i = 0; i < argc; i++) {
		buf_addch(&b, ' ');
		buf_shell_str(&b, argv[i]);
	}
	return buf_detach(&b);
}

/* The name of a file without its folders and its .csv. */
static char *stem(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	size_t len = strlen(base);

	if (len > 4 && !strcmp(base + len - 4, ".csv"))
		len -= 4;
	return xstrndup(base, len);
}

static int parse_queue_limit(const char *text, uint32_t *out, struct err *e)
{
	uint64_t v = 0;

	if (!text)
		return 0;
	if (units_parse_count(text, &v, e))
		return err_wrap(e, "--queue-limit");
	if (!v || v > UINT32_MAX)
		return err_set(e, ERR_USAGE, "--queue-limit: '%s' is out of range", text);
	*out = (uint32_t)v;
	return 0;
}

static int fill_run(const struct import_options *o, const char *path, const char *command,
		    const struct buf *text, const char *target, struct run_info *r, struct err *e)
{
	if (parse_queue_limit(o->queue_limit, &r->target_queue_limit, e))
		return -1;
	r->command = xstrdup(command);
	r->sweep_name = o->name ? xstrdup(o->name) : stem(path);
	r->sweep_text = xstrdup(buf_text(text));
	r->tool_version = xstrdup(lunsweep_version);
	r->git_id = xstrdup(lunsweep_git_id);
	r->target_given = xstrdup(path);
	r->target_resolved = realpath(path, NULL);
	r->target_label = xstrdup(target ? target : o->label ? o->label : r->sweep_name);
	r->target_identity = xasprintf("import:%s", r->target_label);
	return 0;
}

static size_t count_curves(const struct import_table *t)
{
	size_t nr = 0;

	for (size_t i = 0; i < t->nr; i++) {
		size_t j = 0;

		while (j < i && !point_same_curve(&t->points[j].spec, &t->points[i].spec))
			j++;
		nr += j == i;
	}
	return nr;
}

/* What was imported, and the run that each table of it became. */
struct import {
	const char *path;
	char *command;
	struct import_result tables;
	struct run_info *run;
};

static void add_text(struct buf *b, const struct import *im, size_t i)
{
	const struct import_table *t = &im->tables.v[i];
	size_t curves = count_curves(t);

	buf_addf(b, "run %" PRId64 ": %zu point%s in %zu curve%s", im->run[i].id, t->nr,
		 t->nr == 1 ? "" : "s", curves, curves == 1 ? "" : "s");
	if (t->target)
		buf_addf(b, " of '%s'", t->target);
	buf_addf(b, " imported from '%s'\n", im->path);
}

static void add_json(struct buf *b, const struct import *im)
{
	json_begin(b, "import", 1);
	json_key(b, "runs");
	buf_addch(b, '[');
	for (size_t i = 0; i < im->tables.nr; i++) {
		const struct import_table *t = &im->tables.v[i];

		json_next(b);
		buf_addch(b, '{');
		json_uint(b, "run", (uint64_t)im->run[i].id);
		json_uint(b, "points", t->nr);
		json_uint(b, "curves", count_curves(t));
		json_text(b, "target", t->target);
		buf_addch(b, '}');
	}
	buf_addstr(b, "]}\n");
}

static int print_result(const struct import *im, bool as_json)
{
	struct buf b = BUF_INIT;
	int rc;

	for (size_t i = 0; !as_json && i < im->tables.nr; i++)
		add_text(&b, im, i);
	if (as_json)
		add_json(&b, im);
	rc = cmd_print(&b);
	buf_release(&b);
	return rc;
}

static void print_warnings(const struct buf *warnings)
{
	char *copy = xstrdup(buf_text(warnings)), *rest = copy, *line;

	while ((line = strsep(&rest, "\n")))
		if (*line)
			log_warn("%s", line);
	free(copy);
}

static int store_tables(const struct import_options *o, const struct import *im, struct err *e)
{
	struct imported_run *v = xcalloc(im->tables.nr, sizeof(*v));
	struct store *s = NULL;
	int rc = store_open(&s, cmd_db_path(o->db), STORE_WRITE, e);

	for (size_t i = 0; i < im->tables.nr; i++)
		v[i] = (struct imported_run){&im->run[i], im->tables.v[i].points,
					     im->tables.v[i].nr};
	if (!rc && store_warning(s))
		log_warn("%s", store_warning(s));
	if (!rc)
		rc = store_import_runs(s, v, im->tables.nr, e);
	store_close(s);
	free(v);
	return rc;
}

static int read_table(const struct import_options *o, const struct buf *text, struct import *im,
		      struct err *e)
{
	struct pairs map = {0}, set = {0}, where = {0};
	int rc = split_pairs(&o->map, "map", &map, e) || split_pairs(&o->set, "set", &set, e) ||
				 split_pairs(&o->where, "where", &where, e)
			 ? -1
			 : 0;

	if (!rc) {
		struct import_source src = {buf_text(text), text->len, &map.list, &set.list,
					    &where.list};

		rc = import_csv(&src, &im->tables, e);
		if (rc)
			(void)err_wrap(e, "%s", im->path);
	}
	if (!rc && o->label && im->tables.v[0].target)
		rc = err_set(e, ERR_USAGE,
			     "--target-label and a column of targets both say what was measured");
	pairs_release(&map);
	pairs_release(&set);
	pairs_release(&where);
	return rc;
}

static int read_percentiles(const struct import_options *o, struct import *im, struct err *e)
{
	struct buf text = BUF_INIT;
	int rc;

	if (!o->percentiles)
		return 0;
	rc = file_read(o->percentiles, MAX_FILE_BYTES, &text, e);
	if (!rc) {
		rc = import_percentiles(buf_text(&text), text.len, &im->tables, e);
		if (rc)
			(void)err_wrap(e, "%s", o->percentiles);
	}
	buf_release(&text);
	return rc;
}

static int check_tables(struct import *im, struct err *e)
{
	int rc = import_check(&im->tables, e);

	print_warnings(&im->tables.warnings);
	return rc ? err_wrap(e, "%s", im->path) : 0;
}

static int fill_runs(const struct import_options *o, const struct buf *text, struct import *im,
		     struct err *e)
{
	int rc = 0;

	im->run = xcalloc(im->tables.nr, sizeof(*im->run));
	for (size_t i = 0; !rc && i < im->tables.nr; i++)
		rc = fill_run(o, im->path, im->command, text, im->tables.v[i].target, &im->run[i],
			      e);
	return rc;
}

static int import_file(const struct import_options *o, struct import *im, struct err *e)
{
	struct buf text = BUF_INIT;
	int rc = file_read(im->path, MAX_FILE_BYTES, &text, e);

	if (!rc)
		rc = read_table(o, &text, im, e) || read_percentiles(o, im, e) ||
				     check_tables(im, e) || fill_runs(o, &text, im, e) ||
				     store_tables(o, im, e)
			     ? -1
			     : 0;
	buf_release(&text);
	return rc;
}

static void import_release(struct import *im)
{
	for (size_t i = 0; im->run && i < im->tables.nr; i++)
		run_info_release(&im->run[i]);
	free(im->run);
	free(im->command);
	import_result_release(&im->tables);
}

static int check_args(const struct import_options *o, const struct str_list *args, bool *as_json,
		      struct err *e)
{
	*as_json = o->format && !strcmp(o->format, "json");
	if (o->format && !*as_json && strcmp(o->format, "text"))
		return err_set(e, ERR_USAGE, "--format is text or json, not '%s'", o->format);
	if (args->nr != 2 || strcmp(args->v[0], "csv"))
		return err_set(e, ERR_USAGE,
			       "import takes 'csv' and one file; see 'lunsweep "
			       "import --help'");
	return 0;
}

static int run_import(int argc, char **argv)
{
	struct import_options o = {0};
	struct str_list args = {0};
	struct import im = {0};
	struct err e = {0};
	bool as_json;
	int status = 2;

	if (!cmd_parse(&cmd_import, argc, argv, &o, &args)) {
		im.command = command_line(argc, argv);
		im.path = args.nr == 2 ? args.v[1] : NULL;
		if (check_args(&o, &args, &as_json, &e) || import_file(&o, &im, &e))
			status = cmd_fail(&e);
		else
			status = print_result(&im, as_json);
	}
	import_release(&im);
	str_list_release(&args);
	str_list_release(&o.map);
	str_list_release(&o.set);
	str_list_release(&o.where);
	return status;
}

const struct cmd cmd_import = {
	.name = "import",
	.args = "csv FILE [OPTION...]",
	.summary = "take in a table of points that were measured elsewhere",
	.about =
		"Reads a CSV table, one row per point, and stores it as a finished run. The first\n"
		"row names the columns:\n\n"
		"  axes      rw (mode), bs, iodepth (qd), iodepth_per_worker (outstanding), span,\n"
		"            offset, rwmixread (read_pct), random_pct, workers (threads), repeat\n"
		"  figures   iops, ios, mib_s (mb_s), lat_mean (lat), lat_sd, lat_min, lat_p50,\n"
		"            lat_p90, lat_p95, lat_p99, lat_p999, lat_max, util_pct, cpu_pct;\n"
		"            of mixed points also read_iops, write_iops, read_lat, write_lat,\n"
		"            whose total is their sum, and latency weighted by IOPS\n"
		"  others    target: what was measured; each one becomes a run of its own\n"
		"            dir: total, read or write; such rows are one point together\n\n"
		"Latencies end with their unit (lat_ms, p99_us); bs, span and offset are sizes as\n"
		"in a sweep file (4k) or numbers with the unit in the name (bs_kib, span_gb:\n"
		"decimal, as printed). An empty field is a figure that is not known. Without rw,\n"
		"the shares of reads and of random places say the mode. A table of percentiles\n"
		"has columns target, pct (50th, 95, p99.9, 3-nines, min, max) and total_ms,\n"
		"read_ms or write_ms; each target then has one point.\n\n"
		"Warned of: IOPS times latency that does not match the depth; MB/s that are not\n"
		"IOPS times bs; a total that is not that of its directions; two targets with the\n"
		"same figures.\n\n"
		"Examples:\n"
		"  lunsweep import csv t.csv --map 'Lat (ms)=lat_ms,Host=-' --set rw=read,bs=8k\n"
		"  lunsweep import csv arrays.csv --where thread=all --percentiles p.csv\n",
	.groups = import_groups,
	.run = run_import,
};
