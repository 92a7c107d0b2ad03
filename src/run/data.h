/* SPDX-License-Identifier: MIT */
/*
 * Data that no layer below can make smaller. A piece, 4 KiB, is random data under a key of its
 * own: changing a few bytes would do against deduplication, but an array that compresses larger
 * units would find the rest of an earlier piece in them again.
 */
#ifndef RUN_DATA_H
#define RUN_DATA_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What arrays deduplicate by at the finest. */
#define DATA_PIECE_BYTES 4096

/* dst = src ^ key, a word at a time; n is a multiple of 8 (a block is one of 512). dst may be src. */
static inline void data_piece(unsigned char *dst, const unsigned char *src, size_t n, uint64_t key)
{
	for (size_t i = 0; i < n; i += sizeof(key)) {
		uint64_t word;

		memcpy(&word, src + i, sizeof(word));
		word ^= key;
		memcpy(dst + i, &word, sizeof(word));
	}
}

/*
 * Fill len bytes (a multiple of 8) with what a stream holds from piece number first on. The same
 * stream and number give the same data each time, other numbers and other streams other data, so
 * that what was written can be recognised later. random: random_size bytes of random data, more
 * than a piece.
 */
void data_fill(unsigned char *data, size_t len, uint64_t stream, uint64_t first,
	       const unsigned char *random, size_t random_size);

#endif
