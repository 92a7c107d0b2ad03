/* SPDX-License-Identifier: MIT */
#include "report/text_plot.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/term.h"
#include "report/format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH_DEFAULT 80
#define INDENT	      2
#define GAP	      2
/* A panel that is narrower shows nothing; one that is wider, nothing more. */
#define PANEL_MIN  34
#define PANEL_MAX  90
#define ROWS_BELOW 6
/* Of the y axis: at least so many steps, and fewer than twice as many. */
#define STEPS_MIN 3

/* What a place of the canvas holds. The dots of a line are one bit each, as braille has them: left column from
 * the top, then the right one; in ASCII any of them is a dot. */
struct place {
	unsigned char dots;
	unsigned char curve; /* whose, from 0 */
	bool is_rule;
	char mark; /* letter, 'o' for a ring, 'x' as it is, '*' for several; 0 for none */
};

struct canvas {
	size_t cols, rows;
	struct place *place; /* row by row, the topmost first */
	double x_min, x_max, y_max;
	bool is_log2;
};

void plot_init(struct plot *p)
{
	*p = (struct plot){.nr_panels = 0};
	for (size_t i = 0; i < PLOT_MAX_PANELS; i++)
		p->panel[i].rule_y = UNKNOWN;
}

void plot_release(struct plot *p)
{
	for (size_t i = 0; i < PLOT_MAX_PANELS; i++)
		for (size_t c = 0; c < PLOT_MAX_CURVES; c++)
			free(p->panel[i].curve[c].pt);
	plot_init(p);
}

void plot_add(struct plot_panel *panel, size_t curve, double x, double y, enum plot_kind kind)
{
	struct plot_curve *c = &panel->curve[curve];

	VEC_GROW(c->pt, c->nr, c->cap);
	c->pt[c->nr++] = (struct plot_point){x, y, isfinite(y) ? kind : PLOT_GAP};
}

/* ---- scales ---- */

/* A scale from 0. */
struct scale {
	double step; /* 1, 2 or 5 times a power of ten */
	int nr;	     /* of steps */
};

static struct scale choose_scale(double max)
{
	static const double nice[] = {5, 2, 1};
	double raw = max / STEPS_MIN, power, step = 0;

	if (!(max > 0))
		return (struct scale){1, 1};
	/* The largest that has enough steps below the maximum. */
	power = pow(10, floor(log10(raw)));
	for (size_t i = 0; i < NR(nice) && !(step > 0); i++)
		if (nice[i] * power <= raw * (1 + 1e-9))
			step = nice[i] * power;
	return (struct scale){step, (int)ceil(max / step - 1e-9)};
}

static double largest_y(const struct plot_panel *p)
{
	double max = isfinite(p->rule_y) ? p->rule_y : 0;

	for (size_t c = 0; c < PLOT_MAX_CURVES; c++)
		for (size_t i = 0; i < p->curve[c].nr; i++)
			if (p->curve[c].pt[i].kind != PLOT_GAP)
				max = fmax(max, p->curve[c].pt[i].y);
	return max;
}

static double along_x(const struct canvas *c, double x)
{
	double low = c->x_min, high = c->x_max;

	if (c->is_log2) {
		x = log2(x);
		low = log2(low);
		high = log2(high);
	}
	return high > low ? (x - low) / (high - low) : 0.5;
}

/* In places, the middle of the first being 0. */
static double place_x(const struct canvas *c, double x)
{
	return along_x(c, x) * (double)(c->cols - 1);
}

static double place_y(const struct canvas *c, double y)
{
	return (1 - y / c->y_max) * (double)(c->rows - 1);
}

/* ---- drawing ---- */

static struct place *at(const struct canvas *c, double x, double y)
{
	size_t col = (size_t)lround(x), row = (size_t)lround(y);

	return &c->place[(row < c->rows ? row : c->rows - 1) * c->cols +
			 (col < c->cols ? col : c->cols - 1)];
}

/* Braille counts its dots 1 2 3 7 down the left, 4 5 6 8 down the right. */
static void set_dot(const struct canvas *c, double x, double y, size_t curve)
{
	static const unsigned char bit[2][4] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};
	size_t dx = (size_t)fmin(fmax((x + 0.5) * 2, 0), (double)c->cols * 2 - 1);
	size_t dy = (size_t)fmin(fmax((y + 0.5) * 4, 0), (double)c->rows * 4 - 1);
	struct place *p = &c->place[dy / 4 * c->cols + dx / 2];

	p->dots |= bit[dx % 2][dy % 4];
	p->curve = (unsigned char)curve;
}

static void draw_line(const struct canvas *c, const struct plot_point *a,
		      const struct plot_point *b, size_t curve)
{
	double x = place_x(c, a->x), y = place_y(c, a->y);
	double dx = place_x(c, b->x) - x, dy = place_y(c, b->y) - y;
	double steps = ceil(fmax(fabs(dx) * 2, fabs(dy) * 4));

	for (double i = 0; i <= steps; i++)
		set_dot(c, x + dx * (steps > 0 ? i / steps : 0),
			y + dy * (steps > 0 ? i / steps : 0), curve);
}

