/* SPDX-License-Identifier: MIT */
/*
 * The charts of a report. Each is NAME.gp (script), NAME.dat (data), NAME.txt (caption), and pictures NAME.svg,
 * NAME.png, NAME.pdf as asked for. What kinds there are is a table in chart.c:
 *   modes-*       the chart of the ULT study: IOPS and response time against iodepth, one panel per mode
 *   iops-depth-*  the same of one mode, with knees and caps
 *   response-*    response time against achieved IOPS, with knee, caps and head-room
 *   iops-span-*   IOPS and response time against span at one iodepth, reads and writes together
 *   lun-size-*    what larger spans cost, at a depth and under caps, with the loss limit (chart_lun.h)
 *   load-*        achieved IOPS and response time against offered load, one curve per span
 *   targets-*     the curves of several runs over each other (chart_free.h)
 *   heat-*        block size against iodepth: IOPS, MiB/s and mean latency
 *   mix-*         IOPS and latency of reads and writes against the share of reads, at up to three depths
 *   percentiles-* percentiles of latency against iodepth, with the intervals of p95 and p99
 *   tail-*        share of I/Os that took longer than a latency, one curve per depth
 *   latency-*     distribution of latency, one curve per depth
 *   series-*      IOPS and mean latency of a point over time (chart_point.h has those of any point)
 */
#ifndef REPORT_CHART_H
#define REPORT_CHART_H

#include "base/err.h"
#include "model/sizing.h"
#include "report/image.h"
#include "report/picture.h"
#include "report/report.h"

#include <stdint.h>

/* The depth of the span charts unless another is asked for; else the nearest one below. */
#define CHART_SPAN_DEPTH SIZE_DEPTH_USUAL

/* How charts are made; all zero asks for the defaults. */
struct chart_how {
	uint32_t span_depth; /* iodepth of the span charts; 0 for CHART_SPAN_DEPTH */
	bool has_util;	     /* a row of panels for how busy the device was */
};

struct charts {
	struct picture *v;
	size_t nr, cap;
};

/* All charts of a report. One without any point to show is there too: it has its caption only. */
void charts_build(const struct report *r, const struct chart_how *how, struct charts *out);
void charts_release(struct charts *c);

/*
 * Write scripts, data and captions into the directory, then have gnuplot draw the images asked for; those of an
 * earlier report, also in other formats, are removed. Appends a line
 * for each file made to made, and for each chart that has nothing to show to notes. Everything
 * that does not need gnuplot is there even if -1 is returned because of it, and so are all pictures that it could draw.
 */
int charts_write(const struct charts *c, const char *dir, image_set images, struct buf *made,
		 struct buf *notes, struct err *e);

/* Draw the images into an empty directory of the caller's own, beside their scripts and data. -1 and e when some could
 * not be drawn; the others are there. */
int charts_draw(const struct charts *c, const char *dir, image_set images, struct err *e);

#endif
