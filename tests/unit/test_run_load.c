/* SPDX-License-Identifier: MIT */
/*
 * The load loop against an engine that answers from a script: what kernels and devices do only
 * now and then happens here at once, and every time.
 * WRAP: malloc calloc
 */
#include "base/num.h"
#include "run/load.h"

#include "base/clock.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BS 4096

/* Of the allocations since it was set, this one fails, from 1; 0 for none. */
static int fail_at;

void *__real_malloc(size_t size);
void *__real_calloc(size_t nr, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t nr, size_t size);

void *__wrap_malloc(size_t size)
{
	return fail_at && !--fail_at ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t nr, size_t size)
{
	return fail_at && !--fail_at ? NULL : __real_calloc(nr, size);
}

/* Completes everything after delay_ns, in order, unless told otherwise. */
struct fake {
	struct engine base;
	uint64_t delay_ns;
	unsigned take_at_most; /* of one submit; 0 for all */
	unsigned refuse_every; /* every n-th submit takes nothing */
	unsigned wrong_res_at; /* the n-th completion ... */
	int64_t wrong_res;     /* ... has this result */
	int submit_error;      /* -errno of every submit */
	bool never_completes;
	uint64_t submit_ns; /* what a submit takes */
	bool is_telling;    /* has engine_ready */
	uint64_t slow_ns;   /* the delay of every slow_every-th I/O from the slow_from-th on */
	unsigned slow_every, slow_from;
	unsigned stop_in;   /* the n-th submit: the user ends the run meanwhile */
	uint64_t paused_ns; /* once, before the first reap behind the end: the process is stopped */
	struct load_control *control;
	/* State and what was seen. */
	struct {
		struct engine_io *io;
		uint64_t due_ns;
	} queue[256];
	unsigned head, nr;
	unsigned nr_waits; /* reaps that might sleep */
	unsigned nr_submits, nr_submitted, nr_completed, max_in_flight, max_batch;
	unsigned late_batch; /* the largest, from some time behind slow_from on */
	uint64_t low, high;
	unsigned char *last_write[64];
	unsigned nr_writes;
	struct engine_io taken[1000];
	unsigned nr_taken;
};

static struct fake *to_fake(struct engine *en)
{
	return (struct fake *)(void *)en;
}

static void fake_bind(struct engine *en, unsigned index, struct engine_io *io, int fd, void *data,
		      uint32_t len)
{
	(void)en;
	(void)index;
	(void)fd;
	assert_int_equal(len, BS);
	io->prepared = data;
}

static void look_at(struct fake *f, const struct engine_io *io)
{
	if (f->nr_taken < 1000)
		f->taken[f->nr_taken++] = *io;
	f->low = io->offset_bytes < f->low ? io->offset_bytes : f->low;
	f->high = io->offset_bytes + BS > f->high ? io->offset_bytes + BS : f->high;
	if (io->is_write && f->nr_writes < 64) {
		f->last_write[f->nr_writes] = malloc(BS);
		assert_non_null(f->last_write[f->nr_writes]);
		memcpy(f->last_write[f->nr_writes++], io->prepared, BS);
	}
}

static uint64_t delay_of(const struct fake *f, unsigned io)
{
	return f->slow_every && io >= f->slow_from && io % f->slow_every == 0 ? f->slow_ns
									      : f->delay_ns;
}

static int fake_submit(struct engine *en, struct engine_io *const *ios, unsigned nr)
{
	struct fake *f = to_fake(en);

	f->nr_submits++;
	if (f->submit_ns)
		clock_sleep_ns(f->submit_ns);
	if (f->nr_submits == f->stop_in)
		atomic_store(&f->control->stop, true);
	if (f->submit_error)
		return f->submit_error;
	if (f->refuse_every && f->nr_submits % f->refuse_every == 0)
		return 0;
	if (f->take_at_most && nr > f->take_at_most)
		nr = f->take_at_most;
	for (unsigned i = 0; i < nr; i++) {
		unsigned at = (f->head + f->nr++) % 256;

		look_at(f, ios[i]);
		f->queue[at].io = ios[i];
		f->queue[at].due_ns = clock_now_ns() + delay_of(f, f->nr_submitted + i);
	}
	f->nr_submitted += nr;
	f->max_in_flight = f->nr > f->max_in_flight ? f->nr : f->max_in_flight;
	return (int)nr;
}

