/* SPDX-License-Identifier: MIT */
/*
 * Precision of a mean from a correlated series, warm-up and steady state: method.md (c). All
 * constants come from there: they were chosen by simulation and have golden values in the tests.
 */
#ifndef STATS_CI_H
#define STATS_CI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Quantile 0.975 of the normal distribution: half of a 95 % interval is so many standard errors. */
#define Z_95 1.959964

/* Quantile 0.975 of Student's t; linear between whole degrees of freedom, df >= 1. */
double t975(double df);

#define BATCHES_MAX 40

/* Collapsing batch means: 20 to 39 equal batches in constant memory. */
struct batches {
	double mean[BATCHES_MAX];
	size_t nr;
	uint64_t size; /* values in a full batch */
	double acc;
	uint64_t in_acc;
};

void batches_init(struct batches *b);
void batches_add(struct batches *b, double x);

struct mean_ci {
	double mean;
	double half; /* half width of the 95 % interval */
	double lag1; /* autocorrelation used, within [0, 0.8] */
	double se_rel;
};

/* Interval of the mean of 2 to BATCHES_MAX batch means with the lag-1 correction; all UNKNOWN for
 * other numbers. */
struct mean_ci batch_means_ci(const double *mean, size_t nr);

/* Relative standard error of sum(num) / sum(den) over nr intervals, by collapsing batches of
 * num - ratio * den (the ratio estimator, for the mean latency). UNKNOWN below 40 intervals and
 * where a sum is not above zero. */
double ratio_se_rel(const double *num, const double *den, size_t nr);

/* Relative standard error of the mean of a series by collapsing batches; UNKNOWN below 40 values
 * and where the mean is not above zero. */
double series_se_rel(const double *x, size_t nr);

/* How many batches nr values have become. */
size_t batches_of(size_t nr);

/* MSER-5 (White 1997): how many leading values are warm-up; at most half of them. */
size_t mser5(const double *x, size_t nr);

enum steady_reason {
	STEADY_OK,
	STEADY_SHORT,	/* fewer than 20 values are left: too short to judge */
	STEADY_WARM_UP, /* MSER-5 takes off more than a third */
	STEADY_SNIA,	/* range 20 % or slope 10 % over five rounds, or not above zero */
	STEADY_DRIFT,	/* beyond 2 % and beyond its own error */
};

struct steady {
	bool is_steady;
	enum steady_reason reason;
	size_t skip;		  /* leading values that MSER-5 takes off */
	double range, slope;	  /* SNIA: of 5 rounds, relative to their mean; UNKNOWN if short */
	double drift, drift_half; /* over the window, relative; UNKNOWN if short */
};

#define STEADY_ROUNDS 5

/* The check of SNIA SSS PTS 2.0.2, 2.1.24 on one value a round: the range is below 20 % of the mean and
 * the line through them changes by less than 10 % of it. False too when the mean is not above zero. Both
 * are relative to the mean. */
bool rounds_steady(const double y[STEADY_ROUNDS], double *range, double *slope);

/* Whether the series (after the fixed ramp) is steady, and from where. */
struct steady series_steady(const double *x, size_t nr);

#endif