static bool has_line(const struct plot_point *p)
{
	return p->kind == PLOT_VALID || p->kind == PLOT_KNEE || p->kind == PLOT_LIMITED;
}

static void draw_mark(const struct canvas *c, const struct plot_point *p, size_t curve)
{
	struct place *place = at(c, place_x(c, p->x), place_y(c, p->y));
	char mark = (char)('a' + curve);

	if (p->kind == PLOT_SPOILED)
		mark = 'o';
	if (p->kind == PLOT_LIMITED)
		mark = 'x';
	if (p->kind == PLOT_KNEE)
		mark = (char)('A' + curve);
	/* Of one curve the knee, or what is not hollow, tells more. */
	if (place->mark && place->curve != curve)
		mark = '*';
	place->mark = mark;
	place->curve = (unsigned char)curve;
}

static void draw(const struct canvas *c, const struct plot_panel *panel)
{
	if (isfinite(panel->rule_y))
		for (size_t col = 0; col < c->cols; col++)
			at(c, (double)col, place_y(c, panel->rule_y))->is_rule = true;
	for (size_t s = 0; s < PLOT_MAX_CURVES; s++) {
		const struct plot_curve *curve = &panel->curve[s];

		for (size_t i = 1; i < curve->nr; i++)
			if (has_line(&curve->pt[i - 1]) && has_line(&curve->pt[i]))
				draw_line(c, &curve->pt[i - 1], &curve->pt[i], s);
	}
	for (size_t s = 0; s < PLOT_MAX_CURVES; s++)
		for (size_t i = 0; i < panel->curve[s].nr; i++)
			if (panel->curve[s].pt[i].kind != PLOT_GAP)
				draw_mark(c, &panel->curve[s].pt[i], s);
}

/* ---- as text ---- */

static void add_braille(struct buf *b, unsigned char dots)
{
	const char utf8[] = {(char)0xe2, (char)(0xa0 | dots >> 6), (char)(0x80 | (dots & 0x3f))};

	buf_add(b, utf8, sizeof(utf8));
}

static void add_place(struct buf *b, const struct place *p, struct text_style style)
{
	struct buf s = BUF_INIT;

	if (p->mark == 'o')
		buf_addstr(&s, style.utf8 ? "\xe2\x97\x8b" : "o");
	else if (p->mark)
		buf_addch(&s, p->mark);
	else if (p->dots && style.utf8)
		add_braille(&s, p->dots);
	else if (p->dots)
		buf_addch(&s, '.');
	else if (p->is_rule)
		buf_addstr(&s, style.utf8 ? "\xe2\x94\x80" : "-");
	else
		buf_addch(&s, ' ');
	buf_add_styled(b, style.color && (p->dots || p->mark) && p->mark != '*',
		       (enum term_style)(TERM_CURVE + p->curve), buf_text(&s));
	buf_release(&s);
}

/* The figure of a tick of y; thousands are short where all are round. */
static void add_y_label(struct buf *b, double v, double step)
{
	int decimals = step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0;

	if (step >= 1000 && v >= 1000)
		buf_addf(b, "%.10gk", v / 1000);
	else
		buf_add_fixed(b, v, decimals);
}

/* A panel as lines of the same width. */
struct lines_of {
	struct buf line[PLOT_ROWS + 4];
	size_t nr, width;
};

static void pad_to(struct buf *b, size_t width)
{
	size_t used = text_width(buf_text(b));

	buf_add_blanks(b, width > used ? width - used : 0);
}

static size_t label_width(struct scale y)
{
	size_t width = 1;

	for (int i = 0; i <= y.nr; i++) {
		struct buf s = BUF_INIT;

		add_y_label(&s, i * y.step, y.step);
		width = s.len > width ? s.len : width;
		buf_release(&s);
	}
	return width;
}

/* The row of the canvas that the step belongs to. */
static size_t step_row(const struct canvas *c, struct scale y, int step)
{
	return (size_t)lround((1 - (double)step / y.nr) * (double)(c->rows - 1));
}

static void add_rows(struct lines_of *l, const struct canvas *c, struct scale y, size_t left,
		     struct text_style style)
{
	for (size_t row = 0; row < c->rows; row++) {
		struct buf *b = &l->line[l->nr++], label = BUF_INIT;

		for (int i = y.nr; i >= 0 && !label.len; i--)
			if (step_row(c, y, i) == row)
				add_y_label(&label, i * y.step, y.step);
		buf_add_blanks(b, left - label.len);
		buf_addstr(b, buf_text(&label));
		if (style.utf8)
			buf_addstr(b, label.len ? " \xe2\x94\xa4" : " \xe2\x94\x82");
		else
			buf_addstr(b, label.len ? " +" : " |");
		for (size_t col = 0; col < c->cols; col++)
			add_place(b, &c->place[row * c->cols + col], style);
		buf_release(&label);
	}
}

