/* SPDX-License-Identifier: MIT */
/* The rules of the verdicts, on measurements made up for them. Each rule has the measurement that
 * it is for, and the nearest one that it must leave alone. */
#include "run/verdict.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "unit.h"

#include <stdlib.h>

#define MIB	     ((uint64_t)1 << 20)
#define NR_INTERVALS 100
#define WINDOW_NS    (10 * NS_PER_S)
#define DEPTH	     8
#define IOS	     10000 /* 1000 a second, of 4 KiB and 8 ms: 8 in flight */
#define OWN_BYTES    ((uint64_t)IOS * 4096)

struct fixture {
	struct measurement m;
	struct target_info info;
	struct evidence ev;
};

static int set_up(void **state)
{
	static const struct point_spec spec = {.rw = RW_RANDREAD,
					       .iodepth = DEPTH,
					       .workers = 1,
					       .rwmixread_pct = 100,
					       .random_pct = 100,
					       .bs_bytes = 4096,
					       .span_bytes = 64 << 20,
					       .repeat = 1};
	struct fixture *f = xcalloc(1, sizeof(*f));
	struct measurement *m = &f->m;

	measurement_init(m, &spec);
	m->status = POINT_OK;
	m->window_ns = m->counters_ns = WINDOW_NS;
	m->depth_mean = DEPTH;
	m->depth_max = DEPTH;
	m->little_rel = 0;
	m->worker = xcalloc(1, sizeof(*m->worker));
	m->worker[0] = (struct worker_result){
		.iodepth = DEPTH,
		.dir[DIR_READ] = {IOS, OWN_BYTES, IOS * 8 * NS_PER_MS, IOS * NS_PER_US},
		.depth_mean = DEPTH,
		.cpu_run_ns = WINDOW_NS / 10,
		.voluntary_switches = IOS,
		.submit_ns = WINDOW_NS / 100};
	m->lat[DIR_READ] = xmalloc(sizeof(*m->lat[DIR_READ]));
	hist_init(m->lat[DIR_READ]);
	hist_add(m->lat[DIR_READ], 8 * NS_PER_MS);
	m->interval_ns = 100 * NS_PER_MS;
	m->nr_intervals = NR_INTERVALS;
	m->series = xcalloc(NR_INTERVALS, sizeof(*m->series));
	for (size_t i = 0; i < NR_INTERVALS; i++)
		m->series[i].ios[DIR_READ] = IOS / NR_INTERVALS;
	m->before = (struct dev_counters){.is_known = true, .read_ios = 5, .read_bytes = 5 * 512};
	m->after = m->before;
	m->after.read_ios += IOS;
	m->after.read_bytes += OWN_BYTES;
	m->after.queue_ms = 80000;
	f->info.is_block = true;
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	measurement_release(&f->m);
	facts_release(&f->info.facts);
	free(f);
	return 0;
}

/* A loop device with its file on a disk that saw all of it too. */
static void put_on_loop(struct fixture *f)
{
	static char stat[] = "/sys/block/sda/stat";

	f->info.bottom_stat = stat;
	facts_set(&f->info.facts, "bottom.device", "sda");
	f->m.bottom_before = f->m.before;
	f->m.bottom_after = f->m.after;
}

/* A file on a disk of its own partition. */
static void make_file(struct fixture *f)
{
	f->info.is_block = false;
	f->info.is_shared_device = true;
}

static void judge(struct fixture *f)
{
	for (enum flag flag = 0; flag < FLAG_NR; flag++) {
		free(f->m.flag_detail[flag]);
		f->m.flag_detail[flag] = NULL;
	}
	f->m.flags = 0;
	verdict_judge(&f->m, &f->info, &f->ev);
}

/* This flag alone is raised, with this detail. */
static void expect(struct fixture *f, enum flag flag, const char *detail)
{
	judge(f);
	assert_int_equal(f->m.flags, FLAG_BIT(flag));
	assert_string_equal(f->m.flag_detail[flag], detail);
}

