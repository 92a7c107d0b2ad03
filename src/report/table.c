/* SPDX-License-Identifier: MIT */
#include "report/table.h"

#include "base/mem.h"
#include "report/format.h"
#include "report/markup.h"

#include <stdlib.h>
#include <string.h>

#define GAP	 2
#define LAST_MIN 10 /* unless the caller says otherwise */

void table_init(struct table *t, const struct table_col *cols, size_t nr_cols)
{
	*t = (struct table){.cols = cols, .nr_cols = nr_cols, .last_min = LAST_MIN};
}

void table_release(struct table *t)
{
	buf_release(&t->text);
	free(t->cell);
	*t = (struct table){0};
}

void table_add(struct table *t, const char *text)
{
	VEC_GROW(t->cell, t->nr, t->cap);
	t->cell[t->nr++] = (struct table_cell){t->text.len, text_width(text)};
	buf_add(&t->text, text, strlen(text) + 1);
}

void table_take(struct table *t, struct buf *b)
{
	table_add(t, buf_text(b));
	buf_reset(b);
}

static const char *cell_text(const struct table *t, size_t i)
{
	return t->text.text + t->cell[i].at;
}

/* Widths of the columns; 0 for those that are left out. */
static void natural_widths(const struct table *t, size_t *width)
{
	for (size_t c = 0; c < t->nr_cols; c++)
		width[c] = text_width(t->cols[c].title);
	for (size_t i = 0; i < t->nr; i++) {
		size_t *widest = &width[i % t->nr_cols];

		*widest = t->cell[i].width > *widest ? t->cell[i].width : *widest;
	}
}

/* Columns in front of the last one, with their gaps. */
static size_t front_width(const struct table *t, const size_t *width)
{
	size_t sum = 0;

	for (size_t c = 0; c + 1 < t->nr_cols; c++)
		sum += width[c] ? width[c] + GAP : 0;
	return sum;
}

/* Of the last column, which is broken between words only. */
static size_t longest_word(const struct table *t)
{
	size_t longest = 0;

	for (size_t i = t->nr_cols - 1; i < t->nr; i += t->nr_cols)
		for (const char *s = cell_text(t, i); *s;) {
			size_t blanks = strspn(s, " "), len = strcspn(s + blanks, " ");
			char *word = xstrndup(s + blanks, len);
			size_t width = text_width(word);

			longest = width > longest ? width : longest;
			free(word);
			s += blanks + len;
		}
	return longest;
}

/* False where the columns that may not be left out have no room beside each other. */
static bool fit(const struct table *t, size_t *width, size_t room)
{
	size_t last = t->nr_cols - 1, word = longest_word(t);
	size_t least = t->last_min > word ? t->last_min : word;
	int max_drop = 0;

	least = width[last] < least ? width[last] : least;
	for (size_t c = 0; c < t->nr_cols; c++)
		max_drop = t->cols[c].drop > max_drop ? t->cols[c].drop : max_drop;
	for (int drop = 1; drop <= max_drop && front_width(t, width) + least > room; drop++)
		for (size_t c = 0; c < t->nr_cols; c++)
			if (t->cols[c].drop == drop)
				width[c] = 0;
	if (front_width(t, width) + width[last] <= room)
		return true;
	width[last] = room > front_width(t, width) + least ? room - front_width(t, width) : least;
	return front_width(t, width) + width[last] <= room;
}

/* Whether the title is one of those in the list. */
static bool is_listed(const char *list, const char *title)
{
	size_t len = strlen(title);

	for (const char *s = list; *s; s += strspn(s, ", ")) {
		size_t item = strcspn(s, ",");

		if (item == len && !strncmp(s, title, len))
			return true;
		s += item;
	}
	return false;
}

static void note_dropped(const struct table *t, const size_t *width)
{
	for (size_t c = 0; t->dropped && c < t->nr_cols; c++)
		if (!width[c] && !is_listed(buf_text(t->dropped), t->cols[c].title))
			buf_addf(t->dropped, "%s%s", t->dropped->len ? ", " : "", t->cols[c].title);
}

/* What stands in a line, and how many columns it takes. */
struct shown {
	const char *text;
	size_t width;
};

/* Line 0 has the titles. */
static struct shown shown_at(const struct table *t, size_t line, size_t col)
{
	size_t i = (line - 1) * t->nr_cols + col;

	if (!line)
		return (struct shown){t->cols[col].title, text_width(t->cols[col].title)};
	return (struct shown){cell_text(t, i), t->cell[i].width};
}

static void print_cell(struct buf *b, struct shown s, const struct table_col *col, size_t width)
{
	size_t pad = width > s.width ? width - s.width : 0;

	if (!col->is_left)
		buf_add_blanks(b, pad);
	buf_addstr(b, s.text);
	buf_add_blanks(b, GAP + (col->is_left ? pad : 0));
}

static void cut_blanks(struct buf *b)
{
	while (b->len && b->text[b->len - 1] == ' ')
		b->text[--b->len] = '\0';
}

