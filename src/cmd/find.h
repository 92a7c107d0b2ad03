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
 * Search every curve of the plan, which has one point for each, until all its caps are answered.
 * What is stored of the run counts. A run that begins takes valid points of another run on the same
 * target, by the same engine with the same kind of load, and says of which run; they are stored as
 * what it began with. The run must be in the store. 0 when all searches ended or a signal came;
 * errors as measure_run.
 */
int find_run(struct measure_job *job, struct store *store, const struct find_config *config,
	     struct err *e);

#endif
