/* SPDX-License-Identifier: MIT */
#include "cmd/report_set.h"

#include "analyze/cap.h"
#include "analyze/curve.h"
#include "analyze/knee.h"
#include "analyze/response.h"
#include "analyze/search_curve.h"
#include "analyze/size.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/output.h"
#include "cmd/report_page.h"
#include "report/chart.h"
#include "report/chart_point.h"
#include "report/csv.h"
#include "report/json.h"
#include "report/markup.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MARKDOWN_FILE "report.md"

/* A run with everything that its report is made from. */
struct loaded_run {
	struct run_info info;
	struct point *points;
	size_t nr_points;
	struct curve *curves;
	size_t nr_curves;
	struct report_curve *answers;
	struct response *responses;
	size_t nr_responses;
	struct report_response *load_answers;
	struct cap caps[RUN_MAX_CAPS];
	unsigned nr_caps;
	/* Of a search: its settings, the points of other runs that it began with, these and its own
	 * together (borrowed from both; of other runs just points), and its answers, those of a
	 * curve or response together. */
	bool is_search;
	struct search_settings settings;
	struct point *seeds, *all;
	size_t nr_seeds, nr_all;
	struct search_answer *found;
	/* Points in full, of which the series over time are drawn. */
	struct measurement *detail;
	size_t nr_details;
	struct size_answer spans;
	bool has_spans;
};

static void choose_caps(struct loaded_run *l, const struct cmd_report_how *how)
{
	const struct cap *from = how->nr_caps ? how->caps : l->info.caps;
	unsigned nr = how->nr_caps ? how->nr_caps : l->info.nr_caps;

	if (!nr) {
		from = &cap_usual;
		nr = 1;
	}
	memcpy(l->caps, from, nr * sizeof(*from));
	l->nr_caps = nr;
}

static void answer(struct loaded_run *l, flag_set accepted)
{
	curves_build(l->all, l->nr_all, accepted, &l->curves, &l->nr_curves);
	l->answers = xcalloc(l->nr_curves + 1, sizeof(*l->answers));
	for (size_t i = 0; i < l->nr_curves; i++) {
		struct report_curve *rc = &l->answers[i];

		rc->curve = &l->curves[i];
		knee_find(rc->curve, l->info.target_queue_limit, &rc->knee);
		for (unsigned c = 0; c < l->nr_caps; c++)
			cap_find(rc->curve, l->caps[c], &rc->cap[c]);
	}
}

static void answer_loads(struct loaded_run *l, flag_set accepted)
{
	responses_build(l->all, l->nr_all, accepted, &l->responses, &l->nr_responses);
	l->load_answers = xcalloc(l->nr_responses + 1, sizeof(*l->load_answers));
	for (size_t i = 0; i < l->nr_responses; i++) {
		l->load_answers[i].response = &l->responses[i];
		for (unsigned c = 0; c < l->nr_caps; c++)
			response_find_cap(&l->responses[i], l->caps[c], &l->load_answers[i].cap[c]);
	}
}

/* Hand the searches of a curve to the caps of the report that they were for. */
static void assign(const struct loaded_run *l, const struct search_answer *found,
		   const struct search_answer **search)
{
	for (unsigned c = 0; c < l->nr_caps; c++)
		for (unsigned i = 0; i < l->info.nr_caps; i++)
			if (l->caps[c].stat == l->info.caps[i].stat &&
			    l->caps[c].limit_ns == l->info.caps[i].limit_ns)
				search[c] = &found[i];
}

static void answer_searches(struct loaded_run *l, flag_set accepted)
{
	struct search_input in = {.settings = l->settings,
				  .seeds = l->seeds,
				  .nr_seeds = l->nr_seeds,
				  .points = l->points,
				  .nr_points = l->nr_points,
				  .caps = l->info.caps,
				  .nr_caps = l->info.nr_caps,
				  .accepted = accepted,
				  .queue_limit = l->info.target_queue_limit};
	size_t nr = l->settings.is_load ? l->nr_responses : l->nr_curves;
	uint64_t next;

	l->found = xcalloc(nr * l->info.nr_caps + 1, sizeof(*l->found));
	for (size_t i = 0; i < nr; i++) {
		struct search_answer *found = &l->found[i * l->info.nr_caps];

		in.curve = l->settings.is_load ? &l->responses[i].spec : &l->curves[i].spec;
		search_curve(&in, found, &next);
		assign(l, found,
		       l->settings.is_load ? l->load_answers[i].search : l->answers[i].search);
	}
}

