/* SPDX-License-Identifier: MIT */
/*
 * A run while it is measured. Who measures works on a copy of the run in memory, which never fails
 * for a disk, a lock or a network, and saves it between points: into the database, or, where that
 * does not take it, the finished points into a spool (spool.h). The next save tries the database
 * first; when it takes writes again, everything that waited is written in the order of measuring, in
 * one transaction, and then the spool is removed. What waits is in memory in full, so nothing is lost
 * before the end even if no place takes a spool.
 */
#ifndef STORE_HELD_H
#define STORE_HELD_H

#include "store/store.h"

#include <signal.h>

struct held;

/* s stays the caller's and must outlive it. Where it is locked and *nr_signals is not 0, nobody waits for it any more;
 * NULL: however long. */
int held_open(struct held **out, struct store *s, int64_t run_id,
	      const volatile sig_atomic_t *nr_signals, struct err *e);
void held_close(struct held *h);

/* The copy: for the functions of store.h that are about this run, its points and its seeds. Latency histograms and what
 * else is large are not in it once they are stored. */
struct store *held_store(const struct held *h);

struct held_report {
	bool is_saved;	       /* everything is in the database */
	unsigned nr_waiting;   /* finished points that are not, ... */
	unsigned nr_in_memory; /* ... and of these the ones that are in no spool either */
	unsigned nr_moved;     /* that waited, and are in the database since this save */
	const char *spool;     /* where the last one went; owned by h, NULL where none did */
	struct err why;	       /* what the database said, */
	struct err why_spool;  /* and what the places of spools said */
};

/*
 * Save what has changed. Waits for a lock as long as store_open says, but if the last save failed
 * only for a moment, unless is_last. *r is valid also after -1, which says that another process has
 * taken up the run: then the finished points are in a spool, and nothing more should be measured.
 */
int held_save(struct held *h, bool is_last, struct held_report *r, struct err *e);

/* The numbers of the finished points that are in memory only, as "3, 5, 6", are appended to b. */
struct buf;
void held_add_unsaved(const struct held *h, struct buf *b);

#endif
