/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/units.h"
#include "cmd/import_csv.h"
#include "store/store.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FILE_BYTES (64U << 20)

struct import_options {
	const char *db, *name, *label, *queue_limit, *format;
	struct str_list map, set;
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
	{"queue-limit", 0, OPT_STR, offsetof(struct import_options, queue_limit), "N",
	 "the smallest queue limit of the host that measured"},
	{"format", 0, OPT_STR, offsetof(struct import_options, format), "text|json",
	 "how the result is printed (text)"},
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

/* One argument, quoted for a shell where it needs it. */
static void add_quoted(struct buf *b, const char *s)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-./=,:@%+";

	buf_addch(b, ' ');
	if (*s && strspn(s, plain) == strlen(s)) {
		buf_addstr(b, s);
		return;
	}
	buf_addch(b, '\'');
	for (; *s; s++) {
		if (*s == '\'')
			buf_addstr(b, "'\\'");
		buf_addch(b, *s);
	}
	buf_addch(b, '\'');
}

static char *command_line(int argc, char **argv)
{
	struct buf b = BUF_INIT;

	buf_addstr(&b, "lunsweep import");
	for (int i = 0; i < argc; i++)
		add_quoted(&b, argv[i]);
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

static int fill_run(const struct import_options *o, const char *path, const struct buf *text,
		    struct run_info *r, struct err *e)
{
	if (parse_queue_limit(o->queue_limit, &r->target_queue_limit, e))
		return -1;
	r->sweep_name = o->name ? xstrdup(o->name) : stem(path);
	r->sweep_text = xstrdup(buf_text(text));
	r->tool_version = xstrdup(lunsweep_version);
	r->git_id = xstrdup(lunsweep_git_id);
	r->target_given = xstrdup(path);
	r->target_resolved = realpath(path, NULL);
	r->target_label = xstrdup(o->label ? o->label : r->sweep_name);
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

static int print_result(bool as_json, const struct run_info *r, const struct import_table *t,
			const char *path)
{
	size_t curves = count_curves(t);
	struct buf b = BUF_INIT;
	int rc;

	if (as_json)
		buf_addf(&b, "{\"run\": %" PRId64 ", \"points\": %zu, \"curves\": %zu}\n", r->id,
			 t->nr, curves);
	else
		buf_addf(&b, "run %" PRId64 ": %zu point%s in %zu curve%s imported from '%s'\n",
			 r->id, t->nr, t->nr == 1 ? "" : "s", curves, curves == 1 ? "" : "s", path);
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

static int store_table(const struct import_options *o, struct run_info *r,
		       const struct import_table *t, struct err *e)
{
	struct store *s = NULL;
	int rc;

	if (store_open(&s, cmd_db_path(o->db), STORE_WRITE, e))
		return -1;
	if (store_warning(s))
		log_warn("%s", store_warning(s));
	rc = store_import_run(s, r, t->points, t->nr, e);
	store_close(s);
	return rc;
}

static int import_file(const struct import_options *o, const char *path, struct run_info *r,
		       struct import_table *t, struct err *e)
{
	struct pairs map = {0}, set = {0};
	struct buf text = BUF_INIT;
	int rc = split_pairs(&o->map, "map", &map, e) || split_pairs(&o->set, "set", &set, e) ||
				 file_read(path, MAX_FILE_BYTES, &text, e)
			 ? -1
			 : 0;

	if (!rc) {
		rc = import_csv(buf_text(&text), text.len, &map.list, &set.list, t, e);
		if (rc)
			(void)err_wrap(e, "%s", path);
	}
	if (!rc) {
		print_warnings(&t->warnings);
		rc = fill_run(o, path, &text, r, e);
	}
	if (!rc)
		rc = store_table(o, r, t, e);
	buf_release(&text);
	pairs_release(&map);
	pairs_release(&set);
	return rc;
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
	struct import_table t = {0};
	struct run_info r = {0};
	struct str_list args = {0};
	struct err e = {0};
	bool as_json;
	int status = 2;

	if (!cmd_parse(&cmd_import, argc, argv, &o, &args)) {
		r.command = command_line(argc, argv);
		if (check_args(&o, &args, &as_json, &e) || import_file(&o, args.v[1], &r, &t, &e))
			status = cmd_fail(&e);
		else
			status = print_result(as_json, &r, &t, args.v[1]);
	}
	import_table_release(&t);
	run_info_release(&r);
	str_list_release(&args);
	str_list_release(&o.map);
	str_list_release(&o.set);
	return status;
}

const struct cmd cmd_import = {
	.name = "import",
	.args = "csv FILE [OPTION...]",
	.summary = "take in a table of points that were measured elsewhere",
	.about =
		"Reads a CSV table, one row per point, and stores it as a finished run. The first\n"
		"row names the columns:\n\n"
		"  axes      rw (mode), bs, iodepth (qd), span, offset, rwmixread, random_pct,\n"
		"            workers, repeat\n"
		"  figures   iops, mib_s (mb_s), lat_mean (lat), lat_p50, lat_p90, lat_p95,\n"
		"            lat_p99, lat_p999, lat_min, lat_max, util_pct, cpu_pct;\n"
		"            of mixed points also read_iops, write_iops, read_lat, write_lat,\n"
		"            which make the total: the sum, and latency weighted by IOPS\n\n"
		"Latencies end with their unit (lat_ms, p99_us); bs, span and offset are sizes as\n"
		"in a sweep file (4k) or numbers with the unit in the name (bs_kib, span_gb:\n"
		"decimal, as printed). An empty field is a figure that is not known. A row whose\n"
		"IOPS times latency does not match its depth is warned of.\n\n"
		"Examples:\n"
		"  lunsweep import csv ult-lun-sizing.csv --target-label '15 disks'\n"
		"  lunsweep import csv t.csv --map 'Lat (ms)=lat_ms,Host=-' --set rw=read,bs=8k\n",
	.groups = import_groups,
	.run = run_import,
};
