/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/rng.h"
#include "run/data.h"

#include <stdlib.h>
#include <string.h>

#define RANDOM_BYTES (1 << 20)
#define PIECES	     2048

static unsigned char random_data[RANDOM_BYTES];
static unsigned char a[PIECES * DATA_PIECE_BYTES], b[PIECES * DATA_PIECE_BYTES];

static void fill(unsigned char *data, size_t len, uint64_t stream, uint64_t first)
{
	data_fill(data, len, stream, first, random_data, RANDOM_BYTES);
}

static int compare_piece(const void *x, const void *y)
{
	return memcmp(x, y, DATA_PIECE_BYTES);
}

static size_t equal_pieces(unsigned char *data, size_t nr)
{
	size_t equal = 0;

	qsort(data, nr, DATA_PIECE_BYTES, compare_piece);
	for (size_t i = 1; i < nr; i++)
		equal += !compare_piece(data + (i - 1) * DATA_PIECE_BYTES,
					data + i * DATA_PIECE_BYTES);
	return equal;
}

static void test_known_again(void **state)
{
	(void)state;
	fill(a, sizeof(a), 7, 100);
	fill(b, 5 * DATA_PIECE_BYTES, 7, 103);
	assert_memory_equal(a + 3 * DATA_PIECE_BYTES, b, 5 * DATA_PIECE_BYTES);
	/* A part of a piece is its begin. */
	fill(b, 512, 7, 103);
	assert_memory_equal(a + 3 * DATA_PIECE_BYTES, b, 512);
}

static void test_all_different(void **state)
{
	(void)state;
	fill(a, sizeof(a) / 2, 7, 0);
	fill(a + sizeof(a) / 2, sizeof(a) / 2, 8, 0);
	assert_int_equal(equal_pieces(a, PIECES), 0);
	/* The twin: the same stream twice. */
	fill(a, sizeof(a) / 2, 7, 0);
	fill(a + sizeof(a) / 2, sizeof(a) / 2, 7, 0);
	assert_int_equal(equal_pieces(a, PIECES), PIECES / 2);
}

static void test_every_byte_as_often(void **state)
{
	size_t count[256] = {0};

	(void)state;
	fill(a, sizeof(a), 1, 0);
	for (size_t i = 0; i < sizeof(a); i++)
		count[a[i]]++;
	/* 32768 each; 5 sigma are 900. */
	for (size_t i = 0; i < 256; i++)
		assert_in_range(count[i], 31800, 33700);
}

static void test_nothing_behind(void **state)
{
	(void)state;
	memset(a, 0xa5, 3 * DATA_PIECE_BYTES);
	fill(a + DATA_PIECE_BYTES, 1536, 1, 0);
	assert_int_equal(a[DATA_PIECE_BYTES - 1], 0xa5);
	assert_int_equal(a[DATA_PIECE_BYTES + 1536], 0xa5);
	assert_int_not_equal(
		memcmp(a + DATA_PIECE_BYTES + 1528, "\xa5\xa5\xa5\xa5\xa5\xa5\xa5\xa5", 8), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("the same stream and number give the same data", test_known_again),
		titled_test("no two pieces are equal, within a stream and between two",
			    test_all_different),
		titled_test("every byte is as frequent", test_every_byte_as_often),
		titled_test("as much is filled as was asked for", test_nothing_behind),
	};
	struct rng rng;

	rng_seed(&rng, 42);
	rng_fill(&rng, random_data, RANDOM_BYTES);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
