/* SPDX-License-Identifier: MIT */
#include "base/num.h"
#include "report/format.h"
#include "report/html_parts.h"
#include "report/html_write.h"
#include "report/sentence.h"

#include <inttypes.h>

/* How many points of a run can be believed; each counts once. */
struct verdict {
	size_t all, valid, bounded, spoiled, stalled, failed, skipped, missing, left_out;
};

static bool is_bounded(const struct point *p)
{
	return flags_have(p->flags, EFFECT_LOWER_BOUND);
}

/* Whether nothing but a stall spoils it, which leaves percentiles; of loads no cap counts them. */
static bool is_stalled(const struct point *p, flag_set accepted)
{
	return !point_is_open(&p->spec) && point_is_valid(p, accepted | FLAG_BIT(FLAG_STALL));
}

static void count(const struct report_run *run, struct verdict *v)
{
	*v = (struct verdict){.all = run->nr_points, .left_out = report_left_out(run)};
	for (size_t i = 0; i < run->nr_points; i++) {
		const struct point *p = &run->points[i];

		if (point_is_valid(p, run->accepted)) {
			v->valid++;
			v->bounded += is_bounded(p);
		} else if (p->status == POINT_OK) {
			v->spoiled++;
			v->stalled += is_stalled(p, run->accepted);
		} else if (p->status == POINT_FAILED || p->status == POINT_NO_IO) {
			v->failed++;
		} else if (p->status == POINT_SKIPPED) {
			v->skipped++;
		} else {
			v->missing++;
		}
	}
	v->missing -= v->left_out < v->missing ? v->left_out : v->missing;
}

static void add_tile(struct buf *b, const char *cls, size_t nr, const char *what)
{
	buf_addf(b, "<li%s%s%s><b>%zu</b> %s</li>\n", *cls ? " class=\"" : "", cls,
		 *cls ? "\"" : "", nr, what);
}

static void add_optional_tile(struct buf *b, const char *cls, size_t nr, const char *what)
{
	if (nr)
		add_tile(b, cls, nr, what);
}

static void say_state(struct buf *s, const struct report_run *run, const struct verdict *v)
{
	const struct run_info *info = run->info;

	if (v->bounded)
		buf_addf(
			s,
			"Of the valid points %zu %s least that the target can do: this host held them "
			"back. ",
			v->bounded, v->bounded == 1 ? "is the" : "are the");
	if (v->spoiled + v->failed)
		buf_addf(s, "Spoiled and failed points decide no answer%s. ",
			 v->stalled ? ", but caps on percentiles may count those that only a stall "
				      "spoils: their percentiles hold"
				    : "");
	if (v->left_out)
		buf_addf(
			s,
			"The %s was used up and left %zu points out: answers are of what is there; the "
			"same command goes on with the rest.",
			facts_get(&info->facts, FACT_BUDGET), v->left_out);
	else if (info->state != RUN_FINISHED)
		buf_addf(s, "The run is not finished (%s): answers are of what is there.",
			 run_state_name(info->state));
}

static void add_verdict(struct buf *b, const struct report_run *run)
{
	struct buf s = BUF_INIT;
	struct verdict v;

	count(run, &v);
	buf_addstr(b, "<ul class=\"verdict\">\n");
	add_tile(b, "", v.all, v.all == 1 ? "point" : "points");
	add_tile(b, v.valid ? "good" : "bad", v.valid, "valid");
	add_tile(b, v.spoiled ? "warn" : "", v.spoiled, "spoiled");
	add_tile(b, v.failed ? "bad" : "", v.failed, "failed");
	add_optional_tile(b, "", v.skipped, "skipped");
	add_optional_tile(b, "", v.missing, "not measured");
	add_optional_tile(b, "", v.left_out, "left out by the budget");
	buf_addstr(b, "</ul>\n");
	say_state(&s, run, &v);
	html_take(b, "p", "soft", &s);
	buf_release(&s);
}

/* ---- sentences ---- */