/* The smallest block and the fewest workers of all random closed loops: one family of curves. */
static void choose_family(const struct loaded_run *l, struct size_question *q)
{
	for (size_t i = 0; i < l->nr_curves; i++) {
		const struct point_spec *s = &l->curves[i].spec;

		if (!rw_is_random(s->rw))
			continue;
		q->bs_bytes = !q->bs_bytes || s->bs_bytes < q->bs_bytes ? s->bs_bytes : q->bs_bytes;
		q->workers = !q->workers || s->workers < q->workers ? s->workers : q->workers;
	}
}

/* What larger spans lose, of reads and writes as far as there are any. VMs that ask nothing are bound by nothing,
 * so that losses alone decide; those that ask something are the business of `size`. */
static void answer_spans(struct loaded_run *l, uint32_t depth)
{
	struct size_question q = {.cap = l->caps[0],
				  .depth = depth ? depth : CHART_SPAN_DEPTH,
				  .loss_max = SIZE_LOSS_USUAL,
				  .burst = 1,
				  .lun_queue = 1};
	bool reads = false, writes = false;
	struct err ignored = {0};

	for (size_t i = 0; i < l->nr_curves; i++) {
		const struct point_spec *s = &l->curves[i].spec;

		if (!rw_is_random(s->rw))
			continue;
		reads = reads || s->rwmixread_pct == 100;
		writes = writes || s->rwmixread_pct == 0;
	}
	choose_family(l, &q);
	q.vm.read_share = reads && writes ? 0.5 : reads ? 1 : 0;
	/* Runs that have no such curves have no such answer. */
	if (l->is_search || (!reads && !writes) ||
	    size_find(l->curves, l->nr_curves, &q, &l->spans, &ignored))
		return;
	l->has_spans = l->spans.nr_spans > 1;
	if (!l->has_spans)
		size_release(&l->spans);
}

static void join_seeds(struct loaded_run *l)
{
	l->all = l->points;
	l->nr_all = l->nr_points;
	if (!l->nr_seeds)
		return;
	l->nr_all += l->nr_seeds;
	l->all = xcalloc(l->nr_all, sizeof(*l->all));
	for (size_t i = 0; i < l->nr_all; i++)
		l->all[i] = i < l->nr_points ? l->points[i] : l->seeds[i - l->nr_points];
}

static int load_rows(struct store *s, int64_t run_id, struct loaded_run *l, struct err *e)
{
	if (store_load_run(s, run_id, &l->info, e) ||
	    store_load_points(s, run_id, &l->points, &l->nr_points, e))
		return -1;
	l->is_search = search_settings_from_facts(&l->info.facts, &l->settings);
	if (l->is_search && store_load_seeds(s, run_id, &l->seeds, &l->nr_seeds, e))
		return -1;
	join_seeds(l);
	return 0;
}

/* Curves hold the points of searches as copies, which borrow their histograms. */
static int load_hists(struct store *s, struct loaded_run *l, struct err *e)
{
	if (store_load_lat_hists(s, l->points, l->nr_points, e) ||
	    store_load_lat_hists(s, l->seeds, l->nr_seeds, e))
		return -1;
	for (size_t i = 0; l->all != l->points && i < l->nr_all; i++) {
		const struct point *from =
			i < l->nr_points ? &l->points[i] : &l->seeds[i - l->nr_points];

		memcpy(l->all[i].lat_hist, from->lat_hist, sizeof(from->lat_hist));
	}
	return 0;
}

static int load_details(struct store *s, int64_t run_id, size_t max, struct loaded_run *l,
			struct report_run *view, struct err *e)
{
	uint32_t seq[CHART_MAX_SERIES];
	size_t nr;

	if (load_hists(s, l, e))
		return -1;
	nr = charts_choose_series(view, seq, max);
	l->detail = xcalloc(nr + 1, sizeof(*l->detail));
	for (size_t i = 0; i < nr; i++) {
		if (store_load_measurement(s, run_id, seq[i], &l->detail[i], e))
			return -1;
		l->nr_details++;
	}
	view->detail = l->detail;
	view->nr_details = l->nr_details;
	return 0;
}

static int load(struct store *s, int64_t run_id, const struct cmd_report_how *how,
		struct loaded_run *l, struct report_run *view, struct err *e)
{
	flag_set accepted;

