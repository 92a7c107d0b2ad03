/* SPDX-License-Identifier: MIT */
/* LUN sizing, method.md (d): what VMs ask, what each span gives, and the size that follows. */
#ifndef MODEL_SIZING_H
#define MODEL_SIZING_H

#include "model/answer.h"

/* Of the IOPS of the smallest span, what a larger one may lose unless another limit is given. */
#define SIZE_LOSS_USUAL 0.15
/* The iodepth at which spans are compared. */
#define SIZE_DEPTH_USUAL 16

/* What a VM asks of its LUN, as a mean over time. */
struct vm_need {
	double iops;
	double capacity_bytes;
	double read_share; /* of its IOPS, 0 to 1 */
};

/* A kind of VM among others. */
struct vm_profile {
	char *name; /* owned */
	struct vm_need need;
	double share; /* of all VMs; the shares of a population add up to 1 */
};

struct vm_population {
	struct vm_profile *v; /* owned */
	size_t nr;
};

void vm_population_release(struct vm_population *p);
/*
 * The mean VM: IOPS and capacity weighted by the share of VMs, reads by that of the IOPS. Loads and
 * capacities add up, so as many mean VMs ask the same as a population in these shares.
 */
struct vm_need vm_population_mean(const struct vm_population *p);

/* The curves of a span that matter: of reads, of writes, and of the mix that VMs do. */
enum size_mode { SIZE_READ, SIZE_WRITE, SIZE_MIX, SIZE_MODE_NR };

/* "read", "write", "mix" */
const char *size_mode_name(enum size_mode m);

/* Where IOPS are compared with those of the smallest span. The first two decide. */
enum size_figure {
	SIZE_AT_DEPTH,	   /* at the reference depth */
	SIZE_UNDER_CAP,	   /* under the cap, interpolated */
	SIZE_CAP_MEASURED, /* under the cap, at a measured depth */
	SIZE_PEAK,
	SIZE_FIGURE_NR
};

/* What limits the VMs of a LUN; the first of equals counts. */
enum size_bound { SIZE_CAPACITY, SIZE_QUEUE, SIZE_PERFORMANCE, SIZE_SHARED, SIZE_BOUND_NR };

/* "capacity", "queue", "performance", "shared" */
const char *size_bound_name(enum size_bound b);

/* Whether a span may be recommended, or why not; the first reason that holds. */
enum size_fate {
	SIZE_KEPT,
	SIZE_NO_CURVE,	     /* a curve that is needed was not measured */
	SIZE_NO_LATENCY,     /* none of its points is valid and has the latency of the cap */
	SIZE_NO_DEPTH,	     /* there is no valid point at the reference depth */
	SIZE_CLIENT_LIMITED, /* a point that decides is a lower bound of what the target can do */
	SIZE_CAP_NOT_MET,    /* at no depth */
	SIZE_NOT_SHARED,     /* the span of all LUNs that share was not measured */
	SIZE_LOSES,	     /* more than the largest loss */
	SIZE_HOLDS_NONE,     /* not even one VM */
	SIZE_FATE_NR
};

/* Whether it could be told what a span of this fate loses. */
static inline bool size_is_judged(enum size_fate f)
{
	return f == SIZE_KEPT || f == SIZE_LOSES || f == SIZE_HOLDS_NONE || f == SIZE_NOT_SHARED ||
	       f == SIZE_CAP_NOT_MET;
}

/* "kept", "no-curve", ...: for programs. */
const char *size_fate_name(enum size_fate f);

struct size_question {
	struct vm_need vm;
	struct cap cap;
	uint32_t depth;		  /* where losses are compared */
	double loss_max;	  /* 0 to 1 */
	double headroom;	  /* share of the IOPS that is kept in reserve */
	double free_space;	  /* share of the capacity that is kept free */
	double burst;		  /* I/Os outstanding at times, against their mean */
	uint32_t lun_queue;	  /* I/Os that a LUN takes at a time */
	uint32_t luns_sharing;	  /* LUNs on the same disks; 0: not asked */
	uint64_t bs_bytes;	  /* 0: the only one there is */
	uint32_t workers;	  /* 0: the only one there is */
	const uint64_t *lun_size; /* of each span, ascending; NULL: the spans themselves */
	size_t nr_lun_sizes;
};

/* What holds where nobody says otherwise; the VM is left open. */
extern const struct size_question size_usual;

/* What one curve of a span gives. */
struct size_curve {
	const struct curve *curve; /* NULL where it was not measured */
	bool decides;		   /* IOPS of the VMs or losses of this span are taken from it */
	struct cap_answer cap;
	double iops[SIZE_FIGURE_NR];	/* UNKNOWN where not known, 0 where the cap is not met */
	flag_set flags[SIZE_FIGURE_NR]; /* of the points behind it */
};

/* Whether these IOPS are the least that it can be. */
static inline bool size_figure_is_least(const struct size_curve *c, enum size_figure f)
{
	bool is_cap = f == SIZE_UNDER_CAP || f == SIZE_CAP_MEASURED;

	return (is_cap && c->cap.status == CAP_NOT_REACHED) ||
	       flags_have(c->flags[f], EFFECT_LOWER_BOUND);
}

/* The same of those under the cap. */
static inline bool size_is_least(const struct size_curve *c)
{
	return size_figure_is_least(c, SIZE_UNDER_CAP);
}

struct size_span {
	struct point_spec spec; /* span and offset count */
	uint64_t lun_bytes;
	struct size_curve by[SIZE_MODE_NR];
	/* Of the VMs' mix under the cap, and whether they are estimated from reads and writes, or the
	 * least that it can be. */
	double mix_iops;
	bool is_mix_estimate, is_mix_least;
	/* Against the base, 0 to 1, of the mode that loses most; UNKNOWN where not all are known. */
	double loss[SIZE_FIGURE_NR];
	enum size_mode worst[SIZE_FIGURE_NR];
	bool is_loss_unsure[SIZE_FIGURE_NR]; /* one of the two is the least that it can be */
	/* What one mode loses for sure against a span below the base, where both are known: the loss
	 * of the span is at least that; 0 where nothing is. */
	double sure_loss;
	enum size_mode sure_mode;
	const struct size_span *sure_base;
	const struct size_span
		*whole; /* of all LUNs that share; NULL: not asked, or not measured */
	/* VMs by each bound, whole numbers, and the least of them; UNKNOWN where not known. */
	double vms[SIZE_BOUND_NR];
	double nr_vms;
	enum size_bound bound;
	enum size_fate fate;
	enum size_mode fate_mode; /* the curve that it is about */
};

/* LUNs of the recommended size that share the disks. */
struct size_sharing {
	uint32_t nr_luns;
	const struct size_span *whole; /* the span of all together */
	double vms_each;
	enum size_bound bound;
};

struct size_answer {
	struct size_question q;
	struct size_span *span; /* ascending; owned */
	size_t nr_spans;
	/* Which curves losses are taken from, and at which depth; 0 where no such depth is there. */
	bool is_compared[SIZE_MODE_NR];
	uint32_t depth[SIZE_MODE_NR];
	uint32_t mix_read_pct; /* of the curves of the mix; only where there are any */
	/* Losses are against this one; smaller spans could not be judged. NULL where there is none. */
	const struct size_span *base;
	const struct size_span *best; /* recommended; NULL where nothing can be */
	struct size_sharing *sharing; /* from 2 LUNs on, as far as measured; owned */
	size_t nr_sharing;
};

#endif
