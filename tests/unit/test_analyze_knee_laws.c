/* SPDX-License-Identifier: MIT */
/* What must hold of the knee of any curve, on thousands of drawn ones with a fixed seed. */
#include "unit.h"

#include "report_fixture.h"

#include "base/rng.h"

#define ROUNDS 2000

static struct rng rng;

/* Even in [0, 1). */
static double drawn(void)
{
	return (double)rng_below(&rng, 1U << 24) / (double)(1U << 24);
}

/* A saturating curve with noise of up to 10 %, on a grid of 3 to 11 depths, of a class by chance. */
static void draw_curve(struct fixture *f)
{
	size_t nr = 3 + rng_below(&rng, 9);
	double limit = 1 + 40 * drawn(), rate = 50 + 5000 * drawn(), bend = drawn();
	double noise = 0.1 * drawn();
	uint32_t depth = drawn() < 0.8 ? 1 : 1 + (uint32_t)rng_below(&rng, 6);

	fixture_init(f);
	for (size_t i = 0; i < nr; i++) {
		double n = depth, sharp = fmin(n, limit), round = n * limit / (n + limit);
		double iops = rate * (bend * sharp + (1 - bend) * round);

		iops *= 1 + noise * (2 * drawn() - 1);
		if (n > 4 * limit && bend < 0.3)
			iops *= pow(4 * limit / n, 0.5);
		fixture_add(f, RW_RANDREAD, GIB, depth, iops, n / iops * 1e3, UNKNOWN)
			->dir[DIR_TOTAL]
			.iops_se_rel = noise / 2;
		depth += 1 + (uint32_t)rng_below(&rng, depth + 1);
	}
}

/* The knee of the fixture's points, afresh. */
static struct knee find(const struct fixture *f)
{
	struct curve *curve;
	struct knee k;
	size_t nr;

	curves_build(f->point, f->nr, 0, &curve, &nr);
	assert_int_equal(nr, 1);
	knee_find(&curve[0], 0, &k);
	curves_free(curve, nr);
	return k;
}

static void assert_same_answer(const struct knee *a, const struct knee *b)
{
	assert_int_equal(a->cls, b->cls);
	assert_int_equal(a->bound, b->bound);
	assert_close(a->nstar, b->nstar, 1e-9);
	assert_close(a->nstar_low, b->nstar_low, 1e-9);
	assert_close(a->nstar_high, b->nstar_high, 1e-9);
	assert_int_equal(a->sat_depth, b->sat_depth);
	assert_int_equal(a->peak_depth, b->peak_depth);
	assert_int_equal(a->lo_depth, b->lo_depth);
	assert_int_equal(a->power_depth, b->power_depth);
	assert_int_equal(a->second_plateau_depth, b->second_plateau_depth);
	assert_int_equal(a->nr_dips, b->nr_dips);
	assert_close(a->eff, b->eff, 1e-9);
	assert_close(a->n80, b->n80, 1e-9);
	assert_within(a->last_gain, b->last_gain, 1e-9);
}

static int seed(void **state)
{
	(void)state;
	rng_seed(&rng, 20261130);
	return 0;
}

static void scaling_of_iops_changes_no_depth(void **state)
{
	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		/* A power of two, so that ties stay ties. */
		double factor = ldexp(1, (int)rng_below(&rng, 21) - 10);
		struct fixture f;
		struct knee a, b;

		draw_curve(&f);
		a = find(&f);
		for (size_t i = 0; i < f.nr; i++) {
			f.point[i].dir[DIR_TOTAL].iops *= factor;
			f.point[i].dir[DIR_TOTAL].lat_mean_ns /= factor;
		}
		b = find(&f);
		assert_same_answer(&a, &b);
		assert_close(b.peak_iops, a.peak_iops * factor, 1e-9);
		assert_close(b.nstar_xmax_r1, a.nstar_xmax_r1, 1e-9);
		fixture_release(&f);
	}
}

