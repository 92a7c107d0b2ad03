/* SPDX-License-Identifier: MIT */
/* The axes of a point as columns of any table whose rows begin with a struct axis_row. */
#ifndef CMD_AXIS_COLUMNS_H
#define CMD_AXIS_COLUMNS_H

#include "cmd/columns.h"
#include "model/point.h"

struct axis_row {
	const struct point_spec *spec;
};

/* The name of the curve. */
void axis_curve(const void *row, struct value *v);
void axis_rw(const void *row, struct value *v);
void axis_bs(const void *row, struct value *v);
void axis_span(const void *row, struct value *v);
void axis_offset(const void *row, struct value *v);
void axis_mix(const void *row, struct value *v);
void axis_random(const void *row, struct value *v);
void axis_workers(const void *row, struct value *v);
/* NULL for 0: a figure of a whole curve. */
void axis_depth(const void *row, struct value *v);

#define AXIS_COLUMNS \
	{"curve", axis_curve, 0}, {"rw", axis_rw, 0}, {"bs_bytes", axis_bs, 0}, \
		{"span_bytes", axis_span, 0}, {"offset_bytes", axis_offset, 0}, \
		{"rwmixread_pct", axis_mix, 0}, {"random_pct", axis_random, 0}, \
		{"workers", axis_workers, 0}, \
	{ \
		"iodepth", axis_depth, 0 \
	}

#endif
