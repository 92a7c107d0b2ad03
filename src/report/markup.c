/* SPDX-License-Identifier: MIT */
#include "report/markup.h"

#include "base/mem.h"
#include "base/term.h"
#include "report/format.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH_DEFAULT 80
#define INDENT	      2

/* ---- Markdown ---- */

/* Those that mean something wherever they stand. A '.' does in "www." only, a ':' in front of "//". */
static bool has_meaning(const char *s)
{
	if (*s == ':')
		return s[1] == '/' && s[2] == '/';
	return strchr("\\`*_[]<>|~&$#", *s) != NULL;
}

static bool is_web_address(const char *begin, const char *dot)
{
	return dot - begin >= 3 && (dot[-1] == 'w' || dot[-1] == 'W') &&
	       (dot[-2] == 'w' || dot[-2] == 'W') && (dot[-3] == 'w' || dot[-3] == 'W');
}

void buf_add_markdown(struct buf *b, const char *s)
{
	for (const char *c = s; *c;) {
		size_t len = text_char_len(c);

		if (len == 0 || (len > 1 && text_is_treacherous(c, len))) {
			buf_addch(b, '?');
		} else if (len > 1) {
			buf_add(b, c, len);
		} else if ((unsigned char)*c < 0x20 || *c == 0x7f) {
			buf_addch(b, ' ');
		} else {
			if (has_meaning(c) || (*c == '.' && is_web_address(s, c)))
				buf_addch(b, '\\');
			buf_addch(b, *c);
		}
		c += len ? len : 1;
	}
}

/* At the beginning of a line more would be taken for a list or a heading. */
static void add_markdown_line(struct buf *b, const char *s)
{
	size_t digits;

	s += strspn(s, " \t\r\n");
	digits = strspn(s, "0123456789");
	if (strchr("-+=", *s) && *s) {
		buf_addch(b, '\\');
	} else if (digits && (s[digits] == '.' || s[digits] == ')')) {
		buf_add(b, s, digits);
		buf_addch(b, '\\');
		s += digits;
	}
	if (*s) {
		/* The character behind the backslash needs no second one. */
		bool is_escaped = b->len && b->text[b->len - 1] == '\\';

		if (is_escaped)
			buf_addch(b, *s++);
		buf_add_markdown(b, s);
	}
	buf_addch(b, '\n');
}

void markdown_begin_block(struct buf *b)
{
	if (b->len && b->text[b->len - 1] != '\n')
		buf_addch(b, '\n');
	if (b->len > 1 && b->text[b->len - 2] != '\n')
		buf_addch(b, '\n');
}

static void add_heading(struct buf *b, const char *level, const char *text)
{
	markdown_begin_block(b);
	buf_addf(b, "%s ", level);
	buf_add_markdown(b, text);
	buf_addch(b, '\n');
}

static bool ends_with_item(const struct buf *b)
{
	const char *s = buf_text(b), *line = s + b->len;

	if (!b->len)
		return false;
	for (line--; line > s && line[-1] != '\n'; line--)
		;
	return line[0] == '-' && line[1] == ' ';
}

/* ---- both ---- */

/* A title in as many lines as the width takes; without the end of the last. */
static void wrap_title(struct buf *b, struct text_style style, const char *text)
{
	format_wrapped(b, text, 0, style.width ? style.width : SIZE_MAX);
	b->text[--b->len] = '\0';
}

void text_title(struct buf *b, struct text_style style, const char *text)
{
	if (style.is_markdown)
		add_heading(b, "#", text);
	else
		format_wrapped(b, text, 0, style.width ? style.width : SIZE_MAX);
}

void text_heading(struct buf *b, struct text_style style, const char *text)
{
	struct buf s = BUF_INIT;

	if (style.is_markdown) {
		add_heading(b, b->len ? "##" : "#", text);
		return;
	}
	wrap_title(&s, style, text);
	buf_addch(b, '\n');
	buf_add_styled(b, style.color, TERM_HEADING, buf_text(&s));
	buf_addch(b, '\n');
	buf_release(&s);
}

void text_section(struct buf *b, struct text_style style, const char *text)
{
	struct buf s = BUF_INIT;

	if (style.is_markdown) {
		add_heading(b, "##", text);
		return;
	}
	buf_addf(&s, "%s:", text);
	buf_addch(b, '\n');
	format_wrapped(b, buf_text(&s), 0, style.width ? style.width : SIZE_MAX);
	buf_release(&s);
}

void text_say_at(struct buf *b, struct text_style style, size_t indent, const char *text)
{
	if (!*text)
		return;
	if (style.is_markdown) {
		markdown_begin_block(b);
		add_markdown_line(b, text);
	} else {
		format_wrapped(b, text, indent, style.width ? style.width : WIDTH_DEFAULT);
	}
}

void text_say(struct buf *b, struct text_style style, const char *text)
{
	text_say_at(b, style, INDENT, text);
}

void text_paragraph(struct buf *b, struct text_style style, struct buf *s)
{
	text_say(b, style, buf_text(s));
	buf_reset(s);
}

void text_item(struct buf *b, struct text_style style, const char *text)
{
	size_t at = b->len + INDENT;

	if (!*text)
		return;
	if (style.is_markdown) {
		if (!ends_with_item(b))
			markdown_begin_block(b);
		buf_addstr(b, "- ");
		add_markdown_line(b, text);
		return;
	}
	format_wrapped(b, text, 2 * INDENT, style.width ? style.width : WIDTH_DEFAULT);
	b->text[at] = '-';
}

void text_items(struct buf *b, struct text_style style, struct buf *s)
{
	char *copy = xstrdup(buf_text(s)), *rest = copy, *line;

	buf_reset(s);
	while ((line = strsep(&rest, "\n")))
		text_item(b, style, line);
	free(copy);
}

void text_gap(struct buf *b, struct text_style style)
{
	if (!style.is_markdown)
		buf_addch(b, '\n');
}

void text_table(struct buf *b, struct text_style style, size_t indent, const struct table *t)
{
	if (style.is_markdown) {
		markdown_begin_block(b);
		table_markdown(t, b);
	} else {
		table_print(t, b, indent, style.width ? style.width : WIDTH_DEFAULT);
	}
}

void text_picture(struct buf *b, struct text_style style, const char *title, const char *name,
		  const char *image)
{
	if (!style.is_markdown)
		return;
	add_heading(b, "###", title);
	buf_addstr(b, "\n![");
	buf_add_markdown(b, title);
	buf_addf(b, "](%s.%s)\n\n", name, image);
	buf_addf(b, "[How to read it](%s.txt), [data](%s.dat), [script](%s.gp)\n", name, name,
		 name);
}
