/* SPDX-License-Identifier: MIT */
/* The LUN sizing chart of a report. */
#include "report/chart_lun_draw.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/units.h"
#include "model/sizing.h"
#include "report/chart_group.h"
#include "report/chart_parts.h"
#include "report/format.h"

#include <inttypes.h>
#include <stdlib.h>

/* Curves of one chart, by kind of I/O and then by span. */
struct lun_group {
	const struct report *report;
	const struct report_run *run;
	const struct report_curve **curve;
	size_t nr;
};

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_groups(const struct point_spec *s, const struct point_spec *t)
{
	int c = compare_u64(s->bs_bytes, t->bs_bytes);

	c = c ? c : compare_u64(s->workers, t->workers);
	return c ? c : compare_u64(s->offset_bytes, t->offset_bytes);
}

static int compare_kinds(const struct point_spec *s, const struct point_spec *t)
{
	int c = compare_u64(s->rw, t->rw);

	c = c ? c : compare_u64(s->rwmixread_pct, t->rwmixread_pct);
	return c ? c : compare_u64(s->random_pct, t->random_pct);
}

static int compare_curves(const void *a, const void *b)
{
	const struct point_spec *s = &(*(const struct report_curve *const *)a)->curve->spec;
	const struct point_spec *t = &(*(const struct report_curve *const *)b)->curve->spec;
	int c = compare_groups(s, t);

	c = c ? c : compare_kinds(s, t);
	c = c ? c : compare_u64(s->span_bytes, t->span_bytes);
	return c ? c : point_spec_compare(s, t);
}

static const struct point_spec *spec_of(const struct lun_group *g, size_t i)
{
	return &g->curve[i]->curve->spec;
}

static bool has_several_spans(const struct lun_group *g)
{
	for (size_t i = 1; i < g->nr; i++)
		if (spec_of(g, i)->span_bytes != spec_of(g, 0)->span_bytes)
			return true;
	return false;
}

/* The depth that is asked for, else the nearest one below that was measured, else the smallest. */
static uint32_t choose_depth(const struct lun_group *g, uint32_t wanted)
{
	uint32_t best = 0, smallest = UINT32_MAX;

	for (size_t i = 0; i < g->nr; i++) {
		const struct curve *c = g->curve[i]->curve;

		for (size_t k = 0; k < c->nr_rows; k++) {
			uint32_t depth = c->row[k]->spec.iodepth;

			if (depth <= wanted && depth > best)
				best = depth;
			smallest = depth < smallest ? depth : smallest;
		}
	}
	return best ? best : smallest;
}

static void add_lines(struct lun_chart *c, const struct lun_group *g, unsigned first_cap)
{
	struct lun_line *l = NULL;

	for (size_t i = 0; i < g->nr; i++) {
		const struct report_curve *rc = g->curve[i];
		struct lun_place *p;

		if (!i || compare_kinds(spec_of(g, i - 1), spec_of(g, i))) {
			l = lun_add_line(c);
			chart_add_rw(&l->name, spec_of(g, i));
		}
		p = lun_add_place(l, (double)spec_of(g, i)->span_bytes);
		p->of[0] = lun_depth_figure(rc->curve, c->depth);
		for (unsigned k = 0; k < c->nr_caps; k++)
			p->of[1 + k] = lun_cap_figure(&rc->cap[first_cap + k]);
	}
}

static void add_span_size(struct buf *b, double bytes)
{
	buf_add_size_title(b, (uint64_t)bytes);
}

static char *file_name(const struct lun_group *g, uint32_t depth, size_t part, size_t nr_parts)
{
	const struct point_spec *s = spec_of(g, 0);
	struct buf b = BUF_INIT;

	if (g->report->nr_runs > 1)
		buf_addf(&b, "run%" PRId64 "-", g->run->info->id);
	buf_addstr(&b, "lun-size-");
	buf_add_size(&b, s->bs_bytes);
	buf_addf(&b, "-d%u", depth);
	if (s->workers != 1)
		buf_addf(&b, "-w%u", s->workers);
	if (s->offset_bytes) {
		buf_addstr(&b, "-at");
		buf_add_size(&b, s->offset_bytes);
	}
	if (nr_parts > 1)
		buf_addf(&b, "-%zu", part + 1);
	return buf_detach(&b);
}

