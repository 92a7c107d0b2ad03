/* SPDX-License-Identifier: MIT */
#include "report/chart_lun_draw.h"

#include "base/mem.h"
#include "base/num.h"
#include "report/chart_parts.h"
#include "report/format.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROW_IOPS, ROW_LEFT, ROW_COST };

struct lun_line *lun_add_line(struct lun_chart *c)
{
	VEC_GROW(c->line, c->nr_lines, c->line_cap);
	c->line[c->nr_lines] = (struct lun_line){.base_bytes = UNKNOWN};
	return &c->line[c->nr_lines++];
}

struct lun_figure lun_no_figure(void)
{
	return (struct lun_figure){CELL_GAP, UNKNOWN, UNKNOWN, UNKNOWN,
				   UNKNOWN,  UNKNOWN, UNKNOWN, UNKNOWN};
}

struct lun_place *lun_add_place(struct lun_line *l, double bytes)
{
	struct lun_place *p;

	VEC_GROW(l->place, l->nr, l->cap);
	p = &l->place[l->nr++];
	p->bytes = bytes;
	for (size_t i = 0; i < LUN_MAX_COLUMNS; i++)
		p->of[i] = lun_no_figure();
	return p;
}

void lun_release(struct lun_chart *c)
{
	for (size_t i = 0; i < c->nr_lines; i++) {
		buf_release(&c->line[i].name);
		free(c->line[i].place);
	}
	free(c->line);
	*c = (struct lun_chart){0};
}

/* ---- figures ---- */

struct lun_figure lun_cap_figure(const struct cap_answer *a)
{
	struct lun_figure f = lun_no_figure();
	bool is_least = a->status == CAP_NOT_REACHED || flags_have(a->flags, EFFECT_LOWER_BOUND);

	if (a->status == CAP_NO_DATA)
		return f;
	f.kind = is_least ? CELL_LIMITED : CELL_VALID;
	f.iops = a->status == CAP_INFEASIBLE ? 0 : a->iops_interp;
	f.depth = a->status == CAP_INFEASIBLE ? UNKNOWN : a->depth_interp;
	return f;
}

static struct lun_figure spoiled_figure(const struct curve *c, uint32_t depth)
{
	struct lun_figure f = lun_no_figure();

	for (size_t i = 0; i < c->nr_rows; i++) {
		const struct figures *of = &c->row[i]->dir[DIR_TOTAL];

		if (c->row[i]->spec.iodepth != depth || c->row[i]->status != POINT_OK)
			continue;
		f.kind = CELL_SPOILED;
		f.iops = of->iops;
		f.lat_ms = of->lat_mean_ns / 1e6;
	}
	return f;
}

struct lun_figure lun_depth_figure(const struct curve *c, uint32_t depth)
{
	const struct curve_point *pt = curve_point_at(c, depth);
	struct lun_figure f = lun_no_figure();
	double low, high;

	if (!pt)
		return spoiled_figure(c, depth);
	f.kind = flags_have(pt->flags, EFFECT_LOWER_BOUND) ||
				 (pt->flags & FLAG_BIT(FLAG_QUEUE_LIMITED))
			 ? CELL_LIMITED
			 : CELL_VALID;
	f.iops = pt->iops;
	if (pt->half_rel > 0) {
		f.low = pt->iops * (1 - pt->half_rel);
		f.high = pt->iops * (1 + pt->half_rel);
	}
	low = pt->lat_lo_ns[LAT_MEAN];
	high = pt->lat_hi_ns[LAT_MEAN];
	f.lat_ms = pt->lat_ns[LAT_MEAN] / 1e6;
	if (low > 0 && high > low) {
		f.lat_low_ms = low / 1e6;
		f.lat_high_ms = high / 1e6;
	}
	return f;
}

static bool decides(const struct lun_figure *f)
{
	return (f->kind == CELL_VALID || f->kind == CELL_LIMITED) && !isnan(f->iops);
}

/* The place that losses of this line are against in this column; NULL where there is none. */
static const struct lun_place *find_base(const struct lun_line *l, unsigned col)
{
	for (size_t i = 0; i < l->nr; i++) {
		bool is_asked = isnan(l->base_bytes) || !(l->place[i].bytes < l->base_bytes);

		if (is_asked && decides(&l->place[i].of[col]) && l->place[i].of[col].iops > 0)
			return &l->place[i];
	}
	return NULL;
}

/* Whether a column of any line is held against another place than the first. */
static bool has_later_base(const struct lun_chart *c)
{
	for (size_t k = 0; k < c->nr_lines; k++) {
		for (unsigned col = 0; col <= c->nr_caps; col++) {
			const struct lun_place *base = find_base(&c->line[k], col);

			if (base && base != c->line[k].place)
				return true;
		}
	}
	return false;
}

