/* SPDX-License-Identifier: MIT */
/* Titles and captions of charts of free axes. */
#include "report/chart_free_draw.h"

#include "base/num.h"
#include "report/chart_parts.h"
#include "report/format.h"

#include <ctype.h>
#include <inttypes.h>

static const char *comma(size_t i, size_t nr)
{
	return i == 0 ? "" : i + 1 == nr ? " and " : ", ";
}

static void add_figures(struct buf *b, const struct chart_choice *c)
{
	for (size_t i = 0; i < c->nr_y; i++)
		buf_addf(b, "%s%s", comma(i, c->nr_y), chart_figures[c->y[i]].noun);
}

/* What the key of the axis says of the whole picture, and not of its first sample only. */
static bool is_fixed(const struct chart_free *f, const struct chart_free_part *t, enum chart_axis a)
{
	if (chart_axis_is_usual(a, &t->v[0]->row->spec) || f->choice->x == a ||
	    f->choice->series == a || (f->choice->panel == a && t->panels.nr > 1))
		return false;
	for (size_t i = 1; i < t->nr; i++)
		if (chart_free_key(f->choice, a, t->v[i]) != chart_free_key(f->choice, a, t->v[0]))
			return false;
	/* A response curve goes along one of these. */
	return f->choice->x != CHART_BY_IOPS || (a != CHART_BY_IODEPTH && a != CHART_BY_RATE);
}

/* Of axes as bits, those that the picture as a whole has. */
static void add_fixed(struct buf *b, const struct chart_free *f, const struct chart_free_part *t,
		      unsigned axes)
{
	const char *sep = "";

	for (enum chart_axis a = 0; a < CHART_BY_RUN; a++) {
		if (!(axes & CHART_AXIS_BIT(a)) || !is_fixed(f, t, a))
			continue;
		buf_addstr(b, sep);
		chart_free_add_named(b, f, a, t->v[0]);
		sep = " ";
	}
}

#define PATTERN \
	(CHART_AXIS_BIT(CHART_BY_RW) | CHART_AXIS_BIT(CHART_BY_RWMIXREAD) | \
	 CHART_AXIS_BIT(CHART_BY_RANDOM) | CHART_AXIS_BIT(CHART_BY_BS))

/* "randread 4k: IOPS and mean latency against iodepth by span"; below, what else is fixed, and the run. */
void chart_free_title(struct picture *p, const struct chart_free *f,
		      const struct chart_free_part *t)
{
	const struct chart_choice *c = f->choice;

	add_fixed(&p->title, f, t, PATTERN);
	if (p->title.len) {
		buf_addstr(&p->title, ": ");
		add_figures(&p->title, c);
	} else {
		add_figures(&p->title, c);
		p->title.text[0] = (char)toupper((unsigned char)p->title.text[0]);
	}
	buf_addf(&p->title, " against %s", chart_axes[c->x].noun);
	if (c->series < CHART_AXIS_NR)
		buf_addf(&p->title, " by %s", chart_axes[c->series].noun);
	if (t->nr_parts > 1)
		buf_addf(&p->title, " (%zu of %zu)", t->part + 1, t->nr_parts);
	add_fixed(&p->subtitle, f, t, ~PATTERN);
	if (!is_fixed(f, t, CHART_BY_RUN))
		return;
	buf_addf(&p->subtitle, "%srun %" PRId64 ": ", p->subtitle.len ? "; " : "",
		 t->v[0]->run->info->id);
	format_run_name(&p->subtitle, t->v[0]->run->info);
}

/* ---- the caption ---- */

/* Whether a point is hollow in one figure and not in another. */
static bool has_stalled_percentiles(const struct chart_free *f, const struct chart_free_part *t)
{
	for (size_t i = 0; i < t->nr; i++)
		for (size_t k = 0; k < f->choice->nr_y; k++)
			if (chart_free_holds(f->choice, t, t->v[i]) &&
			    chart_free_kind(f->choice, f->choice->y[k], t->v[i]) != t->v[i]->kind)
				return true;
	return false;
}

static void explain(struct picture *p, const struct chart_free *f, const struct chart_free_part *t)
{
	const struct chart_choice *c = f->choice;
	struct buf s = BUF_INIT;

	buf_addstr(&s, "Read ");
	add_figures(&s, c);
	buf_addf(&s, " upwards over %s", chart_axes[c->x].noun);
	if (t->curves.nr)
		buf_addf(&s, "; each %s is one %s",
			 c->x == CHART_BY_RW || c->x == CHART_BY_RUN ? "colour" : "curve",
			 chart_axes[c->series].noun);
	if (t->panels.nr > 1)
		buf_addf(&s, "; each column is one %s", chart_axes[c->panel].noun);
	buf_addstr(&s, picture_has_intervals(p) ? "; bars are 95 % intervals" : "");
	buf_addstr(&s, "; hollow points are spoiled and decide nothing, a "
		       "gap was not measured or failed.");
	if (has_stalled_percentiles(f, t))
		buf_addstr(&s, " A stall leaves percentiles, which are not hollow then.");
	caption_explain(p, &s);
	if (t->nr_parts > 1)
		buf_addf(&p->caption, "Part %zu of %zu; all parts have the same scales.\n",
			 t->part + 1, t->nr_parts);
	buf_release(&s);
}

