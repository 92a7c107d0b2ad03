/* SPDX-License-Identifier: MIT */
#include "cmd/limits.h"

#include "target/target.h"

struct plan_limits cmd_limits(const struct plan *p, const struct target_info *t)
{
	struct plan_limits limits = {
		.memory_available_bytes = target_memory_available(),
		.aio_free = target_aio_left(),
	};
	struct target_extents x;
	uint64_t first, end;

	plan_read_region(p, &first, &end);
	if (first == end)
		return limits;
	target_find_unwritten(t, first, end - first, &x);
	if (x.is_known && x.seen_bytes)
		limits.unwritten_share = (double)x.unwritten_bytes / (double)x.seen_bytes;
	return limits;
}
