/* SPDX-License-Identifier: MIT */
/* LUN sizing against the golden values of the ULT study, and what must not be used silently. */
#include "curve_data.h"

#include "analyze/size.h"
#include "base/clock.h"

#define G (1ULL << 30)

static struct test_curve ult[ULT_TESTS + 1];

/* As published: the LUN is larger than the span in it. */
static const uint64_t ult_luns[] = {512 * G, 1024 * G, 2048 * G, 4096 * G};

static const struct size_question usual = {
	.vm = {.iops = 50, .capacity_bytes = 40.0 * G, .read_share = 0.7},
	.cap = {LAT_MEAN, 10 * NS_PER_MS},
	.depth = 16,
	.loss_max = 0.15,
	.headroom = 0.2,
	.free_space = 0.2,
	.burst = 2,
	.lun_queue = 32,
	.lun_size = ult_luns,
	.nr_lun_sizes = 4,
};

static struct point_spec spec_of(enum rw_mode rw, uint32_t read_pct, uint64_t span_bytes)
{
	return (struct point_spec){.rw = rw,
				   .workers = 1,
				   .rwmixread_pct = read_pct,
				   .random_pct = 100,
				   .bs_bytes = 4096,
				   .span_bytes = span_bytes,
				   .repeat = 1};
}

static int load(void **state)
{
	(void)state;
	ult_load(ult);
	for (int i = 1; i <= ULT_TESTS; i++) {
		bool writes = i % 2;
		uint64_t span = (500ULL << ((i - 1) / 2)) * 1000000000ULL;

		ult[i].curve.spec =
			spec_of(writes ? RW_RANDWRITE : RW_RANDREAD, writes ? 0 : 100, span);
	}
	return 0;
}

/* The curves of the study, with room for others behind them. */
struct set {
	struct curve v[ULT_TESTS + 4];
	size_t nr;
};

static struct set study(void)
{
	struct set s = {.nr = ULT_TESTS};

	for (int i = 1; i <= ULT_TESTS; i++)
		s.v[i - 1] = ult[i].curve;
	return s;
}

static void find(const struct set *s, const struct size_question *q, struct size_answer *a)
{
	struct err e = {0};

	if (size_find(s->v, s->nr, q, a, &e))
		fail_msg("%s", e.msg);
}

static void find_ult(const struct size_question *q, struct size_answer *a)
{
	struct set s = study();

	find(&s, q, a);
	assert_int_equal(a->nr_spans, 4);
}

static void assert_losses(const struct size_answer *a, enum size_figure f, const double pct[4])
{
	for (size_t i = 0; i < 4; i++)
		assert_within(100 * a->span[i].loss[f], pct[i], 0.05);
}

static void test_losses(void **state)
{
	struct size_answer a;

	(void)state;
	find_ult(&usual, &a);
	assert_losses(&a, SIZE_AT_DEPTH, (const double[]){0, 8.8, 19.0, 29.6});
	assert_losses(&a, SIZE_UNDER_CAP, (const double[]){0, 10.7, 19.4, 30.6});
	assert_losses(&a, SIZE_CAP_MEASURED, (const double[]){0, 10.6, 19.2, 51.3});
	assert_losses(&a, SIZE_PEAK, (const double[]){0, 9.7, 18.7, 29.4});
	assert_int_equal(a.span[1].worst[SIZE_UNDER_CAP], SIZE_READ);
	assert_ptr_equal(a.base, &a.span[0]);
	assert_int_equal(a.depth[SIZE_READ], 16);
	size_release(&a);
}

static void test_recommends(void **state)
{
	static const double mix[] = {3269, 2952, 2641, 2283}, vms[] = {10, 20, 32, 32};
	static const double performance[] = {52, 47, 42, 36};
	struct size_answer a;

	(void)state;
	find_ult(&usual, &a);
	for (size_t i = 0; i < 4; i++) {
		const struct size_span *s = &a.span[i];

		assert_within(s->mix_iops, mix[i], 0.5);
		assert_true(s->is_mix_estimate);
		assert_within(s->nr_vms, vms[i], 0);
		assert_int_equal(s->bound, i < 2 ? SIZE_CAPACITY : SIZE_QUEUE);
		assert_within(s->vms[SIZE_PERFORMANCE], performance[i], 0);
		assert_int_equal(s->fate, i < 2 ? SIZE_KEPT : SIZE_LOSES);
	}
	assert_ptr_equal(a.best, &a.span[1]);
	assert_int_equal(a.best->lun_bytes, 1024 * G);
	size_release(&a);
}