/* Whether any is held against the least that its base can be. */
static bool has_least_base(const struct lun_chart *c)
{
	for (size_t k = 0; k < c->nr_lines; k++) {
		for (unsigned col = 0; col <= c->nr_caps; col++) {
			const struct lun_place *base = find_base(&c->line[k], col);

			if (base && base->of[col].kind == CELL_LIMITED)
				return true;
		}
	}
	return false;
}

/* ---- drawing ---- */

static double positive(double v)
{
	return v > 0 ? v : UNKNOWN;
}

/* A spoiled figure is no share of anything. */
static double value_of(const struct lun_figure *f, unsigned row, unsigned col, double base)
{
	switch (row) {
	case ROW_IOPS:
		return f->iops;
	case ROW_LEFT:
		return f->kind == CELL_SPOILED ? UNKNOWN : 100 * f->iops / base;
	default:
		return positive(col ? f->depth : f->lat_ms);
	}
}

static void add_cell(struct series *s, const struct lun_place *at, const struct lun_figure *f,
		     unsigned row, unsigned col, double base)
{
	struct cell *c = series_add(s, f->kind, at->bytes, value_of(f, row, col, base));

	if (row == ROW_IOPS) {
		c->y_low = f->low;
		c->y_high = f->high;
	} else if (row == ROW_COST && !col) {
		c->y_low = f->lat_low_ms;
		c->y_high = f->lat_high_ms;
	}
}

/* Whether the line has anything in this column. */
static bool has_column(const struct lun_line *l, unsigned col)
{
	for (size_t i = 0; i < l->nr; i++)
		if (l->place[i].of[col].kind != CELL_GAP && !isnan(l->place[i].of[col].iops))
			return true;
	return false;
}

static void draw_line(struct panel *p, const struct lun_chart *c, size_t line, unsigned row,
		      unsigned col)
{
	const struct lun_line *l = &c->line[line];
	struct series *s = panel_add_series(p, LOOK_CURVE);
	const struct lun_place *against = find_base(l, col);
	double base = against ? against->of[col].iops : UNKNOWN;

	buf_addstr(&s->name, buf_text(&l->name));
	s->color = 1 + (unsigned)(line % PICTURE_MAX_SERIES);
	for (size_t i = 0; i < l->nr; i++)
		add_cell(s, &l->place[i], &l->place[i].of[col], row, col, base);
}

/* To the powers of two around it, so that there are ticks. */
static void cover_depth(struct panel *p, double depth)
{
	if (!(depth > 0))
		return;
	axis_cover(&p->y, exp2(floor(log2(depth))));
	axis_cover(&p->y, exp2(ceil(log2(depth))));
}

/* The scales of all lines, also of those in other pictures. */
static void cover(struct panel *p, const struct lun_chart *c, unsigned row, unsigned col)
{
	for (size_t k = 0; k < c->nr_lines; k++) {
		for (size_t i = 0; i < c->line[k].nr; i++) {
			const struct lun_place *at = &c->line[k].place[i];
			const struct lun_figure *f = &at->of[col];

			axis_cover(&p->x, at->bytes);
			if (row == ROW_IOPS)
				axis_cover(&p->y, f->iops);
			else if (row == ROW_COST && col)
				cover_depth(p, f->depth);
			else if (row == ROW_COST)
				axis_cover(&p->y, f->lat_ms);
		}
	}
	if (row == ROW_LEFT)
		axis_cover(&p->y, 100);
}

static int compare_doubles(const void *a, const void *b)
{
	double p = *(const double *)a, q = *(const double *)b;

	return (p > q) - (p < q);
}

/* All sizes of all lines, ascending, some of them several times; the caller frees them. */
static double *all_sizes(const struct lun_chart *c, size_t *ret_nr)
{
	size_t nr = 0, all = 0;
	double *v;

	for (size_t k = 0; k < c->nr_lines; k++)
		all += c->line[k].nr;
	v = xcalloc(all + 1, sizeof(*v));
	for (size_t k = 0; k < c->nr_lines; k++)
		for (size_t i = 0; i < c->line[k].nr; i++)
			v[nr++] = c->line[k].place[i].bytes;
	qsort(v, nr, sizeof(*v), compare_doubles);
	*ret_nr = nr;
	return v;
}

static void add_ticks(struct panel *p, const struct lun_chart *c)
{
	size_t nr;
	double *v = all_sizes(c, &nr);

	for (size_t i = 0; i < nr; i++) {
		struct buf label = BUF_INIT;

		c->add_size(&label, v[i]);
		axis_add_tick(&p->x, v[i], buf_text(&label));
		buf_release(&label);
	}
	free(v);
}

