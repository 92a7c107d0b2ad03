/* SPDX-License-Identifier: MIT */
#include "report/text_plot.h"

#include "base/mem.h"
#include "base/num.h"
#include "report/format.h"
#include "report/markup.h"
#include "report/sentence.h"

#include <math.h>
#include <stdlib.h>

/* ---- which curves go into one plot ---- */

typedef bool same_fn(const struct point_spec *a, const struct point_spec *b);

static bool same_but_span(const struct point_spec *a, const struct point_spec *b)
{
	return a->rw == b->rw && a->bs_bytes == b->bs_bytes &&
	       a->rwmixread_pct == b->rwmixread_pct && a->random_pct == b->random_pct &&
	       a->workers == b->workers;
}

static bool same_but_bs(const struct point_spec *a, const struct point_spec *b)
{
	struct point_spec other = *b;

	/* The span is whole blocks, so it may differ a little where it was asked for in per cent. */
	other.bs_bytes = a->bs_bytes;
	return same_but_span(a, &other) && a->span_e4 == b->span_e4 &&
	       (a->span_e4 || a->span_bytes == b->span_bytes);
}

/* Curves that differ in their span are neighbours; where every curve has a span of its own kind, those are
 * put together that differ in their block size. */
static same_fn *choose_grouping(const struct report_run *run)
{
	for (size_t i = 1; i < run->nr_curves; i++)
		if (same_but_span(&run->curves[i - 1].curve->spec, &run->curves[i].curve->spec))
			return same_but_span;
	return same_but_bs;
}

/* ---- curves against depth ---- */

/* The deciding point of the depth; else one that is spoiled, else nothing. */
static void add_depth(struct plot *p, size_t letter, const struct report_curve *rc, size_t first,
		      size_t nr)
{
	const struct point *row = rc->curve->row[first];
	uint32_t depth = row->spec.iodepth;
	const struct curve_point *pt = curve_point_at(rc->curve, depth);
	const struct knee *k = &rc->knee;
	enum plot_kind kind = PLOT_VALID;
	double iops = UNKNOWN, lat_ns = UNKNOWN;

	for (size_t i = 0; !pt && i < nr; i++)
		if (rc->curve->row[first + i]->status == POINT_OK)
			row = rc->curve->row[first + i];
	if (pt) {
		iops = pt->iops;
		lat_ns = pt->lat_ns[LAT_MEAN];
		if (knee_is_known(k) && k->cls != KNEE_RISING && k->sat_depth == depth)
			kind = PLOT_KNEE;
	} else if (row->status == POINT_OK) {
		iops = row->dir[DIR_TOTAL].iops;
		lat_ns = row->dir[DIR_TOTAL].lat_mean_ns;
		kind = PLOT_SPOILED;
	}
	plot_add(&p->panel[0], letter, depth, iops, kind);
	plot_add(&p->panel[1], letter, depth, lat_ns / 1e6, kind);
}

static void add_curve(struct plot *p, size_t letter, const struct report_curve *rc)
{
	const struct curve *c = rc->curve;
	size_t nr;

	for (size_t i = 0; i < c->nr_rows; i += nr) {
		nr = 1;
		while (i + nr < c->nr_rows &&
		       c->row[i + nr]->spec.iodepth == c->row[i]->spec.iodepth)
			nr++;
		add_depth(p, letter, rc, i, nr);
	}
}

struct ticks {
	double *v;
	size_t nr, cap;
};

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Every x that has a point, once. */
static struct ticks find_ticks(const struct plot *p)
{
	struct ticks t = {0};
	size_t nr = 0;

	for (size_t c = 0; c < PLOT_MAX_CURVES; c++) {
		for (size_t i = 0; i < p->panel[0].curve[c].nr; i++) {
			VEC_GROW(t.v, t.nr, t.cap);
			t.v[t.nr++] = p->panel[0].curve[c].pt[i].x;
		}
	}
	if (!t.nr)
		return t;
	qsort(t.v, t.nr, sizeof(*t.v), compare_doubles);
	for (size_t i = 0; i < t.nr; i++)
		if (!nr || t.v[i] > t.v[nr - 1])
			t.v[nr++] = t.v[i];
	t.nr = nr;
	return t;
}

