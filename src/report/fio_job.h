/* SPDX-License-Identifier: MIT */
/*
 * Points as a job file for fio, so that somebody without this program can repeat them, or see that
 * another program finds the same.
 *
 * What fio counts for each job is shared out as our workers share it: one section with numjobs
 * where the workers are alike, else a section for each. fio cannot do everything; the head of the
 * file says what.
 *
 * Jobs that write take the path of their target from the environment variable FIO_CONSENT, so that
 * nothing is destroyed by running a file that lies around: fio refuses a file whose variable is
 * not set.
 */
#ifndef REPORT_FIO_JOB_H
#define REPORT_FIO_JOB_H

#include "base/buf.h"
#include "base/err.h"
#include "model/point.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FIO_CONSENT "LUNSWEEP_WRITE_TO"

struct fio_point {
	const struct point_spec *spec;
	uint32_t seq;
	double rate_iops; /* offered load; UNKNOWN in a closed loop, and while only its per cent is known */
	uint64_t ramp_ns, runtime_ns;
	const char *left_out; /* why it is no job, NULL for one */
};

struct fio_job {
	const char *origin;   /* "run 7" or "a plan" */
	const char *name;     /* of the sweep */
	const char *question; /* NULL without */
	const char *path;     /* of the target */
	const char *identity; /* NULL where it is not known */
	const char
		*stop_rule; /* how we would end a window, for a comment; NULL: after a fixed time */
	const char *engine;
	uint64_t seed;
	uint32_t compress_pct;
	enum arrivals arrivals;
	bool spin;
};

/*
 * Add the file. points in the order in which they are to run. Refuses a path that a job file
 * cannot say, and a file without any job.
 */
int buf_add_fio_jobs(struct buf *b, const struct fio_job *job, const struct fio_point *points,
		     size_t nr, struct err *e);

#endif
