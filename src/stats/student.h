/* SPDX-License-Identifier: MIT */
/*
 * The normal distribution and Student's t. The t distribution is the regularized incomplete beta
 * function (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.1), which is evaluated by
 * its continued fraction (NIST Digital Library of Mathematical Functions, 8.17.22) with the method
 * of Lentz as Thompson and Barnett changed it (Journal of Computational Physics 64, 1986). Errors
 * are below 1e-9 for df up to 1e6; the tests hold known values.
 */
#ifndef STATS_STUDENT_H
#define STATS_STUDENT_H

/* P(Z <= z) */
double norm_cdf(double z);

/* I_x(a, b) for a, b > 0 and x in [0, 1]. */
double beta_inc(double a, double b, double x);

/* P(T <= t) with df > 0 degrees of freedom, whole or not. */
double t_cdf(double t, double df);

/* P(|T| >= |t|): the two-sided p value, exact also where it is tiny. UNKNOWN for an unknown t. */
double t_two_sided(double t, double df);

/* The t with P(T <= t) = p, 0 < p < 1, by bisection of the distribution. */
double t_quantile(double p, double df);

#endif
