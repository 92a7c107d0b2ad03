/* SPDX-License-Identifier: MIT */
#include "model/point.h"

#include "base/hash.h"
#include "base/num.h"
#include "base/units.h"
#include "stats/ci.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const status_names[POINT_STATUS_NR] = {
	"planned", "running", "ok", "failed", "no-io", "skipped", "interrupted",
};

static const char *const stat_names[LAT_STAT_NR] = {"mean", "p50", "p90", "p95", "p99", "p99.9"};

const char *point_status_name(enum point_status status)
{
	return status_names[status];
}

bool point_status_is_final(enum point_status status)
{
	return status == POINT_OK || status == POINT_FAILED || status == POINT_NO_IO ||
	       status == POINT_SKIPPED;
}

enum point_status point_status_find(const char *name)
{
	enum point_status s = 0;

	while (s < POINT_STATUS_NR && strcmp(status_names[s], name) != 0)
		s++;
	return s;
}

const char *lat_stat_name(enum lat_stat stat)
{
	return stat_names[stat];
}

enum lat_stat lat_stat_find(const char *name)
{
	enum lat_stat s = 0;

	while (s < LAT_STAT_NR && strcmp(stat_names[s], name) != 0)
		s++;
	return s;
}

double figures_lat_ns(const struct figures *f, enum lat_stat stat)
{
	switch (stat) {
	case LAT_MEAN:
		return f->lat_mean_ns;
	case LAT_P50:
		return f->lat_p50_ns;
	case LAT_P90:
		return f->lat_p90_ns;
	case LAT_P95:
		return f->lat_p95_ns;
	case LAT_P99:
		return f->lat_p99_ns;
	case LAT_P999:
		return f->lat_p999_ns;
	case LAT_STAT_NR:
		break;
	}
	return UNKNOWN;
}

uint32_t lat_stat_min_ios(enum lat_stat stat)
{
	static const uint32_t min[LAT_STAT_NR] = {
		[LAT_P50] = 20,	  [LAT_P90] = 100,    [LAT_P95] = 200,
		[LAT_P99] = 1000, [LAT_P999] = 10000,
	};

	return min[stat];
}

bool figures_differ(const struct figures *first, const struct figures *second)
{
	const double least = 0.05;
	double change = fabs(second->iops / first->iops - 1);
	double se = hypot(isnan(first->iops_se_rel) ? 0 : first->iops_se_rel,
			  isnan(second->iops_se_rel) ? 0 : second->iops_se_rel);

	return change > fmax(least, Z_95 * se);
}

void figures_clear(struct figures *f)
{
	*f = (struct figures){UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN,
			      UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN,
			      UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN};
}

void point_release(struct point *p)
{
	free(p->reason);
	p->reason = NULL;
	for (enum dir d = DIR_READ; d <= DIR_WRITE; d++)
		buf_release(&p->lat_hist[d]);
}

bool point_add_hists(struct hist *all, const struct point *p, enum dir dir, struct hist *scratch)
{
	bool has_any = false;

	for (enum dir d = DIR_READ; d <= DIR_WRITE; d++) {
		const struct buf *packed = &p->lat_hist[d];

		if (!packed->len || (dir != DIR_TOTAL && dir != d))
			continue;
		if (!hist_unpack(scratch, packed->text, packed->len))
			return false;
		hist_merge(all, scratch);
		has_any = true;
	}
	return has_any;
}

double points_mean(const struct point *const *row, size_t nr, flag_set accepted, size_t offset)
{
	double sum = 0;
	size_t known = 0;

	for (size_t i = 0; i < nr; i++) {
		double v = *(const double *)((const char *)row[i] + offset);

		if (isnan(v) || !point_is_valid(row[i], accepted))
			continue;
		sum += v;
		known++;
	}
	return known ? sum / (double)known : UNKNOWN;
}

