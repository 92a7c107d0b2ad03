/* SPDX-License-Identifier: MIT */
/* The maximum IOPS under a latency cap on the measured grid, method.md (b) and D34. */
#ifndef ANALYZE_CAP_H
#define ANALYZE_CAP_H

#include "model/answer.h"

void cap_find(const struct curve *c, struct cap cap, struct cap_answer *a);

#endif
