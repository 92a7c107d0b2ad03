/* SPDX-License-Identifier: MIT */
/* Charts as gnuplot drew them, with the values laid over. */
#include "base/file.h"
#include "base/mem.h"
#include "report/html_parts.h"
#include "report/html_svg.h"
#include "report/html_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A larger picture is one of very many points, which no reader tells apart. */
#define MAX_SVG_BYTES (2U << 20)
/* All pictures of a page: the rest are named, so that the page still opens at once. */
#define MAX_ALL_BYTES (7U << 19)
/* Of a line of more points than this, no single one can be pointed at. */
#define MAX_SPOTS   400
#define SPOT_RADIUS 9

static void add_spot(struct buf *b, struct picture_place at, double radius, struct buf *tip)
{
	if (isfinite(at.x) && isfinite(at.y) && tip->len) {
		while (tip->len && tip->text[tip->len - 1] == '\n')
			tip->text[--tip->len] = '\0';
		buf_addf(b, "<circle class=\"spot\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.0f\"><title>",
			 at.x, at.y, radius);
		html_text(b, buf_text(tip));
		buf_addstr(b, "</title></circle>\n");
	}
	buf_reset(tip);
}

static void add_series_spots(struct buf *b, const struct picture *p, const struct panel *panel,
			     const struct series *s)
{
	struct buf tip = BUF_INIT;

	for (size_t i = 0; s->nr <= MAX_SPOTS && i < s->nr; i++) {
		const struct cell *c = &s->cell[i];

		if (c->kind == CELL_GAP)
			continue;
		picture_add_tip(&tip, panel, s, c);
		add_spot(b, picture_place_cell(p, panel, s, c), SPOT_RADIUS, &tip);
	}
	buf_release(&tip);
}

static void add_heat_spots(struct buf *b, const struct picture *p, const struct panel *panel)
{
	struct buf tip = BUF_INIT;

	for (size_t i = 0; i < panel->nr_heat; i++) {
		struct picture_box box = picture_place_heat(p, panel, &panel->heat[i]);
		struct picture_place middle = {box.x + box.width / 2, box.y + box.height / 2};

		picture_add_heat_tip(&tip, panel, &panel->heat[i]);
		add_spot(b, middle, fmin(box.width, box.height) / 2, &tip);
	}
	buf_release(&tip);
}

/* Transparent circles over the points: their titles show on hover, also without scripts. */
static void add_spots(struct buf *b, const struct picture *p)
{
	buf_addstr(b, "<g>\n");
	for (size_t i = 0; i < (size_t)p->rows * p->cols; i++) {
		const struct panel *panel = &p->panel[i];

		for (size_t k = 0; k < panel->nr_series; k++)
			add_series_spots(b, p, panel, &panel->series[k]);
		add_heat_spots(b, p, panel);
	}
	buf_addstr(b, "</g>");
}

/* The file that gnuplot drew; -1 and e where there is none that can be read. */
static int read_svg(const struct html_page *page, const struct picture *p, struct buf *svg,
		    struct err *e)
{
	char *path = xasprintf("%s/%s.svg", page->dir, p->name);
	int rc = file_read(path, MAX_SVG_BYTES, svg, e);

	if (!rc && (!svg->len || strlen(svg->text) != svg->len))
		rc = err_set(e, ERR_DATA, "'%s' is no text", path);
	free(path);
	return rc;
}

/* Lines from one place of the caption to another, each a paragraph. */
static void add_lines(struct buf *b, const struct picture *p, size_t from, size_t to)
{
	char *copy = xstrndup(buf_text(&p->caption) + from, to - from), *rest = copy, *line;

	while ((line = strsep(&rest, "\n")))
		if (*line)
			html_element(b, "p", *line == ' ' ? "deep" : NULL,
				     line + strspn(line, " "));
	free(copy);
}

/* How to read it, with its lines joined again. */
static void add_reading(struct buf *b, const struct picture *p)
{
	struct buf s = BUF_INIT;

	buf_add(&s, buf_text(&p->caption) + p->reading_at, p->reading_end - p->reading_at);
	for (size_t i = 0; i < s.len; i++)
		if (s.text[i] == '\n')
			s.text[i] = ' ';
	html_take(b, "p", NULL, &s);
	buf_release(&s);
}

