/* SPDX-License-Identifier: MIT */
/* The figures of a point by name and unit, as CSV columns and JSON keys. Names are promises: they
 * are added to, never changed. */
#ifndef REPORT_FIELDS_H
#define REPORT_FIELDS_H

#include "model/point.h"

#include <stddef.h>

struct field {
	const char *name; /* with its unit */
	size_t offset;	  /* of a double */
	double scale;	  /* what it is multiplied with to be in that unit */
};

/* Of one direction, in struct figures; ended by a NULL name. */
extern const struct field field_figures[];
/* Of the whole point, in struct point; ended by a NULL name. */
extern const struct field field_points[];

/* The value of a field of the struct at base, in the field's unit. */
double field_value(const struct field *f, const void *base);

#endif
