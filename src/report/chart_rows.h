/* SPDX-License-Identifier: MIT */
/* The repeats of one depth, for charts that show more of them than total IOPS and mean latency. */
#ifndef REPORT_CHART_ROWS_H
#define REPORT_CHART_ROWS_H

#include "report/picture.h"
#include "report/report.h"
#include "stats/hist.h"

struct chart_rows {
	const struct point **v; /* owned */
	size_t nr;
	enum cell_kind kind;
};

/*
 * The rows of a curve at this depth that count: the valid ones; else, with kind CELL_SPOILED, the first that
 * was measured, as tables show it; else none, a gap. The caller releases them.
 */
void chart_rows_find(const struct curve *c, uint32_t iodepth, flag_set accepted,
		     struct chart_rows *r);
void chart_rows_release(struct chart_rows *r);

/* Why there is a gap: "failed", "skipped", ..., and "-" where the curve has no such depth. */
const char *chart_rows_gap(const struct curve *c, uint32_t iodepth);

/* Add to the caption why points are missing, hollow or crossed: of all depths, or of one unless it is 0.
 * Flags that only note something are left to the tables. */
void chart_rows_explain(struct picture *p, const struct curve *c, uint32_t iodepth,
			flag_set accepted);

/* Mean IOPS and MiB/s of a direction, and its mean latency by completions; UNKNOWN without. */
struct chart_means {
	double iops, mib_s, lat_ns;
};
struct chart_means chart_rows_means(const struct chart_rows *r, enum dir dir);

/* All latencies of a direction together; NULL where one of the rows has no histogram. The caller
 * frees it. */
struct hist *chart_rows_hist(const struct chart_rows *r, enum dir dir);

/* Percentiles p50, p90, p95, p99, p99.9, and the maximum. */
enum chart_pct {
	PCT_P50,
	PCT_P90,
	PCT_P95,
	PCT_P99,
	PCT_P999,
	PCT_MAX,
	PCT_NR,
};

/* p50, ..., p99.9, max */
const char *chart_pct_name(enum chart_pct pct);
/* PCT_NR for the mean, which is none. */
enum chart_pct chart_pct_of(enum lat_stat stat);

struct chart_percentiles {
	double lat_ns[PCT_NR];		     /* UNKNOWN also where fewer than 10 I/Os lie beyond */
	double lo_ns[PCT_NR], hi_ns[PCT_NR]; /* 95 % intervals, UNKNOWN without */
	double ios;
	unsigned nr_few; /* percentiles that are left out because of too few I/Os */
};

/* Of the rows together: from the histograms where there are several, since percentiles cannot be
 * averaged; an interval then holds those of all of them. */
void chart_rows_percentiles(const struct chart_rows *r, enum dir dir, struct chart_percentiles *p);

/* The depth where the curve saturates; 0 where that is not known or not reached. */
uint32_t chart_knee(const struct report_curve *rc);

/* Every depth of these curves, ascending, each once; the caller frees it. */
uint32_t *chart_all_depths(const struct curve *const *curve, size_t nr, size_t *nr_depths);

/*
 * At most max of the depths, evenly over their places, with the first, the last, and where must is not 0 and among
 * them that one. Returns how many were chosen.
 */
size_t chart_choose_depths(const uint32_t *depth, size_t nr, uint32_t must, uint32_t *chosen,
			   size_t max);

#endif