static void scaling_of_depths_scales_the_knee(void **state)
{
	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct fixture f;
		struct knee a, b;

		draw_curve(&f);
		a = find(&f);
		for (size_t i = 0; i < f.nr; i++)
			f.point[i].spec.iodepth *= 4;
		b = find(&f);
		assert_int_equal(a.cls, b.cls);
		assert_close(b.nstar, 4 * a.nstar, 1e-9);
		assert_int_equal(b.sat_depth, 4 * a.sat_depth);
		assert_int_equal(b.power_depth, 4 * a.power_depth);
		assert_close(b.n80, 4 * a.n80, 1e-9);
		fixture_release(&f);
	}
}

static void the_order_of_points_does_not_matter(void **state)
{
	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct fixture f;
		struct knee a, b;

		draw_curve(&f);
		a = find(&f);
		for (size_t i = f.nr - 1; i > 0; i--) {
			size_t j = rng_below(&rng, (uint32_t)i + 1);
			struct point p = f.point[i];

			f.point[i] = f.point[j];
			f.point[j] = p;
		}
		b = find(&f);
		assert_same_answer(&a, &b);
		fixture_release(&f);
	}
}

/* A depth that was measured, with its own figures. */
static void assert_is_measured(const struct fixture *f, uint32_t depth, double iops)
{
	for (size_t i = 0; i < f->nr; i++)
		if (f->point[i].spec.iodepth == depth) {
			assert_close(f->point[i].dir[DIR_TOTAL].iops, iops, 1e-12);
			return;
		}
	fail_msg("iodepth %u was never measured", depth);
}

static void answers_are_measured_and_in_order(void **state)
{
	unsigned nr[KNEE_STATE_DRIFT + 1] = {0};

	(void)state;
	for (int round = 0; round < 2 * ROUNDS; round++) {
		struct fixture f;
		struct knee k;

		draw_curve(&f);
		k = find(&f);
		nr[k.cls]++;
		assert_is_measured(&f, k.sat_depth, k.sat_iops);
		assert_is_measured(&f, k.peak_depth, k.peak_iops);
		assert_is_measured(&f, k.lo_depth, k.lo_iops);
		assert_is_measured(&f, k.octave_depth, k.octave_iops);
		assert_is_measured(&f, k.power_depth, k.power_iops);
		assert_true(k.lo_depth * (1 - 1e-9) <= k.nstar);
		assert_true(k.nstar <= k.peak_depth * (1 + 1e-9));
		assert_true(k.nstar_low <= k.nstar && k.nstar <= k.nstar_high);
		assert_true(k.first_depth <= k.sat_depth && k.sat_depth <= k.peak_depth);
		assert_true(k.is_flat || k.sat_depth >= k.nstar / 1.05 * (1 - 1e-9));
		assert_true(k.eff >= 0.7 && k.eff <= 1);
		assert_true(k.first_depth * (1 - 1e-9) <= k.n80 &&
			    k.n80 <= k.peak_depth * (1 + 1e-9));
		assert_true(k.drop >= 0 && k.drop < 1);
		assert_true(k.octave_depth < k.last_depth);
		assert_true(!k.second_plateau_depth || k.second_plateau_depth > k.sat_depth);
		assert_int_equal(k.bound == '>', k.cls == KNEE_RISING);
		assert_false(knee_has_interval(&k) && k.is_flat);
		fixture_release(&f);
	}
	/* All classes were drawn, or this says little. */
	assert_true(nr[KNEE_KNEE] > 100 && nr[KNEE_FLAT] > 50 && nr[KNEE_RISING] > 100 &&
		    nr[KNEE_RETROGRADE] > 50);
}

