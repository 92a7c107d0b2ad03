/* SPDX-License-Identifier: MIT */
/*
 * No I/O leaves its span: every offset that the load loop submits, over thousands of points drawn at
 * random; and when the pattern is made wrong on purpose, nothing is submitted with it. The clock is a
 * counter, so that no point takes time.
 *
 * WRAP: clock_now_ns clock_sleep_ns
 */
#include "run/load.h"

#include "base/clock.h"
#include "base/mem.h"
#include "unit.h"

#include "ledger.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NR_POINTS   4000
#define IOS	    200 /* of each worker */
#define MAX_DEPTH   64
#define BUFFER_SIZE ((size_t)8 << 20)
#define RANDOM_SIZE ((size_t)1 << 20)

uint64_t __wrap_clock_now_ns(void);
void __wrap_clock_sleep_ns(uint64_t dur_ns);

static uint64_t virtual_ns;

uint64_t __wrap_clock_now_ns(void)
{
	virtual_ns += 100;
	return virtual_ns;
}

void __wrap_clock_sleep_ns(uint64_t dur_ns)
{
	virtual_ns += dur_ns;
}

/* Takes some of what it is given, completes it in the order of arrival, and looks at every place. */
struct recorder {
	struct engine base;
	const struct point_spec *spec;
	struct load_control *control;
	struct rng rng;
	struct engine_io *queue[MAX_DEPTH];
	uint64_t len_of[MAX_DEPTH];
	unsigned nr;
	uint64_t nr_submitted, nr_outside, low, high;
};

static struct recorder *to_recorder(struct engine *en)
{
	return (struct recorder *)(void *)en;
}

static void record_bind(struct engine *en, unsigned index, struct engine_io *io, int fd, void *data,
			uint32_t len)
{
	struct recorder *r = to_recorder(en);

	(void)fd;
	(void)data;
	assert_true(index < MAX_DEPTH);
	r->len_of[index] = len;
	io->prepared = &r->len_of[index];
}

static bool is_outside(const struct point_spec *s, uint64_t offset, uint64_t len)
{
	return offset < s->offset_bytes || len != s->bs_bytes || len > s->span_bytes ||
	       offset - s->offset_bytes > s->span_bytes - len ||
	       (offset - s->offset_bytes) % s->bs_bytes;
}

static int record_submit(struct engine *en, struct engine_io *const *ios, unsigned nr)
{
	struct recorder *r = to_recorder(en);
	unsigned taken = (unsigned)rng_below(&r->rng, nr + 1);

	for (unsigned i = 0; i < taken; i++) {
		uint64_t offset = ios[i]->offset_bytes;

		r->nr_outside += is_outside(r->spec, offset, *(uint64_t *)ios[i]->prepared);
		r->low = offset < r->low ? offset : r->low;
		r->high = offset > r->high ? offset : r->high;
		r->queue[r->nr++] = ios[i];
	}
	r->nr_submitted += taken;
	if (r->nr_submitted >= IOS)
		atomic_store(&r->control->stop, true);
	return (int)taken;
}

static int record_reap(struct engine *en, struct engine_done *done, unsigned max, uint64_t wait_ns)
{
	struct recorder *r = to_recorder(en);
	unsigned n = r->nr < max ? r->nr : max;

	if (!n)
		virtual_ns += wait_ns;
	for (unsigned i = 0; i < n; i++)
		done[i] = (struct engine_done){r->queue[i], (int64_t)r->spec->bs_bytes};
	memmove(r->queue, r->queue + n, (r->nr - n) * sizeof(r->queue[0]));
	r->nr -= n;
	return (int)n;
}

static const struct engine_ops record_ops = {
	.name = "recorder", .bind = record_bind, .submit = record_submit, .reap = record_reap};

struct bench {
	struct point_spec spec;
	struct load_control control;
	struct recorder recorder;
	struct load_worker worker;
};

static unsigned char *buffers, *random_data;

