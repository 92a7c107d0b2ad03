/* SPDX-License-Identifier: MIT */
/* The response curve: response time against achieved IOPS, of closed loops and of offered loads. */
#include "report/chart_group.h"

#include "base/mem.h"
#include "base/num.h"
#include "report/format.h"
#include "report/sentence.h"

#include <stdlib.h>

/*
 * The share of the IOPS at the knee that plans leave as working load. Near saturation the wait of a random arrival
 * grows as 1 / (1 - utilisation): at 70 % it is about three service times, at 90 % ten.
 */
#define HEAD_ROOM 0.7

#define MAX_TOLD 4 /* curves of a panel with labels; those of more would lie on each other */

static const char how_to_read[] =
	"Each curve is one span; along it iodepth rises, as the numbers at its points say. To the right is more "
	"IOPS, up is a longer response time: the curve is flat while the target has room, and turns up at the "
	"knee, where more iodepth buys waiting only. A curve that comes back to the left loses IOPS. The upright "
	"lines are 70 % of the IOPS at the knee: plan for no more than that, so that bursts do not end in the "
	"steep part.";

static const char how_to_read_loads[] =
	"Each curve is one span under loads that arrive whatever has completed; along it the load rises, as the "
	"numbers at its points say. The curve turns up where the target begins to queue. The upright lines are "
	"70 % of the highest load that was sustained: plan for no more than that, so that bursts do not end in "
	"the steep part.";

static struct picture *begin(struct charts *out, const struct chart_source *from,
			     const char *prefix, const struct point_spec *s, size_t part,
			     size_t parts)
{
	struct picture *p =
		chart_add_picture(out, from, chart_file_name(from, prefix, s), part, parts, 1, 1);
	struct panel *panel = p->panel;

	panel->x.title = "achieved IOPS";
	panel->y.title = "mean response time (ms, log scale)";
	panel->y.scale = SCALE_LOG10;
	chart_add_pattern(&p->title, s);
	return p;
}

static struct series *add_span_series(struct panel *panel, const struct point_spec *s)
{
	struct series *series = panel_add_series(panel, LOOK_CURVE);

	buf_addstr(&series->name, "span ");
	buf_add_span(&series->name, s);
	return series;
}

/* The line, and what it says in the caption. */
static void add_head_room(struct picture *p, const struct series *s, double iops, bool is_drawn)
{
	struct buf text = BUF_INIT;
	struct rule *r = NULL;

	buf_addstr(&text, "70 %: ");
	format_iops(&text, HEAD_ROOM * iops);
	if (is_drawn)
		r = panel_add_rule(p->panel, true, HEAD_ROOM * iops, buf_text(&text));
	if (r)
		r->of = s;
	buf_reset(&text);
	buf_addstr(&text, "  With head-room: ");
	format_iops(&text, HEAD_ROOM * iops);
	buf_addstr(&text, " IOPS, 70 % of ");
	format_iops(&text, iops);
	buf_addch(&text, '.');
	chart_add_line(p, &text);
	buf_release(&text);
}

static struct cell *add_cell(struct series *s, const struct chart_cell *a)
{
	struct cell *cell = series_add(s, a->kind, a->figure[CHART_IOPS], a->figure[CHART_LAT]);

	cell->x_low = a->low[CHART_IOPS];
	cell->x_high = a->high[CHART_IOPS];
	cell->y_low = a->low[CHART_LAT];
	cell->y_high = a->high[CHART_LAT];
	return cell;
}

static void draw_depth(struct series *s, const struct curve *c, size_t first, size_t nr,
		       bool is_told)
{
	struct chart_cell a = chart_look_at(c, first, nr);
	struct cell *cell = add_cell(s, &a);

	if (is_told)
		cell->label = xasprintf("%u", c->row[first]->spec.iodepth);
}

/* is_told: with labels of depths and the line of its head-room. */
static void draw_curve(struct picture *p, const struct report_run *run,
		       const struct report_curve *rc, bool is_told)
{
	const struct curve *c = rc->curve;
	struct series *s = add_span_series(p->panel, &c->spec);
	const struct knee *k = &rc->knee;
	size_t nr;

	for (size_t i = 0; i < c->nr_rows; i += nr) {
		nr = chart_same_depth(c, i);
		draw_depth(s, c, i, nr, is_told);
	}
	chart_mark_answers(p->panel, run, rc, false);
	chart_explain_curve(p, run, rc);
	if (knee_is_known(k) && k->cls != KNEE_RISING)
		add_head_room(p, s, k->sat_iops, is_told);
}

static void cover_curve(struct panel *panel, const struct curve *c)
{
	for (size_t i = 0; i < c->nr_rows; i++) {
		const struct figures *f = &c->row[i]->dir[DIR_TOTAL];

		if (c->row[i]->status != POINT_OK)
			continue;
		axis_cover(&panel->x, f->iops);
		axis_cover(&panel->y, chart_ms(f->lat_mean_ns));
	}
}

