/* SPDX-License-Identifier: MIT */
#include "report/pivot.h"

#include "base/mem.h"
#include "base/num.h"
#include "report/json_write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Columns by the value of an axis, over all tables. */
struct columns {
	const struct pivot *p;
	struct buf *name; /* ascending by table, then as the first table with them has them */
	size_t nr, cap;
};

static void add_name(struct columns *c, const struct pivot_table *t, size_t col)
{
	struct buf s = BUF_INIT;

	buf_addf(&s, "%s_", axis_name(c->p->ask->cols));
	pivot_add_value(&s, c->p->ask, c->p->ask->cols, &t->col[col]);
	for (size_t i = 0; i < c->nr; i++) {
		if (strcmp(buf_text(&c->name[i]), buf_text(&s)) != 0)
			continue;
		buf_release(&s);
		return;
	}
	VEC_GROW(c->name, c->nr, c->cap);
	c->name[c->nr++] = s;
}

static void columns_release(struct columns *c)
{
	for (size_t i = 0; i < c->nr; i++)
		buf_release(&c->name[i]);
	free(c->name);
}

/* The column of a table that has this name; nr_cols where it has none. */
static size_t find_column(const struct columns *c, const struct pivot_table *t, size_t name)
{
	size_t col;

	for (col = 0; col < t->nr_cols; col++) {
		struct buf s = BUF_INIT;
		bool is_it;

		buf_addf(&s, "%s_", axis_name(c->p->ask->cols));
		pivot_add_value(&s, c->p->ask, c->p->ask->cols, &t->col[col]);
		is_it = !strcmp(buf_text(&s), buf_text(&c->name[name]));
		buf_release(&s);
		if (is_it)
			break;
	}
	return col;
}

static void add_number(struct buf *b, double v)
{
	buf_addch(b, ',');
	if (isfinite(v))
		buf_add_g10(b, v);
}

/* An imported table need not tell the span. */
static bool is_known(enum axis axis, const struct point_spec *s)
{
	return axis != AXIS_SPAN || s->span_bytes;
}

static void begin_row(struct buf *b, const struct pivot *p, const struct pivot_table *t, size_t row)
{
	struct buf value = BUF_INIT;

	buf_addf(b, "%" PRId64 ",", t->run->info->id);
	buf_csv_str(b, buf_text(&t->name));
	buf_addch(b, ',');
	if (p->ask->rows == AXIS_RW) {
		pivot_add_value(&value, p->ask, p->ask->rows, &t->row[row]);
		buf_csv_str(b, buf_text(&value));
	} else if (is_known(p->ask->rows, &t->row[row])) {
		buf_addf(b, "%" PRIu64, pivot_axis_number(p->ask->rows, &t->row[row]));
	}
	buf_release(&value);
}

static void figures_csv(struct buf *b, const struct pivot *p)
{
	buf_addf(b, "run,table,%s", pivot_axis_name(p->ask->rows));
	for (size_t i = 0; i < p->ask->nr_figures; i++)
		buf_addf(b, ",%s", pivot_figure_name(p->ask->figure[i]));
	buf_addstr(b, ",valid\n");
	for (size_t i = 0; i < p->nr; i++) {
		const struct pivot_table *t = &p->table[i];

		for (size_t r = 0; r < t->nr_rows; r++) {
			const struct pivot_cell *c = pivot_cell(t, r, 0);

			begin_row(b, p, t, r);
			for (size_t f = 0; f < p->ask->nr_figures; f++)
				add_number(b, c->figure[p->ask->figure[f]]);
			buf_addf(b, ",%d\n", c->is_valid);
		}
	}
}

/* Only what decides: there is no room for a mark in a column of figures. */
static void figure_rows(struct buf *b, const struct columns *c, const struct pivot_table *t,
			enum pivot_figure f)
{
	for (size_t r = 0; r < t->nr_rows; r++) {
		begin_row(b, c->p, t, r);
		buf_addf(b, ",%s", pivot_figure_name(f));
		for (size_t i = 0; i < c->nr; i++) {
			size_t col = find_column(c, t, i);
			const struct pivot_cell *cell =
				col < t->nr_cols ? pivot_cell(t, r, col) : NULL;

			add_number(b, cell && cell->is_valid ? cell->figure[f] : UNKNOWN);
		}
		buf_addch(b, '\n');
	}
}