static void add_titles(struct picture *p, const struct lun_group *g, size_t part, size_t nr_parts)
{
	const struct point_spec *s = spec_of(g, 0);

	buf_addstr(&p->title, "LUN sizing, ");
	buf_add_size(&p->title, s->bs_bytes);
	if (s->workers != 1)
		buf_addf(&p->title, " workers %u", s->workers);
	buf_addstr(&p->title, ": what a larger span costs");
	if (nr_parts > 1)
		buf_addf(&p->title, " (%zu of %zu)", part + 1, nr_parts);
	buf_addf(&p->subtitle, "run %" PRId64 ": ", g->run->info->id);
	format_run_name(&p->subtitle, g->run->info);
}

static void add_reasons(struct picture *p, const struct lun_group *g)
{
	struct caption_reasons reasons = {0};

	for (size_t i = 0; i < g->nr; i++)
		for (size_t k = 0; k < g->curve[i]->curve->nr_rows; k++)
			caption_add_reason(p, &reasons, 0, g->curve[i]->curve->row[k],
					   g->run->accepted);
	caption_end_reasons(p, &reasons);
}

/* The pictures of two caps at most. */
static void draw_caps(struct charts *out, const struct lun_group *g, uint32_t depth,
		      unsigned first_cap, size_t *part, size_t nr_cap_parts)
{
	unsigned left = g->run->nr_caps - first_cap;
	struct lun_chart c = {.depth = depth,
			      .nr_caps = left < LUN_MAX_COLUMNS - 1 ? left : LUN_MAX_COLUMNS - 1,
			      .loss_max = SIZE_LOSS_USUAL,
			      .recommended_bytes = UNKNOWN,
			      .x_title = "span (log scale)",
			      .add_size = add_span_size};
	size_t nr, nr_parts;

	for (unsigned i = 0; i < c.nr_caps; i++)
		c.cap[i] = g->run->caps[first_cap + i];
	add_lines(&c, g, first_cap);
	nr = chart_share_count(c.nr_lines, PICTURE_MAX_SERIES);
	nr_parts = nr * nr_cap_parts;
	for (size_t i = 0; i < nr; i++, (*part)++) {
		struct picture *p =
			charts_add(out, file_name(g, depth, *part, nr_parts), 3, 1 + c.nr_caps);

		add_titles(p, g, *part, nr_parts);
		lun_explain(p, &c);
		lun_draw(p, &c, i * c.nr_lines / nr, (i + 1) * c.nr_lines / nr);
		add_reasons(p, g);
		caption_add_run(p, g->run->info);
	}
	lun_release(&c);
}

static void draw_group(struct charts *out, const struct lun_group *g, uint32_t wanted)
{
	uint32_t depth = choose_depth(g, wanted);
	size_t nr = chart_share_count(g->run->nr_caps, LUN_MAX_COLUMNS - 1), part = 0;

	for (size_t i = 0; i < nr; i++)
		draw_caps(out, g, depth, (unsigned)(i * (LUN_MAX_COLUMNS - 1)), &part, nr);
}

void chart_draw_luns(struct charts *out, const struct chart_source *from)
{
	uint32_t wanted = from->how->span_depth ? from->how->span_depth : CHART_SPAN_DEPTH;
	const struct report_curve **curve;
	size_t nr = 0, nr_all;

	curve = chart_curves(from, &nr_all);
	/* Imported tables need not tell the span. */
	for (size_t i = 0; i < nr_all; i++)
		if (curve[i]->curve->spec.span_bytes)
			curve[nr++] = curve[i];
	qsort(curve, nr, sizeof(*curve), compare_curves);
	for (size_t i = 0, n; i < nr; i += n) {
		struct lun_group g = {from->report, from->run, curve + i, 0};

		for (n = 1; i + n < nr; n++)
			if (compare_groups(&curve[i]->curve->spec, &curve[i + n]->curve->spec))
				break;
		g.nr = n;
		if (has_several_spans(&g))
			draw_group(out, &g, wanted);
	}
	free(curve);
}
