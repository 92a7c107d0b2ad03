/* SPDX-License-Identifier: MIT */
#include "base/term.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { AUTO, ALWAYS, NEVER };
static int color_when = AUTO;

/* Parameters of the escape sequence that begins each style. */
static const char *const codes[TERM_STYLE_NR] = {
	[TERM_HEADING] = "1",
	[TERM_GOOD] = "32",
	[TERM_WARN] = "33",
	[TERM_BAD] = "1;31",
	[TERM_DIM] = "2",
	/* Neighbours differ for all eyes; the letters of the curves say the same. */
	[TERM_CURVE] = "36",
	[TERM_CURVE + 1] = "33",
	[TERM_CURVE + 2] = "35",
	[TERM_CURVE + 3] = "32",
	[TERM_CURVE + 4] = "34",
	[TERM_CURVE + 5] = "31",
	[TERM_CURVE + 6] = "96",
	[TERM_CURVE + 7] = "93",
};

int term_set_color(const char *when, struct err *e)
{
	static const char *const names[] = {
		[AUTO] = "auto", [ALWAYS] = "always", [NEVER] = "never"};

	for (int i = 0; i <= NEVER; i++) {
		if (strcmp(when, names[i]) != 0)
			continue;
		color_when = i;
		return 0;
	}
	return err_set(e, ERR_USAGE, "--color is auto, always or never, not '%s'", when);
}

bool term_is_live(int fd)
{
	const char *term = getenv("TERM");

	return isatty(fd) && term && *term && strcmp(term, "dumb") != 0;
}

bool term_has_color(int fd)
{
	const char *no_color = getenv("NO_COLOR");

	if (color_when != AUTO)
		return color_when == ALWAYS;
	return term_is_live(fd) && !(no_color && *no_color);
}

#define WIDTH_MAX 10000

size_t term_width(int fd)
{
	const char *columns = getenv("COLUMNS");
	struct winsize ws;
	char *end = NULL;
	long v;

	if (isatty(fd) && ioctl(fd, TIOCGWINSZ, &ws) == 0 && ws.ws_col)
		return ws.ws_col;
	v = columns ? strtol(columns, &end, 10) : 0;
	return v > 0 && v <= WIDTH_MAX && !*end ? (size_t)v : 0;
}

size_t term_height(int fd)
{
	struct winsize ws;

	return isatty(fd) && ioctl(fd, TIOCGWINSZ, &ws) == 0 ? ws.ws_row : 0;
}

/* Not setlocale: the locale of the program stays C, so that figures have a point everywhere. */
bool term_is_utf8(void)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	bool is_utf8;

	if (!locale)
		return false;
	is_utf8 = !strcmp(nl_langinfo_l(CODESET, locale), "UTF-8");
	freelocale(locale);
	return is_utf8;
}

void buf_add_styled(struct buf *b, bool has_color, enum term_style style, const char *text)
{
	if (has_color && *text)
		buf_addf(b, "\033[%sm%s\033[0m", codes[style], text);
	else
		buf_addstr(b, text);
}
