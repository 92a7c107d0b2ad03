/* SPDX-License-Identifier: MIT */
/* Ratios with their intervals, one row for each point. */
#include "report/chart_compare.h"

#include "base/mem.h"
#include "base/num.h"
#include "report/chart_axis.h"
#include "report/chart_free.h"
#include "report/chart_parts.h"
#include "report/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_ROWS 24

enum { COL_IOPS, COL_LAT, COL_MAX };

/* A row: what is compared of a point, or of a curve. */
struct row {
	const struct compare_item *item[COL_MAX]; /* NULL for none */
};

struct ratios {
	const struct compare_report *report;
	struct row *row;
	size_t nr, cap;
	bool has[COL_MAX];
	unsigned named; /* axes in which points differ, as bits */
};

/* ---- rows ---- */

static int column_of(const struct compare_item *item)
{
	return item->figure == COMPARE_LAT ? COL_LAT : COL_IOPS;
}

static bool is_of_point(const struct compare_item *item)
{
	return item->figure == COMPARE_IOPS || item->figure == COMPARE_LAT;
}

/* The row that has the other figure of the same point. */
static struct row *find_row(struct ratios *q, const struct compare_item *item)
{
	for (size_t i = q->nr; is_of_point(item) && i-- > 0;) {
		const struct compare_item *other = q->row[i].item[!column_of(item)];

		if (other && is_of_point(other) && !point_spec_compare(&other->spec, &item->spec))
			return &q->row[i];
	}
	return NULL;
}

static void add_item(struct ratios *q, const struct compare_item *item)
{
	struct row *row = find_row(q, item);

	/* The caption has what cannot be compared; only points keep their row. */
	if (!is_of_point(item) && isnan(item->ratio))
		return;
	if (!row) {
		VEC_GROW(q->row, q->nr, q->cap);
		row = &q->row[q->nr++];
		*row = (struct row){{NULL}};
	}
	row->item[column_of(item)] = item;
	q->has[column_of(item)] = true;
}

static const struct compare_item *any_item(const struct row *row)
{
	return row->item[COL_IOPS] ? row->item[COL_IOPS] : row->item[COL_LAT];
}

static unsigned find_named(const struct ratios *q)
{
	unsigned named = 0;

	for (size_t i = 1; i < q->nr; i++)
		named |= chart_axes_differing(&any_item(&q->row[i])->spec,
					      &any_item(&q->row[0])->spec);
	return named & ~CHART_AXIS_BIT(CHART_BY_IODEPTH);
}

static void add_row_name(struct buf *b, const struct ratios *q, const struct row *row)
{
	const struct compare_item *item = any_item(row);

	chart_axes_add_short(b, q->named, &item->spec);
	buf_addstr(b, q->named ? " " : "");
	if (is_of_point(item)) {
		buf_addf(b, "d%u", item->spec.iodepth);
	} else if (item->figure == COMPARE_NSTAR) {
		buf_addstr(b, "knee N*");
	} else {
		format_cap(b, item->cap);
	}
}

/* ---- drawing ---- */

enum group {
	GROUP_BETTER,
	GROUP_WORSE,
	GROUP_EQUIVALENT,
	GROUP_INCONCLUSIVE,
	GROUP_UNTESTED,
	GROUP_NR
};

static enum group group_of(const struct compare_item *item)
{
	switch (item->verdict) {
	case COMPARE_DIFFERENT:
		/* A higher knee is no better and no worse: it goes with the side that it is on. */
		if (item->figure == COMPARE_NSTAR)
			return item->ratio > 1 ? GROUP_BETTER : GROUP_WORSE;
		return compare_direction(item) > 0 ? GROUP_BETTER : GROUP_WORSE;
	case COMPARE_EQUIVALENT:
		return GROUP_EQUIVALENT;
	case COMPARE_INCONCLUSIVE:
		return GROUP_INCONCLUSIVE;
	case COMPARE_UNJUDGED:
		break;
	}
	return GROUP_UNTESTED;
}

static const char *group_name(enum group g)
{
	static const char *const names[GROUP_NR] = {"B better (N*: higher)", "B worse (N*: lower)",
						    "equivalent", "inconclusive", "not tested"};

	return names[g];
}

static char *item_tip(const struct ratios *q, const struct row *row,
		      const struct compare_item *item)
{
	struct buf b = BUF_INIT;

	add_row_name(&b, q, row);
	buf_addf(&b, "\n%s: B / A %.4f", compare_figure_name(item->figure), item->ratio);
	if (!isnan(item->low))
		buf_addf(&b, " (95 %%: %.4f to %.4f)", item->low, item->high);
	buf_addstr(&b, "\n");
	compare_word(&b, item);
	if (!isnan(item->p_adjusted))
		buf_addf(&b, ", p %.3g", item->p_adjusted);
	buf_addch(&b, '\n');
	return buf_detach(&b);
}

