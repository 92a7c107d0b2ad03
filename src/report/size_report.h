/* SPDX-License-Identifier: MIT */
/* The LUN size for people and for programs: the answer first, then what it rests on. */
#ifndef REPORT_SIZE_REPORT_H
#define REPORT_SIZE_REPORT_H

#include "model/run.h"
#include "model/sizing.h"
#include "report/text.h"

/* What is printed; all of it is borrowed. */
struct size_report {
	const struct size_answer *answer;
	const struct vm_population *vms; /* nr 0: the VM was given by options */
	const struct run_info *runs;
	size_t nr_runs;
	flag_set accepted; /* flags that did not spoil */
};

void text_size(struct buf *b, const struct size_report *r, struct text_style style);

/*
 * One JSON document; null is a figure that is not known. Keys carry their unit; they are added to,
 * never changed:
 *   format "lunsweep-size", version 1
 *   runs[], target
 *   vm{iops, capacity_bytes, read_pct}, profiles[]{name, share_pct, iops, capacity_bytes, read_pct}
 *   question{cap_stat, cap_ms, iodepth, loss_max_pct, headroom_pct, free_space_pct, lun_queue,
 *     burst, luns_sharing (null: not asked)}
 *   spans[]{span, span_bytes, lun_bytes, loss_depth_pct, loss_cap_pct, loss_cap_measured_pct,
 *     loss_peak_pct, loss_depth_unsure, loss_cap_unsure (one of the two is the least it can be),
 *     loss_sure_pct (at least, against a span below the base; null: none), mix_iops, mix_estimate, mix_at_least,
 *     read{}, write{}, mix{} (null: not measured): {curve, cap_status, cap_iops,
 *       cap_measured_iops, cap_measured_iodepth, decides, at_least, depth_iops, peak_iops},
 *     vms{capacity, queue, performance, shared}, nr_vms, bound, fate, verdict}
 *   loss_base_span_bytes (losses are against that span; null: none)
 *   recommended{lun_bytes, span_bytes, nr_vms, bound, sentence} (null: none)
 *   sharing[]{luns, vms_each, vms_in_all, bound}
 *   sentences[], notes[], assumptions[]
 */
void json_size(struct buf *b, const struct size_report *r);

#endif
