/* SPDX-License-Identifier: MIT */
#include "cmd/live.h"

#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The layout is part of the name, so that another version is not misread. */
#define LIVE_NAME "lunsweep-live-1"
/* What the descriptor of it is a link to. */
#define LIVE_LINK "/memfd:" LIVE_NAME " (deleted)"

/* The number is odd while the state is being changed, and another one afterwards. */
struct live_page {
	_Atomic uint64_t version;
	struct live_state state;
};

struct live {
	struct live_page *page;
	int fd;
};

struct live *live_open(void)
{
	struct live *l = xcalloc(1, sizeof(*l));
	void *page = MAP_FAILED;

	l->fd = memfd_create(LIVE_NAME, MFD_CLOEXEC);
	if (l->fd >= 0 && ftruncate(l->fd, sizeof(*l->page)) == 0)
		page = mmap(NULL, sizeof(*l->page), PROT_READ | PROT_WRITE, MAP_SHARED, l->fd, 0);
	if (page != MAP_FAILED) {
		l->page = page;
		return l;
	}
	if (l->fd >= 0)
		(void)close(l->fd);
	free(l);
	return NULL;
}

void live_close(struct live *l)
{
	if (!l)
		return;
	(void)munmap(l->page, sizeof(*l->page));
	(void)close(l->fd);
	free(l);
}

void live_tell(struct live *l, const struct live_state *state)
{
	if (!l)
		return;
	atomic_fetch_add_explicit(&l->page->version, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	l->page->state = *state;
	atomic_fetch_add_explicit(&l->page->version, 1, memory_order_release);
}

/* Anybody may give a file of theirs this name: it is not waited for, as a FIFO would be, and what has
 * not our size is not ours. -1 with errno. */
static int open_named(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_size == (off_t)sizeof(struct live_page))
		return fd;
	(void)close(fd);
	errno = ENOENT;
	return -1;
}

/* The descriptor of the process that has our name; -1 with errno. */
static int open_page(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *d;
	int fd = -1;

	if (!dir)
		return -1;
	errno = ENOENT;
	while (fd < 0 && (d = readdir(dir))) {
		char *path = xasprintf("%s/%s", folder, d->d_name);
		char to[sizeof(LIVE_LINK) + 1] = "";

		if (readlink(path, to, sizeof(to) - 1) > 0 && !strcmp(to, LIVE_LINK))
			fd = open_named(path);
		free(path);
	}
	(void)closedir(dir);
	return fd;
}

#define TRIES 100

/* False where it is never at rest, or too short. Not mapped: whoever owns it could make it shorter meanwhile,
 * and that would end us. */
static bool read_page(int fd, struct live_state *state)
{
	for (int i = 0; i < TRIES; i++) {
		struct {
			uint64_t version;
			struct live_state state;
		} copy;
		uint64_t after;

		_Static_assert(sizeof(copy) == sizeof(struct live_page), "one layout");
		if (pread(fd, &copy, sizeof(copy), 0) != (ssize_t)sizeof(copy) ||
		    pread(fd, &after, sizeof(after), 0) != (ssize_t)sizeof(after))
			return false;
		*state = copy.state;
		if (copy.version && !(copy.version & 1) && copy.version == after)
			return true;
	}
	return false;
}

enum live_answer live_ask(long pid, struct live_state *state)
{
	char *folder = xasprintf("/proc/%ld/fd", pid);
	enum live_answer answer = LIVE_SILENT;
	int fd = open_page(folder);

	if (fd >= 0 && read_page(fd, state))
		answer = LIVE_TOLD;
	else if (fd < 0 && (errno == EACCES || errno == EPERM))
		answer = LIVE_PRIVATE;
	if (fd >= 0)
		(void)close(fd);
	free(folder);
	return answer;
}
