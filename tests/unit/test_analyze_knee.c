/* SPDX-License-Identifier: MIT */
#include "curve_data.h"
#include "knee_shapes.h"

#include "analyze/knee.h"
#include "base/rng.h"

static struct test_curve ult[ULT_TESTS + 1];

static int load(void **state)
{
	(void)state;
	ult_load(ult);
	return 0;
}

static struct knee find(const struct test_curve *c, uint32_t queue_limit)
{
	struct knee k;

	knee_find(&c->curve, queue_limit, &k);
	return k;
}

static void set_errors(struct test_curve *c, double se_rel)
{
	for (size_t i = 0; i < c->curve.nr; i++)
		c->pt[i].se_rel = se_rel;
}

/* Depths 1, 2, 4, ... of nr values, with latency by Little's law. */
static void add_powers(struct test_curve *c, const double *iops, size_t nr)
{
	curve_clear(c);
	for (size_t i = 0; i < nr; i++)
		curve_add(c, 1U << i, iops[i], (1U << i) / iops[i] * 1e3, 0);
}

static void golden_row(char **f, void *arg)
{
	const struct test_curve *c = &ult[atoi(f[0])];
	struct knee k = find(c, 0);
	int *rows = arg;

	++*rows;
	assert_string_equal(knee_class_name(k.cls), f[1]);
	assert_within(k.nstar, atof(f[2]), 0.005);
	assert_within(k.nstar_xmax_r1, atof(f[3]), 0.005);
	assert_int_equal(k.sat_depth, atoi(f[4]));
	assert_within(k.sat_iops, atof(f[5]), 0);
	assert_within(k.eff, atof(f[6]), 0.0005);
	assert_within(k.peak_iops, atof(f[7]), 0);
	assert_int_equal(k.peak_depth, atoi(f[8]));
	assert_within(k.n80, atof(f[9]), 0.01);
	assert_within(100 * k.last_gain, atof(f[10]), 0.01);
	assert_int_equal(k.power_depth, atoi(f[11]));
	assert_int_equal(k.second_plateau_depth, atoi(f[12]));
	assert_int_equal(k.nr_dips, 0);
	assert_int_equal(k.lo_depth, 1);
	assert_int_equal(k.bound, k.cls == KNEE_FLAT ? '<' : '=');
	assert_int_equal(k.first_depth, 1);
	assert_int_equal(k.last_depth, 256);
	assert_within(k.first_lat_ns, c->pt[0].lat_ns[LAT_MEAN], 0);
	assert_within(k.last_lat_ns, c->pt[8].lat_ns[LAT_MEAN], 0);
	assert_within(k.last_iops, c->pt[8].iops, 0);
	assert_within(k.nstar_low, k.nstar, 0);
	assert_within(k.nstar_high, k.nstar, 0);
	assert_false(k.is_client_limited);
	assert_int_equal(k.queue_limit, 0);
}

static void test_golden(void **state)
{
	int rows = 0;

	(void)state;
	csv_each("golden_knee.csv", golden_row, &rows);
	assert_int_equal(rows, ULT_TESTS);
}

static void test_saturation_latency_is_that_of_the_depth(void **state)
{
	(void)state;
	assert_within(find(&ult[4], 0).sat_lat_ns, 8.18e6, 1);
}

static void test_intervals(void **state)
{
	static const struct {
		int test;
		double se, low, high;
	} rows[] = {
		{2, 0.01, 19.260, 20.358}, {4, 0.01, 19.251, 20.348}, {6, 0.01, 18.668, 19.732},
		{8, 0.01, 18.608, 19.669}, {4, 0.03, 18.213, 21.508}, {8, 0.03, 17.604, 20.790},
	};

	(void)state;
	for (size_t i = 0; i < NR(rows); i++) {
		struct test_curve c = ult[rows[i].test];
		struct knee k;

		c.curve.pt = c.pt;
		set_errors(&c, rows[i].se);
		k = find(&c, 0);
		assert_within(k.nstar_low, rows[i].low, 0.0006);
		assert_within(k.nstar_high, rows[i].high, 0.0006);
	}
}