bool point_is_valid(const struct point *p, flag_set accepted)
{
	return p->status == POINT_OK && !flags_have(p->flags & ~accepted, EFFECT_SPOILED) &&
	       !flags_have(p->flags, EFFECT_FAILED);
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_curve(const struct point_spec *a, const struct point_spec *b)
{
	const uint64_t pairs[][2] = {
		{a->rw, b->rw},
		{a->bs_bytes, b->bs_bytes},
		{a->rwmixread_pct, b->rwmixread_pct},
		{a->random_pct, b->random_pct},
		{a->workers, b->workers},
		{a->span_bytes, b->span_bytes},
		{a->offset_bytes, b->offset_bytes},
		{point_is_open(a), point_is_open(b)},
		/* Another limit of I/Os in flight makes another response curve. */
		{point_is_open(a) ? a->iodepth : 0, point_is_open(b) ? b->iodepth : 0},
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		int c = compare_u64(pairs[i][0], pairs[i][1]);

		if (c)
			return c;
	}
	return 0;
}

int point_spec_compare(const struct point_spec *a, const struct point_spec *b)
{
	int c = compare_curve(a, b);

	if (!c)
		c = compare_u64(a->iodepth, b->iodepth);
	if (!c)
		c = compare_u64(a->rate_ask_iops, b->rate_ask_iops);
	if (!c)
		c = compare_u64(a->rate_e4, b->rate_e4);
	if (!c)
		c = compare_u64(a->repeat, b->repeat);
	return c ? c : compare_u64(a->is_anchor, b->is_anchor);
}

bool point_same_curve(const struct point_spec *a, const struct point_spec *b)
{
	return compare_curve(a, b) == 0;
}

uint64_t point_spec_hash(const struct point_spec *s)
{
	const uint64_t members[] = {s->rw,	   s->iodepth,	s->workers,    s->rwmixread_pct,
				    s->random_pct, s->bs_bytes, s->span_bytes, s->offset_bytes,
				    s->repeat};
	uint64_t hash = HASH_INIT;

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		hash = hash_u64(hash, members[i]);
	if (point_is_open(s))
		hash = hash_u64(hash_u64(hash, s->rate_ask_iops), s->rate_e4);
	return s->is_anchor ? hash_u64(hash, 1) : hash;
}

void buf_add_span(struct buf *b, const struct point_spec *s)
{
	if (s->span_e4)
		buf_add_percent(b, s->span_e4);
	else if (s->span_bytes)
		buf_add_size_title(b, s->span_bytes);
	else
		buf_addstr(b, "unknown");
	if (s->offset_bytes) {
		buf_addch(b, '@');
		buf_add_size(b, s->offset_bytes);
	}
}

void buf_add_rate(struct buf *b, const struct point_spec *s)
{
	if (s->rate_e4)
		buf_add_percent(b, s->rate_e4);
	else
		buf_addf(b, "%" PRIu64 " IOPS", s->rate_ask_iops);
}

static void add_axes(struct buf *b, const struct point_spec *s, bool depth)
{
	buf_addstr(b, rw_name(s->rw));
	buf_addch(b, ' ');
	buf_add_size(b, s->bs_bytes);
	if (rw_is_mixed(s->rw))
		buf_addf(b, " %u%% read", s->rwmixread_pct);
	if (rw_is_random(s->rw) && s->random_pct != 100)
		buf_addf(b, " %u%% random", s->random_pct);
	if (depth)
		buf_addf(b, " iodepth %u", s->iodepth);
	if (depth && point_is_open(s)) {
		buf_addstr(b, " rate ");
		buf_add_rate(b, s);
	}
	if (s->workers != 1)
		buf_addf(b, " workers %u", s->workers);
	buf_addstr(b, " span ");
	buf_add_span(b, s);
}

void buf_add_point(struct buf *b, const struct point_spec *s)
{
	add_axes(b, s, true);
	if (s->repeat > 1)
		buf_addf(b, " repeat %u", s->repeat);
	if (s->is_anchor)
		buf_addstr(b, " anchor");
}

void buf_add_curve_name(struct buf *b, const struct point_spec *s)
{
	add_axes(b, s, false);
	if (point_is_open(s))
		buf_addf(b, ", offered load with iodepth %u", s->iodepth);
}
