/* SPDX-License-Identifier: MIT */
#include "report/text_answers.h"

#include "base/num.h"
#include "base/term.h"
#include "base/units.h"
#include "report/format.h"
#include "report/markup.h"
#include "report/sentence.h"
#include "report/sentence_size.h"
#include "report/text_load.h"

#include <math.h>

/* Caps that fit beside the name of a curve. */
#define CAPS_PER_TABLE 2
#define NARROW	       70

static void add_knee_cells(struct table *t, const struct report_curve *rc)
{
	const struct knee *k = &rc->knee;
	bool has_figures = knee_is_known(k);
	/* Where the knee was not reached, the deepest point is what there is. */
	bool is_rising = k->cls == KNEE_RISING;
	double iops = is_rising ? k->last_iops : k->sat_iops;
	double lat_ns = is_rising ? k->last_lat_ns : k->sat_lat_ns;
	struct buf s = BUF_INIT;

	sentence_knee_short(&s, rc->curve, k);
	table_take(t, &s);
	if (has_figures && knee_iops_are_least(k))
		buf_addstr(&s, ">= ");
	format_iops(&s, has_figures ? iops : UNKNOWN);
	table_take(t, &s);
	format_fixed(&s, has_figures ? lat_ns / 1e6 : UNKNOWN, 3);
	table_take(t, &s);
	buf_release(&s);
}

static void add_cap_short(struct buf *s, const struct report_curve *rc, unsigned c)
{
	if (rc->search[c])
		sentence_search_short(s, rc->search[c]);
	else
		sentence_cap_short(s, &rc->cap[c]);
}

/* How many points of the curve decide, of all that it has; of repeats and anchors each counts. */
static void count_valid(const struct report_run *run, const struct curve *c, unsigned *nr_valid,
			unsigned *nr)
{
	*nr = *nr_valid = 0;
	for (size_t i = 0; i < c->nr_rows; i++, (*nr)++)
		*nr_valid += point_is_valid(c->row[i], run->accepted);
}

static bool all_valid(const struct report_run *run)
{
	unsigned nr_valid, nr;

	for (size_t i = 0; i < run->nr_curves; i++) {
		count_valid(run, run->curves[i].curve, &nr_valid, &nr);
		if (nr_valid < nr)
			return false;
	}
	return true;
}

static void add_valid_cell(struct table *t, const struct report_run *run, const struct curve *c,
			   bool has_color)
{
	struct buf s = BUF_INIT, cell = BUF_INIT;
	unsigned nr_valid, nr;

	count_valid(run, c, &nr_valid, &nr);
	buf_addf(&s, "%u of %u", nr_valid, nr);
	buf_add_styled(&cell, has_color && nr_valid < nr, TERM_WARN, buf_text(&s));
	table_take(t, &cell);
	buf_release(&cell);
	buf_release(&s);
}

/* One line per curve: its knee if asked for, and nr caps from the first on. */
static void add_answer_table(struct buf *b, const struct report_run *run, bool has_knee,
			     unsigned first, unsigned nr, struct text_style style,
			     struct buf *dropped)
{
	struct table_col col[5 + CAPS_PER_TABLE] = {
		{"curve", true, 0},    {"saturates", true, 4}, {"IOPS", false, 3},
		{"mean ms", false, 1}, {"valid", false, 2},
	};
	bool has_valid = has_knee && !all_valid(run);
	size_t nr_front = has_valid ? 5 : has_knee ? 4 : 1;
	struct buf title[CAPS_PER_TABLE] = {BUF_INIT};
	struct buf s = BUF_INIT;
	struct table t;

	for (unsigned i = 0; i < nr; i++) {
		buf_addstr(&title[i], "max at ");
		format_cap(&title[i], run->caps[first + i]);
		col[nr_front + i] = (struct table_col){buf_text(&title[i]), true, 0};
	}
	table_init(&t, col, nr_front + nr);
	/* An answer in one line, unless that leaves nothing in front of it. */
	t.last_min = style.width < NARROW ? 14 : 30;
	t.dropped = dropped;
	for (size_t i = 0; i < run->nr_curves; i++) {
		buf_add_curve_name(&s, &run->curves[i].curve->spec);
		table_take(&t, &s);
		if (has_knee)
			add_knee_cells(&t, &run->curves[i]);
		if (has_valid)
			add_valid_cell(&t, run, run->curves[i].curve, style.color);
		for (unsigned c = first; c < first + nr; c++) {
			add_cap_short(&s, &run->curves[i], c);
			table_take(&t, &s);
		}
	}
	text_table(b, style, 2, &t);
	table_release(&t);
	for (unsigned i = 0; i < nr; i++)
		buf_release(&title[i]);
	buf_release(&s);
}

