/* SPDX-License-Identifier: MIT */
/* Which share of the I/Os takes longer than a latency, one curve per offered load. */
#include "report/chart_dist.h"

#include "base/mem.h"
#include "report/format.h"

#include <stdlib.h>

static const struct dist_kind load_tail = {
	"tail-load",
	": share of I/Os that took longer, by offered load",
	"Each curve tells which share of the I/Os took longer than a latency: where it passes "
	"1 % is p99. Latency counts from the time at which an I/O was to arrive. The nearer a "
	"load is to the maximum, the further to the right its curve lies.",
};

/* The response curves of one pattern. */
struct group {
	const struct chart_source *from;
	const struct report_response *v;
	size_t nr;
};

/* A load was asked for in per cent or in IOPS; its repeats, and it on another span, were asked alike. */
static bool is_same_load(const struct point_spec *a, const struct point_spec *b)
{
	return a->rate_e4 == b->rate_e4 && a->rate_ask_iops == b->rate_ask_iops;
}

static bool counts(const struct group *g, const struct point *row)
{
	/* The latencies of a point that only a stall spoils are true. */
	return point_is_valid(row, g->from->run->accepted | FLAG_BIT(FLAG_STALL)) &&
	       row->dir[DIR_TOTAL].iops > 0;
}

/* All latencies of a direction at this load; NULL where a repeat has no histogram. The caller frees it. */
static struct hist *load(const struct group *g, const struct response *r,
			 const struct point_spec *at, enum dir dir)
{
	struct chart_rows rows = {.v = xcalloc(r->nr_rows + 1, sizeof(*rows.v))};
	struct hist *h;

	for (size_t i = 0; i < r->nr_rows; i++)
		if (is_same_load(&r->row[i]->spec, at) && counts(g, r->row[i]))
			rows.v[rows.nr++] = r->row[i];
	h = chart_rows_hist(&rows, dir);
	chart_rows_release(&rows);
	return h;
}

/* The loads of all the curves, each once, ascending within the first curve; the caller frees the array. */
static const struct point_spec **all_loads(const struct group *g, size_t *nr)
{
	const struct point_spec **v = NULL;
	size_t cap = 0;

	*nr = 0;
	for (size_t i = 0; i < g->nr; i++)
		for (size_t r = 0; r < g->v[i].response->nr_rows; r++) {
			const struct point *row = g->v[i].response->row[r];
			size_t k = 0;

			while (k < *nr && !is_same_load(v[k], &row->spec))
				k++;
			if (k < *nr || !counts(g, row))
				continue;
			VEC_GROW(v, *nr, cap);
			v[(*nr)++] = &row->spec;
		}
	return v;
}

/* The place, from 1, of the highest load that the first curve sustained; 0 for none. */
static uint32_t sustained(const struct group *g, const struct point_spec *const *all, size_t nr)
{
	const struct response_point *best = g->v[0].response->sustained;

	for (size_t k = 0; best && k < nr; k++)
		if (is_same_load(all[k], &best->row->spec))
			return (uint32_t)k + 1;
	return 0;
}

/* On any span. */
static bool is_missed(const struct group *g, const struct point_spec *at)
{
	for (size_t i = 0; i < g->nr; i++)
		for (size_t r = 0; r < g->v[i].response->nr_rows; r++) {
			const struct point *row = g->v[i].response->row[r];

			if (is_same_load(&row->spec, at) && counts(g, row) &&
			    (row->flags & FLAG_BIT(FLAG_RATE_MISSED)))
				return true;
		}
	return false;
}

static void choose(const struct group *g, struct dist_set *s)
{
	const struct point_spec **all = all_loads(g, &s->nr_measured);

	s->measured = xcalloc(s->nr_measured + 1, sizeof(*s->measured));
	for (size_t k = 0; k < s->nr_measured; k++)
		s->measured[k] = (uint32_t)k + 1;
	s->knee = sustained(g, all, s->nr_measured);
	s->nr_depths = chart_choose_depths(s->measured, s->nr_measured, s->knee, s->depth,
					   PICTURE_MAX_SERIES);
	for (size_t k = 0; k < s->nr_depths; k++)
		s->load[k] = all[s->depth[k] - 1];
	for (size_t k = 0; k < s->nr_depths; k++)
		s->is_missed[k] = is_missed(g, s->load[k]);
	free(all);
}

/* Adds the panel unless nothing would be in it. */
static void add_panel(const struct group *g, const struct response *r, enum dir dir,
		      struct dist_set *s)
{
	struct dist *d = &s->v[s->nr];
	bool has_any = false;

	for (size_t k = 0; k < s->nr_depths; k++) {
		d->hist[k] = load(g, r, s->load[k], dir);
		has_any |= d->hist[k] != NULL;
	}
	if (!has_any)
		return;
	dist_add_title(&d->title, &r->spec, dir);
	s->nr++;
}

static void collect(const struct group *g, struct dist_set *s)
{
	*s = (struct dist_set){.run = g->from->run, .v = xcalloc(2 * g->nr, sizeof(*s->v))};
	choose(g, s);
	for (size_t i = 0; i < g->nr; i++) {
		const struct response *r = g->v[i].response;
		enum dir dir[2];
		size_t nr = dist_dirs(&r->spec, dir);

		for (size_t d = 0; d < nr; d++)
			add_panel(g, r, dir[d], s);
	}
}

static void explain(const struct group *g, const struct dist_set *s, struct picture *p)
{
	bool has_percent = false, has_missed = false;
	struct buf b = BUF_INIT;

	for (size_t k = 0; k < s->nr_depths; k++) {
		has_percent |= s->load[k]->rate_e4 != 0;
		has_missed |= s->is_missed[k];
	}
	if (has_percent)
		buf_addstr(&b, "A load of 100% is the most IOPS that this pattern reached without "
			       "a rate. ");
	if (has_missed)
		buf_addstr(&b, "Latencies of a load that was not sustained grow as "
			       "long as it lasts.");
	if (b.len)
		format_wrapped(&p->caption, buf_text(&b), 0, 80);
	buf_release(&b);
	for (size_t i = 0; i < g->nr; i++)
		for (size_t r = 0; r < g->v[i].response->nr_rows; r++)
			chart_explain_row(p, g->v[i].response->row[r], g->from->run->accepted);
}

static void draw_group(struct charts *out, const struct group *g)
{
	const struct point_spec *spec = &g->v[0].response->spec;
	struct dist_set s;
	size_t parts, first, last;

	collect(g, &s);
	parts = dist_nr_parts(s.nr);
	for (size_t part = 0; part < parts; part++) {
		struct picture *p;

		dist_part(s.nr, part, &first, &last);
		p = dist_begin(out, g->from, spec, &load_tail, last - first, part, parts);
		dist_draw_tail(p, &s, first, last);
		explain(g, &s, p);
	}
	dist_set_release(&s);
}

void chart_draw_load_tails(struct charts *out, const struct chart_source *from)
{
	const struct report_run *run = from->run;
	size_t nr;

	for (size_t i = 0; i < run->nr_responses; i += nr) {
		nr = chart_same_load_pattern(run, i);
		draw_group(out, &(struct group){from, &run->responses[i], nr});
	}
}
