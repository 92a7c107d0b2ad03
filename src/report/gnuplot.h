/* SPDX-License-Identifier: MIT */
/* Running gnuplot, and names that are safe in its scripts. */
#ifndef REPORT_GNUPLOT_H
#define REPORT_GNUPLOT_H

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Append s as a gnuplot string. In single quotes only the quote itself means anything, so no
 * backquote, backslash or brace in a device's name can become a command; control characters
 * become blanks.
 */
void gnuplot_quote(struct buf *b, const char *s);

#define GNUPLOT_TIME_LIMIT_NS (60 * NS_PER_S)

struct gnuplot_script {
	char *name;
	bool is_drawn; /* whether gnuplot came to its end without an error */
};

/*
 * Run these scripts in the directory dir, without a shell and without the user's start-up files: many in one process,
 * since starting one costs as much as drawing. A script that fails, or does not end within limit_ns and is killed,
 * does not keep the others from being run, unless gnuplot is missing or ends so twice without having drawn anything.
 * A signal that waits for a temporary directory to go (base/temp_dir.h) ends them all.
 * -1 and ERR_TOOL with what it said about all that failed.
 */
int gnuplot_draw(const char *dir, struct gnuplot_script *script, size_t nr, uint64_t limit_ns,
		 struct err *e);
/* The same of one script. */
int gnuplot_run(const char *dir, const char *script, uint64_t limit_ns, struct err *e);

#endif
