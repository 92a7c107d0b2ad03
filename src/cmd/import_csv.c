/* SPDX-License-Identifier: MIT */
#include "cmd/import_csv.h"

#include "base/clock.h"
#include "base/csv.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/units.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BYTES_PER_MIB 1048576.0

/* How far a printed total may be from what its directions make: both are rounded. */
#define TOTAL_TOLERANCE 0.01

enum field {
	F_RW,
	F_BS,
	F_IODEPTH,
	F_SPAN,
	F_OFFSET,
	F_RWMIXREAD,
	F_RANDOM_PCT,
	F_WORKERS,
	F_REPEAT,
	F_IOPS,
	F_MIB_S,
	F_LAT_MIN,
	F_LAT_MEAN,
	F_LAT_P50,
	F_LAT_P90,
	F_LAT_P95,
	F_LAT_P99,
	F_LAT_P999,
	F_LAT_MAX,
	F_UTIL,
	F_CPU,
	F_READ_IOPS,
	F_WRITE_IOPS,
	F_READ_LAT,
	F_WRITE_LAT,
	F_NR,
	F_IGNORE,
	F_UNKNOWN,
};

/* What the text of a field is. */
enum kind { KIND_MODE, KIND_SIZE, KIND_COUNT, KIND_PERCENT, KIND_REAL };

/* What a unit may stand behind the name, as in lat_ms. */
enum family { NO_UNIT, SIZE_UNIT, TIME_UNIT };

#define SPEC(member)	     offsetof(struct point, spec.member)
#define IN_DIR(dir_, member) (offsetof(struct point, dir[dir_]) + offsetof(struct figures, member))
#define TOTAL(member)	     IN_DIR(DIR_TOTAL, member)

static const struct {
	const char *name; /* ours */
	enum kind kind;
	enum family family;
	size_t offset; /* in struct point */
	uint32_t low, high;
} fields[F_NR] = {
	[F_RW] = {"rw", KIND_MODE, NO_UNIT, SPEC(rw), 0, 0},
	[F_BS] = {"bs", KIND_SIZE, SIZE_UNIT, SPEC(bs_bytes), 1, 0},
	[F_IODEPTH] = {"iodepth", KIND_COUNT, NO_UNIT, SPEC(iodepth), 1, UINT32_MAX},
	[F_SPAN] = {"span", KIND_SIZE, SIZE_UNIT, SPEC(span_bytes), 1, 0},
	[F_OFFSET] = {"offset", KIND_SIZE, SIZE_UNIT, SPEC(offset_bytes), 0, 0},
	[F_RWMIXREAD] = {"rwmixread", KIND_COUNT, NO_UNIT, SPEC(rwmixread_pct), 0, 100},
	[F_RANDOM_PCT] = {"random_pct", KIND_COUNT, NO_UNIT, SPEC(random_pct), 0, 100},
	[F_WORKERS] = {"workers", KIND_COUNT, NO_UNIT, SPEC(workers), 1, UINT32_MAX},
	[F_REPEAT] = {"repeat", KIND_COUNT, NO_UNIT, SPEC(repeat), 1, UINT32_MAX},
	[F_IOPS] = {"iops", KIND_REAL, NO_UNIT, TOTAL(iops), 0, 0},
	[F_MIB_S] = {"mib_s", KIND_REAL, NO_UNIT, TOTAL(mib_s), 0, 0},
	[F_LAT_MIN] = {"lat_min", KIND_REAL, TIME_UNIT, TOTAL(lat_min_ns), 0, 0},
	[F_LAT_MEAN] = {"lat_mean", KIND_REAL, TIME_UNIT, TOTAL(lat_mean_ns), 0, 0},
	[F_LAT_P50] = {"lat_p50", KIND_REAL, TIME_UNIT, TOTAL(lat_p50_ns), 0, 0},
	[F_LAT_P90] = {"lat_p90", KIND_REAL, TIME_UNIT, TOTAL(lat_p90_ns), 0, 0},
	[F_LAT_P95] = {"lat_p95", KIND_REAL, TIME_UNIT, TOTAL(lat_p95_ns), 0, 0},
	[F_LAT_P99] = {"lat_p99", KIND_REAL, TIME_UNIT, TOTAL(lat_p99_ns), 0, 0},
	[F_LAT_P999] = {"lat_p999", KIND_REAL, TIME_UNIT, TOTAL(lat_p999_ns), 0, 0},
	[F_LAT_MAX] = {"lat_max", KIND_REAL, TIME_UNIT, TOTAL(lat_max_ns), 0, 0},
	[F_UTIL] = {"util_pct", KIND_PERCENT, NO_UNIT, offsetof(struct point, util_pct), 0, 0},
	[F_CPU] = {"cpu_pct", KIND_PERCENT, NO_UNIT, offsetof(struct point, cpu_pct), 0, 0},
	[F_READ_IOPS] = {"read_iops", KIND_REAL, NO_UNIT, IN_DIR(DIR_READ, iops), 0, 0},
	[F_WRITE_IOPS] = {"write_iops", KIND_REAL, NO_UNIT, IN_DIR(DIR_WRITE, iops), 0, 0},
	[F_READ_LAT] = {"read_lat", KIND_REAL, TIME_UNIT, IN_DIR(DIR_READ, lat_mean_ns), 0, 0},
	[F_WRITE_LAT] = {"write_lat", KIND_REAL, TIME_UNIT, IN_DIR(DIR_WRITE, lat_mean_ns), 0, 0},
};