static void begin(struct bench *b, unsigned worker, uint64_t seed)
{
	b->control.window_start_ns = virtual_ns + 1000;
	b->control.window_end_ns = virtual_ns + 100 * NS_PER_S;
	b->control.give_up_ns = UINT64_MAX;
	b->control.drain_timeout_ns = NS_PER_S;
	b->control.interval_ns = 100 * NS_PER_S;
	b->control.max_intervals = 1;
	b->control.begin_ns = virtual_ns;
	b->recorder.base.ops = &record_ops;
	b->recorder.base.depth = MAX_DEPTH;
	b->recorder.spec = &b->spec;
	b->recorder.control = &b->control;
	b->recorder.low = UINT64_MAX;
	rng_seed(&b->recorder.rng, seed + 1);
	load_worker_init(&b->worker, &b->control, &b->spec, worker, &b->recorder.base, -1, buffers,
			 random_data, RANDOM_SIZE, seed);
}

/* A number of any size up to max: each number of bits is as probable. */
static uint64_t any_size(struct rng *rng, uint64_t max)
{
	uint64_t n = rng_next(rng) >> rng_below(rng, 64);

	return n > max ? rng_below(rng, max + 1) : n;
}

/* A point on a device of up to 2^63 - 1 bytes with this logical block; the span need not be a multiple
 * of the block of the I/Os, and often ends where the device does. */
static struct point_spec any_point(struct rng *rng)
{
	static const uint32_t blocks[] = {1, 1, 2, 3, 4, 8, 16, 24, 32, 128};
	uint64_t logical = rng_below(rng, 2) ? 4096 : 512;
	uint64_t bs = logical * blocks[rng_below(rng, sizeof(blocks) / sizeof(blocks[0]))];
	uint64_t max = (((uint64_t)1 << 63) - 1) / logical * logical;
	uint64_t device =
		rng_below(rng, 8) ? bs + any_size(rng, max - bs) / logical * logical : max;
	uint64_t span = bs + any_size(rng, device - bs) / logical * logical;
	uint64_t room = device - span;
	struct point_spec s = {
		.rw = (enum rw_mode)rng_below(rng, RW_NR),
		.bs_bytes = bs,
		.span_bytes = span,
		.offset_bytes = rng_below(rng, 3) ? any_size(rng, room) / logical * logical : room,
		.repeat = 1};

	s.rwmixread_pct = rw_is_mixed(s.rw) ? (uint32_t)rng_below(rng, 101)
			  : rw_reads(s.rw)  ? 100
					    : 0;
	s.random_pct =
		rw_is_random(s.rw) ? (uint32_t)(rng_below(rng, 2) ? 100 : rng_below(rng, 101)) : 0;
	s.workers = 1 + (uint32_t)rng_below(rng, 5);
	s.iodepth = s.workers + (uint32_t)rng_below(rng, MAX_DEPTH);
	while ((uint64_t)load_share(s.iodepth, s.workers, 0) * bs > BUFFER_SIZE)
		s.iodepth = s.workers + (s.iodepth - s.workers) / 2;
	if (load_share(s.iodepth, s.workers, 0) > MAX_DEPTH)
		s.iodepth = s.workers;
	s.rate_ask_iops = rng_below(rng, 4) ? 0 : 1000 + rng_below(rng, 1000000);
	return s;
}

static void every_offset_of_random_points_lies_in_the_span(void **state)
{
	uint64_t nr_ios = 0, nr_at_begin = 0, nr_at_end = 0, nr_huge = 0, nr_uneven = 0;
	struct rng rng;

	(void)state;
	rng_seed(&rng, 7);
	for (unsigned p = 0; p < NR_POINTS; p++) {
		struct bench *b = xcalloc(1, sizeof(*b));
		unsigned index;
		uint64_t last;

		b->spec = any_point(&rng);
		b->control.rate_iops = (double)b->spec.rate_ask_iops;
		b->control.arrivals = (enum arrivals)rng_below(&rng, ARRIVALS_NR);
		index = (unsigned)rng_below(&rng, b->spec.workers);
		begin(b, index, rng_next(&rng));
		load_worker_run(&b->worker);
		assert_int_equal(b->recorder.nr_outside, 0);
		assert_int_equal(b->worker.nr_errors, 0);
		assert_true(b->recorder.nr_submitted >= IOS);
		nr_ios += b->recorder.nr_submitted;
		last = b->spec.offset_bytes +
		       (b->spec.span_bytes / b->spec.bs_bytes - 1) * b->spec.bs_bytes;
		nr_at_begin += b->recorder.low == b->spec.offset_bytes;
		nr_at_end += b->recorder.high == last;
		nr_huge += b->recorder.high > (uint64_t)1 << 62;
		nr_uneven += b->spec.span_bytes % b->spec.bs_bytes > 0;
		load_worker_release(&b->worker);
		free(b);
	}
	print_message(
		"%d points, %llu I/Os: %llu points reached the first block, %llu the last, %llu "
		"lay beyond 2^62, %llu had a rest\n",
		NR_POINTS, (unsigned long long)nr_ios, (unsigned long long)nr_at_begin,
		(unsigned long long)nr_at_end, (unsigned long long)nr_huge,
		(unsigned long long)nr_uneven);
	/* Or the points say nothing about the ends. */
	assert_true(nr_at_begin > 100 && nr_at_end > 100 && nr_huge > 30 && nr_uneven > 100);
}

