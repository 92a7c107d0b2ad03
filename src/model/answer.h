/* SPDX-License-Identifier: MIT */
/* Finished analyses, as analyze/ makes them and report/ prints them. */
#ifndef MODEL_ANSWER_H
#define MODEL_ANSWER_H

#include "base/err.h"
#include "model/point.h"

/* The depths of one curve, ascending, each once: the input of knee and cap. */
struct curve_point {
	uint32_t iodepth;
	double iops;
	double se_rel;		    /* relative standard error of iops, 0 where unknown */
	double half_rel;	    /* relative half width of its 95 % interval, likewise */
	bool is_error_unknown;	    /* of the point, or of one of its repeats */
	double lat_ns[LAT_STAT_NR]; /* UNKNOWN (NaN) where unknown */
	double lat_se_rel;	    /* of the mean latency, as se_rel */
	/* 95 % intervals; not above 0 (or NaN) where unknown. */
	double lat_lo_ns[LAT_STAT_NR], lat_hi_ns[LAT_STAT_NR];
	double ios;		   /* completions of all repeats; UNKNOWN in some tables */
	flag_set flags;		   /* of all repeats */
	uint32_t nr_repeats;	   /* that decide */
	double iops_min, iops_max; /* of the repeats */
};

/* A depth of the curve that was measured again when the curve was done (D24). */
struct curve_anchor {
	const struct point *again; /* valid or not */
	double iops_first;	   /* of the curve; UNKNOWN where it has no valid point there */
	bool differs;		   /* by more than 5 % and the combined interval */
};

#define CURVE_MAX_ANCHORS 2

struct curve {
	struct point_spec spec; /* iodepth and repeat mean nothing here */
	/* All points of the curve, valid or not, ascending. This and pt are parts of arrays that all
	 * curves of a call share (curves_build). */
	const struct point **row;
	size_t nr_rows;
	struct curve_anchor anchor[CURVE_MAX_ANCHORS];
	size_t nr_anchors;
	struct curve_point *pt; /* the valid ones that decide */
	size_t nr;
	/* Depths with no valid point but one that only a stall spoils, ascending: their percentiles
	 * hold, and decide caps on percentiles; owned. */
	struct curve_point *stalled;
	size_t nr_stalled;
};

enum knee_class {
	KNEE_INSUFFICIENT,
	KNEE_KNEE,
	KNEE_FLAT,
	KNEE_RISING,
	KNEE_RETROGRADE,
	KNEE_STATE_DRIFT
};

const char *knee_class_name(enum knee_class c);

#define KNEE_MAX_DIPS 8

/* method.md (a); the names are those of the text. */
struct knee {
	enum knee_class cls;
	/* How nstar is to be read: '=', '>' at least, '<' at most, '~' either: bounds of both kinds meet. */
	char bound;
	double nstar, nstar_low, nstar_high; /* 95 %; low = high = nstar without errors */
	double nstar_xmax_r1;		     /* the same from latency: peak IOPS x R(first) */
	uint32_t sat_depth;		     /* the recommended depth */
	double sat_iops, sat_lat_ns;
	uint32_t peak_depth;
	double peak_iops;
	double eff;	  /* sat_iops / peak_iops */
	double n80;	  /* depth of 80 % of the peak, interpolated */
	double last_gain; /* per doubling over the last octave */
	double drop;	  /* from the peak to the last depth */
	uint32_t power_depth;
	uint32_t second_plateau_depth; /* 0 without one */
	uint32_t dip_depth[KNEE_MAX_DIPS];
	size_t nr_dips;
	/* The other deciding point: where iops / depth is largest. The rising asymptote goes through it. */
	uint32_t lo_depth;
	double lo_iops, power_iops;
	uint32_t octave_depth; /* what the last depth is compared with for last_gain */
	double octave_iops;
	bool is_flat; /* the peak is little above the first point, whatever the class */
	/* A gain or drop that is large enough for its class, but lies within the errors. */
	bool is_gain_noise, is_drop_noise;
	bool has_errors; /* of both deciding points */
	uint32_t first_depth, last_depth;
	double first_iops, last_iops, first_lat_ns, last_lat_ns;
	bool has_drift;		/* an anchor differs */
	bool is_client_limited; /* D20: withheld */
	uint32_t queue_limit;	/* D20: the plateau is the host's queue limit; 0 when not */
	/* Figures of points that this host held back, so that the target may do more; and why, with the
	 * point of lo_iops. */
	bool is_sat_least, is_peak_least, is_last_least;
	flag_set held_flags;
};

/* "=", ">=", "<=", "~": how nstar is to be read. */
static inline const char *knee_bound_text(const struct knee *k)
{
	return k->bound == '>' ? ">=" : k->bound == '<' ? "<=" : k->bound == '~' ? "~" : "=";
}

/* Whether the target alone may saturate deeper than sat_depth, as the peak was held back. */
static inline bool knee_is_least(const struct knee *k)
{
	return k->is_peak_least && !k->queue_limit;
}