/* Names that tables use besides ours. The last group counts or repeats what other columns say. */
static const struct {
	const char *name;
	enum field field;
	enum family family;
	double scale;
} aliases[] = {
	{"mode", F_RW, NO_UNIT, 1},
	{"pattern", F_RW, NO_UNIT, 1},
	{"block_size", F_BS, SIZE_UNIT, 1},
	{"qd", F_IODEPTH, NO_UNIT, 1},
	{"depth", F_IODEPTH, NO_UNIT, 1},
	{"queue_depth", F_IODEPTH, NO_UNIT, 1},
	{"read_pct", F_RWMIXREAD, NO_UNIT, 1},
	{"threads", F_WORKERS, NO_UNIT, 1},
	{"mb_s", F_MIB_S, NO_UNIT, 1e6 / BYTES_PER_MIB},
	{"kib_s", F_MIB_S, NO_UNIT, 1 / 1024.0},
	{"min", F_LAT_MIN, TIME_UNIT, 1},
	{"lat", F_LAT_MEAN, TIME_UNIT, 1},
	{"mean", F_LAT_MEAN, TIME_UNIT, 1},
	{"latency", F_LAT_MEAN, TIME_UNIT, 1},
	{"lat_avg", F_LAT_MEAN, TIME_UNIT, 1},
	{"avg_lat", F_LAT_MEAN, TIME_UNIT, 1},
	{"avglat", F_LAT_MEAN, TIME_UNIT, 1},
	{"p50", F_LAT_P50, TIME_UNIT, 1},
	{"median", F_LAT_P50, TIME_UNIT, 1},
	{"p90", F_LAT_P90, TIME_UNIT, 1},
	{"p95", F_LAT_P95, TIME_UNIT, 1},
	{"p99", F_LAT_P99, TIME_UNIT, 1},
	{"p999", F_LAT_P999, TIME_UNIT, 1},
	{"p99.9", F_LAT_P999, TIME_UNIT, 1},
	{"max", F_LAT_MAX, TIME_UNIT, 1},
	{"util", F_UTIL, NO_UNIT, 1},
	{"cpu", F_CPU, NO_UNIT, 1},
	{"-", F_IGNORE, NO_UNIT, 1},
	{"test", F_IGNORE, NO_UNIT, 1},
	{"lun", F_IGNORE, SIZE_UNIT, 1},
};

