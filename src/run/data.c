/* SPDX-License-Identifier: MIT */
#include "run/data.h"

#include "base/rng.h"

/* Any place of the random data that a whole piece can be taken from, by words. */
static size_t place_of(uint64_t key, size_t random_size)
{
	return (size_t)(rng_mix(~key) % (random_size - DATA_PIECE_BYTES)) & ~(size_t)7;
}

void data_fill(unsigned char *data, size_t len, uint64_t stream, uint64_t first,
	       const unsigned char *random, size_t random_size)
{
	uint64_t base = rng_mix(stream);
	size_t n;

	for (size_t at = 0; at < len; at += n) {
		/* A bijection of the number: no two pieces of a stream have the same key. */
		uint64_t key = rng_mix(base + first++);

		n = len - at < DATA_PIECE_BYTES ? len - at : DATA_PIECE_BYTES;
		data_piece(data + at, random + place_of(key, random_size), n, key);
	}
}
