/* SPDX-License-Identifier: MIT */
#include "report/one_line.h"

#include "report/format.h"

#include <assert.h>

#define GAP 2

struct buf *one_line_part(struct one_line *l, unsigned rank)
{
	assert(l->nr < ONE_LINE_PARTS);
	l->part[l->nr] = (struct buf)BUF_INIT;
	l->rank[l->nr] = rank;
	return &l->part[l->nr++];
}

static size_t total_width(const struct one_line *l)
{
	size_t width = 0;

	for (size_t i = 0; i < l->nr; i++)
		if (l->part[i].len)
			width += (width ? GAP : 0) + text_width(buf_text(&l->part[i]));
	return width;
}

/* Empty the part that matters least, unless it is the only one. */
static int drop_one(struct one_line *l)
{
	size_t worst = l->nr, nr_left = 0;

	for (size_t i = 0; i < l->nr; i++) {
		if (!l->part[i].len)
			continue;
		nr_left++;
		if (worst == l->nr || l->rank[i] >= l->rank[worst])
			worst = i;
	}
	if (nr_left < 2)
		return -1;
	buf_reset(&l->part[worst]);
	return 0;
}

void one_line_take(struct one_line *l, size_t width, struct buf *b)
{
	size_t used = 0;

	while (total_width(l) > width && !drop_one(l))
		;
	for (size_t i = 0; i < l->nr; i++) {
		const char *text = buf_text(&l->part[i]);
		size_t part_width = text_width(text);

		if (!part_width || used >= width) {
			buf_release(&l->part[i]);
			continue;
		}
		buf_addstr(b, used ? "  " : "");
		used += used ? GAP : 0;
		/* Only the last one left can be too wide. */
		if (used + part_width > width)
			format_short(b, text, width - used);
		else
			buf_addstr(b, text);
		used += part_width;
		buf_release(&l->part[i]);
	}
	l->nr = 0;
}
