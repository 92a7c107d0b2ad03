/* SPDX-License-Identifier: MIT */
#include "analyze/curve.h"

#include "analyze/repeats.h"
#include "base/mem.h"
#include "base/num.h"

#include <stdlib.h>

/* Of a knee. */
#define MIN_POINTS 3

static int compare_rows(const void *a, const void *b)
{
	const struct point *p = *(const struct point *const *)a;
	const struct point *q = *(const struct point *const *)b;
	int c = point_spec_compare(&p->spec, &q->spec);

	if (c)
		return c;
	/* The order given decides between equals, so that the result never depends on qsort. */
	return (p > q) - (p < q);
}

/* Points of one run come in this order already. */
static void sort_rows(const struct point **row, size_t nr)
{
	size_t i = 1;

	while (i < nr && compare_rows(&row[i - 1], &row[i]) < 0)
		i++;
	if (i < nr)
		qsort(row, nr, sizeof(*row), compare_rows);
}

/* Few curves have any. */
static void add_stalled(struct curve *c, size_t begin, size_t end, flag_set accepted)
{
	struct curve_point pt;

	if (!repeats_merge(c->row + begin, end - begin, DIR_TOTAL, accepted | FLAG_BIT(FLAG_STALL),
			   &pt))
		return;
	if (!c->stalled)
		c->stalled = xcalloc(c->nr_rows, sizeof(*c->stalled));
	c->stalled[c->nr_stalled++] = pt;
}

static void fill_points(struct curve *c, flag_set accepted)
{
	size_t end;

	for (size_t i = 0; i < c->nr_rows; i = end) {
		for (end = i + 1; end < c->nr_rows; end++)
			if (c->row[end]->spec.iodepth != c->row[i]->spec.iodepth)
				break;
		if (repeats_merge(c->row + i, end - i, DIR_TOTAL, accepted, &c->pt[c->nr]))
			c->nr++;
		else
			add_stalled(c, i, end, accepted);
	}
}

static struct curve_anchor compare_anchor(const struct curve *c, const struct point *again,
					  flag_set accepted)
{
	const struct curve_point *pt = curve_at_depth(c, again->spec.iodepth);
	struct curve_anchor a = {again, UNKNOWN, false};
	struct figures first;

	if (!pt)
		return a;
	a.iops_first = pt->iops;
	figures_clear(&first);
	first.iops = pt->iops;
	first.iops_se_rel = pt->se_rel;
	a.differs = repeats_usable(again, DIR_TOTAL, accepted) &&
		    figures_differ(&first, &again->dir[DIR_TOTAL]);
	return a;
}

/* A curve of row[0..nr), with room for as many points at pt. Its rows stay where they are, in front of the
 * anchors, which are the last of each depth. */
static struct curve curve_of(const struct point **row, size_t nr, struct curve_point *pt,
			     flag_set accepted)
{
	struct curve c = {.spec = row[0]->spec, .row = row, .pt = pt};
	const struct point *anchor[CURVE_MAX_ANCHORS];

	c.spec.is_anchor = false;
	for (size_t i = 0; i < nr; i++) {
		if (!row[i]->spec.is_anchor)
			c.row[c.nr_rows++] = row[i];
		else if (c.nr_anchors < CURVE_MAX_ANCHORS)
			anchor[c.nr_anchors++] = row[i];
	}
	fill_points(&c, accepted);
	for (size_t i = 0; i < c.nr_anchors; i++)
		c.anchor[i] = compare_anchor(&c, anchor[i], accepted);
	return c;
}

void curves_build(const struct point *points, size_t nr_points, flag_set accepted,
		  struct curve **out, size_t *nr)
{
	const struct point **sorted = xcalloc(nr_points + 1, sizeof(*sorted));
	struct curve_point *pt;
	struct curve *curves = NULL;
	size_t nr_closed = 0, cap = 0, end;

	*nr = 0;
	for (size_t i = 0; i < nr_points; i++)
		if (!point_is_open(&points[i].spec))
			sorted[nr_closed++] = &points[i];
	sort_rows(sorted, nr_closed);
	pt = xcalloc(nr_closed, sizeof(*pt));
	for (size_t i = 0; i < nr_closed; i = end) {
		for (end = i + 1; end < nr_closed; end++)
			if (!point_same_curve(&sorted[i]->spec, &sorted[end]->spec))
				break;
		VEC_GROW(curves, *nr, cap);
		curves[(*nr)++] = curve_of(sorted + i, end - i, pt + i, accepted);
	}
	if (!*nr) {
		free(sorted);
		free(pt);
	}
	*out = curves;
}

void curves_free(struct curve *curves, size_t nr)
{
	/* The arrays of the first curve are those of all. */
	if (nr) {
		free(curves[0].row);
		free(curves[0].pt);
	}
	for (size_t i = 0; i < nr; i++)
		free(curves[i].stalled);
	free(curves);
}

size_t curve_anchor_depths(const struct curve *c, uint32_t depth[CURVE_MAX_ANCHORS])
{
	size_t peak = 0, nr = 0;

	if (c->nr < MIN_POINTS)
		return 0;
	for (size_t i = 1; i < c->nr; i++)
		if (c->pt[i].iops > c->pt[peak].iops)
			peak = i;
	depth[nr++] = c->pt[0].iodepth;
	if (peak)
		depth[nr++] = c->pt[peak].iodepth;
	return nr;
}

const struct curve_point *curve_at_depth(const struct curve *c, uint32_t iodepth)
{
	size_t low = 0, high = c->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (c->pt[mid].iodepth == iodepth)
			return &c->pt[mid];
		if (c->pt[mid].iodepth < iodepth)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}
