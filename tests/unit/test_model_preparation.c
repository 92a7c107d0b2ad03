/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/num.h"
#include "model/preparation.h"

static char identity[] = "wwid:x", version[] = "0.2.0", git[] = "abc", reason[] = "because";

static struct preparation example(void)
{
	return (struct preparation){.id = 3,
				    .state = PREPARATION_FINISHED,
				    .target_identity = identity,
				    .target_size_bytes = 8192,
				    .offset_bytes = 512,
				    .span_bytes = 4096,
				    .passes = 2,
				    .passes_done = 2,
				    .last_iops = UNKNOWN,
				    .start_wall_ns = 1700000000000000000,
				    .tool_version = version,
				    .git_id = git};
}

static void check_fact(const struct preparation *p, const char *name, const char *text)
{
	struct facts f = FACTS_INIT;

	preparation_facts(p, &f);
	assert_string_equal(facts_get(&f, name) ? facts_get(&f, name) : "none", text);
	facts_release(&f);
}

static void test_facts(void **state)
{
	struct preparation p = example();

	(void)state;
	check_fact(&p, "prepare.last", "finished, preparation 3, begun 2023-11-14T22:13:20Z");
	check_fact(&p, "prepare.range", "bytes 512 to 4607");
	check_fact(&p, "prepare.how", "every block written 2 times in order");
	check_fact(&p, "prepare.tool", "0.2.0 (abc)");
	check_fact(&p, "prepare.reason", "none");
	p.state = PREPARATION_FAILED;
	p.end_wall_ns = p.start_wall_ns + 5000000000;
	p.passes_done = 1;
	p.pass_bytes = 1024;
	p.reason = reason;
	check_fact(&p, "prepare.last",
		   "failed, preparation 3, begun 2023-11-14T22:13:20Z, ended 2023-11-14T22:13:25Z");
	check_fact(&p, "prepare.how", "5120 of 8192 bytes written in order");
	check_fact(&p, "prepare.reason", "because");
}

static void test_steady_fact(void **state)
{
	struct preparation p = example();

	(void)state;
	p.bs_bytes = 4096;
	p.iodepth = 32;
	p.rounds = 7;
	p.last_iops = 1834.4;
	p.is_steady = true;
	check_fact(&p, "prepare.how",
		   "every block written 2 times in order, then random writes of 4k at depth 32: "
		   "steady after 7 rounds, 1834 IOPS in the last");
	p.is_steady = false;
	p.rounds = 1;
	p.last_iops = UNKNOWN;
	check_fact(&p, "prepare.how",
		   "every block written 2 times in order, then random writes of 4k at depth 32: "
		   "not steady after 1 round");
}

static void test_same_work(void **state)
{
	struct preparation a = example(), b = example();

	(void)state;
	b.passes_done = 0;
	b.state = PREPARATION_FAILED;
	assert_true(preparation_same_work(&a, &b));
	b.span_bytes++;
	assert_false(preparation_same_work(&a, &b));
	b = example();
	b.target_size_bytes++;
	assert_false(preparation_same_work(&a, &b));
	b = example();
	b.bs_bytes = 4096;
	assert_false(preparation_same_work(&a, &b));
}

static void test_names(void **state)
{
	(void)state;
	for (enum preparation_state s = 0; s < PREPARATION_STATE_NR; s++)
		assert_int_equal(preparation_state_find(preparation_state_name(s)), s);
	assert_int_equal(preparation_state_find("haunted"), PREPARATION_STATE_NR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("a run can say when, what and how", test_facts),
		titled_test("steady or not is said, with the speed of the last round",
			    test_steady_fact),
		titled_test("other work is not gone on with", test_same_work),
		titled_test("states are found by their names", test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
