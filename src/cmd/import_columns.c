/* SPDX-License-Identifier: MIT */
#include "cmd/import_columns.h"

#include "base/clock.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BYTES_PER_MIB 1048576.0

/* Names that tables use besides ours. The last group counts or repeats what other columns say. */
static const struct {
	const char *name;
	enum import_field field;
	double scale;
} aliases[] = {
	{"mode", IMPORT_RW, 1},
	{"pattern", IMPORT_RW, 1},
	{"block_size", IMPORT_BS, 1},
	{"qd", IMPORT_IODEPTH, 1},
	{"depth", IMPORT_IODEPTH, 1},
	{"queue_depth", IMPORT_IODEPTH, 1},
	{"outstanding", IMPORT_DEPTH_EACH, 1},
	{"read_pct", IMPORT_RWMIXREAD, 1},
	{"threads", IMPORT_WORKERS, 1},
	{"mb_s", IMPORT_MIB_S, 1e6 / BYTES_PER_MIB},
	{"kib_s", IMPORT_MIB_S, 1 / 1024.0},
	{"min", IMPORT_LAT_MIN, 1},
	{"lat", IMPORT_LAT_MEAN, 1},
	{"mean", IMPORT_LAT_MEAN, 1},
	{"latency", IMPORT_LAT_MEAN, 1},
	{"lat_avg", IMPORT_LAT_MEAN, 1},
	{"avg_lat", IMPORT_LAT_MEAN, 1},
	{"avglat", IMPORT_LAT_MEAN, 1},
	{"lat_std", IMPORT_LAT_SD, 1},
	{"latstd", IMPORT_LAT_SD, 1},
	{"p50", IMPORT_LAT_P50, 1},
	{"median", IMPORT_LAT_P50, 1},
	{"p90", IMPORT_LAT_P90, 1},
	{"p95", IMPORT_LAT_P95, 1},
	{"p99", IMPORT_LAT_P99, 1},
	{"p999", IMPORT_LAT_P999, 1},
	{"p99.9", IMPORT_LAT_P999, 1},
	{"max", IMPORT_LAT_MAX, 1},
	{"util", IMPORT_UTIL, 1},
	{"cpu", IMPORT_CPU, 1},
	{"kind", IMPORT_DIR, 1},
	{"direction", IMPORT_DIR, 1},
	{"-", IMPORT_IGNORE, 1},
	{"test", IMPORT_IGNORE, 1},
	{"lun", IMPORT_IGNORE, 1},
	{"note", IMPORT_IGNORE, 1},
	{"comment", IMPORT_IGNORE, 1},
};

static const struct {
	enum import_family family;
	const char *name;
	double scale; /* to bytes and ns */
} units[] = {
	{IMPORT_SIZE_UNIT, "bytes", 1},
	{IMPORT_SIZE_UNIT, "kib", 1024},
	{IMPORT_SIZE_UNIT, "mib", 1048576},
	{IMPORT_SIZE_UNIT, "gib", 1073741824},
	{IMPORT_SIZE_UNIT, "tib", 1099511627776},
	{IMPORT_SIZE_UNIT, "kb", 1e3},
	{IMPORT_SIZE_UNIT, "mb", 1e6},
	{IMPORT_SIZE_UNIT, "gb", 1e9},
	{IMPORT_SIZE_UNIT, "tb", 1e12},
	{IMPORT_TIME_UNIT, "ns", 1},
	{IMPORT_TIME_UNIT, "us", (double)NS_PER_US},
	{IMPORT_TIME_UNIT, "ms", (double)NS_PER_MS},
	{IMPORT_TIME_UNIT, "s", (double)NS_PER_S},
};

static bool is_name(const char *known, const char *name, size_t len)
{
	return strlen(known) == len && !strncasecmp(known, name, len);
}

static enum import_family family_of(enum import_field f)
{
	if (f == IMPORT_BS || f == IMPORT_SPAN || f == IMPORT_OFFSET || f == IMPORT_IGNORE)
		return IMPORT_SIZE_UNIT;
	if (f == IMPORT_READ_LAT || f == IMPORT_WRITE_LAT)
		return IMPORT_TIME_UNIT;
	return f >= IMPORT_LAT_MIN && f <= IMPORT_LAT_MAX ? IMPORT_TIME_UNIT : IMPORT_NO_UNIT;
}

/* A name without its unit. */
static void find_plain(struct import_column *c, const char *name, size_t len)
{
	for (enum import_field f = 0; f < IMPORT_FIELD_NR; f++)
		if (is_name(import_field_name(f), name, len))
			c->field = f;
	for (size_t i = 0; c->field == IMPORT_UNKNOWN && i < NR(aliases); i++) {
		if (is_name(aliases[i].name, name, len)) {
			c->field = aliases[i].field;
			c->scale = aliases[i].scale;
		}
	}
	c->family = family_of(c->field);
}

/* Set field, family and scale of c by name; IMPORT_UNKNOWN where nothing is called so. */
static void find_name(struct import_column *c, const char *name)
{
	const char *unit = strrchr(name, '_');

	c->field = IMPORT_UNKNOWN;
	c->scale = 1;
	c->has_unit = false;
	find_plain(c, name, strlen(name));
	if (c->field != IMPORT_UNKNOWN || !unit)
		return;
	for (size_t i = 0; i < NR(units); i++) {
		if (strcasecmp(units[i].name, unit + 1) != 0)
			continue;
		find_plain(c, name, (size_t)(unit - name));
		if (c->field != IMPORT_UNKNOWN && c->family == units[i].family) {
			c->scale = units[i].scale;
			c->has_unit = true;
			return;
		}
		c->field = IMPORT_UNKNOWN;
	}
}

