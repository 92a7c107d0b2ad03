/* SPDX-License-Identifier: MIT */
#include "store_test.h"

static struct preparation preparation(const struct run_info *r)
{
	return (struct preparation){.state = PREPARATION_RUNNING,
				    .target_identity = r->target_identity,
				    .target_label = r->target_label,
				    .target_resolved = r->target_resolved,
				    .target_size_bytes = r->target_size_bytes,
				    .offset_bytes = 512,
				    .span_bytes = 1ULL << 40,
				    .passes = 2,
				    .seed = UINT64_MAX,
				    .last_iops = UNKNOWN,
				    .last_range = UNKNOWN,
				    .last_slope = UNKNOWN,
				    .attempts = 1,
				    .start_wall_ns = 5,
				    .command = r->command,
				    .tool_version = r->tool_version,
				    .git_id = r->git_id,
				    .engine = r->engine,
				    .consent = r->target_identity};
}

static void preparation_comes_back(void **state)
{
	struct fixture *f = *state;
	struct run_info r = fixture_run();
	struct preparation p = preparation(&r), q;
	struct preparation_round round = {1, 7, 1000, 40, 40e6, 800};
	char reason[] = "not steady";

	must(f, store_last_preparation(f->s, p.target_identity, &q, &f->e));
	assert_int_equal(q.id, 0);
	must(f, store_add_preparation(f->s, &p, &f->e));
	must(f, store_last_preparation(f->s, p.target_identity, &q, &f->e));
	assert_int_equal(q.id, p.id);
	assert_true(preparation_same_work(&p, &q));
	preparation_release(&q);
	/* Of any target it is the same; another target has none. */
	must(f, store_last_preparation(f->s, "another", &q, &f->e));
	assert_int_equal(q.id, 0);
	must(f, store_last_preparation(f->s, NULL, &q, &f->e));
	assert_int_equal(q.id, p.id);
	assert_true(q.seed == UINT64_MAX && isnan(q.last_iops) && !q.reason && !q.rounds);
	preparation_release(&q);
	p.state = PREPARATION_FINISHED;
	p.passes_done = 2;
	p.rounds = 1;
	p.bs_bytes = 4096; /* what does not change is not stored again, but rounds need it */
	p.last_iops = 40e6;
	p.reason = reason;
	p.busy_ns = 99;
	p.end_wall_ns = 6;
	must(f, store_save_preparation(f->s, &p, &f->e));
	must(f, store_add_round(f->s, &p, &round, &f->e));
	must(f, store_last_preparation(f->s, p.target_identity, &q, &f->e));
	assert_int_equal(q.state, PREPARATION_FINISHED);
	assert_int_equal(preparation_filled_bytes(&q), 2ULL << 40);
	assert_int_equal(q.rounds, 1);
	assert_true(q.last_iops == 40e6 && q.busy_ns == 99 && q.end_wall_ns == 6);
	assert_string_equal(q.reason, "not steady");
	assert_string_equal(q.consent, p.target_identity);
	preparation_release(&q);
	must_fail(f, store_add_round(f->s, &p, &round, &f->e), "UNIQUE");
	/* More than was asked for, or finished too early, is never true. */
	p.passes_done = 1;
	must_fail(f, store_save_preparation(f->s, &p, &f->e), "CHECK");
	p.id = 77;
	must_fail(f, store_save_preparation(f->s, &p, &f->e), "there is no preparation 77");
}

static int64_t found(struct fixture *f, const struct preparation *work)
{
	struct preparation q;
	int64_t id;

	must(f, store_find_preparation(f->s, work, &q, &f->e));
	id = q.id;
	preparation_release(&q);
	return id;
}

static void preparations_of_several_spans_are_told_apart(void **state)
{
	struct fixture *f = *state;
	struct run_info r = fixture_run();
	struct preparation whole = preparation(&r), part = preparation(&r), again, none;

	part.span_bytes = 4096;
	must(f, store_add_preparation(f->s, &whole, &f->e));
	must(f, store_add_preparation(f->s, &part, &f->e));
	assert_int_equal(found(f, &whole), whole.id);
	assert_int_equal(found(f, &part), part.id);
	again = whole;
	must(f, store_add_preparation(f->s, &again, &f->e));
	assert_int_equal(found(f, &whole), again.id);
	none = whole;
	none.offset_bytes = 0;
	assert_int_equal(found(f, &none), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST_OPEN(preparation_comes_back),
		TEST_OPEN(preparations_of_several_spans_are_told_apart),
	};

	return cmocka_run_group_tests_name("store: preparations", tests, NULL, NULL);
}
