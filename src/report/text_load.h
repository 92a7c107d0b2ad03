/* SPDX-License-Identifier: MIT */
/* The part of the text report that is about offered load; for text.c only. */
#ifndef REPORT_TEXT_LOAD_H
#define REPORT_TEXT_LOAD_H

#include "report/markup.h"
#include "report/report.h"
#include "report/text.h"

/* Behind the status of a point: which run measured it, where that is not this one. */
void text_other_run(struct buf *s, const struct report_run *run, const struct point *p);

/* The answers of all response curves, one line each; nothing where there are none. */
void text_load_answers(struct buf *b, const struct report_run *run, struct text_style style);
/* One response curve: sentences and the table of its points; dropped as for text_curve. */
void text_load_curve(struct buf *b, const struct report_run *run, const struct report_response *rr,
		     struct text_style style, struct buf *dropped);

#endif
