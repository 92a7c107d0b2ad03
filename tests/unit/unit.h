/* SPDX-License-Identifier: MIT */
/* What cmocka wants included before it, and comparisons that say what differs. */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka comes last: it needs the types above. */
#include <cmocka.h>

/* A test with a sentence for a title. */
#define titled_test(title, function) \
	{ \
		(title), (function), NULL, NULL, NULL \
	}

/* got must lie within tol of want. */
static inline void check_within(double got, double want, double tol, const char *what,
				const char *file, int line)
{
	if (!(fabs(got - want) <= tol)) {
		print_error("%s is %.10g, not %.10g within %g\n", what, got, want, tol);
		_fail(file, line);
	}
}

#define assert_within(got, want, tol) check_within((got), (want), (tol), #got, __FILE__, __LINE__)
/* Relative tolerance. */
#define assert_close(got, want, rel) \
	check_within((got), (want), (rel)*fabs((double)(want)), #got, __FILE__, __LINE__)
#define assert_unknown(got) assert_true(isnan(got))

#endif
