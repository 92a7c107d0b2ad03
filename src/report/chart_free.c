/* SPDX-License-Identifier: MIT */
#include "report/chart_free_draw.h"

#include "base/mem.h"
#include "base/num.h"
#include "report/chart_group.h"
#include "report/chart_parts.h"
#include "report/format.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PANELS 4 /* beside each other */

/* ---- keys ---- */

static bool is_chosen(const struct chart_choice *c, enum chart_axis axis)
{
	return c->x == axis || c->series == axis || c->panel == axis;
}

double chart_free_key(const struct chart_choice *c, enum chart_axis axis,
		      const struct chart_sample *s)
{
	const struct point_spec *p = &s->row->spec;

	/* The share of reads tells reads, writes and mixes apart, so that they can be one curve. */
	if (axis == CHART_BY_RW && is_chosen(c, CHART_BY_RWMIXREAD))
		return rw_is_random(p->rw);
	if (axis == CHART_BY_RWMIXREAD && !rw_is_mixed(p->rw) && !is_chosen(c, axis))
		return -1;
	if (axis == CHART_BY_RANDOM && !rw_is_random(p->rw) && !is_chosen(c, axis))
		return 100;
	/* A response curve goes along its depths or loads. */
	if (c->x == CHART_BY_IOPS && axis == CHART_BY_IODEPTH && !is_chosen(c, axis) &&
	    !point_is_open(p))
		return 0;
	if (c->x == CHART_BY_IOPS && axis == CHART_BY_RATE && !is_chosen(c, axis))
		return point_is_open(p);
	return chart_axis_key(axis, s);
}

void chart_free_add_named(struct buf *b, const struct chart_free *f, enum chart_axis axis,
			  const struct chart_sample *s)
{
	if (axis == CHART_BY_RW && is_chosen(f->choice, CHART_BY_RWMIXREAD))
		buf_addstr(b, rw_is_random(s->row->spec.rw) ? "random" : "sequential");
	else
		chart_axis_add_named(b, axis, f->report, s);
}

/* Whether two samples differ in this axis; of axes that a pattern implies, two of one pattern. */
static bool is_varying(const struct chart_choice *c, enum chart_axis axis,
		       const struct chart_sample *const *v, size_t nr)
{
	bool is_implied = axis == CHART_BY_RWMIXREAD || axis == CHART_BY_RANDOM;
	const struct chart_sample *first[RW_NR] = {NULL};

	for (size_t i = 0; i < nr; i++) {
		const struct chart_sample **of = &first[is_implied ? v[i]->row->spec.rw : 0];

		if (!*of)
			*of = v[i];
		else if (chart_free_key(c, axis, v[i]) != chart_free_key(c, axis, *of))
			return true;
	}
	return false;
}

unsigned chart_free_splits(const struct chart_free *f, const struct chart_sample *const *v,
			   size_t nr)
{
	unsigned splits = 0;

	for (enum chart_axis a = 0; a < CHART_BY_IOPS; a++)
		if (!is_chosen(f->choice, a) && is_varying(f->choice, a, v, nr))
			splits |= CHART_AXIS_BIT(a);
	return splits;
}

struct order {
	const struct chart_choice *choice;
	unsigned splits;
};

static int compare_keys(const struct chart_choice *c, enum chart_axis axis,
			const struct chart_sample *a, const struct chart_sample *b)
{
	double p, q;

	if (axis == CHART_AXIS_NR)
		return 0;
	p = chart_free_key(c, axis, a);
	q = chart_free_key(c, axis, b);
	return (p > q) - (p < q);
}

static int compare_splits(const struct chart_choice *c, unsigned splits,
			  const struct chart_sample *a, const struct chart_sample *b)
{
	int rc = 0;

	for (enum chart_axis axis = 0; !rc && axis < CHART_BY_IOPS; axis++)
		if (splits & CHART_AXIS_BIT(axis))
			rc = compare_keys(c, axis, a, b);
	return rc;
}

static int compare_places(enum chart_axis x, const struct chart_sample *a,
			  const struct chart_sample *b)
{
	double p = chart_axis_place(x, a), q = chart_axis_place(x, b);

	return (p > q) - (p < q);
}

static int compare_samples(const void *a, const void *b, void *arg)
{
	const struct chart_sample *p = *(const struct chart_sample *const *)a;
	const struct chart_sample *q = *(const struct chart_sample *const *)b;
	const struct order *o = arg;
	const struct chart_choice *c = o->choice;
	int rc = compare_splits(c, o->splits, p, q);

	rc = rc ? rc : compare_keys(c, c->panel, p, q);
	rc = rc ? rc : compare_keys(c, c->series, p, q);
	if (!rc && c->x != CHART_BY_IOPS)
		rc = compare_places(c->x, p, q);
	rc = rc ? rc : point_spec_compare(&p->row->spec, &q->row->spec);
	return rc ? rc : (p > q) - (p < q);
}

