/* SPDX-License-Identifier: MIT */
/* One run in full, for people: its set-up, its sweep, and a line per point. */
#ifndef REPORT_RUN_TEXT_H
#define REPORT_RUN_TEXT_H

#include "base/buf.h"
#include "model/run.h"
#include "report/text.h"

/* Lines of facts are broken at style.width, and never where that is 0; commands and the sweep are
 * kept as they are. The table of points takes style.width columns, 80 where that is 0. */
void run_text(struct buf *b, const struct run_info *r, const struct point *points, size_t nr,
	      struct text_style style);

#endif
