/* SPDX-License-Identifier: MIT */
#include "model/answer.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/units.h"

#include <stdlib.h>
#include <string.h>

const struct cap cap_usual = {LAT_MEAN, 10 * NS_PER_MS};

const char *cap_verdict_name(enum cap_verdict v)
{
	static const char *const names[CAP_VERDICT_NR] = {
		[CAP_MEETS] = "meets", [CAP_FAILS] = "fails", [CAP_UNDECIDED] = "undecided"};

	return names[v];
}

const char *knee_class_name(enum knee_class c)
{
	static const char *const names[] = {
		[KNEE_INSUFFICIENT] = "insufficient",
		[KNEE_KNEE] = "knee",
		[KNEE_FLAT] = "flat",
		[KNEE_RISING] = "rising",
		[KNEE_RETROGRADE] = "retrograde",
		[KNEE_STATE_DRIFT] = "state drift",
	};

	return names[c];
}

const struct curve_point *curve_point_at(const struct curve *c, uint32_t iodepth)
{
	for (size_t i = 0; i < c->nr; i++)
		if (c->pt[i].iodepth == iodepth)
			return &c->pt[i];
	return NULL;
}

const char *cap_status_name(enum cap_status s)
{
	static const char *const names[] = {
		[CAP_OK] = "ok",
		[CAP_INFEASIBLE] = "infeasible",
		[CAP_NOT_REACHED] = "not-reached",
		[CAP_NO_DATA] = "no-data",
	};

	return names[s];
}

int cap_parse(const char *text, struct cap *cap, struct err *e)
{
	const char *colon = strchr(text, ':');
	char *stat;

	if (!colon)
		return err_set(e, ERR_USAGE, "'%s' is no cap; write it as mean:10ms", text);
	stat = xstrndup(text, (size_t)(colon - text));
	cap->stat = lat_stat_find(stat);
	free(stat);
	if (cap->stat == LAT_STAT_NR)
		return err_set(e, ERR_USAGE, "'%s': a cap is on mean, p50, p90, p95, p99 or p99.9",
			       text);
	if (units_parse_duration(colon + 1, &cap->limit_ns, e))
		return -1;
	if (!cap->limit_ns)
		return err_set(e, ERR_USAGE, "'%s': a cap must be more than 0", text);
	return 0;
}

static bool is_same_load(const struct point *a, const struct point *b)
{
	return a->rate_iops >= b->rate_iops && a->rate_iops <= b->rate_iops;
}

const struct point *response_load_at(const struct response *r, size_t i,
				     const struct response_point **pt)
{
	const struct point *row = r->row[i];

	*pt = NULL;
	if (isnan(row->rate_iops) || (i > 0 && is_same_load(r->row[i - 1], row)))
		return NULL;
	for (size_t k = 0; k < r->nr; k++)
		if (is_same_load(r->pt[k].row, row)) {
			*pt = &r->pt[k];
			return r->pt[k].row;
		}
	for (size_t k = i; k < r->nr_rows && is_same_load(r->row[k], row); k++)
		if (r->row[k]->status == POINT_OK)
			return r->row[k];
	return row;
}