static int fake_reap(struct engine *en, struct engine_done *done, unsigned max, uint64_t wait_ns)
{
	struct fake *f = to_fake(en);
	uint64_t until = clock_now_ns() + wait_ns;
	unsigned n = 0;

	f->nr_waits += wait_ns > 0;
	if (f->paused_ns && clock_now_ns() > f->control->window_end_ns) {
		clock_sleep_ns(f->paused_ns);
		f->paused_ns = 0;
		return 0;
	}
	if (f->never_completes || !f->nr) {
		clock_sleep_ns(wait_ns);
		return 0;
	}
	if (f->queue[f->head].due_ns > until) {
		clock_sleep_ns(wait_ns);
		return 0;
	}
	while (clock_now_ns() < f->queue[f->head].due_ns)
		;
	for (; n < max && f->nr && f->queue[f->head].due_ns <= clock_now_ns(); n++) {
		done[n].io = f->queue[f->head].io;
		done[n].res = ++f->nr_completed == f->wrong_res_at ? f->wrong_res : BS;
		f->head = (f->head + 1) % 256;
		f->nr--;
	}
	f->max_batch = n > f->max_batch ? n : f->max_batch;
	if (f->nr_completed > f->slow_from + 256)
		f->late_batch = n > f->late_batch ? n : f->late_batch;
	return (int)n;
}

static unsigned fake_ready(const struct engine *en)
{
	const struct fake *f = (const struct fake *)(const void *)en;
	unsigned n = 0;

	while (n < f->nr && f->queue[(f->head + n) % 256].due_ns <= clock_now_ns())
		n++;
	return n;
}

static const struct engine_ops fake_ops = {
	.name = "fake", .bind = fake_bind, .submit = fake_submit, .reap = fake_reap};

static const struct engine_ops telling_ops = {.name = "telling",
					      .bind = fake_bind,
					      .submit = fake_submit,
					      .reap = fake_reap,
					      .ready = fake_ready};

struct bench {
	struct fake fake;
	struct load_control control;
	struct load_worker worker;
	struct point_spec spec;
	unsigned char *buffers, *random;
	uint64_t late_ns; /* the thread gets the CPU so long after the point began */
};

static void start(struct bench *b, enum rw_mode rw, uint32_t iodepth, uint64_t window_ms)
{
	b->fake.base.ops = b->fake.is_telling ? &telling_ops : &fake_ops;
	b->fake.control = &b->control;
	b->fake.low = UINT64_MAX;
	b->spec = (struct point_spec){
		.rw = rw,
		.iodepth = iodepth,
		.workers = 1,
		.rwmixread_pct = rw_is_mixed(rw) ? 50
				 : rw_reads(rw)	 ? 100
						 : 0,
		.random_pct = 100,
		.bs_bytes = BS,
		.span_bytes = 100 * BS,
		.offset_bytes = 7 * BS,
		.repeat = 1,
	};
	b->buffers = calloc(iodepth, BS);
	b->random = malloc(1 << 20);
	assert_non_null(b->buffers);
	assert_non_null(b->random);
	for (int i = 0; i < 1 << 20; i++)
		b->random[i] = (unsigned char)rand();
	b->control.give_up_ns = UINT64_MAX;
	b->control.drain_timeout_ns = 200 * NS_PER_MS;
	b->control.interval_ns = 10 * NS_PER_MS;
	b->control.max_intervals = window_ms / 10 + 1;
	assert_int_equal(load_worker_init(&b->worker, &b->control, &b->spec, 0, &b->fake.base, -1,
					  b->buffers, b->random, 1 << 20, 42),
			 0);
	b->control.window_start_ns = clock_now_ns() + 50 * NS_PER_MS;
	b->control.window_end_ns = b->control.window_start_ns + window_ms * NS_PER_MS;
	clock_sleep_ns(b->late_ns);
	load_worker_run(&b->worker);
}

