/* SPDX-License-Identifier: MIT */
/* Axes that charts can have: everything in which two points of a report can differ. */
#ifndef REPORT_CHART_AXIS_H
#define REPORT_CHART_AXIS_H

#include "base/err.h"
#include "report/chart_sample.h"

enum chart_axis {
	CHART_BY_RW,
	CHART_BY_RWMIXREAD,
	CHART_BY_RANDOM,
	CHART_BY_BS,
	CHART_BY_SPAN,
	CHART_BY_OFFSET,
	CHART_BY_WORKERS,
	CHART_BY_IODEPTH,
	CHART_BY_RATE,
	CHART_BY_RUN,  /* of which target */
	CHART_BY_IOPS, /* what was achieved: only as x, for response curves */
	CHART_AXIS_NR, /* none */
};

struct chart_axis_kind {
	const char *name, *alias; /* of the option's value; alias may be NULL */
	const char *noun;	  /* in sentences: "block size" */
	const char *title;	  /* of the x axis, with unit and scale */
	const char *before; /* in front of a value where nothing else says what it is: "iodepth " */
	enum scale scale;
	bool has_ticks; /* one for each value */
};

/* By enum chart_axis. */
extern const struct chart_axis_kind chart_axes[CHART_AXIS_NR];

/* The axis of this name: 0, or -1 and a usage error that lists them. */
int chart_axis_parse(const char *name, enum chart_axis *axis, struct err *e);

/* Points with the same key have the same value; keys sort as values do. 0 where a closed loop has no
 * rate. */
double chart_axis_key(enum chart_axis axis, const struct chart_sample *s);
/* Where it is drawn on an axis that is not SCALE_RANK; UNKNOWN where it cannot be. */
double chart_axis_place(enum chart_axis axis, const struct chart_sample *s);
/* "4k", "500GB", "70%", "randread"; of a run its name. */
void chart_axis_add_value(struct buf *b, enum chart_axis axis, const struct report *r,
			  const struct chart_sample *s);
/* With what it is: "iodepth 8", "span 500GB", "4k". */
void chart_axis_add_named(struct buf *b, enum chart_axis axis, const struct report *r,
			  const struct chart_sample *s);

/* Axes as bits. */
#define CHART_AXIS_BIT(axis) (1U << (axis))

/* Those of the sweep in which two points differ. */
unsigned chart_axes_differing(const struct point_spec *a, const struct point_spec *b);
/* The values of a point in these axes, "randread 4k iodepth 8"; what the pattern implies is left out, and so are
 * with is_brief the values that nobody asks for: one worker, no offset. */
void chart_axes_add(struct buf *b, unsigned axes, const struct point_spec *s, bool is_brief);
/* The same for ticks, as short as can be: "randrw 70r 16k 100% d16". */
void chart_axes_add_short(struct buf *b, unsigned axes, const struct point_spec *s);
/* Whether it is such a value, or implied. */
bool chart_axis_is_usual(enum chart_axis axis, const struct point_spec *s);

/* What tells this run from the others of the report: the label of its target or else its path, and the
 * run's number too where others are called the same. */
void chart_add_run_name(struct buf *b, const struct report *r, size_t run);

/* The different values of samples on an axis, ascending; v borrowed from the samples, the list owned. */
struct chart_levels {
	const struct chart_sample **v;
	size_t nr;
};

void chart_levels_find(struct chart_levels *l, enum chart_axis axis,
		       const struct chart_sample *const *v, size_t nr);
void chart_levels_release(struct chart_levels *l);
/* The level that the sample is of. */
size_t chart_levels_at(const struct chart_levels *l, enum chart_axis axis,
		       const struct chart_sample *s);

#endif
