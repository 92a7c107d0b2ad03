/* SPDX-License-Identifier: MIT */
/*
 * How long a storage array takes: a discrete-event model in virtual time (ms, from 0). It knows
 * nothing of files or clocks; its user tells it what time it is and is called back when a
 * request is done. Two models:
 *
 *   queue   `servers` equal servers behind one FIFO, each `svc` ms a request (dist=fixed or exp),
 *           and at most `rate` IOPS in all (0: no limit). Its truth is a formula: the ceiling is
 *           servers / svc, the saturation depth is `servers`, R(N) = max(svc, N svc / servers).
 *
 *   array   RAID 5 of `spindles` disks. Reads: a host queue, of which `lund` are in the array at a
 *           time, chosen by C-LOOK among the first `elevator` (0: FIFO); a delay `t0` that
 *           occupies no disk; the disk's queue (sched=fcfs, sstf, satf); seek sa + sb sqrt(d), the
 *           rotation to the block's angle, the transfer. Writes: acknowledged `t0w` after they got
 *           one of `cache` slots; up to `destage` slots are written back at a time, each
 *           occupying two disks (data and parity) for wa + wb sqrt(d); then the slot is free.
 *           The default parameters are fitted to the 72 points of the ULT study.
 *
 * What the array model leaves out: a request is served by one disk, however long it is; a
 * write-back costs one fitted time, not its four physical I/Os.
 */
#ifndef TESTBED_MODEL_H
#define TESTBED_MODEL_H

#include "base/err.h"
#include "base/rng.h"
#include "events.h"

#include <stdbool.h>
#include <stdint.h>

#define MODEL_MAX_SPINDLES 256

enum model_kind { MODEL_ARRAY, MODEL_QUEUE };
enum model_sched { SCHED_FCFS, SCHED_SSTF, SCHED_SATF };
enum model_dist { DIST_FIXED, DIST_EXP };

/* Times in ms, sizes in bytes; the key of each in model_set stands behind it. */
struct model_params {
	int kind;		  /* model */
	int nr_servers;		  /* servers */
	double service_ms;	  /* svc */
	int dist;		  /* dist */
	double rate_iops;	  /* rate */
	int nr_spindles;	  /* spindles */
	int sched;		  /* sched */
	int sched_window;	  /* schedwin: requests that a disk looks at when it chooses */
	int lun_depth;		  /* lund */
	int elevator_depth;	  /* elevator */
	int cache_slots;	  /* cache */
	int max_destages;	  /* destage */
	double chunk_bytes;	  /* chunk */
	double disk_bytes;	  /* diskcap: the full stroke */
	double revolution_ms;	  /* rev */
	double seek_base_ms;	  /* sa */
	double seek_stroke_ms;	  /* sb */
	double transfer_ms;	  /* xfer: per 4096 bytes */
	double read_delay_ms;	  /* t0 */
	double write_ack_ms;	  /* t0w */
	double destage_ms;	  /* wa */
	double destage_stroke_ms; /* wb */
};

struct model_destage;

/* Work for one disk: a read, or one half of a destage. */
struct model_job {
	struct model_job *next;
	int spindle;
	double stroke; /* position, 0 to 1 of the full stroke */
	double angle;  /* of its block, 0 to 1 of a revolution */
	uint32_t length_bytes;
	struct model_request *read; /* one of these two */
	struct model_destage *destage;
};

/* A request of the host. The caller fills the first part and keeps the memory until it is done. */
struct model_request {
	uint64_t offset_bytes;
	uint32_t length_bytes;
	bool is_write;

	struct model_request *next;
	double arrived_ms;
	struct model_job job;
};

struct model_request_list {
	struct model_request *head, *tail;
};

struct model_spindle {
	struct model_job *waiting;
	struct model_job *serving;
	double stroke;
	bool served_destage_last;
};

/* What the array itself saw, which a measuring program is compared with. */
struct model_totals {
	uint64_t nr[2]; /* by is_write */
	double latency_sum_ms[2];
	uint64_t nr_destaged;
	int inflight, max_inflight;
	double since_ms;      /* totals were reset */
	double inflight_area; /* integral of the number in flight since then ... */
	double area_until_ms; /* ... up to here */
};

struct model {
	struct model_params params;
	struct model_totals totals;
	double now_ms;
	void (*done)(void *ctx, struct model_request *request);
	void *ctx;

	struct events events;
	struct rng rng;
	struct model_spindle spindles[MODEL_MAX_SPINDLES];
	struct model_request_list host_queue;
	int in_service; /* taken from the host queue and not finished */
	uint64_t last_admitted_offset;
	double rate_free_ms; /* when the rate limit admits the next completion */
	struct model_request_list write_queue;
	int dirty_slots, destaging;
	struct model_destage *destage_head, *destage_tail;
};

/* Default parameters; done is called from within model_submit and model_run. */
void model_init(struct model *m, void (*done)(void *ctx, struct model_request *), void *ctx);
/* Lets everything that is in flight finish first. */
void model_release(struct model *m);

void model_seed(struct model *m, uint64_t seed);
/* Uniform in [0, 1), from the model's own generator. */
double model_random(struct model *m);

/*
 * Set one parameter by its key. -1 and a usage error for an unknown key or a bad value; when
 * running, also for those that shape the model (model, spindles).
 */
int model_set(struct model *m, const char *key, const char *value, bool running, struct err *e);

/* A request arrives at now_ms; a time before the model's own counts as that. */
void model_submit(struct model *m, double now_ms, struct model_request *request);
/*
 * Let everything happen that is due until until_ms. The model's time is then that of the last of
 * these events, not until_ms: who runs it ahead of the clock sees the next request arrive no
 * earlier than the last one ended, which hides the way to the host and back from the figures.
 */
void model_run(struct model *m, double until_ms);
/* When the next thing happens; false when nothing will. */
bool model_next(const struct model *m, double *due_ms);

/* Forget the totals; requests in flight go on. */
void model_reset_totals(struct model *m);
/* Mean number in flight since the totals were reset. */
double model_mean_inflight(const struct model *m, double now_ms);

#endif
