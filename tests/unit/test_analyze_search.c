/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyze/search.h"
#include "base/mem.h"
#include "virtual_curve.h"

static struct virtual_curve ult[VIRTUAL_TESTS + 1];

static int load(void **state)
{
	char *path = xasprintf("%s/ult-lun-sizing.csv", getenv("TEST_DATA"));

	(void)state;
	assert_true(virtual_load(path, ult));
	free(path);
	return 0;
}

static struct search_config config_of(enum lat_stat stat, double cap_ms)
{
	return (struct search_config){
		.cap = {stat, (uint64_t)(cap_ms * NS_OF_MS + .5)},
		.settings = {.max = SEARCH_MAX_DEPTH, .max_points = SEARCH_MAX_POINTS},
		.min = 1};
}

/* The depths that a search asks for must be these; ended by 0. */
static struct search_answer follow(const struct search_config *config,
				   const struct virtual_curve *c, const struct search_point *seed,
				   size_t nr_seed, const uint64_t *want)
{
	struct search_answer a = {.nr_points = 0};
	struct search s;
	uint64_t at;

	search_init(&s, config, seed, nr_seed);
	while (search_next(&s, &at)) {
		struct search_point p = virtual_measure(c, at);

		assert_int_equal(at, *want);
		want++;
		search_add(&s, &p);
	}
	assert_int_equal(*want, 0);
	search_result(&s, &a);
	search_release(&s);
	return a;
}

/* method.md (b), the golden traces at 10 ms. */
static void test_golden_traces(void **state)
{
	static const struct {
		uint64_t trace[12];
		double iops;
		uint64_t depth;
		enum search_stop stop;
	} golden[VIRTUAL_TESTS + 1] = {
		[1] = {{1, 8, 20, 21, 0}, 2049.71, 20, SEARCH_BRACKET},
		[2] = {{1, 2, 32, 145, 45, 0}, 4368, 32, SEARCH_FLAT},
		[3] = {{1, 8, 18, 19, 0}, 1870.93, 18, SEARCH_BRACKET},
		[4] = {{1, 2, 32, 81, 39, 42, 0}, 3917.22, 39, SEARCH_FLAT},
		[5] = {{1, 8, 17, 0}, 1658, 8, SEARCH_FLAT},
		[6] = {{1, 2, 32, 49, 0}, 3529, 32, SEARCH_FLAT},
		[7] = {{1, 8, 14, 15, 0}, 1443.23, 14, SEARCH_BRACKET},
		[8] = {{1, 2, 24, 40, 28, 29, 34, 30, 31, 0}, 3015.30, 30, SEARCH_BRACKET},
	};
	struct search_config config = config_of(LAT_MEAN, 10);

	(void)state;
	for (int t = 1; t <= VIRTUAL_TESTS; t++) {
		struct search_answer a = follow(&config, &ult[t], NULL, 0, golden[t].trace);

		assert_within(a.best.iops, golden[t].iops, .01);
		assert_int_equal(a.best.at, golden[t].depth);
		assert_int_equal(a.stop, golden[t].stop);
		assert_true(a.good.lat_ns <= 10e6);
		assert_true(a.bad.lat_ns > 10e6);
	}
}

