/* SPDX-License-Identifier: MIT */
/*
 * find CSV [-v]: what the adaptive search costs and misses against the grid of the ULT study, on its eight curves
 * under caps of 1 to 50 ms, without any device or clock: IOPS between the measured depths are straight
 * on log axes. The grid measures nine depths for all caps together; so does the search start from nothing
 * for each cap here, which is its worst case. -v prints each search.
 */
#include "base/mem.h"
#include "virtual_curve.h"

#define CAP_MAX_MS 50

struct tally {
	double points, error, worst, grid_error, grid_worst;
	unsigned nr, nr_met, points_max, grid_missed;
	unsigned hist[SEARCH_MAX_POINTS + 1];
};

static void add(struct tally *t, const struct search_answer *a, double truth, double grid)
{
	double error = a->best.iops / truth - 1, grid_error = grid / truth - 1;

	t->nr++;
	t->points += a->nr_points;
	t->hist[a->nr_points]++;
	if (a->nr_points > t->points_max)
		t->points_max = a->nr_points;
	if (!(truth > 0))
		return;
	t->nr_met++;
	t->error += error;
	t->worst = fmin(t->worst, error);
	t->grid_error += grid_error;
	t->grid_worst = fmin(t->grid_worst, grid_error);
	if (!(grid > 0))
		t->grid_missed++;
}

static unsigned percentile(const struct tally *t, double p)
{
	unsigned sum = 0, n = 0;

	while (n < SEARCH_MAX_POINTS && (sum += t->hist[n]) < p * t->nr)
		n++;
	return n;
}

static void search(const struct virtual_curve *c, int test, double cap_ms, bool verbose,
		   struct tally *t)
{
	struct search_answer a = virtual_search(c, cap_ms, NULL, 0, 0, NULL);
	double truth = virtual_truth(c, cap_ms, SEARCH_MAX_DEPTH);
	double grid = virtual_grid(c, cap_ms);

	add(t, &a, truth, grid);
	if (verbose)
		(void)printf("T%d %2.0f ms: %2u points, %s, %.0f IOPS at %u, truth %.0f, grid "
			     "%.0f\n",
			     test, cap_ms, a.nr_points, search_stop_name(a.stop), a.best.iops,
			     (unsigned)a.best.at, truth, grid);
}

static void print(const struct tally *t)
{
	(void)printf("searches                 %u, %u of them with an answer\n", t->nr, t->nr_met);
	(void)printf("points a search          %.1f on average, 95 %% with %u or fewer, at most "
		     "%u; the grid has %d, to depth 1024 as here it takes 11\n",
		     t->points / t->nr, percentile(t, .95), t->points_max, VIRTUAL_DEPTHS);
	(void)printf("short of the maximum     %.2f %% on average, %.2f %% at worst\n",
		     -100 * t->error / t->nr_met, -100 * t->worst);
	(void)printf("the grid                 %.1f %% on average, %.1f %% at worst, no answer in "
		     "%u\n",
		     -100 * t->grid_error / t->nr_met, -100 * t->grid_worst, t->grid_missed);
}

int main(int argc, char **argv)
{
	bool verbose = argc > 2 && !strcmp(argv[2], "-v");
	struct virtual_curve ult[VIRTUAL_TESTS + 1];
	struct tally t = {.nr = 0};

	if (argc < 2 || !virtual_load(argv[1], ult)) {
		(void)fprintf(stderr, "usage: find ult-lun-sizing.csv [-v]\n");
		return 2;
	}
	for (int test = 1; test <= VIRTUAL_TESTS; test++)
		for (int cap = 1; cap <= CAP_MAX_MS; cap++)
			search(&ult[test], test, cap, verbose, &t);
	print(&t);
	return 0;
}
