/* SPDX-License-Identifier: MIT */
/*
 * The report as one JSON document (RFC 8259, UTF-8); null is a figure that is not known. Keys
 * carry their unit; they are added to, never changed:
 *   format "lunsweep-report", version 1
 *   runs[]: run, sweep, question, target, target_label, target_identity, target_size_bytes, state,
 *     imported, started_utc, ended_utc, nr_points, setup{tool_version, engine, command, facts{name: value}},
 *     curves[]: curve, rw, bs_bytes, span_bytes, offset_bytes, rwmixread_pct, random_pct, workers,
 *       knee{class, sentence, drift; where there is a knee to print: iodepth, iops, lat_mean_ms, bound, nstar, nstar_low, nstar_high,
 *         peak_iops, peak_iodepth, eff_pct, n80_iodepth, gain_pct, drop_pct,
 *         second_plateau_iodepth, queue_limit, dip_iodepths[], nstar_xmax_r1 (the same as N* from latency),
 *         line_iodepth, line_iops, line_iops_per_io (the rising asymptote; the other is the peak),
 *         power_iodepth, power_iops, octave_iodepth, octave_iops (what gain_pct compares the last
 *         depth with), first_iodepth, first_iops, last_iodepth, last_iops, errors_known;
 *         bound (of nstar) is "=", ">=", "<=" or "~" (of no direction); iops_bound, peak_bound and last_bound
 *         are ">=" where this host held that point back, and flags[] say why},
 *       why[]{name, text}: the evidence, as --explain prints it,
 *       caps[]{stat, limit_ms, status, sentence, iodepth, iops, bound (">=": at least), lat_ms, interp_iodepth,
 *         interp_iops, lat_min_ms, lat_min_iodepth, verdict (meets, fails, undecided; null without
 *         an interval), lat_lo_ms, lat_hi_ms: the interval of the latency that answers; where the run
 *         searched for this cap, search{stat, limit_ms, status (met, not-reached, never,
 *         client-limited, errors, unfinished), stop (bracket, flat, at-cap, not-reached, never, no-points,
 *         failed, goes-on), sentence, bound, answer{}, last_good{}, first_bad{}, lowest_latency{}: each
 *         null or {iodepth or rate_iops, iops, iops_ci_pct, lat_ms, lat_ci_pct, missed, flags[], run},
 *         client_limited, queue_limit, failed_reason, points, time_s, points_of_caps_before,
 *         points_of_other_runs, other_runs[]}},
 *       points[]{run (of a search, which may begin with points of other runs), iodepth, repeat, seq, status, valid (whether it decides answers), reason, flags[],
 *         the figures of the whole point,
 *         total{}, read{}, write{}: the figures of a direction},
 *       repeats[]{iodepth, nr, iops, iops_ci_pct, iops_min, iops_max, lat_mean_ms, lat_p50_ms, ...,
 *         flags[]}: of depths with several valid repeats, what they give together; percentiles
 *         of all their latencies, null where there are no histograms,
 *       anchors[]{iops_first, differs, and all of a point}: depths that were measured again at the
 *         end, and what they gave at first
 *   differences[]: run, name, from, to (of the set-up, against the first run)
 */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include "base/buf.h"
#include "report/report.h"

void json_report(struct buf *b, const struct report *r);

/*
 * Of runs that were searches, the answers only: {"format":"lunsweep-find","version":1,"runs":[{"run",
 * "target", ..., "answers":[...]}]}, one answer for each curve and cap. They hold what the member "search" of a
 * cap holds in the report.
 */
void json_searches(struct buf *b, const struct report *r);

#endif
