/* SPDX-License-Identifier: MIT */
/* Which curves belong to which span: the first step of analyze/size.h. */
#ifndef ANALYZE_SIZE_SPANS_H
#define ANALYZE_SIZE_SPANS_H

#include "model/sizing.h"

/*
 * Fill a->span (spec, lun_bytes, and by[].curve), ascending in span, and a->mix_read_pct, from a->q
 * and these curves. Errors as size_find.
 */
int size_spans_choose(const struct curve *curves, size_t nr, struct size_answer *a, struct err *e);

#endif
