/* SPDX-License-Identifier: MIT */
#include "cmd/compare_data.h"

#include "base/mem.h"
#include "cmd/axis_columns.h"
#include "report/json_write.h"

#include <stdlib.h>
#include <string.h>

/* ---- figures that are compared ---- */

struct item_row {
	struct axis_row axes;
	const struct compare_item *item;
};

static const struct compare_item *item_of(const void *row)
{
	return ((const struct item_row *)row)->item;
}

static void item_figure(const void *row, struct value *v)
{
	value_text(v, compare_figure_name(item_of(row)->figure));
}

static void item_cap_stat(const void *row, struct value *v)
{
	const struct compare_item *item = item_of(row);

	value_text(v, item->figure == COMPARE_CAP ? lat_stat_name(item->cap.stat) : NULL);
}

static void item_cap_limit(const void *row, struct value *v)
{
	const struct compare_item *item = item_of(row);

	if (item->figure == COMPARE_CAP)
		value_real(v, (double)item->cap.limit_ns / 1e6);
}

static void put_side(const struct compare_item *item, int side, struct value *v)
{
	value_real(v, item->side[side].value / (item->figure == COMPARE_LAT ? 1e6 : 1));
}

static void item_a(const void *row, struct value *v)
{
	put_side(item_of(row), 0, v);
}

static void item_b(const void *row, struct value *v)
{
	put_side(item_of(row), 1, v);
}

static void item_a_runs(const void *row, struct value *v)
{
	value_int(v, (int64_t)item_of(row)->side[0].nr);
}

static void item_b_runs(const void *row, struct value *v)
{
	value_int(v, (int64_t)item_of(row)->side[1].nr);
}

static void item_a_flags(const void *row, struct value *v)
{
	value_flags(v, item_of(row)->side[0].flags);
}

static void item_b_flags(const void *row, struct value *v)
{
	value_flags(v, item_of(row)->side[1].flags);
}

static void item_a_sd(const void *row, struct value *v)
{
	value_real(v, 100 * item_of(row)->side[0].sd_rel);
}

static void item_b_sd(const void *row, struct value *v)
{
	value_real(v, 100 * item_of(row)->side[1].sd_rel);
}

#define ITEM_NUMBER(name) \
	static void item_##name(const void *row, struct value *v) \
	{ \
		value_real(v, item_of(row)->name); \
	}

ITEM_NUMBER(ratio)
ITEM_NUMBER(low)
ITEM_NUMBER(high)
ITEM_NUMBER(low90)
ITEM_NUMBER(high90)
ITEM_NUMBER(t)
ITEM_NUMBER(df)
ITEM_NUMBER(p)
ITEM_NUMBER(p_adjusted)

static void item_method(const void *row, struct value *v)
{
	value_text(v, compare_method_name(item_of(row)->method));
}

static void item_verdict(const void *row, struct value *v)
{
	value_text(v, compare_verdict_name(item_of(row)->verdict));
}

static void item_word(const void *row, struct value *v)
{
	struct buf b = BUF_INIT;

	compare_word(&b, item_of(row));
	value_text(v, buf_text(&b));
	buf_release(&b);
}

static void item_reason(const void *row, struct value *v)
{
	value_text(v, item_of(row)->reason);
}

static const struct column item_columns[] = {
	{"figure", item_figure, 0},
	AXIS_COLUMNS,
	{"cap_stat", item_cap_stat, 0},
	{"cap_limit_ms", item_cap_limit, 0},
	{"a", item_a, 0},
	{"b", item_b, 0},
	{"a_runs", item_a_runs, 0},
	{"b_runs", item_b_runs, 0},
	{"a_sd_pct", item_a_sd, 0},
	{"b_sd_pct", item_b_sd, 0},
	{"a_flags", item_a_flags, 0},
	{"b_flags", item_b_flags, 0},
	{"ratio", item_ratio, 0},
	{"ratio_low", item_low, 0},
	{"ratio_high", item_high, 0},
	{"ratio_low90", item_low90, 0},
	{"ratio_high90", item_high90, 0},
	{"method", item_method, 0},
	{"t", item_t, 0},
	{"df", item_df, 0},
	{"p", item_p, 0},
	{"p_adjusted", item_p_adjusted, 0},
	{"verdict", item_verdict, 0},
	{"word", item_word, 0},
	{"reason", item_reason, 0},
};

static struct item_row row_of(const struct compare_item *item)
{
	return (struct item_row){{&item->spec}, item};
}

void compare_csv(struct buf *b, const struct compare_report *r)
{
	columns_csv_header(item_columns, NR(item_columns), b);
	for (size_t i = 0; i < r->c->nr; i++) {
		struct item_row row = row_of(&r->c->item[i]);

		columns_csv_row(item_columns, NR(item_columns), &row, b);
	}
}

/* ---- the JSON document ---- */

static void run_id(const void *row, struct value *v)
{
	value_int(v, ((const struct run_info *)row)->id);
}

