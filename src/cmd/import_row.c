/* SPDX-License-Identifier: MIT */
#include "cmd/import_columns.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What the text of a field is. */
enum kind { KIND_MODE, KIND_SIZE, KIND_COUNT, KIND_PERCENT, KIND_REAL, KIND_TEXT, KIND_DIR };

#define ROW(member)	     offsetof(struct import_row, member)
#define SPEC(member)	     offsetof(struct import_row, point.spec.member)
#define IN_DIR(dir_, member) (ROW(point.dir[dir_]) + offsetof(struct figures, member))
#define TOTAL(member)	     IN_DIR(DIR_TOTAL, member)

static const struct {
	const char *name;
	enum kind kind;
	size_t offset; /* in struct import_row */
	uint32_t low, high;
} fields[IMPORT_FIELD_NR] = {
	[IMPORT_RW] = {"rw", KIND_MODE, SPEC(rw), 0, 0},
	[IMPORT_BS] = {"bs", KIND_SIZE, SPEC(bs_bytes), 1, 0},
	[IMPORT_IODEPTH] = {"iodepth", KIND_COUNT, SPEC(iodepth), 1, UINT32_MAX},
	[IMPORT_DEPTH_EACH] = {"iodepth_per_worker", KIND_COUNT, ROW(iodepth_each), 1, UINT32_MAX},
	[IMPORT_SPAN] = {"span", KIND_SIZE, SPEC(span_bytes), 1, 0},
	[IMPORT_OFFSET] = {"offset", KIND_SIZE, SPEC(offset_bytes), 0, 0},
	[IMPORT_RWMIXREAD] = {"rwmixread", KIND_COUNT, SPEC(rwmixread_pct), 0, 100},
	[IMPORT_RANDOM_PCT] = {"random_pct", KIND_COUNT, SPEC(random_pct), 0, 100},
	[IMPORT_WORKERS] = {"workers", KIND_COUNT, SPEC(workers), 1, UINT32_MAX},
	[IMPORT_REPEAT] = {"repeat", KIND_COUNT, SPEC(repeat), 1, UINT32_MAX},
	[IMPORT_IOPS] = {"iops", KIND_REAL, TOTAL(iops), 0, 0},
	[IMPORT_IOS] = {"ios", KIND_REAL, TOTAL(ios), 0, 0},
	[IMPORT_MIB_S] = {"mib_s", KIND_REAL, TOTAL(mib_s), 0, 0},
	[IMPORT_LAT_MIN] = {"lat_min", KIND_REAL, TOTAL(lat_min_ns), 0, 0},
	[IMPORT_LAT_MEAN] = {"lat_mean", KIND_REAL, TOTAL(lat_mean_ns), 0, 0},
	[IMPORT_LAT_SD] = {"lat_sd", KIND_REAL, TOTAL(lat_sd_ns), 0, 0},
	[IMPORT_LAT_P50] = {"lat_p50", KIND_REAL, TOTAL(lat_p50_ns), 0, 0},
	[IMPORT_LAT_P90] = {"lat_p90", KIND_REAL, TOTAL(lat_p90_ns), 0, 0},
	[IMPORT_LAT_P95] = {"lat_p95", KIND_REAL, TOTAL(lat_p95_ns), 0, 0},
	[IMPORT_LAT_P99] = {"lat_p99", KIND_REAL, TOTAL(lat_p99_ns), 0, 0},
	[IMPORT_LAT_P999] = {"lat_p999", KIND_REAL, TOTAL(lat_p999_ns), 0, 0},
	[IMPORT_LAT_MAX] = {"lat_max", KIND_REAL, TOTAL(lat_max_ns), 0, 0},
	[IMPORT_READ_IOPS] = {"read_iops", KIND_REAL, IN_DIR(DIR_READ, iops), 0, 0},
	[IMPORT_WRITE_IOPS] = {"write_iops", KIND_REAL, IN_DIR(DIR_WRITE, iops), 0, 0},
	[IMPORT_READ_LAT] = {"read_lat", KIND_REAL, IN_DIR(DIR_READ, lat_mean_ns), 0, 0},
	[IMPORT_WRITE_LAT] = {"write_lat", KIND_REAL, IN_DIR(DIR_WRITE, lat_mean_ns), 0, 0},
	[IMPORT_UTIL] = {"util_pct", KIND_PERCENT, ROW(point.util_pct), 0, 0},
	[IMPORT_CPU] = {"cpu_pct", KIND_PERCENT, ROW(point.cpu_pct), 0, 0},
	[IMPORT_TARGET] = {"target", KIND_TEXT, ROW(target), 0, 0},
	[IMPORT_DIR] = {"dir", KIND_DIR, ROW(dir), 0, 0},
};

const char *import_field_name(enum import_field field)
{
	return fields[field].name;
}

double *import_field_figure(enum import_field field, struct figures *f)
{
	return (double *)(void *)((char *)f + (fields[field].offset - ROW(point.dir[DIR_TOTAL])));
}

