/* SPDX-License-Identifier: MIT */
#include "base/buf.h"

#include "base/mem.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buf_release(struct buf *b)
{
	free(b->text);
	b->text = NULL;
	b->len = b->cap = 0;
}

void buf_reset(struct buf *b)
{
	b->len = 0;
	if (b->text)
		b->text[0] = '\0';
}

char *buf_detach(struct buf *b)
{
	char *s = b->text ? b->text : xstrdup("");

	b->text = NULL;
	b->len = b->cap = 0;
	return s;
}

const char *buf_text(const struct buf *b)
{
	return b->text ? b->text : "";
}

static void reserve(struct buf *b, size_t more)
{
	size_t need = b->len + more + 1;

	if (need <= b->cap)
		return;
	b->cap = need < 2 * b->cap ? 2 * b->cap : need + 64;
	b->text = xreallocarray(b->text, b->cap, 1);
}

void buf_add(struct buf *b, const void *data, size_t len)
{
	reserve(b, len);
	memcpy(b->text + b->len, data, len);
	b->len += len;
	b->text[b->len] = '\0';
}

void buf_addstr(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_addch(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (len < 0)
		return;
	reserve(b, (size_t)len);
	va_start(ap, fmt);
	(void)vsnprintf(b->text + b->len, (size_t)len + 1, fmt, ap);
	va_end(ap);
	b->len += (size_t)len;
}

size_t text_char_len(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t len, i;

	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		len = 2;
	else if (s[0] >= 0xe0 && s[0] <= 0xef)
		len = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		len = 4;
	else
		return 0;
	for (i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

static void json_char(struct buf *b, unsigned char c)
{
	if (c == '"' || c == '\\')
		buf_addf(b, "\\%c", c);
	else if (c == '\n')
		buf_addstr(b, "\\n");
	else if (c == '\t')
		buf_addstr(b, "\\t");
	else if (c < 0x20 || c == 0x7f)
		buf_addf(b, "\\u%04x", c);
	else
		buf_addch(b, (char)c);
}

void buf_json_str(struct buf *b, const char *s)
{
	const unsigned char *p = (const unsigned char *)s;

	if (!s) {
		buf_addstr(b, "null");
		return;
	}
	buf_addch(b, '"');
	while (*p) {
		size_t len = text_char_len((const char *)p);

		if (len == 1)
			json_char(b, *p);
		else if (len > 1)
			buf_add(b, p, len);
		else
			buf_addstr(b, "\\ufffd");
		p += len ? len : 1;
	}
	buf_addch(b, '"');
}

void buf_json_num(struct buf *b, double v)
{
	if (isfinite(v))
		buf_addf(b, "%.10g", v);
	else
		buf_addstr(b, "null");
}

void buf_csv_str(struct buf *b, const char *s)
{
	if (!s)
		return;
	if (!strpbrk(s, ",\"\r\n") && s[0] != ' ') {
		buf_addstr(b, s);
		return;
	}
	buf_addch(b, '"');
	for (; *s; s++) {
		if (*s == '"')
			buf_addch(b, '"');
		buf_addch(b, *s);
	}
	buf_addch(b, '"');
}

void buf_shell_str(struct buf *b, const char *s)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_-+=./,:@%";

	if (*s && s[strspn(s, plain)] == '\0') {
		buf_addstr(b, s);
		return;
	}
	buf_addch(b, '\'');
	for (; *s; s++) {
		if (*s == '\'')
			buf_addstr(b, "'\\''");
		else
			buf_addch(b, *s);
	}
	buf_addch(b, '\'');
}

static const char *html_entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

void buf_html_str(struct buf *b, const char *s)
{
	for (; *s; s++) {
		const char *entity = html_entity(*s);

		if (entity)
			buf_addstr(b, entity);
		else
			buf_addch(b, *s);
	}
}

/* Bytes of a sequence that sets bold or colours, which takes no room; 0 where there is none. */
static size_t style_len(const char *s)
{
	size_t len;

	if (s[0] != '\033' || s[1] != '[')
		return 0;
	len = 2 + strspn(s + 2, "0123456789;");
	return s[len] == 'm' ? len + 1 : 0;
}

size_t text_width(const char *s)
{
	size_t width = 0;

	while (*s) {
		size_t len = style_len(s);

		if (!len && ((unsigned char)*s & 0xc0) != 0x80)
			width++;
		s += len ? len : 1;
	}
	return width;
}
