/* SPDX-License-Identifier: MIT */
#include "model.h"

#include "base/mem.h"
#include "base/rng.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A cached write on its way to the disks: it occupies a slot until both halves are written. */
struct model_destage {
	struct model_destage *next;
	uint64_t offset_bytes;
	uint32_t length_bytes;
	int parts_left;
	struct model_job part[2];
};

enum event_kind {
	EV_AT_DISK,	/* a read has passed the pipeline; subject: request */
	EV_DISK_DONE,	/* subject: job */
	EV_WRITE_ACKED, /* subject: request */
	EV_SERVED,	/* model=queue; subject: request */
};

enum { HALF_DATA, HALF_PARITY };

/* ---- random numbers ---- */

static double to_unit(uint64_t bits)
{
	return (double)(bits >> 11) * 0x1p-53;
}

void model_seed(struct model *m, uint64_t seed)
{
	rng_seed(&m->rng, seed);
}

double model_random(struct model *m)
{
	return to_unit(rng_next(&m->rng));
}

/* ---- lists and totals ---- */

static void list_append(struct model_request_list *list, struct model_request *r)
{
	r->next = NULL;
	if (list->tail)
		list->tail->next = r;
	else
		list->head = r;
	list->tail = r;
}

/* Take out the request behind prev; the first one if prev is NULL. */
static struct model_request *list_take(struct model_request_list *list, struct model_request *prev)
{
	struct model_request *r = prev ? prev->next : list->head;

	if (prev)
		prev->next = r->next;
	else
		list->head = r->next;
	if (list->tail == r)
		list->tail = prev;
	r->next = NULL;
	return r;
}

static void count_inflight(struct model *m, int change)
{
	struct model_totals *t = &m->totals;

	t->inflight_area += (m->now_ms - t->area_until_ms) * t->inflight;
	t->area_until_ms = m->now_ms;
	t->inflight += change;
	if (t->inflight > t->max_inflight)
		t->max_inflight = t->inflight;
}

static void finish(struct model *m, struct model_request *r)
{
	m->totals.nr[r->is_write]++;
	m->totals.latency_sum_ms[r->is_write] += m->now_ms - r->arrived_ms;
	count_inflight(m, -1);
	m->done(m->ctx, r);
}

void model_reset_totals(struct model *m)
{
	int inflight = m->totals.inflight;

	m->totals = (struct model_totals){
		.inflight = inflight,
		.max_inflight = inflight,
		.since_ms = m->now_ms,
		.area_until_ms = m->now_ms,
	};
}

double model_mean_inflight(const struct model *m, double now_ms)
{
	const struct model_totals *t = &m->totals;
	double elapsed_ms = now_ms - t->since_ms;

	if (elapsed_ms <= 0)
		return t->inflight;
	return (t->inflight_area + (now_ms - t->area_until_ms) * t->inflight) / elapsed_ms;
}

/* ---- model=queue ---- */

static double service_ms(struct model *m)
{
	double mean_ms = m->params.service_ms;

	return m->params.dist == DIST_EXP ? -mean_ms * log(1 - model_random(m)) : mean_ms;
}

/* The rate limit is a clock that ticks once per request and never runs behind now. */
static double delay_to_rate(struct model *m, double due_ms)
{
	if (m->params.rate_iops <= 0)
		return due_ms;
	m->rate_free_ms = fmax(m->rate_free_ms, m->now_ms) + 1000 / m->params.rate_iops;
	return fmax(due_ms, m->rate_free_ms);
}

static void queue_serve(struct model *m)
{
	while (m->host_queue.head && m->in_service < m->params.nr_servers) {
		struct model_request *r = list_take(&m->host_queue, NULL);

		m->in_service++;
		events_push(&m->events, delay_to_rate(m, m->now_ms + service_ms(m)), EV_SERVED, r);
	}
}

/* ---- model=array: disks ---- */

static double seek_ms(const struct model *m, double distance)
{
	return distance > 0 ? m->params.seek_base_ms + m->params.seek_stroke_ms * sqrt(distance)
			    : 0;
}

/* Seek and rotation until the head of a disk is at the job's block. */
static double positioning_ms(const struct model *m, const struct model_job *job, double from_stroke)
{
	double seek = seek_ms(m, fabs(job->stroke - from_stroke));
	double turn = job->angle - (m->now_ms + seek) / m->params.revolution_ms;

	return seek + (turn - floor(turn)) * m->params.revolution_ms;
}

