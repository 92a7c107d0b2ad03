/* SPDX-License-Identifier: MIT */
/*
 * One picture: panels in rows and columns, each with axes, curves, marks and rules, or a heat map. As a gnuplot
 * script, its data, and a caption. Nothing in them depends on the time or the directory, so that the same data
 * give the same bytes (D38). All margins and ranges are set by the script, none is left to gnuplot, so that
 * picture_place() knows where a value is drawn.
 */
#ifndef REPORT_PICTURE_H
#define REPORT_PICTURE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

#define PICTURE_MAX_SERIES 8 /* of a panel: as many as readers can tell apart */
#define PANEL_MAX_MARKS	   4
#define PANEL_MAX_RULES	   6
#define PANEL_MAX_BANDS	   16
#define PICTURE_WIDTH	   1100 /* user units of the SVG */

struct picture_layout;

enum scale {
	SCALE_LINEAR, /* begins at 0, or at the lowest value below it, unless from is known */
	SCALE_LOG2,
	SCALE_LOG10,
	SCALE_RANK, /* places 0, 1, 2, ..., each with a tick: names and other classes */
	SCALE_TAIL, /* shares of exceedance, 1 and down: each nine has the same room. On x the tail is on the
		     * right (percentiles), on y at the bottom (exceedance). */
};

struct tick {
	double at;
	char *label; /* owned */
};

struct panel_axis {
	/* With its unit, and the scale where it is not linear; borrowed, NULL for none. */
	const char *title;
	enum scale scale;
	/* At least this is covered besides what is drawn, so that pictures can be compared; UNKNOWN for none. */
	double min, max;
	/* The ends of the axis, whatever is drawn; UNKNOWN: round numbers around all of it. */
	double from, to;
	struct tick *tick; /* ascending; with none, round numbers are chosen */
	size_t nr_ticks, tick_cap;
};

enum cell_kind {
	CELL_GAP, /* failed or not measured: the line is broken here */
	CELL_VALID,
	CELL_LIMITED, /* valid, but the client or the host's queue was the limit */
	CELL_SPOILED, /* drawn hollow and apart */
};

struct cell {
	double x, y;
	/* 95 % intervals; UNKNOWN for none. Of bars, x_low and x_high are their edges. */
	double x_low, x_high, y_low, y_high;
	enum cell_kind kind;
	char *label; /* written beside it where there is room; owned, NULL for none */
	char *tip; /* what is shown on hover, lines ended by '\n'; owned; NULL: made from names and titles */
};

enum look {
	LOOK_CURVE, /* line and points */
	LOOK_LINE,  /* line only: many points */
	LOOK_STEPS, /* each value holds until the next x */
	LOOK_BARS,  /* from the bottom; on a rank axis those of several series stand side by side */
	LOOK_POINTS, /* no line */
};

struct series {
	struct buf name; /* in the legend; the same name has the same colour in all panels */
	enum look look;
	unsigned color; /* place in the palette from 1; 0: by the order of names in the picture */
	struct cell *cell; /* in drawing order; owned */
	size_t nr, cap;
};

struct mark {
	double x, y;
};

/* Points that answer a question: the knee, or a cap. Same title, same shape in all panels. */
struct marks {
	char *title; /* owned; in the legend */
	struct mark *v;
	size_t nr, cap;
};

/* A line across the panel: a cap, the loss limit, 70 % of the knee. Not drawn where it is far from all that is. */
struct rule {
	bool is_vertical;
	double at;
	char *label;		 /* at its end; owned */
	const struct series *of; /* of the same panel: drawn in its colour; NULL for none */
};

/* A grey band from one x to another: the ramp, a stall. */
struct band {
	double from, to;
	char *label; /* at its top where there is room; owned */
};

/* A rectangle of a heat map; x and y are places of SCALE_RANK axes. */
struct heat_cell {
	double x, y, value;
	char *text;	     /* written into it; owned, NULL for none */
	char *tip;	     /* as of a cell */
	enum cell_kind kind; /* gaps are grey with a cross, spoiled and limited ones framed */
};