static const struct {
	enum family family;
	const char *name;
	double scale; /* to bytes and ns */
} units[] = {
	{SIZE_UNIT, "bytes", 1},
	{SIZE_UNIT, "kib", 1024},
	{SIZE_UNIT, "mib", 1048576},
	{SIZE_UNIT, "gib", 1073741824},
	{SIZE_UNIT, "tib", 1099511627776},
	{SIZE_UNIT, "kb", 1e3},
	{SIZE_UNIT, "mb", 1e6},
	{SIZE_UNIT, "gb", 1e9},
	{SIZE_UNIT, "tb", 1e12},
	{TIME_UNIT, "ns", 1},
	{TIME_UNIT, "us", (double)NS_PER_US},
	{TIME_UNIT, "ms", (double)NS_PER_MS},
	{TIME_UNIT, "s", (double)NS_PER_S},
};

struct column {
	char *header; /* as the table has it, owned */
	enum field field;
	enum family family;
	double scale;
	bool has_unit;
	const char *constant; /* from set, instead of a field of the row */
};

struct reader {
	struct csv csv;
	struct column *col;
	size_t nr_cols, cap_cols;
	size_t nr_header; /* columns of the table; those from set stand behind */
	bool assumes_bs;
	struct import_table *out;
	unsigned *line; /* of each point */
	size_t cap_points, cap_lines;
};

/* A name without its unit. */
static void find_plain(struct column *c, const char *name, size_t len)
{
	for (enum field f = 0; f < F_NR; f++) {
		if (strlen(fields[f].name) == len && !strncasecmp(fields[f].name, name, len)) {
			c->field = f;
			c->family = fields[f].family;
			return;
		}
	}
	for (size_t i = 0; i < NR(aliases); i++) {
		if (strlen(aliases[i].name) == len && !strncasecmp(aliases[i].name, name, len)) {
			c->field = aliases[i].field;
			c->family = aliases[i].family;
			c->scale = aliases[i].scale;
			return;
		}
	}
}

/* Set field, family and scale of c by name; F_UNKNOWN where nothing is called so. */
static void find_name(struct column *c, const char *name)
{
	const char *unit = strrchr(name, '_');

	c->field = F_UNKNOWN;
	c->scale = 1;
	c->has_unit = false;
	find_plain(c, name, strlen(name));
	if (c->field != F_UNKNOWN || !unit)
		return;
	for (size_t i = 0; i < NR(units); i++) {
		if (strcasecmp(units[i].name, unit + 1))
			continue;
		find_plain(c, name, (size_t)(unit - name));
		if (c->field != F_UNKNOWN && c->family == units[i].family) {
			c->scale = units[i].scale;
			c->has_unit = true;
			return;
		}
		c->field = F_UNKNOWN;
	}
}

static char *trimmed(const char *s)
{
	size_t len;

	s += strspn(s, " \t");
	len = strlen(s);
	while (len && strchr(" \t", s[len - 1]))
		len--;
	return xstrndup(s, len);
}

static const struct column *column_of(const struct reader *r, enum field field)
{
	for (size_t i = 0; i < r->nr_cols; i++)
		if (r->col[i].field == field)
			return &r->col[i];
	return NULL;
}

/* Takes header over. */
static int add_column(struct reader *r, char *header, const char *name, const char *constant,
		      struct err *e)
{
	struct column c = {.header = header, .constant = constant};
	const struct column *other;

	find_name(&c, name);
	other = c.field < F_NR ? column_of(r, c.field) : NULL;
	VEC_GROW(r->col, r->nr_cols, r->cap_cols);
	r->col[r->nr_cols++] = c;
	if (other)
		return err_set(e, ERR_DATA, "'%s' gives %s a second time", header,
			       fields[c.field].name);
	if (c.field < F_NR && c.family == TIME_UNIT && !c.has_unit)
		return err_set(e, ERR_DATA, "'%s' has no unit: call it %s_ms or %s_us", header,
			       name, name);
	return 0;
}

static const char *mapped_name(const struct pair_list *map, const char *header)
{
	for (size_t i = 0; i < map->nr; i++)
		if (!strcasecmp(map->v[i].name, header))
			return map->v[i].value;
	return header;
}

