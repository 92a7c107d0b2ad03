/* SPDX-License-Identifier: MIT */
/* How large a LUN should be and how many VMs it takes, method.md (d). */
#ifndef ANALYZE_SIZE_H
#define ANALYZE_SIZE_H

#include "model/sizing.h"

/*
 * Judge every span of these curves; only closed loops of random I/O count. a borrows the curves
 * and the sizes of q; the caller calls size_release after success. -1 with ERR_USAGE where q
 * leaves open which curves are meant (several block sizes, workers or offsets) or gives LUN sizes
 * that do not fit the spans, and with ERR_DATA where there is nothing to judge.
 *
 * Mix: curves of mixed I/O within 5 points of the reads of the VM, the nearest such share in all
 * spans; where a span has none, 1 / (r / X_read + (1 - r) / X_write). IOPS under the cap are the
 * interpolated ones.
 *
 * Loss: 1 - X(span) / X(base), of reads and writes the larger (of what the VM does; of the mix
 * where these two were not both measured), at the reference depth, or the next below that a mode
 * has, and under the cap. The base is the smallest span of which all of that is known. Where a
 * smaller one has valid IOPS of one mode, those are a base too: a span loses at least what it
 * loses there. A span is kept when no loss exceeds q->loss_max and everything that it is judged by
 * is known.
 *
 * VMs, each rounded down, u = 1 - headroom, i and c the IOPS and capacity of a VM, k the LUNs that
 * share the disks:
 *   capacity     (1 - free_space) LUN / c
 *   queue        lun_queue / (burst i cap)
 *   performance  u X(S) / i
 *   shared       u X(k S) / (k i): only with k, and only where the span k S was measured (to 1 %)
 * Recommended is the largest kept span that capacity bounds, else the smallest kept.
 */
int size_find(const struct curve *curves, size_t nr, const struct size_question *q,
	      struct size_answer *a, struct err *e);
void size_release(struct size_answer *a);

#endif
