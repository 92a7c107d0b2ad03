/* SPDX-License-Identifier: MIT */
#include "cmd/report_set.h"

#include "analyze/cap.h"
#include "analyze/curve.h"
#include "analyze/knee.h"
#include "analyze/response.h"
#include "analyze/search_curve.h"
#include "analyze/size.h"
#include "base/mem.h"
#include "report/chart.h"
#include "report/chart_point.h"

#include <stdlib.h>
#include <string.h>

/* A run with everything that its report is made from. */
struct loaded_run {
	struct run_info info;
	struct point *points;
	size_t nr_points;
	struct curve *curves;
	size_t nr_curves;
	struct report_curve *answers;
	struct cap_answer *cap_answers;
	struct response *responses;
	size_t nr_responses;
	struct report_response *load_answers;
	struct response_cap *load_cap_answers;
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
	/* Those of each curve and then of each response, by the caps of the report. */
	const struct search_answer **searches;
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

static void build(struct loaded_run *l, flag_set accepted)
{
	size_t nr;

	curves_build(l->all, l->nr_all, accepted, &l->curves, &l->nr_curves);
	responses_build(l->all, l->nr_all, accepted, &l->responses, &l->nr_responses);
	nr = l->nr_curves + l->nr_responses;
	l->searches = xcalloc(nr * l->nr_caps + 1, sizeof(*l->searches));
}

static void answer(struct loaded_run *l)
{
	l->answers = xcalloc(l->nr_curves + 1, sizeof(*l->answers));
	l->cap_answers = xcalloc(l->nr_curves * l->nr_caps + 1, sizeof(*l->cap_answers));
	for (size_t i = 0; i < l->nr_curves; i++) {
		struct report_curve *rc = &l->answers[i];

		*rc = (struct report_curve){.curve = &l->curves[i],
					    .cap = &l->cap_answers[i * l->nr_caps],
					    .search = &l->searches[i * l->nr_caps]};
		knee_find(rc->curve, l->info.target_queue_limit, &rc->knee);
		for (unsigned c = 0; c < l->nr_caps; c++)
			cap_find(rc->curve, l->caps[c], &rc->cap[c]);
	}
}

static void answer_loads(struct loaded_run *l)
{
	l->load_answers = xcalloc(l->nr_responses + 1, sizeof(*l->load_answers));
	l->load_cap_answers =
		xcalloc(l->nr_responses * l->nr_caps + 1, sizeof(*l->load_cap_answers));
	for (size_t i = 0; i < l->nr_responses; i++) {
		struct report_response *rr = &l->load_answers[i];

		*rr = (struct report_response){
			.response = &l->responses[i],
			.cap = &l->load_cap_answers[i * l->nr_caps],
			.search = &l->searches[(l->nr_curves + i) * l->nr_caps]};
		for (unsigned c = 0; c < l->nr_caps; c++)
			response_find_cap(rr->response, l->caps[c], &rr->cap[c]);
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
	struct size_question q = size_usual;
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
	q.cap = l->caps[0];
	if (depth)
		q.depth = depth;
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
	build(l, accepted);
	answer(l);
	answer_loads(l);
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
		free(l->cap_answers);
		responses_free(l->responses, l->nr_responses);
		free(l->load_answers);
		free(l->load_cap_answers);
		free(l->searches);
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