static void add_caption(struct buf *b, const struct picture *p)
{
	buf_addstr(b, "<figcaption>\n");
	if (p->reading_end) {
		add_reading(b, p);
		buf_addstr(b,
			   "<details class=\"aside\"><summary>What it shows, in words</summary>\n");
	}
	add_lines(b, p, 0, p->reading_at);
	add_lines(b, p, p->reading_end, p->caption.len);
	buf_addstr(b, p->reading_end ? "</details>\n</figcaption>\n" : "</figcaption>\n");
}

static int add_drawing(struct buf *b, const struct picture *p, size_t at, const struct buf *svg,
		       struct err *e)
{
	struct buf drawing = BUF_INIT, view_box = BUF_INIT;
	char *prefix = xasprintf("c%zu-", at);
	bool is_ok = html_svg(&drawing, buf_text(svg), prefix, &view_box);

	if (is_ok) {
		buf_addf(
			b,
			"<div class=\"plot\" tabindex=\"0\"><svg viewBox=\"%s\" role=\"img\" aria-label=\"",
			buf_text(&view_box));
		html_text(b, buf_text(&p->title));
		buf_addstr(b, "\">");
		buf_add(b, drawing.text, drawing.len);
		add_spots(b, p);
		buf_addstr(b, "</svg></div>\n");
	}
	free(prefix);
	buf_release(&view_box);
	buf_release(&drawing);
	return is_ok ? 0 : err_set(e, ERR_DATA, "'%s.svg' is not what gnuplot draws", p->name);
}

/* Of what failed while it was drawn the page tells already. */
static void note_not_shown(const struct html_page *page, const struct err *why)
{
	if (!page->not_shown || page->trouble || page->not_shown->code != ERR_NONE)
		return;
	*page->not_shown = *why;
	(void)err_wrap(page->not_shown, "the page lacks a chart");
}

static bool show_picture(struct buf *b, const struct html_page *page, size_t at)
{
	const struct picture *p = &page->charts->v[at];
	struct buf svg = BUF_INIT;
	struct err e = {0};
	int rc = read_svg(page, p, &svg, &e) || add_drawing(b, p, at + 1, &svg, &e);

	if (rc)
		note_not_shown(page, &e);
	buf_release(&svg);
	return !rc;
}

static void add_missing(struct buf *b, const struct picture *p)
{
	buf_addstr(b, "<p class=\"soft\"><strong>");
	html_text(b, buf_text(&p->title));
	buf_addstr(b, picture_has_points(p) ? "</strong>: this chart was not drawn."
					    : "</strong>: no valid points, so there is no chart.");
	buf_addstr(b, "</p>\n");
}

static void add_left_out(struct buf *b, const struct html_page *page, size_t first)
{
	const struct charts *c = page->charts;

	buf_addf(
		b,
		"<p class=\"note\">This page would be too large with all charts. Left out, and drawn as "
		"files by <code>lunsweep report -o DIR</code>, %s: ",
		c->nr - first == 1 ? "is" : "are");
	for (size_t i = first; i < c->nr; i++) {
		buf_addstr(b, i > first ? ", <code>" : "<code>");
		html_text(b, c->v[i].name);
		buf_addstr(b, "</code>");
	}
	buf_addstr(b, ".</p>\n");
}

static void add_figure(struct buf *b, const struct html_page *page, size_t at)
{
	const struct picture *p = &page->charts->v[at];

	buf_addstr(b, "<figure class=\"chart\">\n");
	if (!picture_has_points(p) || !page->dir || !show_picture(b, page, at))
		add_missing(b, p);
	add_caption(b, p);
	buf_addstr(b, "</figure>\n");
}

static void add_trouble(struct buf *b, const char *trouble)
{
	struct buf s = BUF_INIT;

	buf_addf(&s, "Charts are missing: %s.", trouble);
	html_take(b, "p", NULL, &s);
	buf_release(&s);
}

void html_charts(struct buf *b, const struct html_page *page)
{
	size_t begin = b->len;

	if (!page->charts || !page->charts->nr)
		return;
	if (page->trouble)
		add_trouble(b, page->trouble);
	for (size_t i = 0; i < page->charts->nr; i++) {
		if (b->len - begin > MAX_ALL_BYTES) {
			add_left_out(b, page, i);
			break;
		}
		add_figure(b, page, i);
	}
}