	if (load_rows(s, run_id, l, e))
		return -1;
	accepted = how->accepted | l->info.accepted;
	choose_caps(l, how);
	answer(l, accepted);
	answer_loads(l, accepted);
	if (l->is_search)
		answer_searches(l, accepted);
	answer_spans(l, how->charts.span_depth);
	*view = (struct report_run){.info = &l->info,
				    .points = l->points,
				    .nr_points = l->nr_points,
				    .curves = l->answers,
				    .nr_curves = l->nr_curves,
				    .responses = l->load_answers,
				    .nr_responses = l->nr_responses,
				    .caps = l->caps,
				    .nr_caps = l->nr_caps,
				    .spans = l->has_spans ? &l->spans : NULL,
				    .accepted = accepted,
				    .span_depth = how->charts.span_depth,
				    .is_search = l->is_search};
	return 0;
}

void report_set_release(struct report_set *r)
{
	for (size_t i = 0; i < r->nr; i++) {
		struct loaded_run *l = &r->run[i];

		curves_free(l->curves, l->nr_curves);
		free(l->answers);
		responses_free(l->responses, l->nr_responses);
		free(l->load_answers);
		if (l->all != l->points)
			free(l->all);
		store_free_points(l->points, l->nr_points);
		store_free_points(l->seeds, l->nr_seeds);
		free(l->found);
		for (size_t k = 0; k < l->nr_details; k++)
			measurement_release(&l->detail[k]);
		free(l->detail);
		if (l->has_spans)
			size_release(&l->spans);
		run_info_release(&l->info);
	}
	free(r->run);
	free(r->view);
}

/* So many points of each of nr runs have their series drawn. */
static size_t series_of_a_run(size_t nr)
{
	return nr < CHART_MAX_SERIES ? CHART_MAX_SERIES / nr : 1;
}

int report_set_load(struct store *s, const int64_t *run_ids, size_t nr,
		    const struct cmd_report_how *how, struct report_set *r, struct err *e)
{
	*r = (struct report_set){.run = xcalloc(nr + 1, sizeof(*r->run)),
				 .view = xcalloc(nr + 1, sizeof(*r->view)),
				 .nr = nr,
				 .database = how->database};
	r->report = (struct report){
		.runs = r->view, .nr_runs = nr, .explain = how->explain, .plot = how->plot};
	for (size_t i = 0; i < nr; i++) {
		if (load(s, run_ids[i], how, &r->run[i], &r->view[i], e) ||
		    (how->with_details && load_details(s, run_ids[i], series_of_a_run(nr),
						       &r->run[i], &r->view[i], e))) {
			report_set_release(r);
			return -1;
		}
	}
	return 0;
}

int cmd_report_text(struct store *s, const int64_t *run_ids, size_t nr,
		    const struct cmd_report_how *how, struct text_style style, struct buf *out,
		    struct err *e)
{
	struct report_set r;

	if (report_set_load(s, run_ids, nr, how, &r, e))
		return -1;
	text_report(out, &r.report, style);
	report_set_release(&r);
	return 0;
}

static void add_plain_text(struct buf *b, const struct report *r)
{
	text_report(b, r, (struct text_style){0});
}

static void add_markdown(struct buf *b, const struct report *r)
{
	text_report(b, r, (struct text_style){.is_markdown = true});
}

const struct report_format report_formats[] = {
	{"text", "report.txt", add_plain_text}, {"markdown", NULL, add_markdown},
	{"csv", "report.csv", csv_report},	{"json", "report.json", json_report},
	{"html", REPORT_PAGE_FILE, NULL},	{NULL, NULL, NULL},
};

static int write_text(const char *dir, const char *file, struct buf *text, struct buf *made,
		      struct err *e)
{
	char *path = xasprintf("%s/%s", dir, file);
	int rc = file_write(path, buf_text(text), text->len, e);

	if (!rc)
		buf_addf(made, "%s\n", path);
	free(path);
	return rc;
}

static int write_one(const struct report_format *f, const struct report *r, const char *dir,
		     struct buf *made, struct err *e)
{
	struct buf b = BUF_INIT;
	int rc;

	f->add(&b, r);
	rc = write_text(dir, f->file, &b, made, e);
	buf_release(&b);
	return rc;
}

/* The picture of a chart that browsers show, if it was drawn. */
static void add_picture(struct buf *b, const struct picture *p, const char *dir)
{
	static const enum image shown[] = {IMAGE_SVG, IMAGE_PNG};

	for (size_t i = 0; i < NR(shown); i++) {
		char *path = xasprintf("%s/%s.%s", dir, p->name, image_name(shown[i]));
		bool is_there = !access(path, R_OK);

		free(path);
		if (!is_there)
			continue;
		text_picture(b, (struct text_style){.is_markdown = true}, buf_text(&p->title),
			     p->name, image_name(shown[i]));
		return;
	}
}

