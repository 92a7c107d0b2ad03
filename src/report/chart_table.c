/* SPDX-License-Identifier: MIT */
/* Bars of many runs beside each other, point by point. */
#include "report/chart_compare.h"

#include "base/mem.h"
#include "base/num.h"
#include "report/chart_axis.h"
#include "report/chart_free.h"
#include "report/chart_parts.h"
#include "report/format.h"

#include <inttypes.h>
#include <stdlib.h>

/* Of a panel: more could not be told apart, and names of points would touch. */
#define MAX_BARS     64
#define MAX_LABELLED 16
#define MAX_POINTS   12

static const struct {
	enum table_figure figure;
	const char *title;
	enum scale scale;
	double scale_by;
} rows[] = {
	{TABLE_IOPS, "IOPS", SCALE_LINEAR, 1},
	{TABLE_LAT, "mean latency (ms, log scale)", SCALE_LOG10, 1e-6},
};

struct bars {
	const struct run_table *t;
	const struct report *report;
	size_t nr_rows; /* figures that anything has */
	size_t nr_chunks;
	size_t nr_parts; /* of runs */
};

/* Which of the runs and points a picture has. */
struct extent {
	size_t first_run, end_run, first, end;
	unsigned named; /* axes in which its points differ */
};

/* Axes in which the points of a picture differ, as bits: the others are in its subtitle. */
static unsigned find_named(const struct run_table *t, const struct extent *x)
{
	unsigned named = 0;

	for (size_t i = x->first + 1; i < x->end; i++)
		named |= chart_axes_differing(&t->point[i], &t->point[x->first]);
	/* A point that is alone has its pattern for a name. */
	return named ? named : CHART_AXIS_BIT(CHART_BY_RW);
}

/* Even shares of all points. */
static void find_chunks(struct bars *q)
{
	size_t runs = (q->t->nr_runs + q->nr_parts - 1) / q->nr_parts;
	size_t most = MAX_BARS / runs < MAX_POINTS ? MAX_BARS / runs : MAX_POINTS;

	q->nr_chunks = chart_share_count(q->t->nr_points, most);
}

static double figure_of(const struct bars *q, size_t point, size_t run, size_t row)
{
	const struct run_cell *c = run_table_cell(q->t, point, run);
	double v = c->figure[DIR_TOTAL][rows[row].figure] * rows[row].scale_by;

	return rows[row].scale == SCALE_LOG10 && !(v > 0) ? UNKNOWN : v;
}

static bool has_figure(const struct bars *q, size_t row)
{
	for (size_t p = 0; p < q->t->nr_points; p++)
		for (size_t i = 0; i < q->t->nr_runs; i++)
			if (!isnan(figure_of(q, p, i, row)))
				return true;
	return false;
}

static enum cell_kind kind_of(const struct run_cell *c)
{
	if (!c->is_there || c->status != POINT_OK || !c->nr_repeats)
		return CELL_GAP;
	if (!c->is_valid)
		return CELL_SPOILED;
	return flags_have(c->flags, EFFECT_LOWER_BOUND) ? CELL_LIMITED : CELL_VALID;
}

/* Whether bars are wide enough to have their figure written on them. */
static bool has_labels(const struct extent *x)
{
	return (x->end - x->first) * (x->end_run - x->first_run) <= MAX_LABELLED;
}

static void draw_bar(struct series *s, const struct bars *q, const struct extent *x, size_t point,
		     size_t run, size_t row)
{
	double v = figure_of(q, point, run, row);
	struct cell *c = series_add(s, kind_of(run_table_cell(q->t, point, run)),
				    (double)(point - x->first), v);
	struct buf label = BUF_INIT;

	if (isnan(v) || !has_labels(x))
		return;
	if (rows[row].figure == TABLE_IOPS)
		format_iops(&label, v);
	else
		format_sig3(&label, v);
	c->label = buf_detach(&label);
}

static void draw_run(struct panel *p, const struct bars *q, const struct extent *x, size_t run,
		     size_t row)
{
	struct series *s = panel_add_series(p, LOOK_BARS);

	s->color = 1 + (unsigned)(run - x->first_run);
	chart_add_run_name(&s->name, q->report, run);
	for (size_t i = x->first; i < x->end; i++)
		draw_bar(s, q, x, i, run, row);
}

static void draw_panel(struct panel *p, const struct bars *q, const struct extent *x, size_t row)
{
	struct buf name = BUF_INIT;

	p->x.title = "point";
	p->x.scale = SCALE_RANK;
	p->y.title = rows[row].title;
	p->y.scale = rows[row].scale;
	for (size_t i = x->first; i < x->end; i++) {
		chart_axes_add_short(&name, x->named, &q->t->point[i]);
		axis_add_tick(&p->x, (double)(i - x->first), buf_text(&name));
		axis_cover(&p->x, (double)(i - x->first));
		buf_reset(&name);
	}
	for (size_t run = x->first_run; run < x->end_run; run++)
		draw_run(p, q, x, run, row);
	for (size_t i = x->first; i < x->end; i++)
		for (size_t run = 0; run < q->t->nr_runs; run++)
			axis_cover(&p->y, figure_of(q, i, run, row));
	buf_release(&name);
}

