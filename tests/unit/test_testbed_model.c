/* SPDX-License-Identifier: MIT */
/* The simulated array's model against its formulae and against the study that it was fitted to. */
#include "unit.h"

#include "base/err.h"
#include "base/rng.h"
#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES   4096
#define WARM_UP_MS    2000.0
#define MAX_DEPTH     256
#define HOST_DELAY_MS 0.02 /* from a completion to the next submission */

/* A closed loop: each request that ends is followed by another one. */
struct loop {
	struct model model;
	struct rng rng;
	uint64_t span_bytes;
	bool is_write;
	double host_delay_ms, end_ms;
	struct model_request requests[MAX_DEPTH];
	struct model_request *idle[MAX_DEPTH];
	int nr_idle;
	double nr_done, latency_sum_ms;
};

static void loop_done(void *ctx, struct model_request *r)
{
	struct loop *l = ctx;

	if (l->model.now_ms >= WARM_UP_MS && l->model.now_ms < l->end_ms) {
		l->nr_done++;
		l->latency_sum_ms += l->model.now_ms - r->arrived_ms;
	}
	l->idle[l->nr_idle++] = r;
}

static struct loop *new_loop(uint64_t span_bytes, bool is_write, double seconds)
{
	struct loop *l = calloc(1, sizeof(*l));

	assert_non_null(l);
	model_init(&l->model, loop_done, l);
	rng_seed(&l->rng, 1);
	l->span_bytes = span_bytes;
	l->is_write = is_write;
	l->end_ms = WARM_UP_MS + seconds * 1000;
	return l;
}

static void set(struct loop *l, const char *key, const char *value)
{
	struct err e = {0};

	if (model_set(&l->model, key, value, false, &e))
		fail_msg("%s", e.msg);
}

static void submit_idle(struct loop *l, int depth)
{
	while (l->nr_idle > 0) {
		struct model_request *r = l->idle[--l->nr_idle];

		*r = (struct model_request){.length_bytes = BLOCK_BYTES, .is_write = l->is_write};
		r->offset_bytes = rng_below(&l->rng, l->span_bytes / BLOCK_BYTES) * BLOCK_BYTES;
		model_submit(&l->model, l->model.now_ms + l->host_delay_ms / depth, r);
	}
}

static void run_loop(struct loop *l, int depth, double *iops, double *lat_ms)
{
	double due_ms;

	for (int i = 0; i < depth; i++)
		l->idle[l->nr_idle++] = &l->requests[i];
	submit_idle(l, depth);
	while (model_next(&l->model, &due_ms) && l->model.now_ms < l->end_ms) {
		model_run(&l->model, due_ms);
		submit_idle(l, depth);
	}
	*iops = l->nr_done / (l->end_ms - WARM_UP_MS) * 1000;
	*lat_ms = l->latency_sum_ms / l->nr_done;
	model_release(&l->model);
	free(l);
}

static struct loop *new_queue(const char *servers, const char *service_ms)
{
	struct loop *l = new_loop(1ULL << 30, false, 20);

	set(l, "model", "queue");
	set(l, "servers", servers);
	set(l, "svc", service_ms);
	return l;
}

static void test_queue_below_saturation(void **state)
{
	double iops, lat_ms;

	(void)state;
	for (int depth = 1; depth <= 8; depth++) {
		run_loop(new_queue("8", "2"), depth, &iops, &lat_ms);
		assert_close(iops, depth * 500, 1e-3);
		assert_close(lat_ms, 2, 1e-9);
	}
}

static void test_queue_above_saturation(void **state)
{
	double iops, lat_ms;

	(void)state;
	for (int depth = 16; depth <= MAX_DEPTH; depth *= 2) {
		run_loop(new_queue("8", "2"), depth, &iops, &lat_ms);
		assert_close(iops, 4000, 1e-3);
		assert_close(lat_ms, depth * 2 / 8.0, 1e-3);
	}
}

static void test_queue_exponential(void **state)
{
	struct loop *l = new_queue("4", "2");
	double iops, lat_ms;

	(void)state;
	set(l, "dist", "exp");
	run_loop(l, 32, &iops, &lat_ms);
	assert_close(iops, 2000, 0.02);
	assert_close(iops * lat_ms / 1000, 32, 0.01);
}

