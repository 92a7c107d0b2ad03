/* SPDX-License-Identifier: MIT */
/* IOPS over depth of targets that are known by a formula. */
#ifndef TESTS_KNEE_SHAPES_H
#define TESTS_KNEE_SHAPES_H

#include <math.h>

static inline double linear(double n)
{
	return 100 * n;
}

static inline double sixteen(double n)
{
	return 1000 * fmin(n, 16);
}

static inline double twenty(double n)
{
	return 1000 * fmin(n, 20);
}

static inline double balanced(double n)
{
	return 15000 * n / (n + 14);
}

static inline double constant(double n)
{
	(void)n;
	return 2000;
}

static inline double coherence(double n)
{
	return 1000 * n / (1 + 0.03 * (n - 1) + 0.0003 * n * (n - 1));
}

static inline double creeping(double n)
{
	return 100 * pow(n, 0.25);
}

#endif
