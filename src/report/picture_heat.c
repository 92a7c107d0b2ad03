/* SPDX-License-Identifier: MIT */
/*
 * Heat maps: one ramp from dark blue to bright yellow whose lightness rises evenly, so that readers who see few
 * colours and grey printers keep its order (the idea of "cividis": Nunez, Anderton and Renslow 2018).
 */
#include "report/picture_parts.h"

#include "base/mem.h"
#include "base/num.h"
#include "report/format.h"
#include "report/gnuplot.h"

#include <string.h>

static const unsigned ramp[][3] = {
	{0, 32, 77}, {65, 77, 107}, {124, 123, 120}, {188, 175, 111}, {255, 234, 70}};

/* Range of the colours. */
struct heat_range {
	double lo, hi;
};

/* Columns of the data file. */
enum column { COL_X = 1, COL_Y, COL_VALUE, COL_GAP, COL_FRAME, COL_TEXT, COL_COLOR };

static void widen(struct heat_range *r, const struct panel *p, double v)
{
	if (!isfinite(v) || (p->is_heat_log && !(v > 0)))
		return;
	r->lo = fmin(v, r->lo);
	r->hi = fmax(v, r->hi);
}

static bool is_same_heat(const struct panel *a, const struct panel *b)
{
	return b->nr_heat && a->is_heat_log == b->is_heat_log && a->heat_title && b->heat_title &&
	       strcmp(a->heat_title, b->heat_title) == 0;
}

static struct heat_range range_of(const struct picture *p, const struct panel *panel)
{
	struct heat_range r = {UNKNOWN, UNKNOWN};

	for (size_t i = 0; i < (size_t)p->rows * p->cols; i++) {
		const struct panel *q = &p->panel[i];

		if (q != panel && !is_same_heat(panel, q))
			continue;
		widen(&r, q, q->heat_min);
		widen(&r, q, q->heat_max);
		for (size_t k = 0; k < q->nr_heat; k++)
			widen(&r, q, q->heat[k].value);
	}
	if (!(r.lo < r.hi)) {
		double v = isnan(r.lo) ? 1 : r.lo;

		r = panel->is_heat_log ? (struct heat_range){v / 2, v * 2}
				       : (struct heat_range){v - 1, v + 1};
	}
	return r;
}

static double heat_share(const struct panel *p, struct heat_range r, double v)
{
	double share =
		p->is_heat_log ? log(v / r.lo) / log(r.hi / r.lo) : (v - r.lo) / (r.hi - r.lo);

	return fmin(fmax(share, 0), 1);
}

/* One of the three primaries there, 0 to 255. */
static double ramp_at(double share, size_t primary)
{
	double at = share * (double)(NR(ramp) - 1);
	size_t i = at >= (double)(NR(ramp) - 2) ? NR(ramp) - 2 : (size_t)at;
	double part = at - (double)i;

	return ramp[i][primary] * (1 - part) + ramp[i + 1][primary] * part;
}

/* Half way in lightness: relative luminance 0.18 has the same contrast to black and to white. */
static bool heat_is_bright(double share)
{
	static const double weight[] = {0.2126, 0.7152, 0.0722};
	double luminance = 0;

	for (size_t i = 0; i < NR(weight); i++)
		luminance += weight[i] * pow(ramp_at(share, i) / 255, 2.2);
	return luminance > 0.18;
}

static void heat_add_palette(struct buf *gp)
{
	buf_addstr(gp, "set palette defined (");
	for (size_t i = 0; i < NR(ramp); i++)
		buf_addf(gp, "%s%zu '#%02x%02x%02x'", i ? ", " : "", i, ramp[i][0], ramp[i][1],
			 ramp[i][2]);
	buf_addstr(gp, ")\n");
}

static void add_number(struct buf *b, double v, bool is_known)
{
	if (is_known && isfinite(v))
		buf_addf(b, " %.10g", v);
	else
		buf_addstr(b, " NaN");
}

/* gnuplot takes a backslash and what follows in double quotes for an escape. */
static void add_text(struct buf *b, const char *text)
{
	struct buf s = BUF_INIT;

	buf_add_clean(&s, text ? text : "", 24);
	buf_addstr(b, " \"");
	for (const char *c = buf_text(&s); *c; c++)
		buf_addch(b, *c == '"' || *c == '\\' ? '\'' : *c);
	buf_addch(b, '"');
	buf_release(&s);
}

static void add_cell(struct buf *b, const struct panel *p, struct heat_range r,
		     const struct heat_cell *h)
{
	bool is_gap = h->kind == CELL_GAP || (p->is_heat_log && !(h->value > 0));
	bool is_framed = !is_gap && h->kind != CELL_VALID;
	bool is_black = is_gap || heat_is_bright(heat_share(p, r, h->value));

	buf_addf(b, "%.10g %.10g", h->x, h->y);
	add_number(b, h->value, !is_gap);
	add_number(b, h->y, is_gap);
	add_number(b, h->y, is_framed);
	add_text(b, is_gap ? NULL : h->text);
	buf_addf(b, " %s\n", is_black ? "0x000000" : "0xffffff");
}

void heat_add_data(struct buf *b, const struct picture *p, const struct panel *panel)
{
	struct heat_range r = range_of(p, panel);

	for (size_t i = 0; i < panel->nr_heat; i++)
		add_cell(b, panel, r, &panel->heat[i]);
}

/* The scale of colours, right of the panels of a row. */

