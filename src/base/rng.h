/* SPDX-License-Identifier: MIT */
/* Random numbers that can be repeated: xoshiro256** (Blackman and Vigna 2018), seeded through
 * splitmix64. Period 2^256 - 1, so no span is too large and no run too long. */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

struct rng {
	uint64_t s[4];
};

/* One step of splitmix64: a bijection that spreads every bit of x. */
uint64_t rng_mix(uint64_t x);

void rng_seed(struct rng *r, uint64_t seed);

/* A seed from the kernel, for runs that were given none. */
uint64_t rng_draw_seed(void);

static inline uint64_t rng_next(struct rng *r)
{
	uint64_t x = r->s[1] * 5;
	uint64_t result = ((x << 7) | (x >> 57)) * 9;
	uint64_t t = r->s[1] << 17;

	r->s[2] ^= r->s[0];
	r->s[3] ^= r->s[1];
	r->s[1] ^= r->s[2];
	r->s[0] ^= r->s[3];
	r->s[2] ^= t;
	r->s[3] = (r->s[3] << 45) | (r->s[3] >> 19);
	return result;
}

/*
 * Uniform in [0, n), n > 0, without bias: multiply and shift, and draw again in the few cases
 * (fewer than n in 2^64) that would favour small values (Lemire 2019).
 */
static inline uint64_t rng_below(struct rng *r, uint64_t n)
{
	__extension__ typedef unsigned __int128 u128;
	u128 m = (u128)rng_next(r) * n;

	if ((uint64_t)m < n) {
		uint64_t reject = (0 - n) % n;

		while ((uint64_t)m < reject)
			m = (u128)rng_next(r) * n;
	}
	return (uint64_t)(m >> 64);
}

/* Fill len bytes with random data. */
void rng_fill(struct rng *r, void *data, size_t len);

#endif
