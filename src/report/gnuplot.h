/* SPDX-License-Identifier: MIT */
/* Running gnuplot, and names that are safe in its scripts. */
#ifndef REPORT_GNUPLOT_H
#define REPORT_GNUPLOT_H

#include "base/buf.h"
#include "base/err.h"

/*
 * Append s as a gnuplot string. In single quotes only the quote itself means anything, so no
 * backquote, backslash or brace in a device's name can become a command; control characters
 * become blanks.
 */
void gnuplot_quote(struct buf *b, const char *s);

/*
 * Run `gnuplot script` in the directory dir, without a shell and without the user's start-up
 * files, for at most 60 s. -1 and ERR_TOOL when it is not installed, failed (with what it said),
 * or did not end.
 */
int gnuplot_run(const char *dir, const char *script, struct err *e);

#endif
