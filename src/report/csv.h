/* SPDX-License-Identifier: MIT */
/*
 * The report as one CSV table (RFC 4180, header line, LF, UTF-8). The column `record` says what a
 * line is:
 *   knee   the knee of a curve: iodepth, iops and lat_mean_ms are those of the saturation depth
 *          (empty where there is no knee to print), and the knee_ columns are filled
 *   cap    a maximum under a cap: iodepth, iops are the measured answer, cap_ columns are filled
 *   search what a search found under a cap: iodepth or rate_iops, iops and their error are the answer;
 *          cap_status is met, not-reached, never, client-limited, errors or unfinished
 *   repeats  of a depth with several valid repeats: what they give together, percentiles of all their
 *          latencies; repeats, iops_min and iops_max are filled
 *   point  one point, one line per direction (`dir` is total, read or write); is_anchor is 1 where it was
 *          measured again at the end of its curve, valid is 1 where it decides answers and 0 where it is
 *          spoiled (by a flag that nobody accepted), failed or not measured
 * An empty field is a figure that is not known or does not belong to the record.
 */
#ifndef REPORT_CSV_H
#define REPORT_CSV_H

#include "base/buf.h"
#include "report/report.h"

void csv_report(struct buf *b, const struct report *r);

#endif
