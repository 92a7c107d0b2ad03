/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"

#include "base/mem.h"
#include "cmd/columns.h"
#include "cmd/keep.h"
#include "report/json_write.h"
#include "store/store.h"

#include <string.h>

struct list_options {
	const char *db, *format;
};

static const struct opt list_opts[] = {
	{"format", 0, OPT_STR, offsetof(struct list_options, format), "FORMAT",
	 "text, csv or json (text)"},
	{"db", 0, OPT_STR, offsetof(struct list_options, db), "PATH",
	 "database (LUNSWEEP_DB, else ./lunsweep.db)"},
	{0},
};

static const struct opt_group list_groups[] = {{"Options", list_opts}, {0}};

static void get_run(const void *row, struct value *v)
{
	value_int(v, ((const struct run_summary *)row)->info.id);
}

static void get_state(const void *row, struct value *v)
{
	value_text(v, run_state_name(((const struct run_summary *)row)->info.state));
}

static void get_origin(const void *row, struct value *v)
{
	value_text(v, ((const struct run_summary *)row)->info.imported ? "imported" : "measured");
}

static void get_started(const void *row, struct value *v)
{
	value_utc(v, ((const struct run_summary *)row)->info.start_wall_ns);
}

static void get_ended(const void *row, struct value *v)
{
	value_utc(v, ((const struct run_summary *)row)->info.end_wall_ns);
}

static void get_target(const void *row, struct value *v)
{
	const struct run_info *r = &((const struct run_summary *)row)->info;

	value_text(v, r->target_label ? r->target_label : r->target_identity);
}

static void get_identity(const void *row, struct value *v)
{
	value_text(v, ((const struct run_summary *)row)->info.target_identity);
}

static void get_sweep(const void *row, struct value *v)
{
	value_text(v, ((const struct run_summary *)row)->info.sweep_name);
}

static void get_ok(const void *row, struct value *v)
{
	value_int(v, ((const struct run_summary *)row)->nr_points[POINT_OK]);
}

static void get_total(const void *row, struct value *v)
{
	value_int(v, ((const struct run_summary *)row)->nr_total);
}

static void get_ok_of_total(const void *row, struct value *v)
{
	const struct run_summary *r = row;

	v->kind = VALUE_TEXT;
	buf_addf(&v->text, "%u/%u", r->nr_points[POINT_OK], r->nr_total);
}

/* A point that did no I/O has failed, too, for whoever looks at a list. */
static void get_failed(const void *row, struct value *v)
{
	const struct run_summary *r = row;

	value_int(v, r->nr_points[POINT_FAILED] + r->nr_points[POINT_NO_IO]);
}

static void get_skipped(const void *row, struct value *v)
{
	value_int(v, ((const struct run_summary *)row)->nr_points[POINT_SKIPPED]);
}

static void get_interrupted(const void *row, struct value *v)
{
	value_int(v, ((const struct run_summary *)row)->nr_points[POINT_INTERRUPTED]);
}

static void get_planned(const void *row, struct value *v)
{
	value_int(v, ((const struct run_summary *)row)->nr_points[POINT_PLANNED]);
}

/* What the same command would go on with. */
static void get_left(const void *row, struct value *v)
{
	const struct run_summary *r = row;

	value_int(v, r->nr_points[POINT_PLANNED] + r->nr_points[POINT_INTERRUPTED]);
}

static void get_spoiled(const void *row, struct value *v)
{
	value_int(v, ((const struct run_summary *)row)->nr_spoiled);
}

static const struct column text_columns[] = {
	{"run", get_run, 0},	   {"state", get_state, 0},	{"started (UTC)", get_started, 0},
	{"target", get_target, 0}, {"sweep", get_sweep, 0},	{"ok", get_ok_of_total, 0},
	{"failed", get_failed, 0}, {"skipped", get_skipped, 0}, {"spoiled", get_spoiled, 0},
	{"left", get_left, 0},
};

