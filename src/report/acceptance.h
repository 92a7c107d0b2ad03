/* SPDX-License-Identifier: MIT */
/* What a standard says to stored runs, as text and as JSON. */
#ifndef REPORT_ACCEPTANCE_H
#define REPORT_ACCEPTANCE_H

#include "model/acceptance.h"
#include "model/run.h"
#include "report/text.h"

/* A run and the classes that it was held to. */
struct checked_run {
	const struct run_info *info;
	struct class_result *cls;
	size_t nr;
};

/* Everything here is borrowed. */
struct acceptance_report {
	const char *path; /* of the standard */
	const struct standard *standard;
	const struct checked_run *runs;
	size_t nr_runs;
};

/* By run and class a table for each point, what is undecided and why, and one sentence. */
void acceptance_text(struct buf *b, const struct acceptance_report *r, struct text_style style);
void acceptance_json(struct buf *b, const struct acceptance_report *r);

/* Why a limit is undecided, and what would decide it: one sentence without a full stop. */
void sentence_undecided(struct buf *b, const struct judgement *j);

#endif
