/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/rng.h"
#include "stats/ratio.h"

#define PI     3.14159265358979323846
#define TRIALS 6000
#define DEPTHS 9

static struct ratio_test welch_of(const double *a, size_t nr_a, const double *b, size_t nr_b)
{
	struct log_sample sa = log_sample(a, nr_a), sb = log_sample(b, nr_b);

	return ratio_welch(&sa, &sb);
}

static void test_golden(void **state)
{
	const double a[] = {3905, 3921, 3880}, b[] = {4105, 4088, 4127}, c[] = {3950, 3870, 3940};
	struct ratio_test r = welch_of(a, 3, b, 3), q = welch_of(a, 3, c, 3);

	(void)state;
	assert_within(r.ratio, 1.052454, 1e-4);
	assert_within(r.low, 1.040427, 1e-4);
	assert_within(r.high, 1.064619, 1e-4);
	assert_within(r.t, 12.4319, 1e-4);
	assert_within(r.df, 3.9549, 1e-4);
	assert_within(r.p, 0.000257126, 1e-7);
	assert_within(q.ratio, 1.004581, 1e-4);
	assert_within(q.low, 0.980940, 1e-4);
	assert_within(q.high, 1.028792, 1e-4);
	assert_within(q.t, 0.6411, 1e-4);
	assert_within(q.df, 2.8590, 1e-4);
	assert_true(q.low90 > q.low && q.high90 < q.high);
}

/* Exchanging the groups turns everything round, and a unit of the values does not matter. */
static void test_symmetry(void **state)
{
	const double a[] = {39.05, 39.21, 38.8}, b[] = {41.05, 40.88, 41.27};
	struct ratio_test r = welch_of(a, 3, b, 3), q = welch_of(b, 3, a, 3);

	(void)state;
	assert_close(r.ratio, 1 / q.ratio, 1e-12);
	assert_close(r.low, 1 / q.high, 1e-12);
	assert_close(r.low90, 1 / q.high90, 1e-12);
	assert_close(r.p, q.p, 1e-12);
	assert_within(r.t, 12.4319, 1e-4);
}

static void test_without_variance(void **state)
{
	const double a[] = {1000, 1000, 1000}, b[] = {900, 900, 900};
	struct ratio_test same = welch_of(a, 3, a, 3), other = welch_of(a, 3, b, 3);

	(void)state;
	assert_within(same.p, 1, 0);
	assert_within(same.low, 1, 0);
	assert_within(same.high90, 1, 0);
	assert_within(other.p, 0, 0);
	assert_close(other.low, 0.9, 1e-12);
	assert_close(other.high, 0.9, 1e-12);
}

static void test_too_few(void **state)
{
	const double a[] = {1000, 1010}, b[] = {900};
	struct ratio_test r = welch_of(a, 2, b, 1);
	struct log_sample sa = log_sample(a, 1), sb = log_sample(b, 1);
	struct pooled_var none = {0, 0};

	(void)state;
	assert_within(r.ratio, 900 / sqrt(1000 * 1010), 1e-12);
	assert_unknown(r.p);
	assert_unknown(r.low);
	r = ratio_pooled(&sa, &sb, &none);
	assert_close(r.ratio, 0.9, 1e-12);
	assert_unknown(r.p);
	assert_unknown(log_sample(a, 0).mean);
}

/* With one pair of groups the pooled test is Student's: t of {1, 2} against {4, 5} in logarithms
 * of powers of e is 3 / 0.7071. */
static void test_pooled(void **state)
{
	const double a[] = {exp(1), exp(2)}, b[] = {exp(4), exp(5)};
	struct log_sample sa = log_sample(a, 2), sb = log_sample(b, 2);
	struct pooled_var v = {0, 0};
	struct ratio_test r;

	(void)state;
	pooled_var_add(&v, &sa);
	pooled_var_add(&v, &sb);
	assert_within(v.df, 2, 0);
	assert_close(v.sum_sq, 1, 1e-12);
	r = ratio_pooled(&sa, &sb, &v);
	assert_close(r.t, 3 / sqrt(0.5), 1e-12);
	/* With 2 degrees of freedom P(|T| > t) = 1 - t / sqrt(t^2 + 2). */
	assert_close(r.p, 1 - r.t / sqrt(r.t * r.t + 2), 1e-9);
}

