/* SPDX-License-Identifier: MIT */
/* A growing text buffer, and the escapes for the languages that we write into one. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Invariant: text is NUL-terminated at len, or NULL while nothing was added. */
struct buf {
	char *text;
	size_t len;
	size_t cap;
};

#define BUF_INIT \
	{ \
		NULL, 0, 0 \
	}

void buf_release(struct buf *b);
/* Forget the contents, keep the memory. */
void buf_reset(struct buf *b);
/* Hand the text (never NULL) to the caller, who frees it; b is empty again. */
char *buf_detach(struct buf *b);
/* The text, "" while there is none; owned by b. */
const char *buf_text(const struct buf *b);

void buf_add(struct buf *b, const void *data, size_t len);
void buf_addstr(struct buf *b, const char *s);
void buf_addch(struct buf *b, char c);
void buf_addf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same texts as printf makes of "%llu", "%.*f" and "%.10g", in a fraction of its time: a report may
 * hold millions of figures. */
void buf_add_u64(struct buf *b, uint64_t v);
void buf_add_fixed(struct buf *b, double v, int decimals);
void buf_add_g10(struct buf *b, double v);
void buf_add_blanks(struct buf *b, size_t nr);

/* Text of others in a line of text: at most max characters, ended by an ellipsis where it is cut. Control characters
 * become blanks, bytes that are no UTF-8 and treacherous characters question marks. */
void buf_add_clean(struct buf *b, const char *s, size_t max);
/* A JSON string with its quotes; bytes that are no UTF-8 become U+FFFD, treacherous characters \u escapes. NULL gives
 * null. */
void buf_json_str(struct buf *b, const char *s);
/* A JSON number; not finite gives null, since JSON has neither NaN nor infinity. */
void buf_json_num(struct buf *b, double v);
/*
 * One CSV field (RFC 4180): quoted only when it must be. NULL gives an empty field. Control characters that are no end
 * of a line become blanks, treacherous characters question marks, and what a spreadsheet would take for a formula
 * (=, +, -, @ or a tabulator in front of more) gets an apostrophe in front. For texts: numbers are not written with this.
 */
void buf_csv_str(struct buf *b, const char *s);
/* One word of a shell's command line, in single quotes when it must be. */
void buf_shell_str(struct buf *b, const char *s);

/* Columns that s takes on a terminal: its UTF-8 characters without sequences for bold and colours;
 * wide ones count as one. */
size_t text_width(const char *s);

/* Bytes of the UTF-8 character that s begins with; 0 where there is none (RFC 3629). */
size_t text_char_len(const char *s);

/* Whether a terminal or browser may obey the character of len bytes at s instead of showing it: control characters, also
 * C1 (U+0080 to 009F), embeddings, overrides and isolates of direction (U+202A to 202E, U+2066 to 2069), separators of
 * lines and paragraphs (U+2028, 2029). */
bool text_is_treacherous(const char *s, size_t len);

#endif
