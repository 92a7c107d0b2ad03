/* SPDX-License-Identifier: MIT */
#include "analyze/response.h"

#include "analyze/repeats.h"
#include "base/mem.h"
#include "base/num.h"

#include <stdlib.h>

/* Milliseconds from a text are no exact binary numbers; the same latency must stay equal. */
#define ROUNDING 1e-9

/* By load within a curve; a point that was never offered one is the last. */
static int compare_rows(const void *a, const void *b)
{
	const struct point *p = *(const struct point *const *)a;
	const struct point *q = *(const struct point *const *)b;
	double x = isnan(p->rate_iops) ? (double)INFINITY : p->rate_iops;
	double y = isnan(q->rate_iops) ? (double)INFINITY : q->rate_iops;

	if (point_same_curve(&p->spec, &q->spec) && (x < y || x > y))
		return x < y ? -1 : 1;
	return point_spec_compare(&p->spec, &q->spec);
}

static bool is_usable(const struct point *p, flag_set accepted)
{
	return point_is_valid(p, accepted) && p->dir[DIR_TOTAL].iops > 0 && p->rate_iops > 0;
}

/* Of one load: mean IOPS, latency weighted by completions; percentiles as of a single repeat. */
static void add_repeat(struct response_point *pt, const struct point *row, double *nr, double *ios)
{
	const struct figures *f = &row->dir[DIR_TOTAL];
	/* Tables without counts: the repeats of a point last equally long. */
	double weight = f->ios > 0 ? f->ios : f->iops;
	double sum = pt->lat_ns[LAT_MEAN] * *ios + f->lat_mean_ns * weight;

	pt->iops = (pt->iops * *nr + f->iops) / (*nr + 1);
	++*nr;
	*ios += weight;
	for (enum lat_stat s = 0; s < LAT_STAT_NR; s++)
		pt->lat_ns[s] = s == LAT_MEAN ? sum / *ios : figures_lat_ns(f, s);
	pt->is_sustained &= !(row->flags & FLAG_BIT(FLAG_RATE_MISSED));
	pt->is_late |= (row->flags & FLAG_BIT(FLAG_LATE_SUBMIT)) != 0;
}

/* One load from the usable rows among row[0..nr), which have the same. */
static bool merge_repeats(const struct point **row, size_t nr_rows, flag_set accepted,
			  struct response_point *pt)
{
	const struct point **usable = xcalloc(nr_rows, sizeof(*usable));
	double nr = 0, ios = 0;
	size_t nr_usable = 0;

	*pt = (struct response_point){.row = row[0], .is_sustained = true};
	for (size_t i = 0; i < nr_rows; i++) {
		if (!is_usable(row[i], accepted))
			continue;
		usable[nr_usable++] = row[i];
		pt->rate_iops = row[i]->rate_iops;
		add_repeat(pt, row[i], &nr, &ios);
	}
	if (nr_usable > 1)
		repeats_percentiles(usable, nr_usable, pt->lat_ns);
	free(usable);
	return nr_usable > 0;
}

static void find_limit(struct response *r)
{
	/* Up to the first that was missed: a higher one that was not is luck, or another load. */
	for (size_t i = 0; i < r->nr && !r->missed; i++) {
		if (r->pt[i].is_sustained)
			r->sustained = &r->pt[i];
		else
			r->missed = &r->pt[i];
	}
}

static struct response response_of(const struct point **row, size_t nr, flag_set accepted)
{
	struct response r = {.spec = row[0]->spec, .nr_rows = nr};
	size_t end;

	r.row = xcalloc(nr, sizeof(*r.row));
	r.pt = xcalloc(nr, sizeof(*r.pt));
	for (size_t i = 0; i < nr; i++)
		r.row[i] = row[i];
	for (size_t i = 0; i < nr; i = end) {
		for (end = i + 1; end < nr; end++)
			if (!(row[end]->rate_iops <= row[i]->rate_iops))
				break;
		if (merge_repeats(row + i, end - i, accepted, &r.pt[r.nr]))
			r.nr++;
	}
	find_limit(&r);
	return r;
}

void responses_build(const struct point *points, size_t nr_points, flag_set accepted,
		     struct response **out, size_t *nr)
{
	const struct point **sorted = xcalloc(nr_points + 1, sizeof(*sorted));
	struct response *responses = NULL;
	size_t nr_open = 0, cap = 0, end;

	*nr = 0;
	for (size_t i = 0; i < nr_points; i++)
		if (point_is_open(&points[i].spec))
			sorted[nr_open++] = &points[i];
	qsort(sorted, nr_open, sizeof(*sorted), compare_rows);
	for (size_t i = 0; i < nr_open; i = end) {
		for (end = i + 1; end < nr_open; end++)
			if (!point_same_curve(&sorted[i]->spec, &sorted[end]->spec))
				break;
		VEC_GROW(responses, *nr, cap);
		responses[(*nr)++] = response_of(sorted + i, end - i, accepted);
	}
	free(sorted);
	*out = responses;
}

void responses_free(struct response *responses, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		free(responses[i].row);
		free(responses[i].pt);
	}
	free(responses);
}

void response_find_cap(const struct response *r, struct cap cap, struct response_cap *out)
{
	*out = (struct response_cap){.cap = cap, .status = CAP_NO_DATA};
	for (size_t i = 0; i < r->nr; i++) {
		const struct response_point *pt = &r->pt[i];
		double lat_ns = pt->lat_ns[cap.stat];

		if (isnan(lat_ns))
			continue;
		if (!out->lowest || lat_ns < out->lowest->lat_ns[cap.stat])
			out->lowest = pt;
		if (pt->is_sustained && (!r->missed || pt->rate_iops < r->missed->rate_iops) &&
		    lat_ns <= (double)cap.limit_ns * (1 + ROUNDING)) {
			out->best = pt;
			out->next = NULL;
		} else if (!out->next) {
			out->next = pt;
		}
	}
	if (out->best)
		out->status = out->next ? CAP_OK : CAP_NOT_REACHED;
	else if (out->lowest)
		out->status = CAP_INFEASIBLE;
}
