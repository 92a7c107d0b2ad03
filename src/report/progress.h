/* SPDX-License-Identifier: MIT */
/* How far a run is: the time that is left, and the line that a terminal shows while it goes on. */
#ifndef REPORT_PROGRESS_H
#define REPORT_PROGRESS_H

#include "base/buf.h"
#include "model/point.h"

#include <stddef.h>
#include <stdint.h>

/* Where nobody knows how long it takes. */
#define PROGRESS_TIME_UNKNOWN UINT64_MAX

/*
 * Time that nr_left points take, the first of which has been going on for elapsed_ns, if each takes
 * point_ns. A point that takes longer than others did adds nothing and takes nothing from those behind it.
 */
uint64_t progress_left_ns(uint64_t point_ns, size_t nr_left, uint64_t elapsed_ns);

/* Share of the points that are done, 0 to 1, with a part of the one in hand; UNKNOWN without points. */
double progress_share(uint64_t point_ns, size_t nr_done, size_t nr_left, uint64_t elapsed_ns);

/* What became of the points so far. */
struct progress_counts {
	unsigned nr_failed, nr_spoiled;
	flag_set flags; /* that spoil them */
};

struct progress_view {
	size_t nr_done, nr_todo; /* of this command; nr_todo 0: nobody knows, as in a search */
	double share;		 /* UNKNOWN for none */
	const struct point_spec *spec;
	const char *doing; /* "ramp", or why there are no figures; NULL for nothing */
	double iops, lat_ns;
	uint64_t left_ns;	/* PROGRESS_TIME_UNKNOWN for none ... */
	const char *left_title; /* ... and what it is: "ETA" */
	struct progress_counts counts;
};

/* Without a line end, at most width columns. */
void progress_line(struct buf *b, const struct progress_view *v, size_t width);

/* "1 failed, 2 spoiled (stall, foreign-load)"; nothing where all is well. */
void progress_counts(struct buf *b, const struct progress_counts *c);
/* "3905 IOPS, 8.18 ms"; nothing while there is none. */
void progress_rate(struct buf *b, double iops, double lat_ns);

#endif
