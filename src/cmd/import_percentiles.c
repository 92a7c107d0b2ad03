/* SPDX-License-Identifier: MIT */
#include "cmd/import_csv.h"

#include "base/csv.h"
#include "base/mem.h"
#include "base/num.h"
#include "cmd/import_columns.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NO_COLUMN SIZE_MAX

struct layout {
	size_t target, pct, dir[DIR_NR]; /* columns, or NO_COLUMN */
	double scale[DIR_NR];		 /* to ns */
};

static int take_column(struct layout *l, size_t i, const char *name, struct err *e)
{
	size_t len = 0, *at = NULL;
	double scale = import_time_unit(name, &len);

	if (!strcasecmp(name, "target"))
		at = &l->target;
	if (!strcasecmp(name, "pct") || !strcasecmp(name, "percentile"))
		at = &l->pct;
	for (enum dir d = 0; scale > 0 && d < DIR_NR; d++) {
		if (strlen(dir_name(d)) == len && !strncasecmp(dir_name(d), name, len)) {
			at = &l->dir[d];
			l->scale[d] = scale;
		}
	}
	if (!at)
		return err_set(e, ERR_DATA,
			       "unknown column '%s': percentiles have target, pct, and total, read "
			       "or write with a unit of time, as read_ms",
			       name);
	if (*at != NO_COLUMN)
		return err_set(e, ERR_DATA, "'%s' is given a second time", name);
	*at = i;
	return 0;
}

static int read_layout(const struct csv *csv, bool has_targets, struct layout *l, struct err *e)
{
	*l = (struct layout){NO_COLUMN, NO_COLUMN, {NO_COLUMN, NO_COLUMN, NO_COLUMN}, {0}};
	for (size_t i = 0; i < csv->nr_fields; i++) {
		char *name = import_trimmed(csv_field(csv, i));
		int rc = take_column(l, i, name, e);

		free(name);
		if (rc)
			return err_wrap(e, "line %u", csv->line_nr);
	}
	if (l->pct == NO_COLUMN)
		return err_set(e, ERR_DATA, "no column 'pct' says which percentile a row is");
	if (has_targets != (l->target != NO_COLUMN))
		return err_set(e, ERR_DATA,
			       has_targets ? "no column 'target' says whose percentiles these are"
					   : "there is a column 'target', but the table has none");
	return 0;
}

/*
 * The field of min, max, 50th, 95%, p99.9 or 3-nines; IMPORT_IGNORE for a percentile that there is
 * no figure for, IMPORT_UNKNOWN for what is none.
 */
static enum import_field find_percentile(const char *s)
{
	static const struct {
		double pct;
		enum import_field field;
	} known[] = {{50, IMPORT_LAT_P50},
		     {90, IMPORT_LAT_P90},
		     {95, IMPORT_LAT_P95},
		     {99, IMPORT_LAT_P99},
		     {99.9, IMPORT_LAT_P999}};
	char *end;
	double pct;

	if (!strcasecmp(s, "min"))
		return IMPORT_LAT_MIN;
	if (!strcasecmp(s, "max"))
		return IMPORT_LAT_MAX;
	if (!strcasecmp(s, "median"))
		return IMPORT_LAT_P50;
	s += *s == 'p' || *s == 'P';
	pct = strtod(s, &end);
	if (end == s || !(pct >= 0))
		return IMPORT_UNKNOWN;
	if (!strcasecmp(end, "-nines"))
		pct = 100 - pow(10, 2 - pct);
	else if (*end && strcasecmp(end, "th") != 0 && strcmp(end, "%") != 0)
		return IMPORT_UNKNOWN;
	for (size_t i = 0; i < NR(known); i++)
		if (fabs(pct - known[i].pct) < 1e-9)
			return known[i].field;
	return pct <= 100 ? IMPORT_IGNORE : IMPORT_UNKNOWN;
}

static int set_figure(struct figures *f, enum import_field field, double ns, struct err *e)
{
	double *figure = import_field_figure(field, f);

	if (!isnan(*figure) && *figure != ns)
		return err_set(e, ERR_DATA, "%s has another value already",
			       import_field_name(field));
	*figure = ns;
	return 0;
}

static int add_figure(struct point *p, enum dir dir, enum import_field field, double ns,
		      struct err *e)
{
	enum dir only = rw_reads(p->spec.rw) ? DIR_READ : DIR_WRITE;

	if ((dir == DIR_READ && !point_reads(&p->spec)) ||
	    (dir == DIR_WRITE && !point_writes(&p->spec)))
		return err_set(e, ERR_DATA, "the point does no %ss", dir_name(dir));
	if (rw_is_mixed(p->spec.rw))
		return set_figure(&p->dir[dir], field, ns, e);
	/* What does one thing only has the same figures in total. */
	return set_figure(&p->dir[only], field, ns, e) ||
			       set_figure(&p->dir[DIR_TOTAL], field, ns, e)
		       ? -1
		       : 0;
}

