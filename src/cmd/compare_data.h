/* SPDX-License-Identifier: MIT */
/*
 * Comparisons and tables of runs as data. Names are promises: they are added to, never changed.
 * compare as JSON: format "lunsweep-compare", version 1, sentence, fail_if (null without), exit_status,
 *   interleaved (mixed, separate, clustered, unknown), notes[],
 *   a{}, b{}: runs[]{run, state, started_utc, target, sweep}
 *   figures[]: the columns of the CSV
 *   without_partner[]{curve, iodepth, only_in, other_is_invalid}
 *   setup[]{name, a, b, varies}: what differs
 * compare as CSV: a line for each figure that is compared. Latencies are in ms.
 * --table as JSON: format "lunsweep-table", version 1, rows[]: the columns of the CSV
 * --table as CSV: a line for each run, point and direction.
 */
#ifndef CMD_COMPARE_DATA_H
#define CMD_COMPARE_DATA_H

#include "report/compare.h"
#include "report/run_table.h"

void compare_csv(struct buf *b, const struct compare_report *r);
void compare_json(struct buf *b, const struct compare_report *r, int status);

void run_table_csv(struct buf *b, const struct run_table *t);
void run_table_json(struct buf *b, const struct run_table *t);

#endif