/* What the answer depends on: method.md says which size each gives. */
static void test_profiles(void **state)
{
	static const struct {
		double iops, capacity_g, loss_max;
		uint64_t best_g;
	} rows[] = {
		{100, 40, 0.15, 512},
		{50, 20, 0.15, 512},
		{25, 40, 1, 2048},
		{50, 100, 1, 4096},
		{25, 40, 0.15, 1024},
		{50, 40, 1, 1024},
		/* Any limit in the window gives the same, and just outside it does not. */
		{50, 40, 0.109, 1024},
		{50, 40, 0.187, 1024},
		{25, 40, 0.106, 512},
		{25, 40, 0.195, 2048},
	};

	(void)state;
	for (size_t i = 0; i < NR(rows); i++) {
		struct size_question q = usual;
		struct size_answer a;

		q.vm.iops = rows[i].iops;
		q.vm.capacity_bytes = rows[i].capacity_g * G;
		q.loss_max = rows[i].loss_max;
		find_ult(&q, &a);
		assert_int_equal(a.best->lun_bytes, rows[i].best_g * G);
		size_release(&a);
	}
}

static void test_smallest_kept(void **state)
{
	struct size_question q = usual;
	struct size_answer a;

	(void)state;
	/* A queue of 4 I/Os takes 4 VMs: no LUN is full first. */
	q.lun_queue = 4;
	find_ult(&q, &a);
	assert_ptr_equal(a.best, &a.span[0]);
	assert_int_equal(a.best->bound, SIZE_QUEUE);
	assert_within(a.best->nr_vms, 4, 0);
	size_release(&a);
}

static void test_sharing(void **state)
{
	struct size_question q = usual;
	struct size_answer a;

	(void)state;
	find_ult(&q, &a);
	assert_int_equal(a.nr_sharing, 2);
	assert_int_equal(a.sharing[0].nr_luns, 2);
	assert_within(a.sharing[0].vms_each, 20, 0);
	assert_int_equal(a.sharing[0].bound, SIZE_CAPACITY);
	assert_int_equal(a.sharing[1].nr_luns, 4);
	assert_within(a.sharing[1].vms_each, 9, 0);
	assert_int_equal(a.sharing[1].bound, SIZE_SHARED);
	size_release(&a);

	q.luns_sharing = 4;
	find_ult(&q, &a);
	assert_within(a.span[1].vms[SIZE_SHARED], 9, 0);
	assert_within(a.span[1].nr_vms, 9, 0);
	assert_int_equal(a.span[1].bound, SIZE_SHARED);
	assert_int_equal(a.span[0].bound, SIZE_CAPACITY);
	assert_within(a.span[0].nr_vms, 10, 0);
	/* 4 x 2000 GB were not measured. */
	assert_unknown(a.span[2].nr_vms);
	assert_null(a.span[2].whole);
	/* Capacity bounds the smaller one, so it is that. */
	assert_ptr_equal(a.best, &a.span[0]);
	size_release(&a);

	q.luns_sharing = 3;
	find_ult(&q, &a);
	assert_int_equal(a.span[0].fate, SIZE_NOT_SHARED);
	assert_null(a.best);
	size_release(&a);
}

static void test_ties(void **state)
{
	struct size_question q = usual;
	struct size_answer a;

	(void)state;
	/* 20 VMs by capacity and by queue: capacity is named. */
	q.lun_queue = 20;
	find_ult(&q, &a);
	assert_within(a.span[1].vms[SIZE_QUEUE], 20, 0);
	assert_int_equal(a.span[1].bound, SIZE_CAPACITY);
	assert_ptr_equal(a.best, &a.span[1]);
	size_release(&a);
}

static void test_cap_20(void **state)
{
	struct size_question q = usual;
	struct size_answer a;

	(void)state;
	q.cap.limit_ns = 20 * NS_PER_MS;
	find_ult(&q, &a);
	assert_within(a.span[0].by[SIZE_READ].iops[SIZE_UNDER_CAP], 4604.9, 0.5);
	assert_within(a.span[0].vms[SIZE_QUEUE], 16, 0);
	assert_int_equal(a.best->lun_bytes, 512 * G);
	size_release(&a);
}

/* A curve of these depths, IOPS following a ceiling of c servers. */
static void queue_curve(struct test_curve *c, struct point_spec spec, double ceiling)
{
	curve_clear(c);
	c->curve.spec = spec;
	for (uint32_t n = 1; n <= 256; n *= 2) {
		double iops = fmin(n * ceiling / 8, ceiling);

		curve_add(c, n, iops, 1000 * n / iops, 0);
	}
}

