/* SPDX-License-Identifier: MIT */
#include "report/text_load.h"

#include "base/mem.h"
#include "base/num.h"
#include "report/format.h"
#include "report/sentence.h"
#include "report/table.h"

/* Caps that fit beside the name of a curve. */
#define CAPS_PER_TABLE 2

/* The heading of the column says already that this is about offered load. */
static void add_short_name(struct buf *s, const struct point_spec *spec)
{
	struct point_spec short_spec = *spec;

	short_spec.rate_e4 = 0;
	short_spec.rate_ask_iops = 0;
	short_spec.repeat = 1;
	buf_add_point(s, &short_spec);
}

static void add_answer_table(struct buf *b, const struct report_run *run, unsigned first,
			     unsigned nr, struct text_style style)
{
	struct table_col col[2 + CAPS_PER_TABLE] = {{"offered load", true, 0},
						    {"sustained", true, 0}};
	struct buf title[CAPS_PER_TABLE] = {BUF_INIT};
	struct buf s = BUF_INIT;
	struct table t;

	for (unsigned i = 0; i < nr; i++) {
		buf_addstr(&title[i], "at ");
		format_cap(&title[i], run->caps[first + i]);
		col[2 + i] = (struct table_col){buf_text(&title[i]), true, 0};
	}
	table_init(&t, col, 2 + nr);
	t.last_min = 14;
	for (size_t i = 0; i < run->nr_responses; i++) {
		const struct report_response *rr = &run->responses[i];

		add_short_name(&s, &rr->response->spec);
		table_take(&t, &s);
		sentence_load_short(&s, rr->response);
		table_take(&t, &s);
		for (unsigned c = first; c < first + nr; c++) {
			if (rr->search[c])
				sentence_search_short(&s, rr->search[c]);
			else
				sentence_load_cap_short(&s, &rr->cap[c]);
			table_take(&t, &s);
		}
	}
	text_table(b, style, 2, &t);
	table_release(&t);
	for (unsigned i = 0; i < nr; i++)
		buf_release(&title[i]);
	buf_release(&s);
}

void text_load_answers(struct buf *b, const struct report_run *run, struct text_style style)
{
	unsigned first = 0, nr;

	if (!run->nr_responses)
		return;
	do {
		nr = run->nr_caps - first < CAPS_PER_TABLE ? run->nr_caps - first : CAPS_PER_TABLE;
		/* Between two tables, not below the heading. */
		if (first || run->nr_curves)
			text_gap(b, style);
		add_answer_table(b, run, first, nr, style);
		first += nr;
	} while (first < run->nr_caps);
}

enum load_col {
	COL_RATE,
	COL_OFFERED,
	COL_REPEAT,
	COL_IOPS,
	COL_MEAN,
	COL_P50,
	COL_P99,
	COL_LATE,
	COL_HELD,
	COL_SEQ,
	COL_STATUS,
	COL_NR
};

static const struct table_col load_cols[COL_NR] = {
	[COL_RATE] = {"rate", false, 0},      [COL_OFFERED] = {"offered", false, 0},
	[COL_REPEAT] = {"rep", false, 0},     [COL_IOPS] = {"achieved", false, 0},
	[COL_MEAN] = {"mean ms", false, 0},   [COL_P50] = {"p50 ms", false, 2},
	[COL_P99] = {"p99 ms", false, 0},     [COL_LATE] = {"late p99 ms", false, 4},
	[COL_HELD] = {"in flight", false, 3}, [COL_SEQ] = {"seq", false, 1},
	[COL_STATUS] = {"status", true, 0},
};

/* Per cents and repeats only where there are any. */
static void choose_cols(const struct response *r, bool *has)
{
	for (size_t i = 0; i < COL_NR; i++)
		has[i] = i != COL_RATE && i != COL_REPEAT;
	for (size_t i = 0; i < r->nr_rows; i++) {
		has[COL_RATE] = has[COL_RATE] || r->row[i]->spec.rate_e4;
		has[COL_REPEAT] = has[COL_REPEAT] || r->row[i]->spec.repeat > 1;
	}
}

static void add_cell(struct buf *s, const struct point *p, enum load_col col, flag_set accepted)
{
	const struct figures *f = &p->dir[DIR_TOTAL];

	switch (col) {
	case COL_RATE:
		buf_add_rate(s, &p->spec);
		break;
	case COL_OFFERED:
		format_iops(s, p->rate_iops);
		break;
	case COL_REPEAT:
		buf_addf(s, "%u", p->spec.repeat);
		break;
	case COL_IOPS:
		format_iops(s, f->iops);
		break;
	case COL_MEAN:
		format_fixed(s, f->lat_mean_ns / 1e6, 3);
		break;
	case COL_P50:
		format_fixed(s, f->lat_p50_ns / 1e6, 3);
		break;
	case COL_P99:
		format_fixed(s, f->lat_p99_ns / 1e6, 3);
		break;
	case COL_LATE:
		format_fixed(s, p->late_p99_ns / 1e6, 3);
		break;
	case COL_HELD:
		format_fixed(s, p->depth_mean, 1);
		break;
	case COL_SEQ:
		buf_addf(s, "%u", p->seq);
		break;
	case COL_STATUS:
	case COL_NR:
		format_status(s, p, accepted);
		break;
	}
}

static void add_table(struct buf *b, const struct report_run *run, const struct response *r,
		      struct text_style style, struct buf *dropped)
{
	struct table_col col[COL_NR];
	struct buf s = BUF_INIT;
	bool has[COL_NR];
	size_t nr = 0;
	struct table t;

	choose_cols(r, has);
	for (size_t i = 0; i < COL_NR; i++)
		if (has[i])
			col[nr++] = load_cols[i];
	table_init(&t, col, nr);
	t.dropped = dropped;
	for (size_t i = 0; i < r->nr_rows; i++) {
		for (enum load_col c = 0; c < COL_NR; c++) {
			if (!has[c])
				continue;
			add_cell(&s, r->row[i], c, run->accepted);
			if (c == COL_STATUS)
				text_other_run(&s, run, r->row[i]);
			table_take(&t, &s);
		}
	}
	text_table(b, style, 2, &t);
	table_release(&t);
	buf_release(&s);
}

void text_load_curve(struct buf *b, const struct report_run *run, const struct report_response *rr,
		     struct text_style style, struct buf *dropped)
{
	struct buf s = BUF_INIT;

	buf_add_curve_name(&s, &rr->response->spec);
	text_heading(b, style, buf_text(&s));
	buf_reset(&s);
	if (!run->is_search)
		sentence_load(&s, rr->response);
	text_paragraph(b, style, &s);
	for (unsigned i = 0; i < run->nr_caps; i++) {
		if (rr->search[i])
			sentence_search(&s, rr->search[i]);
		else
			sentence_load_cap(&s, &rr->cap[i]);
		text_paragraph(b, style, &s);
	}
	text_gap(b, style);
	add_table(b, run, rr->response, style, dropped);
	buf_release(&s);
}
