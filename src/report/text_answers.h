/* SPDX-License-Identifier: MIT */
/* The answers of a run, in front of everything else of the text report. */
#ifndef REPORT_TEXT_ANSWERS_H
#define REPORT_TEXT_ANSWERS_H

#include "report/report.h"
#include "report/text.h"

/* Where there are many curves a line for each kind of them, then a table with a line for each curve, and how the
 * IOPS depend on the span. dropped as for text_curve. */
void text_answers(struct buf *b, const struct report_run *run, struct text_style style,
		  struct buf *dropped);

#endif
