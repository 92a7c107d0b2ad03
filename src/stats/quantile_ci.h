/* SPDX-License-Identifier: MIT */
/*
 * Precision of a percentile (method.md c 5): Woodruff's interval (1952). How far the share of values
 * above the percentile varies from batch to batch gives an interval of ranks, and the pooled
 * histogram turns ranks into values. Means of the batches' own percentiles are far off: they
 * cover the truth in 14 to 95 % of all cases.
 */
#ifndef STATS_QUANTILE_CI_H
#define STATS_QUANTILE_CI_H

#include "stats/ci.h"
#include "stats/hist.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The buckets of one batch, from the first that holds values to the last. */
struct hist_batch {
	uint64_t *bucket; /* owned; NULL for a batch without values */
	unsigned first, nr;
	uint64_t count;
};

/*
 * 20 to 39 equal batches of a histogram that grows: when 40 are full, pairs are merged and
 * batches last twice as long (as struct batches of ci.h). Sparse: a batch holds only the range
 * of buckets that it uses, some kilobytes.
 */
struct hist_batches {
	struct hist_batch batch[BATCHES_MAX];
	size_t nr;
	uint64_t size, in_batch; /* ticks of a full batch, and so far */
	uint64_t seen[HIST_NR];	 /* what the batches hold together */
	uint64_t count;		 /* likewise */
};

struct hist_batches *hist_batches_new(void);
void hist_batches_free(struct hist_batches *b);

/* One more equal stretch of time has passed; true when a batch is full, and hist_batches_add must
 * follow. */
bool hist_batches_tick(struct hist_batches *b);

/* End a batch: total[HIST_NR] is all that the histogram has counted since the beginning. */
void hist_batches_add(struct hist_batches *b, const uint64_t *total);

/*
 * The 95 % interval [*low, *high] of quantile q of pooled, whose values came in the batches of b[0],
 * b[1], ... together (reads and writes, with equal batches), with the lag-1 correction of
 * batch_means_ci. The ends are those of their buckets, so that the interval holds hist_quantile(pooled, q)
 * and the histogram's own error.
 *
 * Both UNKNOWN with fewer than 20 batches, below 10 / (1 - q) values in a batch on average (200 for p95,
 * 1000 for p99), and where the upper rank is beyond the largest value.
 */
void quantile_ci(const struct hist_batches *const *b, size_t nr, const struct hist *pooled,
		 double q, double *low, double *high);

#endif