static void expect_none(struct fixture *f)
{
	judge(f);
	assert_int_equal(f->m.flags, 0);
}

static void a_sound_measurement_raises_nothing(void **state)
{
	struct fixture *f = *state;

	expect_none(f);
	put_on_loop(f);
	expect_none(f);
}

static void blocks_never_written_spoil_reads(void **state)
{
	struct fixture *f = *state;

	f->ev.extents = (struct target_extents){true, 64 * MIB, 32 * MIB};
	expect(f, FLAG_UNWRITTEN, "50 % of 64.0 MiB");
	f->ev.extents.unwritten_bytes = 2 * MIB;
	expect(f, FLAG_UNWRITTEN, "3.1 % of 64.0 MiB");
	f->ev.extents = (struct target_extents){true, 16 * MIB, 16 * MIB};
	expect(f, FLAG_UNWRITTEN, "100 % of the first 16.0 MiB");
	f->ev.extents.unwritten_bytes = 4096;
	expect_none(f);
	f->ev.extents = (struct target_extents){true, 64 * MIB, 64 * MIB};
	f->ev.extents.is_known = false;
	expect_none(f);
	f->ev.extents.is_known = true;
	f->m.spec.rwmixread_pct = 0;
	judge(f);
	assert_false(f->m.flags & FLAG_BIT(FLAG_UNWRITTEN));
	assert_true(f->m.flags & FLAG_BIT(FLAG_ALLOCATING));
	assert_string_equal(f->m.flag_detail[FLAG_ALLOCATING], "100 % of 64.0 MiB");
	f->ev.extents.unwritten_bytes = 0;
	judge(f);
	assert_false(f->m.flags & FLAG_BIT(FLAG_ALLOCATING));
}

/* Of a part that there was no time to look at it is not known whether reads reached a medium. */
static void what_was_not_looked_at_is_no_proof_of_a_cache(void **state)
{
	struct fixture *f = *state;

	put_on_loop(f);
	f->m.bottom_after.read_bytes = f->m.bottom_before.read_bytes + OWN_BYTES / 4;
	f->ev.extents = (struct target_extents){true, 64 * MIB, 32 * MIB};
	judge(f);
	assert_true(f->m.flags & FLAG_BIT(FLAG_HOST_CACHE));
	f->ev.extents = (struct target_extents){true, 16 * MIB, 8 * MIB};
	judge(f);
	assert_false(f->m.flags & FLAG_BIT(FLAG_HOST_CACHE));
	assert_true(f->m.flags & FLAG_BIT(FLAG_UNWRITTEN));
}

static void zeros_are_noted_where_nothing_else_tells(void **state)
{
	struct fixture *f = *state;

	f->ev.probe = (struct probe){.nr_read = 64, .nr_zero = 58};
	expect(f, FLAG_READS_ZERO, "58 of 64 sampled blocks");
	f->ev.probe.nr_zero = 57;
	expect_none(f);
	/* A slow target answered too few to tell. */
	f->ev.probe = (struct probe){.nr_read = 15, .nr_zero = 15};
	expect_none(f);
}

static void a_cache_of_this_host_is_seen_at_the_bottom(void **state)
{
	struct fixture *f = *state;

	put_on_loop(f);
	f->m.bottom_after.read_bytes = f->m.bottom_before.read_bytes + OWN_BYTES / 2;
	expect(f, FLAG_HOST_CACHE, "sda read 19.5 MiB, we 39.1 MiB");
	f->m.bottom_after.read_bytes = f->m.bottom_before.read_bytes + OWN_BYTES * 91 / 100;
	expect_none(f);
	/* The counters were read half a window late: what came before that is not missed. */
	f->m.bottom_after.read_bytes = f->m.bottom_before.read_bytes + OWN_BYTES / 2;
	f->ev.counters_late_ns = WINDOW_NS / 2;
	expect_none(f);
	/* Also where most of it came before that. */
	f->m.series[0].ios[DIR_READ] = IOS / 2;
	for (size_t i = 50; i < NR_INTERVALS; i++)
		f->m.series[i].ios[DIR_READ] = 1;
	f->m.bottom_after.read_bytes = f->m.bottom_before.read_bytes + 50 * 4096;
	expect_none(f);
	f->ev.counters_late_ns = 0;
	expect(f, FLAG_HOST_CACHE, "sda read 200 KiB, we 39.1 MiB");
}

