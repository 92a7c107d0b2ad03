/* SPDX-License-Identifier: MIT */
/*
 * The LUN sizing chart: figures against span, at a reference depth and under caps. Above the IOPS, in the
 * middle what is left of those of the smallest span, with the loss limit, below the latency or the depth.
 *   lun-size-4k-d16   of a report: one for each block size, number of workers and offset
 *   lun-size          of the answer to a sizing question, with the recommended size
 *   vms-per-lun       VMs that a LUN takes by each bound, and the least of them
 */
#ifndef REPORT_CHART_LUN_H
#define REPORT_CHART_LUN_H

#include "report/chart.h"
#include "report/size_report.h"

/* Both charts of an answer. */
void charts_build_size(const struct size_report *r, struct charts *out);

#endif
