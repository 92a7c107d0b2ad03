/* SPDX-License-Identifier: MIT */
/*
 * The report as one page of HTML that needs nothing else: no network, no file beside it, no script (which adds sorting,
 * copying and values on hover). Answers first, then charts, tables, warnings, the set-up, the method, and how
 * to make it again. The same data give the same bytes.
 */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include "base/buf.h"
#include "base/err.h"
#include "report/chart.h"
#include "report/report.h"

/* What the page is made from; all of it is borrowed. */
struct html_page {
	const struct report *report;
	const struct charts *charts; /* NULL: none are shown */
	const char *dir;     /* where gnuplot drew them: each NAME.svg that is there is shown */
	const char *trouble; /* why some were not drawn, a sentence without its full stop; NULL */
	/* Where not NULL: filled when a picture that was drawn cannot be shown, with the first such. */
	struct err *not_shown;
	const char *database, *version; /* for "how to make it again"; NULL where not known */
};

void html_report(struct buf *b, const struct html_page *page);

#endif
