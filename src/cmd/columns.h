/* SPDX-License-Identifier: MIT */
/* Rows of anything by a table of columns: the same table gives text, CSV, JSON and help. */
#ifndef CMD_COLUMNS_H
#define CMD_COLUMNS_H

#include "base/buf.h"
#include "model/verdict.h"

#include <stddef.h>
#include <stdint.h>

enum value_kind { VALUE_NULL, VALUE_INT, VALUE_REAL, VALUE_TEXT };

/* What a column says about a row; NULL unless something is put into it. */
struct value {
	enum value_kind kind;
	int64_t i;
	double real;
	struct buf text;
};

void value_int(struct value *v, int64_t i);
/* UNKNOWN stays NULL. */
void value_real(struct value *v, double real);
/* A whole number that may be UNKNOWN; without a decimal exponent, however large. */
void value_count(struct value *v, double count);
/* A wall-clock stamp; 0 stays NULL. */
void value_utc(struct value *v, int64_t wall_ns);
/* The names of the flags, separated by blanks; never NULL. */
void value_flags(struct value *v, flag_set flags);
/* NULL stays NULL; the text is copied. */
void value_text(struct value *v, const char *text);

struct column {
	const char *name; /* with the unit of its figures */
	void (*get)(const void *row, struct value *v);
	int decimals; /* of figures in text tables */
};

/* A header or a row of CSV with its line end: LF, since a CR would stick to the last field in
 * awk and gnuplot. NULL gives an empty field. */
void columns_csv_header(const struct column *cols, size_t nr, struct buf *b);
void columns_csv_row(const struct column *cols, size_t nr, const void *row, struct buf *b);

/* A JSON object, without a line end. */
void columns_json_row(const struct column *cols, size_t nr, const void *row, struct buf *b);

/* A member of an object: "name":[rows], of nr_rows rows of row_size bytes each. */
void columns_json_array(const char *name, const struct column *cols, size_t nr, const void *rows,
			size_t nr_rows, size_t row_size, struct buf *b);

/* A text table of nr_rows rows of row_size bytes each: numbers to the right, "-" for NULL. */
void columns_text(const struct column *cols, size_t nr, const void *rows, size_t nr_rows,
		  size_t row_size, struct buf *b);

#endif
