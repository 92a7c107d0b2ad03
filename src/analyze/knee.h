/* SPDX-License-Identifier: MIT */
/* The saturation knee, method.md (a): N* = peak IOPS x min(N / IOPS). */
#ifndef ANALYZE_KNEE_H
#define ANALYZE_KNEE_H

#include "model/answer.h"

/*
 * Every figure of method.md (a) from the points of c (iops > 0, ascending depths). Below three
 * points the class is insufficient: first, last and peak are filled, other figures are UNKNOWN.
 * The interval of N* covers less than it says on flat curves: do not print it there.
 *
 * Where an anchor of the curve differs from its first measurement, has_drift is set, and a curve that would
 * be retrograde is of the class state drift instead: its figures are filled but must not be shown.
 *
 * queue_limit is the smallest queue limit of the host, 0 where none is known. D20:
 * - k->is_client_limited: the point of the largest IOPS / depth, or every point from N* on, is
 *   cpu-bound. The knee is then the client's; its figures are filled but must not be shown as the
 *   device's.
 * - k->queue_limit: queue_limit where the plateau was shown only by points beyond it, else 0.
 *   That is: the class has a plateau (knee, flat or retrograde), points beyond the limit were
 *   measured, and no step that starts at or after the saturation depth and stays within the limit
 *   gains less than 10 % per doubling. A depth beyond the limit counts as the limit itself, as
 *   no more than that was in flight below the host. So points that are lower bounds because of
 *   the limit may prove a plateau, and a device that is seen to level off below the limit keeps
 *   its own knee.
 * - Any other lower bound among the points that decide (saturation, peak, line, last) keeps the knee,
 *   which says so: is_sat_least and its like, held_flags; a peak that is one makes N* at least, a
 *   line that is one makes it at most. A point beyond queue_limit that only the limit held back is
 *   excused: it may prove a plateau.
 */
void knee_find(const struct curve *c, uint32_t queue_limit, struct knee *k);

#endif