/* Whether there is a knee to print: not withheld, and not insufficient. */
static inline bool knee_is_known(const struct knee *k)
{
	return k->cls != KNEE_INSUFFICIENT && k->cls != KNEE_STATE_DRIFT && !k->is_client_limited;
}

/* Whether N* has an interval: there are errors, and the curve is not flat, where it would cover less
 * than it says. */
static inline bool knee_has_interval(const struct knee *k)
{
	return k->nstar_low < k->nstar_high && !k->is_flat;
}

/* Whether the IOPS that are shown for the knee are a lower bound: those at saturation, or of the deepest
 * point where saturation was not reached. */
static inline bool knee_iops_are_least(const struct knee *k)
{
	return k->cls == KNEE_RISING ? k->is_last_least : k->is_sat_least;
}

/* The point of this depth that decides; NULL without. */
const struct curve_point *curve_point_at(const struct curve *c, uint32_t iodepth);

struct cap {
	enum lat_stat stat;
	uint64_t limit_ns;
};

/* What is answered where nobody asks: 10 ms, mean. */
extern const struct cap cap_usual;

/* "mean:10ms" or "p99.9:500us": 0, or -1 with the offending text in e. */
int cap_parse(const char *text, struct cap *cap, struct err *e);

/* What the 95 % interval of the latency says about it and the cap (method.md b). */
enum cap_verdict {
	CAP_UNSURE, /* there is no interval */
	CAP_MEETS,
	CAP_FAILS,
	CAP_UNDECIDED, /* the cap lies within the interval */
	CAP_VERDICT_NR,
};

/* NULL for CAP_UNSURE. */
const char *cap_verdict_name(enum cap_verdict v);

enum cap_status { CAP_OK, CAP_INFEASIBLE, CAP_NOT_REACHED, CAP_NO_DATA };

/* ok, infeasible, not-reached, no-data: for programs. */
const char *cap_status_name(enum cap_status s);

/* method.md (b) on the measured grid. */
struct cap_answer {
	struct cap cap;
	enum cap_status status;
	uint32_t depth; /* measured only: the primary, conservative answer */
	double iops, lat_ns;
	uint32_t last_good_depth, first_bad_depth; /* 0 where there is none */
	double depth_interp, iops_interp;	   /* the estimate between grid points */
	double lat_min_ns;			   /* the lowest latency of the curve */
	uint32_t lat_min_depth;
	/* Of the latency at depth, or the lowest where no depth meets the cap. */
	enum cap_verdict verdict;
	double lat_lo_ns, lat_hi_ns; /* its 95 % interval, UNKNOWN without */
	double ios;		     /* I/Os behind it */
	flag_set flags; /* of the point that answers: cpu-bound makes it a lower bound */
	/* Whether the client held back the first depth beyond the cap, or the lowest where none meets
	 * it: the target alone is as fast or faster there, so it may meet the cap. */
	bool is_bad_unsure;
};

/* Whether there are IOPS that meet the cap, and whether the target may do more under it than they say. */
static inline bool cap_is_met(const struct cap_answer *a)
{
	return a->status == CAP_OK || a->status == CAP_NOT_REACHED;
}

static inline bool cap_is_least(const struct cap_answer *a)
{
	return a->status == CAP_NOT_REACHED || a->is_bad_unsure ||
	       flags_have(a->flags, EFFECT_LOWER_BOUND);
}

/* One load of a response curve: its valid repeats together. */
struct response_point {
	const struct point *row;    /* the first of them */
	double rate_iops, iops;	    /* offered, and achieved */
	double lat_ns[LAT_STAT_NR]; /* as in struct curve_point */
	bool is_sustained;	    /* none of them missed its rate */
	bool is_late;		    /* this host submitted late, which is part of the latency */
};

/* Points that differ in their rate only: latency against offered load. */
struct response {
	struct point_spec spec;	  /* rate and repeat mean nothing here */
	const struct point **row; /* all points, valid or not, ascending in load; owned array */
	size_t nr_rows;
	struct response_point *pt; /* loads that count, ascending; owned */
	size_t nr;
	/* The highest that was sustained, and the lowest above it that was not; NULL for none. */
	const struct response_point *sustained, *missed;
};

/*
 * What a reader is shown of the load that begins with row i: the load that counts in *pt, else NULL there and the first
 * of its repeats that was measured, or that tells why none was. NULL where row i repeats the load of an earlier one, or
 * was never offered any.
 */
const struct point *response_load_at(const struct response *r, size_t i,
				     const struct response_point **pt);

/* The highest sustained load of which a latency is within the cap. */
struct response_cap {
	struct cap cap;
	enum cap_status status; /* not reached: the highest load of all is within the cap */
	const struct response_point *best;   /* NULL unless ok or not reached */
	const struct response_point *next;   /* the next higher load; NULL for none */
	const struct response_point *lowest; /* the lowest latency; NULL without data */
};

#endif