static int read_header_field(struct reader *r, size_t i, const struct pair_list *map, struct err *e)
{
	char *header = trimmed(csv_field(&r->csv, i));

	if (!*header) {
		free(header);
		return err_set(e, ERR_DATA, "column %zu has no name", i + 1);
	}
	for (size_t j = 0; j < r->nr_cols; j++) {
		if (strcasecmp(r->col[j].header, header))
			continue;
		(void)err_set(e, ERR_DATA, "column '%s' is there twice", header);
		free(header);
		return -1;
	}
	return add_column(r, header, mapped_name(map, header), NULL, e);
}

static int check_names_known(const struct reader *r, const struct pair_list *map, struct err *e)
{
	struct buf list = BUF_INIT;
	const char *first = NULL;

	for (size_t i = 0; i < r->nr_header; i++) {
		const struct column *c = &r->col[i];
		const char *name = mapped_name(map, c->header);

		if (c->field != F_UNKNOWN)
			continue;
		if (name != c->header) {
			buf_release(&list);
			return err_set(e, ERR_USAGE, "--map %s=%s: there is no figure or axis '%s'",
				       c->header, name, name);
		}
		first = first ? first : c->header;
		buf_addf(&list, "%s'%s'", list.len ? ", " : "", c->header);
	}
	if (first)
		(void)err_set(
			e, ERR_DATA,
			"line %u: unknown column %s: say what it holds by --map '%s=NAME', or leave it "
			"out by --map '%s=-'",
			r->csv.line_nr, buf_text(&list), first, first);
	buf_release(&list);
	return first ? -1 : 0;
}

static int check_map_used(const struct reader *r, const struct pair_list *map, struct err *e)
{
	for (size_t i = 0; i < map->nr; i++) {
		size_t j = 0;

		while (j < r->nr_header && strcasecmp(r->col[j].header, map->v[i].name))
			j++;
		if (j == r->nr_header)
			return err_set(e, ERR_USAGE, "--map names '%s', which is no column",
				       map->v[i].name);
	}
	return 0;
}

static int add_constants(struct reader *r, const struct pair_list *set, struct err *e)
{
	for (size_t i = 0; i < set->nr; i++) {
		if (add_column(r, xasprintf("--set %s", set->v[i].name), set->v[i].name,
			       set->v[i].value, e))
			return -1;
		if (r->col[r->nr_cols - 1].field >= F_IOPS)
			return err_set(e, ERR_USAGE, "--set gives axes, and '%s' is none",
				       set->v[i].name);
	}
	return 0;
}

static int read_header(struct reader *r, const struct pair_list *map, struct err *e)
{
	const char *first;
	int rc = csv_next(&r->csv, e);

	if (rc < 0)
		return -1;
	if (rc == 0)
		return err_set(e, ERR_DATA, "the table is empty");
	first = csv_field(&r->csv, 0);
	if (r->csv.nr_fields == 1 && strpbrk(first, ";\t"))
		return err_set(e, ERR_DATA, "line %u: fields must be separated by commas",
			       r->csv.line_nr);
	for (size_t i = 0; i < r->csv.nr_fields; i++)
		if (read_header_field(r, i, map, e))
			return err_wrap(e, "line %u", r->csv.line_nr);
	r->nr_header = r->nr_cols;
	if (check_names_known(r, map, e))
		return -1;
	return check_map_used(r, map, e);
}

static void warn_assumed(struct reader *r, const char *axis, const char *value)
{
	buf_addf(&r->out->warnings, "no column gives %s: %s is assumed; --set %s=VALUE says it\n",
		 axis, value, axis);
}

