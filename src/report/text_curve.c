/* SPDX-License-Identifier: MIT */
#include "report/text_curve.h"

#include "base/num.h"
#include "base/term.h"
#include "base/units.h"
#include "report/evidence.h"
#include "report/format.h"
#include "report/lines.h"
#include "report/markup.h"
#include "report/sentence.h"
#include "report/text_load.h"

void text_status(struct buf *b, const struct point *p, flag_set accepted, bool has_color)
{
	bool is_spoiled = p->status == POINT_OK && !point_is_valid(p, accepted);
	bool is_bad = p->status == POINT_FAILED || p->status == POINT_NO_IO;
	struct buf words = BUF_INIT;

	if (!is_bad && !is_spoiled) {
		format_status(b, p, accepted);
		return;
	}
	format_status(&words, p, accepted);
	buf_add_styled(b, has_color, is_bad ? TERM_BAD : TERM_WARN, buf_text(&words));
	buf_release(&words);
}

enum point_col {
	COL_DEPTH,
	COL_BS,
	COL_DIR,
	COL_REPEAT,
	COL_IOPS,
	COL_MEAN,
	COL_UTIL,
	COL_P99,
	COL_MIB,
	COL_HELD,
	COL_SEQ,
	COL_STATUS,
	COL_NR
};

static const struct table_col point_cols[COL_NR] = {
	[COL_DEPTH] = {"iodepth", false, 0}, [COL_BS] = {"bs", false, 4},
	[COL_DIR] = {"dir", true, 0},	     [COL_REPEAT] = {"rep", false, 0},
	[COL_IOPS] = {"IOPS", false, 0},     [COL_MEAN] = {"mean ms", false, 0},
	[COL_UTIL] = {"util %", false, 5},   [COL_P99] = {"p99 ms", false, 6},
	[COL_MIB] = {"MiB/s", false, 3},     [COL_HELD] = {"held", false, 2},
	[COL_SEQ] = {"seq", false, 1},	     [COL_STATUS] = {"status", true, 0},
};

/* Which columns the table of a curve has: directions and repeats only where there are any. */
static void choose_cols(const struct curve *c, bool *has)
{
	for (size_t i = 0; i < COL_NR; i++)
		has[i] = true;
	has[COL_DIR] = point_reads(&c->spec) && point_writes(&c->spec);
	has[COL_REPEAT] = false;
	for (size_t i = 0; i < c->nr_rows; i++)
		has[COL_REPEAT] = has[COL_REPEAT] || c->row[i]->spec.repeat > 1;
}

/* Marked where few I/Os are behind it. */
static void add_p99(struct buf *s, double lat_ns, double ios)
{
	format_fixed(s, lat_ns / 1e6, 3);
	if (isfinite(lat_ns) && ios < lat_stat_min_ios(LAT_P99))
		buf_addch(s, '*');
}

static void add_point_cell(struct buf *s, const struct point *p, enum dir dir, enum point_col col,
			   flag_set accepted, bool has_color)
{
	const struct figures *f = &p->dir[dir];
	bool is_total = dir == DIR_TOTAL;

	switch (col) {
	case COL_DEPTH:
		buf_add_u64(s, p->spec.iodepth);
		break;
	case COL_BS:
		buf_add_size(s, p->spec.bs_bytes);
		break;
	case COL_DIR:
		buf_addstr(s, dir_name(dir));
		break;
	case COL_REPEAT:
		buf_add_u64(s, p->spec.repeat);
		break;
	case COL_IOPS:
		format_iops(s, f->iops);
		break;
	case COL_MEAN:
		format_fixed(s, f->lat_mean_ns / 1e6, 3);
		break;
	case COL_UTIL:
		format_fixed(s, is_total ? p->util_pct : UNKNOWN, 2);
		break;
	case COL_P99:
		add_p99(s, f->lat_p99_ns, f->ios);
		break;
	case COL_MIB:
		format_fixed(s, f->mib_s, 2);
		break;
	case COL_HELD:
		format_fixed(s, is_total ? p->depth_mean : UNKNOWN, 1);
		break;
	case COL_SEQ:
		buf_add_u64(s, p->seq);
		break;
	case COL_STATUS:
	case COL_NR:
		if (is_total && p->spec.is_anchor)
			buf_addstr(s, "again at the end, ");
		if (is_total)
			text_status(s, p, accepted, has_color);
		break;
	}
}