/* A value that the client or a queue limited is less than the target can do, so the ratio is a bound, too. */
static bool is_bound(const struct compare_item *item)
{
	flag_set flags = item->side[0].flags | item->side[1].flags;

	return flags_have(flags, EFFECT_LOWER_BOUND) || (flags & FLAG_BIT(FLAG_QUEUE_LIMITED));
}

static void draw_group(struct panel *p, const struct ratios *q, size_t first, size_t end, int col,
		       enum group g)
{
	struct series *s = NULL;

	for (size_t i = first; i < end; i++) {
		const struct compare_item *item = q->row[i].item[col];
		struct cell *c;

		if (!item || isnan(item->ratio) || group_of(item) != g)
			continue;
		if (!s) {
			s = panel_add_series(p, LOOK_POINTS);
			s->color = 1 + (unsigned)g;
			buf_addstr(&s->name, group_name(g));
		}
		c = series_add(s, is_bound(item) ? CELL_LIMITED : CELL_VALID, item->ratio,
			       (double)(end - 1 - i));
		c->x_low = item->low;
		c->x_high = item->high;
		c->tip = item_tip(q, &q->row[i], item);
	}
}

/* Ratios that read well, the finer the closer to 1 all of them are. */
static const double fine_ticks[] = {0.7,  0.75, 0.8,  0.85, 0.9,  0.95, 1,
				    1.05, 1.1,	1.15, 1.2,  1.25, 1.3,	1.4};
static const double ticks[] = {0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 1.25, 1.6, 2, 2.5, 3, 4, 5};
static const double coarse_ticks[] = {0.001, 0.01, 0.1, 0.2, 0.5, 1, 2, 5, 10, 100, 1000};

static void add_ratio_ticks(struct panel *p)
{
	double range = p->x.max / p->x.min;
	const double *v = range < 1.5 ? fine_ticks : range < 6 ? ticks : coarse_ticks;
	size_t nr = range < 1.5 ? NR(fine_ticks) : range < 6 ? NR(ticks) : NR(coarse_ticks);
	char label[16];

	for (size_t i = 0; i < nr; i++) {
		if (v[i] < p->x.min * 0.999 || v[i] > p->x.max * 1.001)
			continue;
		(void)snprintf(label, sizeof(label), "%g", v[i]);
		axis_add_tick(&p->x, v[i], label);
	}
}

/* The scale of all rows, so that pictures can be compared. */
static void cover(struct panel *p, const struct ratios *q)
{
	axis_cover(&p->x, 0.9);
	axis_cover(&p->x, 1.1);
	for (size_t i = 0; i < q->nr; i++) {
		for (int col = 0; col < COL_MAX; col++) {
			const struct compare_item *item = q->row[i].item[col];

			if (!item)
				continue;
			axis_cover(&p->x, item->ratio);
			axis_cover(&p->x, item->low);
			axis_cover(&p->x, item->high);
		}
	}
}

static void draw_panel(struct panel *p, const struct ratios *q, size_t first, size_t end, int col)
{
	struct buf name = BUF_INIT;

	buf_addstr(&p->title, col == COL_IOPS ? "IOPS: B is better right of 1"
					      : "mean latency: B is better left of 1");
	p->x.title = "B / A (log scale)";
	p->x.scale = SCALE_LOG2;
	cover(p, q);
	add_ratio_ticks(p);
	p->y.scale = SCALE_RANK;
	for (size_t i = end; i-- > first;) {
		add_row_name(&name, q, &q->row[i]);
		axis_add_tick(&p->y, (double)(end - 1 - i), buf_text(&name));
		buf_reset(&name);
	}
	axis_cover(&p->y, 0);
	axis_cover(&p->y, (double)(end - 1 - first));
	for (enum group g = 0; g < GROUP_NR; g++)
		draw_group(p, q, first, end, col, g);
	panel_add_rule(p, true, 1, "");
	panel_add_rule(p, true, 1 / (1 + COMPARE_MARGIN), "");
	panel_add_rule(p, true, 1 + COMPARE_MARGIN, "");
	buf_release(&name);
}

/* ---- the caption ---- */

static void add_side(struct buf *b, const struct compare_report *r, int side)
{
	const struct run_group *g = &r->group[side];

	buf_addf(b, "%c: run%s ", 'A' + side, g->nr == 1 ? "" : "s");
	for (size_t i = 0; i < g->nr; i++)
		buf_addf(b, "%s%" PRId64, i ? "," : "", g->info[i]->id);
	buf_addstr(b, ", ");
	format_run_name(b, g->info[0]);
}

/* What all points have. */
static void add_common(struct buf *b, const struct ratios *q)
{
	unsigned no = q->named | CHART_AXIS_BIT(CHART_BY_IODEPTH);

	chart_axes_add(b, ~no, &any_item(&q->row[0])->spec, true);
}

static void explain_gap(struct picture *p, const struct ratios *q, const struct compare_item *item)
{
	struct row row = {{NULL}};
	struct buf s = BUF_INIT;

	if (!isnan(item->ratio))
		return;
	row.item[column_of(item)] = item;
	buf_addstr(&s, "Not shown: ");
	add_row_name(&s, q, &row);
	buf_addf(&s, ", %s: %s.", compare_figure_name(item->figure),
		 item->reason ? item->reason : "there is no ratio");
	caption_add(p, &s);
	buf_release(&s);
}