static void finish(struct bench *b)
{
	for (unsigned i = 0; i < b->fake.nr_writes; i++)
		free(b->fake.last_write[i]);
	load_worker_release(&b->worker);
	free(b->buffers);
	free(b->random);
}

static uint64_t total_ios(const struct load_worker *w)
{
	return w->result.dir[DIR_READ].ios + w->result.dir[DIR_WRITE].ios;
}

/* D9: both sides of Little's law from the worker's sums. */
static double little(const struct load_worker *w)
{
	double sum = (double)w->result.dir[DIR_READ].lat_ns +
		     (double)w->result.dir[DIR_WRITE].lat_ns - (double)w->age_start_ns +
		     (double)w->age_end_ns;

	return sum / (double)w->area_ns;
}

static void depth_is_held_and_littles_law_is_an_identity(void **state)
{
	const uint32_t depths[] = {1, 2, 7, 64};

	(void)state;
	for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
		struct bench b = {.fake = {.delay_ns = 300 * NS_PER_US}};

		start(&b, RW_RANDREAD, depths[i], 100);
		assert_int_equal(b.fake.max_in_flight, depths[i]);
		assert_int_equal(b.worker.result.depth_max, depths[i]);
		assert_int_equal(b.worker.area_ns, depths[i] * 100 * NS_PER_MS);
		assert_true(little(&b.worker) > 0.999999 && little(&b.worker) < 1.000001);
		assert_int_equal(b.worker.lat[DIR_READ]->count, total_ios(&b.worker));
		assert_true(b.worker.lat[DIR_READ]->min >= 300 * NS_PER_US);
		finish(&b);
	}
}

/* The rest of the work of a turn is the same: what differs is that nobody waits. */
static void spinning_never_sleeps_until_the_window_is_over(void **state)
{
	struct bench b = {.fake = {.delay_ns = 2 * NS_PER_MS}}, sleeping = b;

	(void)state;
	b.control.spin = true;
	start(&b, RW_RANDREAD, 4, 100);
	start(&sleeping, RW_RANDREAD, 4, 100);
	assert_true(total_ios(&b.worker) > 0);
	assert_true(little(&b.worker) > 0.999999 && little(&b.worker) < 1.000001);
	/* The drain may wait. */
	assert_true(b.fake.nr_waits <= 4);
	assert_true(sleeping.fake.nr_waits >= 10);
	finish(&b);
	finish(&sleeping);
}

static void littles_law_holds_when_the_window_opens_before_or_amid_the_first_submits(void **state)
{
	const struct {
		uint64_t late_ns, submit_ns;
	} cases[] = {{90 * NS_PER_MS, 0}, {0, 6 * NS_PER_MS}, {150 * NS_PER_MS, 3 * NS_PER_MS}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench b = {.late_ns = cases[i].late_ns,
				  .fake = {.delay_ns = NS_PER_MS, .submit_ns = cases[i].submit_ns}};

		start(&b, RW_RANDREAD, 64, 400);
		assert_true(little(&b.worker) > 0.999999 && little(&b.worker) < 1.000001);
		finish(&b);
	}
}

static void the_order_of_completions_does_not_change_what_is_asked_next(void **state)
{
	struct bench slow = {.fake = {.delay_ns = 300 * NS_PER_US}};
	struct bench fast = {.fake = {.delay_ns = 0, .take_at_most = 3}};

	(void)state;
	start(&slow, RW_RANDRW, 16, 100);
	start(&fast, RW_RANDRW, 16, 100);
	assert_int_equal(slow.fake.nr_taken, 1000);
	assert_int_equal(fast.fake.nr_taken, 1000);
	for (unsigned i = 0; i < 1000; i++) {
		assert_int_equal(slow.fake.taken[i].offset_bytes, fast.fake.taken[i].offset_bytes);
		assert_int_equal(slow.fake.taken[i].is_write, fast.fake.taken[i].is_write);
	}
	finish(&slow);
	finish(&fast);
}