/* ---- figures ---- */

static struct chart_value scaled(struct chart_value v, double factor)
{
	return (struct chart_value){v.at * factor, v.low * factor, v.high * factor};
}

static bool is_lat(enum chart_figure f)
{
	return f >= CHART_Y_MEAN && f <= CHART_Y_P999;
}

/* Which latency, of the figures that are one. */
static const enum lat_stat stats[CHART_Y_NR] = {
	[CHART_Y_MEAN] = LAT_MEAN, [CHART_Y_P50] = LAT_P50, [CHART_Y_P90] = LAT_P90,
	[CHART_Y_P95] = LAT_P95,   [CHART_Y_P99] = LAT_P99, [CHART_Y_P999] = LAT_P999,
};

static struct chart_value raw_value(enum chart_figure f, const struct chart_sample *s)
{
	switch (f) {
	case CHART_Y_IOPS:
		return s->iops;
	case CHART_Y_MIB:
		return s->mib_s;
	case CHART_Y_UTIL:
		return (struct chart_value){s->util_pct, UNKNOWN, UNKNOWN};
	case CHART_Y_CPU:
		return (struct chart_value){s->cpu_pct, UNKNOWN, UNKNOWN};
	default:
		return scaled(s->lat_ns[stats[f]], 1e-6);
	}
}

struct chart_value chart_free_value(enum chart_figure f, const struct chart_sample *s)
{
	struct chart_value v = raw_value(f, s);

	/* 0 has no place on a log axis. */
	if (chart_figures[f].scale == SCALE_LOG10 && !(v.at > 0))
		return (struct chart_value){UNKNOWN, UNKNOWN, UNKNOWN};
	return v;
}

enum cell_kind chart_free_kind(const struct chart_choice *c, enum chart_figure f,
			       const struct chart_sample *s)
{
	/* Where IOPS are the other axis, they are not those of the device at work. */
	return f >= CHART_Y_P50 && f <= CHART_Y_P999 && c->x != CHART_BY_IOPS ? s->pct_kind
									      : s->kind;
}

/* ---- names ---- */

static void add_safe(struct buf *b, const char *s)
{
	for (; *s; s++) {
		if (*s == '%')
			buf_addstr(b, "pct");
		else
			buf_addch(b, isalnum((unsigned char)*s) || *s == '.' ? *s : '-');
	}
}

static void add_choice_name(struct buf *b, const struct chart_choice *c)
{
	buf_addf(b, "x-%s", chart_axes[c->x].name);
	if (c->series < CHART_AXIS_NR)
		buf_addf(b, "-series-%s", chart_axes[c->series].name);
	if (c->panel < CHART_AXIS_NR)
		buf_addf(b, "-panel-%s", chart_axes[c->panel].name);
	for (size_t i = 0; !c->is_y_usual && i < c->nr_y; i++)
		buf_addf(b, "%s%s", i ? "-" : "-y-", chart_figures[c->y[i]].name);
}

static char *picture_name(const struct chart_free *f, const struct chart_free_part *t)
{
	struct buf b = BUF_INIT, value = BUF_INIT;

	if (f->name)
		buf_addstr(&b, f->name);
	else
		add_choice_name(&b, f->choice);
	for (enum chart_axis a = 0; a < CHART_BY_IOPS; a++) {
		if (!(t->splits & CHART_AXIS_BIT(a)))
			continue;
		if (a == CHART_BY_RUN) {
			buf_addf(&b, "-run%" PRId64, t->v[0]->run->info->id);
			continue;
		}
		buf_addf(&b, "-%s", *chart_axes[a].before ? "" : chart_axes[a].name);
		buf_addstr(&b, *chart_axes[a].before ? "" : "-");
		chart_free_add_named(&value, f, a, t->v[0]);
		add_safe(&b, buf_text(&value));
		buf_reset(&value);
	}
	if (t->nr_parts > 1)
		buf_addf(&b, "-%zu", t->part + 1);
	buf_release(&value);
	return buf_detach(&b);
}

/* ---- drawing ---- */

static size_t nr_levels(const struct chart_levels *l)
{
	return l->nr ? l->nr : 1;
}

static size_t level_at(const struct chart_levels *l, enum chart_axis axis,
		       const struct chart_sample *s)
{
	return l->nr ? chart_levels_at(l, axis, s) : 0;
}