/* Of the rows of the picture; what has no row is told in the first picture. */
static void explain_gaps(struct picture *p, const struct ratios *q, size_t first, size_t end)
{
	const struct comparison *c = q->report->c;

	for (size_t i = first; i < end; i++)
		for (int col = 0; col < COL_MAX; col++)
			if (q->row[i].item[col])
				explain_gap(p, q, q->row[i].item[col]);
	for (size_t i = 0; !first && i < c->nr; i++)
		if (!is_of_point(&c->item[i]))
			explain_gap(p, q, &c->item[i]);
	if (!first && c->nr_lone)
		buf_addf(&p->caption, "Not shown: %zu point%s that only one group has valid.\n",
			 c->nr_lone, c->nr_lone == 1 ? "" : "s");
}

#define MAX_BOUNDS 4 /* that are named; the crosses show all */

/* Which side is limited, and where. */
static void explain_bounds(struct picture *p, const struct ratios *q, size_t first, size_t end)
{
	struct buf s = BUF_INIT;
	size_t nr = 0;

	for (size_t i = first; i < end; i++) {
		const struct compare_item *item = any_item(&q->row[i]);

		if (isnan(item->ratio) || !is_bound(item) || nr++ >= MAX_BOUNDS)
			continue;
		buf_addstr(&s, s.len ? "; " : "Crossed, since limited: ");
		add_row_name(&s, q, &q->row[i]);
		for (int side = 0; side < 2; side++) {
			if (!item->side[side].flags)
				continue;
			buf_addf(&s, ", %c ", 'A' + side);
			format_flags(&s, item->side[side].flags, " ");
		}
	}
	if (nr > MAX_BOUNDS)
		buf_addf(&s, "; and %zu more", nr - MAX_BOUNDS);
	if (s.len)
		caption_add(p, &s);
	buf_release(&s);
}

static void write_caption(struct picture *p, const struct ratios *q, size_t first, size_t end)
{
	const struct compare_report *r = q->report;
	struct buf s = BUF_INIT;

	buf_addf(&s,
		 "Each row is a point: the mark is what B has for each 1 of A, the bar its 95 %% "
		 "interval; the line at 1 means equal, and what stays between the two beside it "
		 "(%.3g to %.3g) is smaller than 5 %% and no difference that counts; d is the "
		 "iodepth, r the share of reads in %%.",
		 1 / (1 + COMPARE_MARGIN), 1 + COMPARE_MARGIN);
	caption_explain(p, &s);
	compare_sentences(&s, r);
	caption_add(p, &s);
	explain_bounds(p, q, first, end);
	explain_gaps(p, q, first, end);
	for (int side = 0; side < 2; side++) {
		buf_addf(&p->caption, "%c:\n", 'A' + side);
		for (size_t i = 0; i < r->group[side].nr; i++)
			caption_add_run(p, r->group[side].info[i]);
	}
	buf_release(&s);
}

static void draw_part(struct charts *out, const struct ratios *q, size_t part, size_t parts)
{
	size_t first = part * q->nr / parts, end = (part + 1) * q->nr / parts;
	struct buf common = BUF_INIT;
	unsigned cols = (unsigned)q->has[COL_IOPS] + (unsigned)q->has[COL_LAT], col = 0;
	struct picture *p = charts_add(
		out, parts > 1 ? xasprintf("ratios-%zu", part + 1) : xstrdup("ratios"), 1, cols);

	buf_addstr(&p->title, "B against A");
	if (parts > 1)
		buf_addf(&p->title, " (%zu of %zu)", part + 1, parts);
	add_common(&common, q);
	if (common.len)
		buf_addf(&p->title, ": %s", buf_text(&common));
	buf_release(&common);
	add_side(&p->subtitle, q->report, 0);
	buf_addstr(&p->subtitle, "; ");
	add_side(&p->subtitle, q->report, 1);
	for (int k = 0; k < COL_MAX; k++)
		if (q->has[k])
			draw_panel(picture_panel(p, 0, col++), q, first, end, k);
	write_caption(p, q, first, end);
}

void chart_draw_ratios(struct charts *out, const struct compare_report *r)
{
	struct ratios q = {.report = r};
	size_t parts;

	for (size_t i = 0; i < r->c->nr; i++)
		add_item(&q, &r->c->item[i]);
	q.named = q.nr ? find_named(&q) : 0;
	parts = chart_share_count(q.nr, MAX_ROWS);
	for (size_t part = 0; q.nr && part < parts; part++)
		draw_part(out, &q, part, parts);
	free(q.row);
}

void charts_build_compare(const struct compare_report *c, const struct report *r,
			  struct charts *out)
{
	*out = (struct charts){0};
	chart_draw_ratios(out, c);
	chart_draw_targets(out, r);
}
