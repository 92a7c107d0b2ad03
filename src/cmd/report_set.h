/* SPDX-License-Identifier: MIT */
/* Stored runs, answered and ready to be reported: where store, analyze and report meet. */
#ifndef CMD_REPORT_SET_H
#define CMD_REPORT_SET_H

#include "cmd/cmd_report.h"
#include "report/report.h"

struct loaded_run;

struct report_set {
	struct loaded_run *run; /* what the report borrows */
	struct report_run *view;
	size_t nr;
	struct report report;
	const char *database; /* as how had it; borrowed */
};

/* Load and answer these runs; the caller releases the set after success. */
int report_set_load(struct store *s, const int64_t *run_ids, size_t nr,
		    const struct cmd_report_how *how, struct report_set *set, struct err *e);
void report_set_release(struct report_set *set);

#endif
