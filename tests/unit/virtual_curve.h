/* SPDX-License-Identifier: MIT */
/* Curves that a search can measure at any depth without a device: the published ULT tables, IOPS straight
 * between their depths on log axes and latency by Little's law. Shared with tests/bench, so without cmocka. */
#ifndef TESTS_VIRTUAL_CURVE_H
#define TESTS_VIRTUAL_CURVE_H

#include "analyze/search.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/num.h"
#include "base/rng.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VIRTUAL_TESTS  8
#define VIRTUAL_DEPTHS 9
#define NS_OF_MS       1e6
#define NS_OF_S	       1e9

struct virtual_curve {
	double depth[VIRTUAL_DEPTHS], iops[VIRTUAL_DEPTHS];
	size_t nr;
};

/* The tables by their numbers, 1 to 8, from this CSV file; false when it is not what is expected. */
static inline bool virtual_load(const char *path, struct virtual_curve c[VIRTUAL_TESTS + 1])
{
	struct buf text = BUF_INIT;
	bool ok = !file_read(path, 1 << 20, &text, NULL);
	char *save = NULL;

	memset(c, 0, (VIRTUAL_TESTS + 1) * sizeof(*c));
	for (char *l = ok ? strtok_r(text.text, "\n", &save) : NULL; l;
	     l = strtok_r(NULL, "\n", &save)) {
		double depth, iops;
		int test;

		/* The first line names the columns. */
		if (sscanf(l, "%d,%*[^,],%*[^,],%*[^,],%lf,%*[^,],%lf", &test, &depth, &iops) != 3)
			continue;
		if (test < 1 || test > VIRTUAL_TESTS || c[test].nr == VIRTUAL_DEPTHS) {
			ok = false;
			break;
		}
		c[test].depth[c[test].nr] = depth;
		c[test].iops[c[test].nr++] = iops;
	}
	for (int t = 1; t <= VIRTUAL_TESTS; t++)
		ok = ok && c[t].nr == VIRTUAL_DEPTHS;
	buf_release(&text);
	return ok;
}

/* Beyond the last depth IOPS stay. */
static inline struct search_point virtual_measure(const struct virtual_curve *c, uint64_t at)
{
	struct search_point p = {.at = at, .iops_se = UNKNOWN, .ios = UNKNOWN, .time_ns = 1};
	double n = (double)at, f;
	size_t i = 0;

	while (i + 2 < c->nr && c->depth[i + 1] <= n)
		i++;
	f = log(n / c->depth[i]) / log(c->depth[i + 1] / c->depth[i]);
	p.iops = c->iops[i] * pow(c->iops[i + 1] / c->iops[i], fmin(f, 1));
	p.lat_ns = n / p.iops * NS_OF_S;
	return p;
}

/* The most IOPS of any depth that meets the cap; 0 where none does. */
static inline double virtual_truth(const struct virtual_curve *c, double cap_ms, uint64_t max)
{
	double best = 0;

	for (uint64_t n = 1; n <= max; n++) {
		struct search_point p = virtual_measure(c, n);

		if (p.lat_ns <= cap_ms * NS_OF_MS * (1 + 1e-9) && p.iops > best)
			best = p.iops;
	}
	return best;
}

/* What the depths of the table give, measured only: 0 where none of them meets the cap. */
static inline double virtual_grid(const struct virtual_curve *c, double cap_ms)
{
	double best = 0;

	for (size_t i = 0; i < c->nr; i++)
		if (c->depth[i] / c->iops[i] * 1e3 <= cap_ms && c->iops[i] > best)
			best = c->iops[i];
	return best;
}

/* A standard normal number. */
static inline double virtual_normal(struct rng *r)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += (double)rng_below(r, 1 << 30) / (1 << 30);
	return sum;
}

/* Search it from what is known (NULL: nothing); IOPS and latency have this relative error. */
static inline struct search_answer virtual_search(const struct virtual_curve *c, double cap_ms,
						  const struct search_point *seed, size_t nr_seed,
						  double noise, struct rng *rng)
{
	struct search_config config = {
		.cap = {LAT_MEAN, (uint64_t)(cap_ms * NS_OF_MS + .5)},
		.settings = {.max = SEARCH_MAX_DEPTH, .max_points = SEARCH_MAX_POINTS},
		.min = 1};
	struct search_answer a = {.nr_points = 0};
	struct search s;
	uint64_t at;

	search_init(&s, &config, seed, nr_seed);
	while (search_next(&s, &at)) {
		struct search_point p = virtual_measure(c, at);

		if (noise > 0) {
			double e = noise * virtual_normal(rng);

			p.iops *= exp(e);
			p.lat_ns *= exp(-e);
			p.iops_se = p.lat_se = noise;
		}
		search_add(&s, &p);
	}
	search_result(&s, &a);
	search_release(&s);
	return a;
}

#endif
