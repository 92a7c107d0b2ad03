/* SPDX-License-Identifier: MIT */
/* Ranges and ticks: round numbers, and labels that never touch. */
#include "report/picture_parts.h"

#include "base/mem.h"
#include "base/num.h"
#include "report/format.h"

#include <stdlib.h>
#include <string.h>

#define NAME_CHARS 28  /* of a class on a rank axis */
#define X_GAP	   10  /* between labels side by side */
#define K_FROM	   2e4 /* the largest figure of an axis from which on labels count thousands */
#define Y_GAP	   15  /* between the middles of labels one above the other */

bool scale_is_log(enum scale s)
{
	return s == SCALE_LOG2 || s == SCALE_LOG10 || s == SCALE_TAIL;
}

bool axis_is_same(const struct panel_axis *a, const struct panel_axis *b)
{
	if (a->scale != b->scale || !a->title != !b->title)
		return false;
	return !a->title || strcmp(a->title, b->title) == 0;
}

/* What is to be covered, and the ends that were asked for. */
struct extent {
	enum scale scale;
	double min, max, from, to;
};

/* Figures of published tables may be anything; ends and ticks must stay numbers. */
static bool can_be_drawn(enum scale scale, double v)
{
	return fabs(v) < 1e290 && (!scale_is_log(scale) || v > 1e-290);
}

static void cover(struct extent *e, double v)
{
	if (!can_be_drawn(e->scale, v))
		return;
	e->min = fmin(v, e->min);
	e->max = fmax(v, e->max);
}

/* A wide interval may reach far down on a log scale; it is cut off there. */
static void cover_interval(struct extent *e, double v, double low, double high)
{
	if (!scale_is_log(e->scale) || low > v / 4)
		cover(e, low);
	if (!scale_is_log(e->scale) || high < v * 4)
		cover(e, high);
}

static void cover_cell(struct extent *e, const struct cell *c, bool is_y)
{
	if (c->kind == CELL_GAP && is_y)
		return;
	cover(e, is_y ? c->y : c->x);
	if (c->kind == CELL_GAP)
		return;
	if (is_y)
		cover_interval(e, c->y, c->y_low, c->y_high);
	else
		cover_interval(e, c->x, c->x_low, c->x_high);
}

static void cover_panel(struct extent *e, const struct panel *p, bool is_y)
{
	const struct panel_axis *a = is_y ? &p->y : &p->x;

	cover(e, a->min);
	cover(e, a->max);
	e->from = fmin(a->from, e->from);
	e->to = fmax(a->to, e->to);
	for (size_t i = 0; i < p->nr_series; i++)
		for (size_t k = 0; k < p->series[i].nr; k++)
			cover_cell(e, &p->series[i].cell[k], is_y);
	for (size_t i = 0; i < p->nr_marks; i++)
		for (size_t k = 0; k < p->marks[i].nr; k++)
			cover(e, is_y ? p->marks[i].v[k].y : p->marks[i].v[k].x);
	for (size_t i = 0; i < p->nr_heat; i++)
		cover(e, is_y ? p->heat[i].y : p->heat[i].x);
	for (size_t i = 0; i < p->nr_bands && !is_y; i++) {
		cover(e, p->band[i].from);
		cover(e, p->band[i].to);
	}
}

/* A rule is worth a wider axis only where it is near what is drawn. */
static void cover_rules(struct extent *e, const struct panel *p, bool is_y)
{
	for (size_t i = 0; i < p->nr_rules; i++) {
		double at = p->rule[i].at;
		bool is_near = scale_is_log(e->scale) ? at >= e->min / 2 && at <= e->max * 2
						      : at >= 0 && at <= e->max * 1.3;

		if (p->rule[i].is_vertical != is_y && is_near)
			cover(e, at);
	}
}

static int compare_ticks(const void *a, const void *b)
{
	double x = ((const struct tick *)a)->at, y = ((const struct tick *)b)->at;

	return (x > y) - (x < y);
}

static void add_tick(struct axis_view *v, double at, char *label)
{
	VEC_GROW(v->tick, v->nr_ticks, v->tick_cap);
	v->tick[v->nr_ticks++] = (struct tick){at, label};
}

static void add_ticks_of(struct axis_view *v, const struct panel_axis *a)
{
	for (size_t i = 0; i < a->nr_ticks; i++) {
		struct buf s = BUF_INIT;

		buf_add_clean(&s, a->tick[i].label, NAME_CHARS);
		add_tick(v, a->tick[i].at, buf_detach(&s));
	}
}