static void add_rules(struct panel *p, const struct lun_chart *c, unsigned row)
{
	struct buf s = BUF_INIT;

	if (row == ROW_LEFT) {
		buf_addf(&s, "loss limit %.3g %%", 100 * c->loss_max);
		panel_add_rule(p, false, 100 * (1 - c->loss_max), buf_text(&s));
		buf_reset(&s);
	}
	if (!isnan(c->recommended_bytes))
		panel_add_rule(p, true, c->recommended_bytes, row == ROW_IOPS ? "recommended" : "");
	buf_release(&s);
}

static void name_axes(struct panel *p, const struct lun_chart *c, unsigned row, unsigned col)
{
	const char *const titles[] = {"IOPS", has_later_base(c) ? "% of the smallest that is known"
								: "% of the IOPS of the smallest"};

	p->x.title = c->x_title;
	p->x.scale = SCALE_LOG2;
	if (row < ROW_COST) {
		p->y.title = titles[row];
		p->y.scale = SCALE_LINEAR;
		return;
	}
	p->y.title = col ? "iodepth (log scale)" : "mean latency (ms, log scale)";
	p->y.scale = col ? SCALE_LOG2 : SCALE_LOG10;
}

static void add_column(struct buf *b, const struct lun_chart *c, unsigned col)
{
	if (!col) {
		buf_addf(b, "at iodepth %u", c->depth);
		return;
	}
	buf_addstr(b, "under ");
	format_cap(b, c->cap[col - 1]);
}

/* ---- the caption ---- */

void lun_explain(struct picture *p, const struct lun_chart *c)
{
	struct buf s = BUF_INIT;

	buf_addf(&s,
		 "Read each column from left to right: the larger the %s, the more IOPS are lost "
		 "against the smallest%s; in the middle row, what lies below the line of %.3g %% "
		 "loses more than the limit of %.3g %%; the last row is what these IOPS cost: the "
		 "latency at the depth, or the depth that reaches the cap. Crossed points are the "
		 "least that it can be: no depth reached the cap, or the client was the limit.",
		 isnan(c->recommended_bytes) ? "span" : "LUN",
		 has_later_base(c) ? " that is known" : "", 100 * (1 - c->loss_max),
		 100 * c->loss_max);
	if (has_least_base(c))
		buf_addstr(&s, " Where the smallest itself is crossed, at most as much is "
			       "left of it as the middle row shows.");
	caption_explain(p, &s);
	buf_release(&s);
}

/* Of a share of the base. The base is 100 % of itself. */
static const char *how_sure(const struct lun_figure *f, const struct lun_figure *base)
{
	if (base->kind != CELL_LIMITED || f == base || !(f->iops > 0))
		return "";
	return f->kind == CELL_LIMITED ? "about " : "at most ";
}

static void describe_column(struct picture *p, const struct lun_chart *c, const struct lun_line *l,
			    unsigned col)
{
	const struct lun_place *base = find_base(l, col);
	struct buf s = BUF_INIT;
	const char *sep = ": ";

	buf_addf(&s, "%s, ", buf_text(&l->name));
	add_column(&s, c, col);
	if (base && base != l->place) {
		buf_addstr(&s, ", with per cent of ");
		c->add_size(&s, base->bytes);
	}
	for (size_t i = 0; i < l->nr; i++) {
		const struct lun_figure *f = &l->place[i].of[col];

		buf_addstr(&s, sep);
		c->add_size(&s, l->place[i].bytes);
		buf_addstr(&s, f->kind == CELL_LIMITED ? " at least " : " ");
		sep = ", ";
		if (f->kind == CELL_GAP || isnan(f->iops)) {
			buf_addstr(&s, "not known");
			continue;
		}
		if (f->iops > 0)
			format_iops(&s, f->iops);
		else
			buf_addch(&s, '0');
		if (f->kind == CELL_SPOILED)
			buf_addstr(&s, " (spoiled)");
		else if (base)
			buf_addf(&s, " (%s%.1f %%)", how_sure(f, &base->of[col]),
				 100 * f->iops / base->of[col].iops);
	}
	buf_addstr(&s, " IOPS.");
	caption_add(p, &s);
	buf_release(&s);
}

/* What is known of the loss at a size. */
enum loss_state { LOSS_WITHIN, LOSS_UNKNOWN, LOSS_BEYOND };

static bool is_within(const struct lun_chart *c, double iops, double base)
{
	return iops >= base * (1 - c->loss_max) * (1 - 1e-9);
}

/* Whether a figure loses too much for sure: against the smallest size of which it is known, or the least that is
 * known of those before it. */
