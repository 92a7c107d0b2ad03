/* SPDX-License-Identifier: MIT */
/* What every report is made from: stored runs, their points, and finished analyses. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "model/answer.h"
#include "model/measurement.h"
#include "model/run.h"
#include "model/search.h"
#include "model/sizing.h"

/* A curve with its answers; caps are those of the run, in the same order. */
struct report_curve {
	const struct curve *curve;
	struct knee knee;
	/* Of each cap of the run: its answer; and that of a search, NULL where nobody searched for this cap. */
	struct cap_answer *cap;
	const struct search_answer **search;
};

/* A response curve with its answers, in the same order. */
struct report_response {
	const struct response *response;
	struct response_cap *cap;
	const struct search_answer **search;
};

struct report_run {
	const struct run_info *info;
	const struct point *points; /* all of the run, in report order */
	size_t nr_points;
	const struct report_curve *curves; /* in report order */
	size_t nr_curves;
	const struct report_response *responses; /* in report order */
	size_t nr_responses;
	const struct cap *caps; /* the questions that were answered */
	unsigned nr_caps;
	/* What larger spans lose, for VMs that ask nothing: losses alone decide. NULL: there is one
	 * span only, or they cannot be compared. */
	const struct size_answer *spans;
	uint32_t span_depth; /* where spans are compared; 0 for the default */
	flag_set accepted;   /* flags that did not spoil */
	/* Points with all that was measured, of which the series over time are drawn; NULL: none. */
	const struct measurement *detail;
	size_t nr_details;
	bool is_search; /* its points were chosen by a search: curves also hold points of other runs */
};

/* Everything here is borrowed: the caller keeps it alive while reports are made. */
struct report {
	const struct report_run *runs;
	size_t nr_runs;
	bool explain; /* the text shows what each answer rests on */
	bool plot;    /* the text has plots in characters */
};

/* How many points the budget of the run's last command left out; 0 without a budget, and while the run
 * goes on. */
size_t report_left_out(const struct report_run *run);

/* A fact of the set-up that is not the same in run_id as in the first run; NULL where one of the
 * two does not have it. All texts are borrowed from the runs. */
struct report_difference {
	int64_t run_id;
	const char *name, *from, *to;
};

/* Compare the set-up of all runs with that of the first; the caller frees *out. */
void report_differences(const struct report *r, struct report_difference **out, size_t *nr);

#endif