/* Left-symmetric RAID 5: the parity moves one disk to the left with each stripe. */
static void place_job(const struct model *m, struct model_job *job, uint64_t offset, int half)
{
	const struct model_params *p = &m->params;
	uint64_t chunk = (uint64_t)p->chunk_bytes;
	uint64_t nr_data = (uint64_t)p->nr_spindles - 1;
	uint64_t stripe = offset / (chunk * nr_data);
	uint64_t in_stripe = offset % (chunk * nr_data);
	uint64_t parity = nr_data - stripe % (nr_data + 1);
	uint64_t data = (parity + 1 + in_stripe / chunk) % (nr_data + 1);

	job->spindle = (int)(half == HALF_PARITY ? parity : data);
	job->stroke = (double)(stripe * chunk + in_stripe % chunk) / p->disk_bytes;
	job->angle = to_unit(rng_mix(offset * 2 + (uint64_t)half));
}

/* What the disk's scheduler makes small. */
static double scheduling_cost(const struct model *m, const struct model_job *job, double stroke)
{
	if (m->params.sched == SCHED_SATF)
		return positioning_ms(m, job, stroke);
	return fabs(job->stroke - stroke);
}

static struct model_job **choose_read(const struct model *m, struct model_spindle *disk)
{
	struct model_job **best = NULL;
	double best_cost = HUGE_VAL;
	int nr_seen = 0;

	for (struct model_job **at = &disk->waiting; *at; at = &(*at)->next) {
		double cost;

		if ((*at)->destage)
			continue;
		if (m->params.sched == SCHED_FCFS)
			return at;
		if (nr_seen++ >= m->params.sched_window)
			break;
		cost = scheduling_cost(m, *at, disk->stroke);
		if (cost < best_cost) {
			best_cost = cost;
			best = at;
		}
	}
	return best;
}

static struct model_job **first_destage(struct model_spindle *disk)
{
	struct model_job **at = &disk->waiting;

	while (*at && !(*at)->destage)
		at = &(*at)->next;
	return *at ? at : NULL;
}

/* Reads by the scheduler, destages first come first served, in turn when both wait. */
static struct model_job *take_job(const struct model *m, struct model_spindle *disk)
{
	struct model_job **read = choose_read(m, disk);
	struct model_job **destage = first_destage(disk);
	struct model_job **chosen = read ? read : destage;
	struct model_job *job;

	if (read && destage) {
		chosen = disk->served_destage_last ? read : destage;
		disk->served_destage_last = !disk->served_destage_last;
	}
	job = *chosen;
	*chosen = job->next;
	job->next = NULL;
	return job;
}

static double job_ms(const struct model *m, const struct model_job *job, double stroke)
{
	const struct model_params *p = &m->params;

	if (job->destage)
		return p->destage_ms + p->destage_stroke_ms * sqrt(fabs(job->stroke - stroke));
	return positioning_ms(m, job, stroke) + p->transfer_ms * job->length_bytes / 4096;
}

static void disk_serve(struct model *m, struct model_spindle *disk)
{
	struct model_job *job;

	if (disk->serving || !disk->waiting)
		return;
	job = take_job(m, disk);
	events_push(&m->events, m->now_ms + job_ms(m, job, disk->stroke), EV_DISK_DONE, job);
	disk->serving = job;
	disk->stroke = job->stroke;
}

static void disk_add(struct model *m, struct model_job *job)
{
	struct model_spindle *disk = &m->spindles[job->spindle];
	struct model_job **end = &disk->waiting;

	while (*end)
		end = &(*end)->next;
	job->next = NULL;
	*end = job;
	disk_serve(m, disk);
}

/* ---- model=array: reads ---- */

/* C-LOOK: the smallest offset from the last one on, else the smallest. Gives the request before
 * it, as list_take wants. */
static struct model_request *elevator_choice(const struct model *m)
{
	struct model_request *prev = NULL, *before_low = NULL, *before_up = NULL;
	const struct model_request *low = NULL, *up = NULL;
	int nr_seen = 0;

	for (struct model_request *r = m->host_queue.head; r && nr_seen < m->params.elevator_depth;
	     prev = r, r = r->next, nr_seen++) {
		if (!low || r->offset_bytes < low->offset_bytes) {
			low = r;
			before_low = prev;
		}
		if (r->offset_bytes >= m->last_admitted_offset &&
		    (!up || r->offset_bytes < up->offset_bytes)) {
			up = r;
			before_up = prev;
		}
	}
	return up ? before_up : before_low;
}

static void admit_reads(struct model *m)
{
	while (m->host_queue.head && m->in_service < m->params.lun_depth) {
		struct model_request *r = list_take(&m->host_queue, elevator_choice(m));

		m->last_admitted_offset = r->offset_bytes;
		m->in_service++;
		events_push(&m->events, m->now_ms + m->params.read_delay_ms, EV_AT_DISK, r);
	}
}

static void read_at_disk(struct model *m, struct model_request *r)
{
	r->job = (struct model_job){.read = r, .length_bytes = r->length_bytes};
	place_job(m, &r->job, r->offset_bytes, HALF_DATA);
	disk_add(m, &r->job);
}