static bool loses_surely(const struct lun_chart *c, const struct lun_line *l, size_t i,
			 unsigned col)
{
	const struct lun_figure *f = &l->place[i].of[col];

	if (f->kind != CELL_VALID || isnan(f->iops))
		return false;
	for (size_t k = 0; k < i; k++) {
		const struct lun_figure *small = &l->place[k].of[col];

		if (!decides(small) || !(small->iops > 0))
			continue;
		if (!is_within(c, f->iops, small->iops))
			return true;
		if (small->kind == CELL_VALID)
			return false;
	}
	return false;
}

static enum loss_state judge_place(const struct lun_chart *c, const struct lun_line *l, size_t i,
				   unsigned col)
{
	const struct lun_place *at = &l->place[i], *base = find_base(l, col);
	bool is_first = isnan(l->base_bytes) ? i == 0 : base == at;

	if (loses_surely(c, l, i, col))
		return LOSS_BEYOND;
	if (!base || !decides(&at->of[col]))
		return LOSS_UNKNOWN;
	/* The smallest of all loses nothing, however little is known of it. */
	if (is_first)
		return LOSS_WITHIN;
	if (isnan(l->base_bytes) && base != l->place)
		return LOSS_UNKNOWN;
	if (base->of[col].kind == CELL_LIMITED)
		return LOSS_UNKNOWN;
	return is_within(c, at->of[col].iops, base->of[col].iops) ? LOSS_WITHIN : LOSS_UNKNOWN;
}

/* The worst of all lines at this size; sizes below the base of the answer are not judged. */
static bool judge_size(const struct lun_chart *c, double bytes, unsigned col,
		       enum loss_state *worst)
{
	bool is_judged = false;

	*worst = LOSS_WITHIN;
	for (size_t k = 0; k < c->nr_lines; k++) {
		const struct lun_line *l = &c->line[k];

		if (l->is_only_shown || !has_column(l, col) || bytes < l->base_bytes)
			continue;
		for (size_t i = 0; i < l->nr; i++) {
			enum loss_state s;

			if (l->place[i].bytes < bytes || l->place[i].bytes > bytes)
				continue;
			s = judge_place(c, l, i, col);
			*worst = s > *worst ? s : *worst;
			is_judged = true;
		}
	}
	return is_judged;
}

/* " up to 1000G", " up to 1000G, of 2000G it is not known", " not known". A base loses too much only against a
 * smaller size that could not be judged itself. */
static void add_within(struct buf *b, const struct lun_chart *c, unsigned col)
{
	double within = UNKNOWN, *bytes;
	enum loss_state s = LOSS_UNKNOWN;
	size_t nr, i;

	bytes = all_sizes(c, &nr);
	for (i = 0; i < nr; i++) {
		if (!judge_size(c, bytes[i], col, &s))
			continue;
		if (s != LOSS_WITHIN)
			break;
		within = bytes[i];
	}
	if (isnan(within)) {
		buf_addstr(b, s == LOSS_BEYOND
				      ? " no size, as that loses too much against a smaller one"
				      : " not known");
	} else {
		buf_addstr(b, " up to ");
		c->add_size(b, within);
		if (i < nr && s == LOSS_UNKNOWN) {
			buf_addstr(b, ", of ");
			c->add_size(b, bytes[i]);
			buf_addstr(b, " it is not known");
		}
	}
	free(bytes);
}

static void describe_limit(struct picture *p, const struct lun_chart *c)
{
	struct buf s = BUF_INIT;

	buf_addstr(&s, "Within the loss limit");
	/* As all lines of an answer have the same. */
	if (c->nr_lines && c->line[0].nr && c->line[0].base_bytes > c->line[0].place[0].bytes) {
		buf_addstr(&s, ", against ");
		c->add_size(&s, c->line[0].base_bytes);
	}
	for (unsigned col = 0; col <= c->nr_caps; col++) {
		buf_addstr(&s, col ? "; " : ": ");
		add_column(&s, c, col);
		add_within(&s, c, col);
	}
	buf_addch(&s, '.');
	caption_add(p, &s);
	buf_release(&s);
}

void lun_draw(struct picture *p, const struct lun_chart *c, size_t first, size_t end)
{
	p->limited_title = "at least this much";
	for (unsigned row = 0; row <= ROW_COST; row++) {
		for (unsigned col = 0; col <= c->nr_caps; col++) {
			struct panel *panel = picture_panel(p, row, col);

			name_axes(panel, c, row, col);
			add_ticks(panel, c);
			cover(panel, c, row, col);
			if (row == ROW_IOPS)
				add_column(&panel->title, c, col);
			for (size_t i = first; i < end; i++)
				draw_line(panel, c, i, row, col);
			add_rules(panel, c, row);
		}
	}
	for (size_t i = first; i < end; i++)
		for (unsigned col = 0; col <= c->nr_caps; col++)
			if (has_column(&c->line[i], col))
				describe_column(p, c, &c->line[i], col);
	describe_limit(p, c);
}