/* Of ticks at one place the first stays. */
static void merge_ticks(struct axis_view *v)
{
	size_t nr = 0;

	if (v->nr_ticks)
		qsort(v->tick, v->nr_ticks, sizeof(*v->tick), compare_ticks);
	for (size_t i = 0; i < v->nr_ticks; i++) {
		if (nr && v->tick[nr - 1].at >= v->tick[i].at)
			free(v->tick[i].label);
		else
			v->tick[nr++] = v->tick[i];
	}
	v->nr_ticks = nr;
}

/* Ends. */

static double power_of_ten_below(double v)
{
	return pow(10, floor(log10(v)));
}

/* A round number at or above v. */
static double round_up(double v)
{
	double ten = power_of_ten_below(v), step;

	step = v / ten < 2 ? ten / 5 : ten / 2;
	return ceil(v / step) * step;
}

/* Round steps of a log axis within a decade, ended by 10. */
static const double coarse_steps[] = {1, 2, 5, 10};
static const double fine_steps[] = {1, 1.5, 2, 3, 4, 5, 6, 7, 8, 10};

struct steps {
	const double *v;
	size_t nr;
};

/* The nearest round step at or below v, or at or above it. */
static double round_step(struct steps steps, double v, bool up)
{
	double ten = power_of_ten_below(v), best = up ? 10 : 1;

	for (size_t i = 0; i < steps.nr; i++) {
		double s = steps.v[i];

		if (up && s * ten >= v * (1 - 1e-9) && s < best)
			best = s;
		if (!up && s * ten <= v * (1 + 1e-9) && s > best)
			best = s;
	}
	return best * ten;
}

static struct steps steps_for(double lo, double hi)
{
	if (hi < lo * 8)
		return (struct steps){fine_steps, NR(fine_steps)};
	return (struct steps){coarse_steps, NR(coarse_steps)};
}

static void set_linear_ends(struct axis_view *v, const struct extent *e)
{
	v->lo = e->min < 0 ? -round_up(-e->min * 1.02) : 0;
	v->hi = e->max > 0 ? round_up(e->max * 1.04) : v->lo < 0 ? 0 : 1;
}

static void set_log10_ends(struct axis_view *v, const struct extent *e)
{
	struct steps steps = steps_for(e->min, e->max);

	v->lo = round_step(steps, e->min * 0.95, false);
	v->hi = round_step(steps, e->max * 1.05, true);
}

/* Room beside the outermost places. */
static void set_log2_ends(struct axis_view *v, const struct extent *e)
{
	double margin = e->min < e->max ? fmax(pow(e->max / e->min, 0.03), 1.05) : 2;

	v->lo = e->min / margin;
	v->hi = e->max * margin;
}

static void set_tail_ends(struct axis_view *v, const struct extent *e)
{
	double least = pow(10, floor(log10(fmin(e->min, 0.5)) + 1e-9));

	v->lo = v->is_y ? least : 1;
	v->hi = v->is_y ? 1 : least;
}

static void set_ends(struct axis_view *v, struct extent *e)
{
	if (isnan(e->min) && v->scale != SCALE_LINEAR)
		e->min = e->max = v->scale == SCALE_RANK ? 0 : 1;
	switch (v->scale) {
	case SCALE_LINEAR:
		set_linear_ends(v, e);
		break;
	case SCALE_LOG2:
		set_log2_ends(v, e);
		break;
	case SCALE_LOG10:
		set_log10_ends(v, e);
		break;
	case SCALE_RANK:
		v->lo = e->min - 0.5;
		v->hi = e->max + 0.5;
		break;
	case SCALE_TAIL:
		set_tail_ends(v, e);
		break;
	}
	if (!isnan(e->from))
		v->lo = e->from;
	if (!isnan(e->to))
		v->hi = e->to;
}

