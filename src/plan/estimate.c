/* SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "base/mem.h"
#include "plan/plan.h"

#include <stdlib.h>

/* The first and the peak depth, of curves whose knee can be judged. */
#define ANCHORS_PER_CURVE  2
#define ANCHORS_MIN_DEPTHS 3

#define HUGE_PAGE_BYTES (2ULL << 20)

struct extent {
	uint64_t first, end;
};

static int compare_extent(const void *pa, const void *pb)
{
	const struct extent *a = pa, *b = pb;

	return (a->first > b->first) - (a->first < b->first);
}

/* Several spans together. */
struct region {
	uint64_t bytes, first, end;
};

/* The union of the spans of the points for which want is true. */
static struct region find_region(const struct plan *p, bool (*want)(const struct point_spec *s))
{
	struct extent *x = xreallocarray(NULL, p->nr + 1, sizeof(*x));
	struct region r = {0};
	uint64_t reached = 0;
	size_t nr = 0;

	for (size_t i = 0; i < p->nr; i++) {
		const struct point_spec *s = &p->v[i].spec;

		if (!p->v[i].skip_reason && want(s))
			x[nr++] = (struct extent){s->offset_bytes, s->offset_bytes + s->span_bytes};
	}
	qsort(x, nr, sizeof(*x), compare_extent);
	for (size_t i = 0; i < nr; i++) {
		uint64_t from = x[i].first > reached ? x[i].first : reached;

		if (x[i].end > from)
			r.bytes += x[i].end - from;
		reached = x[i].end > reached ? x[i].end : reached;
	}
	r.first = nr ? x[0].first : 0;
	r.end = reached;
	free(x);
	return r;
}

/* Workers get floor or ceil of depth / workers, each a buffer in whole huge pages (D6, D13). */
static uint64_t buffer_bytes(const struct point_spec *s)
{
	uint64_t low = s->iodepth / s->workers, nr_high = s->iodepth % s->workers;
	uint64_t low_bytes = (low * s->bs_bytes + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES;
	uint64_t high_bytes = ((low + 1) * s->bs_bytes + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES;

	return (low_bytes * (s->workers - nr_high) + high_bytes * nr_high) * HUGE_PAGE_BYTES;
}

/* Of nr_min to nr_max points of this spec. */
static void add_bytes(struct plan_totals *out, const struct point_spec *s,
		      const struct sweep *sweep, unsigned nr_min, unsigned nr_max)
{
	double rate = out->iops * (double)s->bs_bytes / (double)NS_PER_S;
	double min = nr_min * rate * (double)(sweep->ramp_ns + sweep->min_ns);
	double max = nr_max * rate * (double)(sweep->ramp_ns + sweep->max_ns);
	double reads = s->rwmixread_pct / 100.0;

	out->read_min_bytes += min * reads;
	out->read_max_bytes += max * reads;
	out->write_min_bytes += min * (1 - reads);
	out->write_max_bytes += max * (1 - reads);
}

static int in_spec_order(const void *a, const void *b)
{
	return point_spec_compare(a, b);
}

/* The points to measure by curves, each depth once; the caller frees *out. */
static size_t sorted_depths(const struct plan *p, struct point_spec **out)
{
	struct point_spec *spec = xreallocarray(NULL, p->nr + 1, sizeof(*spec));
	size_t nr = 0;

	for (size_t i = 0; i < p->nr; i++)
		if (!p->v[i].skip_reason && p->v[i].spec.repeat == 1)
			spec[nr++] = p->v[i].spec;
	qsort(spec, nr, sizeof(*spec), in_spec_order);
	*out = spec;
	return nr;
}

static void add_anchors(const struct point_spec *curve, const struct sweep *s,
			struct plan_totals *out)
{
	if (s->anchors == ANCHORS_AUTO && !point_writes(curve)) {
		out->nr_perhaps_anchored++;
		return;
	}
	out->nr_anchored++;
	add_bytes(out, curve, s, 1, ANCHORS_PER_CURVE);
}

static void count_curves(const struct plan *p, const struct sweep *s, struct plan_totals *out)
{
	struct point_spec *spec;
	size_t nr = sorted_depths(p, &spec), len;

	for (size_t i = 0; i < nr; i += len) {
		for (len = 1; i + len < nr && point_same_curve(&spec[i], &spec[i + len]);)
			len++;
		out->nr_curves++;
		out->nr_ends += len > 1 ? 2 : 1;
		if (s->anchors != ANCHORS_NEVER && len >= ANCHORS_MIN_DEPTHS &&
		    !point_is_open(&spec[i]))
			add_anchors(&spec[i], s, out);
	}
	free(spec);
}

static void set_times(const struct sweep *s, struct plan_totals *out)
{
	size_t nr_max = out->nr_points + ANCHORS_PER_CURVE * out->nr_anchored;
	size_t nr_min = out->nr_points + out->nr_anchored;
	uint64_t beside = s->ramp_ns + PLAN_POINT_OVERHEAD_NS;

	out->ramp_ns = nr_max * s->ramp_ns;
	out->overhead_ns = nr_max * PLAN_POINT_OVERHEAD_NS;
	out->window_min_ns = nr_min * s->min_ns;
	out->window_max_ns = nr_max * s->max_ns;
	out->time_min_ns = nr_min * (beside + s->min_ns);
	out->time_max_ns = nr_max * (beside + s->max_ns);
	out->time_perhaps_ns = ANCHORS_PER_CURVE * out->nr_perhaps_anchored * (beside + s->max_ns);
}

void plan_estimate(const struct plan *p, const struct sweep *s, double iops,
		   struct plan_totals *out)
{
	struct region region;

	*out = (struct plan_totals){
		.nr_points = p->nr - p->nr_skipped, .nr_skipped = p->nr_skipped, .iops = iops};
	for (size_t i = 0; i < p->nr; i++) {
		const struct point_spec *spec = &p->v[i].spec;

		if (p->v[i].skip_reason)
			continue;
		add_bytes(out, spec, s, 1, 1);
		if (buffer_bytes(spec) > out->buffer_max_bytes)
			out->buffer_max_bytes = buffer_bytes(spec);
	}
	count_curves(p, s, out);
	set_times(s, out);
	region = find_region(p, point_writes);
	out->write_region_bytes = region.bytes;
	out->write_first_byte = region.first;
	out->write_end_byte = region.end;
	region = find_region(p, point_reads);
	out->read_region_bytes = region.bytes;
	out->read_first_byte = region.first;
	out->read_end_byte = region.end;
}
