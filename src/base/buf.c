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
	size_t room = b->text ? b->cap - b->len : 0;
	va_list ap;
	int len;

	/* Mostly there is room, and formatting is what takes time. */
	va_start(ap, fmt);
	len = vsnprintf(room ? b->text + b->len : NULL, room, fmt, ap);
	va_end(ap);
	if (len < 0) {
		if (room)
			b->text[b->len] = '\0';
		return;
	}
	if ((size_t)len >= room) {
		reserve(b, (size_t)len);
		va_start(ap, fmt);
		(void)vsnprintf(b->text + b->len, (size_t)len + 1, fmt, ap);
		va_end(ap);
	}
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

bool text_is_treacherous(const char *s, size_t len)
{
	const unsigned char *c = (const unsigned char *)s;

	if (len == 1)
		return c[0] < 0x20 || c[0] == 0x7f;
	if (len == 2)
		return c[0] == 0xc2 && c[1] < 0xa0;
	if (len != 3 || c[0] != 0xe2)
		return false;
	return (c[1] == 0x80 && c[2] >= 0xa8 && c[2] <= 0xae) ||
	       (c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9);
}

static void add_clean_char(struct buf *b, const char *s, size_t len)
{
	if (len == 0 || (len > 1 && text_is_treacherous(s, len)))
		buf_addch(b, '?');
	else if (text_is_treacherous(s, len))
		buf_addch(b, ' ');
	else
		buf_add(b, s, len);
}

void buf_add_clean(struct buf *b, const char *s, size_t max)
{
	bool cut = text_width(s) > max;
	size_t room = cut ? max - 1 : max;

	while (*s && room--) {
		size_t len = text_char_len(s);

		add_clean_char(b, s, len);
		s += len ? len : 1;
	}
	if (cut)
		buf_addstr(b, "\xe2\x80\xa6");
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

/* How many bytes need no look at: ASCII, and nothing that JSON escapes. */
static size_t plain_len(const unsigned char *p)
{
	size_t n = 0;

	while (p[n] >= 0x20 && p[n] < 0x7f && p[n] != '"' && p[n] != '\\')
		n++;
	return n;
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
		size_t len = plain_len(p);

		if (len) {
			buf_add(b, p, len);
			p += len;
			continue;
		}
		len = text_char_len((const char *)p);

		if (len == 1)
			json_char(b, *p);
		else if (text_is_treacherous((const char *)p, len))
			buf_addf(b, "\\u%04x",
				 len == 2 ? p[1]
					  : (p[0] & 0xfU) << 12 | (p[1] & 0x3fU) << 6 |
						    (p[2] & 0x3fU));
		else if (len > 1)
			buf_add(b, p, len);
		else
			buf_addstr(b, "\\ufffd");
		p += len ? len : 1;
	}
	buf_addch(b, '"');
}

/* The exact powers of ten that a double can be scaled by with one rounding. */
static const double power_of_10[] = {1e0, 1e1, 1e2, 1e3,  1e4,	1e5,  1e6,
				     1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13};

#define SCALED_MAX 1e11

/* v x 10^power, rounded to a whole number as printf rounds the exact v; false where the error of the
 * product (below 1e-5) leaves open which way. */
static bool scale(double v, int power, uint64_t *out)
{
	double scaled = v * power_of_10[power], whole = floor(scaled), rest = scaled - whole;

	if (!(scaled < SCALED_MAX) || fabs(rest - .5) < 1e-4)
		return false;
	*out = (uint64_t)whole + (rest > .5);
	return true;
}

/* The digits of v, at least nr of them. */
static void add_digits(struct buf *b, uint64_t v, int nr)
{
	char digits[20], *end = digits + sizeof(digits), *d = end;

	for (; v || nr > 0; v /= 10, nr--)
		*--d = (char)('0' + v % 10);
	buf_add(b, d, (size_t)(end - d));
}

void buf_add_u64(struct buf *b, uint64_t v)
{
	add_digits(b, v, 1);
}

void buf_add_blanks(struct buf *b, size_t nr)
{
	reserve(b, nr);
	memset(b->text + b->len, ' ', nr);
	b->len += nr;
	b->text[b->len] = '\0';
}

void buf_add_fixed(struct buf *b, double v, int decimals)
{
	uint64_t whole, unit;

	if (signbit(v) || decimals < 0 || decimals > 9 || !scale(v, decimals, &whole)) {
		buf_addf(b, "%.*f", decimals, v);
		return;
	}
	unit = (uint64_t)power_of_10[decimals];
	add_digits(b, whole / unit, 1);
	if (!decimals)
		return;
	buf_addch(b, '.');
	add_digits(b, whole % unit, decimals);
}

#define SIGNIFICANT 10

/* As "%.10g" where that has no exponent; false for whatever is left to printf. */
static bool add_significant(struct buf *b, double v)
{
	int exponent = -4, decimals;
	uint64_t digits, unit;

	if (!(v >= 1e-4 && v < 1e9))
		return false;
	/* 1e-4 is no exact number, so its digits tell whether the exponent was right. */
	for (double limit = 1e-3; v >= limit && exponent < 8; limit *= 10)
		exponent++;
	decimals = SIGNIFICANT - 1 - exponent;
	if (!scale(v, decimals, &digits) || digits < 1000000000 || digits >= 10000000000)
		return false;
	for (; decimals && digits % 10 == 0; decimals--)
		digits /= 10;
	unit = (uint64_t)power_of_10[decimals];
	add_digits(b, digits / unit, 1);
	if (decimals) {
		buf_addch(b, '.');
		add_digits(b, digits % unit, decimals);
	}
	return true;
}

void buf_json_num(struct buf *b, double v)
{
	if (!isfinite(v))
		buf_addstr(b, "null");
	else
		buf_add_g10(b, v);
}

void buf_add_g10(struct buf *b, double v)
{
	if (v == 0 && !signbit(v))
		buf_addch(b, '0');
	else if (!add_significant(b, v))
		buf_addf(b, "%.*g", SIGNIFICANT, v);
}

/* In a field a line may end; the rest is as in any other text. */
static void csv_char(struct buf *b, const char *s, size_t len)
{
	if (*s == '"')
		buf_addch(b, '"');
	if (*s == '\n' || *s == '\r' || *s == '\t')
		buf_addch(b, *s);
	else
		add_clean_char(b, s, len);
}

void buf_csv_str(struct buf *b, const char *s)
{
	bool is_quoted;

	if (!s)
		return;
	is_quoted = strpbrk(s, ",\"\r\n") || s[0] == ' ';
	buf_addstr(b, is_quoted ? "\"" : "");
	if (*s && s[1] && strchr("=+-@\t\r", *s))
		buf_addch(b, '\'');
	while (*s) {
		size_t len = text_char_len(s);

		csv_char(b, s, len);
		s += len ? len : 1;
	}
	buf_addstr(b, is_quoted ? "\"" : "");
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