static void columns_csv(struct buf *b, const struct pivot *p)
{
	struct columns c = {.p = p};

	for (size_t i = 0; i < p->nr; i++)
		for (size_t k = 0; k < p->table[i].nr_cols; k++)
			add_name(&c, &p->table[i], k);
	buf_addf(b, "run,table,%s,figure", pivot_axis_name(p->ask->rows));
	for (size_t i = 0; i < c.nr; i++) {
		buf_addch(b, ',');
		buf_csv_str(b, buf_text(&c.name[i]));
	}
	buf_addch(b, '\n');
	for (size_t i = 0; i < p->nr; i++)
		for (size_t f = 0; f < p->ask->nr_figures; f++)
			figure_rows(b, &c, &p->table[i], p->ask->figure[f]);
	columns_release(&c);
}

void pivot_csv(struct buf *b, const struct pivot *p)
{
	if (p->ask->cols == AXIS_NR)
		figures_csv(b, p);
	else
		columns_csv(b, p);
}

/* ---- JSON ---- */

/* The value of an axis as reports write it, and as a number with its unit. */
static void json_value(struct buf *b, const struct pivot *p, const char *name, enum axis axis,
		       const struct point_spec *s)
{
	struct buf value = BUF_INIT;

	if (axis == AXIS_NR) {
		json_text(b, name, NULL);
		return;
	}
	pivot_add_value(&value, p->ask, axis, s);
	json_text(b, name, buf_text(&value));
	buf_release(&value);
	if (axis == AXIS_RW)
		json_text(b, pivot_axis_name(axis), rw_name(s->rw));
	else if (is_known(axis, s))
		json_uint(b, pivot_axis_name(axis), pivot_axis_number(axis, s));
	else
		json_text(b, pivot_axis_name(axis), NULL);
}

static void json_cell(struct buf *b, const struct pivot *p, const struct pivot_table *t, size_t row,
		      size_t col)
{
	const struct pivot_cell *c = pivot_cell(t, row, col);

	json_next(b);
	buf_addch(b, '{');
	json_value(b, p, "row", p->ask->rows, &t->row[row]);
	json_value(b, p, "column", p->ask->cols, &t->col[col]);
	json_text(b, "status", point_status_name(c->status));
	json_bool(b, "valid", c->is_valid);
	json_flags(b, c->flags);
	for (size_t f = 0; f < p->ask->nr_figures; f++)
		json_num(b, pivot_figure_name(p->ask->figure[f]), c->figure[p->ask->figure[f]]);
	buf_addch(b, '}');
}

static void json_table(struct buf *b, const struct pivot *p, const struct pivot_table *t)
{
	json_next(b);
	buf_addch(b, '{');
	json_uint(b, "run", (uint64_t)t->run->info->id);
	json_text(b, "table", buf_text(&t->name));
	json_key(b, "cells");
	buf_addch(b, '[');
	for (size_t r = 0; r < t->nr_rows; r++)
		for (size_t c = 0; c < t->nr_cols; c++)
			if (pivot_cell(t, r, c)->is_there)
				json_cell(b, p, t, r, c);
	buf_addstr(b, "]}");
}

void pivot_json(struct buf *b, const struct pivot *p)
{
	json_begin(b, "pivot", 1);
	json_text(b, "rows", axis_name(p->ask->rows));
	json_text(b, "columns", p->ask->cols == AXIS_NR ? NULL : axis_name(p->ask->cols));
	json_key(b, "tables");
	buf_addch(b, '[');
	for (size_t i = 0; i < p->nr; i++)
		json_table(b, p, &p->table[i]);
	buf_addstr(b, "]}\n");
}
