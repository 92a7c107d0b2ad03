/* SPDX-License-Identifier: MIT */
#include "report/chart_axis.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/units.h"
#include "report/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Names that are the same up to here are told apart by the numbers of their runs. */
#define NAME_CHARS 24

const struct chart_axis_kind chart_axes[CHART_AXIS_NR] = {
	[CHART_BY_RW] = {"rw", NULL, "pattern", "pattern of access", "", SCALE_RANK, true},
	[CHART_BY_RWMIXREAD] = {"rwmixread", NULL, "share of reads", "reads (% of the I/Os)",
				"reads ", SCALE_LINEAR, true},
	[CHART_BY_RANDOM] = {"random", "random_pct", "share of random I/O",
			     "random I/Os (% of all)", "random ", SCALE_LINEAR, true},
	[CHART_BY_BS] = {"bs", NULL, "block size", "block size (bytes, log scale)", "", SCALE_LOG2,
			 true},
	[CHART_BY_SPAN] = {"span", NULL, "span", "span (bytes, log scale)", "span ", SCALE_LOG2,
			   true},
	[CHART_BY_OFFSET] = {"offset", NULL, "offset", "offset of the span (bytes)", "offset ",
			     SCALE_RANK, true},
	[CHART_BY_WORKERS] = {"workers", NULL, "workers", "workers (log scale)", "workers ",
			      SCALE_LOG2, true},
	[CHART_BY_IODEPTH] = {"iodepth", NULL, "iodepth",
			      "iodepth (I/Os in flight over all workers, log scale)", "iodepth ",
			      SCALE_LOG2, true},
	[CHART_BY_RATE] = {"rate", NULL, "offered load", "offered load (IOPS)", "rate ",
			   SCALE_LINEAR, false},
	[CHART_BY_RUN] = {"target", "run", "target", "target", "", SCALE_RANK, true},
	[CHART_BY_IOPS] = {"iops", NULL, "achieved IOPS", "achieved IOPS", "", SCALE_LINEAR, false},
};

int chart_axis_parse(const char *name, enum chart_axis *axis, struct err *e)
{
	for (enum chart_axis a = 0; a < CHART_AXIS_NR; a++) {
		const struct chart_axis_kind *k = &chart_axes[a];

		if (strcmp(k->name, name) != 0 && (!k->alias || strcmp(k->alias, name) != 0))
			continue;
		*axis = a;
		return 0;
	}
	return err_set(e, ERR_USAGE,
		       "'%s' is no axis: use rw, bs, iodepth, span, offset, rwmixread, random, "
		       "workers, rate or target",
		       name);
}

double chart_axis_key(enum chart_axis axis, const struct chart_sample *s)
{
	const struct point_spec *p = &s->row->spec;

	switch (axis) {
	case CHART_BY_RW:
		return p->rw;
	case CHART_BY_RWMIXREAD:
		return p->rwmixread_pct;
	case CHART_BY_RANDOM:
		return p->random_pct;
	case CHART_BY_BS:
		return (double)p->bs_bytes;
	case CHART_BY_SPAN:
		/* The same share of targets of different size is one value, before all bytes. */
		return p->span_e4 ? (double)p->span_e4 / (2.0 * UNITS_100_PERCENT)
				  : (double)p->span_bytes;
	case CHART_BY_OFFSET:
		return (double)p->offset_bytes;
	case CHART_BY_WORKERS:
		return p->workers;
	case CHART_BY_IODEPTH:
		return p->iodepth;
	case CHART_BY_RATE:
		return p->rate_e4 ? (double)p->rate_e4 / (2.0 * UNITS_100_PERCENT)
				  : (double)p->rate_ask_iops;
	case CHART_BY_RUN:
		return (double)s->run_index;
	case CHART_BY_IOPS:
	case CHART_AXIS_NR:
		break;
	}
	return 0;
}

