/* SPDX-License-Identifier: MIT */
/* Any arguments, one a line, to every command's table of options: refused with a message, or all of
 * them are in their places. What is a sweep's is made a sweep. */
#include "fuzz.h"

#include "cmd/cmd.h"
#include "plan/sweep.h"

#define MAX_ARGS      64
#define OPTIONS_BYTES 4096 /* more than the struct of any command */

static int split(char *text, char **argv)
{
	int argc = 0;

	for (char *s = text; s && argc < MAX_ARGS;)
		argv[argc++] = strsep(&s, "\n");
	return argc;
}

/* Where a command keeps the settings of a sweep, they are its first member. */
static void check_settings(const struct pair_list *settings)
{
	struct err e = {0};
	struct sweep s;

	sweep_init(&s);
	if (sweep_build(&s, NULL, settings, &e))
		require(e.msg[0] != '\0');
	sweep_release(&s);
}

static void release(const struct opt_group *g, char *dest)
{
	for (; g->opts; g++)
		for (const struct opt *o = g->opts; o->type != OPT_END; o++) {
			if (o->type == OPT_STRS)
				str_list_release((void *)(dest + o->offset));
			else if (o->type == OPT_PAIR || o->type == OPT_PAIR_FLAG)
				pair_list_release((void *)(dest + o->offset));
		}
}

static const struct pair_list *find_settings(const struct opt_group *g, char *dest)
{
	for (; g->opts; g++)
		for (const struct opt *o = g->opts; o->type != OPT_END; o++)
			if (o->type == OPT_PAIR)
				return (void *)(dest + o->offset);
	return NULL;
}

static void check_command(const struct cmd *cmd, int argc, char **argv)
{
	char *dest = xcalloc(1, OPTIONS_BYTES);
	const struct pair_list *settings = find_settings(cmd->groups, dest);
	struct str_list args = {0};
	struct err e = {0};

	if (opt_parse(cmd->groups, argc, argv, dest, &args, &e))
		require(e.msg[0] != '\0' && e.code == ERR_USAGE);
	else if (settings)
		check_settings(settings);
	require(args.nr <= (size_t)argc);
	release(cmd->groups, dest);
	str_list_release(&args);
	free(dest);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text_of(data, size), *argv[MAX_ARGS];
	int argc = split(text, argv);

	for (size_t i = 0; cmds[i]; i++)
		check_command(cmds[i], argc, argv);
	free(text);
	return 0;
}
