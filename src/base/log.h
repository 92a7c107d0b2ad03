/* SPDX-License-Identifier: MIT */
/* Talk, on stderr: one line an event. Only cmd/ talks; everything else returns errors. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>
#include <stddef.h>

/* quiet drops log_info, not warnings or errors. */
void log_set_quiet(bool quiet);

void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Whether stderr is a terminal that can rewrite a line (not TERM=dumb). */
bool log_is_live(void);

/* Columns that the live progress line has. */
size_t log_width(void);

/* Rewrite the live progress line, which has no more than log_width columns; nothing elsewhere, with quiet, and
 * while the terminal takes no output: it never waits. The other log functions clear the line first. */
void log_progress(const char *text);

#endif
