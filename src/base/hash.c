/* SPDX-License-Identifier: MIT */
#include "base/hash.h"

#include <string.h>

uint64_t hash_bytes(uint64_t hash, const void *data, size_t len)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ p[i]) * 0x100000001b3ULL;
	return hash;
}

uint64_t hash_str(uint64_t hash, const char *s)
{
	return hash_bytes(hash, s, strlen(s) + 1);
}

uint64_t hash_u64(uint64_t hash, uint64_t v)
{
	unsigned char bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (unsigned char)(v >> (8 * i));
	return hash_bytes(hash, bytes, sizeof(bytes));
}