static int check_columns(struct reader *r, struct err *e)
{
	if (!column_of(r, F_IODEPTH))
		return err_set(e, ERR_DATA, "no column gives the queue depth (iodepth or qd)");
	if (!column_of(r, F_IOPS) && !column_of(r, F_MIB_S) && !column_of(r, F_READ_IOPS) &&
	    !column_of(r, F_WRITE_IOPS))
		return err_set(e, ERR_DATA, "no column gives iops or mib_s");
	if (!column_of(r, F_RW))
		warn_assumed(r, "rw", "randread");
	r->assumes_bs = !column_of(r, F_BS);
	if (r->assumes_bs)
		warn_assumed(r, "bs", "4k");
	return 0;
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
static int parse_number(const char *s, double *out, struct err *e)
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

static int parse_size(const struct column *c, const char *s, uint64_t *out, struct err *e)
{
	double v;

	if (!c->has_unit)
		return units_parse_size(s, out, e);
	if (parse_number(s, &v, e))
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

	while (rw < RW_NR && strcasecmp(rw_name(rw), s))
		rw++;
	if (rw == RW_NR)
		return err_set(e, ERR_DATA,
			       "'%s' is no mode: use read, write, randread, randwrite, rw or "
			       "randrw",
			       s);
	*out = rw;
	return 0;
}

/* A per cent sign may stand behind figures that are per cent. */
static int parse_percent(char *s, double *out, struct err *e)
{
	size_t len = strlen(s);

	if (len && s[len - 1] == '%')
		s[len - 1] = '\0';
	return parse_number(s, out, e);
}

static int parse_count(enum field f, const char *s, uint32_t *out, struct err *e)
{
	double v;

	if (parse_number(s, &v, e))
		return -1;
	if (v != floor(v) || v < fields[f].low || v > fields[f].high)
		return err_set(e, ERR_DATA, "'%s' is no whole number from %" PRIu32 " to %" PRIu32,
			       s, fields[f].low, fields[f].high);
	*out = (uint32_t)v;
	return 0;
}

static int parse_field(const struct column *c, char *s, struct point *p, struct err *e)
{
	void *at = (char *)p + fields[c->field].offset;

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
		if (parse_number(s, at, e))
			return -1;
		*(double *)at *= c->scale;
		return 0;
	}
	return 0;
}

/* Axes are needed; an empty figure is one that is not known, and so is an empty span. */
static int read_field(struct reader *r, size_t i, struct point *p, struct err *e)
{
	const struct column *c = &r->col[i];
	char *s = trimmed(c->constant ? c->constant : csv_field(&r->csv, i));
	int rc = 0;

	if (*s)
		rc = parse_field(c, s, p, e);
	else if (c->field < F_IOPS && c->field != F_SPAN)
		rc = err_set(e, ERR_DATA, "it is empty, and a point needs its %s",
			     fields[c->field].name);
	free(s);
	if (!rc)
		return 0;
	/* units.h speaks of usage; here it is the table that is wrong, unless --set is. */
	e->code = c->constant ? ERR_USAGE : ERR_DATA;
	return c->constant ? err_wrap(e, "%s", c->header)
			   : err_wrap(e, "line %u, column '%s'", r->csv.line_nr, c->header);
}

static void point_defaults(struct point *p, uint32_t seq)
{
	*p = (struct point){.seq = seq,
			    .status = POINT_OK,
			    .imported = true,
			    .spec = {.rw = RW_RANDREAD,
				     .bs_bytes = 4096,
				     .workers = 1,
				     .repeat = 1,
				     .rwmixread_pct = UINT32_MAX,
				     .random_pct = UINT32_MAX}};
	p->window_s = p->ramp_s = p->drain_s = UNKNOWN;
	p->depth_mean = p->depth_max = p->util_pct = p->cpu_pct = UNKNOWN;
	for (enum dir d = 0; d < DIR_NR; d++)
		figures_clear(&p->dir[d]);
}

