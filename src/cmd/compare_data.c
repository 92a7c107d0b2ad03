/* SPDX-License-Identifier: MIT */
#include "cmd/compare_data.h"

#include "base/mem.h"
#include "cmd/columns.h"

#include <stdlib.h>
#include <string.h>

/* ---- columns of all points ---- */

static void put_buf(struct value *v, struct buf *b)
{
	value_text(v, buf_text(b));
	buf_release(b);
}

static void put_curve(struct value *v, const struct point_spec *s)
{
	struct buf b = BUF_INIT;

	buf_add_curve_name(&b, s);
	put_buf(v, &b);
}

/* A table gives its rows' specs by a function SPEC, for columns of axes named PREFIX_... */
#define AXIS_GETTERS(prefix, row_type, spec_of) \
	static void prefix##_curve(const void *row, struct value *v) \
	{ \
		put_curve(v, spec_of((const row_type *)row)); \
	} \
	static void prefix##_rw(const void *row, struct value *v) \
	{ \
		value_text(v, rw_name(spec_of((const row_type *)row)->rw)); \
	} \
	static void prefix##_bs(const void *row, struct value *v) \
	{ \
		value_int(v, (int64_t)spec_of((const row_type *)row)->bs_bytes); \
	} \
	static void prefix##_span(const void *row, struct value *v) \
	{ \
		value_int(v, (int64_t)spec_of((const row_type *)row)->span_bytes); \
	} \
	static void prefix##_offset(const void *row, struct value *v) \
	{ \
		value_int(v, (int64_t)spec_of((const row_type *)row)->offset_bytes); \
	} \
	static void prefix##_mix(const void *row, struct value *v) \
	{ \
		value_int(v, spec_of((const row_type *)row)->rwmixread_pct); \
	} \
	static void prefix##_random(const void *row, struct value *v) \
	{ \
		value_int(v, spec_of((const row_type *)row)->random_pct); \
	} \
	static void prefix##_workers(const void *row, struct value *v) \
	{ \
		value_int(v, spec_of((const row_type *)row)->workers); \
	} \
	static void prefix##_depth(const void *row, struct value *v) \
	{ \
		/* A figure of a curve belongs to no depth. */ \
		if (spec_of((const row_type *)row)->iodepth) \
			value_int(v, spec_of((const row_type *)row)->iodepth); \
	}