/* ---- model=array: writes ---- */

static void start_destage(struct model *m, struct model_destage *d)
{
	d->parts_left = 2;
	for (int half = HALF_DATA; half <= HALF_PARITY; half++) {
		d->part[half] = (struct model_job){.destage = d, .length_bytes = d->length_bytes};
		place_job(m, &d->part[half], d->offset_bytes, half);
	}
	disk_add(m, &d->part[HALF_DATA]);
	disk_add(m, &d->part[HALF_PARITY]);
}

static void start_destages(struct model *m)
{
	while (m->destage_head && m->destaging < m->params.max_destages) {
		struct model_destage *d = m->destage_head;

		m->destage_head = d->next;
		if (!m->destage_head)
			m->destage_tail = NULL;
		m->destaging++;
		start_destage(m, d);
	}
}

static void queue_destage(struct model *m, const struct model_request *r)
{
	struct model_destage *d = xcalloc(1, sizeof(*d));

	d->offset_bytes = r->offset_bytes;
	d->length_bytes = r->length_bytes;
	if (m->destage_tail)
		m->destage_tail->next = d;
	else
		m->destage_head = d;
	m->destage_tail = d;
}

static void admit_writes(struct model *m)
{
	while (m->write_queue.head && m->dirty_slots < m->params.cache_slots) {
		struct model_request *r = list_take(&m->write_queue, NULL);

		m->dirty_slots++;
		queue_destage(m, r);
		events_push(&m->events, m->now_ms + m->params.write_ack_ms, EV_WRITE_ACKED, r);
	}
	start_destages(m);
}

static void destage_part_done(struct model *m, struct model_destage *d)
{
	if (--d->parts_left > 0)
		return;
	free(d);
	m->destaging--;
	m->dirty_slots--;
	m->totals.nr_destaged++;
	admit_writes(m);
}

static void disk_done(struct model *m, struct model_job *job)
{
	struct model_spindle *disk = &m->spindles[job->spindle];
	struct model_request *read = job->read;

	disk->serving = NULL;
	disk_serve(m, disk);
	if (!read) {
		destage_part_done(m, job->destage);
		return;
	}
	m->in_service--;
	admit_reads(m);
	finish(m, read);
}

/* ---- the clock ---- */

void model_submit(struct model *m, double now_ms, struct model_request *r)
{
	m->now_ms = fmax(m->now_ms, now_ms);
	r->arrived_ms = m->now_ms;
	count_inflight(m, 1);
	if (m->params.kind == MODEL_QUEUE) {
		list_append(&m->host_queue, r);
		queue_serve(m);
	} else if (r->is_write) {
		list_append(&m->write_queue, r);
		admit_writes(m);
	} else {
		list_append(&m->host_queue, r);
		admit_reads(m);
	}
}

static void happen(struct model *m, const struct event *e)
{
	switch ((enum event_kind)e->kind) {
	case EV_AT_DISK:
		read_at_disk(m, e->subject);
		break;
	case EV_DISK_DONE:
		disk_done(m, e->subject);
		break;
	case EV_WRITE_ACKED:
		finish(m, e->subject);
		break;
	case EV_SERVED:
		m->in_service--;
		queue_serve(m);
		finish(m, e->subject);
		break;
	}
}

void model_run(struct model *m, double until_ms)
{
	while (m->events.nr > 0 && m->events.heap[0].due_ms <= until_ms) {
		struct event e = events_pop(&m->events);

		m->now_ms = fmax(m->now_ms, e.due_ms);
		happen(m, &e);
	}
}

bool model_next(const struct model *m, double *due_ms)
{
	if (m->events.nr == 0)
		return false;
	*due_ms = m->events.heap[0].due_ms;
	return true;
}

/* ---- parameters ---- */

static const struct model_params default_params = {
	.kind = MODEL_ARRAY,
	.nr_servers = 8,
	.service_ms = 1,
	.nr_spindles = 15,
	.sched = SCHED_SATF,
	.sched_window = 1000,
	.lun_depth = 32,
	.elevator_depth = 96,
	.cache_slots = 256,
	.max_destages = 256,
	.chunk_bytes = 65536,
	.disk_bytes = 600e9,
	.revolution_ms = 4,
	.seek_base_ms = 0.6145,
	.seek_stroke_ms = 4.6073,
	.transfer_ms = 0.09,
	.read_delay_ms = 0.784,
	.write_ack_ms = 0.01,
	.destage_ms = 2.83,
	.destage_stroke_ms = 6.0,
};

void model_init(struct model *m, void (*done)(void *ctx, struct model_request *), void *ctx)
{
	*m = (struct model){.params = default_params, .done = done, .ctx = ctx};
	model_seed(m, 1);
}

void model_release(struct model *m)
{
	model_run(m, HUGE_VAL);
	events_release(&m->events);
}

