/* SPDX-License-Identifier: MIT */
/* Runs by their numbers, as arguments: 3, 1,3,5, or 4..6. */
#ifndef CMD_RUN_LISTS_H
#define CMD_RUN_LISTS_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

#define RUN_LIST_MAX 1000

struct run_list {
	int64_t *id;
	size_t nr, cap;
};

/* Add the runs of a list; one that is there already stays where it is. -1 and a usage error for what
 * is no such list. */
int run_list_add(struct run_list *l, const char *text, struct err *e);
void run_list_release(struct run_list *l);

#endif
