/* SPDX-License-Identifier: MIT */
/*
 * The write guard. A target that is in use is never written, whatever the user says (uses.h). One
 * that is idle is written only with the consent that names its identity, and with a second one
 * where something is on it (signature.h). All of it is asked of an open descriptor, at the start
 * and again before each point that writes, since a name may lead elsewhere by then.
 */
#ifndef TARGET_GUARD_H
#define TARGET_GUARD_H

#include "base/err.h"
#include "base/opt.h"
#include "model/target.h"
#include "target/target.h"

#include <stdbool.h>

/* Facts that a check leaves for the store; see guard_check_target. */
#define FACT_GUARD_TARGET   "guard.target"
#define FACT_GUARD_TIME	    "guard.time"
#define FACT_GUARD_IN_USE   "guard.in_use"
#define FACT_GUARD_ON_IT    "guard.on_it"
#define FACT_GUARD_DECISION "guard.decision"
/* Followed by the time and what was decided: all decisions of a run, in their order. */
#define FACT_GUARD_AT "guard.at."

/* What --write-to must say for this target: the identity of a device, the absolute path of a
 * file. Owned by info. */
const char *guard_consent_text(const struct target_info *info);

/* Whether list holds the consent for this target; else -1 and what to say in e. */
int guard_check_consent(const struct target_info *info, const struct str_list *list, struct err *e);

/*
 * Everything that does not depend on the first consent: -1 with the reason when writing is refused.
 * overwrite_signature accepts what idly lies on a device, never what is in use. Opens the target
 * for itself and only to read; an idle device is claimed for a moment, which fails where it is in
 * use that this process cannot see.
 */
int guard_check_idle(const struct target_info *info, bool overwrite_signature, struct err *e);

/* The same of a target that is open for writing, and stays so. Adds to found what was checked, and when,
 * what was found, and what was decided, whether it passes or not; FACT_GUARD_*. */
int guard_check_target(const struct target *t, bool overwrite_signature, struct facts *found,
		       struct err *e);

/*
 * Before each point: -1 when the target has become another one, which no point may be measured on. For
 * one that writes, also when its names lead elsewhere, it has become read-only, or it came into use.
 * What is on it is not looked at again, since that is our own doing by now.
 */
int guard_check_point(const struct target *t, bool writes, struct err *e);

/* Add the decision of this moment to found, as one of FACT_GUARD_AT; detail ("point 7") may be NULL. */
void guard_add_decision(struct facts *found, const char *detail, const char *decision);

#endif
