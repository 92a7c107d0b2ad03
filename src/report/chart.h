/* SPDX-License-Identifier: MIT */
/*
 * The chart pair of the ULT study:
 *   iops-depth-*  IOPS and response time against iodepth, one curve per span, one picture for
 *                 each combination of the other axes
 *   iops-span-*   IOPS and response time against span at one iodepth, reads and writes together
 *   load-*        achieved IOPS and response time against offered load, one curve per span
 * Each is NAME.gp (script), NAME.dat (data), NAME.txt (caption), NAME.png and NAME.svg.
 */
#ifndef REPORT_CHART_H
#define REPORT_CHART_H

#include "base/err.h"
#include "report/picture_pair.h"
#include "report/report.h"

#include <stdint.h>

/* The depth of the span charts unless another is asked for; else the nearest one below. */
#define CHART_SPAN_DEPTH 16

struct charts {
	struct picture *v;
	size_t nr, cap;
};

/*
 * All charts of a report. span_depth is the iodepth of the span charts, 0 for the default. A
 * chart without any point to show is there too: it has its caption only.
 */
void charts_build(const struct report *r, uint32_t span_depth, struct charts *out);
void charts_release(struct charts *c);

/*
 * Write scripts, data and captions into the directory, then have gnuplot draw. Appends a line
 * for each file made to made, and for each chart that has nothing to show to notes. Everything
 * that does not need gnuplot is there even if -1 is returned because of it.
 */
int charts_write(const struct charts *c, const char *dir, struct buf *made, struct buf *notes,
		 struct err *e);

#endif
