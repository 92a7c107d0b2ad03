/* SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "base/mem.h"
#include "plan/plan.h"

#include <stdlib.h>

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

static bool spec_reads(const struct point_spec *s)
{
	return s->rwmixread_pct > 0;
}

static bool spec_writes(const struct point_spec *s)
{
	return rw_writes(s->rw);
}

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

static void add_bytes(struct plan_totals *out, const struct point_spec *s,
		      const struct sweep *sweep)
{
	double rate = out->iops * (double)s->bs_bytes / (double)NS_PER_S;
	double min = rate * (double)(sweep->ramp_ns + sweep->min_ns);
	double max = rate * (double)(sweep->ramp_ns + sweep->max_ns);
	double reads = s->rwmixread_pct / 100.0;

	out->read_min_bytes += min * reads;
	out->read_max_bytes += max * reads;
	out->write_min_bytes += min * (1 - reads);
	out->write_max_bytes += max * (1 - reads);
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
		add_bytes(out, spec, s);
		if (buffer_bytes(spec) > out->buffer_max_bytes)
			out->buffer_max_bytes = buffer_bytes(spec);
	}
	out->ramp_ns = out->nr_points * s->ramp_ns;
	out->overhead_ns = out->nr_points * PLAN_POINT_OVERHEAD_NS;
	out->window_min_ns = out->nr_points * s->min_ns;
	out->window_max_ns = out->nr_points * s->max_ns;
	out->time_min_ns = out->ramp_ns + out->overhead_ns + out->window_min_ns;
	out->time_max_ns = out->ramp_ns + out->overhead_ns + out->window_max_ns;
	region = find_region(p, spec_writes);
	out->write_region_bytes = region.bytes;
	out->write_first_byte = region.first;
	out->write_end_byte = region.end;
	region = find_region(p, spec_reads);
	out->read_region_bytes = region.bytes;
	out->read_first_byte = region.first;
	out->read_end_byte = region.end;
}
