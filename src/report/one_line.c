/* SPDX-License-Identifier: MIT */
#include "report/one_line.h"

#include "report/format.h"

#include <assert.h>
#include <stdbool.h>

#define GAP 2

struct buf *one_line_part(struct one_line *l, unsigned rank)
{
	assert(l->nr < ONE_LINE_PARTS);
	l->part[l->nr] = (struct buf)BUF_INIT;
	l->rank[l->nr] = rank;
	return &l->part[l->nr++];
}

/* The part of the lowest rank that is not chosen yet, of equals the first; l->nr for none. */
static size_t best_left(const struct one_line *l, const bool *is_chosen)
{
	size_t best = l->nr;

	for (size_t i = 0; i < l->nr; i++)
		if (l->part[i].len && !is_chosen[i] &&
		    (best == l->nr || l->rank[i] < l->rank[best]))
			best = i;
	return best;
}

/* Empty those parts that there is no room for beside those that matter more. */
static void choose(struct one_line *l, size_t width)
{
	bool is_chosen[ONE_LINE_PARTS] = {false};
	size_t used = 0, i;

	while ((i = best_left(l, is_chosen)) < l->nr) {
		size_t more = (used ? GAP : 0) + text_width(buf_text(&l->part[i]));

		/* The first stays, and is cut. */
		if (used && used + more > width) {
			buf_reset(&l->part[i]);
			continue;
		}
		is_chosen[i] = true;
		used += more;
	}
}

void one_line_take(struct one_line *l, size_t width, struct buf *b)
{
	size_t used = 0;

	choose(l, width);
	for (size_t i = 0; i < l->nr; i++) {
		const char *text = buf_text(&l->part[i]);
		size_t part_width = text_width(text);

		if (part_width && width) {
			buf_addstr(b, used ? "  " : "");
			used += used ? GAP : 0;
			/* Only the one that stays in any case can be too wide. */
			buf_add_clean(b, text, width - used);
			used += part_width;
		}
		buf_release(&l->part[i]);
	}
	l->nr = 0;
}
