/* SPDX-License-Identifier: MIT */
#include "target/limits.h"

#include "base/buf.h"
#include "base/mem.h"
#include "target/cgroup.h"
#include "target/slaves.h"
#include "target/sys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* What is found on the way down. */
struct walk {
	struct slaves seen;  /* whose cgroup limits were asked for */
	struct buf from;     /* "sda 32, sdb 32" */
	struct buf throttle; /* sentences */
	uint32_t max_sectors_kb;
};

/* The smaller of two limits, of which 0 is none. */
static uint32_t smaller(uint32_t a, uint32_t b)
{
	if (a && b)
		return a < b ? a : b;
	return a ? a : b;
}

/* Only drivers that take requests have the folder, not those that pass bios on (md, bcache, and
 * device-mapper but for request-based multipath). */
static bool takes_requests(const char *disk_dir)
{
	char *mq = sys_path("%s/mq", disk_dir);
	struct stat st;
	bool is = stat(mq, &st) == 0;

	free(mq);
	return is;
}

static uint32_t read_u32(const char *disk_dir, const char *file)
{
	return (uint32_t)sys_read_u64("%s/%s", disk_dir, file);
}

/* Before Linux 6 a device without a queue shows an nr_requests too, 128, which limits nothing.
 * A queue_depth is proof of a queue as well: SCSI without blk-mq. */
static uint32_t requests_of(const char *disk_dir)
{
	bool has_queue = takes_requests(disk_dir) || read_u32(disk_dir, "device/queue_depth");

	return has_queue ? read_u32(disk_dir, "queue/nr_requests") : 0;
}

static void add_from(struct walk *w, const char *disk_dir, uint32_t limit)
{
	const char *name = strrchr(disk_dir, '/');

	if (limit)
		buf_addf(&w->from, "%s%s %u", w->from.len ? ", " : "", name ? name + 1 : disk_dir,
			 limit);
}

static uint32_t queue_below(struct walk *w, const char *disk_dir, unsigned layer);

static uint32_t queue_of(struct walk *w, const char *disk_dir, unsigned layer)
{
	uint32_t own = smaller(requests_of(disk_dir), read_u32(disk_dir, "device/queue_depth"));

	add_from(w, disk_dir, own);
	w->max_sectors_kb = smaller(w->max_sectors_kb, read_u32(disk_dir, "queue/max_sectors_kb"));
	return smaller(own, queue_below(w, disk_dir, layer));
}

/*
 * What the devices that this one is built of can have in flight together: one below a linear
 * volume or dm-crypt is just its own limit; paths, stripes and mirrors each take a share of the
 * depth, so theirs add up. That is the most that it can be: paths in standby take none, a linear
 * volume may use one of its disks only, and a write to a mirror takes a place on each. So nothing
 * is called limited that is not. A sum with an unknown in it is unknown: 0.
 */
static uint32_t queue_below(struct walk *w, const char *disk_dir, unsigned layer)
{
	struct slaves s;
	uint64_t sum = 0;
	bool is_known = true;

	if (layer >= MAX_SLAVE_LAYERS)
		return 0;
	slaves_list(disk_dir, &s);
	for (size_t i = 0; i < s.nr; i++) {
		uint32_t limit = queue_of(w, s.v[i], layer + 1);

		is_known &= limit != 0;
		sum += limit;
	}
	slaves_release(&s);
	return is_known && sum <= UINT32_MAX ? (uint32_t)sum : 0;
}

static void add_throttle(struct walk *w, const char *disk_dir)
{
	const char *name = strrchr(disk_dir, '/');
	struct buf b = BUF_INIT;
	unsigned maj, min;
	char *limit = NULL;

	if (sys_read(&b, "%s/dev", disk_dir) && sscanf(buf_text(&b), "%u:%u", &maj, &min) == 2)
		limit = cgroup_throttle(makedev(maj, min));
	if (limit)
		buf_addf(&w->throttle, "%s%s on %s", w->throttle.len ? ", " : "", limit,
			 name ? name + 1 : disk_dir);
	free(limit);
	buf_release(&b);
}

/* A cgroup limit holds back bios. Request-based multipath gives its paths requests, which are past
 * that, so limits on its paths are not in force. */
static void throttle_below(struct walk *w, const char *disk_dir, unsigned layer)
{
	struct slaves s;

	if (layer >= MAX_SLAVE_LAYERS || takes_requests(disk_dir))
		return;
	slaves_list(disk_dir, &s);
	for (size_t i = 0; i < s.nr; i++) {
		/* Two ways down may lead to one disk. */
		if (slaves_add(&w->seen, s.v[i])) {
			add_throttle(w, s.v[i]);
			throttle_below(w, s.v[i], layer + 1);
		}
	}
	slaves_release(&s);
}

static void find_below(struct target_info *t, const char *disk_dir)
{
	struct walk w = {.max_sectors_kb = t->max_sectors_kb};

	if (t->throttle)
		buf_addstr(&w.throttle, t->throttle);
	add_from(&w, disk_dir, smaller(t->nr_requests, t->lun_queue_depth));
	t->below_queue_limit = queue_below(&w, disk_dir, 0);
	throttle_below(&w, disk_dir, 0);
	t->max_sectors_kb = w.max_sectors_kb;
	free(t->throttle);
	t->throttle = w.throttle.len ? buf_detach(&w.throttle) : NULL;
	if (w.from.len)
		facts_set(&t->facts, "limits.from", buf_text(&w.from));
	buf_release(&w.from);
	buf_release(&w.throttle);
	slaves_release(&w.seen);
}

void limits_find(struct target_info *t, const char *block_dir, dev_t dev)
{
	char *disk_dir = block_dir ? sys_disk_dir(block_dir) : NULL;
	struct slaves s = {0};

	t->throttle = cgroup_throttle(dev);
	if (disk_dir) {
		t->nr_requests = requests_of(disk_dir);
		t->lun_queue_depth = read_u32(disk_dir, "device/queue_depth");
		t->max_sectors_kb = read_u32(disk_dir, "queue/max_sectors_kb");
		slaves_list(disk_dir, &s);
	}
	if (s.nr)
		find_below(t, disk_dir);
	slaves_release(&s);
	free(disk_dir);
}
