/* SPDX-License-Identifier: MIT */
/* The report for people: answers first, then a table per curve, warnings, and the set-up. */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include "base/buf.h"
#include "report/report.h"

struct text_style {
	size_t width;	  /* columns; 80 where 0 */
	bool color;	  /* headings and verdicts stand out (base/term.h) */
	bool utf8;	  /* plots may use more than ASCII */
	bool is_markdown; /* for a wiki instead: see markup.h */
};

void text_report(struct buf *b, const struct report *r, struct text_style style);
/* Of runs that were searches: the answers with their points, and what to know of them. */
void text_searches(struct buf *b, const struct report *r, struct text_style style);

#endif
