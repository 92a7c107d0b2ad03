/* SPDX-License-Identifier: MIT */
#include "cmd/axis_columns.h"

static const struct point_spec *spec_of(const void *row)
{
	return ((const struct axis_row *)row)->spec;
}

void axis_curve(const void *row, struct value *v)
{
	struct buf b = BUF_INIT;

	buf_add_curve_name(&b, spec_of(row));
	value_text(v, buf_text(&b));
	buf_release(&b);
}

void axis_rw(const void *row, struct value *v)
{
	value_text(v, rw_name(spec_of(row)->rw));
}

void axis_bs(const void *row, struct value *v)
{
	value_int(v, (int64_t)spec_of(row)->bs_bytes);
}

void axis_span(const void *row, struct value *v)
{
	value_int(v, (int64_t)spec_of(row)->span_bytes);
}

void axis_offset(const void *row, struct value *v)
{
	value_int(v, (int64_t)spec_of(row)->offset_bytes);
}

void axis_mix(const void *row, struct value *v)
{
	value_int(v, spec_of(row)->rwmixread_pct);
}

void axis_random(const void *row, struct value *v)
{
	value_int(v, spec_of(row)->random_pct);
}

void axis_workers(const void *row, struct value *v)
{
	value_int(v, spec_of(row)->workers);
}

void axis_depth(const void *row, struct value *v)
{
	if (spec_of(row)->iodepth)
		value_int(v, spec_of(row)->iodepth);
}
