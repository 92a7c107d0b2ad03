/* SPDX-License-Identifier: MIT */
#include "stats/hist.h"

#include "base/num.h"

#include <string.h>

#define PACK_VERSION 1

void hist_init(struct hist *h)
{
	memset(h, 0, sizeof(*h));
	h->min = UINT64_MAX;
}

void hist_snapshot(const struct hist *h, uint64_t *sum)
{
	for (unsigned i = 0; i < HIST_NR; i++)
		sum[i] += __atomic_load_n(&h->bucket[i], __ATOMIC_RELAXED);
}

static uint64_t sum_capped(uint64_t a, uint64_t b)
{
	return a < HIST_SUM_MAX && b < HIST_SUM_MAX - a ? a + b : HIST_SUM_MAX;
}

void hist_merge(struct hist *dst, const struct hist *src)
{
	dst->count += src->count;
	dst->sum = sum_capped(dst->sum, src->sum);
	dst->sum_sq += src->sum_sq;
	dst->min = src->min < dst->min ? src->min : dst->min;
	dst->max = src->max > dst->max ? src->max : dst->max;
	for (unsigned i = 0; i < HIST_NR; i++)
		dst->bucket[i] += src->bucket[i];
}

static unsigned bucket_shift(unsigned index)
{
	return index < (2U << HIST_SUB_BITS) ? 0 : (index >> HIST_SUB_BITS) - 1;
}

uint64_t hist_bucket_low(unsigned index)
{
	unsigned shift = bucket_shift(index);

	return (uint64_t)(index - (shift << HIST_SUB_BITS)) << shift;
}

uint64_t hist_bucket_high(unsigned index)
{
	return hist_bucket_low(index) + ((1ULL << bucket_shift(index)) - 1);
}

static double bucket_middle(const struct hist *h, unsigned index)
{
	double low = (double)hist_bucket_low(index), high = (double)hist_bucket_high(index);

	return fmin(fmax((low + high) / 2, (double)h->min), (double)h->max);
}

double hist_quantile(const struct hist *h, double q)
{
	uint64_t seen = 0;
	double rank;

	if (!h->count)
		return UNKNOWN;
	if (q <= 0)
		return (double)h->min;
	if (q >= 1)
		return (double)h->max;
	rank = ceil(q * (double)h->count - 1e-9);
	/* The ends are known exactly: of few values p99 is the largest. */
	if (rank <= 1)
		return (double)h->min;
	if (rank >= (double)h->count)
		return (double)h->max;
	for (unsigned i = 0; i < HIST_NR; i++) {
		seen += h->bucket[i];
		if ((double)seen >= rank && h->bucket[i])
			return bucket_middle(h, i);
	}
	return (double)h->max;
}

/* Where the exact one ran over. */
static double sum_of_buckets(const struct hist *h)
{
	double sum = 0;

	for (unsigned i = 0; i < HIST_NR; i++)
		if (h->bucket[i])
			sum += (double)h->bucket[i] * bucket_middle(h, i);
	return sum;
}

double hist_mean(const struct hist *h)
{
	double sum = h->sum < HIST_SUM_MAX ? (double)h->sum : sum_of_buckets(h);

	return h->count ? sum / (double)h->count : UNKNOWN;
}

double hist_stddev(const struct hist *h)
{
	double n = (double)h->count, mean = hist_mean(h), var;

	if (h->count < 2)
		return UNKNOWN;
	var = (h->sum_sq - mean * mean * n) / (n - 1);
	return var > 0 ? sqrt(var) : 0;
}

double hist_share_above(const struct hist *h, double v)
{
	uint64_t above = 0;

	if (!h->count)
		return UNKNOWN;
	for (unsigned i = HIST_NR; i-- > 0;) {
		if (h->bucket[i] && bucket_middle(h, i) <= v)
			break;
		above += h->bucket[i];
	}
	return (double)above / (double)h->count;
}

static void pack_varint(struct buf *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		buf_addch(b, (char)(v | 0x80));
	buf_addch(b, (char)v);
}

static bool unpack_varint(const unsigned char **p, const unsigned char *end, uint64_t *v)
{
	*v = 0;
	for (unsigned shift = 0; shift < 64 && *p < end; shift += 7) {
		unsigned char c = *(*p)++;

		if (shift == 63 && c > 1)
			return false;
		*v |= (uint64_t)(c & 0x7f) << shift;
		if (!(c & 0x80))
			return true;
	}
	return false;
}

void hist_pack(const struct hist *h, struct buf *b)
{
	uint64_t bits, used = 0;
	unsigned last = 0;

	memcpy(&bits, &h->sum_sq, sizeof(bits));
	for (unsigned i = 0; i < HIST_NR; i++)
		used += h->bucket[i] != 0;
	buf_addch(b, PACK_VERSION);
	pack_varint(b, h->count);
	pack_varint(b, h->sum);
	pack_varint(b, h->min);
	pack_varint(b, h->max);
	pack_varint(b, bits);
	pack_varint(b, used);
	for (unsigned i = 0; i < HIST_NR; i++) {
		if (!h->bucket[i])
			continue;
		pack_varint(b, i - last);
		pack_varint(b, h->bucket[i]);
		last = i;
	}
}

/* Whether min and max lie in the outermost buckets that are used. */
static bool ends_match(const struct hist *h)
{
	if (!h->count)
		return h->min == UINT64_MAX && h->max == 0 && h->sum == 0;
	for (unsigned i = 0; i < hist_index(h->min); i++)
		if (h->bucket[i])
			return false;
	for (unsigned i = hist_index(h->max) + 1; i < HIST_NR; i++)
		if (h->bucket[i])
			return false;
	return h->bucket[hist_index(h->min)] && h->bucket[hist_index(h->max)];
}

static bool unpack_buckets(struct hist *h, const unsigned char **p, const unsigned char *end)
{
	uint64_t used, step, n, total = 0, index = 0;

	if (!unpack_varint(p, end, &used) || used > HIST_NR)
		return false;
	for (uint64_t i = 0; i < used; i++) {
		if (!unpack_varint(p, end, &step) || !unpack_varint(p, end, &n))
			return false;
		if (step >= HIST_NR || index + step >= HIST_NR || (i && !step) || !n ||
		    __builtin_add_overflow(total, n, &total))
			return false;
		index += step;
		h->bucket[index] = n;
	}
	return total == h->count && *p == end;
}

bool hist_unpack(struct hist *h, const void *data, size_t len)
{
	const unsigned char *p = data, *end = p + len;
	uint64_t bits;

	hist_init(h);
	if (!len || *p++ != PACK_VERSION)
		return false;
	if (!unpack_varint(&p, end, &h->count) || !unpack_varint(&p, end, &h->sum) ||
	    !unpack_varint(&p, end, &h->min) || !unpack_varint(&p, end, &h->max) ||
	    !unpack_varint(&p, end, &bits))
		return false;
	memcpy(&h->sum_sq, &bits, sizeof(bits));
	if (!isfinite(h->sum_sq) || h->sum_sq < 0 || (h->count && h->min > h->max))
		return false;
	return unpack_buckets(h, &p, end) && ends_match(h);
}
