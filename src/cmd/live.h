/* SPDX-License-Identifier: MIT */
/*
 * What a run is doing at this moment, for `status` in another process: a few words of shared memory, since
 * nothing is written to the database, or to any file, inside a window. The memory has no name in any file
 * system: whoever may look into the process finds it by its number, and it is gone with the process.
 */
#ifndef CMD_LIVE_H
#define CMD_LIVE_H

#include <stdbool.h>
#include <stdint.h>

struct live_state {
	int64_t run_id;
	uint64_t db_device, db_inode; /* of the database that the run is in */
	uint32_t seq;		      /* of the point in hand; 0 between points */
	bool in_window;
	uint64_t begin_ns,
		stamp_ns;	/* when the point began, and when this was said: clock_now_ns */
	double iops, lat_ns;	/* of the last second; UNKNOWN while there is none */
	uint64_t silent_ns;	/* nothing has completed for so long */
	uint64_t budget_end_ns; /* no point goes on after that: clock_now_ns; 0 without a budget */
};

/* NULL where this system has no such memory: the run goes on without. */
struct live *live_open(void);
void live_close(struct live *l);
/* Nothing but a copy of memory: it may be called inside a window. l may be NULL. */
void live_tell(struct live *l, const struct live_state *state);

enum live_answer {
	LIVE_TOLD,    /* the process says what it does */
	LIVE_SILENT,  /* it says nothing (yet) */
	LIVE_PRIVATE, /* it is not ours to look into */
};
enum live_answer live_ask(long pid, struct live_state *state);

#endif