static void test_truncated(void **state)
{
	static const struct {
		size_t nr;
		enum knee_class cls;
		double nstar;
	} rows[] = {
		{4, KNEE_RISING, 6.79},	 {5, KNEE_RISING, 11.44},  {6, KNEE_RISING, 17.28},
		{7, KNEE_KNEE, 17.4690}, {8, KNEE_RISING, 19.469}, {9, KNEE_KNEE, 19.792},
	};

	(void)state;
	for (size_t i = 0; i < NR(rows); i++) {
		struct test_curve c = ult[4];
		struct knee k;

		c.curve.pt = c.pt;
		c.curve.nr = rows[i].nr;
		k = find(&c, 0);
		assert_int_equal(k.cls, rows[i].cls);
		assert_int_equal(k.bound, rows[i].cls == KNEE_RISING ? '>' : '=');
		assert_within(k.nstar, rows[i].nstar, 0.005);
		if (rows[i].nr == 7)
			assert_int_equal(k.sat_depth, 32);
		if (rows[i].nr == 8)
			assert_within(k.last_gain, 0.1145, 0.0001);
	}
}

#define NR_POWERS 9

struct vector {
	double (*iops)(double depth);
	enum knee_class cls;
	double nstar;
	uint32_t sat, peak;
	double eff, last_gain, drop;
};

static void test_synthetic(void **state)
{
	static const struct vector vectors[] = {
		{linear, KNEE_RISING, 256, 256, 256, 1, 1, 0},
		{sixteen, KNEE_KNEE, 16, 16, 16, 1, 0, 0},
		{twenty, KNEE_KNEE, 20, 32, 32, 1, 0, 0},
		{balanced, KNEE_KNEE, 14.2222, 32, 256, 0.7337, 0.05185, 0},
		{constant, KNEE_FLAT, 1, 1, 1, 1, 0, 0},
		{coherence, KNEE_RETROGRADE, 15.6113, 32, 64, 0.9202, -0.31382, 0.4192},
		{creeping, KNEE_RISING, 4, 64, 256, 0.7071, 0.18921, 0},
	};

	(void)state;
	for (size_t i = 0; i < NR(vectors); i++) {
		const struct vector *v = &vectors[i];
		double iops[NR_POWERS];
		struct test_curve c;
		struct knee k;

		for (size_t j = 0; j < NR_POWERS; j++)
			iops[j] = v->iops(1 << j);
		add_powers(&c, iops, NR_POWERS);
		k = find(&c, 0);
		assert_int_equal(k.cls, v->cls);
		assert_within(k.nstar, v->nstar, 0.0001);
		assert_int_equal(k.sat_depth, v->sat);
		assert_int_equal(k.peak_depth, v->peak);
		assert_within(k.eff, v->eff, 0.0001);
		assert_within(k.last_gain, v->last_gain, 0.0001);
		assert_within(k.drop, v->drop, 0.0001);
	}
}

static void test_dip(void **state)
{
	double iops[NR_POWERS];
	struct test_curve c;
	struct knee k;

	(void)state;
	for (size_t j = 0; j < NR_POWERS; j++)
		iops[j] = fmin(1 << j, 16);
	iops[2] = 1;
	add_powers(&c, iops, NR_POWERS);
	k = find(&c, 0);
	assert_int_equal(k.cls, KNEE_KNEE);
	assert_within(k.nstar, 16, 1e-9);
	assert_int_equal(k.sat_depth, 16);
	assert_int_equal(k.nr_dips, 1);
	assert_int_equal(k.dip_depth[0], 4);

	/* Halved it only equals the depth before, which is no dip. */
	c.pt[2].iops = 2;
	k = find(&c, 0);
	assert_int_equal(k.cls, KNEE_KNEE);
	assert_int_equal(k.nr_dips, 0);

	/* Nor is it one within the noise. */
	c.pt[2].iops = 1;
	set_errors(&c, 0.2);
	assert_int_equal(find(&c, 0).nr_dips, 0);
}