static int compare_unsigned(const void *a, const void *b)
{
	const unsigned *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static const double caps_ms[] = {1, 2, 5, 10, 20, 30, 50};
#define NR_SEARCHES (NR(caps_ms) * VIRTUAL_TESTS)

/* method.md (b): mean 4.6 points, p95 7, at most 9; errors -0.1 % on average and -1.3 % at worst. */
static void test_all_curves_and_caps(void **state)
{
	double error = 0, worst = 0, points = 0;
	unsigned nr_points[NR_SEARCHES];
	size_t nr = 0, nr_met = 0;

	(void)state;
	for (size_t c = 0; c < NR(caps_ms); c++) {
		for (int t = 1; t <= VIRTUAL_TESTS; t++) {
			struct search_answer a =
				virtual_search(&ult[t], caps_ms[c], NULL, 0, 0, NULL);
			double truth = virtual_truth(&ult[t], caps_ms[c], SEARCH_MAX_DEPTH);

			nr_points[nr++] = a.nr_points;
			points += a.nr_points;
			assert_int_equal(a.stop == SEARCH_NEVER, truth == 0);
			assert_int_equal(search_status(&a),
					 truth > 0 ? SEARCH_MET : SEARCH_STATUS_NEVER);
			if (!(truth > 0))
				continue;
			nr_met++;
			error += a.best.iops / truth - 1;
			worst = fmin(worst, a.best.iops / truth - 1);
		}
	}
	qsort(nr_points, nr, sizeof(*nr_points), compare_unsigned);
	assert_int_equal(nr_met, 47);
	assert_true(points / (double)nr <= 4.6);
	assert_int_equal(nr_points[(size_t)(.95 * (double)nr)], 7);
	assert_int_equal(nr_points[nr - 1], 9);
	assert_within(error / (double)nr_met, -.00109, .0001);
	assert_within(worst, -.00816, .0005);
}

/* The depths of the table, as a sweep measured them. */
static size_t grid_of(const struct virtual_curve *c, struct search_point *out)
{
	for (size_t i = 0; i < c->nr; i++)
		out[i] = virtual_measure(c, (uint64_t)c->depth[i]);
	return c->nr;
}

static void test_seed_is_refined(void **state)
{
	struct search_point seed[VIRTUAL_DEPTHS];
	struct search_config config = config_of(LAT_MEAN, 10);
	struct search_answer a;

	(void)state;
	/* 16 meets the cap and 32 does not: only what lies between is asked for. */
	a = follow(&config, &ult[8], seed, grid_of(&ult[8], seed), (const uint64_t[]){30, 31, 0});
	assert_int_equal(a.best.at, 30);
	assert_int_equal(a.nr_points, 2);
	/* 32 and 64 have the same IOPS: nothing is left to measure. */
	a = follow(&config, &ult[2], seed, grid_of(&ult[2], seed), (const uint64_t[]){0});
	assert_int_equal(a.best.at, 32);
	assert_int_equal(a.stop, SEARCH_FLAT);
	assert_int_equal(a.nr_points, 0);
	/* A grid that ends below the cap is gone beyond. */
	a = follow(&config, &ult[2], seed, 4, (const uint64_t[]){128, 26, 41, 72, 0});
	assert_int_equal(a.good.at, 41);
	assert_int_equal(a.bad.at, 72);
	/* One that begins above it: the smallest depth is needed. */
	(void)grid_of(&ult[8], seed);
	a = follow(&config, &ult[8], &seed[8], 1,
		   (const uint64_t[]){1, 4, 10, 51, 21, 26, 36, 29, 30, 33, 31, 0});
	assert_int_equal(a.best.at, 30);
}

static void test_grid_against_search(void **state)
{
	double short_by = 0;

	(void)state;
	for (size_t c = 0; c < NR(caps_ms); c++) {
		for (int t = 1; t <= VIRTUAL_TESTS; t++) {
			double truth = virtual_truth(&ult[t], caps_ms[c], SEARCH_MAX_DEPTH);

			if (truth > 0)
				short_by = fmin(short_by,
						virtual_grid(&ult[t], caps_ms[c]) / truth - 1);
		}
	}
	/* What the search is for: a grid of powers of two misses up to a half. */
	assert_true(short_by < -.25);
}

/* With 1 % of noise: within 3 %, and no search is lost in it. */
static void test_noise(void **state)
{
	double error = 0;
	unsigned nr = 0;
	struct rng rng;

	(void)state;
	rng_seed(&rng, 11);
	for (int round = 0; round < 50; round++) {
		for (int t = 1; t <= VIRTUAL_TESTS; t++) {
			struct search_answer a = virtual_search(&ult[t], 10, NULL, 0, .01, &rng);
			double truth = virtual_truth(&ult[t], 10, SEARCH_MAX_DEPTH);

			assert_true(a.nr_points <= 14);
			assert_int_equal(search_status(&a), SEARCH_MET);
			assert_true(fabs(a.best.iops / truth - 1) < .06);
			error += fabs(a.best.iops / truth - 1);
			nr++;
		}
	}
	assert_true(error / nr < .02);
}

static void test_at_the_cap(void **state)
{
	struct search_config config = config_of(LAT_MEAN, 10);
	struct search_answer a = {.nr_points = 0};
	struct search s;
	uint64_t at;

	(void)state;
	search_init(&s, &config, NULL, 0);
	assert_true(search_next(&s, &at));
	assert_int_equal(at, 1);
	search_add(&s, &(struct search_point){
			       .at = 1, .iops = 100, .iops_se = .01, .lat_ns = 5e6, .lat_se = .01});
	assert_true(search_next(&s, &at));
	/* 0.5 % from the cap with an error of 1 %. */
	search_add(&s,
		   &(struct search_point){
			   .at = at, .iops = 200, .iops_se = .01, .lat_ns = 9.95e6, .lat_se = .01});
	assert_false(search_next(&s, &at));
	search_result(&s, &a);
	assert_int_equal(a.stop, SEARCH_AT_CAP);
	assert_close(a.best.iops, 200, 0);
	search_release(&s);
}

/* IOPS that rise without end: every depth meets the cap. */
static void test_largest_depth(void **state)
{
	static const uint64_t trace[] = {1, 8, 64, 100, 0};
	struct search_config config = config_of(LAT_MEAN, 1000);
	struct search_answer a = {.nr_points = 0};
	struct search s;
	uint64_t at;
	size_t i = 0;

	(void)state;
	config.settings.max = 100;
	search_init(&s, &config, NULL, 0);
	while (search_next(&s, &at)) {
		assert_int_equal(at, trace[i++]);
		search_add(&s, &(struct search_point){
				       .at = at, .iops = 1000 * (double)at, .lat_ns = 1e6});
	}
	search_result(&s, &a);
	assert_int_equal(a.stop, SEARCH_NOT_REACHED);
	assert_int_equal(search_status(&a), SEARCH_STATUS_NOT_REACHED);
	assert_int_equal(a.best.at, 100);
	assert_int_equal(a.bad.at, 0);
	search_release(&s);
}

static void test_workers_bound_the_depth(void **state)
{
	struct search_config config = config_of(LAT_MEAN, 10);
	struct search_answer a;

	(void)state;
	config.min = 4;
	a = follow(&config, &ult[2], NULL, 0, (const uint64_t[]){4, 9, 144, 27, 41, 77, 44, 0});
	assert_int_equal(a.best.at, 41);
}

static void test_no_more_points(void **state)
{
	struct search_config config = config_of(LAT_MEAN, 10);
	struct search_answer a;

	(void)state;
	config.settings.max_points = 4;
	a = follow(&config, &ult[8], NULL, 0, (const uint64_t[]){1, 2, 24, 40, 0});
	assert_int_equal(a.stop, SEARCH_NO_POINTS);
	assert_int_equal(a.best.at, 24);
	assert_int_equal(a.bad.at, 40);
	assert_int_equal(search_status(&a), SEARCH_STATUS_UNFINISHED);
	a.is_client_limited = true;
	assert_int_equal(search_status(&a), SEARCH_STATUS_CLIENT);
}

/* A percentile knows no Little's law: the second depth is twice the first. */
static void test_percentiles_do_not_jump(void **state)
{
	struct search_config config = config_of(LAT_P99, 10);
	struct search_answer a;

	(void)state;
	a = follow(&config, &ult[1], NULL, 0, (const uint64_t[]){1, 2, 16, 21, 0});
	assert_int_equal(a.best.at, 16);
	a = follow(&config, &ult[8], NULL, 0,
		   (const uint64_t[]){1, 2, 16, 93, 24, 27, 50, 29, 31, 30, 0});
	assert_int_equal(a.best.at, 30);
}

static void test_exact_depth(void **state)
{
	struct search_config config = config_of(LAT_MEAN, 10);
	struct search s;
	struct search_answer a = {.nr_points = 0};
	uint64_t at;

	(void)state;
	config.settings.is_exact = true;
	for (int t = 1; t <= VIRTUAL_TESTS; t++) {
		uint64_t largest = 0;

		search_init(&s, &config, NULL, 0);
		while (search_next(&s, &at)) {
			struct search_point p = virtual_measure(&ult[t], at);

			search_add(&s, &p);
		}
		search_result(&s, &a);
		search_release(&s);
		for (uint64_t n = 1; n <= SEARCH_MAX_DEPTH; n++)
			if (virtual_measure(&ult[t], n).lat_ns <= 10e6)
				largest = n;
		assert_int_equal(a.best.at, largest);
		assert_int_equal(a.bad.at, largest + 1);
		assert_true(a.nr_points <= 12);
	}
}

static void test_failure_ends_it(void **state)
{
	struct search_config config = config_of(LAT_MEAN, 10);
	struct search_answer a = {.nr_points = 0};
	struct search_point p;
	struct search s;
	uint64_t at;

	(void)state;
	search_init(&s, &config, NULL, 0);
	for (int i = 0; i < 3; i++) {
		assert_true(search_next(&s, &at));
		p = virtual_measure(&ult[2], at);
		search_add(&s, &p);
	}
	assert_true(search_next(&s, &at));
	search_fail(&s);
	assert_false(search_next(&s, &at));
	search_result(&s, &a);
	assert_int_equal(search_status(&a), SEARCH_STATUS_ERRORS);
	/* What is known stays known. */
	assert_int_equal(a.good.at, 32);
	assert_int_equal(a.best.at, 32);
	search_release(&s);
}

/* Told the same again it asks for the same: what a run is gone on with by. */
static void test_replay(void **state)
{
	struct search_config config = config_of(LAT_MEAN, 10);
	struct search_answer first = virtual_search(&ult[8], 10, NULL, 0, 0, NULL);

	(void)state;
	for (unsigned cut = 0; cut < first.nr_points; cut++) {
		unsigned asked = 0;
		struct search s;
		uint64_t at;

		search_init(&s, &config, NULL, 0);
		while (asked < cut && search_next(&s, &at)) {
			struct search_point p = virtual_measure(&ult[8], at);

			search_add(&s, &p);
			asked++;
		}
		assert_int_equal(asked, cut);
		assert_true(search_next(&s, &at));
		search_release(&s);
	}
}

/* ---- over load: queues of known response times ---- */

/* Of a queue with this capacity in IOPS and servers: FIFO, Poisson arrivals. */
struct queue {
	double servers, service_ms;
	bool is_constant; /* service times: half the wait of exponential ones, as for one server */
};

/* Erlang's C: the chance to wait. */
static double chance_to_wait(double servers, double offered)
{
	double b = 1;

	for (int k = 1; k <= (int)servers; k++)
		b = offered * b / (k + offered * b);
	return b / (1 - offered / servers * (1 - b));
}

static double response_ms(const struct queue *q, double load)
{
	double offered = load * q->service_ms / 1e3;
	double wait = chance_to_wait(q->servers, offered) * q->service_ms / (q->servers - offered);

	return q->service_ms + (q->is_constant ? wait / 2 : wait);
}

static struct search_point offer(const struct queue *q, uint64_t load)
{
	double capacity = q->servers / q->service_ms * 1e3, x = (double)load;
	struct search_point p = {.at = load, .iops = fmin(x, capacity), .iops_se = UNKNOWN};

	/* So much falls behind within a window that it is not sustained. */
	p.is_missed = x > capacity;
	p.lat_ns = p.is_missed ? 10e9 : response_ms(q, x) * 1e6;
	return p;
}

static struct search_answer search_queue(const struct queue *q, double cap_ms, uint64_t max)
{
	struct search_config config = config_of(LAT_MEAN, cap_ms);
	struct search_answer a = {.nr_points = 0};
	struct search s;
	uint64_t at;

	config.settings.is_load = true;
	config.settings.max = max;
	search_init(&s, &config, NULL, 0);
	while (search_next(&s, &at)) {
		struct search_point p = offer(q, at);

		search_add(&s, &p);
	}
	search_result(&s, &a);
	search_release(&s);
	return a;
}

/* The largest load that meets the cap. */
static double load_under(const struct queue *q, double cap_ms)
{
	double low = 0, high = q->servers / q->service_ms * 1e3;

	for (int i = 0; i < 60; i++) {
		double mid = (low + high) / 2;

		if (response_ms(q, mid) <= cap_ms)
			low = mid;
		else
			high = mid;
	}
	return low;
}

static void test_load_of_known_queues(void **state)
{
	static const struct queue queues[] = {{1, 8, false},  {1, 8, true},	 {1, 1, false},
					      {8, 2, false},  {8, 2, true},	 {15, 5, true},
					      {64, .1, true}, {128, .08, false}, {1, 90, false}};
	static const double factor[] = {1.05, 1.5, 2, 5, 20};
	unsigned nr = 0, points = 0;

	(void)state;
	for (size_t i = 0; i < NR(queues); i++) {
		for (size_t k = 0; k < NR(factor); k++) {
			double cap_ms = factor[k] * queues[i].service_ms;
			struct search_answer a = search_queue(&queues[i], cap_ms, SEARCH_MAX_RATE);
			double truth = load_under(&queues[i], cap_ms);

			if (truth < 1) {
				assert_int_equal(a.stop, SEARCH_NEVER);
				continue;
			}
			assert_int_equal(a.stop, SEARCH_BRACKET);
			assert_true(a.good.lat_ns <= cap_ms * 1e6 * (1 + 1e-9));
			assert_true(a.bad.is_missed || a.bad.lat_ns > cap_ms * 1e6);
			/* Within the tolerance, or to the next whole IOPS. */
			assert_true((double)a.best.at <= truth * (1 + 1e-9));
			assert_true((double)a.best.at >= fmin(truth / 1.021, truth - 1));
			assert_true(a.nr_points <= 16);
			points += a.nr_points;
			nr++;
		}
	}
	assert_true(points <= 9 * nr);
}

static void test_load_ends(void **state)
{
	static const struct queue disk = {1, 8, false};
	struct search_answer a;

	(void)state;
	/* Faster than the target ever is. */
	a = search_queue(&disk, 5, SEARCH_MAX_RATE);
	assert_int_equal(a.stop, SEARCH_NEVER);
	assert_int_equal(a.lowest.at, 1);
	assert_int_equal(a.best.at, 0);
	/* Never asked for more. */
	a = search_queue(&disk, 20, 60);
	assert_int_equal(a.stop, SEARCH_NOT_REACHED);
	assert_int_equal(a.best.at, 60);
	assert_int_equal(search_status(&a), SEARCH_STATUS_NOT_REACHED);
}

static void test_missed_load_never_meets(void **state)
{
	struct search_config config = config_of(LAT_MEAN, 10);
	struct search_answer a = {.nr_points = 0};
	struct search s;
	uint64_t at;

	(void)state;
	config.settings.is_load = true;
	search_init(&s, &config, NULL, 0);
	while (search_next(&s, &at)) {
		/* Latencies that are fine, of a target that does 500 IOPS whatever is offered. */
		struct search_point p = {.at = at,
					 .iops = fmin((double)at, 500),
					 .lat_ns = 1e6,
					 .is_missed = at > 500};

		search_add(&s, &p);
	}
	search_result(&s, &a);
	assert_in_range(a.best.at, 490, 500);
	assert_true(a.bad.is_missed);
	search_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("the golden traces of the ULT curves at 10 ms", test_golden_traces),
		titled_test("all ULT curves under seven caps: few points, small errors",
			    test_all_curves_and_caps),
		titled_test("the same caps read off the grid are up to a quarter and more short",
			    test_grid_against_search),
		titled_test("a seed is refined: only what lies in its bracket is measured",
			    test_seed_is_refined),
		titled_test("noise of 1 % loses no search", test_noise),
		titled_test("a latency that is the cap within its noise ends the search",
			    test_at_the_cap),
		titled_test("the largest depth that may be tried still meets the cap",
			    test_largest_depth),
		titled_test("the number of workers is the smallest depth",
			    test_workers_bound_the_depth),
		titled_test("no more points than allowed", test_no_more_points),
		titled_test("caps on percentiles make no jump by Little's law",
			    test_percentiles_do_not_jump),
		titled_test("the exact depth is told from its neighbour", test_exact_depth),
		titled_test("a failed point ends the search with what is known",
			    test_failure_ends_it),
		titled_test("told the same points again, it asks for the same", test_replay),
		titled_test("the highest load of known queues, within 2 %",
			    test_load_of_known_queues),
		titled_test("over load: never met, and not reached", test_load_ends),
		titled_test("a missed load never meets a cap", test_missed_load_never_meets),
	};

	return cmocka_run_group_tests(tests, load, NULL);
}