/* More error never turns something that does not count into a claim. */
static void errors_only_take_claims_away(void **state)
{
	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct fixture f;
		struct knee sure, unsure;

		draw_curve(&f);
		for (size_t i = 0; i < f.nr; i++)
			f.point[i].dir[DIR_TOTAL].iops_se_rel = 0.001;
		sure = find(&f);
		for (size_t i = 0; i < f.nr; i++)
			f.point[i].dir[DIR_TOTAL].iops_se_rel = 0.2;
		unsure = find(&f);
		assert_close(sure.nstar, unsure.nstar, 1e-12);
		assert_int_equal(sure.sat_depth, unsure.sat_depth);
		assert_true(unsure.cls != KNEE_RETROGRADE || sure.cls == KNEE_RETROGRADE);
		/* What is no fall any more may be a rise behind one. */
		assert_true(unsure.cls != KNEE_RISING || sure.cls == KNEE_RISING ||
			    sure.cls == KNEE_RETROGRADE);
		assert_true(!unsure.second_plateau_depth || sure.second_plateau_depth);
		assert_true(unsure.nr_dips <= sure.nr_dips);
		assert_true(unsure.nstar_high - unsure.nstar_low >=
			    sure.nstar_high - sure.nstar_low);
		fixture_release(&f);
	}
}

/* 16 servers under noise of a standard deviation of s: how often the answer is right. */
static double share_right(double s)
{
	int right = 0;

	for (int round = 0; round < ROUNDS; round++) {
		struct fixture f;
		struct knee k;

		fixture_init(&f);
		for (uint32_t n = 1; n <= 256; n *= 2) {
			double z = 0;

			/* Nearly normal, of variance 1. */
			for (int i = 0; i < 12; i++)
				z += drawn();
			fixture_add(&f, RW_RANDREAD, GIB, n, 1000 * fmin(n, 16) * exp(s * (z - 6)),
				    UNKNOWN, UNKNOWN)
				->dir[DIR_TOTAL]
				.iops_se_rel = s;
		}
		k = find(&f);
		right += k.cls == KNEE_KNEE && k.sat_depth == 16 && k.nr_dips == 0;
		fixture_release(&f);
	}
	return (double)right / ROUNDS;
}

static void noise_does_not_move_a_clear_knee(void **state)
{
	(void)state;
	assert_true(share_right(0.003) == 1);
	assert_true(share_right(0.01) > 0.99);
	assert_true(share_right(0.03) > 0.9);
}

/* N* is a ratio of the largest of many: its interval is a little below what it says. */
static void the_interval_of_the_knee_covers(void **state)
{
	int covered = 0;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct fixture f;
		struct knee k;

		fixture_init(&f);
		for (uint32_t n = 1; n <= 32; n *= 2) {
			double z = 0;

			for (int i = 0; i < 12; i++)
				z += drawn();
			/* A bent curve, of which the deciding points are clear: 15000 n / (n + 14). */
			fixture_add(&f, RW_RANDREAD, GIB, n,
				    15000.0 * n / (n + 14) * exp(0.02 * (z - 6)), UNKNOWN, UNKNOWN)
				->dir[DIR_TOTAL]
				.iops_se_rel = 0.02;
		}
		k = find(&f);
		/* The largest of X/N is 1000 at 1, the peak 10434.8 at 32. */
		covered += k.nstar_low <= 10.4348 && 10.4348 <= k.nstar_high;
		fixture_release(&f);
	}
	assert_true(covered >= 0.9 * ROUNDS && covered <= 0.99 * ROUNDS);
}

static void depths_without_iops_do_not_count(void **state)
{
	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct fixture f;
		struct knee a, b;

		draw_curve(&f);
		a = find(&f);
		/* One of 0 IOPS, one that nothing is known of, one that failed. */
		fixture_add(&f, RW_RANDREAD, GIB, 100001, 0, UNKNOWN, UNKNOWN);
		fixture_add(&f, RW_RANDREAD, GIB, 100002, UNKNOWN, UNKNOWN, UNKNOWN);
		fixture_fail(fixture_add(&f, RW_RANDREAD, GIB, 100003, 1e9, 1, 1), POINT_FAILED,
			     "Input/output error");
		fixture_fail(fixture_add(&f, RW_RANDREAD, GIB, 100004, 1, 1, 1), POINT_NO_IO,
			     "no I/O completed in the window");
		b = find(&f);
		assert_same_answer(&a, &b);
		assert_int_equal(a.last_depth, b.last_depth);
		fixture_release(&f);
	}
}