bool chart_free_holds(const struct chart_choice *c, const struct chart_free_part *t,
		      const struct chart_sample *s)
{
	size_t panel = level_at(&t->panels, c->panel, s),
	       curve = level_at(&t->curves, c->series, s);

	return panel >= t->first_panel && panel < t->end_panel && curve >= t->first_curve &&
	       curve < t->end_curve;
}

static double place_of(const struct chart_free *f, const struct chart_free_part *t,
		       const struct chart_sample *s)
{
	enum chart_axis x = f->choice->x;

	if (chart_axes[x].scale == SCALE_RANK)
		return (double)chart_levels_at(&t->places, x, s);
	return chart_axis_place(x, s);
}

static void draw_cell(struct series *out, double x, const struct chart_free *f, enum chart_figure y,
		      const struct chart_sample *s)
{
	struct chart_value v = chart_free_value(y, s);
	struct cell *c = series_add(out, chart_free_kind(f->choice, y, s), x, v.at);

	c->y_low = v.low;
	c->y_high = v.high;
	if (f->choice->x == CHART_BY_IOPS) {
		c->x_low = s->iops.low;
		c->x_high = s->iops.high;
	}
}

static void draw_curve(struct panel *p, const struct chart_free *f, const struct chart_free_part *t,
		       enum chart_figure y, size_t panel, size_t curve)
{
	const struct chart_choice *c = f->choice;
	bool is_of_classes = c->x == CHART_BY_RW || c->x == CHART_BY_RUN;
	struct series *s = NULL;

	for (size_t i = 0; i < t->nr; i++) {
		if (level_at(&t->panels, c->panel, t->v[i]) != panel ||
		    level_at(&t->curves, c->series, t->v[i]) != curve)
			continue;
		if (!s) {
			s = panel_add_series(p, is_of_classes ? LOOK_BARS : LOOK_CURVE);
			s->color = 1 + (unsigned)(curve % PICTURE_MAX_SERIES);
			if (c->series < CHART_AXIS_NR)
				chart_axis_add_named(&s->name, c->series, f->report, t->v[i]);
		}
		draw_cell(s, place_of(f, t, t->v[i]), f, y, t->v[i]);
	}
}

static void add_ticks(struct panel *p, const struct chart_free *f, const struct chart_free_part *t)
{
	enum chart_axis x = f->choice->x;
	struct buf label = BUF_INIT;

	for (size_t i = 0; chart_axes[x].has_ticks && i < t->places.nr; i++) {
		chart_axis_add_value(&label, x, f->report, t->places.v[i]);
		axis_add_tick(&p->x, place_of(f, t, t->places.v[i]), buf_text(&label));
		buf_reset(&label);
	}
	buf_release(&label);
}

/* The scales of all samples of the group, and of its like in other runs. */
static void cover(struct panel *p, const struct chart_free *f, const struct chart_free_part *t,
		  enum chart_figure y, const struct chart_sample *const *all, size_t nr)
{
	unsigned splits = t->splits & ~CHART_AXIS_BIT(CHART_BY_RUN);

	for (size_t i = 0; i < nr; i++) {
		struct chart_value v = chart_free_value(y, all[i]);

		if (compare_splits(f->choice, splits, all[i], t->v[0]))
			continue;
		axis_cover(&p->y, v.at);
		axis_cover(&p->y, v.low);
		axis_cover(&p->y, v.high);
		if (chart_axes[f->choice->x].scale != SCALE_RANK)
			axis_cover(&p->x, chart_axis_place(f->choice->x, all[i]));
	}
	for (size_t i = 0; chart_axes[f->choice->x].scale == SCALE_RANK && i < t->places.nr; i++)
		axis_cover(&p->x, (double)i);
}

static void draw_panel(struct panel *p, const struct chart_free *f, const struct chart_free_part *t,
		       enum chart_figure y, size_t panel)
{
	enum chart_axis x = f->choice->x;

	p->x.title = chart_axes[x].title;
	p->x.scale = chart_axes[x].scale;
	p->y.title = chart_figures[y].title;
	p->y.scale = chart_figures[y].scale;
	/* One panel needs no name of its own: the subtitle has it. */
	if (t->panels.nr > 1 && y == f->choice->y[0])
		chart_axis_add_named(&p->title, f->choice->panel, f->report, t->panels.v[panel]);
	add_ticks(p, f, t);
	for (size_t curve = t->first_curve; curve < t->end_curve; curve++)
		draw_curve(p, f, t, y, panel, curve);
	/* A cap is a line only where its latency is the axis. */
	for (size_t i = 0; is_lat(y) && i < t->nr; i++)
		if (i == 0 || t->v[i]->run != t->v[i - 1]->run)
			chart_add_stat_rules(p, t->v[i]->run, stats[y]);
}