enum param_type { PARAM_INT, PARAM_REAL, PARAM_CHOICE };

struct param {
	const char *key;
	enum param_type type;
	size_t offset;
	double min, max;
	const char *choices[4]; /* in the order of the enum */
	bool fixed;		/* not while it runs */
};

#define FIELD(name) offsetof(struct model_params, name)
static const struct param params[] = {
	{"model", PARAM_CHOICE, FIELD(kind), 0, 0, {"array", "queue"}, true},
	{"servers", PARAM_INT, FIELD(nr_servers), 1, 1e6, {0}, false},
	{"svc", PARAM_REAL, FIELD(service_ms), 0, 1e6, {0}, false},
	{"dist", PARAM_CHOICE, FIELD(dist), 0, 0, {"fixed", "exp"}, false},
	{"rate", PARAM_REAL, FIELD(rate_iops), 0, 1e9, {0}, false},
	{"spindles", PARAM_INT, FIELD(nr_spindles), 2, MODEL_MAX_SPINDLES, {0}, true},
	{"sched", PARAM_CHOICE, FIELD(sched), 0, 0, {"fcfs", "sstf", "satf"}, false},
	{"schedwin", PARAM_INT, FIELD(sched_window), 1, 1e6, {0}, false},
	{"lund", PARAM_INT, FIELD(lun_depth), 1, 1e6, {0}, false},
	{"elevator", PARAM_INT, FIELD(elevator_depth), 0, 1e6, {0}, false},
	{"cache", PARAM_INT, FIELD(cache_slots), 1, 1e9, {0}, false},
	{"destage", PARAM_INT, FIELD(max_destages), 1, 1e6, {0}, false},
	{"chunk", PARAM_REAL, FIELD(chunk_bytes), 512, 1e9, {0}, true},
	{"diskcap", PARAM_REAL, FIELD(disk_bytes), 1e6, 1e15, {0}, false},
	{"rev", PARAM_REAL, FIELD(revolution_ms), 1e-3, 1e3, {0}, false},
	{"sa", PARAM_REAL, FIELD(seek_base_ms), 0, 1e3, {0}, false},
	{"sb", PARAM_REAL, FIELD(seek_stroke_ms), 0, 1e3, {0}, false},
	{"xfer", PARAM_REAL, FIELD(transfer_ms), 0, 1e3, {0}, false},
	{"t0", PARAM_REAL, FIELD(read_delay_ms), 0, 1e6, {0}, false},
	{"t0w", PARAM_REAL, FIELD(write_ack_ms), 0, 1e6, {0}, false},
	{"wa", PARAM_REAL, FIELD(destage_ms), 0, 1e6, {0}, false},
	{"wb", PARAM_REAL, FIELD(destage_stroke_ms), 0, 1e6, {0}, false},
};

static const struct param *find_param(const char *key)
{
	for (size_t i = 0; i < NR(params); i++)
		if (!strcmp(params[i].key, key))
			return &params[i];
	return NULL;
}

static int set_choice(const struct param *p, const char *value, int *out, struct err *e)
{
	for (int i = 0; i < (int)NR(p->choices) && p->choices[i]; i++) {
		if (!strcmp(p->choices[i], value)) {
			*out = i;
			return 0;
		}
	}
	return err_set(e, ERR_USAGE, "%s cannot be '%s'", p->key, value);
}

static int parse_number(const struct param *p, const char *value, double *out, struct err *e)
{
	char *end;
	double v;

	errno = 0;
	v = strtod(value, &end);
	if (end == value || *end || errno || !isfinite(v))
		return err_set(e, ERR_USAGE, "%s=%s: not a number", p->key, value);
	if (v < p->min || v > p->max)
		return err_set(e, ERR_USAGE, "%s=%s is not in the range %g to %g", p->key, value,
			       p->min, p->max);
	*out = v;
	return 0;
}

static int set_number(const struct param *p, const char *value, void *field, struct err *e)
{
	double v = 0;

	if (parse_number(p, value, &v, e))
		return -1;
	if (p->type == PARAM_REAL) {
		*(double *)field = v;
		return 0;
	}
	if (v < floor(v) || v > floor(v))
		return err_set(e, ERR_USAGE, "%s=%s: not a whole number", p->key, value);
	*(int *)field = (int)v;
	return 0;
}

int model_set(struct model *m, const char *key, const char *value, bool running, struct err *e)
{
	const struct param *p = find_param(key);
	void *field;

	if (!p)
		return err_set(e, ERR_USAGE, "there is no parameter '%s'", key);
	if (running && p->fixed)
		return err_set(e, ERR_USAGE, "%s cannot be changed while the array runs", key);
	field = (char *)&m->params + p->offset;
	return p->type == PARAM_CHOICE ? set_choice(p, value, field, e)
				       : set_number(p, value, field, e);
}
