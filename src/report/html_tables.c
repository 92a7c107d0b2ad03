/* SPDX-License-Identifier: MIT */
#include "report/evidence.h"
#include "report/html_columns.h"
#include "report/html_parts.h"
#include "report/html_write.h"

#include <inttypes.h>
#include <string.h>

/* With more rows than this in all, tables are folded until somebody opens them. */
#define MAX_OPEN_ROWS 150

/* ---- a table of points ---- */

struct points_table {
	const struct report_run *run;
	const struct html_column *all;
	const struct html_column *shown[HTML_NR_COLUMNS];
	struct table_col head[HTML_NR_COLUMNS];
	size_t nr;
	struct html_table t;
};

static bool says_something(const struct html_column *c, const struct html_row *r)
{
	struct buf s = BUF_INIT;
	bool it_does;

	if (c->is_wanted)
		return c->is_wanted(r);
	c->add(&s, r);
	it_does = strcmp(buf_text(&s), "-") != 0;
	buf_release(&s);
	return it_does;
}

static bool is_shown(const struct points_table *pt, const struct html_column *c,
		     const struct point **row, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (says_something(c, &(struct html_row){pt->run, row[i], DIR_TOTAL}))
			return true;
	return false;
}

static void begin_table(struct points_table *pt, struct buf *b, const struct point **row, size_t nr)
{
	for (size_t i = 0; i < HTML_NR_COLUMNS; i++) {
		if (!is_shown(pt, &pt->all[i], row, nr))
			continue;
		pt->head[pt->nr] = pt->all[i].head;
		pt->shown[pt->nr++] = &pt->all[i];
	}
	html_table_begin(&pt->t, b, NULL, pt->head, pt->nr);
}

static const char *row_class(const struct report_run *run, const struct point *p, enum dir dir)
{
	if (dir != DIR_TOTAL)
		return "part";
	if (p->status == POINT_FAILED || p->status == POINT_NO_IO)
		return "failed";
	if (p->status != POINT_OK)
		return "open";
	return point_is_valid(p, run->accepted) ? NULL : "spoiled";
}

static void add_point(struct points_table *pt, const struct point *p)
{
	static const enum dir order[DIR_NR] = {DIR_TOTAL, DIR_READ, DIR_WRITE};
	struct html_row r = {.run = pt->run, .p = p};
	size_t nr = html_has_directions(&r) && p->status == POINT_OK ? DIR_NR : 1;
	struct buf s = BUF_INIT;

	for (size_t d = 0; d < nr; d++) {
		r.dir = order[d];
		html_row(&pt->t, row_class(pt->run, p, r.dir));
		for (size_t i = 0; i < pt->nr; i++) {
			pt->shown[i]->add(&s, &r);
			html_cell(&pt->t, &s);
		}
	}
	buf_release(&s);
}

static void add_mean(struct points_table *pt, const struct curve_point *point)
{
	struct buf s = BUF_INIT;

	html_row(&pt->t, "mean");
	for (size_t i = 0; i < pt->nr; i++) {
		if (pt->shown[i]->add_mean)
			pt->shown[i]->add_mean(&s, point);
		else
			buf_addch(&s, '-');
		html_cell(&pt->t, &s);
	}
	buf_release(&s);
}

/* The line of the mean stands behind the last repeat of a depth. */
static void add_mean_behind(struct points_table *pt, const struct curve *c, size_t row)
{
	uint32_t iodepth = c->row[row]->spec.iodepth;
	const struct curve_point *point = curve_point_at(c, iodepth);

	if (row + 1 < c->nr_rows && c->row[row + 1]->spec.iodepth == iodepth)
		return;
	if (point && point->nr_repeats > 1)
		add_mean(pt, point);
}

static void add_curve_table(struct buf *b, const struct report_run *run, const struct curve *c)
{
	struct points_table pt = {.run = run, .all = html_curve_columns};

	begin_table(&pt, b, c->row, c->nr_rows);
	for (size_t i = 0; i < c->nr_rows; i++) {
		add_point(&pt, c->row[i]);
		add_mean_behind(&pt, c, i);
	}
	for (size_t i = 0; i < c->nr_anchors; i++)
		add_point(&pt, c->anchor[i].again);
	html_table_end(&pt.t);
}

static void add_load_table(struct buf *b, const struct report_run *run, const struct response *r)
{
	struct points_table pt = {.run = run, .all = html_load_columns};

	begin_table(&pt, b, r->row, r->nr_rows);
	for (size_t i = 0; i < r->nr_rows; i++)
		add_point(&pt, r->row[i]);
	html_table_end(&pt.t);
}

