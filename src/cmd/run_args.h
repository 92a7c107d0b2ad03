/* SPDX-License-Identifier: MIT */
/* What commands on stored runs take: numbers of runs, and lists of flags. */
#ifndef CMD_RUN_ARGS_H
#define CMD_RUN_ARGS_H

#include "base/opt.h"
#include "model/verdict.h"
#include "store/store.h"

/* The runs that are asked for, each once, in the order in which they were first named; without any
 * the newest. The caller frees *ids, also after a failure. */
int cmd_choose_runs(struct store *s, const struct str_list *args, int64_t **ids, size_t *nr,
		    struct err *e);

/* Call add for each item of comma-separated lists, as sweep options take them too. */
int cmd_parse_lists(const struct str_list *lists, int (*add)(void *, const char *, struct err *),
		    void *arg, const char *option, struct err *e);

/* Add the flags that --accept names. */
int cmd_parse_accept(const struct str_list *lists, flag_set *accepted, struct err *e);

#endif