static void say_cap(struct buf *s, const struct report_curve *rc, unsigned c)
{
	if (rc->search[c])
		sentence_search(s, rc->search[c]);
	else
		sentence_cap(s, &rc->cap[c]);
}

static void say_load_cap(struct buf *s, const struct report_response *rr, unsigned c)
{
	if (rr->search[c])
		sentence_search(s, rr->search[c]);
	else
		sentence_load_cap(s, &rr->cap[c]);
}

void html_curve_sentences(struct buf *b, const struct report_run *run,
			  const struct report_curve *rc)
{
	struct buf s = BUF_INIT;

	if (!run->is_search)
		sentence_knee(&s, rc->curve, &rc->knee);
	html_take(b, "p", "said", &s);
	for (unsigned i = 0; i < run->nr_caps; i++) {
		say_cap(&s, rc, i);
		html_take(b, "p", "said", &s);
	}
	sentence_missing(&s, rc->curve);
	html_take(b, "p", "said", &s);
	buf_release(&s);
}

void html_response_sentences(struct buf *b, const struct report_run *run,
			     const struct report_response *rr)
{
	struct buf s = BUF_INIT;

	if (!run->is_search)
		sentence_load(&s, rr->response);
	html_take(b, "p", "said", &s);
	for (unsigned i = 0; i < run->nr_caps; i++) {
		say_load_cap(&s, rr, i);
		html_take(b, "p", "said", &s);
	}
	buf_release(&s);
}

/* ---- cards: the answer in large letters, and the sentence below it ---- */

/* "Saturates at iodepth 32", with what that gives. */
static void say_knee_large(struct buf *s, const struct report_curve *rc)
{
	const struct knee *k = &rc->knee;
	bool is_rising = k->cls == KNEE_RISING;

	if (!knee_is_known(k)) {
		buf_addstr(s, k->cls == KNEE_INSUFFICIENT && rc->curve->nr ? "Needs more depths"
			      : k->cls == KNEE_INSUFFICIENT		   ? "No valid points"
			      : k->is_client_limited ? "Knee withheld: client-limited"
						     : "State drift: no knee can be told");
		return;
	}
	if (k->queue_limit)
		buf_addf(s, "Host queue limit %" PRIu32, k->queue_limit);
	else if (is_rising)
		buf_addf(s, "Not saturated by iodepth %" PRIu32, k->last_depth);
	else if (k->cls == KNEE_FLAT)
		buf_addstr(s, "Saturated from the start");
	else
		buf_addf(s, "Saturates at iodepth %" PRIu32 "%s", k->sat_depth,
			 knee_is_least(k) ? " or deeper" : "");
	buf_addstr(s, knee_iops_are_least(k) ? ": >= " : ": ");
	format_iops(s, is_rising ? k->last_iops : k->sat_iops);
	buf_addstr(s, " IOPS");
}

static void say_cap_large(struct buf *s, const struct report_run *run,
			  const struct report_curve *rc, unsigned c)
{
	const struct cap_answer *a = &rc->cap[c];

	buf_addstr(s, "At ");
	format_cap(s, run->caps[c]);
	buf_addstr(s, ": ");
	if (rc->search[c]) {
		sentence_search_short(s, rc->search[c]);
	} else if (cap_is_met(a)) {
		buf_addstr(s, cap_is_least(a) ? ">= " : "");
		format_iops(s, a->iops);
		buf_addf(s, " IOPS, iodepth %" PRIu32, a->depth);
	} else {
		sentence_cap_short(s, a);
	}
}

/* Whether the answer is there in full, for the colour of its card. */
static bool is_open(const struct report_run *run, const struct report_curve *rc)
{
	if (!run->is_search && (!knee_is_known(&rc->knee) || rc->knee.cls == KNEE_RISING))
		return true;
	for (unsigned i = 0; i < run->nr_caps; i++)
		if (!rc->search[i] && rc->cap[i].status == CAP_NO_DATA)
			return true;
	return false;
}

