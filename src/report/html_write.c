/* SPDX-License-Identifier: MIT */
#include "report/html_write.h"

#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"

static const char *entity(char c)
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

static void add_ascii(struct buf *b, char c)
{
	const char *name = entity(c);

	if (name)
		buf_addstr(b, name);
	else if (((unsigned char)c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
		buf_addch(b, ' ');
	else
		buf_addch(b, c);
}

void html_text(struct buf *b, const char *s)
{
	while (s && *s) {
		size_t len = text_char_len(s);

		if (len == 1)
			add_ascii(b, *s);
		else if (len == 0 || text_is_treacherous(s, len))
			buf_addstr(b, REPLACEMENT);
		else
			buf_add(b, s, len);
		s += len ? len : 1;
	}
}

void html_element(struct buf *b, const char *tag, const char *cls, const char *text)
{
	buf_addf(b, "<%s", tag);
	if (cls)
		buf_addf(b, " class=\"%s\"", cls);
	buf_addch(b, '>');
	html_text(b, text);
	buf_addf(b, "</%s>\n", tag);
}

void html_take(struct buf *b, const char *tag, const char *cls, struct buf *s)
{
	if (s->len)
		html_element(b, tag, cls, buf_text(s));
	buf_reset(s);
}

void html_table_begin(struct html_table *t, struct buf *b, const char *caption,
		      const struct table_col *cols, size_t nr_cols)
{
	*t = (struct html_table){b, cols, nr_cols, 0, false};
	/* A box that scrolls takes the focus, so that keys can scroll it. */
	buf_addstr(b, "<div class=\"scroll\" tabindex=\"0\"><table>\n");
	if (caption)
		html_element(b, "caption", NULL, caption);
	buf_addstr(b, "<thead><tr>");
	for (size_t i = 0; i < nr_cols; i++) {
		buf_addf(b, "<th scope=\"col\"%s>", cols[i].is_left ? " class=\"l\"" : "");
		html_text(b, cols[i].title);
		buf_addstr(b, "</th>");
	}
	buf_addstr(b, "</tr></thead>\n<tbody>\n");
}

static void end_row(struct html_table *t)
{
	if (t->has_row)
		buf_addstr(t->b, "</tr>\n");
	t->at = 0;
}

void html_row(struct html_table *t, const char *cls)
{
	end_row(t);
	t->has_row = true;
	buf_addstr(t->b, "<tr");
	if (cls)
		buf_addf(t->b, " class=\"%s\"", cls);
	buf_addch(t->b, '>');
}

void html_cell(struct html_table *t, struct buf *s)
{
	buf_addstr(t->b, t->cols[t->at++].is_left ? "<td class=\"l\">" : "<td>");
	html_text(t->b, buf_text(s));
	buf_addstr(t->b, "</td>");
	buf_reset(s);
}

void html_table_end(struct html_table *t)
{
	end_row(t);
	buf_addstr(t->b, "</tbody></table></div>\n");
}
