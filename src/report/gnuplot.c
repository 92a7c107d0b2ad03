/* SPDX-License-Identifier: MIT */
#include "report/gnuplot.h"

#include "base/mem.h"
#include "base/temp_dir.h"
#include "report/format.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SAID_MAX     500 /* bytes of its complaints that are passed on */
#define LOOK_MS	     100 /* how often it looks for signals */
#define NR_TOLD	     3	 /* failures that are told of in full */
#define NR_A_PROCESS 64	 /* scripts that one process runs */
#define MAX_DEAD     2	 /* times that it may hang or say nothing before it is given up */

extern char **environ;

void gnuplot_quote(struct buf *b, const char *s)
{
	struct buf clean = BUF_INIT;

	buf_add_clean(&clean, s, strlen(s) + 1);
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
static int spawn(const char *dir, char *const *argv, int fd, pid_t *pid)
{
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
	return rc;
}

/* One process and the scripts that it is to run. */
struct session {
	struct gnuplot_script *script;
	size_t nr;
	size_t begun;	       /* scripts that it has announced */
	struct buf line, said; /* since it began the newest */
	uint64_t limit_ns, end_ns;
};

/* Before each script it prints its number, from 1, as a line of its own. */
static char **make_argv(const struct session *s)
{
	char **argv = xcalloc(3 + 3 * s->nr, sizeof(*argv));
	size_t nr = 0;

	argv[nr++] = xstrdup("gnuplot");
	argv[nr++] = xstrdup("-d");
	for (size_t i = 0; i < s->nr; i++) {
		argv[nr++] = xstrdup("-e");
		argv[nr++] = xasprintf("print '@%zu'", i + 1);
		argv[nr++] = xstrdup(s->script[i].name);
	}
	return argv;
}

static void free_argv(char **argv)
{
	for (size_t i = 0; argv[i]; i++)
		free(argv[i]);
	free(argv);
}

static void take_line(struct session *s)
{
	char *mark = xasprintf("@%zu\n", s->begun + 1);

	if (strcmp(buf_text(&s->line), mark) == 0) {
		s->begun++;
		buf_reset(&s->said);
		s->end_ns = clock_now_ns() + s->limit_ns;
	} else if (s->said.len < SAID_MAX) {
		buf_addstr(&s->said, buf_text(&s->line));
	}
	free(mark);
	buf_reset(&s->line);
}

static void take(struct session *s, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		buf_addch(&s->line, text[i]);
		if (text[i] == '\n' || s->line.len > SAID_MAX)
			take_line(s);
	}
}

/* Hear what it says until it closes its stderr; false when the time of a script is over, or a signal came. */
static bool listen_to(struct session *s, int fd)
{
	char chunk[512];

	for (;;) {
		uint64_t now_ns = clock_now_ns();
		struct pollfd p = {.fd = fd, .events = POLLIN};
		ssize_t n;

		if (now_ns >= s->end_ns || temp_dir_is_signalled())
			return false;
		if (poll(&p, 1, LOOK_MS) <= 0)
			continue;
		n = read(fd, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return true;
		take(s, chunk, (size_t)n);
	}
}

/* Wait for its end: its pid, 0 when the time is over or a signal came, and -1 when it cannot be known. */
static pid_t reap_until(pid_t pid, uint64_t end_ns, int *status)
{
	for (;;) {
		pid_t got = waitpid(pid, status, WNOHANG);

		if (got > 0 || (got < 0 && errno != EINTR))
			return got;
		if (clock_now_ns() >= end_ns || temp_dir_is_signalled())
			return 0;
		clock_sleep_ns(NS_PER_MS);
	}
}

/* Its complaint in one line. */
static void add_said(struct buf *b, const struct buf *said)
{
	struct buf line = BUF_INIT;

	buf_add_clean(&line, buf_text(said), SAID_MAX);
	for (const char *p = buf_text(&line); *p; p++)
		if (*p != ' ' || (b->len && b->text[b->len - 1] != ' '))
			buf_addch(b, *p);
	buf_release(&line);
}

/* How a session went: what is drawn, and whose fault it was that it ended. */
enum outcome { ALL_DRAWN, ONE_FAILED, IS_DEAD, NOT_THERE, IS_INTERRUPTED };

/* All failures of a report, in one message. */
struct failures {
	struct buf told;
	size_t nr, dead;
};

static void add_failure(struct failures *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void add_failure(struct failures *f, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	if (f->nr++ >= NR_TOLD)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	buf_addf(&f->told, "%s%s", f->told.len ? "; " : "", text);
}

/* The script that it was at when it ended. */
static const char *culprit(const struct session *s)
{
	return s->script[s->begun ? s->begun - 1 : 0].name;
}

static enum outcome judge(const struct session *s, int status, struct failures *f)
{
	struct buf why = BUF_INIT;

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && s->begun == s->nr)
		return ALL_DRAWN;
	/* posix_spawn of some libraries reports a failed exec only so. */
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
		add_failure(f, "gnuplot could not be started for '%s'", culprit(s));
		return NOT_THERE;
	}
	buf_addstr(&why, s->said.len ? ": " : "");
	add_said(&why, &s->said);
	if (WIFSIGNALED(status))
		buf_addf(&why, " (signal %d)", WTERMSIG(status));
	add_failure(f, "gnuplot failed on '%s'%s", culprit(s), buf_text(&why));
	buf_release(&why);
	return s->begun ? ONE_FAILED : IS_DEAD;
}

