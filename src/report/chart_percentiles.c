/* SPDX-License-Identifier: MIT */
/* Percentiles of latency against iodepth. */
#include "report/chart_dist.h"

#include "base/mem.h"
#include "base/num.h"
#include "report/format.h"

#include <inttypes.h>
#include <stdlib.h>

static const struct dist_kind percentiles = {
	"percentiles",
	": percentiles of latency against iodepth",
	"So many per cent of the I/Os were done within the latency of a line. Lines that part are a growing tail.",
};

/* A panel: a direction of a curve. */
struct lines {
	const struct chart_group *g;
	const struct report_curve *rc;
	enum dir dir;
	const uint32_t *depth; /* of all curves of the picture */
	size_t nr_depths;
	uint32_t knee;	 /* 0 for none */
	unsigned nr_few; /* percentiles that are left out because of too few I/Os */
};

static double at_least_1ns(double lat_ns)
{
	return isnan(lat_ns) ? UNKNOWN : chart_ms(fmax(lat_ns, 1));
}

static void add_cell(struct series *s, enum cell_kind kind, uint32_t depth,
		     const struct chart_percentiles *p, enum chart_pct pct)
{
	struct cell *c = series_add(s, kind, depth, at_least_1ns(p->lat_ns[pct]));

	if (isnan(p->lo_ns[pct]))
		return;
	c->y_low = at_least_1ns(p->lo_ns[pct]);
	c->y_high = at_least_1ns(p->hi_ns[pct]);
}

static void say(struct picture *p, uint32_t depth, const struct chart_percentiles *pct,
		enum cell_kind kind)
{
	const char *sep = "";
	struct buf b = BUF_INIT;

	buf_addf(&b, "    iodepth %" PRIu32 ": ", depth);
	for (enum chart_pct k = 0; k < PCT_NR; k++) {
		if (isnan(pct->lat_ns[k]))
			continue;
		buf_addf(&b, "%s%s ", sep, chart_pct_name(k));
		format_ms(&b, pct->lat_ns[k]);
		if (!isnan(pct->lo_ns[k])) {
			buf_addstr(&b, " (");
			format_sig3(&b, chart_ms(pct->lo_ns[k]));
			buf_addstr(&b, " to ");
			format_sig3(&b, chart_ms(pct->hi_ns[k]));
			buf_addch(&b, ')');
		}
		sep = ", ";
	}
	buf_addstr(&b, *sep ? "" : "-");
	buf_addstr(&b, kind == CELL_SPOILED ? "; spoiled" : "");
	chart_add_line(p, &b);
	buf_release(&b);
}

/* The latencies of a point that only a stall spoils are true. */
static flag_set accepted(const struct chart_group *g)
{
	return g->from.run->accepted | FLAG_BIT(FLAG_STALL);
}

/* In the caption the ends and the knee tell enough; the tables have the rest. */
static bool is_told(const struct lines *l, uint32_t depth)
{
	return depth == l->depth[0] || depth == l->depth[l->nr_depths - 1] || depth == l->knee;
}

static void draw_depth(struct picture *p, struct series **line, struct lines *l, uint32_t depth)
{
	struct chart_percentiles pct;
	struct chart_rows rows;

	chart_rows_find(l->rc->curve, depth, accepted(l->g), &rows);
	chart_rows_percentiles(&rows, l->dir, &pct);
	for (enum chart_pct k = 0; k < PCT_NR; k++)
		add_cell(line[k], rows.kind, depth, &pct, k);
	if (rows.nr && is_told(l, depth))
		say(p, depth, &pct, rows.kind);
	l->nr_few += pct.nr_few;
	chart_rows_release(&rows);
}

