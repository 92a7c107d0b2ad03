/* SPDX-License-Identifier: MIT */
/* The saturation knee, method.md (a): N* = peak IOPS x min(N / IOPS). */
#ifndef ANALYZE_KNEE_H
#define ANALYZE_KNEE_H

#include "model/answer.h"

/* queue_limit is the smallest queue limit of the host, 0 where none is known (D20). */
void knee_find(const struct curve *c, uint32_t queue_limit, struct knee *k);

#endif
