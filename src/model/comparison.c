/* SPDX-License-Identifier: MIT */
#include "model/comparison.h"

#include <math.h>
#include <stdlib.h>

const char *compare_figure_name(enum compare_figure f)
{
	static const char *const names[] = {
		[COMPARE_IOPS] = "iops",
		[COMPARE_LAT] = "lat_mean",
		[COMPARE_NSTAR] = "nstar",
		[COMPARE_CAP] = "cap",
	};

	return names[f];
}

const char *compare_method_name(enum compare_method m)
{
	static const char *const names[] = {
		[COMPARE_UNTESTED] = "none",
		[COMPARE_WELCH] = "welch",
		[COMPARE_POOLED] = "pooled",
	};

	return names[m];
}

const char *compare_verdict_name(enum compare_verdict v)
{
	static const char *const names[] = {
		[COMPARE_UNJUDGED] = "unjudged",
		[COMPARE_INCONCLUSIVE] = "inconclusive",
		[COMPARE_EQUIVALENT] = "equivalent",
		[COMPARE_DIFFERENT] = "different",
	};

	return names[v];
}

void comparison_release(struct comparison *c)
{
	free(c->item);
	free(c->lone);
	*c = (struct comparison){0};
}

int compare_direction(const struct compare_item *item)
{
	int sign = (item->ratio > 1) - (item->ratio < 1);

	if (item->figure == COMPARE_NSTAR)
		return 0;
	return item->figure == COMPARE_LAT ? -sign : sign;
}

bool compare_is_worse(const struct compare_item *item, double share)
{
	/* Figures of a table have few digits: 950 of 1000 are 5 % less. */
	const double rounding = 1e-9;

	return compare_direction(item) < 0 && item->p_adjusted < COMPARE_ALPHA &&
	       !item->bound_flags && fabs(item->ratio - 1) >= share - rounding;
}
