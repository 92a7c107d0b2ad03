/* SPDX-License-Identifier: MIT */
/*
 * One point in full as a JSON document (RFC 8259, UTF-8); null is what is not known. Keys carry
 * their unit; they are added to, never changed:
 *   format "lunsweep-point", version 1, run, seq, name, iodepth, repeat, is_anchor, the axes of its curve,
 *   status, reason, imported, start, end, the figures of the whole point, little_pct,
 *   errors{nr, errno, offset_bytes}, verdicts[]{flag, effect, meaning, here},
 *   total{}, read{}, write{} (those that it has): the figures of a direction, bytes,
 *     percentiles[]{name, share, ms, few: fewer than 10 I/Os lie beyond it; of p95 and p99 low_ms, high_ms},
 *     histogram[][low_ns, high_ns, ios], workers[]{ios, bytes, mib_s, iops, lat_mean_ms, lat_sd_ms},
 *   worker_cpu[]{iodepth, depth_mean, depth_max, user_pct, system_pct, waiting_pct (for a CPU), submitting_pct,
 *     voluntary_switches}: per cent of one core,
 *   cores[]{core, user_ms, system_ms, irq_ms, steal_ms, iowait_ms, idle_ms}: of the host, over
 *   counters_s; counters{target{}, bottom{}}: what the kernel counted in that time,
 *   interval_ms, series[][read I/Os, read latency sum in ns, write I/Os, write latency sum in ns]
 */
#ifndef REPORT_POINT_JSON_H
#define REPORT_POINT_JSON_H

#include "report/point_text.h"

void point_json(struct buf *b, const struct point_view *v);

#endif
