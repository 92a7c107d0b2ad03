/* SPDX-License-Identifier: MIT */
/* A search for the maximum IOPS under a latency cap: how it is to go, and what it found. */
#ifndef MODEL_SEARCH_H
#define MODEL_SEARCH_H

#include "model/answer.h"
#include "model/facts.h"

/* What is searched over: depth in a closed loop, or offered load in an open one. */
struct search_settings {
	bool is_load;	     /* load: "at" below is a rate in IOPS, else an iodepth */
	bool is_exact;	     /* go on until neighbouring depths are told apart */
	uint64_t max;	     /* the largest depth or load that may be tried */
	uint32_t max_points; /* that may be measured for one curve and cap */
};

#define SEARCH_MAX_DEPTH  1024
#define SEARCH_MAX_RATE	  10000000
#define SEARCH_MAX_POINTS 24

/* A run that was a search has these facts; a run without them was none. */
void search_settings_to_facts(const struct search_settings *s, struct facts *f);
/* Whether the facts are those of a search, and then its settings. */
bool search_settings_from_facts(const struct facts *f, struct search_settings *s);

/* Why a search ended. */
enum search_stop {
	SEARCH_GOES_ON,	    /* it did not yet */
	SEARCH_BRACKET,	    /* the last good and the first bad are as close as asked for */
	SEARCH_FLAT,	    /* both have the same IOPS, so anything between has, too */
	SEARCH_AT_CAP,	    /* a latency is the cap within its noise */
	SEARCH_NOT_REACHED, /* the largest that may be tried still meets the cap */
	SEARCH_NEVER,	    /* the smallest is above the cap already */
	SEARCH_NO_POINTS,   /* no more points are allowed */
	SEARCH_FAILED,	    /* a point that was needed has no valid figures */
	SEARCH_STOP_NR,
};

/* What an answer is worth, for JSON and the exit status (D35). */
enum search_status {
	SEARCH_MET,
	SEARCH_STATUS_NOT_REACHED,
	SEARCH_STATUS_NEVER,
	SEARCH_STATUS_CLIENT, /* client-limited: the target can do at least this */
	SEARCH_STATUS_ERRORS, /* ended by a point without valid figures */
	SEARCH_STATUS_UNFINISHED, /* goes on, or ended for want of points before the maximum was known */
	SEARCH_STATUS_NR,
};

/* bracket, flat, at-cap, ... and met, not-reached, ... */
const char *search_stop_name(enum search_stop stop);
const char *search_status_name(enum search_status status);

/* A measured depth or load, as a search looks at it. */
struct search_point {
	uint64_t at;	  /* iodepth, or IOPS offered; 0 in an answer: there is none */
	double iops;	  /* achieved */
	double iops_se;	  /* relative standard error; UNKNOWN without */
	double lat_ns;	  /* the figure that the cap is on */
	double lat_se;	  /* relative standard error, 0 where unknown */
	bool is_missed;	  /* the load was not sustained */
	double ios;	  /* I/Os behind it; UNKNOWN in some tables */
	flag_set flags;	  /* verdicts of the point */
	int64_t run_id;	  /* that measured it */
	uint64_t time_ns; /* that measuring it took */
};

/* Runs that the seed of a search may come from; more are not told apart. */
#define SEARCH_MAX_SEED_RUNS 4

struct search_answer {
	struct cap cap;
	struct search_settings settings;
	enum search_stop stop;
	struct search_point best;   /* the answer */
	struct search_point good;   /* the largest known that meets the cap */
	struct search_point bad;    /* the smallest known above it that does not */
	struct search_point lowest; /* the lowest latency known */
	bool is_client_limited;	    /* a point that decides was limited by this host */
	uint32_t queue_limit;	    /* of this host, where best is above it; else 0 */
	/* What the search cost beyond what was known: points measured for it, and their time. */
	unsigned nr_points;
	uint64_t time_ns;
	unsigned nr_shared; /* known from the caps before */
	unsigned nr_seed;   /* known from other runs, which are: */
	int64_t seed_run[SEARCH_MAX_SEED_RUNS];
	unsigned nr_seed_runs;
	/* Of SEARCH_FAILED: where, and why. */
	uint64_t failed_at;
	char failed_reason[256];
};

enum search_status search_status(const struct search_answer *a);
/* Whether the target may do more under the cap than what was found. */
bool search_is_least(const struct search_answer *a);

#endif
