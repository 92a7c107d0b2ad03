/* SPDX-License-Identifier: MIT */
/* How a picture is laid out: for the picture files only. Lengths are user units of the SVG. */
#ifndef REPORT_PICTURE_PARTS_H
#define REPORT_PICTURE_PARTS_H

#include "report/picture.h"

#define CHAR_WIDTH  8.2 /* of the axes' font, on average */
#define LINE_HEIGHT 18.0

/* An axis as it is drawn, from all panels that it stands for. */
struct axis_view {
	const char *title;
	enum scale scale;
	bool is_y;
	double lo, hi; /* left or lower end, right or upper end: of a tail on x, lo is above hi */
	struct tick *tick; /* label "" where there is no room for it; owned */
	size_t nr_ticks, tick_cap;
	bool is_rotated; /* names that do not fit side by side */
};

void axis_view_init(struct axis_view *a, const struct picture *p, const struct panel *panel,
		    bool is_y);
/* Choose ticks if there are none, and drop labels that would touch others on an axis of this length. */
void axis_view_label(struct axis_view *a, double length);
void axis_view_release(struct axis_view *a);
/* 0 at lo, 1 at hi; NaN where the scale has no such value. */
double axis_view_share(const struct axis_view *a, double v);
/* How much room the longest label takes away from the axis. */
double axis_view_label_room(const struct axis_view *a);
bool axis_is_same(const struct panel_axis *a, const struct panel_axis *b);
bool scale_is_log(enum scale s);

struct panel_layout {
	struct axis_view x, y;
	struct picture_box box;
	double y_title_x;		 /* the same for all panels of a column */
	bool has_x_labels, has_y_labels; /* else another panel's stand for them */
};

/* What the legend lists, in its order. */
struct legend {
	const struct series **series; /* the first of each name; owned array */
	size_t nr_series, series_cap;
	const struct marks *marks[PANEL_MAX_MARKS * 2]; /* the first of each title */
	size_t nr_marks;
	bool has_names; /* else the only series needs none */
	bool has_spoiled, has_limited;
};

struct picture_layout {
	bool is_made;
	double height;
	bool has_legend;
	double legend_x, legend_y;
	struct panel_layout *panel; /* rows * cols; owned */
	size_t nr_panels;
	struct legend legend;
};

/* Of a picture that is complete; made when it is first asked for. */
const struct picture_layout *picture_layout(const struct picture *p);
void picture_layout_release(struct picture_layout *l);
const struct panel_layout *panel_layout(const struct picture *p, const struct panel *panel);

bool series_has(const struct series *s, enum cell_kind kind);
/* Whether it has a cell that is no gap. */
bool series_is_visible(const struct series *s);
bool panel_has_points(const struct panel *p);
bool picture_is_heat(const struct picture *p);
/* Its place in the palette, from 0. */
size_t picture_color(const struct picture *p, const struct series *s);
/* Its place among the titles of the picture, from 0. */
size_t picture_shape(const struct picture *p, const struct marks *m);

/* Bars of a rank axis: the middle and the width of those of this series around their place. */
struct bar_room {
	double shift, width;
};
struct bar_room panel_bar_room(const struct panel *p, const struct series *s);

/* The blocks of the data file: of a panel its series, then its marks, then its heat map. */
size_t picture_block(const struct picture *p, const struct panel *panel);

bool series_has_intervals(const struct series *s, bool is_y);

/* Heat maps. Their range of colours is that of all panels with the same title. */
void heat_add_data(struct buf *dat, const struct picture *p, const struct panel *panel);
/* The palette, and the scale beside the panels. */
void heat_add_colors(struct buf *gp, const struct picture *p, const struct panel *panel);
void heat_add_plots(struct buf *gp, const struct picture *p, const struct panel *panel,
		    bool *is_first);

/* Parts of the script. */
void script_begin_plot(struct buf *gp, bool *is_first);
/* Text, shortened to max characters, at a place of the picture. */
void script_add_label(struct buf *gp, const struct picture *p, const char *text, size_t max,
		      double x, double y, const char *how);
const char *script_color(const struct picture *p, const struct series *s);
/* Rules, bands, and the labels of these and of cells, where there is room for them. */
void script_add_notes(struct buf *gp, const struct picture *p, const struct panel *panel);

#endif