static void test_many_dips_do_not_overflow(void **state)
{
	struct test_curve c;
	struct knee k;

	(void)state;
	curve_clear(&c);
	for (uint32_t i = 0; i < CURVE_MAX; i++)
		curve_add(&c, i + 1, i % 2 ? 50 + i : 100 + 10 * i, 1, 0);
	k = find(&c, 0);
	assert_int_equal(k.nr_dips, KNEE_MAX_DIPS);
}

/* The textbook curves of a capacity planner. */
static void test_textbook_curves(void **state)
{
	static const double eight[] = {1e4, 2e4, 4e4, 8e4, 8e4, 8e4};
	static const double flat[] = {500, 500, 500, 500, 500};
	static const double straight[] = {1e3, 2e3, 4e3, 8e3, 16e3, 32e3};
	static const double disk[] = {120, 150, 185, 215, 240, 255, 262};
	struct test_curve c;
	struct knee k;

	(void)state;
	add_powers(&c, eight, NR(eight));
	k = find(&c, 0);
	assert_int_equal(k.cls, KNEE_KNEE);
	assert_int_equal(k.sat_depth, 8);
	assert_within(k.nstar, 8, 1e-9);

	add_powers(&c, flat, NR(flat));
	k = find(&c, 0);
	assert_int_equal(k.cls, KNEE_FLAT);
	assert_int_equal(k.sat_depth, 1);
	assert_int_equal(k.bound, '<');

	add_powers(&c, straight, NR(straight));
	k = find(&c, 0);
	assert_int_equal(k.cls, KNEE_RISING);
	assert_int_equal(k.bound, '>');
	assert_int_equal(k.last_depth, 32);

	curve_clear(&c);
	curve_add(&c, 4, 30000, 0.13, 0);
	k = find(&c, 0);
	assert_int_equal(k.cls, KNEE_INSUFFICIENT);
	assert_unknown(k.nstar);
	assert_int_equal(k.peak_depth, 4);

	add_powers(&c, disk, NR(disk));
	k = find(&c, 0);
	assert_int_equal(k.cls, KNEE_KNEE);
	assert_in_range(k.sat_depth, 4, 16);
	assert_within(k.last_iops / k.first_iops, 2.2, 0.05);
	assert_within(k.last_lat_ns / k.first_lat_ns, 29, 0.5);
}

static void test_few_points(void **state)
{
	struct test_curve c;
	struct knee k;

	(void)state;
	curve_clear(&c);
	k = find(&c, 32);
	assert_int_equal(k.cls, KNEE_INSUFFICIENT);
	assert_unknown(k.peak_iops);
	curve_add(&c, 1, 100, 10, 0);
	curve_add(&c, 2, 100, 20, 0);
	k = find(&c, 1);
	assert_int_equal(k.cls, KNEE_INSUFFICIENT);
	assert_int_equal(k.sat_depth, 0);
	assert_int_equal(k.queue_limit, 0);
	assert_unknown(k.eff);
}

/* On any grid that starts at 1, with evenly spread noise of up to 3 %, which is a standard
 * deviation of 1.73 %. */
static void test_no_knee_where_there_is_none(void **state)
{
	struct rng r;

	(void)state;
	rng_seed(&r, 7);
	for (int round = 0; round < 2000; round++) {
		struct test_curve flat, straight;
		uint32_t depth = 1;

		curve_clear(&flat);
		curve_clear(&straight);
		for (int i = 0; i < 9; i++) {
			double noise = 1 + ((double)rng_below(&r, 2001) - 1000) / 1000 * 0.03;

			curve_add(&flat, depth, 800 * noise, 1, 0.0173);
			curve_add(&straight, depth, 800 * noise * depth, 1, 0.0173);
			depth += 1 + (uint32_t)rng_below(&r, depth + 1);
		}
		assert_int_equal(find(&flat, 0).cls, KNEE_FLAT);
		assert_int_equal(find(&flat, 0).sat_depth, 1);
		if (straight.pt[8].iodepth >= 16)
			assert_int_equal(find(&straight, 0).cls, KNEE_RISING);
	}
}

