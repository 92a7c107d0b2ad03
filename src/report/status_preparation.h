/* SPDX-License-Identifier: MIT */
/* What `status` tells of a preparation that goes on. */
#ifndef REPORT_STATUS_PREPARATION_H
#define REPORT_STATUS_PREPARATION_H

#include "model/preparation.h"
#include "report/text.h"

#include <stdbool.h>

struct preparation_view {
	const struct preparation *p; /* borrowed */
	bool is_sure;		     /* its process holds the target; else that cannot be told */
	long pid;		     /* 0: not known */
};

/* Share of the passes that is durable, 0 to 1; 1 with an empty span. */
double preparation_share(const struct preparation *p);
/* Time that the passes still take at the mean speed so far; UNKNOWN before anything is durable. */
double preparation_left_s(const struct preparation *p);

/* Which target, how far the passes are and when they end, or how far random writes are from steady. */
void preparation_status_text(struct buf *b, const struct preparation_view *v,
			     struct text_style style);

/* The member "preparation" of an object: {preparation, target, state ("running", "unknown"), pid, passes,
 * passes_done, filled_bytes, total_bytes, filled_pct, fill_left_s, rounds}; null where v is. */
void preparation_status_json(struct buf *b, const struct preparation_view *v);

#endif
