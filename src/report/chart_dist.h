/* SPDX-License-Identifier: MIT */
/*
 * Distributions of latency: the tail and the density, from the histograms, and percentiles against depth. A
 * panel for each curve of a group, reads and writes apart where it has both.
 */
#ifndef REPORT_CHART_DIST_H
#define REPORT_CHART_DIST_H

#include "report/chart_group.h"
#include "report/chart_rows.h"
#include "stats/hist.h"

/* One panel: a direction of a curve, or of a point, with a line for each of at most eight depths or offered loads. */
struct dist {
	struct buf title;	       /* "span 1G, reads" */
	const struct report_curve *rc; /* NULL for a point and for loads */
	struct hist *
		hist[PICTURE_MAX_SERIES]; /* by depth of the set; NULL where there is none; owned */
};

struct dist_set {
	const struct report_run *run; /* its caps are drawn */
	struct dist *v;		      /* owned */
	size_t nr;
	/* Those that are drawn; of offered loads their places, from 1. */
	uint32_t depth[PICTURE_MAX_SERIES];
	const struct point_spec *load[PICTURE_MAX_SERIES]; /* with loads, of each; borrowed */
	bool is_missed[PICTURE_MAX_SERIES];		   /* a load that was not sustained */
	size_t nr_depths;
	uint32_t *measured; /* those that they were chosen of; owned */
	size_t nr_measured;
	/* Of the first curve that has one, or the highest load that was sustained; 0 for none. */
	uint32_t knee;
};

void dist_set_release(struct dist_set *s);

/* A kind of picture: the beginning of its file name, the end of its title, and how to read it. */
struct dist_kind {
	const char *name, *title, *how_to_read;
};
extern const struct dist_kind dist_tail, dist_density;

/* The panels [first, last) of the set into a picture with so many panels. The caption goes on with the figures
 * and what is left out. */
void dist_draw_tail(struct picture *p, const struct dist_set *s, size_t first, size_t last);
void dist_draw_density(struct picture *p, const struct dist_set *s, size_t first, size_t last);

/* "iodepth 4", "load 90%", or "load 120%, not sustained" */
void dist_add_name(struct buf *b, const struct dist_set *s, size_t k);
/* Whether the caption gives figures of this depth: the ends and the knee tell enough. */
bool dist_is_told(const struct dist_set *s, size_t k);
/* Say which depths of the set are drawn, if that is not all that were measured. */
void dist_explain_depths(struct buf *b, const struct dist_set *s, const bool *is_drawn);

/* Lines for the caps on percentiles. */
void dist_add_caps(struct panel *p, const struct report_run *run, bool is_vertical);

/* Which directions have a panel of their own, and what it is called. */
size_t dist_dirs(const struct point_spec *s, enum dir dir[2]);
void dist_add_title(struct buf *b, const struct point_spec *s, enum dir dir);

/* Call draw for each group of curves that differ in span and offset only. */
void dist_each_group(struct charts *out, const struct chart_source *from,
		     void (*draw)(struct charts *out, const struct chart_group *g));

/* Pictures that so many panels need, the panels [first, last) of one, and the picture of curves like spec with
 * the head of its caption. */
size_t dist_nr_parts(size_t nr_panels);
void dist_part(size_t nr_panels, size_t part, size_t *first, size_t *last);
struct picture *dist_begin(struct charts *out, const struct chart_source *from,
			   const struct point_spec *spec, const struct dist_kind *kind,
			   size_t nr_panels, size_t part, size_t parts);

/* Every depth of the group; see chart_all_depths. */
uint32_t *dist_all_depths(const struct chart_group *g, size_t *nr);

#endif