/* The x axis with a tick each, and their figures as far as there is room. */
static void add_x_axis(struct lines_of *l, const struct canvas *c, const struct plot *p,
		       size_t left, bool is_utf8)
{
	struct buf *axis = &l->line[l->nr++], *labels = &l->line[l->nr++];
	size_t next_free = 0;
	char *ticks = xcalloc(c->cols + 1, 1);

	for (size_t i = 0; i < p->nr_ticks; i++)
		ticks[lround(place_x(c, p->tick[i]))] = 1;
	buf_add_blanks(axis, left + 1);
	buf_addstr(axis, is_utf8 ? "\xe2\x94\x94" : "+");
	for (size_t col = 0; col < c->cols; col++)
		buf_addstr(axis, ticks[col] ? is_utf8 ? "\xe2\x94\xb4" : "+"
				 : is_utf8  ? "\xe2\x94\x80"
					    : "-");
	free(ticks);
	for (size_t i = 0; i < p->nr_ticks; i++) {
		struct buf s = BUF_INIT;
		size_t middle = left + 2 + (size_t)lround(place_x(c, p->tick[i])), begin;

		buf_addf(&s, "%.10g", p->tick[i]);
		begin = middle > s.len / 2 ? middle - s.len / 2 : 0;
		if (begin + s.len > l->width)
			begin = l->width > s.len ? l->width - s.len : 0;
		if (!i || begin >= next_free) {
			pad_to(labels, begin);
			buf_addstr(labels, buf_text(&s));
			next_free = begin + s.len + 1;
		}
		buf_release(&s);
	}
}

static void draw_panel(struct lines_of *l, const struct plot *p, const struct plot_panel *panel,
		       size_t width, size_t rows, struct text_style style)
{
	struct scale y = choose_scale(largest_y(panel));
	size_t left = label_width(y);
	/* Right of it is room for half the figure of the last tick. */
	struct canvas c = {.cols = width > left + 5 ? width - left - 3 : 1,
			   .rows = rows,
			   .x_min = p->nr_ticks ? p->tick[0] : 1,
			   .x_max = p->nr_ticks ? p->tick[p->nr_ticks - 1] : 1,
			   .y_max = y.step * y.nr,
			   .is_log2 = p->is_log2};

	*l = (struct lines_of){.width = width};
	c.place = xcalloc(c.cols * c.rows, sizeof(*c.place));
	draw(&c, panel);
	buf_add_clean(&l->line[l->nr], panel->title, width);
	l->nr++;
	add_rows(l, &c, y, left, style);
	add_x_axis(l, &c, p, left, style.utf8);
	pad_to(&l->line[l->nr], left + 2);
	buf_add_clean(&l->line[l->nr++], p->x_title, width > left + 3 ? width - left - 2 : 1);
	free(c.place);
}

static void cut_blanks(struct buf *b)
{
	while (b->len && b->text[b->len - 1] == ' ')
		b->text[--b->len] = '\0';
}

static void print_lines(struct buf *b, struct lines_of *l, size_t nr_panels)
{
	for (size_t i = 0; i < l[0].nr; i++) {
		struct buf line = BUF_INIT;

		for (size_t k = 0; k < nr_panels; k++) {
			buf_add_blanks(&line, k ? GAP : INDENT);
			buf_addstr(&line, buf_text(&l[k].line[i]));
			if (k + 1 < nr_panels)
				pad_to(&line, INDENT + (k + 1) * (l[k].width + GAP) - GAP);
			buf_release(&l[k].line[i]);
		}
		cut_blanks(&line);
		buf_addf(b, "%s\n", buf_text(&line));
		buf_release(&line);
	}
}

void text_plot(struct buf *b, const struct plot *p, struct text_style style)
{
	size_t room = style.width ? style.width : WIDTH_DEFAULT, width;
	size_t rows = p->nr_rows && p->nr_rows < PLOT_ROWS ? p->nr_rows : PLOT_ROWS;
	struct lines_of l[PLOT_MAX_PANELS];

	room = room > INDENT ? room - INDENT : 1;
	width = (room - (p->nr_panels - 1) * GAP) / (p->nr_panels ? p->nr_panels : 1);
	if (p->nr_panels > 1 && room > GAP && width >= PANEL_MIN) {
		for (size_t i = 0; i < p->nr_panels; i++)
			draw_panel(&l[i], p, &p->panel[i], width < PANEL_MAX ? width : PANEL_MAX,
				   rows, style);
		print_lines(b, l, p->nr_panels);
		return;
	}
	for (size_t i = 0; i < p->nr_panels; i++) {
		draw_panel(&l[0], p, &p->panel[i], room < PANEL_MAX ? room : PANEL_MAX,
			   p->nr_panels > 1 ? ROWS_BELOW : rows, style);
		print_lines(b, l, 1);
	}
}
