/* SPDX-License-Identifier: MIT */
/* How a budget is divided, in virtual time. What is measured has no figures here: which point of a curve
 * tells most is tested in test_analyze_infill.c. */
#include "unit.h"

#include "base/clock.h"
#include "cmd/budget.h"
#include "cmd/schedule.h"

#include <string.h>

#define BEGIN_NS (1000 * NS_PER_S)

/* What came of a budget: points by group, and when the last of them ended. */
struct night {
	size_t nr[PLAN_GROUPS], nr_ends[PLAN_GROUPS];
	size_t nr_points; /* of the plan */
	uint64_t took_ns;
};

static bool is_end(const struct point_spec *s)
{
	return s->iodepth == 1 || s->iodepth == 256;
}

static void measure(struct schedule *s, const struct plan_point *pp)
{
	struct measurement m;

	measurement_init(&m, &pp->spec);
	m.status = POINT_FAILED;
	schedule_done(s, pp, &m);
	measurement_release(&m);
}

/* Every point, anchors too, takes the sweep's longest time or, early, its shortest. */
static void spend(const struct measure_job *job, bool early, struct night *n)
{
	uint64_t window_ns = early ? job->sweep->min_ns : job->sweep->max_ns;
	uint64_t point_ns = job->sweep->ramp_ns + window_ns + PLAN_POINT_OVERHEAD_NS;
	struct schedule *s = schedule_new(job, NULL, 0, BEGIN_NS);
	const struct plan_point *pp;
	uint64_t now_ns = BEGIN_NS;

	for (unsigned g = 0; g < PLAN_GROUPS; g++) {
		while ((pp = schedule_next(s, g, now_ns))) {
			assert_int_equal(plan_group(&pp->spec, job->sweep), g);
			measure(s, pp);
			now_ns += point_ns;
			n->nr[g]++;
			n->nr_ends[g] += is_end(&pp->spec);
		}
	}
	n->nr_points = job->plan.nr;
	n->took_ns = now_ns - BEGIN_NS;
	schedule_free(s);
}

static struct night nights(const struct pair_list *settings, uint64_t budget_ns, bool early)
{
	struct target_info t = {.size_bytes = 1ULL << 40, .logical_block_bytes = 512};
	struct measure_job job = {.budget_text = "budget", .end_ns = BEGIN_NS + budget_ns};
	struct night n = {0};
	struct sweep sweep;
	struct err e = {0};

	if (sweep_build(&sweep, NULL, settings, &e) || plan_make(&sweep, &t, 1, &job.plan, &e))
		fail_msg("%s", e.msg);
	job.sweep = &sweep;
	spend(&job, early, &n);
	plan_release(&job.plan);
	sweep_release(&sweep);
	return n;
}

/* Points take 5 + 20 s to 5 + 120 s: 25.1 s to 125.1 s. */
#define LONGEST_NS  (125100 * NS_PER_MS)
#define SHORTEST_NS (25100 * NS_PER_MS)

static struct night night(const char *rw, uint64_t budget_ns, bool early)
{
	struct pair_list settings = {0};
	struct night n;

	pair_list_add(&settings, "rw", rw);
	pair_list_add(&settings, "span", "25%,50%");
	pair_list_add(&settings, "iodepth", "1..256*2");
	n = nights(&settings, budget_ns, early);
	pair_list_release(&settings);
	return n;
}

static void no_budget_is_passed(void **state)
{
	(void)state;
	for (uint64_t points = 2; points <= 40; points++) {
		uint64_t budget_ns = points * LONGEST_NS + 7 * NS_PER_S;
		struct night n = night("randread", budget_ns, false);

		assert_true(n.took_ns <= budget_ns);
		assert_int_equal(n.nr[0], points < 18 ? points : 18);
		assert_int_equal(n.nr_ends[0], points < 4 ? points : 4);
		assert_true(night("randread", budget_ns, true).took_ns <= budget_ns);
	}
}

static void reads_leave_their_share_to_writes(void **state)
{
	struct night n = night("randread,randwrite", 20 * LONGEST_NS, false);

	(void)state;
	/* Half of the points each; writes keep time for the anchors of curves with three depths. */
	assert_in_range(n.nr[0], 9, 10);
	assert_in_range(n.nr[2], 6, 8);
	assert_int_equal(n.nr_ends[0], 4);
	assert_int_equal(n.nr_ends[2], 4);
	assert_true(n.took_ns <= (20 - 2) * LONGEST_NS);
}

static void the_ends_of_writes_come_before_more_reads(void **state)
{
	struct night n = night("randread,randwrite", 8 * LONGEST_NS, false);

	(void)state;
	assert_int_equal(n.nr[0], 4);
	assert_int_equal(n.nr[2], 4);
	/* And the ends of reads before everything. */
	n = night("randread,randwrite", 5 * LONGEST_NS, false);
	assert_int_equal(n.nr_ends[0], 4);
	assert_int_equal(n.nr[2], 1);
}

static void points_that_end_early_make_room_for_others(void **state)
{
	/* 36 points and 4 anchors of the shortest time, and the last one must fit with its longest. */
	uint64_t budget_ns = 40 * SHORTEST_NS + LONGEST_NS + 5 * LONGEST_NS;
	struct night n = night("randread,randwrite", budget_ns, true);

	(void)state;
	assert_int_equal(n.nr[0], 18);
	assert_int_equal(n.nr[2], 18);
}

static void loads_have_a_share_behind_their_closed_loops(void **state)
{
	struct pair_list settings = {0};
	struct night n;

	(void)state;
	pair_list_add(&settings, "iodepth", "1..256*2");
	pair_list_add(&settings, "rate", "10%,20%,30%,40%,50%,60%,70%,80%,90%");
	n = nights(&settings, 10 * LONGEST_NS, false);
	assert_int_equal(n.nr[0], 5);
	assert_int_equal(n.nr[1], 5);
	pair_list_release(&settings);
}

static void a_budget_is_for_all_targets(void **state)
{
	struct measure_job job = {.budget_text = NULL};
	struct budget b = {0};
	struct err e = {0};

	(void)state;
	budget_begin(&b);
	budget_share(&b, 2, &job);
	assert_null(job.budget_text);
	assert_int_equal(budget_parse("8h", NULL, &b, &e), 0);
	budget_begin(&b);
	budget_share(&b, 2, &job);
	assert_within((double)(job.end_ns - clock_now_ns()) / 3600e9, 4, .01);
	/* The second one has what is left. */
	budget_share(&b, 1, &job);
	assert_within((double)(job.end_ns - clock_now_ns()) / 3600e9, 8, .01);
	budget_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("no budget is passed, and none of it is wasted", no_budget_is_passed),
		titled_test("reads leave their share of the time to writes",
			    reads_leave_their_share_to_writes),
		titled_test("the ends of writing curves come before more reads",
			    the_ends_of_writes_come_before_more_reads),
		titled_test("points that end early make room for others",
			    points_that_end_early_make_room_for_others),
		titled_test("loads have a share behind their closed loops",
			    loads_have_a_share_behind_their_closed_loops),
		titled_test("a budget is for all targets together", a_budget_is_for_all_targets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
