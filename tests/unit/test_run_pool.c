/* SPDX-License-Identifier: MIT */
#include "run/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define MIB ((size_t)1 << 20)

static volatile sig_atomic_t no_signal = 0, one_signal = 1;

static void every_worker_has_a_region_of_its_own_on_a_2_mib_boundary(void **state)
{
	struct pool p = POOL_INIT;
	size_t need = pool_need(3 * MIB, 3);

	(void)state;
	assert_int_equal(need, 12 * MIB);
	assert_int_equal(pool_reserve(&p, need, 1, &no_signal, NULL), 0);
	for (unsigned i = 0; i < 3; i++) {
		unsigned char *region = pool_region(&p, 3 * MIB, i);

		assert_int_equal((uintptr_t)region % (2 * MIB), 0);
		assert_int_equal(region - p.mem, i * 4 * MIB);
	}
	pool_release(&p);
}

static void all_of_it_is_random_and_from_the_seed(void **state)
{
	struct pool a = POOL_INIT, b = POOL_INIT;
	size_t count[256] = {0};

	(void)state;
	assert_int_equal(pool_reserve(&a, 4 * MIB, 7, &no_signal, NULL), 0);
	assert_int_equal(pool_reserve(&b, 4 * MIB, 7, &no_signal, NULL), 0);
	assert_memory_equal(a.mem, b.mem, 4 * MIB);
	assert_memory_not_equal(a.mem, a.mem + 2 * MIB, 2 * MIB);
	for (size_t i = 0; i < 4 * MIB; i++)
		count[a.mem[i]]++;
	/* 16384 each; 5 sigma are 640. */
	for (size_t i = 0; i < 256; i++)
		assert_in_range(count[i], 15700, 17100);
	pool_release(&a);
	pool_release(&b);
}

static void what_is_there_and_large_enough_is_kept(void **state)
{
	struct pool p = POOL_INIT;
	unsigned char *mem;

	(void)state;
	assert_int_equal(pool_reserve(&p, 4 * MIB, 1, &no_signal, NULL), 0);
	mem = p.mem;
	mem[0] ^= 1;
	assert_int_equal(pool_reserve(&p, 2 * MIB, 2, &no_signal, NULL), 0);
	assert_ptr_equal(p.mem, mem);
	assert_int_equal(p.size, 4 * MIB);
	pool_release(&p);
}

static void more_than_the_host_has_is_refused_with_the_size(void **state)
{
	struct pool p = POOL_INIT;
	struct err e = {0};

	(void)state;
	assert_int_equal(pool_reserve(&p, (size_t)1 << 46, 1, &no_signal, &e), -1);
	assert_int_equal(e.code, ERR_SYSTEM);
	assert_string_equal(e.msg, "needs 64.0 TiB of buffers, which this host does not have free");
	assert_null(p.mem);
}

static void a_signal_ends_the_filling(void **state)
{
	struct pool p = POOL_INIT;
	struct err e = {0};

	(void)state;
	assert_int_equal(pool_reserve(&p, 4 * MIB, 1, &one_signal, &e), -1);
	assert_int_equal(e.code, ERR_INTR);
	assert_null(p.mem);
	assert_int_equal(p.size, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_worker_has_a_region_of_its_own_on_a_2_mib_boundary),
		cmocka_unit_test(all_of_it_is_random_and_from_the_seed),
		cmocka_unit_test(what_is_there_and_large_enough_is_kept),
		cmocka_unit_test(more_than_the_host_has_is_refused_with_the_size),
		cmocka_unit_test(a_signal_ends_the_filling),
	};

	return cmocka_run_group_tests_name("run/pool", tests, NULL, NULL);
}
