/* SPDX-License-Identifier: MIT */
/* How many of the I/Os take how long. */
#include "report/chart_dist.h"

#include "base/mem.h"
#include "base/num.h"
#include "report/format.h"

#include <inttypes.h>
#include <stdlib.h>

const struct dist_kind dist_density = {
	"latency",
	": distribution of latency",
	"The height tells which share of the I/Os took about so long. Steps are 10 % of a "
	"latency wide, so that the shapes of fast and slow depths compare; two humps are two "
	"kinds of I/Os.",
};

/* Each step is 10 % wide, so that a narrow distribution and a wide one, a fast and a slow one compare; the
 * buckets of a histogram are not: 64 to an octave, all of one width there. */
#define STEP_RATIO 1.1
/* The slowest and the fastest of these shares would make the axis long and the rest narrow. */
#define LEFT_OUT 0.0005

/* Shares of the I/Os by step, from step first on. */
struct density {
	int first;
	size_t nr;
	double *share;
};

static double step_of(double ns)
{
	return log(ns) / log(STEP_RATIO);
}

/* Of values that are whole ns: a bucket holds those from low to high. */
static void find_ends(unsigned i, double *from, double *to)
{
	*from = step_of(fmax((double)hist_bucket_low(i) - 0.5, 0.5));
	*to = step_of((double)hist_bucket_high(i) + 0.5);
}

/* Add the part of bucket i that lies in each step, as if its values were spread over it. */
static void add_bucket(struct density *d, unsigned i, double share)
{
	double from, to;

	find_ends(i, &from, &to);
	for (int s = (int)floor(from); s < (int)ceil(to); s++) {
		double part = (fmin(to, s + 1) - fmax(from, s)) / (to - from);

		if (s >= d->first && s < d->first + (int)d->nr)
			d->share[s - d->first] += share * part;
	}
}

static struct density make(const struct hist *h)
{
	double from, to, unused;
	struct density d;

	find_ends(hist_index((uint64_t)hist_quantile(h, LEFT_OUT)), &from, &unused);
	find_ends(hist_index((uint64_t)hist_quantile(h, 1 - LEFT_OUT)), &unused, &to);
	d.first = (int)floor(from);
	d.nr = (size_t)((int)ceil(to) - d.first);
	d.share = xcalloc(d.nr, sizeof(*d.share));
	for (unsigned i = 0; i < HIST_NR; i++)
		if (h->bucket[i])
			add_bucket(&d, i, (double)h->bucket[i] / (double)h->count);
	return d;
}

static double latency_ms(int step)
{
	return chart_ms(pow(STEP_RATIO, step));
}

static void draw(struct series *s, const struct density *d)
{
	(void)series_add(s, CELL_VALID, latency_ms(d->first), 0);
	for (size_t i = 0; i < d->nr; i++)
		(void)series_add(s, CELL_VALID, latency_ms(d->first + (int)i), 100 * d->share[i]);
	(void)series_add(s, CELL_VALID, latency_ms(d->first + (int)d->nr), 0);
}

static void explain(struct picture *p, const struct dist *d, const char *depth,
		    const struct hist *h, const struct density *density)
{
	struct buf b = BUF_INIT;
	size_t top = 0;

	for (size_t i = 1; i < density->nr; i++)
		if (density->share[i] > density->share[top])
			top = i;
	buf_addf(&b, "  %s%s%s: most often ", buf_text(&d->title), d->title.len ? ", " : "", depth);
	format_ms(&b, 1e6 * latency_ms(density->first + (int)top) * sqrt(STEP_RATIO));
	buf_addstr(&b, " (");
	format_share(&b, density->share[top]);
	buf_addstr(&b, " of the I/Os in that step); half of all between ");
	format_ms(&b, hist_quantile(h, 0.25));
	buf_addstr(&b, " and ");
	format_ms(&b, hist_quantile(h, 0.75));
	buf_addf(&b, ", of %" PRIu64 " I/Os", h->count);
	chart_add_line(p, &b);
	buf_release(&b);
}

/* More than these would hide one another: steps cross more often than tails do. */
#define MAX_LINES 5

static bool has_hist(const struct dist_set *s, size_t first, size_t last, size_t k)
{
	for (size_t i = first; i < last; i++)
		if (s->v[i].hist[k])
			return true;
	return false;
}

/* Of the depths that one of the panels [first, last) has something to draw of. */
static void choose(const struct dist_set *s, size_t first, size_t last, bool *is_drawn)
{
	uint32_t depth[PICTURE_MAX_SERIES], chosen[MAX_LINES];
	size_t nr = 0, nr_chosen;

	for (size_t k = 0; k < s->nr_depths; k++)
		if (has_hist(s, first, last, k))
			depth[nr++] = s->depth[k];
	nr_chosen = chart_choose_depths(depth, nr, s->knee, chosen, MAX_LINES);
	for (size_t k = 0; k < s->nr_depths; k++) {
		is_drawn[k] = false;
		for (size_t i = 0; i < nr_chosen; i++)
			is_drawn[k] |= chosen[i] == s->depth[k];
	}
}

static void draw_panel(struct picture *p, struct panel *panel, const struct dist_set *s,
		       const struct dist *d, const bool *is_drawn)
{
	for (size_t k = 0; k < s->nr_depths; k++) {
		struct density density;
		struct series *line;

		if (!d->hist[k] || !is_drawn[k])
			continue;
		density = make(d->hist[k]);
		line = panel_add_series(panel, LOOK_STEPS);
		dist_add_name(&line->name, s, k);
		draw(line, &density);
		if (dist_is_told(s, k))
			explain(p, d, buf_text(&line->name), d->hist[k], &density);
		free(density.share);
	}
}

void dist_draw_density(struct picture *p, const struct dist_set *s, size_t first, size_t last)
{
	bool is_drawn[PICTURE_MAX_SERIES];
	struct buf b = BUF_INIT;

	choose(s, first, last, is_drawn);
	for (size_t i = first; i < last; i++) {
		struct panel *panel = &p->panel[i - first];

		panel->x.title = "latency (ms, log scale)";
		panel->x.scale = SCALE_LOG10;
		panel->y.title = "share of I/Os (%) per step of 10 % of latency";
		buf_addstr(&panel->title, last - first > 1 ? buf_text(&s->v[i].title) : "");
		draw_panel(p, panel, s, &s->v[i], is_drawn);
	}
	buf_addstr(
		&b,
		"The fastest and the slowest 0.05 % of the I/Os are not drawn; the chart of the tail has them.");
	dist_explain_depths(&b, s, is_drawn);
	format_wrapped(&p->caption, buf_text(&b), 0, 80);
	buf_release(&b);
}
