/* SPDX-License-Identifier: MIT */
/* Two groups of runs side by side, as analyze/ compares them and report/ prints it. */
#ifndef MODEL_COMPARISON_H
#define MODEL_COMPARISON_H

#include "model/answer.h"

enum compare_figure {
	COMPARE_IOPS,
	COMPARE_LAT,   /* mean latency */
	COMPARE_NSTAR, /* of a curve: the knee N* */
	COMPARE_CAP,   /* of a curve: the maximum IOPS under a cap, the estimate between depths */
};

/* iops, lat_mean, nstar, cap */
const char *compare_figure_name(enum compare_figure f);

/* How the ratio was tested (method.md f). */
enum compare_method {
	COMPARE_UNTESTED, /* one run in a group: a ratio, no significance */
	COMPARE_WELCH,
	COMPARE_POOLED, /* the variance is that of all depths of the curve and both groups */
};

/* none, welch, pooled */
const char *compare_method_name(enum compare_method m);

enum compare_verdict {
	COMPARE_UNJUDGED,
	COMPARE_INCONCLUSIVE,
	COMPARE_EQUIVALENT, /* the 90 % interval lies within 5 % */
	COMPARE_DIFFERENT,  /* adjusted p < .05 and by 5 % or more */
};

/* unjudged, inconclusive, equivalent, different */
const char *compare_verdict_name(enum compare_verdict v);

#define COMPARE_MARGIN 0.05 /* smaller differences are no verdict */
#define COMPARE_ALPHA  0.05

/* One group's part in a comparison. */
struct compare_side {
	size_t nr;	     /* runs with a value */
	double value;	     /* geometric mean of theirs: IOPS, ns or a depth; UNKNOWN without */
	double sd_rel;	     /* standard deviation of their logarithms; UNKNOWN below two */
	uint32_t nr_repeats; /* the most that a run has merged into its value */
	flag_set flags;	     /* of all of them */
};

/* A figure that is compared. */
struct compare_item {
	enum compare_figure figure;
	struct point_spec spec; /* repeat means nothing; iodepth is 0 for figures of a curve */
	struct cap cap;		/* of COMPARE_CAP */
	struct compare_side side[2];
	enum compare_method method;
	/* B / A with its intervals (stats/ratio.h); UNKNOWN where there is no value or no test. */
	double ratio, low, high, low90, high90, t, df, p;
	double p_adjusted; /* Holm, over all figures of this kind of the comparison */
	enum compare_verdict verdict;
	/* The flags that make a bound of a value that the verdict would rest on, on the side where it says
	 * nothing, so that the verdict is inconclusive: a likeness with a bound proves nothing, and a
	 * difference only where both values can but lie further apart. 0 where there is no such thing. */
	flag_set bound_flags;
	bool is_lost; /* of COMPARE_CAP: all runs of A meet the cap, and one of B at no depth */
	/* Why there is no ratio or no verdict, as a part of a sentence; NULL where there is one. */
	const char *reason;
};

/* A point that only one group has, or that the other has no valid measurement of. */
struct compare_lone {
	struct point_spec spec;
	int side;	 /* 0: only A has it, 1: only B */
	bool is_invalid; /* the other group has the point too, but no valid figure of it */
};

struct comparison {
	struct compare_item *item; /* in report order, by curve; owned */
	size_t nr;
	struct compare_lone *lone; /* owned */
	size_t nr_lone;
	size_t nr_open; /* points with an offered load, which are not compared */
	bool has_repeats;
	bool has_copies; /* the runs of a group have figures that are equal to the last digit */
	bool has_other_spans; /* points matched by their share of targets of different size */
};

void comparison_release(struct comparison *c);

/* 1 where B is better, -1 where it is worse, 0 where neither is to be said: N*, equal, unknown. */
int compare_direction(const struct compare_item *item);

/* Whether B is worse by at least this share (0.05 for 5 %), with an adjusted p below .05, and not by a bound
 * only. */
bool compare_is_worse(const struct compare_item *item, double share);

#endif
