/* SPDX-License-Identifier: MIT */
#include "model/sizing.h"

#include "base/clock.h"

#include <stdlib.h>

const struct size_question size_usual = {
	.cap = {LAT_MEAN, 10 * NS_PER_MS},
	.depth = SIZE_DEPTH_USUAL,
	.loss_max = SIZE_LOSS_USUAL,
	.headroom = 0.2,
	.free_space = 0.2,
	.burst = 2,
	.lun_queue = 32,
};

static const char *const mode_names[SIZE_MODE_NR] = {"read", "write", "mix"};

static const char *const bound_names[SIZE_BOUND_NR] = {"capacity", "queue", "performance",
						       "shared"};

static const char *const fate_names[SIZE_FATE_NR] = {
	"kept",	       "no-curve",   "no-latency",    "no-depth",   "client-limited",
	"cap-not-met", "not-shared", "loss-too-high", "holds-none",
};

const char *size_mode_name(enum size_mode m)
{
	return mode_names[m];
}

const char *size_bound_name(enum size_bound b)
{
	return bound_names[b];
}

const char *size_fate_name(enum size_fate f)
{
	return fate_names[f];
}

void vm_population_release(struct vm_population *p)
{
	for (size_t i = 0; i < p->nr; i++)
		free(p->v[i].name);
	free(p->v);
	*p = (struct vm_population){0};
}

struct vm_need vm_population_mean(const struct vm_population *p)
{
	struct vm_need mean = {0};
	double reads = 0;

	for (size_t i = 0; i < p->nr; i++) {
		const struct vm_need *n = &p->v[i].need;

		mean.iops += p->v[i].share * n->iops;
		mean.capacity_bytes += p->v[i].share * n->capacity_bytes;
		reads += p->v[i].share * n->iops * n->read_share;
	}
	mean.read_share = reads / mean.iops;
	return mean;
}
