/* SPDX-License-Identifier: MIT */
/* How figures look in every report. A figure that is not known is "-" everywhere. */
#ifndef REPORT_FORMAT_H
#define REPORT_FORMAT_H

#include "base/buf.h"
#include "model/answer.h"
#include "report/report.h"

/* Three significant digits, never an exponent: 0.0123, 7.31, 19.8, 4368. */
void format_sig3(struct buf *b, double v);
/* IOPS: whole from 100 on. */
void format_iops(struct buf *b, double iops);
/* Three significant digits of milliseconds and the unit: "7.31 ms". */
void format_ms(struct buf *b, double lat_ns);
/* "6.2x", "1.12x", "29x" */
void format_ratio(struct buf *b, double ratio);
/* "89 %": a share in whole per cent, never rounded up to 100. */
void format_share(struct buf *b, double share);
/* Fixed decimals, for columns. */
void format_fixed(struct buf *b, double v, int decimals);
/* Names of the flags, separated. */
void format_flags(struct buf *b, flag_set flags, const char *separator);
/* "mean <= 10 ms" */
void format_cap(struct buf *b, struct cap cap);
/* "ok", "unsteady, split", "spoiled: stall", "stall (accepted)", "failed: 3 I/O errors": how a point ended,
 * of which point_is_valid says with the same accepted flags whether it is spoiled. */
void format_status(struct buf *b, const struct point *p, flag_set accepted);
/* "ult-lun-sizing on sdb": the sweep's name and the target's. */
void format_run_name(struct buf *b, const struct run_info *r);

/* Add text in lines of at most width columns, each with indent blanks in front. */
void format_wrapped(struct buf *b, const char *text, size_t indent, size_t width);

#endif
