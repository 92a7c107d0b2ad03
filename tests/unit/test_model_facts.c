/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/mem.h"
#include "model/facts.h"

#include <stdlib.h>

static void test_set_and_get(void **state)
{
	struct facts f = FACTS_INIT;

	(void)state;
	assert_null(facts_get(&f, "kernel"));
	facts_set(&f, "kernel", "6.1");
	facts_setf(&f, "cpus", "%d", 8);
	facts_set(&f, "empty", "");
	assert_string_equal(facts_get(&f, "kernel"), "6.1");
	assert_string_equal(facts_get(&f, "cpus"), "8");
	assert_string_equal(facts_get(&f, "empty"), "");
	assert_null(facts_get(&f, "kern"));
	assert_int_equal(f.nr, 3);
	facts_release(&f);
	assert_int_equal(f.nr, 0);
	assert_null(facts_get(&f, "kernel"));
}

static void test_replace(void **state)
{
	struct facts f = FACTS_INIT;

	(void)state;
	facts_set(&f, "kernel", "6.1");
	facts_set(&f, "kernel", "6.6");
	facts_set(&f, "kernel", NULL);
	facts_set(&f, "none", NULL);
	assert_int_equal(f.nr, 1);
	assert_string_equal(facts_get(&f, "kernel"), "6.6");
	/* A value made from the fact itself. */
	facts_set(&f, "kernel", facts_get(&f, "kernel") + 2);
	assert_string_equal(facts_get(&f, "kernel"), "6");
	facts_setf(&f, "kernel", "%s.12", facts_get(&f, "kernel"));
	assert_string_equal(facts_get(&f, "kernel"), "6.12");
	facts_release(&f);
}

static void test_copies(void **state)
{
	struct facts f = FACTS_INIT;
	char name[] = "name", value[] = "value";

	(void)state;
	facts_set(&f, name, value);
	name[0] = value[0] = 'x';
	assert_string_equal(facts_get(&f, "name"), "value");
	facts_release(&f);
}

static void test_many_in_order(void **state)
{
	struct facts f = FACTS_INIT;

	(void)state;
	for (int i = 0; i < 200; i++) {
		char *name = xasprintf("fact %d", i);

		facts_setf(&f, name, "%d", i);
		free(name);
	}
	assert_int_equal(f.nr, 200);
	assert_string_equal(f.v[0].name, "fact 0");
	assert_string_equal(f.v[199].value, "199");
	facts_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("facts are found by their whole name", test_set_and_get),
		titled_test("a fact is replaced, and nothing replaces none", test_replace),
		titled_test("name and value are copies", test_copies),
		titled_test("facts keep their order", test_many_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