static void ramp_and_drain_are_not_counted(void **state)
{
	struct bench b = {.fake = {.delay_ns = 5 * NS_PER_MS}};
	uint64_t in_series = 0;
	double max_ns = UNKNOWN;

	(void)state;
	start(&b, RW_RANDREAD, 4, 100);
	/* All that was submitted came back, but only what lies in the window counts. */
	assert_int_equal(b.fake.nr_completed, b.fake.nr_submitted);
	assert_true(total_ios(&b.worker) < b.fake.nr_completed - 4);
	assert_true(b.worker.drain_end_ns > b.control.window_end_ns);
	for (size_t i = 0; i < b.control.max_intervals; i++)
		in_series += b.worker.series[i].ios[DIR_READ];
	assert_int_equal(in_series, total_ios(&b.worker));
	for (size_t i = 0; i < b.control.max_intervals; i++)
		max_ns = fmax(max_ns, interval_lat_max_ns(&b.worker.series[i], DIR_READ));
	assert_true(max_ns >= 5e6);
	assert_int_equal((uint64_t)max_ns, b.worker.lat[DIR_READ]->max);
	finish(&b);
}

/* D10, also where the submit calls of one depth take longer than the user has patience. */
static void nothing_is_submitted_after_a_stop(void **state)
{
	struct bench b = {.fake = {.delay_ns = NS_PER_MS, .submit_ns = NS_PER_MS, .stop_in = 2}};

	(void)state;
	start(&b, RW_RANDWRITE, 64, 100);
	assert_int_equal(b.fake.nr_submits, 2);
	assert_int_equal(b.fake.nr_submitted, 16);
	assert_false(b.worker.is_stuck);
	finish(&b);
}

/* The I/Os come back when the window would have begun. */
static void a_point_stopped_in_its_ramp_has_no_window(void **state)
{
	struct bench b = {.fake = {.delay_ns = 100 * NS_PER_MS, .stop_in = 1}};

	(void)state;
	start(&b, RW_RANDREAD, 4, 100);
	assert_int_equal(b.fake.nr_completed, 4);
	assert_int_equal(b.worker.lat[DIR_READ]->count, 0);
	assert_int_equal(b.worker.area_ns, 0);
	finish(&b);
}

/* Stopped for longer than the drain may take, while the I/Os came back. */
static void a_pause_of_the_process_is_no_hang(void **state)
{
	struct bench b = {.fake = {.delay_ns = 20 * NS_PER_MS, .paused_ns = 300 * NS_PER_MS}};

	(void)state;
	start(&b, RW_RANDREAD, 64, 100);
	assert_false(b.worker.is_stuck);
	assert_int_equal(b.fake.nr_completed, b.fake.nr_submitted);
	finish(&b);
}

static void chunks_are_4_to_8_at_a_time(void **state)
{
	const unsigned cases[][2] = {{2, 2}, {8, 4}, {24, 6}, {200, 8}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench b = {.fake = {.delay_ns = 0}};

		start(&b, RW_RANDREAD, cases[i][0], 30);
		assert_int_equal(b.fake.max_batch, cases[i][1]);
		finish(&b);
	}
}

/* Where the target completes inside the submit call, every call that is saved is IOPS. */
static void a_target_that_completes_at_once_gets_the_whole_depth_at_a_time(void **state)
{
	const unsigned cases[][2] = {{2, 2}, {8, 8}, {64, 64}, {100, 50}, {200, 50}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench b = {.fake = {.delay_ns = 0, .is_telling = true}};

		start(&b, RW_RANDREAD, cases[i][0], 30);
		assert_int_equal(b.fake.max_batch, cases[i][1]);
		assert_int_equal(b.fake.nr_completed, b.fake.nr_submitted);
		finish(&b);
	}
}

