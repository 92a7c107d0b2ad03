/* SPDX-License-Identifier: MIT */
#include "cmd/schedule.h"

#include "analyze/infill.h"
#include "base/mem.h"
#include "base/num.h"

#include <stdlib.h>

#define ANCHORS_PER_CURVE 2

struct schedule {
	const struct measure_job *job;
	struct infill *infill;
	uint64_t longest_ns; /* that a point may take */
	uint64_t begin_ns;
	size_t nr_done; /* since then, anchors too */
	unsigned group;
	uint64_t group_begin_ns;
	size_t nr_group_done;
	size_t nr_anchors[PLAN_GROUPS]; /* that the run has already */
};

static int compare_spec(const void *key, const void *point)
{
	return point_spec_compare(key, &((const struct point *)point)->spec);
}

static struct infill_point infill_point_of(const struct measure_job *job,
					   const struct plan_point *pp, const struct point *stored,
					   size_t nr_stored)
{
	const struct point *p =
		nr_stored ? bsearch(&pp->spec, stored, nr_stored, sizeof(*stored), compare_spec)
			  : NULL;
	struct infill_point ip = {.spec = pp->spec,
				  .group = plan_group(&pp->spec, job->sweep),
				  .is_done = p && point_status_is_final(p->status),
				  .iops = UNKNOWN};

	if (!p || !point_is_valid(p, job->run.accepted))
		return ip;
	ip.iops = p->dir[DIR_TOTAL].iops;
	for (enum lat_stat s = 0; s < LAT_STAT_NR; s++)
		ip.lat_ns[s] = figures_lat_ns(&p->dir[DIR_TOTAL], s);
	return ip;
}

static struct infill *infill_of(const struct measure_job *job, const struct point *stored,
				size_t nr_stored)
{
	const struct cap *caps = job->run.nr_caps ? job->run.caps : &cap_usual;
	size_t nr = job->plan.nr - job->plan.nr_skipped;
	struct infill_point *points = xcalloc(nr + 1, sizeof(*points));
	struct infill *f;

	for (size_t i = 0; i < nr; i++)
		points[i] = infill_point_of(job, &job->plan.v[i], stored, nr_stored);
	f = infill_new(points, nr, caps, job->run.nr_caps ? job->run.nr_caps : 1, job->run.seed);
	free(points);
	return f;
}

struct schedule *schedule_new(const struct measure_job *job, const struct point *stored,
			      size_t nr_stored, uint64_t now_ns)
{
	struct schedule *s = xcalloc(1, sizeof(*s));

	s->job = job;
	s->longest_ns = job->sweep->ramp_ns + job->sweep->max_ns + PLAN_POINT_OVERHEAD_NS;
	s->begin_ns = s->group_begin_ns = now_ns;
	s->infill = infill_of(job, stored, nr_stored);
	for (size_t i = 0; i < nr_stored; i++)
		if (stored[i].spec.is_anchor && point_status_is_final(stored[i].status))
			s->nr_anchors[plan_group(&stored[i].spec, job->sweep)]++;
	return s;
}

void schedule_free(struct schedule *s)
{
	if (!s)
		return;
	infill_free(s->infill);
	free(s);
}

/* Anchors for which time is kept: of curves that have a knee, counting this point. */
static size_t anchors_ahead(const struct schedule *s, const struct infill_left *left)
{
	size_t nr = 0, has = s->nr_anchors[s->group];

	if (s->job->sweep->anchors == ANCHORS_ALWAYS)
		nr = ANCHORS_PER_CURVE * left->nr_judged;
	else if (s->job->sweep->anchors == ANCHORS_AUTO)
		nr = ANCHORS_PER_CURVE * left->nr_judged_writing;
	return nr > has ? nr - has : 0;
}

/* Of all groups behind this one. */
static struct infill_left left_later(const struct schedule *s)
{
	struct infill_left sum = {0}, left;

	for (unsigned g = s->group + 1; g < PLAN_GROUPS; g++) {
		infill_count(s->infill, g, INFILL_NONE, &left);
		sum.nr_points += left.nr_points;
		sum.nr_ends += left.nr_ends;
	}
	return sum;
}

/* Whether the group's share of the time takes one more point. */
static bool fits_share(const struct schedule *s, size_t nr_here, size_t nr_later, uint64_t now_ns)
{
	double left_ns = (double)(s->job->end_ns - now_ns);
	double used_ns = (double)(now_ns - s->group_begin_ns);
	double point_ns = (double)s->longest_ns, share;

	if (s->nr_done)
		point_ns = (double)(now_ns - s->begin_ns) / (double)s->nr_done;
	if (!nr_later || (double)(nr_here + nr_later) * point_ns <= left_ns)
		return true;
	nr_here += s->nr_group_done;
	share = (double)nr_here / (double)(nr_here + nr_later);
	return used_ns + (double)s->longest_ns <= (left_ns + used_ns) * share;
}

static bool has_time(const struct schedule *s, size_t point, bool is_end, uint64_t now_ns)
{
	uint64_t left_ns = s->job->end_ns > now_ns ? s->job->end_ns - now_ns : 0;
	struct infill_left here, later;
	size_t nr_anchors;

	if (left_ns < s->longest_ns)
		return false;
	if (is_end)
		return true;
	infill_count(s->infill, s->group, point, &here);
	later = left_later(s);
	nr_anchors = anchors_ahead(s, &here);
	if (left_ns / s->longest_ns < 1 + nr_anchors + later.nr_ends)
		return false;
	return fits_share(s, here.nr_points + nr_anchors, later.nr_points, now_ns);
}

const struct plan_point *schedule_next(struct schedule *s, unsigned group, uint64_t now_ns)
{
	bool is_end;
	size_t next;

	if (group != s->group) {
		s->group = group;
		s->group_begin_ns = now_ns;
		s->nr_group_done = 0;
	}
	next = infill_next(s->infill, group, &is_end);
	if (next == INFILL_NONE || !has_time(s, next, is_end, now_ns))
		return NULL;
	return &s->job->plan.v[next];
}

void schedule_done(struct schedule *s, const struct plan_point *point, const struct measurement *m)
{
	bool is_valid = m->status == POINT_OK &&
			!flags_have(m->flags & ~s->job->run.accepted, EFFECT_SPOILED);
	double lat_ns[LAT_STAT_NR];
	struct figures f;

	s->nr_done++;
	if (point->spec.is_anchor)
		return;
	s->nr_group_done++;
	figures_clear(&f);
	if (is_valid)
		measurement_figures(m, DIR_TOTAL, &f);
	for (enum lat_stat stat = 0; stat < LAT_STAT_NR; stat++)
		lat_ns[stat] = figures_lat_ns(&f, stat);
	infill_done(s->infill, (size_t)(point - s->job->plan.v), f.iops, lat_ns);
}
