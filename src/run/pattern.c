/* SPDX-License-Identifier: MIT */
#include "run/pattern.h"

#include "base/hash.h"

/* pct of 2^32; 100 % cannot be said in 32 bits and is a case of its own. */
static uint32_t threshold(uint32_t pct)
{
	return pct >= 100 ? UINT32_MAX : (uint32_t)(((uint64_t)pct << 32) / 100);
}

static void init_slice(struct pattern *p, uint32_t workers, unsigned worker)
{
	uint64_t first = p->nr_blocks * worker / workers;
	uint64_t behind = p->nr_blocks * (worker + 1) / workers;

	/* Fewer blocks than workers: they share the whole span. */
	if (p->nr_blocks < workers) {
		first = 0;
		behind = p->nr_blocks;
	}
	p->slice = first;
	p->slice_blocks = behind - first;
	/* Not where the point before began, or the cache of the target answers. */
	p->next[DIR_READ] = p->always_random ? 0 : rng_below(&p->rng, p->slice_blocks);
	p->next[DIR_WRITE] = p->next[DIR_READ];
	if (!p->always_read && p->read_below)
		p->next[DIR_WRITE] = (p->next[DIR_WRITE] + p->slice_blocks / 2) % p->slice_blocks;
}

void pattern_init(struct pattern *p, const struct point_spec *spec, unsigned worker, uint64_t seed)
{
	rng_seed(&p->rng, seed);
	p->bs_bytes = spec->bs_bytes;
	p->nr_blocks = spec->span_bytes / spec->bs_bytes;
	p->always_read = spec->rwmixread_pct >= 100;
	p->read_below = threshold(spec->rwmixread_pct);
	p->always_random = rw_is_random(spec->rw) && spec->random_pct >= 100;
	p->is_plain = p->always_read && p->always_random;
	p->random_below = rw_is_random(spec->rw) ? threshold(spec->random_pct) : 0;
	init_slice(p, spec->workers, worker);
}

uint64_t pattern_seed(uint64_t run_seed, unsigned rank, const struct point_spec *spec,
		      unsigned worker)
{
	uint64_t hash = hash_u64(point_spec_hash(spec), run_seed);

	return rng_mix(hash_u64(hash_u64(hash, rank), worker));
}