static void draw_panel(struct picture *p, struct panel *panel, struct lines *l)
{
	struct series *line[PCT_NR];
	struct buf b = BUF_INIT;

	panel->x.title = "iodepth (I/Os in flight, total over all workers)";
	panel->x.scale = SCALE_LOG2;
	panel->y.title = "latency (ms, log scale)";
	panel->y.scale = SCALE_LOG10;
	buf_addstr(&b, "  ");
	dist_add_title(&b, &l->rc->curve->spec, l->dir);
	chart_add_line(p, &b);
	for (enum chart_pct k = 0; k < PCT_NR; k++) {
		/* The legend in the order of the lines. */
		enum chart_pct pct = PCT_MAX - k;

		line[pct] = panel_add_series(panel, LOOK_CURVE);
		buf_addstr(&line[pct]->name, chart_pct_name(pct));
	}
	for (size_t i = 0; i < l->nr_depths; i++) {
		buf_addf(&b, "%" PRIu32, l->depth[i]);
		axis_add_tick(&panel->x, l->depth[i], buf_text(&b));
		buf_reset(&b);
		draw_depth(p, line, l, l->depth[i]);
	}
	dist_add_caps(panel, l->g->from.run, false);
	if (l->knee)
		panel_add_rule(panel, true, l->knee, "knee");
	buf_release(&b);
}

/* Whether a curve has more than one percentile anywhere: one alone says little of a distribution. */
static bool has_percentiles(const struct report_curve *rc)
{
	for (size_t i = 0; i < rc->curve->nr_rows; i++) {
		const struct figures *f = &rc->curve->row[i]->dir[DIR_TOTAL];
		unsigned nr = 0;

		for (enum lat_stat s = LAT_P50; s < LAT_STAT_NR; s++)
			nr += isnan(figures_lat_ns(f, s)) ? 0 : 1;
		if (nr > 1)
			return true;
	}
	return false;
}

static void finish_caption(struct picture *p, const struct lines *all, size_t nr)
{
	struct buf b = BUF_INIT;
	unsigned nr_few = 0;

	for (size_t i = 0; i < nr; i++)
		nr_few += all[i].nr_few;
	if (nr_few)
		buf_addf(&b, "%u percentile%s left out: fewer than 10 I/Os were slower. ", nr_few,
			 nr_few > 1 ? "s are" : " is");
	if (picture_has_intervals(p))
		buf_addstr(&b, "Bars of p95 and p99 are their 95 % intervals.");
	if (b.len)
		format_wrapped(&p->caption, buf_text(&b), 0, 80);
	for (size_t i = 0; i < nr; i++)
		if (i == 0 || all[i].rc != all[i - 1].rc)
			chart_rows_explain(p, all[i].rc->curve, 0, all[i].g->from.run->accepted);
	buf_release(&b);
}

static void draw_part(struct charts *out, const struct chart_group *g, struct lines *l, size_t nr,
		      size_t part, size_t parts)
{
	struct picture *p =
		dist_begin(out, &g->from, &g->curve[0]->curve->spec, &percentiles, nr, part, parts);

	for (size_t i = 0; i < nr; i++) {
		draw_panel(p, &p->panel[i], &l[i]);
		if (nr > 1)
			dist_add_title(&p->panel[i].title, &l[i].rc->curve->spec, l[i].dir);
	}
	finish_caption(p, l, nr);
}

static size_t collect(const struct chart_group *g, struct lines **out)
{
	struct lines *l = xcalloc(2 * g->nr + 1, sizeof(*l));
	size_t nr = 0;

	for (size_t i = 0; i < g->nr; i++) {
		const struct report_curve *rc = g->curve[i];
		enum dir dir[2];
		size_t nr_dirs = dist_dirs(&rc->curve->spec, dir);

		for (size_t d = 0; d < nr_dirs && has_percentiles(rc); d++)
			l[nr++] = (struct lines){
				.g = g, .rc = rc, .dir = dir[d], .knee = chart_knee(rc)};
	}
	*out = l;
	return nr;
}

static void draw_group(struct charts *out, const struct chart_group *g)
{
	struct lines *l;
	size_t nr = collect(g, &l), nr_depths, parts = dist_nr_parts(nr);
	uint32_t *depth = dist_all_depths(g, &nr_depths);

	for (size_t i = 0; i < nr; i++) {
		l[i].depth = depth;
		l[i].nr_depths = nr_depths;
	}
	for (size_t part = 0; part < parts; part++) {
		size_t first, last;

		dist_part(nr, part, &first, &last);
		draw_part(out, g, l + first, last - first, part, parts);
	}
	free(depth);
	free(l);
}

void chart_draw_percentiles(struct charts *out, const struct chart_source *from)
{
	dist_each_group(out, from, draw_group);
}
