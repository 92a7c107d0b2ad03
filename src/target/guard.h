/* SPDX-License-Identifier: MIT */
/*
 * The write guard. A target that is in use is never written, whatever the user says. In use is
 * looked for upward only (D29): what is mounted from it, swapped on, built on it, or backs a
 * loop device. One that is idle is written only with the consent that names its identity, and
 * with a second one where something is on it.
 */
#ifndef TARGET_GUARD_H
#define TARGET_GUARD_H

#include "base/buf.h"
#include "base/err.h"
#include "base/opt.h"
#include "model/target.h"

#include <stdbool.h>

/* What --write-to must say for this target: the identity of a device, the absolute path of a
 * file. Owned by info. */
const char *guard_consent_text(const struct target_info *info);

/* Whether list holds the consent for this target; else -1 and what to say in e. */
int guard_check_consent(const struct target_info *info, const struct str_list *list, struct err *e);

/* Append what uses the target ("mounted at /srv"), nothing when it is idle. */
void guard_find_use(const struct target_info *info, struct buf *why);

/* Append what libblkid finds on an idle device ("ext4 file system"), nothing when it is blank.
 * -1 when it cannot be told: then nothing may be written either. */
int guard_find_signature(const struct target_info *info, struct buf *what, struct err *e);

/* Everything above that does not depend on consent: -1 with the reason when writing is refused.
 * overwrite_signature accepts what guard_find_signature finds, never what is in use. */
int guard_check_idle(const struct target_info *info, bool overwrite_signature, struct err *e);

#endif