static void add_card(struct buf *b, const struct report_run *run, const struct report_curve *rc)
{
	struct buf s = BUF_INIT;

	buf_addf(b, "<article class=\"card%s\">\n", is_open(run, rc) ? " open" : "");
	buf_add_curve_name(&s, &rc->curve->spec);
	html_take(b, "h3", NULL, &s);
	if (!run->is_search) {
		say_knee_large(&s, rc);
		html_take(b, "p", "big", &s);
		sentence_knee(&s, rc->curve, &rc->knee);
		html_take(b, "p", "said", &s);
	}
	for (unsigned i = 0; i < run->nr_caps; i++) {
		say_cap_large(&s, run, rc, i);
		html_take(b, "p", "big", &s);
		say_cap(&s, rc, i);
		html_take(b, "p", "said", &s);
	}
	sentence_missing(&s, rc->curve);
	html_take(b, "p", "said", &s);
	buf_addstr(b, "</article>\n");
	buf_release(&s);
}

static void say_load_cap_large(struct buf *s, const struct report_run *run,
			       const struct report_response *rr, unsigned c)
{
	buf_addstr(s, "At ");
	format_cap(s, run->caps[c]);
	buf_addstr(s, ": ");
	if (rr->search[c])
		sentence_search_short(s, rr->search[c]);
	else
		sentence_load_cap_short(s, &rr->cap[c]);
}

static void add_load_card(struct buf *b, const struct report_run *run,
			  const struct report_response *rr)
{
	struct buf s = BUF_INIT;

	buf_addf(b, "<article class=\"card%s\">\n", rr->response->nr ? "" : " open");
	buf_add_curve_name(&s, &rr->response->spec);
	html_take(b, "h3", NULL, &s);
	if (!run->is_search) {
		buf_addstr(&s, "Load sustained: ");
		sentence_load_short(&s, rr->response);
		html_take(b, "p", "big", &s);
		sentence_load(&s, rr->response);
		html_take(b, "p", "said", &s);
	}
	for (unsigned i = 0; i < run->nr_caps; i++) {
		say_load_cap_large(&s, run, rr, i);
		html_take(b, "p", "big", &s);
		say_load_cap(&s, rr, i);
		html_take(b, "p", "said", &s);
	}
	buf_addstr(b, "</article>\n");
	buf_release(&s);
}

static void add_cards(struct buf *b, const struct report_run *run)
{
	if (!run->nr_curves && !run->nr_responses)
		return;
	buf_addstr(b, "<div class=\"cards\">\n");
	for (size_t i = 0; i < run->nr_curves; i++)
		add_card(b, run, &run->curves[i]);
	for (size_t i = 0; i < run->nr_responses; i++)
		add_load_card(b, run, &run->responses[i]);
	buf_addstr(b, "</div>\n");
}

/* ---- all answers in one table ---- */

#define KNEE_COLS 5

static void add_knee_cells(struct html_table *t, const struct report_curve *rc)
{
	const struct knee *k = &rc->knee;
	bool is_rising = k->cls == KNEE_RISING, is_known = knee_is_known(k);
	struct buf s = BUF_INIT;

	sentence_knee_short(&s, rc->curve, k);
	html_cell(t, &s);
	if (is_known && knee_iops_are_least(k))
		buf_addstr(&s, ">= ");
	format_iops(&s, !is_known ? UNKNOWN : is_rising ? k->last_iops : k->sat_iops);
	html_cell(t, &s);
	format_fixed(&s,
		     (!is_known	  ? UNKNOWN
		      : is_rising ? k->last_lat_ns
				  : k->sat_lat_ns) /
			     1e6,
		     3);
	html_cell(t, &s);
	if (is_known && k->bound != '=')
		buf_addf(&s, "%s ", knee_bound_text(k));
	format_sig3(&s, is_known ? k->nstar : UNKNOWN);
	html_cell(t, &s);
	buf_addstr(&s, is_known && k->is_peak_least ? ">= " : "");
	format_iops(&s, is_known ? k->peak_iops : UNKNOWN);
	html_cell(t, &s);
	buf_release(&s);
}

