/* SPDX-License-Identifier: MIT */
/* The answers in words, with the figures that they rest on. No sentence holds a NaN. */
#ifndef REPORT_SENTENCE_H
#define REPORT_SENTENCE_H

#include "base/buf.h"
#include "model/answer.h"
#include "model/search.h"

/* Where the curve saturates and what more depth costs; c is the curve that k was found on. */
void sentence_knee(struct buf *b, const struct curve *c, const struct knee *k);

/* The depths of the curve that have not been measured (yet); nothing where there is none. */
void sentence_missing(struct buf *b, const struct curve *c);

/* The maximum IOPS under the cap; the estimate between grid points is called one. */
void sentence_cap(struct buf *b, const struct cap_answer *a);

/* The same in a few words, for one line per curve: "iodepth 32", "from the start". */
void sentence_knee_short(struct buf *b, const struct curve *c, const struct knee *k);
/* "4368 at iodepth 32" */
void sentence_cap_short(struct buf *b, const struct cap_answer *a);

/* What a response curve shows: the highest load that was sustained, and under a cap. */
void sentence_load(struct buf *b, const struct response *r);
void sentence_load_cap(struct buf *b, const struct response_cap *a);
/* The same for a table: "450 IOPS", "never". */
void sentence_load_short(struct buf *b, const struct response *r);
void sentence_load_cap_short(struct buf *b, const struct response_cap *a);

/* What a search found, why it ended, and what it cost. */
void sentence_search(struct buf *b, const struct search_answer *a);
/* The same for a table: "4002 at iodepth 32". */
void sentence_search_short(struct buf *b, const struct search_answer *a);

#endif
