/* SPDX-License-Identifier: MIT */
/* The LUN size in words that can be quoted. No sentence holds a NaN. */
#ifndef REPORT_SENTENCE_SIZE_H
#define REPORT_SENTENCE_SIZE_H

#include "report/size_report.h"

/* "reads", "writes", "the mix" */
const char *sentence_size_mode(enum size_mode m);
/* A share as per cent with its sign: "15 %", "71.96 %". */
void sentence_size_pct(struct buf *b, double share);
/* "1024G": whole G where it is one, so that the sizes of a table compare. */
void sentence_size_bytes(struct buf *b, uint64_t bytes);
/* VMs by one bound: "47", ">= 47" where it rests on IOPS that are the least they can be, or "-". */
void sentence_size_vms(struct buf *b, const struct size_span *s, enum size_bound bound);

/* What a VM asks: "50 IOPS, 40G, 70 % reads". */
void sentence_size_need(struct buf *b, const struct vm_need *n);
/* The VM in full, with the profiles that it is the mean of. */
void sentence_size_vm(struct buf *b, const struct size_report *r);

/* The size and what decides, or why there is none. */
void sentence_size_answer(struct buf *b, const struct size_answer *a);
/* What several such LUNs on the same disks carry; empty where none is recommended. */
void sentence_size_sharing(struct buf *b, const struct size_answer *a);
/* In a few words, for the table: "kept", "reads lose 19.4 %". */
void sentence_size_verdict(struct buf *b, const struct size_answer *a, const struct size_span *s);

/* What losses are of: "IOPS", "read IOPS", "write IOPS", "IOPS of the mix". */
void sentence_size_iops(struct buf *b, const struct size_answer *a);
/* One loss against the base: "8.8 %", "about 10.0 %", "at least 12.5 %", "nothing". */
void sentence_size_share(struct buf *b, const struct size_span *s, enum size_figure f);
/* The larger loss of a span: "1000G loses 11 % of the IOPS of 500G". The answer has a base. */
void sentence_size_loss(struct buf *b, const struct size_answer *a, const struct size_span *s);
/* Sentences, each followed by a blank: what could not be judged, was not measured, or is uncertain. */
void sentence_size_reserves(struct buf *b, const struct size_answer *a);

/* Of a run whose reader has asked for no VMs: up to which span little is lost, whatever a VM is, with what there
 * is to hold against it; nothing where losses are not known. */
void sentence_size_hint(struct buf *b, const struct size_answer *a, int64_t run_id);

/*
 * Lists of sentences, each ended by a newline. Notes say which points were not used, and what those
 * carry that decide; assumptions are what the answer rests on.
 */
void sentence_size_notes(struct buf *b, const struct size_report *r);
void sentence_size_assumptions(struct buf *b, const struct size_report *r);

#endif
