/* SPDX-License-Identifier: MIT */
/* A point: one combination of axis values, how it ended, and the figures that it gave. */
#ifndef MODEL_POINT_H
#define MODEL_POINT_H

#include "base/buf.h"
#include "model/axis.h"
#include "model/verdict.h"
#include "stats/hist.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What to do. Two specs with equal members are the same point. */
struct point_spec {
	enum rw_mode rw;
	uint32_t iodepth; /* in total over all workers (D6); with a rate, the most in flight */
	uint32_t workers;
	uint32_t rwmixread_pct; /* 100 for pure reads, 0 for pure writes */
	uint32_t random_pct;	/* 0 for sequential modes */
	uint32_t span_e4;	/* the per cent asked for (units.h), 0 when bytes were asked for */
	uint32_t rate_e4;	/* offered load in per cent of the maximum found, else 0 ... */
	uint64_t rate_ask_iops; /* ... or in IOPS, else 0; both 0: a closed loop */
	uint64_t bs_bytes;
	uint64_t span_bytes; /* what is used: whole blocks; 0 only where an import did not say */
	uint64_t offset_bytes;
	uint32_t repeat; /* 1, 2, ... */
	/* Measured again when its curve was done, to see whether the target has changed (D24). */
	bool is_anchor;
};

/* Whether I/Os arrive at a rate, whatever has completed (an open loop). */
static inline bool point_is_open(const struct point_spec *s)
{
	return s->rate_ask_iops || s->rate_e4;
}

/* Whether it reads or writes at all: a mixed mode of 100 % or of 0 % reads does one of them only, and
 * neither needs consent nor waits for the points that only read because of its name. */
static inline bool point_reads(const struct point_spec *s)
{
	return s->rwmixread_pct > 0;
}

static inline bool point_writes(const struct point_spec *s)
{
	return s->rwmixread_pct < 100;
}

enum point_status {
	POINT_PLANNED,
	POINT_RUNNING,
	POINT_OK,
	POINT_FAILED,
	POINT_NO_IO,
	POINT_SKIPPED,
	POINT_INTERRUPTED,
	POINT_STATUS_NR,
};

const char *point_status_name(enum point_status status);
/* Such a point is not measured again when its run goes on. */
bool point_status_is_final(enum point_status status);
/* POINT_STATUS_NR where there is no such status. */
enum point_status point_status_find(const char *name);

/*
 * Figures of one direction. UNKNOWN (NaN) where a figure is not known: nothing completed, or it was
 * imported from a table that does not have it. 0 always means zero.
 */
struct figures {
	double ios; /* completions inside the window */
	double iops;
	double mib_s;
	double lat_mean_ns, lat_sd_ns, lat_min_ns, lat_max_ns;
	double lat_p50_ns, lat_p90_ns, lat_p95_ns, lat_p99_ns, lat_p999_ns;
	double slat_mean_ns, clat_mean_ns;
	/* Standard error of iops / iops (method.md c); 1.96 of them are half of the 95 % interval. */
	double iops_se_rel;
	double lat_se_rel;
	/* 95 % intervals of two percentiles (method.md c 5). */
	double lat_p95_lo_ns, lat_p95_hi_ns, lat_p99_lo_ns, lat_p99_hi_ns;
};

/* A figure of a latency distribution that caps are judged on. */
enum lat_stat { LAT_MEAN, LAT_P50, LAT_P90, LAT_P95, LAT_P99, LAT_P999, LAT_STAT_NR };

/* mean, p50, ..., p99.9 */
const char *lat_stat_name(enum lat_stat stat);
/* LAT_STAT_NR where there is no such figure. */
enum lat_stat lat_stat_find(const char *name);
double figures_lat_ns(const struct figures *f, enum lat_stat stat);
/* How many I/Os this figure takes: with fewer, less than 10 of them lie beyond it. 0 for the mean. */
uint32_t lat_stat_min_ios(enum lat_stat stat);
/*
 * Whether a second measurement of the same point gave other IOPS: they differ by more than the
 * combined 95 % interval and by more than 5 % of the first.
 */
bool figures_differ(const struct figures *first, const struct figures *second);
/* All UNKNOWN. */
void figures_clear(struct figures *f);

/* A stored point, as the analyses and reports take it. */
struct point {
	struct point_spec spec;
	int64_t run_id, point_id;
	uint32_t
		seq; /* its number in the run, from 1: its place in the plan, which a budget leaves */
	enum point_status status;
	flag_set flags;
	bool imported;
	char *reason; /* why it failed or was skipped, NULL otherwise; owned */
	int64_t start_wall_ns, end_wall_ns; /* 0 where it never began */
	double window_s, ramp_s, drain_s;
	double depth_mean, depth_max; /* in flight, achieved */
	double util_pct;	      /* device busy; UNKNOWN without counters */
	/* Of an offered load, else UNKNOWN: IOPS offered; starts intended inside the window; those of
	 * any time that were not submitted at its end; and how late the others were submitted, beyond
	 * any wait for the limit of I/Os in flight. */
	double rate_iops, arrivals, backlog;
	double late_p50_ns, late_p99_ns, late_max_ns;
	double cpu_pct;		    /* user + system of all workers / wall; 100 is one core */
	struct figures dir[DIR_NR]; /* total always; read and write where asked */
	/* Read and write histograms in their stored form (hist_unpack), loaded for runs with repeats
	 * only, since their percentiles cannot be averaged; else empty. Owned. */
	struct buf lat_hist[2];
};

void point_release(struct point *p);

/* Add the stored histogram of a direction, or of both for the total, to all; false where there is none that
 * can be read. scratch is overwritten. */
bool point_add_hists(struct hist *all, const struct point *p, enum dir dir, struct hist *scratch);

/* Mean of one member (a double at this offset) of those points that are valid and know it; UNKNOWN
 * without any. For shares of repeats, which are equally long. */
double points_mean(const struct point *const *row, size_t nr, flag_set accepted, size_t offset);

/* ok, and no flag spoils it except those accepted. Such points decide answers. */
bool point_is_valid(const struct point *p, flag_set accepted);

/* Points in the order of reports: all axes numeric, then depth, rate, repeat, and anchors last; those
 * with a rate follow those without. For qsort. */
int point_spec_compare(const struct point_spec *a, const struct point_spec *b);

/* Whether the specs belong to one curve: both without a rate and differing in nothing but depth,
 * repeat and being an anchor, or both with one and differing in nothing but rate and repeat (a
 * response curve). */
bool point_same_curve(const struct point_spec *a, const struct point_spec *b);

/* A hash of all members, for seeds and keys. */
uint64_t point_spec_hash(const struct point_spec *s);

/* "randread 4k iodepth 8 span 1G": every axis that matters to this point. */
void buf_add_point(struct buf *b, const struct point_spec *s);
/* The same without the depth, or the rate: the name of its curve. */
void buf_add_curve_name(struct buf *b, const struct point_spec *s);
/* "500 IOPS" or "50%", as the rate was asked for. */
void buf_add_rate(struct buf *b, const struct point_spec *s);
/* The span as it was asked for: 12.5% or 500G, or 500GB from a published table; with "@offset"
 * where one was given. */
void buf_add_span(struct buf *b, const struct point_spec *s);

#endif