/* A row of panels has one y axis, the picture one x axis, where they are the same. */
void axis_view_init(struct axis_view *v, const struct picture *p, const struct panel *panel,
		    bool is_y)
{
	const struct panel_axis *own = is_y ? &panel->y : &panel->x;
	size_t row = (size_t)(panel - p->panel) / p->cols;
	size_t first = is_y ? row * p->cols : 0,
	       end = is_y ? first + p->cols : (size_t)p->rows * p->cols;
	struct extent e = {own->scale, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN};

	*v = (struct axis_view){.title = own->title, .scale = own->scale, .is_y = is_y};
	for (size_t i = first; i < end; i++) {
		const struct panel_axis *a = is_y ? &p->panel[i].y : &p->panel[i].x;

		if (!axis_is_same(own, a))
			continue;
		cover_panel(&e, &p->panel[i], is_y);
		add_ticks_of(v, a);
	}
	for (size_t i = first; i < end; i++)
		if (axis_is_same(own, is_y ? &p->panel[i].y : &p->panel[i].x))
			cover_rules(&e, &p->panel[i], is_y);
	merge_ticks(v);
	for (size_t i = 0; i < v->nr_ticks; i++)
		cover(&e, v->tick[i].at);
	set_ends(v, &e);
}

void axis_view_release(struct axis_view *v)
{
	for (size_t i = 0; i < v->nr_ticks; i++)
		free(v->tick[i].label);
	free(v->tick);
}

double axis_view_share(const struct axis_view *a, double v)
{
	if (!scale_is_log(a->scale))
		return (v - a->lo) / (a->hi - a->lo);
	return v > 0 ? log(v / a->lo) / log(a->hi / a->lo) : UNKNOWN;
}

/* Ticks that nobody gave. */

/* As few characters as tell it: 0.5, 200, 4000, 20k, 1.2M. */
static char *number_label(double v, double max)
{
	if (max >= 1e6 && fabs(v) > 0)
		return v < 1e5 ? xasprintf("%.10gk", v / 1e3) : xasprintf("%.10gM", v / 1e6);
	if (max >= K_FROM && fabs(v) > 0)
		return xasprintf("%.10gk", v / 1e3);
	return xasprintf("%.10g", v);
}

static void add_linear_ticks(struct axis_view *v, double length)
{
	double wanted = fmax(2, v->is_y ? length / 40 : length / 90);
	double raw = (v->hi - v->lo) / wanted, ten = power_of_ten_below(raw), step;

	step = raw / ten <= 1	? ten
	       : raw / ten <= 2 ? 2 * ten
	       : raw / ten <= 5 ? 5 * ten
				: 10 * ten;
	/* 0 is added against -0. */
	for (double k = ceil(v->lo / step - 1e-9) + 0.0; k * step <= v->hi + step * 1e-6; k++)
		add_tick(v, k * step, number_label(k * step, fmax(fabs(v->lo), fabs(v->hi))));
}

/* Below a decade all round steps, to three decades 1, 2, 5, beyond whole decades. */
static void add_log10_ticks(struct axis_view *v)
{
	struct steps steps = v->hi / v->lo < 11 ? (struct steps){fine_steps, NR(fine_steps)}
						: (struct steps){coarse_steps, NR(coarse_steps)};

	if (v->hi / v->lo > 1001)
		steps.nr = 1;
	for (double t = round_step(steps, v->lo, true); t <= v->hi * (1 + 1e-9);
	     t = round_step(steps, t * 1.05, true))
		add_tick(v, t, number_label(t, t < 1e4 ? t : fmax(t, K_FROM)));
}

static void add_log2_ticks(struct axis_view *v)
{
	for (double t = exp2(ceil(log2(v->lo))); t <= v->hi; t *= 2)
		add_tick(v, t, xasprintf("%.10g", t));
}

/* Percentiles to the right on x, shares that exceed downwards on y. */
static void add_tail_ticks(struct axis_view *v)
{
	double least = fmin(v->lo, v->hi) * (1 - 1e-9);

	if (!v->is_y)
		add_tick(v, 0.5, xstrdup("p50"));
	for (double t = v->is_y ? 1 : 0.1; t >= least; t /= 10)
		add_tick(v, t,
			 v->is_y ? xasprintf("%.10g %%", t * 100)
				 : xasprintf("p%.10g", 100 - t * 100));
	merge_ticks(v);
}

static void add_own_ticks(struct axis_view *v, double length)
{
	switch (v->scale) {
	case SCALE_LINEAR:
		add_linear_ticks(v, length);
		break;
	case SCALE_LOG2:
		add_log2_ticks(v);
		break;
	case SCALE_LOG10:
		add_log10_ticks(v);
		break;
	case SCALE_TAIL:
		add_tail_ticks(v);
		break;
	case SCALE_RANK:
		break;
	}
}

