/* SPDX-License-Identifier: MIT */
/*
 * The load loop: one worker keeps its share of the depth in flight and measures every I/O.
 *
 * Two stamps a turn. The stamp of a reap is the completion time of what was reaped and the
 * submit time of what is submitted next, so that an I/O is in flight exactly between its two
 * stamps and Little's law is an identity (D7, D9). The second stamp, after the submit call, gives
 * slat. The loop reaps and submits at most a quarter of the depth, 4 to 8, at a time: with larger
 * batches device and CPU take turns instead of working side by side. Only where the target completes
 * inside the submit call, so that there is no device to keep busy, a turn takes up to the whole depth.
 *
 * With a rate (an open loop) I/Os start when they are due, whatever has completed, up to the depth in
 * flight; what is due beyond it waits. Latency counts from the intended start, so that it holds the
 * wait of everything behind a slow I/O; Little's law stays an identity over what was in flight,
 * from submission to completion. Completions inside the window count here too, whenever their I/O
 * was due: starts go on to the end of the window, so nothing near it meets an emptier target.
 *
 * Only completions with a stamp inside the window count. The window is the same instant for all
 * workers, and may be closed while they run.
 */
#ifndef RUN_LOAD_H
#define RUN_LOAD_H

#include "io/engine.h"
#include "model/measurement.h"
#include "run/arrival.h"
#include "run/pattern.h"

#include <stdatomic.h>

/* The offset of an error that no I/O had. */
#define LOAD_NO_OFFSET UINT64_MAX

/* What the workers of a point share; the runner writes, they read. All on the monotonic clock. */
struct load_control {
	_Atomic uint64_t window_end_ns; /* may be moved to an earlier instant that is not past */
	_Atomic uint64_t give_up_ns;	/* leave I/Os in flight behind at this instant */
	_Atomic bool stop;		/* submit nothing more */
	uint64_t window_start_ns;
	uint64_t drain_timeout_ns; /* how long a worker waits for I/Os in flight */
	uint32_t compress_pct;	   /* of each 4 KiB written, how much is zeros */
	bool spin;		   /* poll inside ramp and window instead of sleeping */
	uint64_t interval_ns;	   /* of the series */
	size_t max_intervals;
	double rate_iops; /* of all workers; 0: a closed loop */
	enum arrivals arrivals;
	uint64_t begin_ns; /* where the intended starts begin, for all workers */
};

struct load_slot {
	struct engine_io io; /* first: a completion's io is its slot */
	uint64_t start_ns;   /* 0: not in flight */
	uint64_t slat_ns;    /* of the submit call that carried it */
	unsigned char *data;
	bool holds_read_data; /* the buffer no longer holds random data */
};

/* What a worker of an open loop has beside. */
struct load_open {
	struct arrival arrival;
	uint64_t *due_ns;	/* by slot: the intended start of what was drawn or is in flight */
	uint64_t room_since_ns; /* the last time that there was none is before it */
	/* Results, over the window. */
	struct hist late; /* submission behind the later of the intended start and room_since_ns */
	uint64_t service_ns;  /* from submission to completion: Little's sum */
	uint64_t nr_arrivals; /* intended starts */
	uint64_t nr_backlog;  /* that were not submitted at its end */
};

struct load_worker {
	/* Set by load_worker_init. */
	struct load_control *control;
	const struct point_spec *spec;
	struct engine *engine;
	int fd;
	unsigned depth;
	unsigned small_chunk, large_chunk; /* of a device, and of what completes at once */
	int64_t bs_bytes;
	uint64_t first_byte, last_place; /* of the span; the last block begins last_place behind */
	uint64_t align_mask;		 /* bits that no place has set, as no block's size has */
	unsigned char *buffers;		 /* depth x bs */
	const unsigned char *random;	 /* random data to refill buffers from ... */
	size_t random_size;		 /* ... this many bytes */
	struct pattern pattern;
	struct rng fill_rng; /* its own, so that completions have no influence on the pattern */
	struct load_slot *slots;
	/* Not in flight: of nr_idle the first nr_drawn have their next block, and wait for the
	 * engine to take them. */
	struct engine_io **idle;
	unsigned nr_idle, nr_drawn;
	uint64_t key;		/* makes every 4 KiB written differ */
	struct load_open *open; /* NULL in a closed loop; owned */

	/* While it runs. */
	struct engine_done done[ENGINE_MAX_BATCH];
	unsigned chunk;	    /* the one in use */
	unsigned nr_inline; /* submits in a row that had everything back on return */
	bool in_window, is_over;
	uint64_t mark_ns;	  /* the area under the in-flight curve is summed up to here */
	uint64_t interval_end_ns; /* before the window: its start */
	uint64_t slat_ns[2];	  /* of what completed in the window, by enum dir */
	uint64_t closed_ios[2], closed_lat_ns[2]; /* what the intervals before this one hold ... */
	uint64_t closed_max_ns[2];		  /* ... and their largest latency */
	size_t interval;
	uint64_t no_room_since_ns;
	uint64_t cpu_begin[5];

	/* Results; series entries below published may be read while the loop goes on. */
	struct worker_result result;
	struct hist *lat[2]; /* its max is that of the interval in hand until the window closes */
	struct interval *series;
	_Atomic size_t published;
	uint64_t area_ns;		   /* in flight x ns, over the window */
	uint64_t age_start_ns, age_end_ns; /* of those in flight at both ends of the window */
	uint64_t stop_ns, drain_end_ns;	   /* when it stopped submitting, and had all back */
	int err_errno;			   /* of the first error; 0 without */
	int64_t err_res;		   /* what it returned: -errno, or fewer bytes than asked */
	uint64_t err_offset, nr_errors;
	bool is_astray; /* that error: an I/O would have left the span, and was not submitted */
	bool is_stuck;	/* I/Os are still out: nothing of this worker may be freed or reused */
};

/*
 * Prepare worker number index of the point. buffers: its region of the pool. random: at least
 * 1 MiB of random data. Allocates what the loop needs; load_worker_release frees it (not after
 * is_stuck), also where there was no memory for all of it: -ENOMEM.
 */
int load_worker_init(struct load_worker *w, struct load_control *control,
		     const struct point_spec *spec, unsigned index, struct engine *engine, int fd,
		     unsigned char *buffers, const unsigned char *random, size_t random_size,
		     uint64_t seed);
void load_worker_release(struct load_worker *w);

/* This worker's share of the total depth: floor or ceil of depth / workers (D6). */
unsigned load_share(uint32_t iodepth, uint32_t workers, unsigned index);

static inline unsigned load_in_flight(const struct load_worker *w)
{
	return w->depth - w->nr_idle;
}

/* Ramp, window and drain; a thread function. */
void load_worker_run(struct load_worker *w);

#endif