/* After the pictures, which it shows. */
static int write_markdown(const struct report *r, const struct charts *charts, const char *dir,
			  struct buf *made, struct err *e)
{
	struct text_style style = {.is_markdown = true};
	struct buf b = BUF_INIT, pictures = BUF_INIT;
	int rc;

	text_report(&b, r, style);
	for (size_t i = 0; i < charts->nr; i++)
		add_picture(&pictures, &charts->v[i], dir);
	if (pictures.len) {
		text_heading(&b, style, "Charts");
		markdown_begin_block(&b);
		buf_addstr(&b, buf_text(&pictures));
	}
	rc = write_text(dir, MARKDOWN_FILE, &b, made, e);
	buf_release(&b);
	buf_release(&pictures);
	return rc;
}

/* The page with the charts that are there; whoever wants no SVG files has them drawn for it alone. */
static void add_page(struct buf *b, const struct report_set *set, const struct cmd_report_how *how,
		     const struct charts *charts, const char *dir, const char *trouble)
{
	struct err ignored = {0}; /* the page says it, and so did the other charts */

	if (!how->images || (how->images & IMAGE_BIT(IMAGE_SVG)))
		report_page_add(b, set, charts, dir, trouble);
	else
		(void)report_page_draw(b, set, &how->charts, &ignored);
}

/* The charts and the page that shows them, which is made whatever became of them. */
static int write_page(const struct report_set *set, const struct cmd_report_how *how,
		      const struct charts *charts, const char *dir, struct buf *made,
		      struct buf *notes, struct err *e)
{
	int rc = charts_write(charts, dir, how->images, made, notes, e), page_rc;
	struct err page_e = {0};
	struct buf b = BUF_INIT;

	add_page(&b, set, how, charts, dir, rc ? e->msg : NULL);
	page_rc = write_text(dir, REPORT_PAGE_FILE, &b, made, &page_e);
	if (page_rc && !rc)
		(void)err_set(e, page_e.code, "%s", page_e.msg);
	buf_release(&b);
	return rc || page_rc ? -1 : 0;
}

/* Why some kinds of charts are not there. */
static void note_imported(const struct report_set *set)
{
	struct buf b = BUF_INIT;
	size_t nr = 0;

	for (size_t i = 0; i < set->nr; i++)
		if (set->run[i].info.imported)
			buf_addf(&b, "%s %" PRId64, nr++ ? "," : "", set->run[i].info.id);
	if (nr)
		log_info(
			"no charts of single latencies and over time for imported run%s%s: tables have "
			"no histograms and series",
			nr > 1 ? "s" : "", buf_text(&b));
	buf_release(&b);
}

int report_set_write(const struct report_set *set, const char *dir,
		     const struct cmd_report_how *how, struct err *e)
{
	struct buf made = BUF_INIT, notes = BUF_INIT;
	struct charts charts;
	struct err choice_e = {0};
	int rc = file_mkdirs(dir, e), choice_rc = 0;

	charts_build(&set->report, &how->charts, &charts);
	if (how->choice)
		choice_rc = chart_draw_free(&charts, &set->report, how->choice, &choice_e);
	for (size_t i = 0; !rc && report_formats[i].name; i++)
		if (report_formats[i].file && report_formats[i].add)
			rc = write_one(&report_formats[i], &set->report, dir, &made, e);
	if (!rc) {
		struct err later = {0};

		rc = write_page(set, how, &charts, dir, &made, &notes, e);
		if (write_markdown(&set->report, &charts, dir, &made, &later) && !rc) {
			rc = -1;
			*e = later;
		}
	}
	note_imported(set);
	if (!rc && choice_rc) {
		*e = choice_e;
		rc = -1;
	}
	output_log(&made, &notes);
	charts_release(&charts);
	buf_release(&made);
	buf_release(&notes);
	return rc;
}

int cmd_report_write(struct store *s, const int64_t *run_ids, size_t nr, const char *dir,
		     const struct cmd_report_how *how, struct err *e)
{
	struct cmd_report_how in_full = *how;
	struct report_set r;
	int rc;

	in_full.with_details = true;
	if (report_set_load(s, run_ids, nr, &in_full, &r, e))
		return -1;
	rc = report_set_write(&r, dir, how, e);
	report_set_release(&r);
	return rc;
}
