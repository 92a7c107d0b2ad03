/* SPDX-License-Identifier: MIT */
#include "report/pivot_axes.h"

#include "base/mem.h"
#include "base/units.h"
#include "report/format.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *ask, *name, *title;
	enum lat_stat stat;
	int decimals; /* -1: as IOPS are printed */
} figures[PIVOT_FIGURE_NR] = {
	[PIVOT_IOPS] = {"iops", "iops", "IOPS", LAT_STAT_NR, -1},
	[PIVOT_MIB_S] = {"mib_s", "mib_s", "MiB/s", LAT_STAT_NR, 2},
	[PIVOT_LAT_MEAN] = {"lat_mean", "lat_mean_ms", "mean ms", LAT_MEAN, 3},
	[PIVOT_LAT_P50] = {"lat_p50", "lat_p50_ms", "p50 ms", LAT_P50, 3},
	[PIVOT_LAT_P90] = {"lat_p90", "lat_p90_ms", "p90 ms", LAT_P90, 3},
	[PIVOT_LAT_P95] = {"lat_p95", "lat_p95_ms", "p95 ms", LAT_P95, 3},
	[PIVOT_LAT_P99] = {"lat_p99", "lat_p99_ms", "p99 ms", LAT_P99, 3},
	[PIVOT_LAT_P999] = {"lat_p999", "lat_p999_ms", "p99.9 ms", LAT_P999, 3},
	[PIVOT_UTIL] = {"util", "util_pct", "util %", LAT_STAT_NR, 2},
};

const char *pivot_figure_title(enum pivot_figure f)
{
	return figures[f].title;
}

enum lat_stat pivot_figure_stat(enum pivot_figure f)
{
	return figures[f].stat;
}

const char *pivot_figure_name(enum pivot_figure f)
{
	return figures[f].name;
}

void pivot_add_figure(struct buf *b, enum pivot_figure f, double v)
{
	if (figures[f].decimals < 0)
		format_iops(b, v);
	else
		format_fixed(b, v, figures[f].decimals);
}

/* ---- what is asked for ---- */

/* Call add for each item of a list with commas. */
static int each_item(const char *list, struct pivot_ask *ask,
		     int (*add)(const char *item, struct pivot_ask *ask, struct err *e),
		     struct err *e)
{
	char *copy = xstrdup(list), *rest = copy, *item;
	int rc = 0;

	while (!rc && (item = strsep(&rest, ",")))
		rc = add(item, ask, e);
	free(copy);
	return rc;
}

static int find_axis(const char *name, enum axis *axis, struct err *e)
{
	*axis = axis_find(name);
	if (*axis == AXIS_RATE)
		return err_set(e, ERR_USAGE,
			       "offered loads have a table for each response curve in the report, "
			       "and 'rate' is no axis of other tables");
	if (*axis == AXIS_NR)
		return err_set(e, ERR_USAGE,
			       "'%s' is no axis: use rw, bs, iodepth, span, rwmixread, workers or "
			       "random_pct",
			       name);
	return 0;
}

static int add_axis(const char *item, struct pivot_ask *ask, struct err *e)
{
	if (ask->rows == AXIS_NR)
		return find_axis(item, &ask->rows, e);
	if (ask->cols != AXIS_NR)
		return err_set(e, ERR_USAGE,
			       "a table has one axis in rows and at most one in columns, so there "
			       "is no place for '%s'",
			       item);
	if (find_axis(item, &ask->cols, e))
		return -1;
	if (ask->cols == ask->rows)
		return err_set(e, ERR_USAGE, "'%s' cannot be both in rows and in columns", item);
	return 0;
}

int pivot_parse_axes(const char *text, struct pivot_ask *ask, struct err *e)
{
	ask->rows = ask->cols = AXIS_NR;
	return each_item(text, ask, add_axis, e);
}

static int add_figure(const char *item, struct pivot_ask *ask, struct err *e)
{
	for (enum pivot_figure f = 0; f < PIVOT_FIGURE_NR; f++) {
		if (strcmp(figures[f].ask, item) != 0)
			continue;
		for (size_t i = 0; i < ask->nr_figures; i++)
			if (ask->figure[i] == f)
				return 0;
		ask->figure[ask->nr_figures++] = f;
		return 0;
	}
	return err_set(e, ERR_USAGE,
		       "'%s' is no figure: use iops, mib_s, lat_mean, lat_p50, lat_p90, lat_p95, "
		       "lat_p99, lat_p999 or util",
		       item);
}

