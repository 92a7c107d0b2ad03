/* SPDX-License-Identifier: MIT */
/* What all makers of pictures need: for the chart files only. */
#ifndef REPORT_CHART_PARTS_H
#define REPORT_CHART_PARTS_H

#include "report/chart.h"

/* A new picture of the set; takes name. It is valid until the next one is added. */
struct picture *charts_add(struct charts *out, char *name, unsigned rows, unsigned cols);

/* How many pictures, of at most max each, so many things need; 1 at least. */
size_t chart_share_count(size_t nr, size_t max);

/* The title, which must be there, and how to read it: the head of a caption. s is empty afterwards. */
void caption_explain(struct picture *p, struct buf *s);
/* A line of a caption; s is empty afterwards. */
void caption_add(struct picture *p, struct buf *s);

/* Why points are hollow or missing, a line each up to a limit; rows that are fine say nothing. Counts
 * what was left out. */
struct caption_reasons {
	size_t nr, nr_left_out;
};
/* run is the number of the row's run where a picture has several, else 0. */
void caption_add_reason(struct picture *p, struct caption_reasons *r, int64_t run,
			const struct point *row, flag_set accepted);
void caption_end_reasons(struct picture *p, const struct caption_reasons *r);

/* "Run 3: NAME, target PATH", in full. */
void caption_add_run(struct picture *p, const struct run_info *info);

#endif
