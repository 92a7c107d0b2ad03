/* SPDX-License-Identifier: MIT */
/* The target as the other rooms need it: what it is, and the limits that shape a sweep. */
#ifndef MODEL_TARGET_H
#define MODEL_TARGET_H

#include "model/facts.h"

#include <stdbool.h>
#include <stdint.h>

struct target_info {
	char *given;	/* as the user wrote it */
	char *resolved; /* absolute, symbolic links followed */
	char *identity; /* stable name (D26), which --write-to must repeat */
	char *label;	/* short name for people: model or file name */
	bool is_block;
	bool is_read_only;
	bool is_memory;	       /* on a memory-backed file system */
	bool is_shared_device; /* a file: others use the device below it too */
	uint64_t size_bytes;
	uint32_t logical_block_bytes; /* what O_DIRECT needs; 512 at least */
	/* Limits below the target; 0 where there is none or it is not known. */
	uint32_t nr_requests, lun_queue_depth, max_sectors_kb;
	uint32_t below_queue_limit; /* of the devices that it is built of, together */
	char *throttle;		    /* the cgroup I/O limit in force as a sentence, NULL without */
	char *counter_stat; /* path of the stat file of the device that serves it, or NULL */
	/* What lies below a loop device, followed down to the last device (D14), or what a
	 * partition or a volume is a part of. */
	char *bottom_stat;	/* the stat file of that device; NULL where it is the target's own,
				    or there is none */
	bool is_part_of_bottom; /* it counts what others do beside the target, and need not see
				   what the target does: a thin volume passes its pool by */
	bool is_bottomless;	/* no device with counters lies at the bottom */
	bool is_buffered;	/* a loop device on the way uses the page cache of this host */
	bool is_memory_below;	/* the file of a loop device on the way is in memory */
	char *extent_file;	/* the file whose extents tell what was written; NULL without */
	uint64_t extent_offset; /* where in it the target begins */
	struct facts facts;	/* everything else that is worth storing */
};

/* Whether the span lies on the target, in whole logical blocks. */
bool target_has_span(const struct target_info *t, uint64_t offset_bytes, uint64_t span_bytes);

/* The smallest queue limit of this host, 0 where none is known. */
uint32_t target_queue_limit(const struct target_info *t);
void target_info_release(struct target_info *t);

/* Counters of a block device, as in Documentation/block/stat.rst of the kernel. */
struct dev_counters {
	bool is_known;
	uint64_t read_ios, read_bytes, read_ms;
	uint64_t write_ios, write_bytes, write_ms;
	uint64_t in_flight, busy_ms, queue_ms;
};

/* Where the time of one core of this host went: since boot, or over a window. */
struct cpu_times {
	uint32_t cpu;
	uint64_t user_ms;	    /* niced programs and guests included */
	uint64_t system_ms, irq_ms; /* irq: hard and soft ones */
	uint64_t steal_ms;	    /* a hypervisor ran something else on it */
	uint64_t iowait_ms, idle_ms;
};

#endif
