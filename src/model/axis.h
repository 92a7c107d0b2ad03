/* SPDX-License-Identifier: MIT */
/* The axes of a sweep and the I/O patterns, by the names that fio users know. */
#ifndef MODEL_AXIS_H
#define MODEL_AXIS_H

#include <stdbool.h>

/* To add an axis: here, in axis_names, in struct point_spec, in plan/ (values, expansion), in
 * the point table of the store, and in the manual. */
enum axis {
	AXIS_RW,
	AXIS_BS,
	AXIS_IODEPTH,
	AXIS_SPAN,
	AXIS_RWMIXREAD,
	AXIS_WORKERS,
	AXIS_RANDOM_PCT,
	AXIS_RATE,
	AXIS_NR,
};

/* rw, bs, iodepth, ...: as in sweep files, options and columns. */
const char *axis_name(enum axis axis);
/* AXIS_NR where there is no such axis. */
enum axis axis_find(const char *name);

enum rw_mode {
	RW_READ,
	RW_WRITE,
	RW_RANDREAD,
	RW_RANDWRITE,
	RW_RW,
	RW_RANDRW,
	RW_NR,
};

const char *rw_name(enum rw_mode rw);
/* RW_NR where there is no such mode. */
enum rw_mode rw_find(const char *name);
bool rw_is_random(enum rw_mode rw);
bool rw_is_mixed(enum rw_mode rw);
bool rw_reads(enum rw_mode rw);
bool rw_writes(enum rw_mode rw);

/* How the I/Os of an offered load (a rate) follow each other. */
enum arrivals { ARRIVALS_POISSON, ARRIVALS_CONSTANT, ARRIVALS_NR };

const char *arrivals_name(enum arrivals arrivals);

/* Directions that figures are kept for; total is both together. */
enum dir { DIR_READ, DIR_WRITE, DIR_TOTAL, DIR_NR };

const char *dir_name(enum dir dir);

#endif
