/* SPDX-License-Identifier: MIT */
/* Measuring what a search asks for, on one target. */
#ifndef CMD_FIND_H
#define CMD_FIND_H

#include "cmd/measure.h"
#include "model/search.h"

struct find_config {
	struct search_settings settings;
	bool is_fresh; /* begin without the points of other runs */
};

/*
 * Store the points of other runs that the searches of this run begin with: of each curve of the plan,
 * the valid ones of the newest run that has any, on the same target by the same engine with the same
 * settings of its load, and those that it began with itself. Says which run they are of.
 */
int find_add_seeds(struct measure_job *job, struct store *store, const struct find_config *config,
		   struct err *e);

/*
 * Search every curve of the plan, which has one point for each, until all its caps are answered;
 * what is stored already counts. The run must be in the store. 0 when all searches ended or a
 * signal came; errors as measure_run.
 */
int find_run(struct measure_job *job, struct store *store, const struct find_config *config,
	     struct err *e);

#endif
