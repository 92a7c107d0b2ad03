/* SPDX-License-Identifier: MIT */
#include "stats/student.h"

#include "base/num.h"

#include <stdbool.h>

#define TINY	  1e-300
#define PRECISION 1e-16
/* Far more than it takes: about the square root of the larger parameter. */
#define MAX_TERMS 100000
/* From here on the normal distribution is closer than the sums are exact. */
#define DF_NORMAL 1e8

double norm_cdf(double z)
{
	return erfc(-z / sqrt(2)) / 2;
}

static double away_from_zero(double v)
{
	return fabs(v) < TINY ? TINY : v;
}

/* Coefficient m of the continued fraction: two alternate. */
static double coefficient(unsigned m, bool is_even, double a, double b, double x)
{
	double k = m;

	if (is_even)
		return k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k));
	return -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1));
}

/* Converges fast for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 / away_from_zero(1 + coefficient(0, false, a, b, x)), value = d;

	for (unsigned i = 2; i < MAX_TERMS; i++) {
		double v = coefficient(i / 2, i % 2 == 0, a, b, x);

		d = 1 / away_from_zero(1 + v * d);
		c = away_from_zero(1 + v / c);
		value *= c * d;
		if (fabs(c * d - 1) < PRECISION)
			break;
	}
	return value;
}

static double log_gamma(double x)
{
	int sign; /* lgamma would keep it in a variable that threads share */

	return lgamma_r(x, &sign);
}

double beta_inc(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double t_two_sided(double t, double df)
{
	if (isnan(t) || isnan(df))
		return UNKNOWN;
	if (isinf(t))
		return 0;
	if (df > DF_NORMAL)
		return 2 * norm_cdf(-fabs(t));
	return beta_inc(df / 2, 0.5, df / (df + t * t));
}

double t_cdf(double t, double df)
{
	double tail = t_two_sided(t, df) / 2;

	return t > 0 ? 1 - tail : tail;
}

double t_quantile(double p, double df)
{
	double tail = 2 * fmin(p, 1 - p), low = 0, high = 1;

	while (t_two_sided(high, df) > tail)
		high *= 2;
	for (int i = 0; i < 200 && high - low > high * 1e-15; i++) {
		double middle = low + (high - low) / 2;

		if (t_two_sided(middle, df) > tail)
			low = middle;
		else
			high = middle;
	}
	return p < 0.5 ? -high : high;
}