static void test_flat_ends_at_half_an_octave(void **state)
{
	static const double below[] = {100, 141, 141, 141}, above[] = {100, 142, 142, 142};
	struct test_curve c;

	(void)state;
	add_powers(&c, below, NR(below));
	assert_int_equal(find(&c, 0).cls, KNEE_FLAT);
	add_powers(&c, above, NR(above));
	assert_int_equal(find(&c, 0).cls, KNEE_KNEE);
}

static void test_rise_and_drop_need_significance(void **state)
{
	static const double rising[] = {100, 200, 400, 800, 900};
	static const double falling[] = {100, 200, 400, 800, 700};
	struct test_curve c;

	(void)state;
	add_powers(&c, rising, NR(rising));
	assert_int_equal(find(&c, 0).cls, KNEE_RISING);
	set_errors(&c, 0.06);
	assert_int_equal(find(&c, 0).cls, KNEE_KNEE);
	add_powers(&c, falling, NR(falling));
	assert_int_equal(find(&c, 0).cls, KNEE_RETROGRADE);
	set_errors(&c, 0.04);
	assert_int_equal(find(&c, 0).cls, KNEE_KNEE);
}

static void test_start_above_one_is_an_upper_bound(void **state)
{
	struct test_curve c;

	(void)state;
	curve_clear(&c);
	for (uint32_t n = 2; n <= 64; n *= 2)
		curve_add(&c, n, 1000 * fmin(n, 16), 1, 0);
	assert_int_equal(find(&c, 0).cls, KNEE_KNEE);
	assert_int_equal(find(&c, 0).bound, '<');
}

static void mark(struct test_curve *c, uint32_t from, uint32_t to, enum flag flag)
{
	for (size_t i = 0; i < c->curve.nr; i++)
		if (c->pt[i].iodepth >= from && c->pt[i].iodepth <= to)
			c->pt[i].flags |= FLAG_BIT(flag);
}

static void test_cpu_bound_withholds(void **state)
{
	static const double iops[] = {1e3, 2e3, 4e3, 8e3, 8e3, 8e3};
	struct test_curve c;

	(void)state;
	add_powers(&c, iops, NR(iops));
	mark(&c, 8, 32, FLAG_CPU_BOUND); /* the whole plateau, N* itself included */
	assert_true(find(&c, 0).is_client_limited);

	add_powers(&c, iops, NR(iops));
	mark(&c, 16, 32, FLAG_CPU_BOUND); /* the peak was reached without */
	assert_false(find(&c, 0).is_client_limited);

	add_powers(&c, iops, NR(iops));
	mark(&c, 1, 1, FLAG_CPU_BOUND); /* the point that says what one I/O costs */
	assert_true(find(&c, 0).is_client_limited);

	add_powers(&c, iops, NR(iops));
	mark(&c, 2, 4, FLAG_CPU_BOUND); /* these decide nothing */
	assert_false(find(&c, 0).is_client_limited);

	add_powers(&c, iops, NR(iops));
	mark(&c, 8, 32, FLAG_DEPTH_NOT_HELD);
	mark(&c, 8, 32, FLAG_SUBMIT_BLOCKED);
	assert_false(find(&c, 0).is_client_limited);
}

/* What is held back, from depth to depth and why, with a queue limit, and how N* and IOPS are read then. */
struct held_case {
	uint32_t from, to;
	enum flag flag;
	uint32_t limit;
	char bound;
	bool sat, peak, last, has_flags;
};