static void test_measured_mix(void **state)
{
	static const struct {
		double read_share;
		uint32_t pct; /* of the curve that is taken; 0: none */
	} rows[] = {{0.7, 70}, {0.67, 65}, {0.75, 70}, {0.76, 0}, {0.6, 65}, {0.59, 0}, {1, 0}};

	(void)state;
	for (size_t i = 0; i < NR(rows); i++) {
		struct size_question q = usual;
		struct test_curve mix65, mix70;
		struct set s = study();
		struct size_answer a;

		queue_curve(&mix65, spec_of(RW_RANDRW, 65, 500000000000), 4100);
		queue_curve(&mix70, spec_of(RW_RANDRW, 70, 500000000000), 4200);
		s.v[s.nr++] = mix70.curve;
		s.v[s.nr++] = mix65.curve;
		q.vm.read_share = rows[i].read_share;
		find(&s, &q, &a);
		assert_int_equal(a.mix_read_pct, rows[i].pct);
		assert_int_equal(a.span[0].by[SIZE_MIX].curve != NULL, rows[i].pct != 0);
		assert_int_equal(a.span[0].is_mix_estimate, !rows[i].pct && q.vm.read_share < 1);
		if (rows[i].pct)
			assert_within(a.span[0].mix_iops, rows[i].pct == 70 ? 4200 : 4100, 0.5);
		/* Without a curve of the mix the next span has an estimate. */
		assert_int_equal(a.span[1].is_mix_estimate, q.vm.read_share < 1);
		size_release(&a);
	}
}

static void test_only_mix(void **state)
{
	struct size_question q = usual;
	struct test_curve small, large;
	struct size_answer a;
	struct set s = {.nr = 2};

	(void)state;
	queue_curve(&small, spec_of(RW_RANDRW, 70, 500 * G), 4000);
	queue_curve(&large, spec_of(RW_RANDRW, 70, 1000 * G), 3600);
	s.v[0] = large.curve;
	s.v[1] = small.curve;
	q.nr_lun_sizes = 0;
	find(&s, &q, &a);
	assert_true(a.is_compared[SIZE_MIX]);
	assert_within(a.span[1].loss[SIZE_AT_DEPTH], 0.1, 1e-9);
	assert_int_equal(a.span[1].lun_bytes, 1000 * G);
	assert_ptr_equal(a.best, &a.span[1]);
	size_release(&a);
}

static void test_read_only_vm(void **state)
{
	struct size_question q = usual;
	struct set s = {.nr = 1};
	struct size_answer a;

	(void)state;
	s.v[0] = ult[2].curve;
	q.vm.read_share = 1;
	q.nr_lun_sizes = 0;
	find(&s, &q, &a);
	assert_within(a.span[0].mix_iops, 4385.3, 0.5);
	assert_false(a.span[0].is_mix_estimate);
	assert_int_equal(a.span[0].fate, SIZE_KEPT);
	size_release(&a);
	/* The same curve says nothing of a VM that writes too. */
	q.vm.read_share = 0.7;
	find(&s, &q, &a);
	assert_int_equal(a.span[0].fate, SIZE_NO_CURVE);
	assert_int_equal(a.span[0].fate_mode, SIZE_WRITE);
	assert_unknown(a.span[0].nr_vms);
	assert_null(a.best);
	size_release(&a);
}

static void test_missing_curve(void **state)
{
	struct set s = study();
	struct size_answer a;

	(void)state;
	/* Without the writes of the smallest span the next one is the base. */
	s.v[0] = s.v[--s.nr];
	s.nr--;
	find(&s, &usual, &a);
	assert_int_equal(a.span[0].fate, SIZE_NO_CURVE);
	assert_ptr_equal(a.base, &a.span[1]);
	assert_unknown(a.span[0].loss[SIZE_AT_DEPTH]);
	assert_within(a.span[1].loss[SIZE_AT_DEPTH], 0, 0);
	/* The writes of the largest one are gone too. */
	assert_int_equal(a.span[3].fate, SIZE_NO_CURVE);
	assert_int_equal(a.span[3].fate_mode, SIZE_WRITE);
	size_release(&a);
}

static void test_cap_never_met(void **state)
{
	struct size_question q = usual;
	struct size_answer a;

	(void)state;
	q.cap.limit_ns = 5 * NS_PER_MS;
	find_ult(&q, &a);
	assert_int_equal(a.span[3].fate, SIZE_CAP_NOT_MET);
	assert_int_equal(a.span[3].fate_mode, SIZE_READ);
	assert_within(a.span[3].mix_iops, 0, 0);
	assert_within(a.span[3].vms[SIZE_PERFORMANCE], 0, 0);
	assert_within(a.span[3].loss[SIZE_UNDER_CAP], 1, 0);
	size_release(&a);
}

