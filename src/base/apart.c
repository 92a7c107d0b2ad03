/* SPDX-License-Identifier: MIT */
#include "base/apart.h"

#include "base/clock.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Behind the text, so that one which was cut off is not taken for whole. */
#define END '\0'

/* Of a child that hangs nobody must wait for the end, as who reads this program's output would. */
static int let_go_of_all_but(int fd)
{
	if (dup2(fd, 0) < 0 || close_range(1, ~0U, 0))
		return -1;
	return open("/dev/null", O_RDONLY) == 1 && dup(1) == 2 ? 0 : -1;
}

__attribute__((noreturn)) static void be_child(int fd, pid_t parent,
					       void (*write)(struct buf *b, void *arg), void *arg)
{
	struct buf b = BUF_INIT;

	/* Whoever stops this program must not leave the child behind; the parent may have ended before. */
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || let_go_of_all_but(fd))
		_exit(1);
	write(&b, arg);
	buf_addch(&b, END);
	_exit(file_write_fd(0, b.text, b.len) != 0);
}

int apart_start(struct apart *a, void (*write)(struct buf *b, void *arg), void *arg, struct err *e)
{
	pid_t parent = getpid();
	int ends[2];

	*a = (struct apart){.fd = -1};
	if (pipe2(ends, O_CLOEXEC))
		return err_sys(e, ERR_SYSTEM, errno, "cannot make a pipe");
	a->pid = fork();
	if (a->pid < 0) {
		(void)err_sys(e, ERR_SYSTEM, errno, "cannot start a process");
		(void)close(ends[0]);
		(void)close(ends[1]);
		return -1;
	}
	if (!a->pid)
		be_child(ends[1], parent, write, arg);
	(void)close(ends[1]);
	a->fd = ends[0];
	return 0;
}

/* In whole milliseconds, rounded up so that poll does not spin. */
static int ms_until(uint64_t until_ns)
{
	uint64_t now = clock_now_ns();

	return until_ns > now ? (int)((until_ns - now + NS_PER_MS - 1) / NS_PER_MS) : 0;
}

bool apart_wait(struct apart *a, uint64_t until_ns)
{
	char part[4096];

	for (;;) {
		struct pollfd p = {.fd = a->fd, .events = POLLIN};
		int ready = poll(&p, 1, ms_until(until_ns));
		ssize_t n;

		if (ready < 0 && errno == EINTR)
			continue;
		if (ready <= 0)
			return false;
		n = read(a->fd, part, sizeof(part));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		buf_add(&a->text, part, (size_t)n);
	}
	if (!a->text.len || a->text.text[a->text.len - 1] != END)
		return false;
	a->text.len--;
	return true;
}

void apart_end(struct apart *a)
{
	if (a->pid > 0) {
		(void)kill(a->pid, SIGKILL);
		/* One that hangs is not waited for: whoever takes over our children does that. */
		(void)waitpid(a->pid, NULL, a->text.len ? 0 : WNOHANG);
	}
	if (a->fd >= 0)
		(void)close(a->fd);
	buf_release(&a->text);
}