static void test_queue_rate(void **state)
{
	struct loop *l = new_queue("64", "0");
	double iops, lat_ms;

	(void)state;
	set(l, "rate", "3000");
	run_loop(l, 64, &iops, &lat_ms);
	assert_close(iops, 3000, 1e-3);
}

/* test,span_gb,lun_gb,mode,qd,bs,iops,lat_ms,util_pct; the span is in units of 10^9 bytes. */
static void check_study_row(char *row)
{
	char *field[9];
	double iops, lat_ms;
	struct loop *l;
	int depth;

	for (size_t i = 0; i < 9; i++)
		field[i] = strsep(&row, ",");
	assert_non_null(field[8]);
	depth = (int)strtol(field[4], NULL, 10);
	l = new_loop(strtoull(field[1], NULL, 10) * 1000000000, !strcmp(field[3], "randwrite"), 30);
	l->host_delay_ms = HOST_DELAY_MS;
	run_loop(l, depth, &iops, &lat_ms);
	assert_close(iops, strtod(field[6], NULL), 0.1);
	assert_close(lat_ms, strtod(field[7], NULL), 0.1);
}

static void test_study(void **state)
{
	char path[4096], row[256];
	int nr = 0;
	FILE *f;

	(void)state;
	(void)snprintf(path, sizeof(path), "%s/ult-lun-sizing.csv", getenv("TEST_DATA"));
	f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(row, sizeof(row), f));
	for (; fgets(row, sizeof(row), f); nr++)
		check_study_row(row);
	assert_int_equal(nr, 72);
	assert_int_equal(fclose(f), 0);
}

/* 20000 slots are full after 20000 / (20000 - 1860) = 1.1 s, within the warm-up. */
static void test_write_back_cliff(void **state)
{
	struct loop *before = new_loop(1000000000000, true, 20);
	struct loop *after = new_loop(1000000000000, true, 20);
	double fast_iops, slow_iops, lat_ms;

	(void)state;
	set(before, "cache", "1000000000");
	set(before, "t0w", "0.2");
	run_loop(before, 4, &fast_iops, &lat_ms);
	assert_close(fast_iops, 20000, 1e-3);
	set(after, "cache", "20000");
	set(after, "t0w", "0.2");
	run_loop(after, 4, &slow_iops, &lat_ms);
	assert_in_range((uintmax_t)slow_iops, 1600, 2000);
}

static void test_parameters(void **state)
{
	static struct model m;
	struct err e = {0};

	(void)state;
	model_init(&m, loop_done, NULL);
	assert_int_equal(model_set(&m, "depth", "3", false, &e), -1);
	assert_string_equal(e.msg, "there is no parameter 'depth'");
	assert_int_equal(model_set(&m, "servers", "2.5", false, &e), -1);
	assert_string_equal(e.msg, "servers=2.5: not a whole number");
	assert_int_equal(model_set(&m, "svc", "2ms", false, &e), -1);
	assert_string_equal(e.msg, "svc=2ms: not a number");
	assert_int_equal(model_set(&m, "spindles", "257", false, &e), -1);
	assert_string_equal(e.msg, "spindles=257 is not in the range 2 to 256");
	assert_int_equal(model_set(&m, "sched", "lifo", false, &e), -1);
	assert_string_equal(e.msg, "sched cannot be 'lifo'");
	assert_int_equal(model_set(&m, "model", "queue", true, &e), -1);
	assert_string_equal(e.msg, "model cannot be changed while the array runs");
	assert_int_equal(model_set(&m, "sched", "sstf", true, &e), 0);
	assert_int_equal(m.params.sched, SCHED_SSTF);
	model_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("up to one request per server each takes the service time",
			    test_queue_below_saturation),
		titled_test("beyond that IOPS stay and latency grows with depth",
			    test_queue_above_saturation),
		titled_test("exponential service keeps the ceiling and Little's law",
			    test_queue_exponential),
		titled_test("a rate limit is exact", test_queue_rate),
		titled_test("all 72 points of the ULT study come out within 10 %", test_study),
		titled_test("a write-back cache is fast until it is full", test_write_back_cliff),
		titled_test("bad parameters are refused with the reason", test_parameters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