/* It would not look at the clock for as long as all of them take. */
static void a_target_that_blocks_the_submit_call_gets_chunks(void **state)
{
	struct bench b = {.fake = {.delay_ns = 0, .is_telling = true, .submit_ns = NS_PER_MS}};

	(void)state;
	start(&b, RW_RANDREAD, 64, 200);
	assert_true(b.fake.nr_submits > 2 * 16);
	assert_int_equal(b.fake.max_batch, 8);
	finish(&b);
}

/* One I/O of many that is not back is a device at work. */
static void a_fast_device_gets_chunks(void **state)
{
	struct bench b = {.fake = {.delay_ns = 0,
				   .is_telling = true,
				   .slow_every = 8,
				   .slow_ns = 50 * NS_PER_US}};

	(void)state;
	start(&b, RW_RANDREAD, 64, 50);
	assert_int_equal(b.fake.max_batch, 8);
	finish(&b);
}

/* A pause of a device that was never busy, as a write cache that fills. */
static void the_first_io_that_is_out_ends_large_batches(void **state)
{
	struct bench b = {.fake = {.delay_ns = 0,
				   .is_telling = true,
				   .slow_from = 5000,
				   .slow_every = 1,
				   .slow_ns = 100 * NS_PER_US}};

	(void)state;
	start(&b, RW_RANDREAD, 64, 100);
	assert_int_equal(b.fake.max_batch, 64);
	assert_true(b.fake.nr_completed > 6000);
	assert_int_equal(b.fake.late_batch, 8);
	finish(&b);
}

static void offsets_stay_inside_the_span(void **state)
{
	struct bench b = {.fake = {.delay_ns = 0}};

	(void)state;
	start(&b, RW_RANDWRITE, 8, 50);
	assert_int_equal(b.fake.low, 7 * BS);
	assert_int_equal(b.fake.high, 107 * BS);
	finish(&b);
}

static void a_short_transfer_is_an_error_and_no_io(void **state)
{
	const int64_t results[] = {0, 512, -EIO, -ENOSPC};
	const int errnos[] = {EIO, EIO, EIO, ENOSPC};

	(void)state;
	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
		struct bench b = {.fake = {.delay_ns = 10 * NS_PER_US,
					   .wrong_res_at = 3000,
					   .wrong_res = results[i]}};

		start(&b, RW_RANDREAD, 4, 300);
		assert_int_equal(b.worker.nr_errors, 1);
		assert_int_equal(b.worker.err_errno, errnos[i]);
		assert_in_range(b.worker.err_offset, 7 * BS, 106 * BS);
		finish(&b);
	}
}

static void what_the_kernel_does_not_take_is_submitted_later(void **state)
{
	struct bench b = {
		.fake = {.delay_ns = 100 * NS_PER_US, .take_at_most = 1, .refuse_every = 5}};

	(void)state;
	start(&b, RW_RANDREAD, 16, 200);
	assert_int_equal(b.worker.nr_errors, 0);
	assert_int_equal(b.fake.nr_completed, b.fake.nr_submitted);
	assert_true(total_ios(&b.worker) > 1000);
	assert_true(little(&b.worker) > 0.999999 && little(&b.worker) < 1.000001);
	finish(&b);
}

static void an_io_that_can_never_be_submitted_fails_the_point(void **state)
{
	struct bench b = {.fake = {.submit_error = -EINVAL}};

	(void)state;
	start(&b, RW_RANDREAD, 4, 10000);
	assert_int_equal(b.worker.err_errno, EINVAL);
	assert_true(b.control.stop);
	assert_int_equal(total_ios(&b.worker), 0);
	finish(&b);
}