static bool looks_like_number(const char *s)
{
	size_t digits = strspn(s, "0123456789");

	s += digits;
	if (*s == '.') {
		size_t more = strspn(++s, "0123456789");

		digits += more;
		s += more;
	}
	if (!digits)
		return false;
	if (*s == 'e' || *s == 'E') {
		s++;
		s += *s == '+' || *s == '-';
		if (!strspn(s, "0123456789"))
			return false;
		s += strspn(s, "0123456789");
	}
	return !*s;
}

/* The program never sets a locale, so strtod takes a dot, as looks_like_number does. */
int import_parse_number(const char *s, double *out, struct err *e)
{
	if (!looks_like_number(s)) {
		if (*s == '-' && looks_like_number(s + 1))
			return err_set(e, ERR_DATA, "'%s' is negative", s);
		if (strchr(s, ','))
			return err_set(e, ERR_DATA,
				       "'%s' is not a number: decimals are written with a dot, and "
				       "thousands without a mark",
				       s);
		return err_set(e, ERR_DATA, "'%s' is not a number", s);
	}
	*out = strtod(s, NULL);
	return isfinite(*out) ? 0 : err_set(e, ERR_DATA, "'%s' is too large", s);
}

static int parse_size(const struct import_column *c, const char *s, uint64_t *out, struct err *e)
{
	double v;

	if (!c->has_unit)
		return units_parse_size(s, out, e);
	if (import_parse_number(s, &v, e))
		return -1;
	v = round(v * c->scale);
	if (v >= (double)INT64_MAX)
		return err_set(e, ERR_DATA, "'%s' is too large", s);
	*out = (uint64_t)v;
	return 0;
}

static int parse_mode(const char *s, enum rw_mode *out, struct err *e)
{
	enum rw_mode rw = 0;

	while (rw < RW_NR && strcasecmp(rw_name(rw), s) != 0)
		rw++;
	if (rw == RW_NR)
		return err_set(e, ERR_DATA,
			       "'%s' is no mode: use read, write, randread, randwrite, rw or "
			       "randrw",
			       s);
	*out = rw;
	return 0;
}

static int parse_dir(const char *s, enum dir *out, struct err *e)
{
	enum dir d = 0;

	while (d < DIR_NR && strcasecmp(dir_name(d), s) != 0)
		d++;
	if (d == DIR_NR)
		return err_set(e, ERR_DATA, "'%s' is no direction: use total, read or write", s);
	*out = d;
	return 0;
}

/* A per cent sign may stand behind figures that are per cent. */
static int parse_percent(char *s, double *out, struct err *e)
{
	size_t len = strlen(s);

	if (len && s[len - 1] == '%')
		s[len - 1] = '\0';
	return import_parse_number(s, out, e);
}

static int parse_count(enum import_field f, const char *s, uint32_t *out, struct err *e)
{
	double v;

	if (import_parse_number(s, &v, e))
		return -1;
	if (v != floor(v) || v < fields[f].low || v > fields[f].high)
		return err_set(e, ERR_DATA, "'%s' is no whole number from %" PRIu32 " to %" PRIu32,
			       s, fields[f].low, fields[f].high);
	*out = (uint32_t)v;
	return 0;
}

/* What the last digit stands for: 0.1 in 5.3. 0 with an exponent. */
static double quantum(const char *s)
{
	const char *dot = strchr(s, '.');

	if (strpbrk(s, "eE"))
		return 0;
	return dot ? pow(10, -(double)strlen(dot + 1)) : 1;
}

static int parse_real(const struct import_column *c, const char *s, struct import_row *row,
		      double *out, struct err *e)
{
	if (import_parse_number(s, out, e))
		return -1;
	*out *= c->scale;
	if (c->field == IMPORT_IOPS)
		row->iops_quantum = quantum(s);
	if (c->field == IMPORT_LAT_MEAN)
		row->lat_quantum_ns = quantum(s) * c->scale;
	if (c->field == IMPORT_MIB_S)
		row->mib_quantum = quantum(s) * c->scale;
	return 0;
}

static int parse_field(const struct import_column *c, char *s, struct import_row *row,
		       struct err *e)
{
	void *at = (char *)row + fields[c->field].offset;

	switch (fields[c->field].kind) {
	case KIND_MODE:
		return parse_mode(s, at, e);
	case KIND_SIZE:
		if (parse_size(c, s, at, e))
			return -1;
		return *(uint64_t *)at < fields[c->field].low
			       ? err_set(e, ERR_DATA, "a %s of 0 bytes", fields[c->field].name)
			       : 0;
	case KIND_COUNT:
		return parse_count(c->field, s, at, e);
	case KIND_PERCENT:
		return parse_percent(s, at, e);
	case KIND_REAL:
		return parse_real(c, s, row, at, e);
	case KIND_TEXT:
		*(char **)at = xstrdup(s);
		return 0;
	case KIND_DIR:
		return parse_dir(s, at, e);
	}
	return 0;
}