double chart_axis_place(enum chart_axis axis, const struct chart_sample *s)
{
	double v;

	if (axis == CHART_BY_RATE)
		return s->rate_iops;
	if (axis == CHART_BY_IOPS)
		return s->iops.at;
	v = axis == CHART_BY_SPAN ? (double)s->row->spec.span_bytes : chart_axis_key(axis, s);
	return chart_axes[axis].scale == SCALE_LOG2 && !(v > 0) ? UNKNOWN : v;
}

static void add_span(struct buf *b, const struct point_spec *s)
{
	struct point_spec p = *s;

	p.offset_bytes = 0;
	buf_add_span(b, &p);
}

void chart_axis_add_value(struct buf *b, enum chart_axis axis, const struct report *r,
			  const struct chart_sample *s)
{
	const struct point_spec *p = &s->row->spec;

	switch (axis) {
	case CHART_BY_RW:
		buf_addstr(b, rw_name(p->rw));
		break;
	case CHART_BY_RWMIXREAD:
		buf_addf(b, "%u%%", p->rwmixread_pct);
		break;
	case CHART_BY_RANDOM:
		buf_addf(b, "%u%%", p->random_pct);
		break;
	case CHART_BY_BS:
		buf_add_size(b, p->bs_bytes);
		break;
	case CHART_BY_SPAN:
		add_span(b, p);
		break;
	case CHART_BY_OFFSET:
		buf_add_size(b, p->offset_bytes);
		break;
	case CHART_BY_WORKERS:
		buf_addf(b, "%u", p->workers);
		break;
	case CHART_BY_IODEPTH:
		buf_addf(b, "%u", p->iodepth);
		break;
	case CHART_BY_RATE:
		if (point_is_open(p))
			buf_add_rate(b, p);
		else
			buf_addstr(b, "none");
		break;
	case CHART_BY_RUN:
		chart_add_run_name(b, r, s->run_index);
		break;
	case CHART_BY_IOPS:
		format_iops(b, s->iops.at);
		break;
	case CHART_AXIS_NR:
		break;
	}
}

void chart_axis_add_named(struct buf *b, enum chart_axis axis, const struct report *r,
			  const struct chart_sample *s)
{
	buf_addstr(b, chart_axes[axis].before);
	chart_axis_add_value(b, axis, r, s);
}

/* ---- several axes ---- */

static double key_of(enum chart_axis a, const struct point_spec *spec)
{
	struct point p = {.spec = *spec};

	return chart_axis_key(a, &(struct chart_sample){.row = &p});
}

unsigned chart_axes_differing(const struct point_spec *a, const struct point_spec *b)
{
	unsigned axes = 0;

	for (enum chart_axis x = 0; x < CHART_BY_RUN; x++)
		if (key_of(x, a) != key_of(x, b))
			axes |= CHART_AXIS_BIT(x);
	return axes;
}

static bool is_implied(enum chart_axis axis, const struct point_spec *s)
{
	return (axis == CHART_BY_RWMIXREAD && !rw_is_mixed(s->rw)) ||
	       (axis == CHART_BY_RANDOM && !rw_is_random(s->rw));
}

bool chart_axis_is_usual(enum chart_axis axis, const struct point_spec *s)
{
	switch (axis) {
	case CHART_BY_RANDOM:
		return is_implied(axis, s) || s->random_pct == 100;
	case CHART_BY_OFFSET:
		return !s->offset_bytes;
	case CHART_BY_WORKERS:
		return s->workers == 1;
	case CHART_BY_RATE:
		return !point_is_open(s);
	default:
		return is_implied(axis, s);
	}
}

void chart_axes_add(struct buf *b, unsigned axes, const struct point_spec *s, bool is_brief)
{
	struct point p = {.spec = *s};
	struct chart_sample sample = {.row = &p};
	const char *sep = "";

	for (enum chart_axis a = 0; a < CHART_BY_RUN; a++) {
		if (!(axes & CHART_AXIS_BIT(a)) || is_implied(a, s) ||
		    (is_brief && chart_axis_is_usual(a, s)))
			continue;
		buf_addstr(b, sep);
		chart_axis_add_named(b, a, NULL, &sample);
		sep = " ";
	}
}

