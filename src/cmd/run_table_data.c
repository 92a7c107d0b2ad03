/* SPDX-License-Identifier: MIT */
#include "base/mem.h"
#include "cmd/axis_columns.h"
#include "cmd/compare_data.h"
#include "report/json_write.h"

#include <stdlib.h>

/* One line of data: a cell in one direction. */
struct cell_row {
	struct axis_row axes;
	const struct report_run *run;
	const char *label;
	const struct run_cell *cell;
	enum dir dir;
};

static const struct run_cell *cell_of(const void *row)
{
	return ((const struct cell_row *)row)->cell;
}

static void cell_run(const void *row, struct value *v)
{
	value_int(v, ((const struct cell_row *)row)->run->info->id);
}

static void cell_target(const void *row, struct value *v)
{
	value_text(v, ((const struct cell_row *)row)->label);
}

static void cell_identity(const void *row, struct value *v)
{
	value_text(v, ((const struct cell_row *)row)->run->info->target_identity);
}

static void cell_sweep(const void *row, struct value *v)
{
	value_text(v, ((const struct cell_row *)row)->run->info->sweep_name);
}

static void cell_rate(const void *row, struct value *v)
{
	const struct point_spec *spec = ((const struct cell_row *)row)->axes.spec;
	struct buf b = BUF_INIT;

	if (point_is_open(spec)) {
		buf_add_rate(&b, spec);
		value_text(v, buf_text(&b));
	}
	buf_release(&b);
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
	{"target_identity", cell_identity, 0},
	{"sweep", cell_sweep, 0},
	AXIS_COLUMNS,
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
					rows[(*nr)++] = (struct cell_row){{s},
									  &t->runs[r],
									  run_table_label(t, r),
									  c,
									  order[d]};
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

	json_begin(b, "table", 1);
	buf_addstr(b, ",\n");
	columns_json_array("rows", cell_columns, NR(cell_columns), rows, nr, sizeof(*rows), b);
	buf_addstr(b, "}\n");
	free(rows);
}
