/* SPDX-License-Identifier: MIT */
#include "stats/ci.h"

#include "base/mem.h"
#include "base/num.h"

/* With fewer there are fewer than 20 batches (D11). */
#define MIN_VALUES	40
#define LAG1_MAX	0.8
#define MSER_BATCH	5
#define SNIA_RANGE	0.20
#define SNIA_SLOPE	0.10
#define DRIFT_BATCHES	20
#define DRIFT_TOLERANCE 0.02

static const double t975_table[] = {
	12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004,
	2.262157,  2.228139, 2.200985, 2.178813, 2.160369, 2.144787, 2.131450, 2.119905,
	2.109816,  2.100922, 2.093024, 2.085963, 2.079614, 2.073873, 2.068658, 2.063899,
	2.059539,  2.055529, 2.051831, 2.048407, 2.045230, 2.042272, 2.039513, 2.036933,
	2.034515,  2.032245, 2.030108, 2.028094, 2.026192, 2.024394, 2.022691, 2.021075,
};

double t975(double df)
{
	const double z = Z_95, last = (double)NR(t975_table);
	size_t i;

	if (df > last) { /* the first terms of the Cornish-Fisher expansion */
		double g1 = (pow(z, 3) + z) / 4;
		double g2 = (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / 96;

		return z + g1 / df + g2 / (df * df);
	}
	if (df >= last)
		return t975_table[NR(t975_table) - 1];
	i = df < 1 ? 0 : (size_t)df - 1;
	return t975_table[i] + (t975_table[i + 1] - t975_table[i]) * (df - (double)(i + 1));
}

static double clamp(double v, double low, double high)
{
	return fmin(fmax(v, low), high);
}

static double mean_of(const double *x, size_t nr)
{
	double sum = 0;

	for (size_t i = 0; i < nr; i++)
		sum += x[i];
	return sum / (double)nr;
}

void batches_init(struct batches *b)
{
	*b = (struct batches){.size = 1};
}

static void merge_pairs(struct batches *b)
{
	b->nr /= 2;
	for (size_t i = 0; i < b->nr; i++)
		b->mean[i] = (b->mean[2 * i] + b->mean[2 * i + 1]) / 2;
	b->size *= 2;
}

void batches_add(struct batches *b, double x)
{
	b->acc += x;
	if (++b->in_acc < b->size)
		return;
	b->mean[b->nr++] = b->acc / (double)b->size;
	b->acc = 0;
	b->in_acc = 0;
	if (b->nr == BATCHES_MAX)
		merge_pairs(b);
}

size_t batches_of(size_t nr)
{
	size_t size = 1;

	while (nr / size >= BATCHES_MAX)
		size *= 2;
	return nr / size;
}

/* Sum of squares, and the lag-1 autocorrelation of deviations raised by what its estimate is
 * biased by, within [0, LAG1_MAX]. */
static double lag1_of(const double *dev, size_t nr, double bias, double *sum_sq)
{
	double cross = 0;

	*sum_sq = 0;
	for (size_t i = 0; i < nr; i++)
		*sum_sq += dev[i] * dev[i];
	for (size_t i = 0; i + 1 < nr; i++)
		cross += dev[i] * dev[i + 1];
	return *sum_sq > 0 ? clamp(cross / *sum_sq + bias, 0, LAG1_MAX) : 0;
}

/* Standard error of the mean of nr batch means, not relative: the mean may be zero. */
static double batch_means_se(const double *mean, size_t nr, double *grand, double *lag1)
{
	double dev[BATCHES_MAX], sum_sq, k = (double)nr;

	*grand = mean_of(mean, nr);
	for (size_t i = 0; i < nr; i++)
		dev[i] = mean[i] - *grand;
	*lag1 = lag1_of(dev, nr, 1 / k, &sum_sq);
	return sqrt(sum_sq / (k - 1) / k * (1 + *lag1) / (1 - *lag1));
}

struct mean_ci batch_means_ci(const double *mean, size_t nr)
{
	struct mean_ci ci = {UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN};
	double se;

	if (nr < 2 || nr > BATCHES_MAX)
		return ci;
	se = batch_means_se(mean, nr, &ci.mean, &ci.lag1);
	ci.half = t975((double)(nr - 1)) * se;
	ci.se_rel = se > 0 ? se / fabs(ci.mean) : 0;
	return ci;
}

double ratio_se_rel(const double *num, const double *den, size_t nr)
{
	double sum_num = 0, sum_den = 0, ratio, mean, lag1;
	struct batches b;

	if (nr < MIN_VALUES)
		return UNKNOWN;
	for (size_t i = 0; i < nr; i++) {
		sum_num += num[i];
		sum_den += den[i];
	}
	if (!(sum_num > 0) || !(sum_den > 0))
		return UNKNOWN;
	ratio = sum_num / sum_den;
	batches_init(&b);
	for (size_t i = 0; i < nr; i++)
		batches_add(&b, num[i] - ratio * den[i]);
	return batch_means_se(b.mean, b.nr, &mean, &lag1) / (sum_num / (double)nr);
}

double series_se_rel(const double *x, size_t nr)
{
	struct mean_ci ci;
	struct batches b;

	if (nr < MIN_VALUES)
		return UNKNOWN;
	batches_init(&b);
	for (size_t i = 0; i < nr; i++)
		batches_add(&b, x[i]);
	ci = batch_means_ci(b.mean, b.nr);
	return ci.mean > 0 ? ci.se_rel : UNKNOWN;
}

/* Mean of a batch less ref. */
static double mser_batch(const double *x, double ref)
{
	double sum = 0;

	for (size_t i = 0; i < MSER_BATCH; i++)
		sum += x[i] - ref;
	return sum / MSER_BATCH;
}

size_t mser5(const double *x, size_t nr)
{
	size_t n = nr / MSER_BATCH, best = 0;
	double sum = 0, sum_sq = 0, best_value = HUGE_VAL;

	/* From the end, so that one pass knows the sums behind every cut. Shifting all values
	 * does not change the statistic, but makes a constant series exactly zero. */
	for (size_t cut = n; cut-- > 0;) {
		double v = mser_batch(x + cut * MSER_BATCH, x[n * MSER_BATCH - 1]);
		double k = (double)(n - cut), value;

		sum += v;
		sum_sq += v * v;
		value = (sum_sq - sum * sum / k) / (k * k);
		if (cut <= n / 2 && value <= best_value) {
			best_value = value;
			best = cut;
		}
	}
	return best * MSER_BATCH;
}

/* k equal batches; what does not divide is left out at the beginning. */
static void equal_batches(const double *x, size_t nr, double *y, size_t k)
{
	size_t size = nr / k, first = nr - size * k;

	for (size_t i = 0; i < k; i++)
		y[i] = mean_of(x + first + i * size, size);
}

/* Least squares line through (i - (k-1)/2, y[i]). */
struct line {
	double mean, slope, sum_tt;
};

static double centred(size_t i, size_t k)
{
	return (double)i - (double)(k - 1) / 2;
}

static struct line fit_line(const double *y, size_t k)
{
	struct line l = {mean_of(y, k), 0, 0};

	for (size_t i = 0; i < k; i++) {
		l.slope += centred(i, k) * y[i];
		l.sum_tt += centred(i, k) * centred(i, k);
	}
	l.slope /= l.sum_tt;
	return l;
}

bool rounds_steady(const double y[STEADY_ROUNDS], double *range, double *slope)
{
	struct line l = fit_line(y, STEADY_ROUNDS);
	double low = y[0], high = y[0];

	for (size_t i = 1; i < STEADY_ROUNDS; i++) {
		low = fmin(low, y[i]);
		high = fmax(high, y[i]);
	}
	*range = (high - low) / l.mean;
	*slope = fabs(l.slope) * (STEADY_ROUNDS - 1) / l.mean;
	return l.mean > 0 && *range < SNIA_RANGE && *slope < SNIA_SLOPE;
}

/* The same, scaled down to five rounds of the window. */
static bool judge_rounds(const double *x, size_t nr, struct steady *s)
{
	double y[STEADY_ROUNDS];

	equal_batches(x, nr, y, STEADY_ROUNDS);
	return rounds_steady(y, &s->range, &s->slope);
}

static void judge_drift(const double *x, size_t nr, struct steady *s)
{
	const double k = DRIFT_BATCHES;
	double y[DRIFT_BATCHES], residual[DRIFT_BATCHES], sum_sq, lag1, se;
	struct line l;

	equal_batches(x, nr, y, DRIFT_BATCHES);
	l = fit_line(y, DRIFT_BATCHES);
	for (size_t i = 0; i < DRIFT_BATCHES; i++)
		residual[i] = y[i] - l.mean - l.slope * centred(i, DRIFT_BATCHES);
	lag1 = lag1_of(residual, DRIFT_BATCHES, 2 / k, &sum_sq);
	se = sqrt(sum_sq / (k - 2) / l.sum_tt * (1 + lag1) / (1 - lag1));
	s->drift = l.slope * (k - 1) / l.mean;
	s->drift_half = t975(k - 2) * se * (k - 1) / l.mean;
}

struct steady series_steady(const double *x, size_t nr)
{
	struct steady s = {.reason = STEADY_SHORT,
			   .range = UNKNOWN,
			   .slope = UNKNOWN,
			   .drift = UNKNOWN,
			   .drift_half = UNKNOWN};
	bool is_level;

	s.skip = mser5(x, nr);
	if (nr - s.skip < DRIFT_BATCHES)
		return s;
	is_level = judge_rounds(x + s.skip, nr - s.skip, &s);
	judge_drift(x + s.skip, nr - s.skip, &s);
	if (s.skip > nr / 3)
		s.reason = STEADY_WARM_UP;
	else if (!is_level)
		s.reason = STEADY_SNIA;
	else if (fabs(s.drift) > fmax(DRIFT_TOLERANCE, s.drift_half))
		s.reason = STEADY_DRIFT;
	else
		s.reason = STEADY_OK;
	s.is_steady = s.reason == STEADY_OK;
	return s;
}
