/* SPDX-License-Identifier: MIT */
/*
 * Plots in characters: one panel beside or below the other, y from 0. Each curve has a letter, at its points;
 * lines between them are dots. A pure function from data to text.
 */
#ifndef REPORT_TEXT_PLOT_H
#define REPORT_TEXT_PLOT_H

#include "base/buf.h"
#include "model/measurement.h"
#include "report/report.h"
#include "report/text.h"

#include <stdbool.h>
#include <stddef.h>

#define PLOT_MAX_CURVES 8
#define PLOT_MAX_PANELS 2
#define PLOT_ROWS	12

enum plot_kind {
	PLOT_GAP,     /* failed or not measured: the line is broken here */
	PLOT_VALID,   /* the letter of its curve */
	PLOT_KNEE,    /* the same as a capital: where the curve saturates */
	PLOT_SPOILED, /* a ring, which no line goes to */
	PLOT_LIMITED, /* an 'x': a load that was not sustained */
};

struct plot_point {
	double x, y;
	enum plot_kind kind;
};

struct plot_curve {
	struct plot_point *pt; /* ascending in x; owned */
	size_t nr, cap;
};

struct plot_panel {
	const char *title; /* of the y axis, with its unit */
	struct plot_curve curve[PLOT_MAX_CURVES];
	double rule_y; /* a line across, such as a cap; UNKNOWN for none */
};

struct plot {
	const char *x_title;
	bool is_log2;
	const double *tick; /* on the x axis, ascending; borrowed */
	size_t nr_ticks;
	struct plot_panel panel[PLOT_MAX_PANELS];
	size_t nr_panels;
	size_t nr_rows; /* of a panel beside another: at most PLOT_ROWS, and so many for 0 */
};

void plot_init(struct plot *p);
void plot_release(struct plot *p);
/* y UNKNOWN is a gap. */
void plot_add(struct plot_panel *panel, size_t curve, double x, double y, enum plot_kind kind);

/* Panels beside each other where the width takes it; 80 columns where it is 0. ASCII unless the style has UTF-8. */
void text_plot(struct buf *b, const struct plot *p, struct text_style style);

/*
 * IOPS and mean latency of the run's curves against iodepth, a plot for curves that differ in their span (or, where
 * there are none, in their block size), up to eight in each; and response curves against the load offered. With a
 * legend that says where each saturates and what it does under the caps. A plot fits 80 columns and 24 rows.
 */
void text_run_plots(struct buf *b, const struct report_run *run, struct text_style style);

/* IOPS and mean latency of a point over time, and the largest latency of each step where it was kept, in steps that
 * the width has room for. Reads and writes of a mix have a curve each. Says so where there is no series. */
void text_series_plot(struct buf *b, const struct measurement *m, struct text_style style);

#endif