/* What may go wrong in a pattern, one thing at a time. */
static void one_block_more(struct pattern *p)
{
	p->slice = p->slice_blocks = p->nr_blocks;
	p->next[DIR_READ] = p->next[DIR_WRITE] = 0;
	p->nr_blocks = UINT64_MAX / 2 / p->bs_bytes;
}

static void below_the_span(struct pattern *p)
{
	p->slice = -(uint64_t)1;
	p->slice_blocks = 1;
	p->next[DIR_READ] = p->next[DIR_WRITE] = 0;
	p->nr_blocks = UINT64_MAX / p->bs_bytes;
}

static void between_blocks(struct pattern *p)
{
	p->bs_bytes += 512;
	p->slice = 1;
	p->slice_blocks = 1;
	p->next[DIR_READ] = p->next[DIR_WRITE] = 0;
}

static void a_wrong_pattern_is_stopped_before_anything_is_submitted(void **state)
{
	void (*const spoil[])(struct pattern *) = {one_block_more, below_the_span, between_blocks};
	static const uint32_t depths[] = {1, 2, 7, 64};

	(void)state;
	for (unsigned i = 0; i < 3 * RW_NR * 4 * 2; i++) {
		struct bench *b = xcalloc(1, sizeof(*b));
		enum rw_mode rw = (enum rw_mode)(i / 3 % RW_NR);

		b->spec = (struct point_spec){.rw = rw,
					      .iodepth = depths[i / 3 / RW_NR % 4],
					      .workers = 1,
					      .rwmixread_pct = rw_is_mixed(rw) ? 50
							       : rw_reads(rw)  ? 100
									       : 0,
					      .random_pct = rw_is_random(rw) ? 100 : 0,
					      .bs_bytes = 4096,
					      .span_bytes = 1 << 20,
					      .offset_bytes = 1 << 20,
					      .repeat = 1};
		b->control.rate_iops = i / 3 / RW_NR / 4 ? 1e6 : 0;
		begin(b, 0, i);
		spoil[i % 3](&b->worker.pattern);
		load_worker_run(&b->worker);
		assert_int_equal(b->recorder.nr_outside, 0);
		assert_true(b->worker.is_astray);
		assert_int_equal(b->worker.err_errno, ERANGE);
		assert_int_equal(b->worker.nr_errors, 1);
		assert_true(is_outside(&b->spec, b->worker.err_offset, b->spec.bs_bytes));
		assert_true(atomic_load(&b->control.stop));
		assert_int_equal(load_in_flight(&b->worker), 0);
		/* Random places between blocks may be the right ones by chance, for a while. */
		assert_true(b->recorder.nr_submitted == 0 || spoil[i % 3] == between_blocks);
		ledger("faults", 1);
		load_worker_release(&b->worker);
		free(b);
	}
}

static int set_up(void **state)
{
	(void)state;
	buffers = xcalloc(1, BUFFER_SIZE);
	random_data = xcalloc(1, RANDOM_SIZE);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	free(buffers);
	free(random_data);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("O-05: every offset of 4000 random points lies in the span",
			    every_offset_of_random_points_lies_in_the_span),
		titled_test("O-05: a wrong pattern is stopped before anything is submitted",
			    a_wrong_pattern_is_stopped_before_anything_is_submitted),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