/* ---- the section ---- */

static void add_evidence(struct buf *b, const struct report_run *run, const struct report_curve *rc)
{
	struct evidence e;

	if (run->is_search)
		return;
	evidence_find(&e, rc, run->nr_caps);
	buf_addstr(b, "<details class=\"aside\"><summary>What these answers rest on</summary>\n"
		      "<dl class=\"facts note\">\n");
	for (size_t i = 0; i < e.nr; i++) {
		html_element(b, "dt", NULL, e.piece[i].name);
		html_element(b, "dd", NULL, buf_text(&e.piece[i].text));
	}
	buf_addstr(b, "</dl></details>\n");
	evidence_release(&e);
}

/* What a page as a whole decides for each of its tables. */
struct how {
	bool is_folded, has_sentences;
};

static void begin_curve(struct buf *b, const struct how *how, const struct point_spec *spec,
			size_t nr_rows)
{
	struct buf s = BUF_INIT;

	buf_add_curve_name(&s, spec);
	if (!how->is_folded) {
		html_take(b, "h3", NULL, &s);
	} else {
		buf_addstr(b, "<details class=\"curve\"><summary><h3>");
		html_text(b, buf_text(&s));
		buf_addf(b, "</h3> <span class=\"note\">%zu row%s</span></summary>\n", nr_rows,
			 nr_rows == 1 ? "" : "s");
	}
	buf_release(&s);
}

static void end_curve(struct buf *b, const struct how *how)
{
	buf_addstr(b, how->is_folded ? "</details>\n" : "");
}

static void add_run(struct buf *b, const struct html_page *page, const struct report_run *run,
		    const struct how *how)
{
	html_run_heading(b, page, run);
	for (size_t i = 0; i < run->nr_curves; i++) {
		const struct report_curve *rc = &run->curves[i];

		begin_curve(b, how, &rc->curve->spec, rc->curve->nr_rows);
		if (how->has_sentences)
			html_curve_sentences(b, run, rc);
		add_curve_table(b, run, rc->curve);
		add_evidence(b, run, rc);
		end_curve(b, how);
	}
	for (size_t i = 0; i < run->nr_responses; i++) {
		const struct report_response *rr = &run->responses[i];

		begin_curve(b, how, &rr->response->spec, rr->response->nr_rows);
		if (how->has_sentences)
			html_response_sentences(b, run, rr);
		add_load_table(b, run, rr->response);
		end_curve(b, how);
	}
}

static void add_legend(struct buf *b, const struct report *r)
{
	bool has_loads = false;

	html_element(
		b, "p", "note text",
		"Latencies run from the submit call to the completion. iodepth is the total over all "
		"workers, held the mean depth that was achieved, seq the number of a point in its run, "
		"+- half of the 95 % interval of the IOPS, util the share of time in which the device "
		"was busy, CPU that of this program (100 is one core). A percentile with a * has fewer "
		"than 10 I/Os beyond it. '-' is not known. k, m, G and T are 1024-based, kB to TB "
		"decimal.");
	for (size_t i = 0; i < r->nr_runs; i++)
		has_loads = has_loads || r->runs[i].nr_responses;
	if (has_loads)
		html_element(
			b, "p", "note text",
			"Under an offered load, I/Os start at their rate whatever has completed, and "
			"latencies count from the intended start. Late is how much later an I/O was "
			"submitted than intended. A load is sustained when all but 3 % of it completes "
			"in the window.");
}

void html_tables(struct buf *b, const struct html_page *page)
{
	const struct report *r = page->report;
	size_t nr_rows = 0, nr_curves = html_count_curves(r);
	struct how how;

	for (size_t i = 0; i < r->nr_runs; i++)
		nr_rows += r->runs[i].nr_points;
	how = (struct how){.is_folded = nr_rows > MAX_OPEN_ROWS && nr_curves > 1,
			   .has_sentences = nr_curves > HTML_MAX_CARDS};
	if (!nr_curves)
		return;
	add_legend(b, r);
	if (how.is_folded)
		buf_addstr(
			b,
			"<p class=\"note\">The tables are folded: click a name to open one. Printing "
			"opens them all.<noscript> Without scripts, an older browser prints only those "
			"that you opened.</noscript></p>\n");
	for (size_t i = 0; i < r->nr_runs; i++)
		add_run(b, page, &r->runs[i], &how);
	html_element(
		b, "p", "note paper",
		"What the answers of each curve rest on is on the screen, and printed by lunsweep "
		"report --explain.");
}
