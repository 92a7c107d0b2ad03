/* SPDX-License-Identifier: MIT */
#include "report/chart_free.h"
#include "report/chart_free_draw.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

const struct chart_figure_kind chart_figures[CHART_Y_NR] = {
	[CHART_Y_IOPS] = {"iops", "IOPS", "IOPS", SCALE_LINEAR},
	[CHART_Y_MIB] = {"mib", "throughput", "throughput (MiB/s)", SCALE_LINEAR},
	[CHART_Y_MEAN] = {"lat-mean", "mean latency", "mean latency (ms, log scale)", SCALE_LOG10},
	[CHART_Y_P50] = {"p50", "latency p50", "latency p50 (ms, log scale)", SCALE_LOG10},
	[CHART_Y_P90] = {"p90", "latency p90", "latency p90 (ms, log scale)", SCALE_LOG10},
	[CHART_Y_P95] = {"p95", "latency p95", "latency p95 (ms, log scale)", SCALE_LOG10},
	[CHART_Y_P99] = {"p99", "latency p99", "latency p99 (ms, log scale)", SCALE_LOG10},
	[CHART_Y_P999] = {"p99.9", "latency p99.9", "latency p99.9 (ms, log scale)", SCALE_LOG10},
	[CHART_Y_UTIL] = {"util", "utilisation", "device busy (%)", SCALE_LINEAR},
	[CHART_Y_CPU] = {"cpu", "CPU", "CPU (% of one core)", SCALE_LINEAR},
};

static int add_figure(struct chart_choice *c, const char *name, struct err *e)
{
	for (enum chart_figure f = 0; f < CHART_Y_NR; f++) {
		if (strcmp(chart_figures[f].name, name) != 0)
			continue;
		for (size_t i = 0; i < c->nr_y; i++)
			if (c->y[i] == f)
				return err_set(e, ERR_USAGE, "'%s' is there twice", name);
		c->y[c->nr_y++] = f;
		return 0;
	}
	return err_set(e, ERR_USAGE,
		       "'%s' is no figure: use iops, mib, lat-mean, p50, p90, p95, p99, p99.9, "
		       "util or cpu",
		       name);
}

static int add_figures(struct chart_choice *c, const char *list, struct err *e)
{
	char *copy = xstrdup(list), *rest = copy, *item;
	int rc = 0;

	while (!rc && (item = strsep(&rest, ",")))
		rc = add_figure(c, item, e);
	free(copy);
	return rc ? err_wrap(e, "--y") : 0;
}

static int parse_figures(struct chart_choice *c, const struct str_list *y, struct err *e)
{
	for (size_t i = 0; i < y->nr; i++)
		if (add_figures(c, y->v[i], e))
			return -1;
	if (c->nr_y)
		return 0;
	c->is_y_usual = true;
	c->y[c->nr_y++] = CHART_Y_IOPS;
	c->y[c->nr_y++] = CHART_Y_MEAN;
	return 0;
}

int chart_choice_parse(struct chart_choice *c, const char *x, const char *series, const char *panel,
		       const struct str_list *y, struct err *e)
{
	const struct {
		const char *option, *text;
		enum chart_axis *axis;
	} parts[] = {{"x", x, &c->x}, {"series", series, &c->series}, {"panel", panel, &c->panel}};

	*c = (struct chart_choice){
		.x = CHART_AXIS_NR, .series = CHART_AXIS_NR, .panel = CHART_AXIS_NR};
	for (size_t i = 0; i < NR(parts); i++) {
		if (!parts[i].text)
			continue;
		if (chart_axis_parse(parts[i].text, parts[i].axis, e))
			return err_wrap(e, "--%s", parts[i].option);
		if (i && *parts[i].axis == CHART_BY_IOPS)
			return err_set(e, ERR_USAGE,
				       "--%s: achieved IOPS are no axis of the sweep: use them as "
				       "--x or as --y",
				       parts[i].option);
		for (size_t k = 0; k < i; k++)
			if (parts[k].text && *parts[k].axis == *parts[i].axis)
				return err_set(e, ERR_USAGE,
					       "--%s and --%s are both '%s': an axis can be drawn "
					       "in one way only",
					       parts[k].option, parts[i].option, parts[i].text);
	}
	if (parse_figures(c, y, e))
		return -1;
	for (size_t i = 0; c->x == CHART_BY_IOPS && i < c->nr_y; i++)
		if (c->y[i] == CHART_Y_IOPS && !c->is_y_usual)
			return err_set(e, ERR_USAGE, "--x and --y are both 'iops'");
	if (c->x == CHART_BY_IOPS && c->is_y_usual)
		c->y[0] = c->y[--c->nr_y];
	return 0;
}
