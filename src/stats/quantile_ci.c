/* SPDX-License-Identifier: MIT */
#include "stats/quantile_ci.h"

#include "base/mem.h"
#include "base/num.h"

#include <stdlib.h>
#include <string.h>

#define MIN_BATCHES 20
/* Values beyond the percentile in a batch: 200 for p95, 1000 for p99. */
#define MIN_BEYOND 10

struct hist_batches *hist_batches_new(void)
{
	struct hist_batches *b = xcalloc(1, sizeof(*b));

	b->size = 1;
	return b;
}

void hist_batches_free(struct hist_batches *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->nr; i++)
		free(b->batch[i].bucket);
	free(b);
}

bool hist_batches_tick(struct hist_batches *b)
{
	return ++b->in_batch >= b->size;
}

/* The batch of counts[first .. first + nr). */
static struct hist_batch make_batch(const uint64_t *counts, unsigned first, unsigned nr)
{
	struct hist_batch batch = {NULL, first, nr, 0};

	for (unsigned i = 0; i < nr; i++)
		batch.count += counts[first + i];
	if (nr) {
		batch.bucket = xreallocarray(NULL, nr, sizeof(*batch.bucket));
		memcpy(batch.bucket, counts + first, nr * sizeof(*batch.bucket));
	}
	return batch;
}

static void spread(const struct hist_batch *batch, uint64_t *counts)
{
	for (unsigned i = 0; i < batch->nr; i++)
		counts[batch->first + i] += batch->bucket[i];
}

/* The batch of all counts[HIST_NR], trimmed to what is used. */
static struct hist_batch trimmed(const uint64_t *counts)
{
	unsigned first = 0, end = HIST_NR;

	while (end > 0 && !counts[end - 1])
		end--;
	while (first < end && !counts[first])
		first++;
	return make_batch(counts, first, end - first);
}

static struct hist_batch merged(struct hist_batch *a, struct hist_batch *b)
{
	uint64_t *counts = xcalloc(HIST_NR, sizeof(*counts));
	struct hist_batch both;

	spread(a, counts);
	spread(b, counts);
	both = trimmed(counts);
	free(a->bucket);
	free(b->bucket);
	free(counts);
	return both;
}

static void merge_pairs(struct hist_batches *b)
{
	b->nr /= 2;
	for (size_t i = 0; i < b->nr; i++)
		b->batch[i] = merged(&b->batch[2 * i], &b->batch[2 * i + 1]);
	b->size *= 2;
}

void hist_batches_add(struct hist_batches *b, const uint64_t *total)
{
	/* What came since the last batch, and then what was seen. */
	for (unsigned i = 0; i < HIST_NR; i++)
		b->seen[i] = total[i] - b->seen[i];
	b->batch[b->nr] = trimmed(b->seen);
	b->count += b->batch[b->nr].count;
	b->nr++;
	memcpy(b->seen, total, sizeof(b->seen));
	b->in_batch = 0;
	if (b->nr == BATCHES_MAX)
		merge_pairs(b);
}

/* Values of a batch above a point inside a bucket: of that bucket itself, a share. */
static double count_above(const struct hist_batch *batch, unsigned index, double share)
{
	double above = 0;

	for (unsigned i = 0; i < batch->nr; i++) {
		if (batch->first + i > index)
			above += (double)batch->bucket[i];
		else if (batch->first + i == index)
			above += share * (double)batch->bucket[i];
	}
	return above;
}

/* The share of its own bucket that must lie above the quantile for exactly 1 - q of all to do so. */
static double share_above(const struct hist *pooled, unsigned index, double q)
{
	double above = 0;

	for (unsigned i = index + 1; i < HIST_NR; i++)
		above += (double)pooled->bucket[i];
	if (!pooled->bucket[index])
		return 0;
	return fmin(
		fmax(((1 - q) * (double)pooled->count - above) / (double)pooled->bucket[index], 0),
		1);
}

static unsigned quantile_index(const struct hist *h, double q)
{
	return hist_index((uint64_t)hist_quantile(h, q));
}

/* Half width of the interval of ranks. Batches are equally long, not equally full: so the residual of the
 * ratio of values above to all. */
static double rank_half(const struct hist_batches *const *b, size_t nr, const struct hist *pooled,
			double q, double per_batch)
{
	unsigned index = quantile_index(pooled, q);
	double share = share_above(pooled, index, q), residual[BATCHES_MAX] = {0};

	for (size_t i = 0; i < b[0]->nr; i++)
		for (size_t k = 0; k < nr; k++)
			residual[i] += count_above(&b[k]->batch[i], index, share) -
				       (1 - q) * (double)b[k]->batch[i].count;
	return batch_means_ci(residual, b[0]->nr).half / per_batch;
}

void quantile_ci(const struct hist_batches *const *b, size_t nr, const struct hist *pooled,
		 double q, double *low, double *high)
{
	double per_batch = 0, half;

	*low = *high = UNKNOWN;
	if (!nr || b[0]->nr < MIN_BATCHES || !pooled->count)
		return;
	for (size_t k = 0; k < nr; k++)
		per_batch += (double)b[k]->count / (double)b[0]->nr;
	/* 1 - q is not exact. */
	if (per_batch * (1 - q) < MIN_BEYOND * (1 - 1e-9))
		return;
	half = rank_half(b, nr, pooled, q, per_batch);
	if (!(q + half < 1))
		return;
	*low = fmax((double)hist_bucket_low(quantile_index(pooled, q - half)), (double)pooled->min);
	*high = fmin((double)hist_bucket_high(quantile_index(pooled, q + half)),
		     (double)pooled->max);
}
