/* SPDX-License-Identifier: MIT */
#include "cmd/columns.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "report/format.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

void value_int(struct value *v, int64_t i)
{
	v->kind = VALUE_INT;
	v->i = i;
}

void value_real(struct value *v, double real)
{
	v->kind = isnan(real) ? VALUE_NULL : VALUE_REAL;
	v->real = real;
}

void value_count(struct value *v, double count)
{
	if (!isnan(count))
		value_int(v, (int64_t)count);
}

void value_utc(struct value *v, int64_t wall_ns)
{
	if (!wall_ns)
		return;
	v->kind = VALUE_TEXT;
	buf_add_utc(&v->text, wall_ns);
}

void value_flags(struct value *v, flag_set flags)
{
	v->kind = VALUE_TEXT;
	for (enum flag f = 0; f < FLAG_NR; f++)
		if (flags & FLAG_BIT(f))
			buf_addf(&v->text, "%s%s", v->text.len ? " " : "", flag_name(f));
}

void value_text(struct value *v, const char *text)
{
	if (!text)
		return;
	v->kind = VALUE_TEXT;
	buf_addstr(&v->text, text);
}

static struct value get_value(const struct column *c, const void *row)
{
	struct value v = {0};

	c->get(row, &v);
	return v;
}

void columns_csv_header(const struct column *cols, size_t nr, struct buf *b)
{
	for (size_t i = 0; i < nr; i++)
		buf_addf(b, "%s%s", i ? "," : "", cols[i].name);
	buf_addch(b, '\n');
}

static void add_int(struct buf *b, int64_t v)
{
	if (v < 0)
		buf_addf(b, "%" PRId64, v);
	else
		buf_add_u64(b, (uint64_t)v);
}

static void csv_value(const struct value *v, struct buf *b)
{
	switch (v->kind) {
	case VALUE_NULL:
		return;
	case VALUE_INT:
		add_int(b, v->i);
		return;
	case VALUE_REAL:
		buf_add_g10(b, v->real);
		return;
	case VALUE_TEXT:
		buf_csv_str(b, buf_text(&v->text));
		return;
	}
}

void columns_csv_row(const struct column *cols, size_t nr, const void *row, struct buf *b)
{
	for (size_t i = 0; i < nr; i++) {
		struct value v = get_value(&cols[i], row);

		if (i)
			buf_addch(b, ',');
		csv_value(&v, b);
		buf_release(&v.text);
	}
	buf_addch(b, '\n');
}

static void json_value(const struct value *v, struct buf *b)
{
	switch (v->kind) {
	case VALUE_NULL:
		buf_addstr(b, "null");
		return;
	case VALUE_INT:
		add_int(b, v->i);
		return;
	case VALUE_REAL:
		buf_json_num(b, v->real);
		return;
	case VALUE_TEXT:
		buf_json_str(b, buf_text(&v->text));
		return;
	}
}

void columns_json_row(const struct column *cols, size_t nr, const void *row, struct buf *b)
{
	buf_addch(b, '{');
	for (size_t i = 0; i < nr; i++) {
		struct value v = get_value(&cols[i], row);

		buf_addstr(b, i ? ", \"" : "\"");
		buf_addstr(b, cols[i].name);
		buf_addstr(b, "\": ");
		json_value(&v, b);
		buf_release(&v.text);
	}
	buf_addch(b, '}');
}

void columns_json_array(const char *name, const struct column *cols, size_t nr, const void *rows,
			size_t nr_rows, size_t row_size, struct buf *b)
{
	buf_addf(b, "\"%s\":[", name);
	for (size_t i = 0; i < nr_rows; i++) {
		buf_addstr(b, i ? ",\n " : "\n ");
		columns_json_row(cols, nr, (const char *)rows + i * row_size, b);
	}
	buf_addch(b, ']');
}

/* What stands in a cell of a text table; whether it is a number is told by the return. */
static bool text_value(const struct column *c, const void *row, struct buf *b)
{
	struct value v = get_value(c, row);

	if (v.kind == VALUE_NULL || (v.kind == VALUE_TEXT && !v.text.len))
		buf_addch(b, '-');
	else if (v.kind == VALUE_INT)
		add_int(b, v.i);
	else if (v.kind == VALUE_REAL)
		buf_add_fixed(b, v.real, c->decimals);
	else
		buf_add_clean(b, buf_text(&v.text), SIZE_MAX);
	buf_release(&v.text);
	return v.kind == VALUE_INT || v.kind == VALUE_REAL;
}

struct layout {
	size_t width;
	bool is_number;
};

static void measure(const struct column *c, struct layout *l, const char *rows, size_t nr_rows,
		    size_t row_size)
{
	struct buf cell = BUF_INIT;

	*l = (struct layout){.width = text_width(c->name)};
	for (size_t i = 0; i < nr_rows; i++) {
		size_t width;

		buf_reset(&cell);
		l->is_number |= text_value(c, rows + i * row_size, &cell);
		width = text_width(buf_text(&cell));
		l->width = width > l->width ? width : l->width;
	}
	buf_release(&cell);
}

static void add_cell(const char *text, const struct layout *l, bool is_last, struct buf *b)
{
	size_t pad = l->width - text_width(text);

	if (l->is_number)
		buf_add_blanks(b, pad);
	buf_addstr(b, text);
	if (is_last)
		buf_addch(b, '\n');
	else
		buf_add_blanks(b, l->is_number ? 2 : pad + 2);
}

void columns_text(const struct column *cols, size_t nr, const void *rows, size_t nr_rows,
		  size_t row_size, struct buf *b)
{
	struct layout *l = xcalloc(nr, sizeof(*l));
	struct buf cell = BUF_INIT;

	for (size_t c = 0; c < nr; c++)
		measure(&cols[c], &l[c], rows, nr_rows, row_size);
	for (size_t c = 0; c < nr; c++)
		add_cell(cols[c].name, &l[c], c + 1 == nr, b);
	for (size_t i = 0; i < nr_rows; i++) {
		for (size_t c = 0; c < nr; c++) {
			buf_reset(&cell);
			(void)text_value(&cols[c], (const char *)rows + i * row_size, &cell);
			add_cell(buf_text(&cell), &l[c], c + 1 == nr, b);
		}
	}
	buf_release(&cell);
	free(l);
}