/* Room of a label along its axis. */
static double label_length(const struct axis_view *v, const char *label)
{
	if (v->is_y || v->is_rotated)
		return Y_GAP;
	return CHAR_WIDTH * (double)text_width(label) + X_GAP;
}

/* Whether all names of a rank axis fit side by side. */
static bool names_fit(const struct axis_view *v, double length)
{
	for (size_t i = 0; i < v->nr_ticks; i++)
		if (label_length(v, v->tick[i].label) * (v->hi - v->lo) > length)
			return false;
	return true;
}

static bool is_decade(double v)
{
	double l = log10(v);

	return fabs(l - round(l)) < 1e-6;
}

/* Whether the labels of all ticks fit; of a log axis with decades only, those of whole ones. */
static bool labels_fit(const struct axis_view *v, double length)
{
	double free_from = -HUGE_VAL;

	for (size_t i = 0; i < v->nr_ticks; i++) {
		double at = axis_view_share(v, v->tick[i].at) * length;
		double half = label_length(v, v->tick[i].label) / 2;

		if (at - half < free_from)
			return false;
		free_from = at + half;
	}
	return true;
}

static void keep_decades(struct axis_view *v)
{
	for (size_t i = 0; i < v->nr_ticks; i++)
		if (!is_decade(v->tick[i].at))
			v->tick[i].label[0] = '\0';
}

/* Whether ticks are equally far from each other, as depths of powers of two are. */
static bool is_even(const struct axis_view *v)
{
	double step = v->nr_ticks > 1 ? axis_view_share(v, v->tick[1].at) -
						axis_view_share(v, v->tick[0].at)
				      : 0;

	for (size_t i = 2; i < v->nr_ticks; i++) {
		double own =
			axis_view_share(v, v->tick[i].at) - axis_view_share(v, v->tick[i - 1].at);

		if (fabs(own - step) > 0.2 * fabs(step))
			return false;
	}
	return true;
}

/* Labels of every second tick, or every third and so on, where these fit. */
static void thin_evenly(struct axis_view *v, double length)
{
	double step = fabs(axis_view_share(v, v->tick[1].at) - axis_view_share(v, v->tick[0].at));
	double longest = 0;
	size_t every;

	for (size_t i = 0; i < v->nr_ticks; i++)
		longest = fmax(longest, label_length(v, v->tick[i].label));
	every = (size_t)fmin(ceil(longest / (step * length) - 1e-9), (double)v->nr_ticks);
	for (size_t i = 0; i < v->nr_ticks; i++)
		if (every > 1 && i % every)
			v->tick[i].label[0] = '\0';
}

/* Every place keeps its tick; a label that would touch the one before it is left out. */
static void thin_labels(struct axis_view *v, double length)
{
	double free_from = -HUGE_VAL;
	bool is_down = v->hi < v->lo;

	for (size_t n = 0; n < v->nr_ticks; n++) {
		struct tick *t = &v->tick[is_down ? v->nr_ticks - 1 - n : n];
		double at = axis_view_share(v, t->at) * length;
		double half = label_length(v, t->label) / 2;

		if (!*t->label)
			continue;
		if (at - half < free_from)
			t->label[0] = '\0';
		else
			free_from = at + half;
	}
}

void axis_view_label(struct axis_view *v, double length)
{
	bool is_own = !v->nr_ticks;

	if (is_own)
		add_own_ticks(v, length);
	v->is_rotated = v->scale == SCALE_RANK && !v->is_y && !names_fit(v, length);
	if (is_own && v->scale == SCALE_LOG10 && v->hi / v->lo > 100 && !labels_fit(v, length))
		keep_decades(v);
	if (!is_own && !labels_fit(v, length) && v->nr_ticks > 2 && is_even(v))
		thin_evenly(v, length);
	thin_labels(v, length);
}

double axis_view_label_room(const struct axis_view *v)
{
	size_t longest = 0;

	for (size_t i = 0; i < v->nr_ticks; i++) {
		size_t width = text_width(v->tick[i].label);

		longest = width > longest ? width : longest;
	}
	if (v->is_y)
		return CHAR_WIDTH * (double)longest;
	return v->is_rotated ? 0.62 * CHAR_WIDTH * (double)longest + LINE_HEIGHT : LINE_HEIGHT;
}