static void add_figure(struct buf *b, enum chart_figure f, double v)
{
	switch (f) {
	case CHART_Y_IOPS:
		format_iops(b, v);
		break;
	case CHART_Y_MIB:
		format_sig3(b, v);
		buf_addstr(b, " MiB/s");
		break;
	case CHART_Y_UTIL:
	case CHART_Y_CPU:
		format_sig3(b, v);
		buf_addstr(b, " %");
		break;
	default:
		format_ms(b, v * 1e6);
	}
}

/* Where on x: "at 4k"; on a response curve the depth or load tells more than the IOPS. */
static void add_place(struct buf *b, const struct chart_free *f, const struct chart_sample *s)
{
	enum chart_axis x = f->choice->x;

	if (x == CHART_BY_IOPS)
		x = point_is_open(&s->row->spec) ? CHART_BY_RATE : CHART_BY_IODEPTH;
	buf_addstr(b, " at ");
	chart_axis_add_named(b, x, f->report, s);
}

static bool is_drawn(const struct chart_choice *c, enum chart_figure y,
		     const struct chart_sample *s)
{
	enum cell_kind kind = chart_free_kind(c, y, s);

	return (kind == CELL_VALID || kind == CELL_LIMITED) && !isnan(chart_free_value(y, s).at);
}

/* The ends and the highest of the samples [first, end), which are one curve. */
static void add_course(struct buf *b, const struct chart_free *f, const struct chart_free_part *t,
		       size_t first, size_t end, enum chart_figure y)
{
	const struct chart_sample *low = NULL, *high = NULL;

	for (size_t i = first; i < end; i++) {
		double v = chart_free_value(y, t->v[i]).at;

		if (!is_drawn(f->choice, y, t->v[i]))
			continue;
		if (!low || v < chart_free_value(y, low).at)
			low = t->v[i];
		if (!high || v > chart_free_value(y, high).at)
			high = t->v[i];
	}
	buf_addf(b, "%s ", chart_figures[y].noun);
	if (!low) {
		buf_addstr(b, "not known");
		return;
	}
	add_figure(b, y, chart_free_value(y, low).at);
	add_place(b, f, low);
	if (high == low)
		return;
	buf_addstr(b, " to ");
	add_figure(b, y, chart_free_value(y, high).at);
	add_place(b, f, high);
}

static bool is_same_curve(const struct chart_choice *c, const struct chart_sample *a,
			  const struct chart_sample *b)
{
	return (c->panel == CHART_AXIS_NR ||
		!(chart_axis_key(c->panel, a) != chart_axis_key(c->panel, b))) &&
	       (c->series == CHART_AXIS_NR ||
		!(chart_axis_key(c->series, a) != chart_axis_key(c->series, b)));
}

static void describe_curve(struct picture *p, const struct chart_free *f,
			   const struct chart_free_part *t, size_t first, size_t end)
{
	const enum chart_axis named[] = {f->choice->panel, f->choice->series};
	struct buf s = BUF_INIT;
	const char *sep = "";

	for (size_t i = 0; i < 2; i++) {
		if (named[i] == CHART_AXIS_NR)
			continue;
		buf_addstr(&s, sep);
		chart_axis_add_named(&s, named[i], f->report, t->v[first]);
		sep = ", ";
	}
	buf_addstr(&s, *sep ? ": " : "Shown: ");
	for (size_t i = 0; i < f->choice->nr_y; i++) {
		buf_addstr(&s, i ? "; " : "");
		add_course(&s, f, t, first, end, f->choice->y[i]);
	}
	buf_addch(&s, '.');
	caption_add(p, &s);
	buf_release(&s);
}

static void describe(struct picture *p, const struct chart_free *f, const struct chart_free_part *t)
{
	struct caption_reasons reasons = {0};

	for (size_t i = 0, end; i < t->nr; i = end) {
		for (end = i + 1; end < t->nr; end++)
			if (!is_same_curve(f->choice, t->v[i], t->v[end]))
				break;
		if (chart_free_holds(f->choice, t, t->v[i]))
			describe_curve(p, f, t, i, end);
	}
	for (size_t i = 0; i < t->nr; i++)
		if (chart_free_holds(f->choice, t, t->v[i]))
			caption_add_reason(p, &reasons,
					   f->report->nr_runs > 1 ? t->v[i]->run->info->id : 0,
					   t->v[i]->row, t->v[i]->run->accepted);
	caption_end_reasons(p, &reasons);
}

static bool has_run(const struct chart_free *f, const struct chart_free_part *t, size_t run)
{
	for (size_t i = 0; i < t->nr; i++)
		if (t->v[i]->run_index == run && chart_free_holds(f->choice, t, t->v[i]))
			return true;
	return false;
}

void chart_free_caption(struct picture *p, const struct chart_free *f,
			const struct chart_free_part *t)
{
	struct buf s = BUF_INIT;

	explain(p, f, t);
	if (p->subtitle.len) {
		buf_addf(&s, "All of it: %s.", buf_text(&p->subtitle));
		caption_add(p, &s);
	}
	describe(p, f, t);
	for (size_t i = 0; i < f->report->nr_runs; i++)
		if (has_run(f, t, i))
			caption_add_run(p, f->report->runs[i].info);
	buf_release(&s);
}
