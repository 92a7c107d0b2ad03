/* SPDX-License-Identifier: MIT */
/* One point in full, for people. */
#ifndef REPORT_POINT_TEXT_H
#define REPORT_POINT_TEXT_H

#include "base/buf.h"
#include "model/measurement.h"
#include "model/run.h"
#include "report/text.h"

/* What is shown: p has the stored figures of m; all borrowed. */
struct point_view {
	const struct run_info *run;
	const struct measurement *m;
	const struct point *p;
};

/* How it went, what each verdict means, and where there are figures all tables, the counters and the
 * series. Tables take 80 columns at most; other lines are broken at
 * style.width, and never where that is 0. */
void point_text(struct buf *b, const struct point_view *v, struct text_style style);

#endif