static bool has_kind(const struct plot *p, enum plot_kind kind)
{
	for (size_t c = 0; c < PLOT_MAX_CURVES; c++)
		for (size_t i = 0; i < p->panel[0].curve[c].nr; i++)
			if (p->panel[0].curve[c].pt[i].kind == kind)
				return true;
	return false;
}

/* "a  randread 4k span 500G: iodepth 32; 4368 at iodepth 32" */
static void add_legend(struct buf *b, const struct report_run *run, const struct report_curve *rc,
		       size_t letter, struct text_style style)
{
	struct buf s = BUF_INIT;

	buf_addf(&s, "%c  ", (int)('a' + letter));
	buf_add_curve_name(&s, &rc->curve->spec);
	buf_addstr(&s, "  knee: ");
	sentence_knee_short(&s, rc->curve, &rc->knee);
	if (run->nr_caps && !rc->search[0]) {
		buf_addstr(&s, "; max: ");
		sentence_cap_short(&s, &rc->cap[0]);
	}
	format_wrapped(b, buf_text(&s), 2, style.width);
	buf_release(&s);
}

static void add_sign(struct buf *s, const char *sign, const char *meaning)
{
	buf_addf(s, "%s%s: %s", s->len ? "; " : "", sign, meaning);
}

/* What the signs mean that are there, of nr curves; without a run, of offered loads. */
static void add_signs(struct buf *b, const struct report_run *run, const struct plot *p, size_t nr,
		      struct text_style style)
{
	struct buf s = BUF_INIT;

	if (run && run->nr_caps) {
		buf_addstr(&s, "max: IOPS at ");
		format_cap(&s, run->caps[0]);
		buf_addstr(&s, isfinite(p->panel[1].rule_y) ? ", the line across" : "");
	}
	if (run && has_kind(p, PLOT_KNEE))
		add_sign(&s, "capital", "the knee");
	if (has_kind(p, PLOT_SPOILED))
		add_sign(&s, style.utf8 ? "\xe2\x97\x8b" : "o", "spoiled");
	if (has_kind(p, PLOT_LIMITED))
		add_sign(&s, "x", "not sustained");
	if (has_kind(p, PLOT_GAP))
		add_sign(&s, "gap", "failed or not measured");
	if (nr > 1)
		add_sign(&s, "*", "several curves");
	if (!s.len)
		return;
	format_wrapped(b, buf_text(&s), 2, style.width);
	buf_release(&s);
}

/* A line far above all points would press them to the ground. */
static void add_cap_line(struct plot_panel *panel, const struct report_run *run)
{
	double limit_ms, max = 0;

	if (!run->nr_caps || run->caps[0].stat != LAT_MEAN)
		return;
	limit_ms = (double)run->caps[0].limit_ns / 1e6;
	for (size_t c = 0; c < PLOT_MAX_CURVES; c++)
		for (size_t i = 0; i < panel->curve[c].nr; i++)
			if (panel->curve[c].pt[i].kind != PLOT_GAP)
				max = fmax(max, panel->curve[c].pt[i].y);
	if (limit_ms <= 1.5 * max)
		panel->rule_y = limit_ms;
}

/* Curves [first, first + nr), at most eight. */
static void plot_curves(struct buf *b, const struct report_run *run, size_t first, size_t nr,
			struct text_style style)
{
	struct ticks ticks;
	struct plot p;

	plot_init(&p);
	p.x_title = "iodepth";
	p.is_log2 = true;
	p.nr_panels = 2;
	/* Each curve takes a line of the 24 for its legend. */
	p.nr_rows = nr > 4 ? PLOT_ROWS + 4 - nr : PLOT_ROWS;
	p.panel[0].title = "IOPS";
	p.panel[1].title = "mean latency, ms";
	for (size_t i = 0; i < nr; i++)
		add_curve(&p, i, &run->curves[first + i]);
	add_cap_line(&p.panel[1], run);
	ticks = find_ticks(&p);
	p.tick = ticks.v;
	p.nr_ticks = ticks.nr;
	buf_addch(b, '\n');
	text_plot(b, &p, style);
	for (size_t i = 0; i < nr; i++)
		add_legend(b, run, &run->curves[first + i], i, style);
	add_signs(b, run, &p, nr, style);
	free(ticks.v);
	plot_release(&p);
}