/* The last cell: over several lines, each under the first. */
static void print_last(struct buf *b, struct shown s, const struct table_col *col, size_t width,
		       size_t left)
{
	struct buf lines = BUF_INIT;

	if (s.width <= width) {
		if (*s.text)
			print_cell(b, s, col, width);
		cut_blanks(b);
		buf_addch(b, '\n');
		return;
	}
	format_wrapped(&lines, s.text, left, left + width);
	buf_addstr(b, buf_text(&lines) + left);
	buf_release(&lines);
}

/* A row below its name: "IOPS 4368; mean ms 7.310". */
static void fold_row(const struct table *t, size_t first, const size_t *w, struct buf *b,
		     size_t indent, size_t width)
{
	struct buf s = BUF_INIT;

	if (!t->cols[0].is_left)
		buf_addf(&s, "%s ", t->cols[0].title);
	buf_addstr(&s, cell_text(t, first) + strspn(cell_text(t, first), " "));
	format_wrapped(b, buf_text(&s), indent, width);
	buf_reset(&s);
	for (size_t c = 1; c < t->nr_cols; c++) {
		const char *text = cell_text(t, first + c);

		text += strspn(text, " ");
		if (w[c] && *text)
			buf_addf(&s, "%s%s%s%s", s.len ? "; " : "", t->cols[c].title,
				 *t->cols[c].title ? " " : "", text);
	}
	if (s.len)
		format_wrapped(b, buf_text(&s), indent + GAP, width);
	buf_release(&s);
}

static void print_line(const struct table *t, size_t line, const size_t *w, struct buf *b,
		       size_t indent, size_t left)
{
	size_t last = t->nr_cols - 1;

	buf_add_blanks(b, indent);
	for (size_t c = 0; c < last; c++)
		if (w[c])
			print_cell(b, shown_at(t, line, c), &t->cols[c], w[c]);
	print_last(b, shown_at(t, line, last), &t->cols[last], w[last], left);
}

void table_print(const struct table *t, struct buf *b, size_t indent, size_t width)
{
	size_t *w = xcalloc(t->nr_cols, sizeof(*w));
	size_t nr_rows = t->nr / t->nr_cols, left;
	bool fits;

	natural_widths(t, w);
	fits = fit(t, w, width > indent ? width - indent : 0);
	note_dropped(t, w);
	left = indent + front_width(t, w);
	for (size_t line = 0; fits && line <= nr_rows; line++)
		print_line(t, line, w, b, indent, left);
	for (size_t row = 0; !fits && row < nr_rows; row++)
		fold_row(t, row * t->nr_cols, w, b, indent, width);
	free(w);
}

/* ---- Markdown ---- */

/* A cell as it is written; blanks at its ends are for lines of text. */
static void escape(struct buf *out, const char *text)
{
	buf_reset(out);
	buf_add_markdown(out, text + strspn(text, " "));
	cut_blanks(out);
}

static size_t escaped_width(struct buf *s, const char *text)
{
	escape(s, text);
	return text_width(buf_text(s));
}

/* As wide as its widest cell, and as the dashes below its title. */
static void markdown_widths(const struct table *t, size_t *width)
{
	struct buf s = BUF_INIT;

	for (size_t c = 0; c < t->nr_cols; c++) {
		width[c] = escaped_width(&s, t->cols[c].title);
		width[c] = width[c] < 3 ? 3 : width[c];
	}
	for (size_t i = 0; i < t->nr; i++) {
		size_t w = escaped_width(&s, cell_text(t, i));

		if (w > width[i % t->nr_cols])
			width[i % t->nr_cols] = w;
	}
	buf_release(&s);
}

static void add_markdown_cell(struct buf *b, const char *text, const struct table_col *col,
			      size_t width)
{
	struct buf s = BUF_INIT;
	size_t pad;

	escape(&s, text);
	pad = width - text_width(buf_text(&s));
	buf_addstr(b, "| ");
	buf_add_blanks(b, col->is_left ? 0 : pad);
	buf_addstr(b, buf_text(&s));
	buf_add_blanks(b, (col->is_left ? pad : 0) + 1);
	buf_release(&s);
}

static void add_alignment(struct buf *b, const struct table *t, const size_t *width)
{
	for (size_t c = 0; c < t->nr_cols; c++) {
		buf_addstr(b, t->cols[c].is_left ? "| :" : "| ");
		for (size_t i = 1; i < width[c]; i++)
			buf_addch(b, '-');
		buf_addstr(b, t->cols[c].is_left ? " " : ": ");
	}
	buf_addstr(b, "|\n");
}

void table_markdown(const struct table *t, struct buf *b)
{
	size_t *w = xcalloc(t->nr_cols, sizeof(*w));

	markdown_widths(t, w);
	for (size_t c = 0; c < t->nr_cols; c++)
		add_markdown_cell(b, t->cols[c].title, &t->cols[c], w[c]);
	buf_addstr(b, "|\n");
	add_alignment(b, t, w);
	for (size_t i = 0; i < t->nr; i++) {
		size_t c = i % t->nr_cols;

		add_markdown_cell(b, cell_text(t, i), &t->cols[c], w[c]);
		if (c + 1 == t->nr_cols)
			buf_addstr(b, "|\n");
	}
	free(w);
}
