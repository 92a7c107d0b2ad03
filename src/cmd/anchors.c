/* SPDX-License-Identifier: MIT */
#include "cmd/anchors.h"

#include "analyze/curve.h"
#include "analyze/knee.h"
#include "base/mem.h"

#include <stdlib.h>

/* The anchors of a run, as they are found. */
struct search {
	const struct measure_job *job;
	const struct anchors_of *of;
	uint32_t last_seq;
	struct plan_point *due;
	struct planned_point *fresh; /* those of due that the store does not have */
	size_t nr_due, cap_due, nr_fresh, cap_fresh;
};

static bool is_done(const struct curve *c)
{
	for (size_t i = 0; i < c->nr_rows; i++)
		if (!point_status_is_final(c->row[i]->status))
			return false;
	return true;
}

static bool wants_anchors(const struct measure_job *job, const struct curve *c)
{
	struct knee k;

	if (job->sweep->anchors != ANCHORS_AUTO)
		return job->sweep->anchors == ANCHORS_ALWAYS;
	if (point_writes(&c->spec))
		return true;
	knee_find(c, 0, &k);
	return k.cls == KNEE_RETROGRADE || k.cls == KNEE_STATE_DRIFT;
}

static struct point_spec spec_at(const struct curve *c, uint32_t depth)
{
	struct point_spec spec = c->spec;

	for (size_t i = 0; i < c->nr_rows; i++)
		if (c->row[i]->spec.iodepth == depth)
			spec = c->row[i]->spec;
	spec.repeat = 1;
	spec.is_anchor = true;
	return spec;
}

static void add_due(struct search *s, const struct point_spec *spec, uint32_t seq)
{
	VEC_GROW(s->due, s->nr_due, s->cap_due);
	s->due[s->nr_due++] = (struct plan_point){.spec = *spec, .seq = seq};
}

static bool has_anchor(const struct curve *c, uint32_t depth)
{
	for (size_t i = 0; i < c->nr_anchors; i++)
		if (c->anchor[i].again->spec.iodepth == depth)
			return true;
	return false;
}

static void add_fresh(struct search *s, const struct curve *c, uint32_t depth)
{
	struct planned_point p = {.spec = spec_at(c, depth), .seq = ++s->last_seq};

	VEC_GROW(s->fresh, s->nr_fresh, s->cap_fresh);
	s->fresh[s->nr_fresh++] = p;
	add_due(s, &p.spec, p.seq);
}

/* Anchors that the run has are finished first, whatever the deciding depths are by now: another
 * set of accepted flags may have moved them. */
static void look_at_curve(struct search *s, const struct curve *c)
{
	uint32_t depth[CURVE_MAX_ANCHORS];
	size_t nr, nr_anchors = c->nr_anchors;

	if (s->of->is_partial ? plan_group(&c->spec, s->job->sweep) != s->of->group : !is_done(c))
		return;
	for (size_t i = 0; i < c->nr_anchors; i++)
		if (!point_status_is_final(c->anchor[i].again->status))
			add_due(s, &c->anchor[i].again->spec, c->anchor[i].again->seq);
	if (!wants_anchors(s->job, c))
		return;
	nr = curve_anchor_depths(c, depth);
	for (size_t i = 0; i < nr && nr_anchors < CURVE_MAX_ANCHORS; i++) {
		if (has_anchor(c, depth[i]))
			continue;
		add_fresh(s, c, depth[i]);
		nr_anchors++;
	}
}

static int find(struct search *s, struct store *store, struct err *e)
{
	struct point *points;
	struct curve *curves;
	size_t nr_points;
	size_t nr;

	if (store_last_seq(store, s->job->run.id, &s->last_seq, e) ||
	    store_load_curve(store, s->job->run.id, s->of->curve, &points, &nr_points, e))
		return -1;
	curves_build(points, nr_points, s->job->run.accepted, &curves, &nr);
	for (size_t i = 0; i < nr; i++)
		if (!s->of->curve || point_same_curve(s->of->curve, &curves[i].spec))
			look_at_curve(s, &curves[i]);
	curves_free(curves, nr);
	store_free_points(points, nr_points);
	return 0;
}

int anchors_add(struct measure_job *job, struct store *store, const struct anchors_of *of,
		struct plan_point **out, size_t *nr, struct err *e)
{
	struct search s = {.job = job, .of = of};
	int rc = 0;

	*out = NULL;
	*nr = 0;
	if (job->sweep->anchors == ANCHORS_NEVER)
		return 0;
	rc = find(&s, store, e);
	if (!rc && s.nr_fresh)
		rc = store_add_points(store, job->run.id, s.fresh, s.nr_fresh, e);
	free(s.fresh);
	if (rc) {
		free(s.due);
		return rc;
	}
	*out = s.due;
	*nr = s.nr_due;
	return 0;
}

int anchors_are_due(struct measure_job *job, struct store *store, bool *is_complete, struct err *e)
{
	static const struct anchors_of all = {.curve = NULL};
	struct search s = {.job = job, .of = &all};
	int rc = 0;

	if (job->sweep->anchors != ANCHORS_NEVER)
		rc = find(&s, store, e);
	*is_complete = !s.nr_due;
	free(s.fresh);
	free(s.due);
	return rc;
}