static const struct run_cell *best_at(const struct bars *q, size_t point, size_t row, size_t *run)
{
	for (*run = 0; *run < q->t->nr_runs; ++*run) {
		const struct run_cell *c = run_table_cell(q->t, point, *run);

		if (c->is_best[DIR_TOTAL][rows[row].figure])
			return c;
	}
	return NULL;
}

static void describe_point(struct picture *p, const struct bars *q, size_t point)
{
	struct buf s = BUF_INIT, name = BUF_INIT;
	size_t run;

	buf_add_point(&s, &q->t->point[point]);
	buf_addch(&s, ':');
	for (size_t row = 0; row < q->nr_rows; row++) {
		buf_addstr(&s, row ? "; " : " ");
		if (!best_at(q, point, row, &run)) {
			buf_addf(&s, "no best of the %s", row ? "latencies" : "IOPS");
			continue;
		}
		buf_addstr(&s, row ? "lowest latency " : "most IOPS ");
		if (row)
			format_ms(&s, figure_of(q, point, run, row) * 1e6);
		else
			format_iops(&s, figure_of(q, point, run, row));
		buf_addstr(&s, ", ");
		chart_add_run_name(&name, q->report, run);
		buf_add_clean(&s, buf_text(&name), SIZE_MAX);
		buf_reset(&name);
	}
	buf_addch(&s, '.');
	caption_add(p, &s);
	buf_release(&s);
	buf_release(&name);
}

static void explain_missing(struct picture *p, const struct bars *q, const struct extent *x)
{
	struct buf s = BUF_INIT;

	for (size_t i = x->first; i < x->end; i++) {
		for (size_t run = x->first_run; run < x->end_run; run++) {
			const struct run_cell *c = run_table_cell(q->t, i, run);

			if (kind_of(c) == CELL_VALID)
				continue;
			buf_addf(&s, "Run %" PRId64 " ", q->report->runs[run].info->id);
			buf_add_point(&s, &q->t->point[i]);
			if (!c->is_there)
				buf_addstr(&s, ": the run has no such point");
			else if (kind_of(c) == CELL_GAP)
				buf_addf(&s, ": %s", point_status_name(c->status));
			else
				buf_addstr(&s, kind_of(c) == CELL_SPOILED ? ": spoiled, " : ": ");
			if (kind_of(c) != CELL_GAP)
				format_flags(&s, c->flags, ", ");
			buf_addch(&s, '.');
			caption_add(p, &s);
		}
	}
	buf_release(&s);
}

static void draw_picture(struct charts *out, const struct bars *q, const struct extent *x,
			 size_t part, size_t parts)
{
	struct picture *p =
		charts_add(out, parts > 1 ? xasprintf("targets-%zu", part + 1) : xstrdup("targets"),
			   (unsigned)q->nr_rows, 1);
	struct buf s = BUF_INIT;

	buf_addf(&p->title, "IOPS%s of %zu run%s", q->nr_rows > 1 ? " and mean latency" : "",
		 q->t->nr_runs, q->t->nr_runs == 1 ? "" : "s");
	if (parts > 1)
		buf_addf(&p->title, " (%zu of %zu)", part + 1, parts);
	chart_axes_add(&p->subtitle, ~x->named, &q->t->point[x->first], true);
	buf_addf(&s,
		 "Each group of bars is a point and each colour a run: more IOPS are better%s; "
		 "hollow points are spoiled, a missing bar was not measured or failed; d is the "
		 "iodepth, r the share of reads in %%.",
		 q->nr_rows > 1 ? ", a lower latency is" : "");
	caption_explain(p, &s);
	buf_release(&s);
	for (size_t row = 0; row < q->nr_rows; row++)
		draw_panel(picture_panel(p, (unsigned)row, 0), q, x, row);
	for (size_t i = x->first; i < x->end; i++)
		describe_point(p, q, i);
	explain_missing(p, q, x);
	for (size_t run = x->first_run; run < x->end_run; run++)
		caption_add_run(p, q->report->runs[run].info);
}

static void draw_bars(struct charts *out, const struct run_table *t, const struct report *r)
{
	struct bars q = {
		.t = t, .report = r, .nr_parts = chart_share_count(t->nr_runs, PICTURE_MAX_SERIES)};

	q.nr_rows = has_figure(&q, 1) ? 2 : 1;
	find_chunks(&q);
	for (size_t i = 0; i < q.nr_chunks * q.nr_parts; i++) {
		size_t chunk = i / q.nr_parts, part = i % q.nr_parts;
		struct extent x = {.first_run = part * t->nr_runs / q.nr_parts,
				   .end_run = (part + 1) * t->nr_runs / q.nr_parts,
				   .first = chunk * t->nr_points / q.nr_chunks,
				   .end = (chunk + 1) * t->nr_points / q.nr_chunks};

		x.named = find_named(t, &x);
		draw_picture(out, &q, &x, i, q.nr_chunks * q.nr_parts);
	}
}

void charts_build_table(const struct run_table *t, const struct report *r, struct charts *out)
{
	*out = (struct charts){0};
	draw_bars(out, t, r);
	chart_draw_targets(out, r);
}