/* The disk that a partition or a volume is a part of tells of neighbours, and of nothing else. */
static void neighbours_on_the_disk_are_noted(void **state)
{
	struct fixture *f = *state;

	put_on_loop(f);
	f->info.is_part_of_bottom = true;
	expect_none(f);
	f->m.bottom_after.read_bytes += OWN_BYTES;
	expect(f, FLAG_SHARED_LOAD, "sda read 78.1 MiB, we 39.1 MiB");
	/* A thin volume passes its pool by. */
	f->m.bottom_after = f->m.bottom_before;
	expect_none(f);
	f->m.bottom_before.is_known = f->m.bottom_after.is_known = false;
	expect_none(f);
	/* A cache is still seen by the device itself. */
	make_file(f);
	f->m.after.read_bytes = f->m.before.read_bytes;
	expect(f, FLAG_HOST_CACHE, "the disk below read 0 B, we 39.1 MiB");
}

static void a_file_system_may_be_the_cache_too(void **state)
{
	struct fixture *f = *state;

	make_file(f);
	f->m.after.read_bytes = f->m.before.read_bytes;
	expect(f, FLAG_HOST_CACHE, "the disk below read 0 B, we 39.1 MiB");
	/* Holes explain what the disk has not seen. */
	f->ev.extents = (struct target_extents){true, 64 * MIB, 64 * MIB};
	expect(f, FLAG_UNWRITTEN, "100 % of 64.0 MiB");
}

static void memory_is_a_cache_without_counters(void **state)
{
	struct fixture *f = *state;

	make_file(f);
	f->info.is_memory = f->info.is_bottomless = true;
	f->m.before.is_known = f->m.after.is_known = false;
	facts_set(&f->info.facts, "fs.type", "tmpfs");
	judge(f);
	assert_int_equal(f->m.flags, FLAG_BIT(FLAG_HOST_CACHE) | FLAG_BIT(FLAG_NO_COUNTERS));
	assert_string_equal(f->m.flag_detail[FLAG_HOST_CACHE], "the file is in memory, on tmpfs");
	f->info.is_memory = false;
	expect(f, FLAG_NO_COUNTERS, "no device that counts lies behind the target");
}

static void counters_that_never_move_are_none(void **state)
{
	struct fixture *f = *state;

	make_file(f);
	f->m.before = f->m.after = (struct dev_counters){.is_known = true};
	expect(f, FLAG_NO_COUNTERS, "no device that counts lies behind the target");
}

static void foreign_load_is_more_than_our_own(void **state)
{
	struct fixture *f = *state;

	/* 10 % of 3.9 MiB/s is less than 1 MiB/s. */
	f->m.after.read_bytes += 9 * MIB;
	expect_none(f);
	f->m.after.read_bytes += 2 * MIB;
	expect(f, FLAG_FOREIGN_LOAD, "the device read 50.1 MiB, we 39.1 MiB");
	/* Writes beside a point that only reads; each direction counts on its own. */
	f->m.after.write_bytes = 12 * MIB;
	expect(f, FLAG_FOREIGN_LOAD,
	       "the device read 50.1 MiB, we 39.1 MiB, the device wrote 12.0 MiB, we 0 B");
	f->m.after.read_bytes -= 11 * MIB;
	f->m.after.write_bytes = 9 * MIB;
	expect_none(f);
	/* Of a disk that others use too it is a note. */
	make_file(f);
	f->m.after.write_bytes = 12 * MIB;
	expect(f, FLAG_SHARED_LOAD, "the disk below wrote 12.0 MiB, we 0 B");
}

