/* SPDX-License-Identifier: MIT */
/* What `status` tells of a run while it goes on, and afterwards. */
#ifndef REPORT_STATUS_H
#define REPORT_STATUS_H

#include "model/run.h"
#include "report/progress.h"
#include "report/status_preparation.h"
#include "report/text.h"

#include <stdbool.h>

enum status_state {
	STATUS_RUNNING,
	STATUS_ELSEWHERE, /* it began on another host, whose processes cannot be seen from here */
	STATUS_UNKNOWN,	  /* marked as running, but nothing that may be asked tells whether it is */
	STATUS_GONE,	  /* marked as running, but its process is gone */
	STATUS_INTERRUPTED,
	STATUS_FINISHED,
	STATUS_STATE_NR,
};

/* "running", "running-elsewhere", "unknown", "gone", "interrupted", "finished": for programs. */
const char *status_state_name(enum status_state s);

/* Whether more may come of itself. */
static inline bool status_goes_on(enum status_state s)
{
	return s == STATUS_RUNNING || s == STATUS_ELSEWHERE || s == STATUS_UNKNOWN;
}

/* What the time that is left rests on. */
enum status_basis {
	STATUS_BASIS_NONE,   /* it is not known */
	STATUS_BASIS_BUDGET, /* the run's budget ends before its points do */
	STATUS_BASIS_MEAN,   /* the mean of the points that were measured */
	STATUS_BASIS_PLAN,   /* the longest time that the plan gives a point */
	STATUS_BASIS_NR,
};

struct status_view {
	const struct run_info *info;
	const struct point *points; /* of the run */
	size_t nr_points;
	bool is_search;
	enum status_state state;
	long pid;	/* that measures the target, whether for this run or not; 0: not known */
	int64_t now_ns; /* wall clock */
	/* Counts of points; those that will not be measured again are done. */
	unsigned nr[POINT_STATUS_NR], nr_spoiled, nr_done, nr_left;
	flag_set flags; /* of all points */
	double share;	/* 0 to 1, UNKNOWN for a search */
	uint64_t left_ns;
	enum status_basis basis;
	double mean_s;		  /* of the points that were measured; UNKNOWN without any */
	const struct point *hand; /* the point in hand; NULL for none */
	double hand_s;		  /* how long it has been going on */
	bool in_window;		  /* of the next four, which the run itself tells ... */
	double hand_iops, hand_lat_ns, hand_silent_s;
	bool is_live;		   /* ... if this is set */
	const struct point **last; /* all that were measured, the newest first; owned */
	size_t nr_last, nr_shown;  /* of them text and JSON show so many */
	const struct preparation_view *preparation; /* goes on besides; NULL for none; JSON only */
};

/*
 * Count and estimate: fills what follows now_ns from what goes before it, without what the run itself tells.
 * The caller then calls status_release.
 */
void status_count(struct status_view *v);
void status_release(struct status_view *v);

void status_text(struct buf *b, const struct status_view *v, struct text_style style);

/* A point that ended, in one line, as the nr_done-th that is done; and how the run stands, in one line: for
 * logs. */
void status_point_line(struct buf *b, const struct status_view *v, const struct point *p,
		       unsigned nr_done);
void status_state_line(struct buf *b, const struct status_view *v);

/*
 * One JSON document; null is what is not known. Keys carry their unit; they are added to, never changed:
 *   format "lunsweep-status", version 1
 *   run, sweep, target, state (as status_state_name), stored_state, pid, started_utc, ended_utc, elapsed_s
 *   points{total, done, left, planned, running, ok, failed, no_io, skipped, interrupted, spoiled}, done_pct
 *   left_s, left_basis ("budget", "mean", "plan"), point_mean_s
 *   current{seq, name, elapsed_s, in_window, iops, lat_mean_ms, silent_s} (null: none)
 *   last[]{seq, name, status, iops, lat_mean_ms, flags}
 *   flags[]{flag, points, effect}
 *   preparation (as preparation_status_json)
 */
void status_json(struct buf *b, const struct status_view *v);

#endif
