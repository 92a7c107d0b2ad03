/* SPDX-License-Identifier: MIT */
/* The write guard in the course of a run: asked when its target is opened and before each point, and
 * each decision stored beside the run. */
#ifndef CMD_GUARDED_H
#define CMD_GUARDED_H

#include "base/err.h"
#include "cmd/measure.h"
#include "model/measurement.h"
#include "store/store.h"
#include "target/target.h"

#include <stdbool.h>

/*
 * Open the target of a stored run, for writing where the plan writes. -1 when that is not possible or is
 * refused; *out is then NULL.
 */
int guarded_open(const struct measure_job *job, struct store *store, struct target **out,
		 struct err *e);

/*
 * Whether this point may be measured on the open target now. Where it may not, *is_allowed is false and
 * m is failed with the reason. -1 only when the store failed.
 */
int guarded_point(const struct measure_job *job, struct store *store, const struct target *target,
		  struct measurement *m, bool *is_allowed, struct err *e);

#endif
