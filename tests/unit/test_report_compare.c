/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/mem.h"
#include "report/compare.h"

#include <stdlib.h>
#include <string.h>

#define MAX_RUNS 4

struct groups {
	struct run_info info[2][MAX_RUNS];
	const struct run_info *ptr[2][MAX_RUNS];
	struct run_group group[2];
};

/* "ABAB": runs of these groups, one a second. */
static void groups_init(struct groups *g, const char *order)
{
	*g = (struct groups){0};
	for (size_t i = 0; order[i]; i++) {
		int side = order[i] == 'B';
		size_t nr = g->group[side].nr++;

		g->info[side][nr].start_wall_ns = (int64_t)(i + 1) * 1000000000;
		g->ptr[side][nr] = &g->info[side][nr];
	}
	for (int side = 0; side < 2; side++)
		g->group[side].info = g->ptr[side];
}

static void groups_release(struct groups *g)
{
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < g->group[side].nr; i++)
			run_info_release(&g->info[side][i]);
}

static enum compare_order order_of(const char *order)
{
	struct groups g;

	groups_init(&g, order);
	return compare_order(g.group);
}

static void test_order(void **state)
{
	struct groups g;

	(void)state;
	assert_int_equal(order_of("ABABAB"), ORDER_MIXED);
	assert_int_equal(order_of("ABBA"), ORDER_MIXED);
	assert_int_equal(order_of("ABBAAB"), ORDER_MIXED);
	assert_int_equal(order_of("AAABBB"), ORDER_SEPARATE);
	assert_int_equal(order_of("BBAA"), ORDER_SEPARATE);
	assert_int_equal(order_of("AABBBA"), ORDER_CLUSTERED);
	/* One run each cannot alternate. */
	assert_int_equal(order_of("AB"), ORDER_UNKNOWN);
	groups_init(&g, "AABB");
	g.info[1][0].imported = true;
	assert_int_equal(compare_order(g.group), ORDER_UNKNOWN);
}

static const struct setup_difference *find(const struct setup_difference *d, size_t nr,
					   const char *name)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(d[i].name, name))
			return &d[i];
	return NULL;
}

static void test_setups(void **state)
{
	const struct setup_difference *d;
	struct setup_difference *list;
	struct groups g;
	size_t nr;

	(void)state;
	groups_init(&g, "ABAB");
	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i < 2; i++) {
			struct run_info *r = &g.info[side][i];

			r->engine = xstrdup("libaio");
			r->tool_version = xstrdup(side ? "2" : "1");
			facts_set(&r->facts, "host.kernel", "6.1");
			facts_set(&r->facts, "queue.scheduler", side ? "none" : "mq-deadline");
			facts_setf(&r->facts, "sweep.ramp_ns", "%zu", i);
		}
		if (side)
			facts_set(&g.info[1][0].facts, "device.firmware", "A7");
	}
	facts_set(&g.info[1][1].facts, "device.firmware", "A7");
	compare_setups(g.group, &list, &nr);
	assert_int_equal(nr, 4);
	d = find(list, nr, "queue.scheduler");
	assert_true(d && !d->varies && !strcmp(d->a, "mq-deadline") && !strcmp(d->b, "none"));
	d = find(list, nr, "tool");
	assert_true(d && !strcmp(d->a, "1") && !strcmp(d->b, "2"));
	d = find(list, nr, "device.firmware");
	assert_true(d && !d->a && !strcmp(d->b, "A7"));
	/* What the runs of a group do not agree in tells no groups apart. */
	d = find(list, nr, "sweep.ramp_ns");
	assert_true(d && d->varies && !d->a && !d->b);
	free(list);
	groups_release(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("runs that did not alternate are noticed", test_order),
		titled_test("set-ups differ where all runs of a group agree", test_setups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
