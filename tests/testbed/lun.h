/* SPDX-License-Identifier: MIT */
/* The simulated LUN behind a FUSE file: its data, its faults and what it saw, timed by a model. */
#ifndef TESTBED_LUN_H
#define TESTBED_LUN_H

#include "base/buf.h"
#include "base/err.h"
#include "model.h"

#define FUSE_USE_VERSION 314
#include <fuse_lowlevel.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define LUN_MAX_REQUEST_BYTES (1U << 20)
#define LUN_SECTOR_BYTES      512

enum { LUN_READ, LUN_WRITE };

struct lun_faults {
	double eio_probability[2]; /* by direction */
	uint64_t bad_offset, bad_length;
	double short_probability, corrupt_probability;
	bool hang;
	double stalled_until_ms; /* virtual */
};

/* The bytes touched by one direction: [lowest, end); none while end is 0. */
struct lun_touched {
	uint64_t lowest, end;
};

struct lun_lateness {
	uint64_t nr;
	double sum_ms, max_ms;
};

struct lun {
	/* Set before lun_open. */
	uint64_t size_bytes;
	const char *data; /* pattern, zero or a path */
	const char *log_path;
	double speed; /* virtual ms per real ms */

	struct model model;
	struct lun_faults faults;
	uint64_t start_ns;
	int data_fd; /* -1: data is made up */
	bool is_pattern;
	unsigned char *answer; /* of a read; zeros but for what the last one put there */
	FILE *log;
	struct lun_io *held, **held_end; /* done, but not answered: hang and stall */
	struct lun_touched touched[2];
	struct lun_lateness lateness;
};

/* The defaults. */
void lun_init(struct lun *l);
int lun_open(struct lun *l, struct err *e);
/* Answers whatever is in flight. -1 when data or log did not reach their files. */
int lun_close(struct lun *l, struct err *e);

/* Virtual time since lun_open. */
double lun_now_ms(const struct lun *l);

/* Take a request of the kernel; data is that of a write. It is answered when the model says. */
void lun_submit(struct lun *l, fuse_req_t fuse, bool is_write, uint64_t offset, size_t length,
		const void *data);
/* Whether a fault keeps everything from being answered at present. */
bool lun_is_held_up(const struct lun *l);
void lun_answer_held(struct lun *l);

/* What the array itself saw, as "name value" lines; brings the log up to date as well. */
void lun_add_stats(const struct lun *l, struct buf *b);
int lun_reset_stats(struct lun *l, struct err *e);

#endif
