/* SPDX-License-Identifier: MIT */
/* What the terminal is like that text goes to, and the few styles that text may have there. */
#ifndef BASE_TERM_H
#define BASE_TERM_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* When to use styles, for the whole program: "auto" (the usual), "always" or "never"; -1 and ERR_USAGE
 * for anything else. */
int term_set_color(const char *when, struct err *e);

/*
 * Whether text for this descriptor may have styles. With auto: it is a terminal, TERM is set and not
 * "dumb", and NO_COLOR is unset or empty.
 */
bool term_has_color(int fd);

/* Whether it is a terminal that can rewrite a line: TERM is set and not "dumb". */
bool term_is_live(int fd);

/* Columns of the terminal, else what the environment variable COLUMNS says; 0 where neither is known.
 * Nonsense in COLUMNS counts as unset. */
size_t term_width(int fd);

/* Rows of the terminal; 0 where they are not known. */
size_t term_height(int fd);

/* Whether text may be UTF-8 by the locale of the environment, which must be installed. */
bool term_is_utf8(void);

/* What a piece of text is. The words say it too: nobody has to see the colour. */
enum term_style {
	TERM_HEADING,
	TERM_GOOD,
	TERM_WARN,
	TERM_BAD,
	TERM_DIM,
	TERM_CURVE, /* and seven more, for the curves of a plot */
	TERM_STYLE_NR = TERM_CURVE + 8,
};

/* Add text in this style; just the text where has_color is not set, or the text is empty. */
void buf_add_styled(struct buf *b, bool has_color, enum term_style style, const char *text);

#endif
