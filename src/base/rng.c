/* SPDX-License-Identifier: MIT */
#include "base/rng.h"

#include "base/clock.h"

#include <string.h>
#include <sys/random.h>

uint64_t rng_mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

void rng_seed(struct rng *r, uint64_t seed)
{
	for (int i = 0; i < 4; i++) {
		r->s[i] = rng_mix(seed);
		seed += 0x9e3779b97f4a7c15ULL;
	}
}

uint64_t rng_draw_seed(void)
{
	uint64_t seed;

	/* The seed only has to differ from run to run, so a kernel without entropy early in
	 * boot may be answered with the clock. */
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != (ssize_t)sizeof(seed))
		seed = rng_mix((uint64_t)clock_wall_ns()) ^ clock_now_ns();
	return seed >> 1; /* fits SQLite's signed integers */
}

void rng_fill(struct rng *r, void *data, size_t len)
{
	unsigned char *p = data;

	for (; len >= 8; p += 8, len -= 8) {
		uint64_t v = rng_next(r);

		memcpy(p, &v, 8);
	}
	if (len) {
		uint64_t v = rng_next(r);

		memcpy(p, &v, len);
	}
}