static void test_holm(void **state)
{
	double p[] = {0.01, 0.04, UNKNOWN, 0.03, 0.005}, q[] = {0.6, 0.9}, one[] = {0.03};

	(void)state;
	holm_adjust(p, NR(p));
	assert_close(p[0], 0.03, 1e-12);
	assert_close(p[1], 0.06, 1e-12); /* not below the one before it */
	assert_unknown(p[2]);
	assert_close(p[3], 0.06, 1e-12);
	assert_close(p[4], 0.02, 1e-12);
	holm_adjust(q, NR(q));
	assert_within(q[0], 1, 0);
	assert_within(q[1], 1, 0);
	holm_adjust(one, 1);
	assert_within(one[0], 0.03, 0);
	holm_adjust(NULL, 0);
}

static double uniform(struct rng *r)
{
	return ((double)(rng_next(r) >> 11) + 0.5) / 9007199254740992.0;
}

static double gauss(struct rng *r)
{
	return sqrt(-2 * log(uniform(r))) * cos(2 * PI * uniform(r));
}

static struct log_sample draw(struct rng *r, size_t nr, double mean, double sd)
{
	double x[8];

	for (size_t i = 0; i < nr; i++)
		x[i] = 4000 * exp(mean + sd * gauss(r));
	return log_sample(x, nr);
}

/* Share of trials in which Welch's test finds p < .05 between groups that differ by shift. */
static double welch_finds(size_t runs, double sd, double shift)
{
	struct rng rng;
	int found = 0;

	rng_seed(&rng, 42);
	for (int i = 0; i < TRIALS; i++) {
		struct log_sample a = draw(&rng, runs, 0, sd);
		struct log_sample b = draw(&rng, runs, log1p(shift), sd);

		found += ratio_welch(&a, &b).p < 0.05;
	}
	return (double)found / TRIALS;
}

/* The same at the first of nine depths, with the variance of all of them. */
static double pooled_finds(size_t runs, double sd, double shift)
{
	struct rng rng;
	int found = 0;

	rng_seed(&rng, 43);
	for (int i = 0; i < TRIALS; i++) {
		struct log_sample a[DEPTHS], b[DEPTHS];
		struct pooled_var v = {0, 0};

		for (size_t d = 0; d < DEPTHS; d++) {
			a[d] = draw(&rng, runs, 0, sd);
			b[d] = draw(&rng, runs, log1p(shift), sd);
			pooled_var_add(&v, &a[d]);
			pooled_var_add(&v, &b[d]);
		}
		found += ratio_pooled(&a[0], &b[0], &v).p < 0.05;
	}
	return (double)found / TRIALS;
}

static void test_type_one_error(void **state)
{
	(void)state;
	/* 3 runs: below 5 %, since the degrees of freedom are estimated from so few. */
	assert_within(welch_finds(3, 0.01, 0), 0.033, 0.01);
	assert_within(welch_finds(5, 0.03, 0), 0.044, 0.01);
	assert_within(pooled_finds(2, 0.01, 0), 0.05, 0.01);
}

static void test_power(void **state)
{
	(void)state;
	assert_within(welch_finds(3, 0.01, 0.05), 0.96, 0.02);
	assert_within(welch_finds(3, 0.03, 0.05), 0.25, 0.03);
	assert_within(welch_finds(5, 0.03, 0.05), 0.59, 0.03);
	assert_true(pooled_finds(2, 0.01, 0.05) > 0.98);
	assert_within(pooled_finds(2, 0.01, 0.02), 0.48, 0.05);
}

/* The 95 % interval of the ratio holds the truth as often as it says. */
static void test_coverage(void **state)
{
	struct rng rng;
	int holds = 0;

	(void)state;
	rng_seed(&rng, 44);
	for (int i = 0; i < TRIALS; i++) {
		struct log_sample a = draw(&rng, 3, 0, 0.01), b = draw(&rng, 4, 0.05, 0.03);
		struct ratio_test r = ratio_welch(&a, &b);

		holds += r.low <= exp(0.05) && exp(0.05) <= r.high;
	}
	assert_within((double)holds / TRIALS, 0.95, 0.015);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("the golden groups give the golden ratios", test_golden),
		titled_test("the order of groups and the unit do not matter", test_symmetry),
		titled_test("groups without variance differ surely or not at all",
			    test_without_variance),
		titled_test("one run gives a ratio and no significance", test_too_few),
		titled_test("a variance pooled of one pair is Student's test", test_pooled),
		titled_test("Holm's adjustment never falls and keeps what is unknown", test_holm),
		titled_test("equal groups are found different in 5 % of trials at most",
			    test_type_one_error),
		titled_test("a shift is found as often as it should be", test_power),
		titled_test("the interval of the ratio holds the truth", test_coverage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
