/* SPDX-License-Identifier: MIT */
#include "run/arrival.h"

#include <math.h>

#define NS_PER_S_F  1e9
#define MAX_COUNTED 1000000U

/* Apart from the pattern and the fill, which are seeded from the same number. */
#define STREAM 0x6172726976616c73ULL /* "arrivals" */

/* Uniform in [0, 1): 53 bits. */
static double uniform(struct rng *r)
{
	return (double)(rng_next(r) >> 11) * 0x1p-53;
}

/* Move on by gap_ns, and carry what is below a ns. */
static void move_by(struct arrival *a, double gap_ns)
{
	double whole;

	a->carry_ns = modf(a->carry_ns + gap_ns, &whole);
	a->next_ns += (uint64_t)whole;
}

void arrival_advance(struct arrival *a)
{
	move_by(a, a->kind == ARRIVALS_POISSON ? -a->gap_ns * log1p(-uniform(&a->rng)) : a->gap_ns);
}

void arrival_init(struct arrival *a, enum arrivals kind, double rate_iops, unsigned workers,
		  unsigned index, uint64_t seed, uint64_t start_ns)
{
	*a = (struct arrival){
		.next_ns = start_ns, .gap_ns = NS_PER_S_F * workers / rate_iops, .kind = kind};
	rng_seed(&a->rng, rng_mix(seed ^ STREAM));
	if (kind == ARRIVALS_POISSON)
		arrival_advance(a);
	else
		move_by(a, NS_PER_S_F * (index + 1) / rate_iops);
}

void arrival_skip_before(struct arrival *a, uint64_t now_ns)
{
	while (a->next_ns < now_ns)
		arrival_advance(a);
}

uint64_t arrival_count_until(struct arrival *a, uint64_t end_ns)
{
	uint64_t nr = 0;

	for (; a->next_ns <= end_ns && nr < MAX_COUNTED; nr++)
		arrival_advance(a);
	if (a->next_ns > end_ns)
		return nr;
	nr += (uint64_t)((double)(end_ns - a->next_ns) / a->gap_ns) + 1;
	a->next_ns = end_ns + 1;
	return nr;
}
