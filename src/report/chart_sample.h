/* SPDX-License-Identifier: MIT */
/* The points of a report as charts of free axes take them: each once, its repeats as one. */
#ifndef REPORT_CHART_SAMPLE_H
#define REPORT_CHART_SAMPLE_H

#include "report/picture.h"
#include "report/report.h"

/* A figure with its 95 % interval; all UNKNOWN where it is not known, the ends alone where no error is. */
struct chart_value {
	double at, low, high;
};

struct chart_sample {
	const struct report_run *run;
	size_t run_index; /* in the report */
	const struct point
		*row; /* the first of its repeats, or the one that tells why there is no figure */
	enum cell_kind kind;
	enum cell_kind
		pct_kind; /* of its percentiles: a stall leaves those of a closed loop, as for caps */
	double rate_iops; /* offered; UNKNOWN in a closed loop */
	struct chart_value iops, mib_s;
	struct chart_value lat_ns[LAT_STAT_NR];
	double util_pct, cpu_pct; /* means of the repeats that count */
};

struct chart_samples {
	struct chart_sample *v; /* run by run, in report order; owned */
	size_t nr, cap;
};

/* Anchors are left out: they repeat points. What is in s points into the report. */
void chart_samples_take(const struct report *r, struct chart_samples *s);
void chart_samples_release(struct chart_samples *s);

#endif
