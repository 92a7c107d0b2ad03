/* SPDX-License-Identifier: MIT */
/* Many runs in one table: a row for each run, the figures of each point in columns. */
#ifndef REPORT_RUN_TABLE_H
#define REPORT_RUN_TABLE_H

#include "report/report.h"
#include "report/text.h"

enum table_figure { TABLE_IOPS, TABLE_MIB_S, TABLE_LAT, TABLE_FIGURE_NR };

/* What a run has for a point. */
struct run_cell {
	bool is_there; /* the run has the point */
	bool is_valid; /* its figures are of valid measurements */
	enum point_status status;
	flag_set flags;
	uint32_t nr_repeats; /* that the figures are means of */
	/* IOPS, MiB/s and ns. Total is the sum of the directions, its latency weighted by IOPS. Where no
	 * measurement is valid, those of a spoiled one; UNKNOWN where there is none. */
	double figure[DIR_NR][TABLE_FIGURE_NR];
	bool is_best[DIR_NR][TABLE_FIGURE_NR]; /* of the valid ones of the point, where several runs
						* have it */
};

struct run_table {
	const struct report_run *runs; /* borrowed: the rows, in the order given */
	size_t nr_runs;
	struct point_spec *point; /* in report order; repeat is 0; owned */
	size_t nr_points;
	struct run_cell *cell; /* point by point, in each the runs in order; owned */
};

/* Anchors are left out: they repeat points. */
void run_table_build(const struct report *r, struct run_table *t);
void run_table_release(struct run_table *t);

static inline const struct run_cell *run_table_cell(const struct run_table *t, size_t point,
						    size_t run)
{
	return &t->cell[point * t->nr_runs + run];
}

/* What a row is called: the label of the target, or its path where another target of the table has
 * the same label (O-40) or there is none, or else the sweep. */
const char *run_table_label(const struct run_table *t, size_t run);

/*
 * A table for each curve: of one depth with all its figures, of several with a table for each
 * figure and the depths in columns. The best of a column has a *, and is bold where the style has
 * it; a ! is behind figures of spoiled measurements, which are no best.
 */
void run_table_text(struct buf *b, const struct run_table *t, struct text_style style);

#endif