/* Mix and randomness where the mode says them. */
static int complete_spec(struct point_spec *s, struct err *e)
{
	uint32_t reads = rw_reads(s->rw) ? 100 : 0;

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

/* The total that the directions make (D30); a total that the table gives too is taken when it agrees. */
static void take_total(struct reader *r, const char *name, double made, double scale, double *total)
{
	if (isnan(made))
		return;
	if (fabs(*total / made - 1) > TOTAL_TOLERANCE)
		buf_addf(&r->out->warnings,
			 "line %u: %s is %.10g, but reads and writes together make %.6g, which is "
			 "taken: total IOPS are the sum, total latency is weighted by IOPS\n",
			 r->csv.line_nr, name, *total / scale, made / scale);
	*total = made;
}

/* One direction of a mixed point alone makes no total. */
static int add_directions(struct reader *r, struct point *p, struct err *e)
{
	const struct figures *rd = &p->dir[DIR_READ], *wr = &p->dir[DIR_WRITE];
	struct figures *total = &p->dir[DIR_TOTAL];

	if (isnan(rd->iops) && isnan(wr->iops) && isnan(rd->lat_mean_ns) && isnan(wr->lat_mean_ns))
		return 0;
	if (!rw_is_mixed(p->spec.rw))
		return err_set(e, ERR_DATA, "mode %s has no reads and writes apart",
			       rw_name(p->spec.rw));
	take_total(r, "iops", rd->iops + wr->iops, 1, &total->iops);
	take_total(r, "lat_mean in ms",
		   (rd->iops * rd->lat_mean_ns + wr->iops * wr->lat_mean_ns) /
			   (rd->iops + wr->iops),
		   (double)NS_PER_MS, &total->lat_mean_ns);
	for (enum dir d = DIR_READ; d <= DIR_WRITE && !r->assumes_bs; d++)
		p->dir[d].mib_s = p->dir[d].iops * (double)p->spec.bs_bytes / BYTES_PER_MIB;
	return 0;
}

static int complete_figures(struct reader *r, struct point *p, struct err *e)
{
	struct figures *f = &p->dir[DIR_TOTAL];
	double per_mib = BYTES_PER_MIB / (double)p->spec.bs_bytes;

	if (isnan(f->iops) && isnan(f->mib_s))
		return err_set(e, ERR_DATA, "neither iops nor mib_s is known");
	if (isnan(f->iops)) {
		if (r->assumes_bs)
			return err_set(e, ERR_DATA, "mib_s without iops needs the block size");
		f->iops = f->mib_s * per_mib;
	}
	/* An assumed block size must not become a figure. */
	if (isnan(f->mib_s) && !r->assumes_bs)
		f->mib_s = f->iops / per_mib;
	if (f->iops == 0) {
		p->status = POINT_NO_IO;
		p->reason = xstrdup("the imported table has 0 IOPS");
	}
	if (!rw_is_mixed(p->spec.rw))
		p->dir[rw_reads(p->spec.rw) ? DIR_READ : DIR_WRITE] = *f;
	return 0;
}

static int check_order(const struct point *p, struct err *e)
{
	static const enum field ascending[] = {F_LAT_MIN, F_LAT_P50,  F_LAT_P90, F_LAT_P95,
					       F_LAT_P99, F_LAT_P999, F_LAT_MAX};
	const struct figures *f = &p->dir[DIR_TOTAL];
	enum field last = F_NR;
	double last_ns = 0;

	for (size_t i = 0; i < NR(ascending); i++) {
		double ns = *(const double *)(const void *)((const char *)p +
							    fields[ascending[i]].offset);

		if (isnan(ns))
			continue;
		if (last != F_NR && ns < last_ns)
			return err_set(e, ERR_DATA, "%s is below %s", fields[ascending[i]].name,
				       fields[last].name);
		last = ascending[i];
		last_ns = ns;
	}
	if (f->lat_mean_ns < f->lat_min_ns || f->lat_mean_ns > f->lat_max_ns)
		return err_set(e, ERR_DATA, "lat_mean lies outside lat_min and lat_max");
	return 0;
}

/* method.md (e): -0.01 <= 1 - X R / N <= 0.02 + Z0 / (R + Z0), Z0 = 20 us. */
static void check_little(struct reader *r, const struct point *p)
{
	const struct figures *f = &p->dir[DIR_TOTAL];
	const double z0_ns = 20e3;
	double in_flight = f->iops * f->lat_mean_ns / (double)NS_PER_S;
	double missing = 1 - in_flight / p->spec.iodepth;

	if (isnan(in_flight) || f->iops == 0)
		return;
	if (missing < -0.01 || missing > 0.02 + z0_ns / (f->lat_mean_ns + z0_ns))
		buf_addf(&r->out->warnings,
			 "line %u: %.10g IOPS x %.6g ms are %.4g I/Os in flight, but the depth is "
			 "%" PRIu32 ": one of the three is wrong, or belongs to another row\n",
			 r->csv.line_nr, f->iops, f->lat_mean_ns / (double)NS_PER_MS, in_flight,
			 p->spec.iodepth);
}

static int wrong_field_count(const struct reader *r, struct err *e)
{
	return err_set(e, ERR_DATA, "line %u: %zu fields, but the header has %zu%s", r->csv.line_nr,
		       r->csv.nr_fields, r->nr_header,
		       r->csv.nr_fields > r->nr_header
			       ? "; decimals are written with a dot, not with a comma"
			       : "");
}

static int read_row(struct reader *r, struct err *e)
{
	struct import_table *t = r->out;
	struct point *p;

	if (r->csv.nr_fields != r->nr_header)
		return wrong_field_count(r, e);
	VEC_GROW(t->points, t->nr, r->cap_points);
	VEC_GROW(r->line, t->nr, r->cap_lines);
	r->line[t->nr] = r->csv.line_nr;
	p = &t->points[t->nr++];
	point_defaults(p, (uint32_t)t->nr);
	for (size_t i = 0; i < r->nr_cols; i++)
		if (r->col[i].field < F_NR && read_field(r, i, p, e))
			return -1;
	if (complete_spec(&p->spec, e) || add_directions(r, p, e) || complete_figures(r, p, e) ||
	    check_order(p, e))
		return err_wrap(e, "line %u", r->csv.line_nr);
	check_little(r, p);
	return 0;
}

static int in_spec_order(const void *a, const void *b)
{
	const struct point *const *pa = a, *const *pb = b;
	int c = point_spec_compare(&(*pa)->spec, &(*pb)->spec);

	return c ? c : ((*pa)->seq > (*pb)->seq) - ((*pa)->seq < (*pb)->seq);
}

static int check_unique(const struct reader *r, struct err *e)
{
	const struct import_table *t = r->out;
	const struct point **sorted = xcalloc(t->nr, sizeof(*sorted));
	struct buf name = BUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < t->nr; i++)
		sorted[i] = &t->points[i];
	qsort(sorted, t->nr, sizeof(*sorted), in_spec_order);
	for (size_t i = 1; !rc && i < t->nr; i++) {
		if (point_spec_compare(&sorted[i - 1]->spec, &sorted[i]->spec))
			continue;
		buf_add_point(&name, &sorted[i]->spec);
		rc = err_set(e, ERR_DATA,
			     "lines %u and %u are the same point (%s): a column of axes is "
			     "missing, or number them in a column 'repeat'",
			     r->line[sorted[i - 1]->seq - 1], r->line[sorted[i]->seq - 1],
			     buf_text(&name));
	}
	buf_release(&name);
	free(sorted);
	return rc;
}

static int read_table(struct reader *r, const struct pair_list *map, const struct pair_list *set,
		      struct err *e)
{
	int rc;

	if (read_header(r, map, e) || add_constants(r, set, e) || check_columns(r, e))
		return -1;
	while ((rc = csv_next(&r->csv, e)) > 0)
		if (read_row(r, e))
			return -1;
	if (rc < 0)
		return rc;
	if (!r->out->nr)
		return err_set(e, ERR_DATA, "there is a header, but no row");
	return check_unique(r, e);
}

int import_csv(const char *text, size_t len, const struct pair_list *map,
	       const struct pair_list *set, struct import_table *out, struct err *e)
{
	struct reader r = {.out = out};
	int rc;

	*out = (struct import_table){0};
	csv_init(&r.csv, text, len);
	rc = read_table(&r, map, set, e);
	for (size_t i = 0; i < r.nr_cols; i++)
		free(r.col[i].header);
	free(r.col);
	free(r.line);
	csv_release(&r.csv);
	return rc;
}

void import_table_release(struct import_table *t)
{
	for (size_t i = 0; i < t->nr; i++)
		point_release(&t->points[i]);
	free(t->points);
	buf_release(&t->warnings);
	*t = (struct import_table){0};
}
