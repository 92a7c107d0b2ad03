/* SPDX-License-Identifier: MIT */
/* Pieces of HTML: whatever text goes into them stays text. */
#ifndef REPORT_HTML_WRITE_H
#define REPORT_HTML_WRITE_H

#include "base/buf.h"
#include "report/table.h"

/*
 * Text for elements and for attributes in double quotes. Bytes that are no UTF-8, and characters that
 * would turn the direction of what follows, become U+FFFD; control characters become blanks, but
 * line ends and tabs stay. NULL adds nothing.
 */
void html_text(struct buf *b, const char *s);

/* <tag class="cls">text</tag>; cls NULL for none. */
void html_element(struct buf *b, const char *tag, const char *cls, const char *text);
/* The same with the text of s, which is empty afterwards; nothing where it is empty already. */
void html_take(struct buf *b, const char *tag, const char *cls, struct buf *s);

/* A table whose cells are added from left to right. Figures stand right, is_left columns left. */
struct html_table {
	struct buf *b;
	const struct table_col *cols;
	size_t nr_cols, at;
	bool has_row;
};

/* caption NULL for none. */
void html_table_begin(struct html_table *t, struct buf *b, const char *caption,
		      const struct table_col *cols, size_t nr_cols);
/* Begin a row, of class cls or NULL. */
void html_row(struct html_table *t, const char *cls);
/* The next cell from s, which is empty afterwards. */
void html_cell(struct html_table *t, struct buf *s);
void html_table_end(struct html_table *t);

#endif
