/* SPDX-License-Identifier: MIT */
/* What the runner hands over when a point ends: everything raw. Figures are derived from it. */
#ifndef MODEL_MEASUREMENT_H
#define MODEL_MEASUREMENT_H

#include "model/point.h"
#include "model/target.h"
#include "stats/hist.h"
#include "stats/quantile_ci.h"

/* Sums over the completions of one direction inside the window. */
struct dir_sums {
	uint64_t ios, bytes;
	uint64_t lat_ns, slat_ns; /* clat = lat - slat (D7) */
};

/* One interval of the series: what completed in it. */
struct interval {
	uint32_t ios[2]; /* by enum dir: read, write */
	uint64_t lat_ns[2];
	uint64_t lat_max_ns[2]; /* 0: nothing completed, or stored before it was kept */
};

/* The largest latency of an interval in a direction, or of both for DIR_TOTAL; UNKNOWN without. */
double interval_lat_max_ns(const struct interval *v, enum dir dir);

struct worker_result {
	uint32_t iodepth;
	struct dir_sums dir[2];
	/* Sum of the squares of the latencies, which their deviation comes from; UNKNOWN in points that
	 * were stored without. */
	double lat_sq_ns2[2];
	double depth_mean;
	uint64_t depth_max;
	uint64_t cpu_user_ns, cpu_sys_ns;
	uint64_t cpu_run_ns, cpu_wait_ns; /* schedstat: on a CPU, and waiting for one */
	uint64_t voluntary_switches;
	uint64_t submit_ns; /* inside the submit call, during the window */
};

struct measurement {
	struct point_spec spec;
	uint32_t seq;
	uint64_t seed; /* of the run; each worker's own is derived from it */
	enum point_status status;
	flag_set flags;
	char *flag_detail[FLAG_NR]; /* the figures behind each flag, NULL or owned */
	char *reason;		    /* owned; NULL when ok */
	int err_errno;		    /* of the first error, 0 without */
	uint64_t err_offset, nr_errors;

	bool spin; /* workers polled for completions, so that they were never idle */
	int64_t start_wall_ns, end_wall_ns;
	uint64_t ramp_ns, window_ns, drain_ns; /* as they really were */
	double depth_mean;		       /* time-weighted over the window */
	uint64_t depth_max;
	double little_rel; /* D9: relative difference of the two sides, UNKNOWN without I/O */

	/* Of a point with a rate, else UNKNOWN and 0 (see struct point). rate_iops is set before it
	 * begins. */
	double rate_iops;
	double late_p50_ns, late_p99_ns, late_max_ns;
	uint64_t arrivals, backlog;

	struct hist *lat[2]; /* by enum dir; NULL where the direction was not asked for; owned */
	/* By enum dir, equally long for both: what intervals of percentiles come from. Not stored,
	 * so NULL in a measurement that was loaded; owned. */
	struct hist_batches *batches[2];
	struct worker_result *worker; /* spec.workers of them; owned; NULL if it never ran */
	struct interval *series;      /* of interval_ns each, over the window; owned */
	size_t nr_intervals;
	uint64_t interval_ns;

	struct dev_counters before, after;		 /* around the window */
	struct dev_counters bottom_before, bottom_after; /* of the device at the bottom, if other */
	uint64_t counters_ns;				 /* time between the two */
	/* What each core of this host did in that time, ascending by number; NULL where it is not known.
	 * Their own times add up to what passed on the core. Owned. */
	struct cpu_times *cpu;
	size_t nr_cpus;
	uint64_t buffer_bytes, buffer_huge_bytes; /* of which in huge pages */
};

/* A planned point of this spec without I/O: no histograms, workers or series yet; figures that are
 * not known yet are UNKNOWN. */
void measurement_init(struct measurement *m, const struct point_spec *spec);
/* Frees all that m owns, and leaves an empty one. */
void measurement_release(struct measurement *m);

/* Raise a flag with the figures behind it (a short clause, no full stop); raised again, the new
 * figures replace the old. */
void measurement_flag(struct measurement *m, enum flag flag, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Sums of one direction, or both for DIR_TOTAL, over all workers. */
struct dir_sums measurement_sums(const struct measurement *m, enum dir dir);
/* The same of one worker, and the sample standard deviation of its latencies: UNKNOWN below two. */
struct dir_sums worker_sums(const struct worker_result *w, enum dir dir);
double worker_lat_sd_ns(const struct worker_result *w, enum dir dir);
/* The histogram of a direction, both merged for DIR_TOTAL; NULL where there is none. The caller
 * frees it. */
struct hist *measurement_hist(const struct measurement *m, enum dir dir);

/*
 * The figures of one direction; all UNKNOWN where it was not asked for or the point never ran,
 * latencies also where nothing completed. total is the merged histogram, the sum of IOPS, and
 * latency weighted by completions (D30).
 *
 * Standard errors by method.md (c) from the series, merged to intervals of max(interval_ns,
 * 20 / IOPS) as D11 asks, with Student's t for the number of batches taken into them, so that 1.96 of
 * them are half of the 95 % interval; behind the warm-up that MSER-5 finds if that leaves 40 intervals, else
 * from all of them; UNKNOWN with fewer than 40. Intervals of percentiles from the batches, UNKNOWN without them
 * (quantile_ci.h). All of these are UNKNOWN where the point is unsteady: they would say nothing.
 */
void measurement_figures(const struct measurement *m, enum dir dir, struct figures *f);

/* How long from the begin of the window those standard errors take for warm-up; 0 where they are made from all
 * of it. */
uint64_t measurement_warm_up_ns(const struct measurement *m, enum dir dir);

/* Everything of a point row that follows from the measurement: all members but run_id and
 * point_id, which stay. p->reason is a copy; an old one is not freed. util_pct is UNKNOWN without
 * counters on both sides, depths and cpu_pct where no worker ran; lat_hist stays empty. */
void measurement_to_point(const struct measurement *m, struct point *p);

/*
 * The figures are derived by code that may be improved: stored with them, so that old figures
 * can be made again from the histogram and the series (but for the intervals of percentiles).
 * Raise it with any change to them.
 */
#define FIGURES_VERSION 2

#endif