static void only_zeros_are_no_curve(void **state)
{
	struct fixture f;
	struct knee k;

	(void)state;
	fixture_init(&f);
	for (uint32_t n = 1; n <= 64; n *= 2)
		fixture_add(&f, RW_RANDREAD, GIB, n, 0, UNKNOWN, UNKNOWN);
	k = find(&f);
	assert_int_equal(k.cls, KNEE_INSUFFICIENT);
	assert_unknown(k.peak_iops);
	fixture_release(&f);
}

/* Repeats of a depth are one point, so they are never three depths. */
static void equal_depths_are_one(void **state)
{
	struct fixture f;
	struct knee k;

	(void)state;
	fixture_init(&f);
	for (uint32_t i = 1; i <= 6; i++)
		fixture_add(&f, RW_RANDREAD, GIB, 1 + i % 2, 1000.0 * (1 + i % 2), 1, 1)
			->spec.repeat = (i + 1) / 2;
	k = find(&f);
	assert_int_equal(k.cls, KNEE_INSUFFICIENT);
	assert_int_equal(k.last_depth, 2);
	fixture_release(&f);
	for (int round = 0; round < ROUNDS / 4; round++) {
		struct knee once, twice;
		size_t nr;

		draw_curve(&f);
		for (size_t i = 0; i < f.nr; i++)
			f.point[i].dir[DIR_TOTAL].iops_se_rel = 0.001;
		once = find(&f);
		nr = f.nr;
		for (size_t i = 0; i < nr; i++) {
			const struct figures *g = &f.point[i].dir[DIR_TOTAL];

			fixture_add(&f, RW_RANDREAD, GIB, f.point[i].spec.iodepth, g->iops,
				    g->lat_mean_ns / 1e6, UNKNOWN)
				->spec.repeat = 2;
		}
		twice = find(&f);
		assert_close(once.nstar, twice.nstar, 1e-9);
		assert_int_equal(once.sat_depth, twice.sat_depth);
		assert_int_equal(once.last_depth, twice.last_depth);
		fixture_release(&f);
	}
}

/* Whatever is drawn, one or two depths never have a knee. */
static void one_and_two_depths_have_no_knee(void **state)
{
	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct fixture f;
		struct knee k;

		draw_curve(&f);
		f.nr = 1 + rng_below(&rng, 2);
		k = find(&f);
		assert_int_equal(k.cls, KNEE_INSUFFICIENT);
		assert_false(knee_is_known(&k));
		assert_false(knee_has_interval(&k));
		assert_unknown(k.nstar);
		assert_int_equal(k.sat_depth, 0);
		fixture_release(&f);
	}
}

#define LAW(title, f) \
	{ \
		title, f, seed, NULL, NULL \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAW("scaling of IOPS changes no depth", scaling_of_iops_changes_no_depth),
		LAW("scaling of depths scales the knee", scaling_of_depths_scales_the_knee),
		LAW("the order of points does not matter", the_order_of_points_does_not_matter),
		LAW("answers are measured depths, in order", answers_are_measured_and_in_order),
		LAW("errors only take claims away", errors_only_take_claims_away),
		LAW("noise does not move a clear knee", noise_does_not_move_a_clear_knee),
		LAW("the interval of N* covers what it says", the_interval_of_the_knee_covers),
		LAW("depths without IOPS do not count", depths_without_iops_do_not_count),
		LAW("only zeros are no curve", only_zeros_are_no_curve),
		LAW("equal depths are one", equal_depths_are_one),
		LAW("one and two depths have no knee", one_and_two_depths_have_no_knee),
	};

	return cmocka_run_group_tests_name("laws of the knee", tests, NULL, NULL);
}