static void add_answer_row(struct html_table *t, const struct report_run *run,
			   const struct report_curve *rc)
{
	struct buf s = BUF_INIT;

	html_row(t, NULL);
	buf_add_curve_name(&s, &rc->curve->spec);
	html_cell(t, &s);
	if (!run->is_search)
		add_knee_cells(t, rc);
	for (unsigned c = 0; c < run->nr_caps; c++) {
		if (rc->search[c])
			sentence_search_short(&s, rc->search[c]);
		else
			sentence_cap_short(&s, &rc->cap[c]);
		html_cell(t, &s);
	}
	buf_release(&s);
}

/* Fill the columns of the caps; the titles are released by the caller. */
static void add_cap_cols(const struct report_run *run, struct table_col *col, struct buf *title,
			 const char *before)
{
	for (unsigned i = 0; i < run->nr_caps; i++) {
		buf_addstr(&title[i], before);
		format_cap(&title[i], run->caps[i]);
		col[i] = (struct table_col){buf_text(&title[i]), true, 0};
	}
}

static void add_answer_table(struct buf *b, const struct report_run *run)
{
	struct table_col col[1 + KNEE_COLS + RUN_MAX_CAPS] = {
		{"curve", true, 0},    {"saturates", true, 0}, {"IOPS", false, 0},
		{"mean ms", false, 0}, {"N*", false, 0},       {"peak IOPS", false, 0}};
	size_t nr = run->is_search ? 1 : 1 + KNEE_COLS;
	struct buf title[RUN_MAX_CAPS] = {BUF_INIT};
	struct html_table t;

	if (run->nr_curves < 2)
		return;
	add_cap_cols(run, col + nr, title, "most IOPS at ");
	html_table_begin(&t, b, NULL, col, nr + run->nr_caps);
	for (size_t i = 0; i < run->nr_curves; i++)
		add_answer_row(&t, run, &run->curves[i]);
	html_table_end(&t);
	for (unsigned i = 0; i < run->nr_caps; i++)
		buf_release(&title[i]);
}

static void add_load_table(struct buf *b, const struct report_run *run)
{
	struct table_col col[2 + RUN_MAX_CAPS] = {{"offered load", true, 0},
						  {"sustained", true, 0}};
	struct buf title[RUN_MAX_CAPS] = {BUF_INIT}, s = BUF_INIT;
	struct html_table t;

	if (run->nr_responses < 2)
		return;
	add_cap_cols(run, col + 2, title, "at ");
	html_table_begin(&t, b, NULL, col, 2 + run->nr_caps);
	for (size_t i = 0; i < run->nr_responses; i++) {
		const struct report_response *rr = &run->responses[i];

		html_row(&t, NULL);
		buf_add_curve_name(&s, &rr->response->spec);
		html_cell(&t, &s);
		sentence_load_short(&s, rr->response);
		html_cell(&t, &s);
		for (unsigned c = 0; c < run->nr_caps; c++) {
			if (rr->search[c])
				sentence_search_short(&s, rr->search[c]);
			else
				sentence_load_cap_short(&s, &rr->cap[c]);
			html_cell(&t, &s);
		}
	}
	html_table_end(&t);
	for (unsigned i = 0; i < run->nr_caps; i++)
		buf_release(&title[i]);
	buf_release(&s);
}

void html_answers(struct buf *b, const struct html_page *page)
{
	const struct report *r = page->report;
	bool has_cards = html_count_curves(r) <= HTML_MAX_CARDS;

	for (size_t i = 0; i < r->nr_runs; i++) {
		const struct report_run *run = &r->runs[i];

		html_run_heading(b, page, run);
		add_verdict(b, run);
		html_spans(b, run);
		if (has_cards)
			add_cards(b, run);
		if (has_cards && (run->nr_curves > 1 || run->nr_responses > 1))
			html_element(b, "h3", NULL, "All answers in one table");
		add_answer_table(b, run);
		add_load_table(b, run);
	}
}