static void test_cap_not_reached(void **state)
{
	struct size_question q = usual;
	struct size_answer a;

	(void)state;
	q.cap.limit_ns = NS_PER_S;
	q.lun_queue = 10000;
	find_ult(&q, &a);
	assert_true(a.span[0].is_mix_least);
	assert_true(a.span[1].is_loss_unsure[SIZE_UNDER_CAP]);
	assert_false(a.span[1].is_loss_unsure[SIZE_AT_DEPTH]);
	assert_false(a.span[0].is_loss_unsure[SIZE_UNDER_CAP]);
	assert_int_equal(a.span[1].fate, SIZE_KEPT);
	size_release(&a);
}

static void test_client_limited(void **state)
{
	static const uint32_t deciding[] = {16, 32, 64};

	(void)state;
	for (size_t i = 0; i < NR(deciding); i++) {
		struct test_curve read = ult[4];
		struct set s = study();
		struct size_answer a;

		read.curve.pt = read.pt;
		for (size_t p = 0; p < read.curve.nr; p++)
			if (read.pt[p].iodepth == deciding[i])
				read.pt[p].flags = FLAG_BIT(FLAG_CPU_BOUND);
		s.v[3] = read.curve;
		find(&s, &usual, &a);
		assert_int_equal(a.span[1].fate, SIZE_CLIENT_LIMITED);
		assert_int_equal(a.span[1].fate_mode, SIZE_READ);
		assert_ptr_equal(a.best, &a.span[0]);
		size_release(&a);
	}
}

/* Take the point at this depth out of a curve, as when it was spoiled. */
static void spoil(struct test_curve *c, uint32_t depth)
{
	size_t nr = 0;

	c->curve.pt = c->pt;
	for (size_t i = 0; i < c->curve.nr; i++)
		if (c->pt[i].iodepth != depth)
			c->pt[nr++] = c->pt[i];
	c->curve.nr = nr;
}

/* Reads of the two smallest spans are spoiled at the depth, so that the third is the base; the valid reads of
 * the first under the cap show that it loses 19 % at least. Without them its writes do, although the client was
 * their limit. */
static void test_smallest_spoiled(void **state)
{
	struct test_curve small = ult[2], next = ult[4], writes = ult[1];
	struct set s = study();
	struct size_question q = usual;
	struct size_answer a;

	(void)state;
	spoil(&small, 16);
	spoil(&next, 16);
	writes.curve.pt = writes.pt;
	writes.pt[4].flags = FLAG_BIT(FLAG_CPU_BOUND);
	s.v[0] = writes.curve;
	s.v[1] = small.curve;
	s.v[3] = next.curve;
	find(&s, &q, &a);
	assert_ptr_equal(a.base, &a.span[2]);
	assert_within(100 * a.span[2].sure_loss, 19.4, 0.05);
	assert_ptr_equal(a.span[2].sure_base, &a.span[0]);
	assert_int_equal(a.span[2].fate, SIZE_LOSES);
	assert_int_equal(a.span[2].fate_mode, SIZE_READ);
	assert_within(100 * a.span[3].sure_loss, 30.6, 0.05);
	assert_int_equal(a.span[3].fate, SIZE_LOSES);
	assert_null(a.best);
	size_release(&a);
	/* Who allows so much keeps it. */
	q.loss_max = 0.2;
	find(&s, &q, &a);
	assert_ptr_equal(a.best, &a.span[2]);
	size_release(&a);
	s.v[1] = s.v[--s.nr];
	find(&s, &usual, &a);
	assert_within(100 * a.span[2].sure_loss, 19.0, 0.05);
	assert_int_equal(a.span[2].fate, SIZE_LOSES);
	assert_int_equal(a.span[2].fate_mode, SIZE_WRITE);
	size_release(&a);
}

static void test_depths(void **state)
{
	struct size_question q = usual;
	struct test_curve read = ult[4];
	struct set s = study();
	struct size_answer a;

	(void)state;
	q.depth = 20;
	find_ult(&q, &a);
	assert_int_equal(a.depth[SIZE_READ], 16);
	size_release(&a);
	/* Of one span the depth is not there, as when its point was spoiled. */
	read.curve.pt = read.pt;
	memmove(&read.pt[4], &read.pt[5], 4 * sizeof(read.pt[0]));
	read.curve.nr--;
	s.v[3] = read.curve;
	find(&s, &usual, &a);
	assert_int_equal(a.span[1].fate, SIZE_NO_DEPTH);
	assert_unknown(a.span[1].loss[SIZE_AT_DEPTH]);
	size_release(&a);
}