static void a_device_that_hangs_ends_the_wait(void **state)
{
	struct bench b = {.fake = {.never_completes = true}};
	uint64_t begin = clock_now_ns();

	(void)state;
	start(&b, RW_RANDREAD, 4, 50);
	assert_true(b.worker.is_stuck);
	assert_true(clock_now_ns() - begin < 3 * NS_PER_S);
	assert_int_equal(load_in_flight(&b.worker), 4);
	assert_int_equal(b.worker.area_ns, 4 * 50 * NS_PER_MS);
	finish(&b);
}

static void every_block_that_is_written_differs_and_is_random(void **state)
{
	struct bench b = {.fake = {.delay_ns = 10 * NS_PER_US}};
	unsigned zeros = 0;

	(void)state;
	start(&b, RW_RANDRW, 4, 100);
	assert_int_equal(b.fake.nr_writes, 64);
	for (unsigned i = 0; i < 64; i++) {
		for (unsigned k = 0; k < i; k++)
			assert_memory_not_equal(b.fake.last_write[i], b.fake.last_write[k], BS);
		for (unsigned at = 0; at < BS; at++)
			zeros += !b.fake.last_write[i][at];
	}
	/* 64 x 4096 random bytes have 1024 zeros on average. */
	assert_in_range(zeros, 800, 1300);
	finish(&b);
}

/* The sanitizers tell whether something is lost. */
static void no_memory_for_a_worker_is_told_and_released(void **state)
{
	struct load_control control = {
		.max_intervals = 10, .rate_iops = 100, .interval_ns = NS_PER_MS};
	struct point_spec spec = {.rw = RW_RANDRW,
				  .bs_bytes = BS,
				  .iodepth = 8,
				  .workers = 1,
				  .rwmixread_pct = 50,
				  .random_pct = 100,
				  .span_bytes = 64 * BS};
	static unsigned char buffers[8 * BS], random[1 << 20];
	struct fake fake = {.base = {.ops = &fake_ops, .depth = 8}};
	int nr = 0, rc;

	(void)state;
	do {
		struct load_worker w;

		fail_at = ++nr;
		rc = load_worker_init(&w, &control, &spec, 0, &fake.base, -1, buffers, random,
				      sizeof(random), 1);
		assert_int_equal(rc, fail_at ? 0 : -ENOMEM);
		fail_at = 0;
		load_worker_release(&w);
	} while (rc);
	/* Slots, those that are idle, two histograms, the series, and two for the open loop. */
	assert_int_equal(nr, 7 + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_memory_for_a_worker_is_told_and_released),
		cmocka_unit_test(depth_is_held_and_littles_law_is_an_identity),
		cmocka_unit_test(spinning_never_sleeps_until_the_window_is_over),
		cmocka_unit_test(the_order_of_completions_does_not_change_what_is_asked_next),
		cmocka_unit_test(
			littles_law_holds_when_the_window_opens_before_or_amid_the_first_submits),
		cmocka_unit_test(ramp_and_drain_are_not_counted),
		cmocka_unit_test(nothing_is_submitted_after_a_stop),
		cmocka_unit_test(a_point_stopped_in_its_ramp_has_no_window),
		cmocka_unit_test(a_pause_of_the_process_is_no_hang),
		cmocka_unit_test(chunks_are_4_to_8_at_a_time),
		cmocka_unit_test(a_target_that_completes_at_once_gets_the_whole_depth_at_a_time),
		cmocka_unit_test(a_target_that_blocks_the_submit_call_gets_chunks),
		cmocka_unit_test(a_fast_device_gets_chunks),
		cmocka_unit_test(the_first_io_that_is_out_ends_large_batches),
		cmocka_unit_test(offsets_stay_inside_the_span),
		cmocka_unit_test(a_short_transfer_is_an_error_and_no_io),
		cmocka_unit_test(what_the_kernel_does_not_take_is_submitted_later),
		cmocka_unit_test(an_io_that_can_never_be_submitted_fails_the_point),
		cmocka_unit_test(a_device_that_hangs_ends_the_wait),
		cmocka_unit_test(every_block_that_is_written_differs_and_is_random),
	};

	return cmocka_run_group_tests_name("run/load", tests, NULL, NULL);
}