double import_time_unit(const char *name, size_t *len)
{
	const char *unit = strrchr(name, '_');

	for (size_t i = 0; unit && i < NR(units); i++) {
		if (units[i].family == IMPORT_TIME_UNIT && !strcasecmp(units[i].name, unit + 1)) {
			*len = (size_t)(unit - name);
			return units[i].scale;
		}
	}
	return 0;
}

char *import_trimmed(const char *s)
{
	size_t len;

	s += strspn(s, " \t");
	len = strlen(s);
	while (len && strchr(" \t", s[len - 1]))
		len--;
	return xstrndup(s, len);
}

const struct import_column *import_columns_find(const struct import_columns *c,
						enum import_field field)
{
	for (size_t i = 0; i < c->nr; i++)
		if (c->v[i].field == field)
			return &c->v[i];
	return NULL;
}

size_t import_columns_named(const struct import_columns *c, const char *header)
{
	size_t i = 0;

	while (i < c->nr_table && strcasecmp(c->v[i].header, header) != 0)
		i++;
	return i;
}

/* Takes header over. */
static int add_column(struct import_columns *l, char *header, const char *name,
		      const char *constant, struct err *e)
{
	struct import_column c = {.header = header, .constant = constant};
	const struct import_column *other;

	find_name(&c, name);
	other = c.field < IMPORT_FIELD_NR ? import_columns_find(l, c.field) : NULL;
	VEC_GROW(l->v, l->nr, l->cap);
	l->v[l->nr++] = c;
	if (other)
		return err_set(e, ERR_DATA, "'%s' gives %s a second time", header,
			       import_field_name(c.field));
	if (c.field < IMPORT_FIELD_NR && c.family == IMPORT_TIME_UNIT && !c.has_unit)
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

static int read_header_field(struct import_columns *c, const struct csv *csv, size_t i,
			     const struct pair_list *map, struct err *e)
{
	char *header = import_trimmed(csv_field(csv, i));

	if (!*header) {
		free(header);
		return err_set(e, ERR_DATA, "column %zu has no name", i + 1);
	}
	for (size_t j = 0; j < c->nr; j++) {
		if (strcasecmp(c->v[j].header, header) != 0)
			continue;
		(void)err_set(e, ERR_DATA, "column '%s' is there twice", header);
		free(header);
		return -1;
	}
	return add_column(c, header, mapped_name(map, header), NULL, e);
}

static bool is_in_list(const struct pair_list *l, const char *name)
{
	for (size_t i = 0; i < l->nr; i++)
		if (!strcasecmp(l->v[i].name, name))
			return true;
	return false;
}

static int check_names_known(struct import_columns *l, unsigned line_nr,
			     const struct pair_list *map, const struct pair_list *where,
			     struct err *e)
{
	struct buf list = BUF_INIT;
	const char *first = NULL;

	for (size_t i = 0; i < l->nr_table; i++) {
		struct import_column *c = &l->v[i];
		const char *name = mapped_name(map, c->header);

		if (c->field == IMPORT_UNKNOWN && name == c->header && is_in_list(where, name))
			c->field = IMPORT_IGNORE;
		if (c->field != IMPORT_UNKNOWN)
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
			line_nr, buf_text(&list), first, first);
	buf_release(&list);
	return first ? -1 : 0;
}

static int check_list_used(const struct import_columns *c, const struct pair_list *list,
			   const char *option, struct err *e)
{
	for (size_t i = 0; i < list->nr; i++)
		if (import_columns_named(c, list->v[i].name) == c->nr_table)
			return err_set(e, ERR_USAGE, "--%s names '%s', which is no column", option,
				       list->v[i].name);
	return 0;
}

static int add_constants(struct import_columns *c, const struct pair_list *set, struct err *e)
{
	for (size_t i = 0; i < set->nr; i++) {
		if (add_column(c, xasprintf("--set %s", set->v[i].name), set->v[i].name,
			       set->v[i].value, e))
			return -1;
		if (c->v[c->nr - 1].field >= IMPORT_IOPS)
			return err_set(e, ERR_USAGE, "--set gives axes, and '%s' is none",
				       set->v[i].name);
	}
	return 0;
}

int import_columns_read(struct import_columns *c, const struct csv *csv,
			const struct pair_list *map, const struct pair_list *where,
			const struct pair_list *set, struct err *e)
{
	if (csv->nr_fields == 1 && strpbrk(csv_field(csv, 0), ";\t"))
		return err_set(e, ERR_DATA, "line %u: fields must be separated by commas",
			       csv->line_nr);
	for (size_t i = 0; i < csv->nr_fields; i++)
		if (read_header_field(c, csv, i, map, e))
			return err_wrap(e, "line %u", csv->line_nr);
	c->nr_table = c->nr;
	if (check_names_known(c, csv->line_nr, map, where, e) ||
	    check_list_used(c, map, "map", e) || check_list_used(c, where, "where", e))
		return -1;
	return add_constants(c, set, e);
}

void import_columns_release(struct import_columns *c)
{
	for (size_t i = 0; i < c->nr; i++)
		free(c->v[i].header);
	free(c->v);
	*c = (struct import_columns){0};
}
