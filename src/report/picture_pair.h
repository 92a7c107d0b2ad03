/* SPDX-License-Identifier: MIT */
/*
 * One picture of two panels, IOPS above and response time below, over a log2 or a linear axis: as a gnuplot
 * script, its data, and a caption. Nothing in them depends on the time or the directory, so that
 * the same data give the same bytes (D38).
 */
#ifndef REPORT_PICTURE_PAIR_H
#define REPORT_PICTURE_PAIR_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

#define PICTURE_MAX_SERIES 8 /* as many as readers can tell apart */
#define PICTURE_MAX_CAPS   2

enum cell_kind {
	CELL_GAP, /* failed or not measured: the line is broken here */
	CELL_VALID,
	CELL_LIMITED, /* valid, but the client or the host's queue was the limit */
	CELL_SPOILED, /* drawn hollow and apart */
};

struct cell {
	double x;
	double iops, lat_ms;
	enum cell_kind kind;
};

struct series {
	struct buf name;
	struct cell *cell; /* ascending in x; owned */
	size_t nr, cap;
};

struct tick {
	double x;
	char *label; /* owned */
};

/* A point that answers a question: the knee, or a cap. */
struct mark {
	double x, iops, lat_ms;
};

struct marks {
	struct mark *v;
	size_t nr, cap;
};

struct picture {
	char *name;		    /* of its files, without an ending; safe in any file system */
	struct buf title, subtitle; /* any text */
	struct buf caption;	    /* the text file beside the picture */
	const char *x_title;
	const char *limited_title; /* what CELL_LIMITED means here */
	bool is_linear_x;
	struct series series[PICTURE_MAX_SERIES];
	size_t nr_series;
	struct tick *tick; /* ascending */
	size_t nr_ticks, tick_cap;
	struct marks knees;
	struct marks caps[PICTURE_MAX_CAPS];
	char *cap_title[PICTURE_MAX_CAPS];    /* "mean <= 10 ms"; NULL for none */
	double cap_mean_ms[PICTURE_MAX_CAPS]; /* where the line of a cap on the mean goes, or NaN */
	/* Scales: at least these are covered, so that pictures can be compared. */
	double iops_max;
	double lat_min_ms, lat_max_ms; /* NaN where no latency is known */
};

void picture_init(struct picture *p);
void picture_release(struct picture *p);

struct series *picture_add_series(struct picture *p);
void series_add(struct series *s, double x, enum cell_kind kind, double iops, double lat_ms);
/* Ticks come in ascending order; one at the place of the last is dropped. */
void picture_add_tick(struct picture *p, double x, const char *label);
void marks_add(struct marks *m, double x, double iops, double lat_ms);

/* Whether anything can be seen in it. */
bool picture_has_points(const struct picture *p);

void picture_script(const struct picture *p, struct buf *gp);
void picture_data(const struct picture *p, struct buf *dat);

#endif
