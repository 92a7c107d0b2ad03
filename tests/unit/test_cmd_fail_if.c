/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/mem.h"
#include "base/num.h"
#include "cmd/fail_if.h"

#include <string.h>

static int parse(struct fail_if *f, const char *text)
{
	struct str_list l = {0};
	struct err e = {0};
	int rc;

	*f = (struct fail_if){.nr = 0};
	str_list_add(&l, text);
	rc = fail_if_parse(&l, f, &e);
	str_list_release(&l);
	if (rc)
		assert_int_equal(e.code, ERR_USAGE);
	return rc;
}

static void test_parse(void **state)
{
	static const char *const wrong[] = {"",		  "bad",	  "worse:", "worse:5",
					    "worse:0%",	  "different:5%", "worse,", "worse:200%",
					    "iops_worse", "worse:5%%"};
	struct fail_if f;

	(void)state;
	assert_int_equal(parse(&f, "worse:2.5%,lat-worse,different,iops-worse:10%"), 0);
	assert_int_equal(f.nr, 4);
	assert_int_equal(f.v[0].kind, FAIL_WORSE);
	assert_close(f.v[0].share, 0.025, 1e-12);
	assert_int_equal(f.v[1].kind, FAIL_LAT_WORSE);
	assert_close(f.v[1].share, 0.05, 1e-12);
	assert_int_equal(f.v[2].kind, FAIL_DIFFERENT);
	assert_close(f.v[3].share, 0.1, 1e-12);
	for (size_t i = 0; i < NR(wrong); i++)
		assert_int_equal(parse(&f, wrong[i]), -1);
	assert_int_equal(parse(&f, "worse,worse,worse,worse,worse,worse,worse,worse,worse"), -1);
}

/* One figure that is compared. */
static struct compare_item item_of(enum compare_figure figure, double ratio, double p,
				   enum compare_verdict verdict)
{
	return (struct compare_item){.figure = figure,
				     .ratio = ratio,
				     .p = p,
				     .p_adjusted = p,
				     .verdict = verdict,
				     .spec = {.iodepth = 8, .bs_bytes = 4096, .workers = 1}};
}

static int judge(const char *condition, bool strict, const struct comparison *c)
{
	struct buf b = BUF_INIT;
	struct fail_if f;
	int status;

	assert_int_equal(parse(&f, condition), 0);
	f.strict = strict;
	status = fail_if_judge(&f, c, &b);
	assert_true(b.len > 0);
	buf_release(&b);
	return status;
}

static int judge_one(const char *condition, bool strict, struct compare_item item)
{
	struct comparison c = {.item = &item, .nr = 1};

	return judge(condition, strict, &c);
}

static void test_worse(void **state)
{
	struct compare_item slow = item_of(COMPARE_IOPS, 0.9, 0.001, COMPARE_DIFFERENT);
	struct compare_item late = item_of(COMPARE_LAT, 1.1, 0.001, COMPARE_DIFFERENT);
	struct compare_item knee = item_of(COMPARE_NSTAR, 0.5, 0.001, COMPARE_DIFFERENT);
	struct compare_item slight = item_of(COMPARE_IOPS, 0.97, 0.001, COMPARE_EQUIVALENT);

	(void)state;
	assert_int_equal(judge_one("worse", false, slow), 4);
	assert_int_equal(judge_one("worse:10%", false, slow), 4);
	assert_int_equal(judge_one("worse:11%", false, slow), 0);
	assert_int_equal(judge_one("iops-worse", false, slow), 4);
	assert_int_equal(judge_one("different", false, slow), 4);
	assert_int_equal(judge_one("worse", false, late), 4);
	assert_int_equal(judge_one("lat-worse:5%", false, late), 4);
	slow.ratio = 1.1;
	late.ratio = 0.9;
	assert_int_equal(judge_one("worse", false, slow), 0);
	assert_int_equal(judge_one("worse", false, late), 0);
	assert_int_equal(judge_one("different", false, knee), 4);
	/* Less than 5 % is no verdict, but what is asked for is answered. */
	assert_int_equal(judge_one("worse:2%", false, slight), 4);
	assert_int_equal(judge_one("worse:5%", false, slight), 0);
	slow.ratio = 0.9;
	slow.bound_flags = FLAG_BIT(FLAG_CPU_BOUND);
	slow.verdict = COMPARE_INCONCLUSIVE;
	assert_int_equal(judge_one("worse", false, slow), 0);
	assert_int_equal(judge_one("worse", true, slow), 3);
}

static void test_unknown(void **state)
{
	struct compare_item unsure = item_of(COMPARE_IOPS, 0.9, 0.2, COMPARE_INCONCLUSIVE);
	struct compare_item one_run = item_of(COMPARE_IOPS, 0.5, UNKNOWN, COMPARE_UNJUDGED);
	struct compare_item fine[] = {item_of(COMPARE_IOPS, 1, 1, COMPARE_EQUIVALENT),
				      item_of(COMPARE_CAP, UNKNOWN, UNKNOWN, COMPARE_UNJUDGED)};
	struct compare_lone lone = {.side = 0, .is_invalid = true};
	struct comparison c = {.item = fine, .nr = 2}, none = {.nr = 0};

	(void)state;
	assert_int_equal(judge_one("worse", false, unsure), 0);
	assert_int_equal(judge_one("worse", true, unsure), 3);
	assert_int_equal(judge_one("worse", false, one_run), 3);
	assert_int_equal(judge("worse", false, &none), 3);
	/* N* alone says nothing about worse. */
	assert_int_equal(
		judge_one("worse", false, item_of(COMPARE_NSTAR, 1, 1, COMPARE_EQUIVALENT)), 3);
	/* A cap that no run reaches cannot be compared by its nature. */
	assert_int_equal(judge("worse", true, &c), 0);
	/* But one that B lost, and a point that failed in B, are no pass. */
	fine[1].is_lost = true;
	assert_int_equal(judge("worse", false, &c), 3);
	fine[1].is_lost = false;
	c.lone = &lone;
	c.nr_lone = 1;
	assert_int_equal(judge("worse", false, &c), 3);
	lone.side = 1;
	assert_int_equal(judge("worse", false, &c), 0);
	lone = (struct compare_lone){.side = 0, .is_invalid = false};
	assert_int_equal(judge("worse", true, &c), 0);
	c.nr_open = 3;
	assert_int_equal(judge("worse", false, &c), 0);
	assert_int_equal(judge("worse", true, &c), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("conditions are parsed strictly", test_parse),
		titled_test("what is worse by as much fails", test_worse),
		titled_test("what cannot be judged is no pass", test_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
