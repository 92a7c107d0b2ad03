/* SPDX-License-Identifier: MIT */
/* What a finished measurement says about itself: raises the flags of design.md section 6. */
#ifndef RUN_VERDICT_H
#define RUN_VERDICT_H

#include "model/measurement.h"
#include "model/target.h"

/* Raise the flags of an ok measurement; it becomes failed where its books do not balance. */
void verdict_judge(struct measurement *m, const struct target_info *info);

#endif
