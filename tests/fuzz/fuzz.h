/* SPDX-License-Identifier: MIT */
/*
 * What the harnesses have in common. Each is a file fuzz_NAME.c with one LLVMFuzzerTestOneInput that
 * aborts when a promise of a header is broken. scripts/fuzz.sh builds them for libFuzzer; the corpus
 * of each, and changed copies of it, are replayed by tests/unit/test_fuzz_corpus.c.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include "base/mem.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void require(int condition)
{
	if (!condition)
		abort();
}

/* The input as text that ends with NUL, for the caller to free. */
static inline char *fuzz_text_of(const uint8_t *data, size_t size)
{
	char *s = xcalloc(size + 1, 1);

	if (size)
		memcpy(s, data, size);
	return s;
}

#endif