/* All pictures of these curves have one scale. */
static void cover_group(struct panel *panel, const struct chart_group *g)
{
	const struct report *r = g->from.report;

	for (const struct report_run *run = r->runs; run < r->runs + r->nr_runs; run++)
		for (size_t i = 0; i < run->nr_curves; i++)
			if (!g->compare(g->curve[0], &run->curves[i]))
				cover_curve(panel, run->curves[i].curve);
}

/* Of many curves only the first and the last, which have the others between them. */
static bool is_told(size_t i, size_t nr)
{
	return nr <= MAX_TOLD || i == 0 || i == nr - 1;
}

static void draw_group(struct charts *out, const struct chart_group *g)
{
	size_t parts = chart_nr_parts(g->nr);

	for (size_t part = 0; part < parts; part++) {
		size_t first = part * g->nr / parts, last = (part + 1) * g->nr / parts;
		struct picture *p =
			begin(out, &g->from, "response", &g->curve[0]->curve->spec, part, parts);

		buf_addstr(&p->title, ": response time against IOPS");
		chart_add_part(&p->title, part, parts);
		chart_begin_caption(p, &g->from, how_to_read);
		cover_group(p->panel, g);
		chart_add_cap_rules(p->panel, g->from.run);
		chart_explain_caps(p, g->from.run);
		for (size_t i = first; i < last; i++)
			draw_curve(p, g->from.run, g->curve[i], is_told(i - first, last - first));
		chart_explain_bars(p);
	}
}

static void draw_load(struct picture *p, const struct report_run *run,
		      const struct report_response *rr, bool is_told)
{
	const struct response *r = rr->response;
	struct series *s = add_span_series(p->panel, &r->spec);
	struct buf line = BUF_INIT;

	for (size_t i = 0; i < r->nr_rows; i++) {
		struct chart_cell a;

		if (!chart_look_at_load(r, i, &a))
			continue;
		buf_add_rate(&line, &r->row[i]->spec);
		add_cell(s, &a)->label = is_told ? xstrdup(buf_text(&line)) : NULL;
		buf_reset(&line);
	}
	for (unsigned i = 0; i < run->nr_caps; i++)
		if (rr->cap[i].best)
			chart_mark_cap(p->panel, run->caps[i], rr->cap[i].best->iops,
				       chart_ms(rr->cap[i].best->lat_ns[LAT_MEAN]));
	buf_add_curve_name(&line, &r->spec);
	chart_add_line(p, &line);
	buf_addstr(&line, "  ");
	sentence_load(&line, r);
	chart_add_line(p, &line);
	for (unsigned i = 0; i < run->nr_caps; i++) {
		buf_addstr(&line, "  ");
		sentence_load_cap(&line, &rr->cap[i]);
		chart_add_line(p, &line);
	}
	if (r->sustained)
		add_head_room(p, s, r->sustained->iops, is_told);
	for (size_t i = 0; i < r->nr_rows; i++)
		chart_explain_row(p, r->row[i], run->accepted);
	buf_release(&line);
}

static bool has_lat(const struct chart_group *g)
{
	return chart_nr_rows(g) > CHART_LAT;
}

static void draw_loads(struct charts *out, const struct chart_source *from,
		       const struct report_response *rr, size_t nr)
{
	size_t parts = chart_nr_parts(nr);

	for (size_t part = 0; part < parts; part++) {
		size_t first = part * nr / parts, last = (part + 1) * nr / parts;
		struct picture *p =
			begin(out, from, "response-load", &rr->response->spec, part, parts);

		p->limited_title = "not sustained";
		buf_addstr(&p->title, ": response time against IOPS under offered loads");
		chart_add_part(&p->title, part, parts);
		chart_begin_caption(p, from, how_to_read_loads);
		chart_add_cap_rules(p->panel, from->run);
		chart_explain_caps(p, from->run);
		for (size_t i = first; i < last; i++)
			draw_load(p, from->run, &rr[i], is_told(i - first, last - first));
		chart_explain_bars(p);
	}
}

static bool loads_have_lat(const struct report_response *rr, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		for (size_t k = 0; k < rr[i].response->nr; k++)
			if (rr[i].response->pt[k].lat_ns[LAT_MEAN] > 0)
				return true;
	return false;
}

/* Without latencies there is nothing to draw; the chart against iodepth says so. */
void chart_draw_responses(struct charts *out, const struct chart_source *from)
{
	const struct report_run *run = from->run;
	size_t nr, n;
	const struct report_curve **curve = chart_curves(from, &nr);
	struct chart_group g;

	for (size_t i = 0; i < nr; i += g.nr) {
		g = chart_group_at(from, curve, nr, i, chart_compare_patterns);
		if (has_lat(&g))
			draw_group(out, &g);
	}
	free(curve);
	for (size_t i = 0; i < run->nr_responses; i += n) {
		n = chart_same_load_pattern(run, i);
		if (loads_have_lat(&run->responses[i], n))
			draw_loads(out, from, &run->responses[i], n);
	}
}