static bool may_be_empty(enum import_field f)
{
	return f == IMPORT_SPAN || (f >= IMPORT_IOPS && f <= IMPORT_CPU);
}

static int read_field(const struct import_column *c, const struct csv *csv, size_t i,
		      struct import_row *row, struct err *e)
{
	char *s = import_trimmed(c->constant ? c->constant : csv_field(csv, i));
	int rc = 0;

	if (*s)
		rc = parse_field(c, s, row, e);
	else if (!may_be_empty(c->field))
		rc = err_set(e, ERR_DATA, "it is empty, and a point needs its %s",
			     fields[c->field].name);
	free(s);
	if (!rc)
		return 0;
	/* units.h speaks of usage; here it is the table that is wrong, unless --set is. */
	e->code = c->constant ? ERR_USAGE : ERR_DATA;
	return c->constant ? err_wrap(e, "%s", c->header)
			   : err_wrap(e, "line %u, column '%s'", csv->line_nr, c->header);
}

static void row_init(struct import_row *row, unsigned line)
{
	struct point *p = &row->point;

	*row = (struct import_row){.dir = DIR_TOTAL, .mib_quantum = UNKNOWN, .line = line};
	*p = (struct point){.status = POINT_OK,
			    .imported = true,
			    .spec = {.rw = RW_NR,
				     .bs_bytes = 4096,
				     .workers = 1,
				     .repeat = 1,
				     .rwmixread_pct = UINT32_MAX,
				     .random_pct = UINT32_MAX}};
	p->window_s = p->ramp_s = p->drain_s = UNKNOWN;
	p->depth_mean = p->depth_max = p->util_pct = p->cpu_pct = UNKNOWN;
	p->rate_iops = p->arrivals = p->backlog = UNKNOWN;
	p->late_p50_ns = p->late_p99_ns = p->late_max_ns = UNKNOWN;
	for (enum dir d = 0; d < DIR_NR; d++)
		figures_clear(&p->dir[d]);
}

static enum rw_mode mode_of(uint32_t read_pct, bool is_random)
{
	static const enum rw_mode modes[2][3] = {{RW_WRITE, RW_RW, RW_READ},
						 {RW_RANDWRITE, RW_RANDRW, RW_RANDREAD}};

	return modes[is_random][read_pct == 0 ? 0 : read_pct < 100 ? 1 : 2];
}

/*
 * Tables say the mode by name, or by the shares of reads and of random places, or both: "read"
 * with 100 % random is randread.
 */
static int complete_mode(struct point_spec *s, struct err *e)
{
	static const enum rw_mode at_random[RW_NR] = {
		[RW_READ] = RW_RANDREAD,       [RW_WRITE] = RW_RANDWRITE,
		[RW_RW] = RW_RANDRW,	       [RW_RANDREAD] = RW_RANDREAD,
		[RW_RANDWRITE] = RW_RANDWRITE, [RW_RANDRW] = RW_RANDRW};
	uint32_t reads;

	if (s->rw == RW_NR)
		s->rw = mode_of(s->rwmixread_pct, s->random_pct > 0);
	else if (s->random_pct > 0 && s->random_pct <= 100)
		s->rw = at_random[s->rw];
	reads = rw_reads(s->rw) ? 100 : 0;
	if (s->random_pct == UINT32_MAX)
		s->random_pct = rw_is_random(s->rw) ? 100 : 0;
	if (!rw_is_mixed(s->rw) && s->rwmixread_pct == UINT32_MAX)
		s->rwmixread_pct = reads;
	if (s->rwmixread_pct == UINT32_MAX)
		return err_set(e, ERR_DATA, "a point of mode %s needs its rwmixread",
			       rw_name(s->rw));
	if (!rw_is_mixed(s->rw) && s->rwmixread_pct != reads)
		return err_set(e, ERR_DATA, "mode %s with rwmixread %" PRIu32, rw_name(s->rw),
			       s->rwmixread_pct);
	return 0;
}

static int complete_depth(struct import_row *row, struct err *e)
{
	struct point_spec *s = &row->point.spec;

	if (!row->iodepth_each)
		return 0;
	if ((uint64_t)row->iodepth_each * s->workers > UINT32_MAX)
		return err_set(e, ERR_DATA,
			       "a depth of %" PRIu32 " for each of %" PRIu32 " workers",
			       row->iodepth_each, s->workers);
	s->iodepth = row->iodepth_each * s->workers;
	return 0;
}

int import_row_read(const struct import_columns *c, const struct csv *csv, struct import_row *row,
		    struct err *e)
{
	row_init(row, csv->line_nr);
	for (size_t i = 0; i < c->nr; i++)
		if (c->v[i].field < IMPORT_FIELD_NR && read_field(&c->v[i], csv, i, row, e))
			return -1;
	if (complete_mode(&row->point.spec, e) || complete_depth(row, e))
		return err_wrap(e, "line %u", csv->line_nr);
	return 0;
}

void import_row_release(struct import_row *row)
{
	point_release(&row->point);
	free(row->target);
	*row = (struct import_row){0};
}
