/* SPDX-License-Identifier: MIT */
/* The page of HTML of stored runs, with the charts that it shows. */
#ifndef CMD_REPORT_PAGE_H
#define CMD_REPORT_PAGE_H

#include "cmd/report_set.h"
#include "report/chart.h"

/* Append the page with the charts that were drawn in dir; trouble says why some were not, or NULL. -1 and e where it
 * lacks one of which trouble does not tell: the page is whole all the same, and says so. */
int report_page_add(struct buf *b, const struct report_set *set, const struct charts *charts,
		    const char *dir, const char *trouble, struct err *e);

/*
 * The same with pictures of its own, drawn in a temporary directory. -1 and e where some could not be
 * drawn: the page is whole all the same, and says so.
 */
int report_page_draw(struct buf *b, const struct report_set *set, const struct charts *charts,
		     struct err *e);

#endif
