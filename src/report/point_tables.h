/* SPDX-License-Identifier: MIT */
/* The tables of a point in full; for point_text.c only. */
#ifndef REPORT_POINT_TABLES_H
#define REPORT_POINT_TABLES_H

#include "report/point_text.h"

/* Bytes, I/Os, rates and latency of each worker and of all, for reads, writes and the total. A point
 * that only reads or only writes has one table. */
void point_workers(struct buf *b, const struct point_view *v, struct text_style style);
/* CPU time of the workers, and of the cores of the host; nothing of what is not known. */
void point_cpus(struct buf *b, const struct point_view *v, struct text_style style);
/* Latency from min to max, with intervals, and marks where few I/Os are behind a figure. */
void point_percentiles(struct buf *b, const struct point_view *v, struct text_style style);

#endif