static const struct column data_columns[] = {
	{"run", get_run, 0},
	{"state", get_state, 0},
	{"origin", get_origin, 0},
	{"started_utc", get_started, 0},
	{"ended_utc", get_ended, 0},
	{"target", get_target, 0},
	{"target_identity", get_identity, 0},
	{"sweep", get_sweep, 0},
	{"points", get_total, 0},
	{"ok", get_ok, 0},
	{"failed", get_failed, 0},
	{"skipped", get_skipped, 0},
	{"interrupted", get_interrupted, 0},
	{"spoiled", get_spoiled, 0},
	{"planned", get_planned, 0},
};

static void format_text(const struct run_summary *list, size_t nr, struct buf *b)
{
	columns_text(text_columns, NR(text_columns), list, nr, sizeof(*list), b);
}

static void format_csv(const struct run_summary *list, size_t nr, struct buf *b)
{
	columns_csv_header(data_columns, NR(data_columns), b);
	for (size_t i = 0; i < nr; i++)
		columns_csv_row(data_columns, NR(data_columns), &list[i], b);
}

static void format_json(const struct run_summary *list, size_t nr, struct buf *b)
{
	json_begin(b, "list", 1);
	buf_addstr(b, ",\n");
	columns_json_array("runs", data_columns, NR(data_columns), list, nr, sizeof(*list), b);
	buf_addstr(b, "}\n");
}

typedef void format_fn(const struct run_summary *list, size_t nr, struct buf *b);

static format_fn *find_format(const char *name)
{
	static const struct {
		const char *name;
		format_fn *fn;
	} formats[] = {{"text", format_text}, {"csv", format_csv}, {"json", format_json}};

	for (size_t i = 0; i < NR(formats); i++)
		if (!name || !strcmp(formats[i].name, name))
			return formats[i].fn;
	return NULL;
}

static int list_runs(const struct list_options *o, format_fn *format, struct buf *b, struct err *e)
{
	struct run_summary *list = NULL;
	struct store *s = NULL;
	size_t nr = 0;
	int rc;

	keep_say_spools(cmd_db_path(o->db));
	if (store_open(&s, cmd_db_path(o->db), STORE_READ, e))
		return -1;
	rc = store_list_runs(s, &list, &nr, e);
	store_close(s);
	if (rc)
		return rc;
	format(list, nr, b);
	store_free_list(list, nr);
	return 0;
}

static int run_list(int argc, char **argv)
{
	struct list_options o = {0};
	struct str_list args = {0};
	struct buf b = BUF_INIT;
	struct err e = {0};
	format_fn *format;
	int status = 2, rc = cmd_parse(&cmd_list, argc, argv, &o, &args);

	format = find_format(o.format);
	if (!rc && args.nr)
		rc = err_set(&e, ERR_USAGE, "list takes no arguments, not '%s'", args.v[0]);
	else if (!rc && !format)
		rc = err_set(&e, ERR_USAGE, "--format is text, json or csv, not '%s'", o.format);
	else if (!rc)
		rc = list_runs(&o, format, &b, &e);
	if (!rc)
		status = cmd_print(&b);
	else if (e.code != ERR_NONE)
		status = cmd_fail(&e);
	buf_release(&b);
	str_list_release(&args);
	return status;
}

const struct cmd cmd_list = {
	.name = "list",
	.args = "[OPTION...]",
	.summary = "list the runs that are stored",
	.about = "One line per run: its state, when it began, what it measured, how many of its\n"
		 "points are ok, and how many failed, were skipped (this target cannot do them),\n"
		 "are ok but spoiled by a flag that was not accepted, or are left to measure (a\n"
		 "budget or a signal ended it before them). It works while a run goes on.\n\n"
		 "Examples:\n"
		 "  lunsweep list\n"
		 "  lunsweep list --db night.db --format json | jq '.runs[-1].run'\n",
	.groups = list_groups,
	.run = run_list,
};
