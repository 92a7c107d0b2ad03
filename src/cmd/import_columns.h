/* SPDX-License-Identifier: MIT */
/* The columns of an imported table: what their names mean, and how their fields are read. */
#ifndef CMD_IMPORT_COLUMNS_H
#define CMD_IMPORT_COLUMNS_H

#include "base/csv.h"
#include "base/opt.h"
#include "model/point.h"

#include <stdbool.h>

/* What a column may hold. Those below IMPORT_IOPS are axes. */
enum import_field {
	IMPORT_RW,
	IMPORT_BS,
	IMPORT_IODEPTH,
	IMPORT_DEPTH_EACH,
	IMPORT_SPAN,
	IMPORT_OFFSET,
	IMPORT_RWMIXREAD,
	IMPORT_RANDOM_PCT,
	IMPORT_WORKERS,
	IMPORT_REPEAT,
	IMPORT_IOPS,
	IMPORT_IOS,
	IMPORT_MIB_S,
	IMPORT_LAT_MIN,
	IMPORT_LAT_MEAN,
	IMPORT_LAT_SD,
	IMPORT_LAT_P50,
	IMPORT_LAT_P90,
	IMPORT_LAT_P95,
	IMPORT_LAT_P99,
	IMPORT_LAT_P999,
	IMPORT_LAT_MAX,
	IMPORT_READ_IOPS,
	IMPORT_WRITE_IOPS,
	IMPORT_READ_LAT,
	IMPORT_WRITE_LAT,
	IMPORT_UTIL,
	IMPORT_CPU,
	IMPORT_TARGET,
	IMPORT_DIR,
	IMPORT_FIELD_NR,
	IMPORT_IGNORE,
	IMPORT_UNKNOWN,
};

/* What a unit may stand behind the name, as in lat_ms. */
enum import_family { IMPORT_NO_UNIT, IMPORT_SIZE_UNIT, IMPORT_TIME_UNIT };

struct import_column {
	char *header; /* as the table has it, owned */
	enum import_field field;
	enum import_family family;
	double scale; /* to bytes, ns or MiB/s */
	bool has_unit;
	const char *constant; /* from --set, instead of a field of the row; not owned */
};

struct import_columns {
	struct import_column *v;
	size_t nr, cap;
	size_t nr_table; /* those of the table; those from --set stand behind */
};

/* One row of the table. */
struct import_row {
	struct point point;    /* its figures are in DIR_TOTAL, whatever dir is */
	uint32_t iodepth_each; /* I/Os in flight of each worker; 0: not said */
	enum dir dir;	       /* whose figures these are */
	size_t table;	       /* of its target, for import_csv.c */
	char *target;	       /* what was measured, NULL where no column says it; owned */
	double iops_quantum;   /* what the last printed digit of IOPS stands for; 0: not known */
	double lat_quantum_ns; /* that of the mean latency */
	double mib_quantum;    /* that of MiB/s as printed; UNKNOWN where none was printed */
	unsigned line;
};

/*
 * The record in hand of csv names the columns: by our names, or by map (column name, then ours, or
 * "-" for a column to leave out). Columns that where names (column name, then the text of rows to
 * keep) need no meaning. set gives axes that are the same in every row (our name, then the value).
 */
int import_columns_read(struct import_columns *c, const struct csv *csv,
			const struct pair_list *map, const struct pair_list *where,
			const struct pair_list *set, struct err *e);
void import_columns_release(struct import_columns *c);

/* NULL where no column holds it. */
const struct import_column *import_columns_find(const struct import_columns *c,
						enum import_field field);
/* The number of the table's column with this name, or nr_table. */
size_t import_columns_named(const struct import_columns *c, const char *header);

/* iops, lat_p99, ...: the name of a field without its unit. */
const char *import_field_name(enum import_field field);
/* Where a field from IMPORT_IOPS to IMPORT_LAT_MAX lies. */
double *import_field_figure(enum import_field field, struct figures *f);
/* A number with a dot for the decimals, not negative. */
int import_parse_number(const char *s, double *out, struct err *e);
/* ns in the unit behind the last '_' of name, or 0; *len is what stands before it. */
double import_time_unit(const char *name, size_t *len);
/* A copy without blanks at both ends. */
char *import_trimmed(const char *s);

/*
 * Read the record in hand into row, which is made new. Empty figures are not known; axes that a
 * column gives must not be empty, except the span. Errors tell the line and the column.
 */
int import_row_read(const struct import_columns *c, const struct csv *csv, struct import_row *row,
		    struct err *e);
void import_row_release(struct import_row *row);

#endif