static void test_held_points_make_bounds(void **state)
{
	/* The peak is at 16; saturation and the line at 8. */
	static const double iops[] = {900, 1800, 3900, 8e3, 8.1e3, 8e3};
	static const struct held_case cases[] = {
		{2, 4, FLAG_SUBMIT_BLOCKED, 0, '=', false, false, false, false},
		{32, 32, FLAG_SUBMIT_BLOCKED, 0, '=', false, false, true, false},
		{16, 16, FLAG_SUBMIT_BLOCKED, 0, '>', false, true, false, true},
		{16, 32, FLAG_DEPTH_NOT_HELD, 0, '>', false, true, true, true},
		{16, 32, FLAG_CPU_BOUND, 0, '>', false, true, true, true},
		{8, 8, FLAG_DEPTH_NOT_HELD, 0, '<', true, false, false, true},
		{8, 32, FLAG_SUBMIT_BLOCKED, 0, '~', true, true, true, true},
		/* Beyond the limit of a queue of this host points may prove a plateau (D20). */
		{16, 32, FLAG_SUBMIT_BLOCKED, 8, '=', false, false, false, false},
		{16, 32, FLAG_SUBMIT_BLOCKED, 16, '>', false, true, false, true},
		{16, 32, FLAG_CPU_BOUND, 8, '>', false, true, true, true},
		{8, 32, FLAG_INLINE, 0, '=', false, false, false, false},
	};
	struct test_curve c;

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		const struct held_case *w = &cases[i];
		struct knee k;

		add_powers(&c, iops, NR(iops));
		mark(&c, w->from, w->to, w->flag);
		k = find(&c, w->limit);
		assert_int_equal(k.bound, w->bound);
		assert_int_equal(k.is_sat_least, w->sat);
		assert_int_equal(k.is_peak_least, w->peak);
		assert_int_equal(k.is_last_least, w->last);
		assert_int_equal(k.held_flags, w->has_flags ? FLAG_BIT(w->flag) : 0);
	}
}

static void test_held_ends_of_other_classes(void **state)
{
	static const double rising[] = {1e3, 2e3, 4e3, 8e3}, falling[] = {1e3, 2e3, 4e3, 2e3};
	static const double flat[] = {1e3, 1e3, 1.1e3, 1.1e3};
	struct test_curve c;
	struct knee k;

	(void)state;
	add_powers(&c, rising, NR(rising));
	mark(&c, 8, 8, FLAG_DEPTH_NOT_HELD);
	k = find(&c, 0);
	assert_int_equal(k.cls, KNEE_RISING);
	assert_int_equal(k.bound, '>');
	assert_true(k.is_last_least && k.held_flags);

	add_powers(&c, falling, NR(falling));
	set_errors(&c, 0.001);
	mark(&c, 8, 8, FLAG_SUBMIT_BLOCKED);
	k = find(&c, 0);
	assert_int_equal(k.cls, KNEE_RETROGRADE);
	assert_int_equal(k.bound, '=');
	assert_true(k.is_last_least && k.held_flags && !k.is_peak_least);

	add_powers(&c, flat, NR(flat));
	mark(&c, 4, 8, FLAG_SUBMIT_BLOCKED);
	k = find(&c, 0);
	assert_int_equal(k.cls, KNEE_FLAT);
	assert_int_equal(k.bound, '~');
}

static void test_queue_limit_is_named(void **state)
{
	struct test_curve c;
	struct knee k;

	(void)state;
	/* nr_requests 4 under depths 1, 4, 16, 64. */
	curve_clear(&c);
	curve_add(&c, 1, 9000, 0.11, 0);
	curve_add(&c, 4, 25500, 0.16, 0);
	curve_add(&c, 16, 25500, 0.63, 0);
	curve_add(&c, 64, 25500, 2.5, 0);
	mark(&c, 16, 64, FLAG_QUEUE_LIMITED);
	mark(&c, 16, 64, FLAG_DEPTH_NOT_HELD);
	k = find(&c, 4);
	assert_int_equal(k.cls, KNEE_KNEE);
	assert_int_equal(k.sat_depth, 4);
	assert_int_equal(k.queue_limit, 4);
	assert_false(k.is_client_limited);
	assert_int_equal(find(&c, 0).queue_limit, 0);

	/* Between grid points: linear up to the limit, and no depth within it at the plateau. */
	curve_clear(&c);
	for (uint32_t n = 1; n <= 64; n *= 2)
		curve_add(&c, n, 1000 * fmin(n, 12), 1, 0);
	assert_int_equal(find(&c, 12).queue_limit, 12);

	/* A bent curve: the saturation depth lies below the limit, but IOPS still rise there. */
	curve_clear(&c);
	curve_add(&c, 1, 1000, 1, 0);
	curve_add(&c, 2, 1600, 1.25, 0);
	curve_add(&c, 4, 2050, 1.95, 0);
	curve_add(&c, 16, 2050, 7.8, 0);
	k = find(&c, 4);
	assert_int_equal(k.sat_depth, 2);
	assert_int_equal(k.queue_limit, 4);
}

