/* SPDX-License-Identifier: MIT */
/* The one table of the keys of a sweep: where they stand in a file, how they are parsed, and
 * what the help says of them. */
#ifndef PLAN_KEYS_H
#define PLAN_KEYS_H

#include "plan/sweep.h"
#include "plan/values.h"

enum key_section { SECTION_TOP, SECTION_AXES, SECTION_MEASURE, SECTION_NR };

struct key {
	const char *name; /* in files; options have '-' for '_' */
	enum key_section section;
	bool is_list; /* several values, or one */
	/* The parser of one value for everything but axes; member is its offset in struct sweep
	 * where several keys share one parser. */
	int (*parse)(struct sweep *s, const struct key *key, const struct item *item,
		     struct err *e);
	size_t member;
};

/* Keys that other code asks for, as bits of given_in_file and given_as_option. */
enum key_bit {
	GIVEN_PRECISION = 1 << 0,
	GIVEN_RUNTIME = 1 << 1,
	GIVEN_MIN_TIME = 1 << 2,
	GIVEN_MAX_TIME = 1 << 3,
	GIVEN_RULE = GIVEN_PRECISION | GIVEN_MIN_TIME | GIVEN_MAX_TIME,
};

/* NULL where there is no such key; '-' and '_' are the same. */
const struct key *key_find(const char *name);
const char *key_section_name(enum key_section section);
/* "rw, bs, iodepth, ...": for messages. */
void buf_add_key_names(struct buf *b, enum key_section section);

/* The bit of this key, 0 for one that nobody asks for. */
uint32_t key_bit(const struct key *key);

/* Values of all axes together; SWEEP_MAX_POINTS at most, which bounds what aliases can do. */
size_t key_count_values(const struct sweep *s);

/*
 * Give a key its values, forgetting earlier ones; axes go into block. On failure *bad is the
 * index of the item that the message is about (0 when it is about all).
 */
int key_set(struct sweep *s, struct axis_block *block, const struct key *key,
	    const struct items *items, size_t *bad, struct err *e);

#endif
