/* SPDX-License-Identifier: MIT */
#include "report/status.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* How many of the points that ended are shown. */
#define SHOWN_MAX 5
/* What a point takes beside ramp and window, as the plan has it. */
#define POINT_OVERHEAD_NS (100 * NS_PER_MS)

const char *status_state_name(enum status_state s)
{
	static const char *const names[STATUS_STATE_NR] = {
		"running", "running-elsewhere", "unknown", "gone", "interrupted", "finished"};

	return names[s];
}

/* It ended by being measured, not by being skipped or imported. */
static bool was_measured(const struct point *p)
{
	return (p->status == POINT_OK || p->status == POINT_FAILED || p->status == POINT_NO_IO) &&
	       p->start_wall_ns && p->end_wall_ns >= p->start_wall_ns;
}

static void count_point(struct status_view *v, const struct point *p)
{
	v->nr[p->status]++;
	v->flags |= p->flags;
	v->nr_spoiled += p->status == POINT_OK && !point_is_valid(p, v->info->accepted);
	if (point_status_is_final(p->status))
		v->nr_done++;
	else
		v->nr_left++;
	if (p->status == POINT_RUNNING && status_goes_on(v->state))
		v->hand = p;
}

static double seconds(int64_t from_ns, int64_t to_ns)
{
	return to_ns > from_ns ? (double)(to_ns - from_ns) / (double)NS_PER_S : 0;
}

static double mean_s(const struct status_view *v)
{
	double sum = 0, nr = 0;

	for (size_t i = 0; i < v->nr_points; i++) {
		const struct point *p = &v->points[i];

		if (!was_measured(p))
			continue;
		sum += seconds(p->start_wall_ns, p->end_wall_ns);
		nr++;
	}
	return nr > 0 ? sum / nr : UNKNOWN;
}

static double fact_s(const struct run_info *r, const char *name)
{
	const char *text = facts_get(&r->facts, name);
	char *end = NULL;
	double v = text ? strtod(text, &end) : UNKNOWN;

	return text && end != text && !*end ? v / (double)NS_PER_S : UNKNOWN;
}

/* How long a point takes, and how we know. */
static double point_s(struct status_view *v)
{
	double plan_s = fact_s(v->info, "sweep.ramp_ns") + fact_s(v->info, "sweep.window_max_ns") +
			(double)POINT_OVERHEAD_NS / (double)NS_PER_S;

	if (!isnan(v->mean_s)) {
		v->basis = STATUS_BASIS_MEAN;
		return v->mean_s;
	}
	v->basis = isnan(plan_s) ? STATUS_BASIS_NONE : STATUS_BASIS_PLAN;
	return plan_s;
}

static void estimate(struct status_view *v)
{
	double each_s = point_s(v);
	uint64_t each_ns = isnan(each_s) ? 0 : (uint64_t)(each_s * (double)NS_PER_S);
	uint64_t elapsed_ns = isnan(v->hand_s) ? 0 : (uint64_t)(v->hand_s * (double)NS_PER_S);

	v->share = UNKNOWN;
	v->left_ns = PROGRESS_TIME_UNKNOWN;
	if (v->is_search || v->info->imported) {
		v->basis = STATUS_BASIS_NONE;
		return;
	}
	v->share = progress_share(each_ns, v->nr_done, v->nr_left, elapsed_ns);
	if (v->basis != STATUS_BASIS_NONE)
		v->left_ns = progress_left_ns(each_ns, v->nr_left, elapsed_ns);
}

static int newest_first(const void *a, const void *b)
{
	const struct point *p = *(const struct point *const *)a;
	const struct point *q = *(const struct point *const *)b;

	if (p->end_wall_ns != q->end_wall_ns)
		return p->end_wall_ns < q->end_wall_ns ? 1 : -1;
	return p->seq < q->seq ? 1 : -1;
}

static void find_last(struct status_view *v)
{
	v->last = xcalloc(v->nr_points + 1, sizeof(*v->last));
	v->nr_last = 0;
	for (size_t i = 0; i < v->nr_points; i++)
		if (was_measured(&v->points[i]))
			v->last[v->nr_last++] = &v->points[i];
	qsort(v->last, v->nr_last, sizeof(struct point *), newest_first);
	v->nr_shown = v->nr_last < SHOWN_MAX ? v->nr_last : SHOWN_MAX;
}

void status_count(struct status_view *v)
{
	memset(v->nr, 0, sizeof(v->nr));
	v->nr_spoiled = v->nr_done = v->nr_left = 0;
	v->flags = 0;
	v->hand = NULL;
	for (size_t i = 0; i < v->nr_points; i++)
		count_point(v, &v->points[i]);
	v->hand_s = v->hand ? seconds(v->hand->start_wall_ns, v->now_ns) : UNKNOWN;
	v->hand_iops = v->hand_lat_ns = v->hand_silent_s = UNKNOWN;
	v->in_window = v->is_live = false;
	v->mean_s = mean_s(v);
	estimate(v);
	find_last(v);
}

void status_release(struct status_view *v)
{
	free(v->last);
	v->last = NULL;
	v->nr_last = v->nr_shown = 0;
}
