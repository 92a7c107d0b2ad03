/* SPDX-License-Identifier: MIT */
#include "model/target.h"

#include <stdlib.h>

uint32_t target_queue_limit(const struct target_info *t)
{
	if (t->nr_requests && t->lun_queue_depth)
		return t->nr_requests < t->lun_queue_depth ? t->nr_requests : t->lun_queue_depth;
	return t->nr_requests ? t->nr_requests : t->lun_queue_depth;
}

void target_info_release(struct target_info *t)
{
	free(t->given);
	free(t->resolved);
	free(t->identity);
	free(t->label);
	free(t->throttle);
	free(t->counter_stat);
	free(t->bottom_stat);
	free(t->extent_file);
	facts_release(&t->facts);
	*t = (struct target_info){0};
}