static void draw_part(struct charts *out, const struct chart_free *f,
		      const struct chart_free_part *t, const struct chart_sample *const *all,
		      size_t nr)
{
	const struct chart_choice *c = f->choice;
	struct picture *p = charts_add(out, picture_name(f, t), (unsigned)c->nr_y,
				       (unsigned)(t->end_panel - t->first_panel));

	if (c->x == CHART_BY_RATE)
		p->limited_title = "not sustained";
	chart_free_title(p, f, t);
	for (unsigned row = 0; row < c->nr_y; row++) {
		for (size_t i = t->first_panel; i < t->end_panel; i++) {
			struct panel *panel = picture_panel(p, row, (unsigned)(i - t->first_panel));

			draw_panel(panel, f, t, c->y[row], i);
			cover(panel, f, t, c->y[row], all, nr);
		}
	}
	chart_free_caption(p, f, t);
}

/* The i-th of nr even shares of all. */
static size_t share_begin(size_t all, size_t i, size_t nr)
{
	return i * all / nr;
}

static void draw_group(struct charts *out, const struct chart_free *f, struct chart_free_part *t,
		       const struct chart_sample *const *all, size_t nr)
{
	size_t nr_panels = nr_levels(&t->panels), nr_curves = nr_levels(&t->curves);
	size_t across = chart_share_count(nr_panels, MAX_PANELS);
	size_t down = chart_share_count(nr_curves, PICTURE_MAX_SERIES);

	t->nr_parts = across * down;
	for (t->part = 0; t->part < t->nr_parts; t->part++) {
		size_t i = t->part / down, k = t->part % down;

		t->first_panel = share_begin(nr_panels, i, across);
		t->end_panel = share_begin(nr_panels, i + 1, across);
		t->first_curve = share_begin(nr_curves, k, down);
		t->end_curve = share_begin(nr_curves, k + 1, down);
		draw_part(out, f, t, all, nr);
	}
}

static bool has_several_runs(const struct chart_free_part *t)
{
	for (size_t i = 1; i < t->nr; i++)
		if (t->v[i]->run_index != t->v[0]->run_index)
			return true;
	return false;
}

void chart_free_draw(struct charts *out, const struct chart_free *f, const struct chart_sample **v,
		     size_t nr)
{
	const struct chart_choice *c = f->choice;
	struct order order = {c, chart_free_splits(f, v, nr)};

	qsort_r(v, nr, sizeof(*v), compare_samples, &order);
	for (size_t i = 0, n; i < nr; i += n) {
		struct chart_free_part t = {.v = v + i, .splits = order.splits};

		for (n = 1; i + n < nr; n++)
			if (compare_splits(c, order.splits, v[i], v[i + n]))
				break;
		t.nr = n;
		if (f->is_of_several_runs && !has_several_runs(&t))
			continue;
		chart_levels_find(&t.places, c->x, t.v, n);
		if (c->panel < CHART_AXIS_NR)
			chart_levels_find(&t.panels, c->panel, t.v, n);
		if (c->series < CHART_AXIS_NR)
			chart_levels_find(&t.curves, c->series, t.v, n);
		draw_group(out, f, &t, v, nr);
		chart_levels_release(&t.places);
		chart_levels_release(&t.panels);
		chart_levels_release(&t.curves);
	}
}

/* ---- which samples ---- */

/* Whether the axis has a place for such points at all, measured or not. */
static bool has_place(enum chart_axis x, const struct chart_sample *s)
{
	if (x == CHART_BY_RATE)
		return point_is_open(&s->row->spec);
	return x == CHART_BY_IOPS || !isnan(chart_axis_place(x, s));
}

int chart_draw_free(struct charts *out, const struct report *r, const struct chart_choice *c,
		    struct err *e)
{
	struct chart_free f = {.report = r, .choice = c};
	struct chart_samples s;
	const struct chart_sample **v;
	size_t nr = 0;

	chart_samples_take(r, &s);
	v = xcalloc(s.nr + 1, sizeof(*v));
	for (size_t i = 0; i < s.nr; i++)
		if (has_place(c->x, &s.v[i]))
			v[nr++] = &s.v[i];
	chart_free_draw(out, &f, v, nr);
	free(v);
	chart_samples_release(&s);
	if (nr)
		return 0;
	return err_set(e, ERR_DATA, "no point of these runs has a place on the axis '%s'",
		       chart_axes[c->x].name);
}
