/* SPDX-License-Identifier: MIT */
#include "report/chart_free_draw.h"

#include "base/mem.h"
#include "base/num.h"

#include <stdlib.h>

/* Which points a comparison takes, and how it is drawn. */
struct kind {
	const char *name;
	enum chart_axis x;
	bool is_open; /* of points with an offered load */
	enum chart_figure y[2];
	size_t nr_y;
};

static const struct kind kinds[] = {
	{"targets-depth", CHART_BY_IODEPTH, false, {CHART_Y_IOPS, CHART_Y_MEAN}, 2},
	{"targets-response", CHART_BY_IOPS, false, {CHART_Y_MEAN, CHART_Y_P99}, 2},
	{"targets-load", CHART_BY_RATE, true, {CHART_Y_IOPS, CHART_Y_MEAN}, 2},
};

/* Whether anything measured has this figure. */
static bool has_figure(const struct chart_sample *const *v, size_t nr, enum chart_figure y)
{
	for (size_t i = 0; i < nr; i++)
		if (!isnan(chart_free_value(y, v[i]).at))
			return true;
	return false;
}

static void draw_kind(struct charts *out, const struct report *r, const struct kind *k,
		      const struct chart_sample **v, size_t nr)
{
	struct chart_choice c = {
		.x = k->x, .series = CHART_BY_RUN, .panel = CHART_BY_SPAN, .is_y_usual = true};
	struct chart_free f = {
		.report = r, .choice = &c, .name = k->name, .is_of_several_runs = true};

	for (size_t i = 0; i < k->nr_y; i++)
		if (i == 0 || has_figure(v, nr, k->y[i]))
			c.y[c.nr_y++] = k->y[i];
	chart_free_draw(out, &f, v, nr);
}

void chart_draw_targets(struct charts *out, const struct report *r)
{
	struct chart_samples s;
	const struct chart_sample **v;

	if (r->nr_runs < 2)
		return;
	chart_samples_take(r, &s);
	v = xcalloc(s.nr + 1, sizeof(*v));
	for (size_t k = 0; k < NR(kinds); k++) {
		size_t nr = 0;

		for (size_t i = 0; i < s.nr; i++)
			if (point_is_open(&s.v[i].row->spec) == kinds[k].is_open)
				v[nr++] = &s.v[i];
		if (nr)
			draw_kind(out, r, &kinds[k], v, nr);
	}
	free(v);
	chart_samples_release(&s);
}