static void run_state(const void *row, struct value *v)
{
	value_text(v, run_state_name(((const struct run_info *)row)->state));
}

static void run_started(const void *row, struct value *v)
{
	value_utc(v, ((const struct run_info *)row)->start_wall_ns);
}

static void run_target(const void *row, struct value *v)
{
	const struct run_info *r = row;

	value_text(v, r->target_label ? r->target_label : r->target_given);
}

static void run_sweep(const void *row, struct value *v)
{
	value_text(v, ((const struct run_info *)row)->sweep_name);
}

static const struct column run_columns[] = {
	{"run", run_id, 0},	   {"state", run_state, 0}, {"started_utc", run_started, 0},
	{"target", run_target, 0}, {"sweep", run_sweep, 0},
};

static void lone_curve(const void *row, struct value *v)
{
	struct axis_row axes = {&((const struct compare_lone *)row)->spec};

	axis_curve(&axes, v);
}

static void lone_depth(const void *row, struct value *v)
{
	value_int(v, ((const struct compare_lone *)row)->spec.iodepth);
}

static void lone_side(const void *row, struct value *v)
{
	value_text(v, ((const struct compare_lone *)row)->side ? "b" : "a");
}

static void lone_invalid(const void *row, struct value *v)
{
	value_int(v, ((const struct compare_lone *)row)->is_invalid);
}

static const struct column lone_columns[] = {
	{"curve", lone_curve, 0},
	{"iodepth", lone_depth, 0},
	{"only_in", lone_side, 0},
	{"other_is_invalid", lone_invalid, 0},
};

static void setup_name(const void *row, struct value *v)
{
	value_text(v, ((const struct setup_difference *)row)->name);
}

static void setup_a(const void *row, struct value *v)
{
	value_text(v, ((const struct setup_difference *)row)->a);
}

static void setup_b(const void *row, struct value *v)
{
	value_text(v, ((const struct setup_difference *)row)->b);
}

static void setup_varies(const void *row, struct value *v)
{
	value_int(v, ((const struct setup_difference *)row)->varies);
}

static const struct column setup_columns[] = {
	{"name", setup_name, 0},
	{"a", setup_a, 0},
	{"b", setup_b, 0},
	{"varies", setup_varies, 0},
};

static void add_figures(struct buf *b, const struct comparison *c)
{
	struct item_row *rows = xcalloc(c->nr + 1, sizeof(*rows));

	for (size_t i = 0; i < c->nr; i++)
		rows[i] = row_of(&c->item[i]);
	columns_json_array("figures", item_columns, NR(item_columns), rows, c->nr, sizeof(*rows),
			   b);
	free(rows);
}

static void add_group(struct buf *b, const char *name, const struct run_group *g)
{
	buf_addf(b, "\"%s\":{\"runs\":[", name);
	for (size_t i = 0; i < g->nr; i++) {
		buf_addstr(b, i ? ",\n " : "\n ");
		columns_json_row(run_columns, NR(run_columns), g->info[i], b);
	}
	buf_addstr(b, "]},\n");
}

static void add_sentence(struct buf *b, const char *name, struct buf *s)
{
	buf_addf(b, "\"%s\":", name);
	buf_json_str(b, buf_text(s));
	buf_addstr(b, ",\n");
	buf_release(s);
}

static void add_notes(struct buf *b, const struct compare_report *r)
{
	struct buf notes = BUF_INIT;
	char *save = NULL;
	const char *sep = "";

	compare_notes(&notes, r);
	buf_addstr(b, "\"notes\":[");
	for (char *s = notes.text ? strtok_r(notes.text, "\n", &save) : NULL; s;
	     s = strtok_r(NULL, "\n", &save)) {
		buf_addstr(b, sep);
		buf_json_str(b, s);
		sep = ",";
	}
	buf_addstr(b, "],\n");
	buf_release(&notes);
}

void compare_json(struct buf *b, const struct compare_report *r, int status)
{
	struct buf s = BUF_INIT;

	json_begin(b, "compare", 1);
	buf_addstr(b, ",\n");
	compare_sentences(&s, r);
	add_sentence(b, "sentence", &s);
	buf_addstr(b, "\"fail_if\":");
	buf_json_str(b, r->condition);
	buf_addf(b, ",\"exit_status\":%d,\"interleaved\":\"%s\",\n", status,
		 compare_order_name(r->order));
	add_notes(b, r);
	add_group(b, "a", &r->group[0]);
	add_group(b, "b", &r->group[1]);
	add_figures(b, r->c);
	buf_addstr(b, ",\n");
	columns_json_array("without_partner", lone_columns, NR(lone_columns), r->c->lone,
			   r->c->nr_lone, sizeof(*r->c->lone), b);
	buf_addstr(b, ",\n");
	columns_json_array("setup", setup_columns, NR(setup_columns), r->setup, r->nr_setup,
			   sizeof(*r->setup), b);
	buf_addstr(b, "}\n");
}
