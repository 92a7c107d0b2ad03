/* SPDX-License-Identifier: MIT */
#include "model/target.h"

#include <stdlib.h>

bool target_has_span(const struct target_info *t, uint64_t offset_bytes, uint64_t span_bytes)
{
	return span_bytes && span_bytes <= t->size_bytes &&
	       offset_bytes <= t->size_bytes - span_bytes &&
	       offset_bytes % t->logical_block_bytes == 0 &&
	       span_bytes % t->logical_block_bytes == 0;
}

uint32_t target_queue_limit(const struct target_info *t)
{
	const uint32_t limits[] = {t->nr_requests, t->lun_queue_depth, t->below_queue_limit};
	uint32_t least = 0;

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (limits[i] && (!least || limits[i] < least))
			least = limits[i];
	return least;
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