int pivot_parse_figures(const char *text, struct pivot_ask *ask, struct err *e)
{
	return each_item(text, ask, add_figure, e);
}

static int add_where(const char *item, struct pivot_ask *ask, struct err *e)
{
	const char *equals = strchr(item, '=');
	enum axis axis;
	char *name;
	int rc;

	if (!equals || !equals[1])
		return err_set(e, ERR_USAGE, "'%s' is no condition; write it as iodepth=16", item);
	if (ask->nr_where == PIVOT_MAX_WHERE)
		return err_set(e, ERR_USAGE, "there are more than %d conditions", PIVOT_MAX_WHERE);
	name = xstrndup(item, (size_t)(equals - item));
	rc = find_axis(name, &axis, e);
	free(name);
	if (!rc)
		ask->where[ask->nr_where++] = (struct pivot_where){axis, xstrdup(equals + 1)};
	return rc;
}

int pivot_parse_where(const char *text, struct pivot_ask *ask, struct err *e)
{
	return each_item(text, ask, add_where, e);
}

void pivot_ask_release(struct pivot_ask *ask)
{
	for (size_t i = 0; i < ask->nr_where; i++)
		free(ask->where[i].text);
	ask->nr_where = 0;
}

/* ---- values of axes ---- */

static bool is_asked(const struct pivot_ask *ask, enum axis axis)
{
	return ask->rows == axis || ask->cols == axis;
}

static void add_pattern(struct buf *b, const struct pivot_ask *ask, const struct point_spec *s)
{
	buf_addstr(b, rw_name(s->rw));
	if (rw_is_mixed(s->rw) && !is_asked(ask, AXIS_RWMIXREAD))
		buf_addf(b, " %u%% read", s->rwmixread_pct);
	if (rw_is_random(s->rw) && s->random_pct != 100 && !is_asked(ask, AXIS_RANDOM_PCT))
		buf_addf(b, " %u%% random", s->random_pct);
}

void pivot_add_value(struct buf *b, const struct pivot_ask *ask, enum axis axis,
		     const struct point_spec *s)
{
	switch (axis) {
	case AXIS_RW:
		add_pattern(b, ask, s);
		break;
	case AXIS_BS:
		buf_add_size(b, s->bs_bytes);
		break;
	case AXIS_IODEPTH:
		buf_addf(b, "%u", s->iodepth);
		break;
	case AXIS_SPAN:
		buf_add_span(b, s);
		break;
	case AXIS_RWMIXREAD:
		buf_addf(b, "%u%%", s->rwmixread_pct);
		break;
	case AXIS_WORKERS:
		buf_addf(b, "%u", s->workers);
		break;
	case AXIS_RANDOM_PCT:
		buf_addf(b, "%u%%", s->random_pct);
		break;
	case AXIS_RATE:
	case AXIS_NR:
		break;
	}
}

const char *pivot_axis_name(enum axis axis)
{
	static const char *const names[AXIS_NR] = {
		[AXIS_RW] = "rw",
		[AXIS_BS] = "bs_bytes",
		[AXIS_IODEPTH] = "iodepth",
		[AXIS_SPAN] = "span_bytes",
		[AXIS_RWMIXREAD] = "rwmixread_pct",
		[AXIS_WORKERS] = "workers",
		[AXIS_RANDOM_PCT] = "random_pct",
		[AXIS_RATE] = "rate_iops",
	};

	return names[axis];
}

/* The values of an axis that has two, as they are compared. The pattern holds the mix and the share of random
 * offsets, unless these are asked for. */
