/* SPDX-License-Identifier: MIT */
#include "report/chart_group.h"

#include "base/mem.h"

#include <stdlib.h>

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Curves of one span chart differ in span, direction and mix. */
static int compare_span_group(const struct report_curve *a, const struct report_curve *b)
{
	const struct point_spec *s = &a->curve->spec, *t = &b->curve->spec;
	int c = compare_u64(s->bs_bytes, t->bs_bytes);

	c = c ? c : compare_u64(s->workers, t->workers);
	return c ? c : compare_u64(s->offset_bytes, t->offset_bytes);
}

static int compare_by_span(const void *a, const void *b)
{
	const struct report_curve *p = *(const struct report_curve *const *)a;
	const struct report_curve *q = *(const struct report_curve *const *)b;
	int c = compare_span_group(p, q);

	if (c)
		return c;
	return point_spec_compare(&p->curve->spec, &q->curve->spec);
}

static bool has_several_spans(const struct chart_group *g)
{
	for (size_t i = 1; i < g->nr; i++)
		if (g->curve[i]->curve->spec.span_bytes != g->curve[0]->curve->spec.span_bytes)
			return true;
	return false;
}

typedef int compare_fn(const struct report_curve *a, const struct report_curve *b);

/* The group that begins at first, of nr curves. */
static struct chart_group group_at(const struct report *r, const struct report_run *run,
				   const struct report_curve **curve, size_t nr, size_t first,
				   compare_fn *compare)
{
	struct chart_group g = {r, run, curve + first, 1, 0};

	while (first + g.nr < nr && !compare(curve[first], curve[first + g.nr]))
		g.nr++;
	return g;
}

static void build_run(const struct report *r, const struct report_run *run, uint32_t span_depth,
		      struct charts *out)
{
	const struct report_curve **curve = xcalloc(run->nr_curves + 1, sizeof(*curve));
	size_t nr = run->nr_curves;
	struct chart_group g;

	for (size_t i = 0; i < nr; i++)
		curve[i] = &run->curves[i];
	for (size_t i = 0; i < nr; i += g.nr) {
		g = group_at(r, run, curve, nr, i, chart_compare_patterns);
		chart_draw_depth(out, &g);
	}
	/* Imported tables need not tell the span. */
	nr = 0;
	for (size_t i = 0; i < run->nr_curves; i++)
		if (run->curves[i].curve->spec.span_bytes)
			curve[nr++] = &run->curves[i];
	qsort(curve, nr, sizeof(*curve), compare_by_span);
	for (size_t i = 0; i < nr; i += g.nr) {
		g = group_at(r, run, curve, nr, i, compare_span_group);
		if (has_several_spans(&g))
			chart_draw_span(out, &g, span_depth ? span_depth : CHART_SPAN_DEPTH);
	}
	free(curve);
	chart_draw_loads(out, &(struct chart_group){.report = r, .run = run});
}

void charts_build(const struct report *r, uint32_t span_depth, struct charts *out)
{
	*out = (struct charts){0};
	for (size_t i = 0; i < r->nr_runs; i++)
		build_run(r, &r->runs[i], span_depth, out);
}

void charts_release(struct charts *c)
{
	for (size_t i = 0; i < c->nr; i++)
		picture_release(&c->v[i]);
	free(c->v);
	*c = (struct charts){0};
}