static enum outcome follow(struct session *s, pid_t pid, int fd, struct failures *f)
{
	int status = 0;
	pid_t got;

	temp_dir_used_by(pid);
	s->end_ns = clock_now_ns() + s->limit_ns;
	got = listen_to(s, fd) ? reap_until(pid, s->end_ns, &status) : 0;
	if (got > 0)
		return judge(s, status, f);
	if (got < 0) {
		add_failure(f, "cannot know how gnuplot ended on '%s': %s", culprit(s),
			    strerror(errno));
		return IS_DEAD;
	}
	(void)kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (temp_dir_is_signalled()) {
		add_failure(f, "the drawing of '%s' was ended by a signal", culprit(s));
		return IS_INTERRUPTED;
	}
	add_failure(f, "gnuplot did not finish '%s' within %.3g s", culprit(s),
		    (double)s->limit_ns / (double)NS_PER_S);
	return IS_DEAD;
}

/* ENOENT is of the program, or of the directory that it should have gone to. */
static void add_start_failure(struct failures *f, const char *dir, int errnum)
{
	if (access(dir, X_OK) < 0)
		add_failure(f, "cannot draw in the directory '%s': %s", dir, strerror(errno));
	else if (errnum == ENOENT)
		add_failure(f, "gnuplot is not installed, so there are no pictures: install the "
			       "package gnuplot-nox");
	else
		add_failure(f, "cannot start gnuplot: %s", strerror(errnum));
}

static enum outcome start(const char *dir, struct session *s, struct failures *f)
{
	enum outcome out = NOT_THERE;
	char **argv = make_argv(s);
	int fd[2], rc;
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC) < 0) {
		add_failure(f, "cannot make a pipe for gnuplot: %s", strerror(errno));
		free_argv(argv);
		return NOT_THERE;
	}
	rc = spawn(dir, argv, fd[1], &pid);
	(void)close(fd[1]);
	if (rc) {
		add_start_failure(f, dir, rc);
	} else {
		out = follow(s, pid, fd[0], f);
		temp_dir_used_by(0);
	}
	(void)close(fd[0]);
	free_argv(argv);
	return out;
}

/* Scripts from first on in one process. Returns how many need no more: drawn, and one that failed. */
static size_t run_some(const char *dir, struct gnuplot_script *script, size_t nr, uint64_t limit_ns,
		       struct failures *f)
{
	struct session s = {.script = script,
			    .nr = nr < NR_A_PROCESS ? nr : NR_A_PROCESS,
			    .limit_ns = limit_ns};
	enum outcome out = start(dir, &s, f);
	size_t drawn = out == ALL_DRAWN ? s.nr : s.begun ? s.begun - 1 : 0;

	for (size_t i = 0; i < drawn; i++)
		script[i].is_drawn = true;
	if (drawn)
		f->dead = 0;
	if (out == IS_DEAD)
		f->dead++;
	if (out == NOT_THERE || out == IS_INTERRUPTED)
		f->dead = MAX_DEAD;
	buf_release(&s.line);
	buf_release(&s.said);
	return out == ALL_DRAWN ? drawn : drawn + 1;
}

static int tell(const struct failures *f, size_t nr, size_t missing, struct err *e)
{
	if (!f->nr)
		return 0;
	if (nr == 1 || missing == nr)
		return err_set(e, ERR_TOOL, "%s", buf_text(&f->told));
	return err_set(e, ERR_TOOL, "%zu of %zu pictures are missing: %s%s", missing, nr,
		       buf_text(&f->told), f->nr > NR_TOLD ? "; and so on" : "");
}

int gnuplot_draw(const char *dir, struct gnuplot_script *script, size_t nr, uint64_t limit_ns,
		 struct err *e)
{
	struct failures f = {.nr = 0};
	const struct sigaction normal = {.sa_handler = SIG_DFL};
	struct sigaction old;
	size_t missing = 0;
	int rc;

	/* Whoever started us with SIGCHLD ignored would have us never know how a child ended. */
	(void)sigaction(SIGCHLD, &normal, &old);
	for (size_t i = 0; i < nr && f.dead < MAX_DEAD;)
		i += run_some(dir, script + i, nr - i, limit_ns, &f);
	(void)sigaction(SIGCHLD, &old, NULL);
	for (size_t i = 0; i < nr; i++)
		missing += !script[i].is_drawn;
	rc = tell(&f, nr, missing, e);
	buf_release(&f.told);
	return rc;
}

int gnuplot_run(const char *dir, const char *script, uint64_t limit_ns, struct err *e)
{
	struct gnuplot_script one = {.name = xstrdup(script)};
	int rc = gnuplot_draw(dir, &one, 1, limit_ns, e);

	free(one.name);
	return rc;
}