static void axis_key(const struct pivot_ask *ask, enum axis axis, const struct point_spec *s,
		     uint64_t key[3])
{
	key[0] = key[1] = key[2] = 0;
	switch (axis) {
	case AXIS_RW:
		key[0] = s->rw;
		key[1] = is_asked(ask, AXIS_RWMIXREAD) ? 0 : s->rwmixread_pct;
		key[2] = is_asked(ask, AXIS_RANDOM_PCT) ? 0 : s->random_pct;
		break;
	case AXIS_BS:
		key[0] = s->bs_bytes;
		break;
	case AXIS_IODEPTH:
		key[0] = s->iodepth;
		break;
	case AXIS_SPAN:
		key[0] = s->span_bytes;
		key[1] = s->offset_bytes;
		break;
	case AXIS_RWMIXREAD:
		key[0] = s->rwmixread_pct;
		break;
	case AXIS_WORKERS:
		key[0] = s->workers;
		break;
	case AXIS_RANDOM_PCT:
		key[0] = s->random_pct;
		break;
	case AXIS_RATE:
	case AXIS_NR:
		break;
	}
}

uint64_t pivot_axis_number(enum axis axis, const struct point_spec *s)
{
	const struct pivot_ask none = {.rows = AXIS_NR, .cols = AXIS_NR};
	uint64_t key[3];

	axis_key(&none, axis, s, key);
	return key[0];
}

int pivot_compare_axis(const struct pivot_ask *ask, enum axis axis, const struct point_spec *a,
		       const struct point_spec *b)
{
	uint64_t x[3], y[3];

	axis_key(ask, axis, a, x);
	axis_key(ask, axis, b, y);
	for (size_t i = 0; i < NR(x); i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

/* The axes that tables are told apart by, in this order. */
static const enum axis panel_axes[] = {AXIS_RW, AXIS_BS, AXIS_WORKERS, AXIS_SPAN, AXIS_IODEPTH};

int pivot_compare_panels(const struct pivot_ask *ask, const struct point_spec *a,
			 const struct point_spec *b)
{
	for (size_t i = 0; i < NR(panel_axes); i++) {
		int c = is_asked(ask, panel_axes[i]) ? 0
						     : pivot_compare_axis(ask, panel_axes[i], a, b);

		if (c)
			return c;
	}
	return 0;
}

void pivot_name_panel(struct buf *b, const struct pivot_ask *ask, const struct point_spec *s)
{
	static const struct {
		enum axis axis;
		const char *before;
	} parts[] = {
		{AXIS_RW, ""},
		{AXIS_BS, ""},
		{AXIS_IODEPTH, "iodepth "},
		{AXIS_WORKERS, "workers "},
		{AXIS_SPAN, "span "},
	};

	for (size_t i = 0; i < NR(parts); i++) {
		if (is_asked(ask, parts[i].axis) ||
		    (parts[i].axis == AXIS_WORKERS && s->workers == 1))
			continue;
		buf_addf(b, "%s%s", b->len ? " " : "", parts[i].before);
		pivot_add_value(b, ask, parts[i].axis, s);
	}
	if (!b->len)
		buf_addstr(b, "all points");
}

bool pivot_has_value(const struct pivot_ask *ask, const struct pivot_where *w,
		     const struct point_spec *s)
{
	struct buf label = BUF_INIT;
	struct err e = {0};
	uint64_t v = 0;
	bool is_same;

	pivot_add_value(&label, ask, w->axis, s);
	is_same = !strcmp(buf_text(&label), w->text);
	buf_release(&label);
	if (is_same)
		return true;
	switch (w->axis) {
	case AXIS_RW:
		return !strcmp(rw_name(s->rw), w->text);
	case AXIS_BS:
		return !units_parse_size(w->text, &v, &e) && v == s->bs_bytes;
	case AXIS_SPAN:
		return !units_parse_size(w->text, &v, &e) && v == s->span_bytes;
	case AXIS_RWMIXREAD:
		return !units_parse_count(w->text, &v, &e) && v == s->rwmixread_pct;
	case AXIS_RANDOM_PCT:
		return !units_parse_count(w->text, &v, &e) && v == s->random_pct;
	case AXIS_IODEPTH:
	case AXIS_WORKERS:
	case AXIS_RATE:
	case AXIS_NR:
		break;
	}
	return false;
}

bool pivot_is_wanted(const struct pivot_ask *ask, const struct point_spec *s)
{
	for (size_t i = 0; i < ask->nr_where; i++)
		if (!pivot_has_value(ask, &ask->where[i], s))
			return false;
	return true;
}
