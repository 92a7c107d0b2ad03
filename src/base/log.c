/* SPDX-License-Identifier: MIT */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool is_quiet;
static bool line_is_open;

void log_set_quiet(bool quiet)
{
	is_quiet = quiet;
}

bool log_is_live(void)
{
	const char *term = getenv("TERM");

	return isatty(STDERR_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

static void close_line(void)
{
	if (line_is_open)
		(void)fputs("\r\033[K", stderr);
	line_is_open = false;
}

static void __attribute__((format(printf, 2, 0))) say(const char *lead, const char *fmt, va_list ap)
{
	close_line();
	(void)fputs(lead, stderr);
	(void)vfprintf(stderr, fmt, ap);
	(void)fputc('\n', stderr);
	(void)fflush(stderr);
}

void log_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("lunsweep: ", fmt, ap);
	va_end(ap);
}

void log_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("lunsweep: warning: ", fmt, ap);
	va_end(ap);
}

void log_info(const char *fmt, ...)
{
	va_list ap;

	if (is_quiet)
		return;
	va_start(ap, fmt);
	say("", fmt, ap);
	va_end(ap);
}

static int columns(void)
{
	struct winsize ws;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_col > 1)
		return ws.ws_col;
	return 80;
}

void log_progress(const char *text)
{
	if (is_quiet || !log_is_live())
		return;
	/* One column is left free: writing into the last one wraps on some terminals. */
	(void)fprintf(stderr, "\r\033[K%.*s", columns() - 1, text);
	(void)fflush(stderr);
	line_is_open = true;
}
