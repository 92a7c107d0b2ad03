/* SPDX-License-Identifier: MIT */
/* Subcommands: each has a file of its own that exports one struct cmd; cmds.c holds the table. */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include "base/err.h"
#include "base/opt.h"

struct cmd {
	const char *name;
	const char *args;    /* synopsis behind the name: "SWEEP --target T" */
	const char *summary; /* one line for the list of commands */
	const char *about;   /* paragraphs for --help, ending with two examples */
	const struct opt_group *groups;
	/* Gets the arguments behind the command's name; returns the exit status. */
	int (*run)(int argc, char **argv);
};

extern const struct cmd cmd_plan, cmd_run, cmd_list, cmd_show, cmd_report, cmd_import, cmd_export,
	cmd_devices, cmd_prepare, cmd_check, cmd_compare, cmd_find, cmd_size, cmd_status;

/* The table, sorted by name, ended by NULL. */
extern const struct cmd *const cmds[];

int cmd_main(int argc, char **argv);

/* Print e as one line on stderr and return the exit status that belongs to it. */
int cmd_fail(const struct err *e);

/* Parse a command's options: 0, or -1 after an error was printed (exit status 2). */
int cmd_parse(const struct cmd *cmd, int argc, char **argv, void *dest, struct str_list *args);

/* Write text to stdout and make sure that it arrived there: 0, or 1 after a message. */
int cmd_print(const struct buf *text);

/* The database: --db, else LUNSWEEP_DB, else ./lunsweep.db (D31). */
const char *cmd_db_path(const char *option);

extern const char lunsweep_version[]; /* 0.1.0 */
extern const char lunsweep_git_id[];

#endif
