/* SPDX-License-Identifier: MIT */
#include "cmd/confirm.h"

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool answers_yes(const char *question)
{
	char answer[16] = "";
	struct buf clean = BUF_INIT;

	/* It names a device, whose maker or neighbour chose the name. */
	buf_add_clean(&clean, question, SIZE_MAX);
	(void)fprintf(stderr, "%s Type yes to go on: ", buf_text(&clean));
	(void)fflush(stderr);
	buf_release(&clean);
	return fgets(answer, sizeof(answer), stdin) && !strcmp(answer, "yes\n");
}

int confirm_ask(bool yes, const char *question, struct err *e)
{
	if (yes)
		return 0;
	if (!isatty(STDIN_FILENO))
		return err_set(e, ERR_USAGE, "%s Without a terminal to ask on, this needs --yes",
			       question);
	if (!answers_yes(question))
		return err_set(e, ERR_USAGE, "nothing was done");
	return 0;
}

int confirm_database(const struct target_info *t, const char *db, struct err *e)
{
	static const char *const suffixes[] = {"", "-wal", "-shm"};
	struct stat target, st;

	if (stat(t->resolved, &target) < 0)
		return err_sys(e, ERR_TARGET, errno, "cannot look at '%s'", t->given);
	for (size_t i = 0; i < NR(suffixes); i++) {
		char *path = xasprintf("%s%s", db, suffixes[i]);
		bool exists = stat(path, &st) == 0;

		free(path);
		if (!exists)
			continue;
		if (st.st_dev == target.st_dev && st.st_ino == target.st_ino)
			return err_set(e, ERR_USAGE, "'%s' is the database itself", t->given);
		if (!i && t->is_block && st.st_dev == target.st_rdev)
			log_warn("the database '%s' lies on the device under test", db);
	}
	return 0;
}

int confirm_storage(const struct target_info *t, bool allow_ram, struct err *e)
{
	if (!t->is_memory || allow_ram)
		return 0;
	return err_set(e, ERR_USAGE,
		       "'%s' is on %s, which is memory and no storage; --allow-ram "
		       "takes it all the same",
		       t->given, facts_get(&t->facts, "fs.type"));
}

char *confirm_quote(const char *name, int argc, char **argv)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "lunsweep %s", name);
	for (int i = 0; i < argc; i++) {
		buf_addch(&b, ' ');
		buf_shell_str(&b, argv[i]);
	}
	return buf_detach(&b);
}
