/* SPDX-License-Identifier: MIT */
/*
 * Comparing two groups of runs by the ratio of their geometric means: method.md (f). All works on
 * logarithms, since speeds differ by factors and vary by per cent. What enters is one value a
 * run, never intervals or batches of one: runs differ by more than their own series show.
 */
#ifndef STATS_RATIO_H
#define STATS_RATIO_H

#include <stddef.h>

/* Logarithms of the values of a group. */
struct log_sample {
	size_t nr;
	double mean;   /* UNKNOWN without values */
	double sum_sq; /* of deviations from the mean */
};

/* Of nr values above zero. */
struct log_sample log_sample(const double *x, size_t nr);

/* B / A. All UNKNOWN but the ratio where the standard error is. */
struct ratio_test {
	double ratio;
	double low, high;     /* 95 % interval */
	double low90, high90; /* 90 % interval, for equivalence: two one-sided tests at 5 % */
	double t, df;
	double p; /* two-sided, of no difference */
};

/*
 * From the difference of two logarithms, its standard error and that one's degrees of freedom.
 * Without any error (all values of each group equal) the intervals are the ratio itself, and p is
 * 1 for equal groups and 0 for others.
 */
struct ratio_test ratio_test(double log_ratio, double se, double df);

/* Welch's t test (Biometrika 34, 1947) with the degrees of freedom of Satterthwaite (Biometrics
 * Bulletin 2, 1946); 2 values or more in each group. */
struct ratio_test ratio_welch(const struct log_sample *a, const struct log_sample *b);

/* A variance that several pairs of groups have in common: sums of their sum_sq and of nr - 1. */
struct pooled_var {
	double sum_sq, df;
};

void pooled_var_add(struct pooled_var *v, const struct log_sample *s);

/* Student's t test with a pooled variance, which needs df > 0. */
struct ratio_test ratio_pooled(const struct log_sample *a, const struct log_sample *b,
			       const struct pooled_var *v);

/* Holm's step-down adjustment (Scandinavian Journal of Statistics 6, 1979) of nr p values in place;
 * unknown ones are no members of the family and stay as they are. */
void holm_adjust(double *p, size_t nr);

#endif
