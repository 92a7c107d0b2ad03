/* SPDX-License-Identifier: MIT */
/*
 * The adaptive search of method.md (b), as a machine that is told points and says which one it
 * needs next. It touches no target, so that it is tested on curves, and so that a stored run is
 * answered by telling it the stored points again.
 *
 * Over depth: it begins at the smallest depth; gallops up by Little's law (every depth up to cap x IOPS meets a
 * cap on the mean, while IOPS do not fall) and by the slope of ln latency over ln depth, eightfold at most; and
 * narrows the bracket on log axes, by halves where one end stands still. It ends when the bracket
 * is 6 % wide or of neighbours, when IOPS at its ends are within 2 % (and depths within 4x), when
 * a latency is the cap within 1.645 standard errors, or when no more points are allowed.
 *
 * Over load (search_load.c): eightfold up or down until the cap lies between two loads, or sooner
 * where 1 / latency, which is straight over load for a single server, says so; then narrowed on that
 * line, with the IOPS that a missed load achieved as the load of no end; to 2 %. A load that is
 * missed never meets a cap.
 */
#ifndef ANALYZE_SEARCH_H
#define ANALYZE_SEARCH_H

#include "model/search.h"

struct search_config {
	struct cap cap;
	struct search_settings settings;
	uint64_t min; /* the smallest depth (workers) or load */
};

enum search_phase { PHASE_FIRST, PHASE_DOWN, PHASE_GALLOP, PHASE_BRACKET };

struct search {
	struct search_config config;
	struct search_point *p; /* all that is known, as it came; owned */
	size_t nr, room, nr_seed;
	enum search_phase phase;
	size_t lo, hi; /* indexes; SEARCH_NONE */
	int side;      /* the end that moved last: 1 lo, -1 hi */
	unsigned rep;  /* how often running */
	enum search_stop stop;
};

#define SEARCH_NONE SIZE_MAX

/* seed: points that are known already, any order, each depth or load once; they are copied and do not count
 * as points of this search. */
void search_init(struct search *s, const struct search_config *config,
		 const struct search_point *seed, size_t nr_seed);
void search_release(struct search *s);

/* Whether a point is needed, and which one: tell it by search_add, or give up by search_fail.
 * False: s->stop says why it ended. */
bool search_next(struct search *s, uint64_t *at);
/* The point that search_next asked for; lat_ns must be known. */
void search_add(struct search *s, const struct search_point *p);
/* The point that search_next asked for has no valid figures: the search ends with what is known. */
void search_fail(struct search *s);

/*
 * What is known now: best, good, bad, lowest, stop, nr_points and time_ns; the rest of a is left
 * alone. best over depth: of the points that meet the cap, surely or within the noise, the most
 * IOPS; the smallest depth within 1.645 standard errors of that (D34); with is_exact, the largest depth. Over
 * load: the largest load that meets the cap.
 */
void search_result(const struct search *s, struct search_answer *a);

/* Inside: -1 surely above the cap, 1 surely below, 0 within the noise. */
int search_judge(const struct search *s, const struct search_point *p);
/* Whether the latency as measured meets the cap, and the load was sustained. */
bool search_meets(const struct search *s, const struct search_point *p);
/* Inside, search_load.c: the next load of the present phase, which must not be over. */
uint64_t search_load_wanted(const struct search *s);
bool search_load_is_narrow(const struct search *s);

#endif
