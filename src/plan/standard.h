/* SPDX-License-Identifier: MIT */
/*
 * Standard files: what a class of disk must reach, and where. YAML:
 *
 *   version: 1                    # optional, and so are name and at
 *   name: rented-disks
 *   at: {bs: 8k, iodepth: 64}     # conditions of every requirement below
 *   classes:
 *     fast:                       # one requirement, or a list of them
 *       at: {rw: randrw}          # more conditions of this one; they win over those above
 *       iops: 8000                # at least; read_iops and write_iops too
 *       guaranteed_iops: 6000     # at least, in guaranteed_share (99%) of all intervals, each
 *                                 # of guaranteed_over (1s)
 *       mib_s: 60                 # at least; read_mib_s and write_mib_s too
 *       lat: {mean: 10ms, p99: 50ms, max: 1s}   # at most; read_lat and write_lat too
 *
 * A condition names an axis and one value of it; a rate may be "none", which is a closed loop.
 */
#ifndef PLAN_STANDARD_H
#define PLAN_STANDARD_H

#include "base/err.h"
#include "model/acceptance.h"

#include <stddef.h>

/* More are a mistake: of classes, and of requirements in a class. */
#define STANDARD_MAX_ITEMS 256U

/* Read a file into s, which is to be released in any case. Errors are ERR_SPEC and begin with
 * FILE:LINE:COLUMN, both from 1. */
int standard_load(struct standard *s, const char *path, struct err *e);
/* The same from memory; path is only used in messages. */
int standard_parse(struct standard *s, const char *path, const char *text, size_t len,
		   struct err *e);

/* The class of this name; NULL and a usage error that lists the classes where there is none. */
const struct disk_class *standard_class(const struct standard *s, const char *name, struct err *e);

#endif
