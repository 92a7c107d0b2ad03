/* SPDX-License-Identifier: MIT */
/* A declared standard, and what the points of a run say to it. */
#ifndef MODEL_ACCEPTANCE_H
#define MODEL_ACCEPTANCE_H

#include "base/num.h"
#include "model/measurement.h"
#include "model/point.h"

/* What a limit is on. Those from FIGURE_LAT on are at most, the others at least. */
enum required_figure {
	FIGURE_IOPS,
	FIGURE_GUARANTEED_IOPS, /* what a share of the intervals of the window reach */
	FIGURE_MIB_S,
	FIGURE_LAT, /* of a distribution: enum lat_stat */
	FIGURE_LAT_MAX,
};

struct limit {
	enum required_figure figure;
	enum dir dir;
	enum lat_stat stat; /* of FIGURE_LAT only */
	double value;	    /* IOPS, MiB/s, or ns */
	/* Of guaranteed IOPS: the share of intervals (units.h per cent), each at least this long. */
	uint32_t share_e4;
	uint64_t over_ns;
};

static inline bool limit_is_at_most(const struct limit *l)
{
	return l->figure >= FIGURE_LAT;
}

/* As in the file: "iops", "read_iops", "lat p99", "write_lat max". */
void buf_add_limit_name(struct buf *b, const struct limit *l);

/* The value that an axis must have. */
struct axis_condition {
	bool is_given, is_percent;
	bool is_none; /* of the rate: a closed loop */
	uint64_t value;
};

/* Limits, and the points that they hold at: those that meet every condition given. */
struct requirement {
	struct axis_condition at[AXIS_NR];
	struct limit *limit; /* owned */
	size_t nr;
};

/* "rw randrw, bs 8k, iodepth 64"; "any point" without conditions. */
void buf_add_conditions(struct buf *b, const struct requirement *r);

struct disk_class {
	char *name;		 /* owned */
	struct requirement *req; /* owned */
	size_t nr;
};

struct standard {
	char *name; /* NULL when none is stated; owned */
	struct disk_class *cls;
	size_t nr;
};

void standard_release(struct standard *s);

/* The series of a point as it was stored; nr is 0 where there is none. */
struct point_series {
	struct interval *v; /* owned by whoever loaded it */
	size_t nr;
	uint64_t interval_ns, window_ns;
};

enum acceptance_verdict { ACCEPTANCE_PASS, ACCEPTANCE_FAIL, ACCEPTANCE_UNDECIDED, ACCEPTANCE_NR };

/* pass, fail, undecided */
const char *acceptance_verdict_name(enum acceptance_verdict v);

/* Why a limit is undecided. */
enum undecided_reason {
	REASON_NONE,
	REASON_NO_POINT,      /* no point meets the conditions */
	REASON_INVALID,	      /* not ok, or spoiled */
	REASON_NO_FIGURE,     /* not known of this point */
	REASON_NO_SERIES,     /* no series is stored */
	REASON_FEW_INTERVALS, /* the window is too short for a guarantee */
	REASON_FEW_SAMPLES,   /* too few I/Os for this percentile */
	REASON_ONE_SIDED,     /* a bound, and on the side where it says nothing */
	REASON_OFFERED,	      /* the load offered was sustained, and is below the limit */
	REASON_INTERVAL,      /* the limit lies inside the interval */
};

/* One limit at one point. */
struct judgement {
	const struct requirement *req;
	const struct limit *limit;
	const struct point *point;    /* the first of its repeats; NULL where none is there */
	unsigned nr_rows, nr_repeats; /* measured, and those that decide */
	double value;		      /* in the limit's unit; UNKNOWN where not known */
	double low, high;	      /* its 95 % interval; UNKNOWN without one */
	double margin;		      /* relative to the limit, above 0 on the good side */
	double ios;		      /* behind it; UNKNOWN in some tables */
	double share;		      /* guaranteed IOPS: of the intervals that reach the limit */
	double intervals;	      /* and how many there are */
	enum value_bound bound;
	flag_set bound_flags; /* those that make it one */
	flag_set spoiled;     /* for REASON_INVALID: those that spoil */
	enum acceptance_verdict verdict;
	enum undecided_reason reason;
	/* What would decide, at this figure and noise; 0 where nothing of reasonable size would. */
	double more_s;
	unsigned more_repeats;
};

struct class_result {
	const struct disk_class *cls;
	struct judgement *v; /* by requirement, then by point; owned */
	size_t nr;
	size_t nr_verdict[ACCEPTANCE_NR];
	enum acceptance_verdict verdict; /* fail before undecided before pass */
};

void class_result_release(struct class_result *r);

#endif