static void foreign_load_of_a_fast_device_is_a_share(void **state)
{
	struct fixture *f = *state;

	f->m.worker[0].dir[DIR_READ].bytes = 1000 * MIB;
	f->m.after.read_bytes = f->m.before.read_bytes + 1095 * MIB;
	expect_none(f);
	f->m.after.read_bytes += 10 * MIB;
	expect(f, FLAG_FOREIGN_LOAD, "the device read 1.08 GiB, we 0.977 GiB");
}

static void load_below_a_loop_device_is_noted(void **state)
{
	struct fixture *f = *state;

	put_on_loop(f);
	f->m.bottom_after.write_bytes = 20 * MIB;
	expect(f, FLAG_SHARED_LOAD, "sda wrote 20.0 MiB, we 0 B");
	/* A page cache reads ahead and writes later. */
	f->info.is_buffered = true;
	expect_none(f);
}

/* Nothing completes from interval first on for nr of them. */
static void silence(struct fixture *f, size_t first, size_t nr, double lat_ms)
{
	for (size_t i = first; i < first + nr; i++)
		f->m.series[i] = (struct interval){0};
	hist_add(f->m.lat[DIR_READ], (uint64_t)(lat_ms * NS_PER_MS));
}

static void a_stall_is_told_with_its_length(void **state)
{
	struct fixture *f = *state;

	silence(f, 20, 9, 950);
	expect_none(f);
	silence(f, 29, 1, 1120);
	expect(f, FLAG_STALL, "stall of 1.1 s");
	silence(f, 20, 48, 4970);
	expect(f, FLAG_STALL, "stall of 5.0 s");
	/* An older I/O that took longer does not tell how long the gap was. */
	silence(f, 20, 48, 9000);
	expect(f, FLAG_STALL, "stall of 4.8 s");
}

static void a_stall_may_end_with_the_window(void **state)
{
	struct fixture *f = *state;

	silence(f, 85, 15, 8);
	expect(f, FLAG_STALL, "stall of 1.5 s");
}

static void a_slow_target_has_long_gaps(void **state)
{
	static struct interval series[NR_INTERVALS];
	uint64_t ms = NS_PER_MS;

	(void)state;
	/* An I/O each 0.5 s: gaps of less than 5 s are none. */
	for (size_t i = 0; i < NR_INTERVALS; i++)
		series[i].ios[DIR_WRITE] = i % 5 == 0;
	assert_int_equal(
		verdict_stall_ns(series, NR_INTERVALS, 100 * ms, NR_INTERVALS * 100 * ms, 0), 0);
	for (size_t i = 20; i < 65; i++)
		series[i].ios[DIR_WRITE] = 0;
	assert_int_equal(
		verdict_stall_ns(series, NR_INTERVALS, 100 * ms, NR_INTERVALS * 100 * ms, 0), 0);
	for (size_t i = 20; i < 75; i++)
		series[i].ios[DIR_WRITE] = 0;
	assert_int_equal(
		verdict_stall_ns(series, NR_INTERVALS, 100 * ms, NR_INTERVALS * 100 * ms, 0),
		5900 * ms);
	assert_int_equal(verdict_stall_ns(series, 0, 100 * ms, 0 * 100 * ms, 0), 0);
}

/* A window that a stopping rule ended seldom ends with an interval. */
static void a_last_part_of_an_interval_is_as_long_as_it_is(void **state)
{
	static struct interval series[NR_INTERVALS];
	uint64_t ms = NS_PER_MS, window = (NR_INTERVALS - 1) * 100 * ms + 5 * ms;

	(void)state;
	for (size_t i = 0; i < NR_INTERVALS - 10; i++)
		series[i].ios[DIR_READ] = 50;
	assert_int_equal(verdict_stall_ns(series, NR_INTERVALS, 100 * ms, window, 0), 0);
	series[NR_INTERVALS - 11].ios[DIR_READ] = 0;
	assert_int_equal(verdict_stall_ns(series, NR_INTERVALS, 100 * ms, window, 0), 1005 * ms);
}

