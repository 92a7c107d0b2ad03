/* SPDX-License-Identifier: MIT */
/*
 * Log-linear histogram of ns: 64 buckets to the octave over the whole uint64 range, so that
 * recording cannot fail and nothing is clamped. Values below 128 are exact; above, a bucket is
 * at most 1/64 of its value wide and its middle at most 0.79 % from any value in it (D12).
 */
#ifndef STATS_HIST_H
#define STATS_HIST_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HIST_SUB_BITS 6
#define HIST_NR	      ((64 - HIST_SUB_BITS + 1) << HIST_SUB_BITS)

#define HIST_SUM_MAX ((uint64_t)INT64_MAX)

struct hist {
	uint64_t count;
	/* Exact up to HIST_SUM_MAX, where hist_cap_sum keeps it: latencies of an offered load that
	 * nobody could serve add up to centuries within minutes. */
	uint64_t sum;
	double sum_sq;
	uint64_t min, max; /* min is UINT64_MAX while empty */
	uint64_t bucket[HIST_NR];
};

void hist_init(struct hist *h);

static inline unsigned hist_index(uint64_t v)
{
	unsigned shift;

	if (v < (2U << HIST_SUB_BITS))
		return (unsigned)v;
	/* 63 ^ n is 63 - n here, and one instruction together with the other. */
	shift = (63U ^ (unsigned)__builtin_clzll(v)) - HIST_SUB_BITS;
	return (shift << HIST_SUB_BITS) + (unsigned)(v >> shift);
}

/* One more in a bucket, of which this thread is the only writer, while others may take snapshots:
 * a plain load, add and store, without a lock prefix. */
static inline void hist_count(uint64_t *bucket)
{
	__atomic_store_n(bucket, *bucket + 1, __ATOMIC_RELAXED);
}

static inline void hist_add(struct hist *h, uint64_t v)
{
	h->count++;
	h->sum += v;
	/* Through int64_t: converting an unsigned number takes a branch. Beyond 2^63 ns are 292 years. */
	h->sum_sq += (double)(int64_t)v * (double)(int64_t)v;
	if (v < h->min)
		h->min = v;
	if (v > h->max)
		h->max = v;
	hist_count(&h->bucket[hist_index(v)]);
}

/* To be called before the values added since the last call can be more than HIST_SUM_MAX together,
 * which is far beyond a second of any load; not in hist_add, since each instruction counts there. */
static inline void hist_cap_sum(struct hist *h)
{
	if (h->sum > HIST_SUM_MAX)
		h->sum = HIST_SUM_MAX;
}

/* Add the bucket counts of h to sum[HIST_NR], while another thread may go on adding to h: each
 * bucket is then some count that it had meanwhile. */
void hist_snapshot(const struct hist *h, uint64_t *sum);

/* Add all of src to dst. Merging is how percentiles of several workers are made: they cannot
 * be averaged. */
void hist_merge(struct hist *dst, const struct hist *src);

/* Lowest and highest value of a bucket. */
uint64_t hist_bucket_low(unsigned index);
uint64_t hist_bucket_high(unsigned index);

/* All UNKNOWN (NaN) for an empty histogram. q in [0, 1]: the smallest value that at least q of all
 * values do not exceed, to the middle of its bucket, within [min, max]; exact where that value is the
 * smallest or the largest of all. Never falls with rising q. */
double hist_quantile(const struct hist *h, double q);
double hist_mean(const struct hist *h);
/* Sample standard deviation; UNKNOWN below two values. */
double hist_stddev(const struct hist *h);
/* Share of values above v, by whole buckets. */
double hist_share_above(const struct hist *h, double v);

/*
 * The stored form, version 1: byte 1, then as LEB128 varints count, sum, min, max, the bits of
 * sum_sq, the number of non-empty buckets, and for each the distance from the one before and
 * its count. hist_unpack is safe on any bytes: false when they are not such a form.
 */
void hist_pack(const struct hist *h, struct buf *b);
bool hist_unpack(struct hist *h, const void *data, size_t len);

#endif