/* ---- many curves in few lines ---- */

/* More lines than that are no summary. */
#define LINES_MAX 8

/* What curves of one line have alike: all but span and offset, the kind of I/O, or nothing. */
enum level { ALL_BUT_SPAN, KIND_OF_IO, NOTHING };

static bool is_alike(enum level level, const struct point_spec *a, const struct point_spec *b)
{
	if (level == NOTHING)
		return true;
	if (a->rw != b->rw || a->rwmixread_pct != b->rwmixread_pct ||
	    a->random_pct != b->random_pct)
		return false;
	return level == KIND_OF_IO || (a->bs_bytes == b->bs_bytes && a->workers == b->workers);
}

/* The curves that begin a line each, of which there are as many as are returned; one more than
 * LINES_MAX where they are too many. */
static size_t find_lines(const struct report_run *run, enum level level,
			 const struct point_spec *first[LINES_MAX + 1])
{
	size_t nr = 0;

	for (size_t i = 0; i < run->nr_curves && nr <= LINES_MAX; i++) {
		const struct point_spec *spec = &run->curves[i].curve->spec;
		size_t k = 0;

		while (k < nr && !is_alike(level, first[k], spec))
			k++;
		if (k == nr)
			first[nr++] = spec;
	}
	return nr;
}

struct range {
	double low, high;
	bool is_low_least;  /* all that is known as low may be more */
	bool is_high_least; /* one of them may be more than high */
	unsigned nr;
};

/* is_least: v is a lower bound. */
static void widen(struct range *r, double v, bool is_least)
{
	if (!isfinite(v))
		return;
	if (!r->nr || v < r->low)
		r->is_low_least = is_least;
	else if (v == r->low)
		r->is_low_least = r->is_low_least && is_least;
	r->is_high_least = r->is_high_least || is_least;
	r->low = r->nr ? fmin(r->low, v) : v;
	r->high = r->nr ? fmax(r->high, v) : v;
	r->nr++;
}

/* "900 to >= 2500 IOPS" */
static void add_iops(struct buf *b, const struct range *r)
{
	/* Equal figures of which one is a bound are a range as well. */
	bool is_range = r->high > r->low || r->is_low_least != r->is_high_least;

	buf_addstr(b, r->is_low_least ? ">= " : "");
	format_iops(b, r->low);
	if (is_range) {
		buf_addstr(b, r->is_high_least ? " to >= " : " to ");
		format_iops(b, r->high);
	}
	buf_addstr(b, " IOPS");
}

static void add_depths(struct buf *b, const struct range *r)
{
	buf_addf(b, " at iodepth %s%.0f", r->is_low_least ? ">= " : "", r->low);
	if (r->high > r->low)
		buf_addf(b, " to %s%.0f", r->is_high_least ? ">= " : "", r->high);
}

/* What became of the curves of a line. */
struct line {
	unsigned nr, nr_flat, nr_rising, nr_unknown, nr_never;
	struct range depth, iops;	  /* where they saturate, those that are flat left out */
	struct range cap_depth, cap_iops; /* under the first cap */
};

static void add_to_line(struct line *l, const struct report_run *run, const struct report_curve *rc)
{
	const struct knee *k = &rc->knee;

	l->nr++;
	if (!knee_is_known(k)) {
		l->nr_unknown++;
	} else if (k->cls == KNEE_RISING) {
		l->nr_rising++;
	} else if (k->cls == KNEE_FLAT) {
		l->nr_flat++;
	} else {
		widen(&l->depth, k->sat_depth, knee_is_least(k));
		widen(&l->iops, k->sat_iops, k->is_sat_least);
	}
	if (!run->nr_caps)
		return;
	l->nr_never += rc->cap[0].status == CAP_INFEASIBLE;
	if (cap_is_met(&rc->cap[0])) {
		widen(&l->cap_depth, rc->cap[0].depth, false);
		widen(&l->cap_iops, rc->cap[0].iops, cap_is_least(&rc->cap[0]));
	}
}

