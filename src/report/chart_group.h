/* SPDX-License-Identifier: MIT */
/* What the kinds of charts have in common; for the chart files only. */
#ifndef REPORT_CHART_GROUP_H
#define REPORT_CHART_GROUP_H

#include "report/chart.h"

/* What the charts of one run are made from. */
struct chart_source {
	const struct report *report;
	const struct report_run *run;
	const struct chart_how *how;
};

/* A kind of chart: adds its pictures of the run to out. */
typedef void chart_kind(struct charts *out, const struct chart_source *from);

chart_kind chart_draw_modes, chart_draw_depths, chart_draw_responses, chart_draw_spans,
	chart_draw_luns, chart_draw_loads, chart_draw_load_tails;
chart_kind chart_draw_heats, chart_draw_percentiles, chart_draw_distributions, chart_draw_mixes,
	chart_draw_series;

/* Give pictures with the same scale_key one scale. */
void charts_share_scales(struct charts *c);

/* Curves of the run that go together, in one chart or in several of one scale when they are many. */
struct chart_group {
	struct chart_source from;
	const struct report_curve *const *curve;
	size_t nr;
	uint32_t depth; /* of a span chart, else 0 */
	/* 0 where a curve, also of another run, would be in the same chart as the first. */
	int (*compare)(const struct report_curve *a, const struct report_curve *b);
};

/* All curves of the run, in report order; the caller frees the array. */
const struct report_curve **chart_curves(const struct chart_source *from, size_t *nr);
/* The group that begins at first of nr curves; depth is 0. */
struct chart_group chart_group_at(const struct chart_source *from,
				  const struct report_curve *const *curve, size_t nr, size_t first,
				  int (*compare)(const struct report_curve *a,
						 const struct report_curve *b));
/* 0 where two curves differ in span and offset only. */
int chart_compare_patterns(const struct report_curve *a, const struct report_curve *b);

/* Response curves from first on that go into one chart. */
size_t chart_same_load_pattern(const struct report_run *run, size_t first);

/* Pictures that this many lines need. */
size_t chart_nr_parts(size_t nr);
/* A picture that is one of nr_parts; takes name. */
struct picture *chart_add_picture(struct charts *out, const struct chart_source *from, char *name,
				  size_t part, size_t nr_parts, unsigned rows, unsigned cols);

/* The rows of charts that show figures one above the other. */
enum chart_row { CHART_IOPS, CHART_LAT, CHART_UTIL, CHART_ROW_NR };

/* How many of them there is something for: latency is not always known, and utilisation must be asked for. */
unsigned chart_nr_rows(const struct chart_group *g);
/* Titles and scales of a column of these panels, which cover all points of the group, here and in other runs. */
void chart_set_axes(struct picture *p, const struct chart_group *g, unsigned col, unsigned rows);
/* The titles and scales only. */
void chart_title_axes(struct picture *p, unsigned col, unsigned rows);
/* Lines for the caps on this latency, each once. */
void chart_add_stat_rules(struct panel *p, const struct report_run *run, enum lat_stat stat);
/* Lines for the caps on mean latency. */
void chart_add_cap_rules(struct panel *p, const struct report_run *run);
/* Say in the caption that the caps on percentiles have no such line, where there are any. */
void chart_explain_caps(struct picture *p, const struct report_run *run);
/* A tick for every depth of the curves [first, last). */
void chart_add_depth_ticks(struct panel_axis *a, const struct chart_group *g, size_t first,
			   size_t last);

/* What a curve has at one depth; figures and intervals are UNKNOWN where they are not known. */
struct chart_cell {
	enum cell_kind kind;
	double figure[CHART_ROW_NR]; /* IOPS, ms, per cent */
	double low[CHART_ROW_NR], high[CHART_ROW_NR];
};

/* The valid point at this depth; NULL where there is none. */
const struct curve_point *chart_find_valid(const struct curve *c, uint32_t depth);
/* Rows from first on that have its depth. */
size_t chart_same_depth(const struct curve *c, size_t first);
/* Rows [first, first + nr) of the curve are all that it has at this depth. */
struct chart_cell chart_look_at(const struct curve *c, size_t first, size_t nr);
/* The same of the load that row i of a response curve was offered, at which all of its repeats count. False where
 * no load was offered, or an earlier row has spoken for it. */
bool chart_look_at_load(const struct response *r, size_t i, struct chart_cell *a);
/* Nothing at all. */
struct chart_cell chart_no_cell(void);
/* Add it at x to the newest series of the rows of a column. */
void chart_add_cell(struct picture *p, unsigned col, unsigned rows, double x,
		    const struct chart_cell *a);
/* A new series of this name in each row of a column. */
void chart_add_series(struct picture *p, unsigned col, unsigned rows, const char *name);
/* Knee and caps of a curve in its panel, of IOPS against depth or else of latency against IOPS. */
void chart_mark_answers(struct panel *p, const struct report_run *run,
			const struct report_curve *rc, bool is_depth);

void chart_mark_cap(struct panel *p, struct cap cap, double x, double y);

double chart_ms(double lat_ns);

/* Parts of titles and of file names. */
void chart_add_mix(struct buf *b, const struct point_spec *s, bool is_file_name);
void chart_add_workers(struct buf *b, const struct point_spec *s, bool is_file_name);
void chart_add_rw(struct buf *b, const struct point_spec *s);
void chart_add_run_prefix(struct buf *b, const struct chart_source *from);
void chart_add_part(struct buf *b, size_t part, size_t nr_parts);
/* "iops-depth-randread-4k": prefix, mode, block size and workers. */
char *chart_file_name(const struct chart_source *from, const char *prefix,
		      const struct point_spec *s);
/* "randread 4k workers 2" */
void chart_add_pattern(struct buf *b, const struct point_spec *s);

/* The caption: its head and how to read it, a line (s is empty afterwards), and why lines have gaps and hollow
 * points: all of the curve, or those of one depth unless it is 0. */
void chart_begin_caption(struct picture *p, const struct chart_source *from,
			 const char *how_to_read);
/* Once everything is drawn: how to read it names the bars where there are any. */
void chart_explain_bars(struct picture *p);
void chart_add_line(struct picture *p, struct buf *s);
void chart_explain_rows(struct picture *p, const struct curve *c, uint32_t depth,
			flag_set accepted);
void chart_explain_row(struct picture *p, const struct point *row, flag_set accepted);
/* The curve's name, its knee and its caps. */
void chart_explain_curve(struct picture *p, const struct report_run *run,
			 const struct report_curve *rc);

#endif