void chart_axes_add_short(struct buf *b, unsigned axes, const struct point_spec *s)
{
	static const char *const before[CHART_AXIS_NR] = {
		[CHART_BY_OFFSET] = "@", [CHART_BY_WORKERS] = "w", [CHART_BY_IODEPTH] = "d"};
	struct point p = {.spec = *s};
	struct chart_sample sample = {.row = &p};
	const char *sep = "";

	for (enum chart_axis a = 0; a < CHART_BY_RUN; a++) {
		if (!(axes & CHART_AXIS_BIT(a)) || is_implied(a, s))
			continue;
		buf_addf(b, "%s%s", sep, before[a] ? before[a] : "");
		sep = " ";
		if (a == CHART_BY_RWMIXREAD)
			buf_addf(b, "%ur", s->rwmixread_pct);
		else if (a == CHART_BY_RANDOM)
			buf_addf(b, "%urand", s->random_pct);
		else
			chart_axis_add_value(b, a, NULL, &sample);
	}
}

/* ---- names of runs ---- */

static bool is_same(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

/* Whether another target has the same label. */
static bool is_ambiguous(const struct report *r, const struct run_info *info)
{
	for (size_t i = 0; i < r->nr_runs; i++) {
		const struct run_info *other = r->runs[i].info;

		if (is_same(other->target_label, info->target_label) &&
		    !is_same(other->target_identity, info->target_identity) &&
		    !is_same(other->target_given, info->target_given))
			return true;
	}
	return false;
}

static const char *base_name(const struct report *r, size_t run)
{
	const struct run_info *info = r->runs[run].info;
	const char *const names[] = {is_ambiguous(r, info) ? NULL : info->target_label,
				     info->target_given, info->sweep_name};

	for (size_t i = 0; i < NR(names); i++)
		if (names[i] && *names[i])
			return names[i];
	return "run";
}

void chart_add_run_name(struct buf *b, const struct report *r, size_t run)
{
	const char *name = base_name(r, run);
	struct buf mine = BUF_INIT, other = BUF_INIT;
	bool is_shared = false;

	buf_add_clean(&mine, name, NAME_CHARS);
	for (size_t i = 0; i < r->nr_runs && !is_shared; i++) {
		buf_reset(&other);
		buf_add_clean(&other, base_name(r, i), NAME_CHARS);
		is_shared = i != run && is_same(buf_text(&mine), buf_text(&other));
	}
	if (is_shared)
		buf_addf(b, "run %" PRId64 ": ", r->runs[run].info->id);
	buf_addstr(b, name);
	buf_release(&mine);
	buf_release(&other);
}

/* ---- levels ---- */

void chart_levels_find(struct chart_levels *l, enum chart_axis axis,
		       const struct chart_sample *const *v, size_t nr)
{
	*l = (struct chart_levels){.v = xcalloc(nr + 1, sizeof(*l->v))};
	for (size_t i = 0; i < nr; i++) {
		double key = chart_axis_key(axis, v[i]);
		size_t at = l->nr;

		while (at > 0 && chart_axis_key(axis, l->v[at - 1]) > key)
			at--;
		if (at > 0 && chart_axis_key(axis, l->v[at - 1]) >= key)
			continue;
		memmove(l->v + at + 1, l->v + at, (l->nr - at) * sizeof(*l->v));
		l->v[at] = v[i];
		l->nr++;
	}
}

void chart_levels_release(struct chart_levels *l)
{
	free(l->v);
	*l = (struct chart_levels){0};
}

size_t chart_levels_at(const struct chart_levels *l, enum chart_axis axis,
		       const struct chart_sample *s)
{
	double key = chart_axis_key(axis, s);
	size_t i = 0;

	while (i + 1 < l->nr && chart_axis_key(axis, l->v[i]) < key)
		i++;
	return i;
}
