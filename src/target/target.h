/* SPDX-License-Identifier: MIT */
/* A block device or a file as a target: what it is, its limits and counters, and opening it. */
#ifndef TARGET_TARGET_H
#define TARGET_TARGET_H

#include "base/err.h"
#include "model/target.h"

#include <stdbool.h>

/*
 * Find out what path is. Reads at most a few sectors, never waits for anything. Refuses with
 * the reason what cannot be a target: nothing there, a directory, a character device, a FIFO,
 * a socket, an empty file, a loop device without a file. The caller calls target_info_release.
 */
int target_inspect(const char *path, struct target_info *out, struct err *e);

/* What a target that failed says when it is asked. */
enum target_answer {
	TARGET_ANSWERS, /* it is what it was, and a block of it was read */
	TARGET_SILENT,	/* it cannot be opened or read */
	TARGET_OTHER, /* its name is that of something else now, or its size changed: never go on */
};

/*
 * Open what id describes by its name, only to read, compare identity and size, and read one block; where that
 * fails, at other places, eight in all. Never writes. Of id only given, resolved, identity and size_bytes count.
 * e says why where it does not answer. A target that hangs keeps its caller, so this is for a thread that may be
 * left behind (run/alive.h).
 */
enum target_answer target_ask(const struct target_info *id, struct err *e);

struct target;

/*
 * Open what info describes, read-only unless for_write. A block device that is opened for
 * writing is opened exclusively (D28) and stays so until target_close. Refuses a path that
 * has become something else than info says. info must outlive the target.
 */
int target_open(const struct target_info *info, bool for_write, struct target **out, struct err *e);
void target_close(struct target *t);

/* The descriptor of target_open, which whatever must be certain of the target is asked; the target's. */
int target_fd(const struct target *t);
const struct target_info *target_info_of(const struct target *t);
/* Whether it is opened exclusively. */
bool target_is_claimed(const struct target *t);

/* Whether the open target is still what info says: of that size, with the medium that was in it when it
 * was opened. A device that is gone passes: its I/O will tell. */
int target_check_medium(const struct target *t, struct err *e);

/* Whether the names, as given and as resolved, still lead to the open target, and it still has the
 * identity of info. */
int target_check_names(const struct target *t, struct err *e);

/* A descriptor of one worker's own, with O_DIRECT; the caller closes it. Cached pages of the
 * target are dropped, since a few of them slow every direct read down. -1 and e on failure. */
int target_open_worker(const struct target *t, bool for_write, struct err *e);

/* Counters of the device that serves the target, and of the one at the bottom where that is
 * another; is_known false where there is none (D14). */
void target_counters(const struct target_info *info, struct dev_counters *own,
		     struct dev_counters *bottom);

/* How much of a part of the target was never written. */
struct target_extents {
	bool is_known;	     /* a file system told */
	uint64_t seen_bytes; /* how far it was looked at: all of the part, or what time allowed */
	uint64_t unwritten_bytes; /* of these, in holes or in extents that hold no data yet */
};

/*
 * Ask the file system below (of a file, or of the file of a loop device) what of the len bytes
 * from offset on was never written (D16). Takes 0.1 s at most, touches no data and flushes none:
 * data that waits in the page cache counts as written. It cannot be known for other devices, and
 * where the file system calls everything data because it does not tell holes apart.
 */
void target_find_unwritten(const struct target_info *info, uint64_t offset, uint64_t len,
			   struct target_extents *out);

/* Where the time of each core that is online went since boot, ascending by number, in steps of the
 * kernel's tick (10 ms); NULL and 0 where it is not known. The caller frees *out. */
void target_cpu_times(struct cpu_times **out, size_t *nr);

/* Make after what happened between before and after. Cores that are not in both are left out; returns
 * how many there are. A time that the kernel counted backwards (iowait may) is 0. */
size_t target_cpu_subtract(struct cpu_times *after, size_t nr_after, const struct cpu_times *before,
			   size_t nr_before);

/* Add what a run should remember of this host: kernel, CPU, memory, limits; a fact that cannot
 * be read is left out. */
void target_host_facts(struct facts *f);

/* I/O contexts that fs.aio-max-nr leaves to us; UINT64_MAX where it is not known. */
uint64_t target_aio_left(void);

/* Memory that can be had without swapping, in bytes; UINT64_MAX where it is not known. */
uint64_t target_memory_available(void);

#endif
