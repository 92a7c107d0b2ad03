/* SPDX-License-Identifier: MIT */
#include "report/lines.h"

#include "report/format.h"

#define NAME_WIDTH 12
#define TEXT_LEFT  (2 + NAME_WIDTH + 1)

void lines_add(struct lines *l, const char *name, const char *text)
{
	struct buf rest = BUF_INIT;

	if (!text || !*text)
		return;
	buf_addf(l->out, "  %-*s ", NAME_WIDTH, name);
	/* A long name pushes its text to the right; such a line stays whole. */
	if (!l->width || text_width(name) > NAME_WIDTH) {
		buf_addf(l->out, "%s\n", text);
		return;
	}
	format_wrapped(&rest, text, TEXT_LEFT, l->width);
	buf_addstr(l->out, buf_text(&rest) + TEXT_LEFT);
	buf_release(&rest);
}

void lines_take(struct lines *l, const char *name, struct buf *b)
{
	lines_add(l, name, buf_text(b));
	buf_release(b);
}