struct panel {
	struct buf title; /* empty where the picture has one column and no need */
	struct panel_axis x, y;
	struct series series[PICTURE_MAX_SERIES];
	size_t nr_series;
	struct marks marks[PANEL_MAX_MARKS];
	size_t nr_marks;
	struct rule rule[PANEL_MAX_RULES];
	size_t nr_rules;
	struct band band[PANEL_MAX_BANDS];
	size_t nr_bands;
	struct heat_cell *heat; /* instead of series; owned */
	size_t nr_heat, heat_cap;
	const char *heat_title;	   /* what its values are, with the unit; borrowed */
	double heat_min, heat_max; /* at least this is covered by the colours; UNKNOWN for none */
	bool is_heat_log;
};

/*
 * Axes with the same title and scale are one: a row of panels has one y axis, a picture one x axis, with the range and
 * the ticks of all of them; so are the colours of heat maps with the same heat_title.
 */
struct picture {
	char *name;		    /* of its files, without an ending; safe in any file system */
	struct buf title, subtitle; /* any text; long ones are shortened */
	struct buf
		caption; /* how to read it, then what it shows and what is missing: the text file beside it */
	size_t reading_at,
		reading_end; /* where in the caption it says how to read it; both 0: not told apart */
	const char *limited_title; /* what CELL_LIMITED means here */
	/* Pictures of a report with the same key have axes and colours of one range; owned, NULL for none. */
	char *scale_key;
	unsigned rows, cols;
	struct panel *panel; /* rows * cols of them, row by row; owned */
	/* Made when places or the script are first asked for: the picture is complete then. Owned. */
	struct picture_layout *layout;
};

void picture_init(struct picture *p, unsigned rows, unsigned cols);
void picture_release(struct picture *p);
struct panel *picture_panel(struct picture *p, unsigned row, unsigned col);
/* Whether any cell has an interval, so that there is a bar. */
bool picture_has_intervals(const struct picture *p);

/* At most PICTURE_MAX_SERIES, PANEL_MAX_MARKS of them. */
struct series *panel_add_series(struct panel *p, enum look look);
struct marks *panel_add_marks(struct panel *p, const char *title);
/* The new cell, with a gap in it if y or x is UNKNOWN; intervals UNKNOWN, no label and no tip. It is valid until the
 * next one is added. */
struct cell *series_add(struct series *s, enum cell_kind kind, double x, double y);
void marks_add(struct marks *m, double x, double y);
/* What is more than PANEL_MAX_RULES or PANEL_MAX_BANDS is left out (NULL). */
struct rule *panel_add_rule(struct panel *p, bool is_vertical, double at, const char *label);
void panel_add_band(struct panel *p, double from, double to, const char *label);
struct heat_cell *panel_add_heat(struct panel *p, enum cell_kind kind, double x, double y,
				 double value);
/* Widen the axis so that it covers this. UNKNOWN and, on log scales, 0 and below change nothing. */
void axis_cover(struct panel_axis *a, double v);
/* Ticks come in ascending order; one at the place of the last is dropped. */
void axis_add_tick(struct panel_axis *a, double at, const char *label);

/* Whether anything can be seen in it. */
bool picture_has_points(const struct picture *p);

/* formats: endings of the files that the script draws, separated by blanks: "png svg" (image.h names them). */
void picture_script(const struct picture *p, const char *formats, struct buf *gp);
void picture_data(const struct picture *p, struct buf *dat);

/*
 * Where a value of a panel is drawn, for what is laid over the picture (values on hover in HTML): in user
 * units of the SVG (its viewBox is 0 0 PICTURE_WIDTH picture_height()), to about one of them. NaN outside the axes.
 */
struct picture_place {
	double x, y;
};
/* A rectangle, from its upper left corner. */
struct picture_box {
	double x, y, width, height;
};
double picture_height(const struct picture *p);
/* Of the axes of a panel. */
struct picture_box picture_panel_box(const struct picture *p, const struct panel *panel);
struct picture_place picture_place(const struct picture *p, const struct panel *panel, double x,
				   double y);
/* The same of a cell: for bars the middle of its top; NaN for a gap. */
struct picture_place picture_place_cell(const struct picture *p, const struct panel *panel,
					const struct series *s, const struct cell *c);
struct picture_box picture_place_heat(const struct picture *p, const struct panel *panel,
				      const struct heat_cell *h);

/* The tip of a cell: its own, or one made from the series' name and the axes' titles. Lines ended by '\n'. */
void picture_add_tip(struct buf *b, const struct panel *p, const struct series *s,
		     const struct cell *c);
void picture_add_heat_tip(struct buf *b, const struct panel *p, const struct heat_cell *h);

#endif
