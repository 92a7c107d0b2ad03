/* SPDX-License-Identifier: MIT */
/* Two groups of runs side by side, for people; and what else tells the groups apart. */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include "model/comparison.h"
#include "model/run.h"
#include "report/text.h"

/* Whether runs of A and B alternated: a drift in time looks like a difference of the groups. */
enum compare_order {
	ORDER_MIXED,	 /* they alternated, as often as there are runs in the smaller group */
	ORDER_SEPARATE,	 /* all of one group came before all of the other */
	ORDER_CLUSTERED, /* in between */
	ORDER_UNKNOWN,	 /* imported, or one run each */
};

/* mixed, separate, clustered, unknown */
const char *compare_order_name(enum compare_order o);

/* Borrowed runs of a group. */
struct run_group {
	const struct run_info *const *info;
	size_t nr;
};

enum compare_order compare_order(const struct run_group group[2]);

/* A fact of the set-up: the texts that all runs of A and all of B have, NULL where they know none.
 * With varies, the runs of a group differ among themselves, so it does not tell the groups
 * apart, and the texts are NULL. All borrowed. */
struct setup_difference {
	const char *name, *a, *b;
	bool varies;
};

/* Facts, versions, target and sweep that are not the same in all runs; the caller frees *out. */
void compare_setups(const struct run_group group[2], struct setup_difference **out, size_t *nr);

struct compare_report {
	struct run_group group[2];
	const struct comparison *c;
	enum compare_order order;
	const struct setup_difference *setup;
	size_t nr_setup;
	const char *condition; /* what --fail-if found, as a sentence; NULL without */
};

/* The answer in sentences: "B is faster than A at 12 of 36 points, ..." */
void compare_sentences(struct buf *b, const struct compare_report *r);

/* What the reader must know about these runs: sentences, separated by newlines. */
void compare_notes(struct buf *b, const struct compare_report *r);

/* "better", "equivalent", "client-limited", "only a bound", "no significance": the verdict in a word or
 * two. */
void compare_word(struct buf *b, const struct compare_item *item);

/* Sentences first, then the tables, what has no partner, notes and set-ups. */
void compare_text(struct buf *b, const struct compare_report *r, struct text_style style);

#endif