/* Five starts a second leave gaps of more than a second between them now and then. */
static void a_gap_between_arrivals_is_no_stall(void **state)
{
	struct fixture *f = *state;

	f->m.spec.rate_ask_iops = 5;
	silence(f, 20, 15, 8);
	f->m.arrivals = measurement_sums(&f->m, DIR_TOTAL).ios;
	expect_none(f);
	/* Something waited. */
	silence(f, 20, 15, 1600);
	expect(f, FLAG_STALL, "stall of 1.6 s");
}

static void a_stall_of_an_offered_load_may_end_with_the_window(void **state)
{
	struct fixture *f = *state;

	f->m.spec.rate_ask_iops = 5;
	silence(f, 85, 15, 8);
	f->m.arrivals = measurement_sums(&f->m, DIR_TOTAL).ios;
	expect_none(f);
	/* One was offered and is still out. */
	f->m.arrivals++;
	expect(f, FLAG_STALL, "stall of 1.5 s");
}

/* Windows of hours have long intervals, in which one slow I/O is among thousands. */
static void a_slow_io_among_others_is_no_stall(void **state)
{
	static struct interval series[NR_INTERVALS];
	uint64_t ms = NS_PER_MS;

	(void)state;
	for (size_t i = 0; i < NR_INTERVALS; i++)
		series[i].ios[DIR_READ] = 5000;
	assert_int_equal(
		verdict_stall_ns(series, NR_INTERVALS, 1000 * ms, NR_INTERVALS * 1000 * ms, 1200e6),
		0);
	series[7].ios[DIR_READ] = 0;
	assert_int_equal(
		verdict_stall_ns(series, NR_INTERVALS, 1000 * ms, NR_INTERVALS * 1000 * ms, 1200e6),
		1200 * ms);
}

static void a_submit_call_that_blocks_is_a_lower_bound(void **state)
{
	struct fixture *f = *state;

	f->m.worker[0].submit_ns = WINDOW_NS * 6 / 10;
	f->m.after.queue_ms = 12000;
	expect(f, FLAG_SUBMIT_BLOCKED,
	       "60 % of the time inside the submit call; effective depth 1.2 of 8");
	/* The device had its I/Os all the same. */
	f->m.after.queue_ms = 65000;
	expect_none(f);
	/* 32 bits of it are printed. */
	f->m.before.queue_ms = UINT32_MAX - 60000;
	f->m.after.queue_ms = 4999;
	expect_none(f);
	f->m.before.queue_ms = 0;
	/* Waiting for a CPU inside the call is not the target's doing. */
	f->m.after.queue_ms = 12000;
	f->m.worker[0].cpu_wait_ns = WINDOW_NS * 3 / 10;
	expect(f, FLAG_HOST_DISTURBED, "worker 0 waited for a CPU 30 % of the time");
}

static void the_limit_of_an_offered_load_is_no_depth_that_is_missed(void **state)
{
	struct fixture *f = *state;

	f->m.spec.rate_ask_iops = 1000;
	f->m.arrivals = IOS;
	f->m.spec.iodepth = 256;
	f->m.worker[0].submit_ns = WINDOW_NS * 6 / 10;
	f->m.after.queue_ms = 65000;
	judge(f);
	assert_false(f->m.flags & FLAG_BIT(FLAG_SUBMIT_BLOCKED));
	f->m.after.queue_ms = 12000;
	judge(f);
	assert_true(f->m.flags & FLAG_BIT(FLAG_SUBMIT_BLOCKED));
}

