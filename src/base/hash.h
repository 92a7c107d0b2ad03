/* SPDX-License-Identifier: MIT */
/* FNV-1a, 64 bits: tells texts apart; no protection against somebody who wants a collision. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_INIT 0xcbf29ce484222325ULL

uint64_t hash_bytes(uint64_t hash, const void *data, size_t len);
/* The text and its end, so that "ab","c" and "a","bc" differ. */
uint64_t hash_str(uint64_t hash, const char *s);
uint64_t hash_u64(uint64_t hash, uint64_t v);

#endif