#define AXIS_COLUMNS(prefix) \
	{"curve", prefix##_curve, 0}, {"rw", prefix##_rw, 0}, {"bs_bytes", prefix##_bs, 0}, \
		{"span_bytes", prefix##_span, 0}, {"offset_bytes", prefix##_offset, 0}, \
		{"rwmixread_pct", prefix##_mix, 0}, {"random_pct", prefix##_random, 0}, \
		{"workers", prefix##_workers, 0}, \
	{ \
		"iodepth", prefix##_depth, 0 \
	}

/* ---- figures that are compared ---- */

static const struct point_spec *spec_of_item(const struct compare_item *item)
{
	return &item->spec;
}

AXIS_GETTERS(item, struct compare_item, spec_of_item)

static void item_figure(const void *row, struct value *v)
{
	value_text(v, compare_figure_name(((const struct compare_item *)row)->figure));
}

static void item_cap_stat(const void *row, struct value *v)
{
	const struct compare_item *item = row;

	value_text(v, item->figure == COMPARE_CAP ? lat_stat_name(item->cap.stat) : NULL);
}

static void item_cap_limit(const void *row, struct value *v)
{
	const struct compare_item *item = row;

	if (item->figure == COMPARE_CAP)
		value_real(v, (double)item->cap.limit_ns / 1e6);
}

static void put_side(const struct compare_item *item, int side, struct value *v)
{
	value_real(v, item->side[side].value / (item->figure == COMPARE_LAT ? 1e6 : 1));
}

static void item_a(const void *row, struct value *v)
{
	put_side(row, 0, v);
}

static void item_b(const void *row, struct value *v)
{
	put_side(row, 1, v);
}

static void item_a_runs(const void *row, struct value *v)
{
	value_int(v, (int64_t)((const struct compare_item *)row)->side[0].nr);
}

static void item_b_runs(const void *row, struct value *v)
{
	value_int(v, (int64_t)((const struct compare_item *)row)->side[1].nr);
}

static void item_a_flags(const void *row, struct value *v)
{
	value_flags(v, ((const struct compare_item *)row)->side[0].flags);
}

static void item_b_flags(const void *row, struct value *v)
{
	value_flags(v, ((const struct compare_item *)row)->side[1].flags);
}

static void item_a_sd(const void *row, struct value *v)
{
	value_real(v, 100 * ((const struct compare_item *)row)->side[0].sd_rel);
}

static void item_b_sd(const void *row, struct value *v)
{
	value_real(v, 100 * ((const struct compare_item *)row)->side[1].sd_rel);
}

#define ITEM_NUMBER(name) \
	static void item_##name(const void *row, struct value *v) \
	{ \
		value_real(v, ((const struct compare_item *)row)->name); \
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
	value_text(v, compare_method_name(((const struct compare_item *)row)->method));
}

static void item_verdict(const void *row, struct value *v)
{
	value_text(v, compare_verdict_name(((const struct compare_item *)row)->verdict));
}

static void item_word(const void *row, struct value *v)
{
	struct buf b = BUF_INIT;

	compare_word(&b, row);
	put_buf(v, &b);
}

static void item_reason(const void *row, struct value *v)
{
	value_text(v, ((const struct compare_item *)row)->reason);
}

static const struct column item_columns[] = {
	{"figure", item_figure, 0},
	AXIS_COLUMNS(item),
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

void compare_csv(struct buf *b, const struct compare_report *r)
{
	columns_csv_header(item_columns, NR(item_columns), b);
	for (size_t i = 0; i < r->c->nr; i++)
		columns_csv_row(item_columns, NR(item_columns), &r->c->item[i], b);
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
	put_curve(v, &((const struct compare_lone *)row)->spec);
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

static void add_array(struct buf *b, const char *name, const struct column *cols, size_t nr_cols,
		      const void *rows, size_t nr, size_t row_size)
{
	buf_addf(b, "\"%s\":[", name);
	for (size_t i = 0; i < nr; i++) {
		buf_addstr(b, i ? ",\n " : "\n ");
		columns_json_row(cols, nr_cols, (const char *)rows + i * row_size, b);
	}
	buf_addch(b, ']');
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

	buf_addstr(b, "{\"format\":\"lunsweep-compare\",\"version\":1,\n");
	compare_sentences(&s, r);
	add_sentence(b, "sentence", &s);
	buf_addstr(b, "\"fail_if\":");
	buf_json_str(b, r->condition);
	buf_addf(b, ",\"exit_status\":%d,\"interleaved\":\"%s\",\n", status,
		 compare_order_name(r->order));
	add_notes(b, r);
	add_group(b, "a", &r->group[0]);
	add_group(b, "b", &r->group[1]);
	add_array(b, "figures", item_columns, NR(item_columns), r->c->item, r->c->nr,
		  sizeof(*r->c->item));
	buf_addstr(b, ",\n");
	add_array(b, "without_partner", lone_columns, NR(lone_columns), r->c->lone, r->c->nr_lone,
		  sizeof(*r->c->lone));
	buf_addstr(b, ",\n");
	add_array(b, "setup", setup_columns, NR(setup_columns), r->setup, r->nr_setup,
		  sizeof(*r->setup));
	buf_addstr(b, "}\n");
}

/* ---- the table of runs ---- */

/* One line of data: a cell in one direction. */
struct cell_row {
	const struct report_run *run;
	const struct point_spec *spec;
	const struct run_cell *cell;
	enum dir dir;
};

static const struct point_spec *spec_of_cell(const struct cell_row *row)
{
	return row->spec;
}

AXIS_GETTERS(cell, struct cell_row, spec_of_cell)

static const struct run_cell *cell_of(const void *row)
{
	return ((const struct cell_row *)row)->cell;
}

static void cell_run(const void *row, struct value *v)
{
	run_id(((const struct cell_row *)row)->run->info, v);
}

static void cell_target(const void *row, struct value *v)
{
	value_text(v, run_table_label(((const struct cell_row *)row)->run));
}

static void cell_sweep(const void *row, struct value *v)
{
	run_sweep(((const struct cell_row *)row)->run->info, v);
}

static void cell_rate(const void *row, struct value *v)
{
	struct buf b = BUF_INIT;

	if (point_is_open(((const struct cell_row *)row)->spec)) {
		buf_add_rate(&b, ((const struct cell_row *)row)->spec);
		put_buf(v, &b);
	}
}

static void cell_dir(const void *row, struct value *v)
{
	value_text(v, dir_name(((const struct cell_row *)row)->dir));
}

static void cell_status(const void *row, struct value *v)
{
	value_text(v, point_status_name(cell_of(row)->status));
}

static void cell_flags(const void *row, struct value *v)
{
	value_flags(v, cell_of(row)->flags);
}

static void cell_valid(const void *row, struct value *v)
{
	value_int(v, cell_of(row)->is_valid);
}

static void cell_repeats(const void *row, struct value *v)
{
	value_int(v, cell_of(row)->nr_repeats);
}

#define CELL_FIGURE(name, which, scale) \
	static void cell_##name(const void *row, struct value *v) \
	{ \
		value_real(v, cell_of(row)->figure[((const struct cell_row *)row)->dir][which] * \
				      (scale)); \
	} \
	static void cell_best_##name(const void *row, struct value *v) \
	{ \
		value_int(v, cell_of(row)->is_best[((const struct cell_row *)row)->dir][which]); \
	}

CELL_FIGURE(iops, TABLE_IOPS, 1)
CELL_FIGURE(mib_s, TABLE_MIB_S, 1)
CELL_FIGURE(lat_mean, TABLE_LAT, 1e-6)

static const struct column cell_columns[] = {
	{"run", cell_run, 0},
	{"target", cell_target, 0},
	{"sweep", cell_sweep, 0},
	AXIS_COLUMNS(cell),
	{"rate", cell_rate, 0},
	{"dir", cell_dir, 0},
	{"status", cell_status, 0},
	{"flags", cell_flags, 0},
	{"valid", cell_valid, 0},
	{"repeats", cell_repeats, 0},
	{"iops", cell_iops, 0},
	{"mib_s", cell_mib_s, 0},
	{"lat_mean_ms", cell_lat_mean, 0},
	{"best_iops", cell_best_iops, 0},
	{"best_mib_s", cell_best_mib_s, 0},
	{"best_lat_mean", cell_best_lat_mean, 0},
};

/* All lines of a table: run by run, total first. The caller frees. */
static struct cell_row *cell_rows(const struct run_table *t, size_t *nr)
{
	static const enum dir order[DIR_NR] = {DIR_TOTAL, DIR_READ, DIR_WRITE};
	struct cell_row *rows = xcalloc(t->nr_runs * t->nr_points * DIR_NR + 1, sizeof(*rows));

	*nr = 0;
	for (size_t r = 0; r < t->nr_runs; r++) {
		for (size_t p = 0; p < t->nr_points; p++) {
			const struct run_cell *c = run_table_cell(t, p, r);
			const struct point_spec *s = &t->point[p];

			for (size_t d = 0; c->is_there && d < DIR_NR; d++)
				if (order[d] == DIR_TOTAL ||
				    (order[d] == DIR_READ ? point_reads(s) : point_writes(s)))
					rows[(*nr)++] =
						(struct cell_row){&t->runs[r], s, c, order[d]};
		}
	}
	return rows;
}

void run_table_csv(struct buf *b, const struct run_table *t)
{
	size_t nr;
	struct cell_row *rows = cell_rows(t, &nr);

	columns_csv_header(cell_columns, NR(cell_columns), b);
	for (size_t i = 0; i < nr; i++)
		columns_csv_row(cell_columns, NR(cell_columns), &rows[i], b);
	free(rows);
}

void run_table_json(struct buf *b, const struct run_table *t)
{
	size_t nr;
	struct cell_row *rows = cell_rows(t, &nr);

	buf_addstr(b, "{\"format\":\"lunsweep-table\",\"version\":1,\n");
	add_array(b, "rows", cell_columns, NR(cell_columns), rows, nr, sizeof(*rows));
	buf_addstr(b, "}\n");
	free(rows);
}
