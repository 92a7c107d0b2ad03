/* SPDX-License-Identifier: MIT */
/* How charts of free axes are drawn; for the chart files only. */
#ifndef REPORT_CHART_FREE_DRAW_H
#define REPORT_CHART_FREE_DRAW_H

#include "report/chart_free.h"

struct chart_figure_kind {
	const char *name, *noun;
	const char *title; /* of the axis, with the unit and the scale */
	enum scale scale;
};

/* By enum chart_figure. */
extern const struct chart_figure_kind chart_figures[CHART_Y_NR];

/* The choice and how its pictures are called. */
struct chart_free {
	const struct report *report;
	const struct chart_choice *choice;
	const char *name;	 /* files begin so; NULL: they are named after the choice */
	bool is_of_several_runs; /* what only one run has is left out */
};

/* Pictures of these samples, which it sorts. */
void chart_free_draw(struct charts *out, const struct chart_free *f, const struct chart_sample **v,
		     size_t nr);

/* The axes besides the chosen ones that tell some of these samples apart, as bits. */
unsigned chart_free_splits(const struct chart_free *f, const struct chart_sample *const *v,
			   size_t nr);

/* The key of a sample in this choice: chart_axis_key but for what the chosen axes imply. */
double chart_free_key(const struct chart_choice *c, enum chart_axis axis,
		      const struct chart_sample *s);

/* What all samples of a picture have in an axis that was not chosen: "span 500GB"; "random" where the share
 * of reads stands for the pattern. */
void chart_free_add_named(struct buf *b, const struct chart_free *f, enum chart_axis axis,
			  const struct chart_sample *s);

/* How a picture is to be read, what it shows, and what is missing; v are its samples, sorted. */
struct chart_free_part {
	const struct chart_sample *const *v; /* of the whole group, sorted by panel, curve and x */
	size_t nr;
	unsigned splits;
	struct chart_levels panels, curves, places;
	size_t first_panel, end_panel, first_curve, end_curve;
	size_t part, nr_parts;
};

void chart_free_title(struct picture *p, const struct chart_free *f,
		      const struct chart_free_part *t);
void chart_free_caption(struct picture *p, const struct chart_free *f,
			const struct chart_free_part *t);

/* Of a figure, in the unit of its axis; UNKNOWN where it has no place there. */
struct chart_value chart_free_value(enum chart_figure f, const struct chart_sample *s);

/* Whether that figure decides: of a point that only a stall spoils, percentiles do. */
enum cell_kind chart_free_kind(const struct chart_choice *c, enum chart_figure f,
			       const struct chart_sample *s);

/* Whether the sample is drawn in this picture. */
bool chart_free_holds(const struct chart_choice *c, const struct chart_free_part *t,
		      const struct chart_sample *s);

#endif
