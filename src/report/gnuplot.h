/* SPDX-License-Identifier: MIT */
/* Running gnuplot, and names that are safe in its scripts. */
#ifndef REPORT_GNUPLOT_H
#define REPORT_GNUPLOT_H

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"

#include <stdint.h>

/*
 * Append s as a gnuplot string. In single quotes only the quote itself means anything, so no
 * backquote, backslash or brace in a device's name can become a command; control characters
 * become blanks.
 */
void gnuplot_quote(struct buf *b, const char *s);

#define GNUPLOT_TIME_LIMIT_NS (60 * NS_PER_S)

/*
 * Run `gnuplot script` in the directory dir, without a shell and without the user's start-up
 * files; it is killed after limit_ns. -1 and ERR_TOOL when it is not installed, failed (with what it said),
 * or did not end.
 */
int gnuplot_run(const char *dir, const char *script, uint64_t limit_ns, struct err *e);

#endif
