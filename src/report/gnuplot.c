/* SPDX-License-Identifier: MIT */
#include "report/gnuplot.h"

#include "base/mem.h"
#include "report/format.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SAID_MAX 500 /* bytes of its complaints that are passed on */

extern char **environ;

void gnuplot_quote(struct buf *b, const char *s)
{
	struct buf clean = BUF_INIT;

	format_short(&clean, s, strlen(s) + 1);
	buf_addch(b, '\'');
	for (const char *p = buf_text(&clean); *p; p++) {
		if (*p == '\'')
			buf_addch(b, '\'');
		buf_addch(b, *p);
	}
	buf_addch(b, '\'');
	buf_release(&clean);
}

/* Start it with stderr on fd; 0 or an errno. */
static int spawn(const char *dir, const char *script, int fd, pid_t *pid)
{
	char *argv[] = {xstrdup("gnuplot"), xstrdup("-d"), xstrdup(script), NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t defaults, none;
	int rc;

	(void)sigemptyset(&none);
	(void)sigemptyset(&defaults);
	(void)sigaddset(&defaults, SIGPIPE);
	(void)posix_spawnattr_init(&attr);
	(void)posix_spawn_file_actions_init(&actions);
	rc = posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	rc = rc ? rc : posix_spawnattr_setsigdefault(&attr, &defaults);
	rc = rc ? rc : posix_spawnattr_setsigmask(&attr, &none);
	rc = rc ? rc : posix_spawn_file_actions_addchdir_np(&actions, dir);
	rc = rc ? rc : posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	rc = rc ? rc : posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	rc = rc ? rc : posix_spawn_file_actions_adddup2(&actions, fd, 2);
	rc = rc ? rc : posix_spawnp(pid, argv[0], &actions, &attr, argv, environ);
	(void)posix_spawn_file_actions_destroy(&actions);
	(void)posix_spawnattr_destroy(&attr);
	for (size_t i = 0; argv[i]; i++)
		free(argv[i]);
	return rc;
}

/* Keep what it says until it closes its stderr; false when the time is over. */
static bool listen_until(int fd, uint64_t end_ns, struct buf *said)
{
	char chunk[512];

	for (;;) {
		uint64_t now_ns = clock_now_ns();
		struct pollfd p = {.fd = fd, .events = POLLIN};
		ssize_t n;

		if (now_ns >= end_ns)
			return false;
		if (poll(&p, 1, (int)((end_ns - now_ns) / NS_PER_MS) + 1) <= 0)
			continue;
		n = read(fd, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return true;
		if (said->len < SAID_MAX)
			buf_add(said, chunk, (size_t)n);
	}
}

/* Wait for its end; false when the time is over. */
static bool reap_until(pid_t pid, uint64_t end_ns, int *status)
{
	while (waitpid(pid, status, WNOHANG) == 0) {
		if (clock_now_ns() >= end_ns)
			return false;
		clock_sleep_ns(NS_PER_MS);
	}
	return true;
}

/* Its complaint in one line. */
static void add_said(struct buf *b, const struct buf *said)
{
	struct buf line = BUF_INIT;

	format_short(&line, buf_text(said), SAID_MAX);
	for (const char *p = buf_text(&line); *p; p++)
		if (*p != ' ' || (b->len && b->text[b->len - 1] != ' '))
			buf_addch(b, *p);
	buf_release(&line);
}

static int judge(const char *script, int status, const struct buf *said, struct err *e)
{
	struct buf why = BUF_INIT;

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	/* posix_spawn of some libraries reports a failed exec only so. */
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return err_set(e, ERR_TOOL, "gnuplot could not be started for '%s'", script);
	add_said(&why, said);
	(void)err_set(e, ERR_TOOL, "gnuplot failed on '%s': %s", script, buf_text(&why));
	buf_release(&why);
	return -1;
}

static int finish(pid_t pid, int fd, const char *script, uint64_t limit_ns, struct err *e)
{
	uint64_t end_ns = clock_now_ns() + limit_ns;
	struct buf said = BUF_INIT;
	int status = 0, rc;

	if (listen_until(fd, end_ns, &said) && reap_until(pid, end_ns, &status)) {
		rc = judge(script, status, &said, e);
	} else {
		(void)kill(pid, SIGKILL);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		rc = err_set(e, ERR_TOOL, "gnuplot did not finish '%s' within %.3g s", script,
			     (double)limit_ns / (double)NS_PER_S);
	}
	buf_release(&said);
	return rc;
}

int gnuplot_run(const char *dir, const char *script, uint64_t limit_ns, struct err *e)
{
	int fd[2], rc;
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC) < 0)
		return err_sys(e, ERR_SYSTEM, errno, "cannot make a pipe for gnuplot");
	rc = spawn(dir, script, fd[1], &pid);
	(void)close(fd[1]);
	if (rc == ENOENT)
		rc = err_set(e, ERR_TOOL,
			     "gnuplot is not installed, so there are no pictures: install the "
			     "package gnuplot-nox; the scripts in '%s' are ready to run",
			     dir);
	else if (rc)
		rc = err_sys(e, ERR_TOOL, rc, "cannot start gnuplot");
	else
		rc = finish(pid, fd[0], script, limit_ns, e);
	(void)close(fd[0]);
	return rc;
}
