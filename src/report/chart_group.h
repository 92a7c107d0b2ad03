/* SPDX-License-Identifier: MIT */
/* What the two kinds of charts have in common; for the chart files only. */
#ifndef REPORT_CHART_GROUP_H
#define REPORT_CHART_GROUP_H

#include "report/chart.h"

/* Curves that go into one chart, or into several of one scale when they are many. */
struct chart_group {
	const struct report *report;
	const struct report_run *run;
	const struct report_curve *const *curve;
	size_t nr;
	uint32_t depth; /* of a span chart */
};

/* What a curve has at one depth. */
struct chart_cell {
	enum cell_kind kind;
	double iops, lat_ms;
};

/* All pictures of a group, added to out. */
void chart_draw_depth(struct charts *out, const struct chart_group *g);
void chart_draw_span(struct charts *out, struct chart_group *g, uint32_t wanted_depth);
/* Those of response curves, which are no groups of curves: g has none. */
void chart_draw_loads(struct charts *out, const struct chart_group *g);

/* 0 where two curves differ in span and offset only. */
int chart_compare_patterns(const struct report_curve *a, const struct report_curve *b);

/* Pictures that this many lines need. */
size_t chart_nr_parts(size_t nr);
/* A picture with the scales of the whole group; takes name. */
struct picture *chart_add_picture(struct charts *out, const struct chart_group *g, char *name,
				  size_t part, size_t nr_parts);

/* Widen the scales to these figures. */
void chart_cover(struct picture *p, const struct figures *f);
void chart_name_caps(struct picture *p, const struct report_run *run);

double chart_ms(double lat_ns);
/* The valid point at this depth; NULL where there is none. */
const struct curve_point *chart_find_valid(const struct curve *c, uint32_t depth);
/* Rows from first on that have its depth. */
size_t chart_same_depth(const struct curve *c, size_t first);
/* Rows [first, first + nr) of the curve are all that it has at this depth. */
struct chart_cell chart_look_at(const struct curve *c, size_t first, size_t nr);

/* Parts of titles and of file names. */
void chart_add_mix(struct buf *b, const struct point_spec *s, bool is_file_name);
void chart_add_workers(struct buf *b, const struct point_spec *s, bool is_file_name);
void chart_add_rw(struct buf *b, const struct point_spec *s);
void chart_add_run_prefix(struct buf *b, const struct chart_group *g);
void chart_add_part(struct buf *b, size_t part, size_t nr_parts);

/* The caption: its head, a line (s is empty afterwards), and why lines have gaps and hollow
 * points: all of the curve, or those of one depth unless it is 0. */
void chart_begin_caption(struct picture *p, const struct chart_group *g);
void chart_add_line(struct picture *p, struct buf *s);
void chart_explain_rows(struct picture *p, const struct curve *c, uint32_t depth);
void chart_explain_row(struct picture *p, const struct point *row);

#endif