static void on_a_shared_disk_our_part_of_the_depth_counts(void **state)
{
	struct fixture *f = *state;

	make_file(f);
	f->m.worker[0].submit_ns = WINDOW_NS * 6 / 10;
	/* 8 in flight, but half of the bytes are of others. */
	f->m.after.read_bytes += OWN_BYTES;
	judge(f);
	assert_true(f->m.flags & FLAG_BIT(FLAG_SUBMIT_BLOCKED));
	assert_string_equal(f->m.flag_detail[FLAG_SUBMIT_BLOCKED],
			    "60 % of the time inside the submit call; effective depth 4.0 of 8");
}

static void without_counters_the_submit_latency_tells_the_depth(void **state)
{
	struct fixture *f = *state;

	make_file(f);
	f->info.is_bottomless = true;
	f->m.before.is_known = f->m.after.is_known = false;
	f->m.worker[0].submit_ns = WINDOW_NS * 6 / 10;
	f->m.worker[0].dir[DIR_READ].slat_ns = IOS * 6 * NS_PER_MS;
	judge(f);
	assert_string_equal(f->m.flag_detail[FLAG_SUBMIT_BLOCKED],
			    "60 % of the time inside the submit call; effective depth 2.0 of 8");
}

static void io_inside_the_call_is_noted(void **state)
{
	struct fixture *f = *state;

	f->m.worker[0].submit_ns = WINDOW_NS * 7 / 10;
	f->m.worker[0].voluntary_switches = 3;
	f->m.after.queue_ms = 7000;
	expect(f, FLAG_INLINE, "70 % of the time inside the submit call");
	/* It sleeps there: it waits for something. */
	f->m.worker[0].voluntary_switches = IOS;
	expect(f, FLAG_SUBMIT_BLOCKED,
	       "70 % of the time inside the submit call; effective depth 0.7 of 8");
	/* An asynchronous device that a busy client cannot feed. */
	f->m.worker[0].voluntary_switches = 3;
	f->m.after.queue_ms = 30000;
	expect(f, FLAG_SUBMIT_BLOCKED,
	       "70 % of the time inside the submit call; effective depth 3.0 of 8");
}

static void a_client_at_its_limit_is_cpu_bound(void **state)
{
	struct fixture *f = *state;

	f->m.worker[0].cpu_run_ns = WINDOW_NS * 92 / 100;
	f->m.worker[0].voluntary_switches = 3;
	expect(f, FLAG_CPU_BOUND, "worker 0 was on or waiting for a CPU 92 % of the time");
	f->m.worker[0].voluntary_switches = IOS;
	expect_none(f);
	f->m.worker[0].cpu_run_ns = WINDOW_NS * 85 / 100;
	f->m.worker[0].voluntary_switches = 3;
	expect_none(f);
	/* Without schedstat. */
	f->m.worker[0].cpu_run_ns = 0;
	f->m.worker[0].cpu_sys_ns = WINDOW_NS * 95 / 100;
	expect(f, FLAG_CPU_BOUND, "worker 0 was on or waiting for a CPU 95 % of the time");
}

static void the_depth_has_its_verdicts(void **state)
{
	struct fixture *f = *state;

	f->m.depth_mean = 7.5;
	expect(f, FLAG_DEPTH_NOT_HELD, "7.5 of 8 in flight on average");
	f->m.depth_mean = 7.7;
	expect_none(f);
	f->info.nr_requests = 4;
	expect(f, FLAG_QUEUE_LIMITED, "iodepth 8, limit 4");
	f->info.nr_requests = 8;
	expect_none(f);
}

static void limits_of_the_host_are_noted(void **state)
{
	static char throttle[] = "read_iops_device 500 in cgroup /x";
	struct fixture *f = *state;

	f->info.throttle = throttle;
	expect(f, FLAG_THROTTLED, throttle);
	f->info.throttle = NULL;
	f->info.max_sectors_kb = 1;
	expect(f, FLAG_SPLIT, "max_sectors_kb 1: 4 requests a block");
	f->info.max_sectors_kb = 4;
	expect_none(f);
}

