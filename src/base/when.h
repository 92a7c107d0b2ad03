/* SPDX-License-Identifier: MIT */
#ifndef BASE_WHEN_H
#define BASE_WHEN_H

#include "base/err.h"

#include <stdint.h>

/*
 * A point in time that somebody typed, in ns since 1970:
 *   06:00, 6:00, 06:00:30      the next time that the local clock shows it, after now
 *   2026-12-01T06:00           local time; a blank does for the T, and seconds may follow
 *   2026-12-01T06:00Z, +01:00  with its own offset from UTC
 * The time zone is that of TZ, else of the system. When the clocks change meanwhile, it is still what they show
 * that counts; of an hour that comes twice it is one of the two, and one that is left out ends with it.
 * -1 for anything else, and for years that ns since 1970 do not reach (1970 to 2262); what has passed already is the caller's to refuse.
 */
int when_parse(const char *text, int64_t now_wall_ns, int64_t *out_wall_ns, struct err *e);

#endif
