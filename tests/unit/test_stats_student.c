/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/mem.h"
#include "base/num.h"
#include "stats/student.h"

/* Known values to 15 digits, from a calculation with 30. */
static void test_tails(void **state)
{
	static const double rows[][3] = {
		{1, 1, 0.5}, /* Cauchy's distribution */
		{2.5, 2, 0.129611720221511},
		{2, 3.9549, 0.11692015199965},
		{12.4319, 3.9549, 0.00025712642839801},
		{0.6411, 2.859, 0.569132335663194},
		{0.001, 7.5, 0.999228198674656},
		{2.2, 0.5, 0.426048141263724},
		{1.96, 30, 0.0593423128960505},
		{3, 1e6, 0.0026998625414218},
	};

	(void)state;
	for (size_t i = 0; i < NR(rows); i++) {
		assert_within(t_two_sided(rows[i][0], rows[i][1]), rows[i][2], 1e-9);
		assert_within(t_two_sided(-rows[i][0], rows[i][1]), rows[i][2], 1e-9);
		assert_within(t_cdf(rows[i][0], rows[i][1]), 1 - rows[i][2] / 2, 1e-9);
		assert_within(t_cdf(-rows[i][0], rows[i][1]), rows[i][2] / 2, 1e-9);
	}
}

static void test_far_tails(void **state)
{
	(void)state;
	assert_close(t_two_sided(40, 4), 2.33401632260127e-6, 1e-9);
	assert_close(t_two_sided(5, 250.5), 1.07852963235849e-6, 1e-9);
	assert_close(norm_cdf(-8), 6.22096057427178e-16, 1e-9);
	assert_close(t_two_sided(8, 1e12), 2 * 6.22096057427178e-16, 1e-9);
	assert_within(t_two_sided((double)INFINITY, 3), 0, 0);
	assert_within(t_two_sided(0, 3), 1, 0);
	assert_unknown(t_two_sided(UNKNOWN, 3));
	assert_unknown(t_two_sided(1, UNKNOWN));
}

static void test_normal(void **state)
{
	(void)state;
	assert_within(norm_cdf(0), 0.5, 1e-15);
	assert_within(norm_cdf(1), 0.841344746068543, 1e-14);
	assert_within(norm_cdf(1.959963984540054), 0.975, 1e-14);
	assert_within(norm_cdf(-3), 0.00134989803163009, 1e-14);
}

static void test_quantiles(void **state)
{
	static const double rows[][3] = {
		{0.95, 4, 2.13184678632665},
		{0.95, 2.859, 2.40144219797997},
		{0.975, 3.9549, 2.78897641869434},
		{0.95, 36, 1.68829771411682},
		{0.999, 1.5, 52.1844300089926},
		{0.05, 4, -2.13184678632665},
		{0.5, 7, 0},
	};

	(void)state;
	for (size_t i = 0; i < NR(rows); i++)
		assert_within(t_quantile(rows[i][0], rows[i][1]), rows[i][2], 1e-9);
	for (double df = 0.7; df < 200; df *= 1.7)
		for (double p = 0.51; p < 1; p += 0.04)
			assert_within(t_cdf(t_quantile(p, df), df), p, 1e-9);
}

static void test_beta(void **state)
{
	(void)state;
	assert_within(beta_inc(2, 3, 0.4), 0.5248, 1e-12);
	assert_within(beta_inc(0.5, 0.5, 0.1), 0.204832764699133, 1e-12);
	assert_within(beta_inc(10, 0.5, 0.99), 0.657928175156784, 1e-12);
	assert_within(beta_inc(200, 100, 0.7), 0.89115693435509, 1e-12);
	assert_within(beta_inc(2, 3, 0), 0, 0);
	assert_within(beta_inc(2, 3, 1), 1, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("p values of Student's t are the known ones", test_tails),
		titled_test("tiny p values keep their digits", test_far_tails),
		titled_test("the normal distribution is the known one", test_normal),
		titled_test("quantiles of Student's t undo its distribution", test_quantiles),
		titled_test("the incomplete beta function is the known one", test_beta),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