static void test_holds_none(void **state)
{
	struct size_question q = usual;
	struct size_answer a;

	(void)state;
	q.vm.capacity_bytes = 700.0 * G;
	find_ult(&q, &a);
	assert_int_equal(a.span[0].fate, SIZE_HOLDS_NONE);
	assert_ptr_equal(a.best, &a.span[1]);
	assert_within(a.best->nr_vms, 1, 0);
	size_release(&a);
}

static void refuses(const struct set *s, const struct size_question *q, enum err_code code,
		    const char *words)
{
	struct size_answer a;
	struct err e = {0};

	assert_int_equal(size_find(s->v, s->nr, q, &a, &e), -1);
	if (!strstr(e.msg, words))
		fail_msg("%s", e.msg);
	assert_int_equal(e.code, code);
}

static void test_refuses(void **state)
{
	static const uint64_t few[] = {512 * G}, mixed_up[] = {4096 * G, 512 * G, 2048 * G, G};
	struct size_question q = usual;
	struct set s = study();

	(void)state;
	q.lun_size = few;
	q.nr_lun_sizes = 1;
	refuses(&s, &q, ERR_USAGE,
		"gives 1 size, but 4 spans were measured: 500GB, 1000GB, 2000GB, 4000GB");
	q.lun_size = mixed_up;
	q.nr_lun_sizes = 4;
	refuses(&s, &q, ERR_USAGE, "a LUN of 512G cannot hold the span of 1000GB");
	q = usual;
	s.v[0].spec.bs_bytes = 8192;
	refuses(&s, &q, ERR_USAGE, "curves of bs 8k and of bs 4k; say which of them by --bs");
	q.bs_bytes = 16384;
	refuses(&s, &q, ERR_DATA, "no curve of random I/O with bs 16k");
	s = study();
	s.v[1].spec.workers = 4;
	q = usual;
	refuses(&s, &q, ERR_USAGE, "workers 1 and of workers 4; say which of them by --workers");
	s = study();
	s.v[2].spec.span_bytes = s.v[0].spec.span_bytes;
	refuses(&s, &q, ERR_USAGE, "two curves of the same kind are of one span");
	s = study();
	s.v[2].spec.span_bytes = 0;
	refuses(&s, &q, ERR_DATA, "points of which the span is not known");
	s = study();
	for (size_t i = 0; i < s.nr; i++)
		s.v[i].spec.random_pct = 50;
	refuses(&s, &q, ERR_DATA, "no curve of random I/O, which is what VMs do");
}

static void test_block_size(void **state)
{
	struct size_question q = usual;
	struct set s = study();
	struct size_answer a;

	(void)state;
	s.v[7].spec.bs_bytes = 65536;
	q.bs_bytes = 4096;
	find(&s, &q, &a);
	assert_int_equal(a.nr_spans, 4);
	assert_null(a.span[3].by[SIZE_READ].curve);
	size_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("losses of the ULT study are the golden ones", test_losses),
		titled_test("the study gives LUNs of 1024 G for 20 VMs, by capacity",
			    test_recommends),
		titled_test("other VMs and limits give other sizes", test_profiles),
		titled_test("where nothing is full first, the smallest is taken",
			    test_smallest_kept),
		titled_test("four LUNs of 1024 G on the same disks carry 9 VMs each", test_sharing),
		titled_test("of equal bounds capacity is named", test_ties),
		titled_test("another cap counts for IOPS and queue", test_cap_20),
		titled_test("a measured mix within 5 points wins over the estimate",
			    test_measured_mix),
		titled_test("curves of the mix alone are enough", test_only_mix),
		titled_test("reads are enough for a VM that only reads", test_read_only_vm),
		titled_test("a span without a curve is no base and is not kept",
			    test_missing_curve),
		titled_test("a cap that is met at no depth gives 0 IOPS", test_cap_never_met),
		titled_test("a cap that is not reached gives the least", test_cap_not_reached),
		titled_test("a client-limited point that decides is not used", test_client_limited),
		titled_test("a span that loses against valid points of a smaller one is not kept",
			    test_smallest_spoiled),
		titled_test("losses need a depth that every span has", test_depths),
		titled_test("a LUN that holds no VM is not recommended", test_holds_none),
		titled_test("what is not clear is refused in words", test_refuses),
		titled_test("one of several block sizes is chosen", test_block_size),
	};

	return cmocka_run_group_tests(tests, load, NULL);
}
