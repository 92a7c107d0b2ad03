/* SPDX-License-Identifier: MIT */
#include "stats/ratio.h"

#include "base/mem.h"
#include "base/num.h"
#include "stats/ci.h"
#include "stats/student.h"

#include <stdlib.h>

struct log_sample log_sample(const double *x, size_t nr)
{
	struct log_sample s = {nr, 0, 0};

	for (size_t i = 0; i < nr; i++)
		s.mean += log(x[i]);
	s.mean = nr ? s.mean / (double)nr : UNKNOWN;
	for (size_t i = 0; i < nr; i++)
		s.sum_sq += pow(log(x[i]) - s.mean, 2);
	return s;
}

struct ratio_test ratio_test(double log_ratio, double se, double df)
{
	struct ratio_test r = {exp(log_ratio), UNKNOWN, UNKNOWN, UNKNOWN,
			       UNKNOWN,	       UNKNOWN, UNKNOWN, UNKNOWN};
	double half, half90;

	if (isnan(se) || !(df > 0))
		return r;
	/* Sums of equal logarithms differ by their rounding only. */
	if (se < 1e-14) {
		se = 0;
		log_ratio = fabs(log_ratio) < 1e-13 ? 0 : log_ratio;
	}
	half = se > 0 ? t975(df) * se : 0;
	half90 = se > 0 ? t_quantile(0.95, df) * se : 0;
	r.ratio = exp(log_ratio);
	r.low = exp(log_ratio - half);
	r.high = exp(log_ratio + half);
	r.low90 = exp(log_ratio - half90);
	r.high90 = exp(log_ratio + half90);
	r.df = df;
	r.t = log_ratio == 0 ? 0 : log_ratio / se;
	r.p = t_two_sided(r.t, df);
	return r;
}

struct ratio_test ratio_welch(const struct log_sample *a, const struct log_sample *b)
{
	double df_a = (double)a->nr - 1, df_b = (double)b->nr - 1;
	double va = a->sum_sq / df_a / (double)a->nr, vb = b->sum_sq / df_b / (double)b->nr;
	double df = pow(va + vb, 2) / (va * va / df_a + vb * vb / df_b);

	if (a->nr < 2 || b->nr < 2)
		return ratio_test(b->mean - a->mean, UNKNOWN, UNKNOWN);
	/* Without any variance there is nothing to weight. */
	return ratio_test(b->mean - a->mean, sqrt(va + vb), isnan(df) ? df_a + df_b : df);
}

void pooled_var_add(struct pooled_var *v, const struct log_sample *s)
{
	if (s->nr < 2)
		return;
	v->sum_sq += s->sum_sq;
	v->df += (double)s->nr - 1;
}

struct ratio_test ratio_pooled(const struct log_sample *a, const struct log_sample *b,
			       const struct pooled_var *v)
{
	double se = sqrt(v->sum_sq / v->df * (1 / (double)a->nr + 1 / (double)b->nr));

	return ratio_test(b->mean - a->mean, v->df > 0 ? se : UNKNOWN, v->df);
}

static int compare_p(const void *a, const void *b)
{
	double p = **(const double *const *)a, q = **(const double *const *)b;

	return (p > q) - (p < q);
}

void holm_adjust(double *p, size_t nr)
{
	double **sorted = xcalloc(nr + 1, sizeof(*sorted)), least = 0;
	size_t nr_known = 0;

	for (size_t i = 0; i < nr; i++)
		if (!isnan(p[i]))
			sorted[nr_known++] = &p[i];
	qsort(sorted, nr_known, sizeof(*sorted), compare_p);
	for (size_t i = 0; i < nr_known; i++) {
		least = fmax(least, fmin(1, *sorted[i] * (double)(nr_known - i)));
		*sorted[i] = least;
	}
	free(sorted);
}
