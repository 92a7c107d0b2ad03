/* SPDX-License-Identifier: MIT */
#include "report/lines.h"

#include "report/format.h"
#include "report/markup.h"

#define NAME_WIDTH 12
#define INDENT	   2
#define TEXT_MIN   20 /* a text beside its name has at least this, else it stands below */

static void add_item(struct buf *b, const char *name, const char *text)
{
	struct buf s = BUF_INIT;

	buf_addf(&s, "%s: %s", name, text);
	text_item(b, (struct text_style){.is_markdown = true}, buf_text(&s));
	buf_release(&s);
}

void lines_add(struct lines *l, const char *name, const char *text)
{
	size_t name_width = l->name_width > NAME_WIDTH ? l->name_width : NAME_WIDTH;
	size_t text_left = INDENT + name_width + 1;
	struct buf clean = BUF_INIT, rest = BUF_INIT;

	if (!text || !*text)
		return;
	if (l->is_markdown) {
		add_item(l->out, name, text);
		return;
	}
	if (l->is_foreign) {
		buf_add_clean(&clean, text, SIZE_MAX);
		text = buf_text(&clean);
	}
	if (l->width && l->width < text_left + TEXT_MIN) {
		format_wrapped(l->out, name, INDENT, l->width);
		format_wrapped(l->out, text, 2 * INDENT, l->width);
		buf_release(&clean);
		return;
	}
	buf_addf(l->out, "%*s%-*s ", INDENT, "", (int)name_width, name);
	/* A long name pushes its text to the right; such a line stays whole. */
	if (!l->width || text_width(name) > name_width) {
		buf_addf(l->out, "%s\n", text);
	} else {
		format_wrapped(&rest, text, text_left, l->width);
		buf_addstr(l->out, buf_text(&rest) + text_left);
	}
	buf_release(&rest);
	buf_release(&clean);
}

void lines_take(struct lines *l, const char *name, struct buf *b)
{
	lines_add(l, name, buf_text(b));
	buf_release(b);
}
