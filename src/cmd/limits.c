/* SPDX-License-Identifier: MIT */
#include "cmd/limits.h"

struct plan_limits cmd_limits(const struct plan *p, const struct sweep *s,
			      const struct target_info *t, struct target_extents *unwritten)
{
	struct plan_limits limits = {
		.memory_available_bytes = target_memory_available(),
		.aio_free = target_aio_left(),
	};
	struct plan_totals totals;

	*unwritten = (struct target_extents){0};
	plan_estimate(p, s, 1, &totals);
	if (!totals.read_region_bytes)
		return limits;
	target_find_unwritten(t, totals.read_first_byte,
			      totals.read_end_byte - totals.read_first_byte, unwritten);
	if (unwritten->is_known && unwritten->seen_bytes)
		limits.unwritten_share =
			(double)unwritten->unwritten_bytes / (double)unwritten->seen_bytes;
	return limits;
}