/* ---- response curves ---- */

static enum plot_kind load_kind(const struct response *r, const struct response_point *pt)
{
	if (!pt)
		return PLOT_SPOILED;
	if (!pt->is_sustained)
		return PLOT_LIMITED;
	return r->sustained == pt ? PLOT_KNEE : PLOT_VALID;
}

static void add_load(struct plot *p, const struct response *r, size_t i)
{
	const struct response_point *pt;
	const struct point *row = response_load_at(r, i, &pt);
	const enum lat_stat stat[] = {LAT_MEAN, LAT_P99};

	for (size_t k = 0; row && k < NR(stat); k++) {
		double lat_ns = pt ? pt->lat_ns[stat[k]] : UNKNOWN;

		if (!pt && row->status == POINT_OK)
			lat_ns = figures_lat_ns(&row->dir[DIR_TOTAL], stat[k]);
		plot_add(&p->panel[k], 0, row->rate_iops, lat_ns / 1e6, load_kind(r, pt));
	}
}

static void plot_response(struct buf *b, const struct report_response *rr, struct text_style style)
{
	const struct response *r = rr->response;
	struct buf s = BUF_INIT;
	struct ticks ticks;
	struct plot p;

	plot_init(&p);
	p.x_title = "IOPS offered";
	p.nr_panels = 2;
	p.panel[0].title = "mean latency, ms";
	p.panel[1].title = "p99 latency, ms";
	for (size_t i = 0; i < r->nr_rows; i++)
		add_load(&p, r, i);
	ticks = find_ticks(&p);
	p.tick = ticks.v;
	p.nr_ticks = ticks.nr;
	buf_addch(b, '\n');
	text_plot(b, &p, style);
	buf_addstr(&s, "a  ");
	buf_add_curve_name(&s, &r->spec);
	buf_addstr(&s, ". Capital: the highest load that was sustained, ");
	sentence_load_short(&s, r);
	buf_addch(&s, '.');
	format_wrapped(b, buf_text(&s), 2, style.width);
	add_signs(b, NULL, &p, 1, style);
	buf_release(&s);
	free(ticks.v);
	plot_release(&p);
}

/* ---- all of a run ---- */

static size_t group_size(const struct report_run *run, size_t first, same_fn *same)
{
	size_t nr = 1;

	while (first + nr < run->nr_curves && nr < PLOT_MAX_CURVES &&
	       same(&run->curves[first].curve->spec, &run->curves[first + nr].curve->spec))
		nr++;
	return nr;
}

static bool has_figures(const struct report_run *run, size_t first, size_t nr)
{
	for (size_t i = first; i < first + nr; i++)
		for (size_t r = 0; r < run->curves[i].curve->nr_rows; r++)
			if (run->curves[i].curve->row[r]->status == POINT_OK)
				return true;
	return false;
}

void text_run_plots(struct buf *b, const struct report_run *run, struct text_style style)
{
	same_fn *same = choose_grouping(run);
	bool any = false;
	size_t nr;

	text_heading(b, style, "Plots");
	if (style.is_markdown) {
		markdown_begin_block(b);
		buf_addstr(b, "```text");
		style.utf8 = true;
	}
	if (!style.width || style.is_markdown)
		style.width = 80;
	for (size_t i = 0; i < run->nr_curves; i += nr) {
		nr = group_size(run, i, same);
		if (has_figures(run, i, nr)) {
			plot_curves(b, run, i, nr, style);
			any = true;
		}
	}
	for (size_t i = 0; i < run->nr_responses; i++) {
		if (run->responses[i].response->nr) {
			plot_response(b, &run->responses[i], style);
			any = true;
		}
	}
	if (!any)
		buf_addstr(b, style.is_markdown ? "\nNo point has figures.\n"
						: "  No point has figures.\n");
	buf_addstr(b, style.is_markdown ? "```\n" : "");
}
