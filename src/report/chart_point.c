/* SPDX-License-Identifier: MIT */
#include "report/chart_point.h"

#include "base/mem.h"
#include "report/chart_dist.h"
#include "report/chart_series.h"

#include <inttypes.h>
#include <stdlib.h>

static struct picture *begin(struct charts *out, const struct chart_source *from,
			     const struct point_view *v, const struct dist_kind *kind,
			     unsigned rows, unsigned cols)
{
	char *name =
		xasprintf("run%" PRId64 "-point%" PRIu32 "-%s", v->run->id, v->p->seq, kind->name);
	struct picture *p = chart_add_picture(out, from, name, 0, 1, rows, cols);

	series_add_point(&p->title, v->p);
	buf_addstr(&p->title, kind->title);
	chart_begin_caption(p, from, kind->how_to_read);
	return p;
}

/* Its directions as panels of one depth. */
static void collect(const struct point_view *v, const struct report_run *run, struct dist_set *s)
{
	const struct point_spec *spec = &v->p->spec;
	enum dir dir[2];
	size_t nr = dist_dirs(spec, dir);

	*s = (struct dist_set){.run = run,
			       .v = xcalloc(nr, sizeof(*s->v)),
			       .depth = {spec->iodepth},
			       .nr_depths = 1,
			       .nr_measured = 1};
	for (size_t i = 0; i < nr; i++) {
		struct hist *h = measurement_hist(v->m, dir[i]);

		if (!h || !h->count) {
			free(h);
			continue;
		}
		dist_add_title(&s->v[s->nr].title, spec, dir[i]);
		s->v[s->nr++].hist[0] = h;
	}
}

void charts_build_point(const struct point_view *v, struct charts *out)
{
	const struct dist_kind series = {"series", ", over time", series_how_to_read};
	const struct chart_how how = {0};
	const struct report_run run = {
		.info = v->run, .caps = v->run->caps, .nr_caps = v->run->nr_caps};
	const struct report r = {.runs = &run, .nr_runs = 1};
	const struct chart_source from = {&r, &run, &how};
	struct dist_set s;

	*out = (struct charts){0};
	if (v->m->nr_intervals)
		series_draw(begin(out, &from, v, &series, 2, 1), v->m, v->p, v->run->accepted);
	collect(v, &run, &s);
	if (s.nr) {
		dist_draw_tail(begin(out, &from, v, &dist_tail, 1, (unsigned)s.nr), &s, 0, s.nr);
		dist_draw_density(begin(out, &from, v, &dist_density, 1, (unsigned)s.nr), &s, 0,
				  s.nr);
	}
	dist_set_release(&s);
}
