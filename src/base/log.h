/* SPDX-License-Identifier: MIT */
/* Talk, on stderr: one line an event. Only cmd/ talks; everything else returns errors. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>

/* quiet drops log_info, not warnings or errors. */
void log_set_quiet(bool quiet);

void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Whether stderr is a terminal that can rewrite a line (not TERM=dumb). */
bool log_is_live(void);

/* Rewrite the live progress line, cut to the terminal's width; nothing elsewhere. The other
 * log functions clear it first. */
void log_progress(const char *text);

#endif