/* Returns the room that its labels take. */
static double add_color_ticks(struct buf *gp, const struct panel *p, struct heat_range r,
			      double length)
{
	double room;

	struct axis_view v = {.scale = p->is_heat_log ? SCALE_LOG10 : SCALE_LINEAR,
			      .is_y = true,
			      .lo = r.lo,
			      .hi = r.hi};

	axis_view_label(&v, length);
	buf_addstr(gp, "set cbtics scale 0.5 (");
	for (size_t i = 0; i < v.nr_ticks; i++)
		buf_addf(gp, "%s'%s' %.10g", i ? ", " : "", v.tick[i].label, v.tick[i].at);
	buf_addstr(gp, ")\n");
	room = axis_view_label_room(&v);
	axis_view_release(&v);
	return room;
}

static void add_color_box(struct buf *gp, const struct picture *p, const struct panel *panel,
			  struct heat_range r)
{
	const struct picture_layout *l = picture_layout(p);
	struct picture_box box = picture_panel_box(p, panel);
	double room;

	if (panel->is_heat_log)
		buf_addstr(gp, "set logscale cb\n");
	else
		buf_addstr(gp, "unset logscale cb\n");
	buf_addf(gp, "set cbrange [%.10g:%.10g]\n", r.lo, r.hi);
	if ((size_t)(panel - p->panel + 1) % p->cols) {
		buf_addstr(gp, "unset colorbox\n");
		return;
	}
	buf_addf(gp,
		 "set colorbox vertical user origin screen %.6f, screen %.6f size screen %.6f, "
		 "screen %.6f noborder\n",
		 l->legend_x / PICTURE_WIDTH, 1 - (box.y + box.height) / l->height,
		 16.0 / PICTURE_WIDTH, box.height / l->height);
	room = add_color_ticks(gp, panel, r, box.height);
	if (panel->heat_title) {
		buf_addstr(gp, "set label 9 ");
		gnuplot_quote(gp, panel->heat_title);
		buf_addf(gp, " at screen %.6f,%.6f center rotate noenhanced\n",
			 (l->legend_x + 46 + room) / PICTURE_WIDTH,
			 1 - (box.y + box.height / 2) / l->height);
	}
}

static bool has_kind(const struct panel *p, bool is_gap)
{
	for (size_t i = 0; i < p->nr_heat; i++) {
		enum cell_kind kind = p->heat[i].kind;

		if (is_gap ? kind == CELL_GAP || (p->is_heat_log && !(p->heat[i].value > 0))
			   : kind == CELL_SPOILED || kind == CELL_LIMITED)
			return true;
	}
	return false;
}

static bool has_value(const struct panel *p)
{
	for (size_t i = 0; i < p->nr_heat; i++)
		if (p->heat[i].kind != CELL_GAP && !(p->is_heat_log && !(p->heat[i].value > 0)))
			return true;
	return false;
}

/* The largest font in which every text fits into its cell; 0 where none does. */
static int text_size(const struct picture *p, const struct panel *panel)
{
	struct picture_box box = picture_place_heat(p, panel, &panel->heat[0]);
	size_t longest = 1;

	for (size_t i = 0; i < panel->nr_heat; i++) {
		size_t width = panel->heat[i].text ? text_width(panel->heat[i].text) : 0;

		longest = width > longest ? width : longest;
	}
	for (int size = 11; size >= 6; size--) {
		double scale = (double)size / 11;

		if (CHAR_WIDTH * scale * (double)longest + 4 <= box.width &&
		    LINE_HEIGHT * scale <= box.height)
			return size;
	}
	return 0;
}

/* A box around each place of which this column has the y. */
static void add_boxes(struct buf *gp, size_t block, enum column y, const char *rest)
{
	buf_addf(gp, "data index %zu using %d:%d:($%d-0.5):($%d+0.5):($%d-0.5):($%d+0.5)%s", block,
		 COL_X, y, COL_X, COL_X, y, y, rest);
}

static void plot_gaps(struct buf *gp, size_t block, bool *is_first)
{
	script_begin_plot(gp, is_first);
	add_boxes(gp, block, COL_GAP,
		  " with boxxyerror notitle fc rgb '#ececec' fs solid 1 noborder");
	script_begin_plot(gp, is_first);
	buf_addf(gp,
		 "data index %zu using %d:%d with points notitle pt 2 ps 1.2*k lc rgb '#909090'",
		 block, COL_X, COL_GAP);
}

/* Gaps come last: a box without a value would be drawn white over them. */
void heat_add_plots(struct buf *gp, const struct picture *p, const struct panel *panel,
		    bool *is_first)
{
	size_t block = picture_block(p, panel) + panel->nr_series + panel->nr_marks;
	int size = text_size(p, panel);

	if (has_value(panel)) {
		script_begin_plot(gp, is_first);
		add_boxes(gp, block, COL_Y,
			  ":3 with boxxyerror notitle lc palette fs solid 1 noborder");
	}
	if (has_kind(panel, false)) {
		script_begin_plot(gp, is_first);
		add_boxes(gp, block, COL_FRAME,
			  " with boxxyerror notitle fs empty border lc rgb '#D55E00' lw 2.5");
	}
	if (has_kind(panel, true))
		plot_gaps(gp, block, is_first);
	if (!size || !has_value(panel))
		return;
	script_begin_plot(gp, is_first);
	buf_addf(gp,
		 "data index %zu using %d:%d:%d:%d with labels notitle noenhanced font ',%d' tc "
		 "rgb variable",
		 block, COL_X, COL_Y, COL_TEXT, COL_COLOR, size);
}

void heat_add_colors(struct buf *gp, const struct picture *p, const struct panel *panel)
{
	heat_add_palette(gp);
	add_color_box(gp, p, panel, range_of(p, panel));
}
