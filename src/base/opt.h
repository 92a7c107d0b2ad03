/* SPDX-License-Identifier: MIT */
/*
 * Options as tables. One table gives the parser, --help, the shell completion and the check
 * that the manual names each option. Not getopt_long, because that takes any unique
 * beginning of a name: --write would be taken for --write-to.
 */
#ifndef BASE_OPT_H
#define BASE_OPT_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum opt_type {
	OPT_END,       /* ends a table */
	OPT_FLAG,      /* bool at offset, set to true */
	OPT_STR,       /* const char * at offset; once only */
	OPT_STRS,      /* struct str_list at offset; may be repeated */
	OPT_PAIR,      /* struct pair_list at offset: the option's name and its value; once only */
	OPT_PAIR_FLAG, /* the same with the value "yes", or what is behind '=' */
};

struct opt {
	const char *name; /* long name without dashes */
	char letter;	  /* short name, or 0 */
	enum opt_type type;
	size_t offset;	  /* of the destination in the command's struct */
	const char *arg;  /* what the help calls the value; NULL for a flag */
	const char *help; /* one line */
};

/* A titled table; a command has several, ended by one with a NULL table. */
struct opt_group {
	const char *title;
	const struct opt *opts;
};

struct str_list {
	const char **v;
	size_t nr, cap;
};

struct pair {
	const char *name, *value;
};

struct pair_list {
	struct pair *v;
	size_t nr, cap;
};

void str_list_add(struct str_list *l, const char *s);
void str_list_release(struct str_list *l);
void pair_list_add(struct pair_list *l, const char *name, const char *value);
void pair_list_release(struct pair_list *l);

/*
 * Parse argv[0..argc) (without the command's name) into the struct at dest, positional
 * arguments into args. Values point into argv. 0, or -1 with a usage error in e.
 */
int opt_parse(const struct opt_group *groups, int argc, char **argv, void *dest,
	      struct str_list *args, struct err *e);

/* The OPTIONS part of a command's --help. */
void opt_help(const struct opt_group *groups, struct buf *b);

/* Every option as --name, one a line. */
void opt_names(const struct opt_group *groups, struct buf *b);

#endif
