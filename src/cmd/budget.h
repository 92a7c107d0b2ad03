/* SPDX-License-Identifier: MIT */
/* The time that a command may take: --budget and --until. */
#ifndef CMD_BUDGET_H
#define CMD_BUDGET_H

#include "cmd/measure.h"

/* All zero: no limit. */
struct budget {
	char *text;	   /* "budget of 8h", "time until 06:00"; owned */
	uint64_t total_ns; /* of --until: from when it was parsed */
	uint64_t
		end_ns; /* on the clock of clock_now_ns, so that no step of the wall clock moves it */
};

/* Of the options, one of which may be given; neither gives no limit. */
int budget_parse(const char *budget, const char *until, struct budget *out, struct err *e);
void budget_release(struct budget *b);

/* Whether an even share for this target takes the ends of a curve; -1 with the least that does. */
int budget_check(const struct budget *b, size_t nr_targets, const struct plan *p,
		 const struct sweep *s, struct err *e);

/* Measuring begins: the time of --budget counts from now. */
void budget_begin(struct budget *b);
/* What is left for nr targets, the first of which is job: its even share. */
void budget_share(const struct budget *b, size_t nr, struct measure_job *job);

/* How many points a budget is for. */
struct budget_points {
	size_t nr_certain; /* when every point takes its longest time, and every curve has anchors */
	size_t nr_best;	   /* when every point takes its shortest time */
};
void budget_points(const struct budget *b, const struct plan_totals *t, const struct sweep *s,
		   struct budget_points *out);

#endif