/* The only point of the row's target, or NULL where the table has no such target. */
static int find_point(struct import_result *r, const char *target, struct point **out,
		      struct err *e)
{
	*out = NULL;
	for (size_t i = 0; i < r->nr; i++) {
		struct import_table *t = &r->v[i];

		if (target && strcmp(t->target, target) != 0)
			continue;
		if (t->nr != 1)
			return err_set(
				e, ERR_DATA,
				"there are %zu points%s%s%s, and percentiles do not say whose "
				"they are: give them as columns of the table (p50_ms, ...)",
				t->nr, target ? " of '" : "", target ? target : "",
				target ? "'" : "");
		*out = &t->points[0];
	}
	return 0;
}

/* Counts in *nr what becomes a figure. */
static int read_figures(const struct csv *csv, const struct layout *l, struct point *p, size_t *nr,
			struct err *e)
{
	char *name = import_trimmed(csv_field(csv, l->pct));
	enum import_field field = find_percentile(name);
	int rc = 0;

	if (field == IMPORT_UNKNOWN)
		rc = err_set(e, ERR_DATA, "'%s' is no percentile", name);
	for (enum dir d = 0; !rc && field < IMPORT_FIELD_NR && d < DIR_NR; d++) {
		char *s = l->dir[d] == NO_COLUMN ? NULL : import_trimmed(csv_field(csv, l->dir[d]));
		double value;

		if (s && *s) {
			rc = import_parse_number(s, &value, e);
			if (!rc)
				rc = add_figure(p, d, field, value * l->scale[d], e);
			*nr += !rc;
		}
		free(s);
	}
	free(name);
	return rc;
}

/* What became of the rows. */
struct outcome {
	size_t nr_taken;
	char **stranger; /* targets that the table has not, each once */
	size_t nr_strangers, cap;
};

static void add_stranger(struct outcome *o, const char *target)
{
	for (size_t i = 0; i < o->nr_strangers; i++)
		if (!strcmp(o->stranger[i], target))
			return;
	VEC_GROW(o->stranger, o->nr_strangers, o->cap);
	o->stranger[o->nr_strangers++] = xstrdup(target);
}

static int read_percentile(const struct csv *csv, const struct layout *l, struct import_result *r,
			   struct outcome *o, struct err *e)
{
	char *target = l->target == NO_COLUMN ? NULL : import_trimmed(csv_field(csv, l->target));
	struct point *p = NULL;
	int rc = find_point(r, target, &p, e);

	/* --where may have left the target out. */
	if (!rc && p)
		rc = read_figures(csv, l, p, &o->nr_taken, e);
	else if (!rc && target)
		add_stranger(o, target);
	free(target);
	return rc;
}

static void warn_of(const struct outcome *o, struct buf *warnings)
{
	if (!o->nr_taken) {
		buf_addstr(warnings,
			   "none of the percentiles becomes a figure: those of the targets of the "
			   "table are taken, as min, 50, 90, 95, 99, 99.9 (per cent) or max\n");
		return;
	}
	for (size_t i = 0; i < o->nr_strangers; i++)
		buf_addf(
			warnings,
			"percentiles of '%s' are left out: no row that is taken in is of that target\n",
			o->stranger[i]);
}

static int read_all(struct csv *csv, struct import_result *r, struct outcome *o, struct err *e)
{
	struct layout l;
	size_t nr_fields;
	int rc = csv_next(csv, e);

	if (rc <= 0)
		return rc < 0 ? rc : err_set(e, ERR_DATA, "the table is empty");
	if (read_layout(csv, r->v[0].target != NULL, &l, e))
		return -1;
	nr_fields = csv->nr_fields;
	while ((rc = csv_next(csv, e)) > 0) {
		if (csv->nr_fields != nr_fields)
			return err_set(e, ERR_DATA, "line %u: %zu fields, but the header has %zu",
				       csv->line_nr, csv->nr_fields, nr_fields);
		if (read_percentile(csv, &l, r, o, e))
			return err_wrap(e, "line %u", csv->line_nr);
	}
	if (!rc)
		warn_of(o, &r->warnings);
	return rc;
}

int import_percentiles(const char *text, size_t len, struct import_result *r, struct err *e)
{
	struct outcome o = {0};
	struct csv csv;
	int rc;

	csv_init(&csv, text, len);
	rc = read_all(&csv, r, &o, e);
	csv_release(&csv);
	for (size_t i = 0; i < o.nr_strangers; i++)
		free(o.stranger[i]);
	free(o.stranger);
	return rc;
}
