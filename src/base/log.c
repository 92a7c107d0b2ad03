/* SPDX-License-Identifier: MIT */
#include "base/log.h"

#include "base/buf.h"
#include "base/term.h"

#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define WIDTH_DEFAULT 80

static bool is_quiet;
static bool line_is_open;

void log_set_quiet(bool quiet)
{
	is_quiet = quiet;
}

bool log_is_live(void)
{
	return term_is_live(STDERR_FILENO);
}

static void close_line(void)
{
	if (line_is_open)
		(void)fputs("\r\033[K", stderr);
	line_is_open = false;
}

/* One line, whatever stands in it: names and arguments of others must not command the terminal or forge a line of the log. */
static void __attribute__((format(printf, 1, 0))) say(const char *fmt, va_list ap)
{
	struct buf clean = BUF_INIT;
	char *text = NULL;

	close_line();
	if (vasprintf(&text, fmt, ap) >= 0)
		buf_add_clean(&clean, text, SIZE_MAX);
	(void)fprintf(stderr, "%s\n", buf_text(&clean));
	(void)fflush(stderr);
	free(text);
	buf_release(&clean);
}

/* What kind of line it is, in front of it. */
static void lead(const char *plain, enum term_style style, const char *word)
{
	struct buf b = BUF_INIT;

	close_line();
	buf_addstr(&b, plain);
	buf_add_styled(&b, term_has_color(STDERR_FILENO), style, word);
	(void)fputs(buf_text(&b), stderr);
	buf_release(&b);
}

void log_error(const char *fmt, ...)
{
	va_list ap;

	lead("", TERM_BAD, "lunsweep: ");
	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
}

void log_warn(const char *fmt, ...)
{
	va_list ap;

	lead("lunsweep: ", TERM_WARN, "warning: ");
	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
}

void log_info(const char *fmt, ...)
{
	va_list ap;

	if (is_quiet)
		return;
	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
}

size_t log_width(void)
{
	size_t width = term_width(STDERR_FILENO);

	/* One column is left free: writing into the last one wraps on some terminals. */
	return (width ? width : WIDTH_DEFAULT) - 1;
}

/* Output that is held (Ctrl-S) or a slow line must not hold whoever watches a measurement. */
static bool takes_output(void)
{
	struct pollfd p = {STDERR_FILENO, POLLOUT, 0};

	return poll(&p, 1, 0) == 1 && p.revents & POLLOUT;
}

void log_progress(const char *text)
{
	if (is_quiet || !log_is_live() || !takes_output())
		return;
	(void)fprintf(stderr, "\r\033[K%s", text);
	(void)fflush(stderr);
	line_is_open = true;
}