static void books_that_do_not_balance_fail_the_point(void **state)
{
	struct fixture *f = *state;

	f->m.little_rel = 0.004;
	expect_none(f);
	f->m.little_rel = -0.006;
	expect(f, FLAG_LITTLE, "-0.60 % apart");
	assert_int_equal(f->m.status, POINT_FAILED);
	assert_non_null(f->m.reason);
	/* A failed point has no other verdicts. */
	f->m.depth_mean = 1;
	expect_none(f);
}

static void few_samples_are_noted(void **state)
{
	struct fixture *f = *state;

	f->m.spec.iodepth = 101;
	f->m.depth_mean = 101;
	f->m.worker[0].dir[DIR_READ].lat_ns *= 12;
	expect(f, FLAG_FEW_SAMPLES, "10000 I/Os at iodepth 101");
}

int main(void)
{
#define T(title, function) \
	{ \
		(title), (function), set_up, tear_down, NULL \
	}
	static const struct CMUnitTest tests[] = {
		T("a sound measurement raises nothing", a_sound_measurement_raises_nothing),
		T("blocks that were never written spoil reads (D16)",
		  blocks_never_written_spoil_reads),
		T("what was not looked at is no proof of a cache",
		  what_was_not_looked_at_is_no_proof_of_a_cache),
		T("the limit of an offered load is no depth that is missed",
		  the_limit_of_an_offered_load_is_no_depth_that_is_missed),
		T("a slow I/O among others is no stall", a_slow_io_among_others_is_no_stall),
		T("a last part of an interval is as long as it is",
		  a_last_part_of_an_interval_is_as_long_as_it_is),
		T("a gap between arrivals is no stall", a_gap_between_arrivals_is_no_stall),
		T("a stall of an offered load may end with the window",
		  a_stall_of_an_offered_load_may_end_with_the_window),
		T("zeros are noted where nothing else tells (D16)",
		  zeros_are_noted_where_nothing_else_tells),
		T("a cache of this host is seen at the bottom (D14)",
		  a_cache_of_this_host_is_seen_at_the_bottom),
		T("neighbours on the disk are noted (D15)", neighbours_on_the_disk_are_noted),
		T("a file system may be the cache too", a_file_system_may_be_the_cache_too),
		T("memory is a cache without counters (D14)", memory_is_a_cache_without_counters),
		T("counters that never move are none", counters_that_never_move_are_none),
		T("foreign load is more than our own by 10 % and 1 MiB/s (D15)",
		  foreign_load_is_more_than_our_own),
		T("foreign load of a fast device is a share (D15)",
		  foreign_load_of_a_fast_device_is_a_share),
		T("load below a loop device is noted", load_below_a_loop_device_is_noted),
		T("a stall is told with its length (D19)", a_stall_is_told_with_its_length),
		T("a stall may end with the window", a_stall_may_end_with_the_window),
		T("a slow target has long gaps (D19)", a_slow_target_has_long_gaps),
		T("a submit call that blocks is a lower bound (D17)",
		  a_submit_call_that_blocks_is_a_lower_bound),
		T("on a shared disk our part of the depth counts",
		  on_a_shared_disk_our_part_of_the_depth_counts),
		T("without counters the submit latency tells the depth",
		  without_counters_the_submit_latency_tells_the_depth),
		T("I/O that completes inside the call is noted (D17)", io_inside_the_call_is_noted),
		T("a client at its limit is cpu-bound (D18)", a_client_at_its_limit_is_cpu_bound),
		T("the depth has its verdicts", the_depth_has_its_verdicts),
		T("limits of the host are noted", limits_of_the_host_are_noted),
		T("books that do not balance fail the point (D9)",
		  books_that_do_not_balance_fail_the_point),
		T("few samples are noted", few_samples_are_noted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
