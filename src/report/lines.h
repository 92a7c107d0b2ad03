/* SPDX-License-Identifier: MIT */
/* Lines of a name and a text, one below the other. */
#ifndef REPORT_LINES_H
#define REPORT_LINES_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

struct lines {
	struct buf *out;
	size_t width;	   /* longer texts go on below their beginning; 0: they are never broken */
	size_t name_width; /* of the names, if some are longer than most */
	bool is_markdown;  /* a list instead */
	bool is_foreign; /* texts have names in them, of which no control characters are printed; no colours */
};

/* "  name         text"; nothing where the text is NULL or empty. */
void lines_add(struct lines *l, const char *name, const char *text);
/* The same from b, which is released. */
void lines_take(struct lines *l, const char *name, struct buf *b);

#endif