static void add_point_rows(struct table *t, const struct report_run *run, const struct point *p,
			   const bool *has, bool has_color)
{
	static const enum dir order[DIR_NR] = {DIR_TOTAL, DIR_READ, DIR_WRITE};
	size_t nr_dirs = has[COL_DIR] && p->status == POINT_OK ? DIR_NR : 1;
	struct buf s = BUF_INIT;

	for (size_t d = 0; d < nr_dirs; d++) {
		for (enum point_col col = 0; col < COL_NR; col++) {
			if (!has[col])
				continue;
			add_point_cell(&s, p, order[d], col, run->accepted, has_color);
			if (col == COL_STATUS)
				text_other_run(&s, run, p);
			table_take(t, &s);
		}
	}
	buf_release(&s);
}

/* What the repeats of a depth give together: the line of their mean, with the spread. */
static void add_mean_row(struct table *t, const struct curve *c, const struct curve_point *pt,
			 const bool *has)
{
	struct buf s = BUF_INIT;

	for (enum point_col col = 0; col < COL_NR; col++) {
		if (!has[col])
			continue;
		if (col == COL_DEPTH) {
			buf_addf(&s, "%u", pt->iodepth);
		} else if (col == COL_BS) {
			buf_add_size(&s, c->spec.bs_bytes);
		} else if (col == COL_DIR) {
			buf_addstr(&s, dir_name(DIR_TOTAL));
		} else if (col == COL_REPEAT) {
			buf_addstr(&s, "all");
		} else if (col == COL_IOPS) {
			format_iops(&s, pt->iops);
		} else if (col == COL_MEAN) {
			format_fixed(&s, pt->lat_ns[LAT_MEAN] / 1e6, 3);
		} else if (col == COL_P99) {
			add_p99(&s, pt->lat_ns[LAT_P99], pt->ios);
		} else if (col == COL_STATUS) {
			buf_addf(&s, "mean of %u, IOPS ", pt->nr_repeats);
			format_iops(&s, pt->iops_min);
			buf_addstr(&s, " to ");
			format_iops(&s, pt->iops_max);
		} else {
			buf_addch(&s, '-');
		}
		table_take(t, &s);
	}
	buf_release(&s);
}

/* The line of the mean stands behind the last repeat. */
static void add_mean_behind(struct table *t, const struct curve *c, size_t row, const bool *has)
{
	uint32_t depth = c->row[row]->spec.iodepth;

	if (row + 1 < c->nr_rows && c->row[row + 1]->spec.iodepth == depth)
		return;
	for (size_t i = 0; i < c->nr; i++)
		if (c->pt[i].iodepth == depth && c->pt[i].nr_repeats > 1)
			add_mean_row(t, c, &c->pt[i], has);
}

static void add_curve_table(struct buf *b, const struct report_run *run, const struct curve *c,
			    struct text_style style, struct buf *dropped)
{
	struct table_col col[COL_NR];
	bool has[COL_NR];
	size_t nr = 0;
	struct table t;

	choose_cols(c, has);
	for (size_t i = 0; i < COL_NR; i++)
		if (has[i])
			col[nr++] = point_cols[i];
	table_init(&t, col, nr);
	t.dropped = dropped;
	for (size_t i = 0; i < c->nr_rows; i++) {
		add_point_rows(&t, run, c->row[i], has, style.color);
		add_mean_behind(&t, c, i, has);
	}
	for (size_t i = 0; i < c->nr_anchors; i++)
		add_point_rows(&t, run, c->anchor[i].again, has, style.color);
	text_table(b, style, 2, &t);
	table_release(&t);
}

static void add_evidence(struct buf *b, const struct report_run *run, const struct report_curve *rc,
			 struct text_style style)
{
	struct lines l = {.out = b, .width = style.width, .is_markdown = style.is_markdown};
	struct evidence e;

	evidence_find(&e, rc, run->nr_caps);
	text_gap(b, style);
	for (size_t i = 0; i < e.nr; i++)
		lines_add(&l, e.piece[i].name, buf_text(&e.piece[i].text));
	evidence_release(&e);
}

void text_curve(struct buf *b, const struct report_run *run, const struct report_curve *rc,
		bool explain, struct text_style style, struct buf *dropped)
{
	struct buf s = BUF_INIT;

	buf_add_curve_name(&s, &rc->curve->spec);
	text_heading(b, style, buf_text(&s));
	buf_reset(&s);
	if (!run->is_search)
		sentence_knee(&s, rc->curve, &rc->knee);
	text_paragraph(b, style, &s);
	for (unsigned i = 0; i < run->nr_caps; i++) {
		if (rc->search[i])
			sentence_search(&s, rc->search[i]);
		else
			sentence_cap(&s, &rc->cap[i]);
		text_paragraph(b, style, &s);
	}
	sentence_missing(&s, rc->curve);
	text_paragraph(b, style, &s);
	if (explain)
		add_evidence(b, run, rc, style);
	text_gap(b, style);
	add_curve_table(b, run, rc->curve, style, dropped);
	buf_release(&s);
}
