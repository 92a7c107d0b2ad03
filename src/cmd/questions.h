/* SPDX-License-Identifier: MIT */
/* Options that say what is asked of stored runs: --cap and --accept, each with lists of values. */
#ifndef CMD_QUESTIONS_H
#define CMD_QUESTIONS_H

#include "base/opt.h"
#include "model/run.h"

struct cap_list {
	struct cap v[RUN_MAX_CAPS];
	unsigned nr;
};

/* Each takes the values of an option that may be repeated: 0, or -1 with a usage error in e. */
int questions_caps(const struct str_list *lists, struct cap_list *caps, struct err *e);
int questions_accept(const struct str_list *lists, flag_set *accepted, struct err *e);

#endif
