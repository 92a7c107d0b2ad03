/* SPDX-License-Identifier: MIT */
/* The sections of the HTML page; for html*.c only. Each appends itself, and nothing where there is nothing to say. */
#ifndef REPORT_HTML_PARTS_H
#define REPORT_HTML_PARTS_H

#include "report/html.h"

/* More curves than this in a report, and their sentences stand with their tables. */
#define HTML_MAX_CARDS 16

/* "Run 3: ult-lun-sizing on sdb", shortened; in front of what is one run's where there are several. */
void html_run_heading(struct buf *b, const struct html_page *page, const struct report_run *run);

/* Curves and response curves of all runs. */
size_t html_count_curves(const struct report *r);

/* What larger spans cost, with a table; nothing for a run of one span. */
void html_spans(struct buf *b, const struct report_run *run);

void html_answers(struct buf *b, const struct html_page *page);
void html_charts(struct buf *b, const struct html_page *page);
void html_tables(struct buf *b, const struct html_page *page);
void html_warnings(struct buf *b, const struct html_page *page);
void html_setup(struct buf *b, const struct html_page *page);
void html_method(struct buf *b, const struct html_page *page);
void html_again(struct buf *b, const struct html_page *page);

/* The sentences of a curve, each a paragraph of class "said". */
void html_curve_sentences(struct buf *b, const struct report_run *run,
			  const struct report_curve *rc);
void html_response_sentences(struct buf *b, const struct report_run *run,
			     const struct report_response *rr);

#endif