static void test_queue_limit_is_not_blamed(void **state)
{
	static const double flat[] = {500, 500, 500, 500, 500};
	static const double straight[] = {1e3, 2e3, 4e3, 8e3, 16e3, 32e3};
	struct test_curve c;

	(void)state;
	/* Depths 32 to 64 show the plateau within these limits; 16 to 32 does not. */
	assert_int_equal(find(&ult[4], 128).queue_limit, 0);
	assert_int_equal(find(&ult[4], 64).queue_limit, 0);
	assert_int_equal(find(&ult[4], 32).queue_limit, 32);
	/* Nothing was measured beyond it. */
	assert_int_equal(find(&ult[4], 256).queue_limit, 0);
	add_powers(&c, flat, NR(flat));
	assert_int_equal(find(&c, 2).queue_limit, 0);
	assert_int_equal(find(&c, 1).queue_limit, 1);
	/* Still rising beyond it: it is not in force. */
	add_powers(&c, straight, NR(straight));
	assert_int_equal(find(&c, 4).queue_limit, 0);
}

static void test_drift(void **state)
{
	static const double falls[] = {1000, 2000, 4000, 2000}, levels[] = {1000, 2000, 4000, 4100};
	struct test_curve c;
	struct knee k;

	(void)state;
	add_powers(&c, falls, NR(falls));
	c.curve.nr_anchors = 2;
	k = find(&c, 0);
	assert_int_equal(k.cls, KNEE_RETROGRADE);
	assert_false(k.has_drift);
	c.curve.anchor[1].differs = true;
	k = find(&c, 0);
	assert_int_equal(k.cls, KNEE_STATE_DRIFT);
	assert_string_equal(knee_class_name(k.cls), "state drift");
	assert_true(k.has_drift);
	assert_false(knee_is_known(&k));
	/* A curve that does not fall keeps its class, and says that the target has changed. */
	add_powers(&c, levels, NR(levels));
	c.curve.nr_anchors = 1;
	c.curve.anchor[0].differs = true;
	k = find(&c, 0);
	assert_int_equal(k.cls, KNEE_KNEE);
	assert_true(k.has_drift);
	assert_true(knee_is_known(&k));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("every golden row of the ULT study is reproduced", test_golden),
		titled_test("the latency given is that of the saturation depth",
			    test_saturation_latency_is_that_of_the_depth),
		titled_test("the interval of N* is the golden one at 1 % and 3 % error",
			    test_intervals),
		titled_test("the truncated test 4 rises until its plateau is measured",
			    test_truncated),
		titled_test("synthetic curves of known truth are recognised", test_synthetic),
		titled_test("an interior dip is told, unless it is noise", test_dip),
		titled_test("more dips than the answer holds are cut off",
			    test_many_dips_do_not_overflow),
		titled_test("the textbook curves of a planner get the textbook answers",
			    test_textbook_curves),
		titled_test("fewer than three points give no knee", test_few_points),
		titled_test("flat and straight curves never have a knee",
			    test_no_knee_where_there_is_none),
		titled_test("a peak of up to 1.41 times the first is flat",
			    test_flat_ends_at_half_an_octave),
		titled_test("a rise or drop within the noise does not count",
			    test_rise_and_drop_need_significance),
		titled_test("a sweep that starts above depth 1 gives an upper bound",
			    test_start_above_one_is_an_upper_bound),
		titled_test("cpu-bound points that decide withhold the knee",
			    test_cpu_bound_withholds),
		titled_test("points that the host held back make bounds of N* and of IOPS",
			    test_held_points_make_bounds),
		titled_test("a last point that was held back is told where it decides the class",
			    test_held_ends_of_other_classes),
		titled_test("a plateau seen only beyond the queue limit is the limit",
			    test_queue_limit_is_named),
		titled_test("a plateau within the queue limit is the device",
			    test_queue_limit_is_not_blamed),
		titled_test("a fall on a target that has changed is state drift", test_drift),
	};

	return cmocka_run_group_tests(tests, load, NULL);
}