static void add_line_name(struct buf *s, enum level level, const struct point_spec *spec)
{
	if (level == NOTHING) {
		buf_addstr(s, "All");
		return;
	}
	buf_addstr(s, rw_name(spec->rw));
	if (rw_is_mixed(spec->rw))
		buf_addf(s, " %u %% reads", spec->rwmixread_pct);
	if (rw_is_random(spec->rw) && spec->random_pct != 100)
		buf_addf(s, " %u %% random", spec->random_pct);
	if (level != ALL_BUT_SPAN)
		return;
	buf_addch(s, ' ');
	buf_add_size(s, spec->bs_bytes);
	if (spec->workers > 1)
		buf_addf(s, " %u workers", spec->workers);
}

static void add_part(struct buf *s, const char **sep, unsigned nr, const char *what)
{
	if (!nr)
		return;
	buf_addf(s, "%s%u %s", *sep, nr, what);
	*sep = ", ";
}

static void add_line_text(struct buf *s, const struct report_run *run, const struct line *l)
{
	const char *sep = "";

	buf_addf(s, " (%u curve%s): ", l->nr, l->nr == 1 ? "" : "s");
	if (l->depth.nr) {
		buf_addf(s, "%u saturate%s", l->depth.nr, l->depth.nr == 1 ? "s" : "");
		add_depths(s, &l->depth);
		buf_addstr(s, " with ");
		add_iops(s, &l->iops);
		sep = ", ";
	}
	add_part(s, &sep, l->nr_flat, "from the start");
	add_part(s, &sep, l->nr_rising, "not by the largest iodepth");
	add_part(s, &sep, l->nr_unknown, "cannot be told");
	if (!run->nr_caps || (!l->cap_iops.nr && !l->nr_never))
		return;
	buf_addstr(s, "; max at ");
	format_cap(s, run->caps[0]);
	if (l->cap_iops.nr) {
		buf_addstr(s, ": ");
		add_iops(s, &l->cap_iops);
		add_depths(s, &l->cap_depth);
	}
	if (l->nr_never)
		buf_addf(s, "%s %u never", l->cap_iops.nr ? "," : ":", l->nr_never);
}

static void add_summary(struct buf *b, const struct report_run *run, struct text_style style)
{
	const struct point_spec *first[LINES_MAX + 1];
	enum level level = ALL_BUT_SPAN;
	struct buf s = BUF_INIT;
	size_t nr = find_lines(run, level, first);

	while (nr > LINES_MAX)
		nr = find_lines(run, ++level, first);
	for (size_t i = 0; i < nr; i++) {
		struct line l = {.nr = 0};

		for (size_t k = 0; k < run->nr_curves; k++)
			if (is_alike(level, first[i], &run->curves[k].curve->spec))
				add_to_line(&l, run, &run->curves[k]);
		add_line_name(&s, level, first[i]);
		add_line_text(&s, run, &l);
		buf_addch(&s, '.');
		text_paragraph(b, style, &s);
	}
	buf_release(&s);
}

static void add_size_hint(struct buf *b, const struct report_run *run, struct text_style style)
{
	struct buf s = BUF_INIT;

	if (run->spans)
		sentence_size_hint(&s, run->spans, run->info->id);
	text_paragraph(b, style, &s);
	buf_release(&s);
}

void text_answers(struct buf *b, const struct report_run *run, struct text_style style,
		  struct buf *dropped)
{
	/* Few depths, chosen for a cap, are no curve to tell a knee from. */
	unsigned nr, begin = run->is_search ? 0 : 1;
	bool is_short = run->nr_curves <= LINES_MAX;

	text_heading(b, style, "Answers");
	if (!is_short && !run->is_search) {
		add_summary(b, run, style);
		add_size_hint(b, run, style);
		text_gap(b, style);
	}
	if (run->nr_curves && !run->is_search)
		add_answer_table(b, run, true, 0, run->nr_caps ? 1 : 0, style, dropped);
	for (unsigned first = begin; run->nr_curves && first < run->nr_caps; first += nr) {
		nr = run->nr_caps - first < CAPS_PER_TABLE ? run->nr_caps - first : CAPS_PER_TABLE;
		if (first)
			text_gap(b, style);
		add_answer_table(b, run, false, first, nr, style, dropped);
	}
	text_load_answers(b, run, style);
	if (is_short)
		add_size_hint(b, run, style);
}
