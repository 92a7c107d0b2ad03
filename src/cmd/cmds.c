/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/term.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct cmd *const cmds[] = {
	&cmd_check,  &cmd_compare, &cmd_devices, &cmd_export,  &cmd_find,
	&cmd_import, &cmd_list,	   &cmd_plan,	 &cmd_prepare, &cmd_report,
	&cmd_run,    &cmd_show,	   &cmd_size,	 &cmd_status,  NULL,
};

static const struct cmd *find_cmd(const char *name)
{
	for (size_t i = 0; cmds[i]; i++)
		if (!strcmp(cmds[i]->name, name))
			return cmds[i];
	return NULL;
}

int cmd_fail(const struct err *e)
{
	log_error("%s", e->msg);
	return err_exit_status(e->code);
}

int cmd_print(const struct buf *text)
{
	if (fwrite(buf_text(text), 1, text->len, stdout) != text->len || fflush(stdout) != 0) {
		log_error("cannot write to standard output: %s", strerror(errno));
		return 1;
	}
	return 0;
}

const char *cmd_db_path(const char *option)
{
	const char *env = getenv("LUNSWEEP_DB");

	if (option)
		return option;
	return env && *env ? env : "lunsweep.db";
}

static int print_cmd_help(const struct cmd *cmd)
{
	struct buf b = BUF_INIT;
	int rc;

	buf_addf(&b, "Usage: lunsweep %s %s\n\n%s", cmd->name, cmd->args, cmd->about);
	opt_help(cmd->groups, &b);
	rc = cmd_print(&b);
	buf_release(&b);
	return rc;
}

static bool asks_for_help(int argc, char **argv)
{
	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

int cmd_parse(const struct cmd *cmd, int argc, char **argv, void *dest, struct str_list *args)
{
	struct err e = {0};

	if (!opt_parse(cmd->groups, argc, argv, dest, args, &e))
		return 0;
	log_error("%s; see 'lunsweep %s --help'", e.msg, cmd->name);
	return -1;
}

static int print_help(void)
{
	struct buf b = BUF_INIT;
	int rc;

	buf_addstr(&b, "Usage: lunsweep COMMAND [OPTION...] [ARGUMENT...]\n\n"
		       "Measures a LUN over block size, queue depth, span and mix; finds where it\n"
		       "saturates and the maximum IOPS under a latency cap.\n\nCommands:\n");
	for (size_t i = 0; cmds[i]; i++)
		buf_addf(&b, "  %-10s %s\n", cmds[i]->name, cmds[i]->summary);
	buf_addstr(
		&b,
		"\n--color auto, always or never, anywhere: whether text has colours (auto: on a\n"
		"terminal, unless NO_COLOR is set).\n"
		"'lunsweep COMMAND --help' tells more; so does 'man lunsweep'.\n");
	rc = cmd_print(&b);
	buf_release(&b);
	return rc;
}

static int print_version(void)
{
	struct buf b = BUF_INIT;
	int rc;

	buf_addf(&b, "lunsweep %s (%s)\n", lunsweep_version, lunsweep_git_id);
	rc = cmd_print(&b);
	buf_release(&b);
	return rc;
}

/* For the shell completion and the check of the manual: commands, or one command's options. */
static int print_names(const char *name)
{
	const struct cmd *cmd = name ? find_cmd(name) : NULL;
	struct buf b = BUF_INIT;
	int rc;

	if (cmd)
		opt_names(cmd->groups, &b);
	for (size_t i = 0; !name && cmds[i]; i++)
		buf_addf(&b, "%s\n", cmds[i]->name);
	rc = cmd_print(&b);
	buf_release(&b);
	return rc;
}

/*
 * With a standard stream closed, the next file that is opened would get its number, and what we
 * print would go there: into the target, at worst. Read-only, so that printing fails as before.
 */
static int fill_standard_streams(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd < 0) {
		log_error(
			"cannot open '/dev/null', which stands for standard streams that are closed: %s",
			strerror(errno));
		return -1;
	}
	(void)close(fd);
	return 0;
}

/* Take --color WHEN out of the arguments: it is every command's, and no table's. */
static int take_color(int *argc, char **argv, struct err *e)
{
	int nr = 1, rc = 0;

	for (int i = 1; i < *argc; i++) {
		if (!strcmp(argv[i], "--")) {
			while (i < *argc)
				argv[nr++] = argv[i++];
		} else if (!strncmp(argv[i], "--color=", 8)) {
			rc = rc ? rc : term_set_color(argv[i] + 8, e);
		} else if (!strcmp(argv[i], "--color")) {
			if (!rc && i + 1 == *argc)
				rc = err_set(e, ERR_USAGE, "option --color needs a value: WHEN");
			else
				rc = rc ? rc : term_set_color(argv[++i], e);
		} else {
			argv[nr++] = argv[i];
		}
	}
	argv[nr] = NULL;
	*argc = nr;
	return rc;
}

int cmd_main(int argc, char **argv)
{
	const struct cmd *cmd;
	struct err e = {0};

	/* A closed pipe is an error to report and to end with, not a silent death (O-45). */
	(void)signal(SIGPIPE, SIG_IGN);
	/* So is a file size limit: writes then fail with EFBIG. */
	(void)signal(SIGXFSZ, SIG_IGN);
	if (fill_standard_streams())
		return 1;
	if (argc > 0 && take_color(&argc, argv, &e))
		return cmd_fail(&e);
	if (argc < 2) {
		log_error("no command is given; see 'lunsweep --help'");
		return 2;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
		return print_help();
	if (!strcmp(argv[1], "--version"))
		return print_version();
	if (!strcmp(argv[1], "--complete"))
		return print_names(argc > 2 ? argv[2] : NULL);
	cmd = find_cmd(argv[1]);
	if (!cmd) {
		log_error("there is no %s '%s'; see 'lunsweep --help'",
			  argv[1][0] == '-' ? "option" : "command", argv[1]);
		return 2;
	}
	if (asks_for_help(argc - 2, argv + 2))
		return print_cmd_help(cmd);
	return cmd->run(argc - 2, argv + 2);
}
