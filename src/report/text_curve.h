/* SPDX-License-Identifier: MIT */
/* The part of the text report that is about one curve. */
#ifndef REPORT_TEXT_CURVE_H
#define REPORT_TEXT_CURVE_H

#include "report/report.h"
#include "report/text.h"

/* format_status, in the style of what it does to the point. */
void text_status(struct buf *b, const struct point *p, flag_set accepted, bool has_color);

/* Heading, sentences, what they rest on if explain is set, and the table of points. Columns that there is no
 * room for are noted in dropped (report/table.h). */
void text_curve(struct buf *b, const struct report_run *run, const struct report_curve *rc,
		bool explain, struct text_style style, struct buf *dropped);

#endif
