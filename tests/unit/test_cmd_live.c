/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmd/live.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void what_was_told_last_is_what_is_heard(void **state)
{
	struct live_state told = {.run_id = 7, .seq = 3, .in_window = true, .iops = 4368.5};
	struct live_state heard;
	struct live *l;

	(void)state;
	assert_int_equal(live_ask(getpid(), &heard), LIVE_SILENT);
	l = live_open();
	assert_non_null(l);
	/* It is there, but has said nothing yet. */
	assert_int_equal(live_ask(getpid(), &heard), LIVE_SILENT);
	live_tell(l, &told);
	told.seq = 4;
	live_tell(l, &told);
	assert_int_equal(live_ask(getpid(), &heard), LIVE_TOLD);
	assert_memory_equal(&heard, &told, sizeof(told));
	live_close(l);
	assert_int_equal(live_ask(getpid(), &heard), LIVE_SILENT);
	/* A system without such memory. */
	live_tell(NULL, &told);
	live_close(NULL);
}

/* No process has this number. */
static void a_process_that_is_gone_says_nothing(void **state)
{
	struct live_state heard;

	(void)state;
	assert_int_equal(live_ask(0x7fffffff, &heard), LIVE_SILENT);
}

/* Memory of another version of the program: another name, or another size. */
static void other_memory_is_not_taken_for_ours(void **state)
{
	static const char *const names[] = {"lunsweep-live-10", "lunsweep-live-1"};
	static const size_t sizes[] = {sizeof(uint64_t) + sizeof(struct live_state), 4096};
	struct live_state heard;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		int fd = memfd_create(names[i], MFD_CLOEXEC);
		enum live_answer answer;
		uint64_t version = 2;

		assert_true(fd >= 0);
		assert_int_equal(ftruncate(fd, (off_t)sizes[i]), 0);
		assert_int_equal(write(fd, &version, sizeof(version)), sizeof(version));
		answer = live_ask(getpid(), &heard);
		(void)close(fd);
		assert_int_equal(answer, LIVE_SILENT);
	}
}

#define CANNOT 77

/* Hold a FIFO whose name is the one that the memory has: it lies at the top of a file system that is mounted
 * nowhere. */
static int hold_fifo(void)
{
	char folder[] = "/tmp/test-live.XXXXXX", path[128];
	int fd = -1;

	if ((geteuid() ? unshare(CLONE_NEWUSER | CLONE_NEWNS) : unshare(CLONE_NEWNS)) < 0 ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 || !mkdtemp(folder))
		return -1;
	(void)snprintf(path, sizeof(path), "%s/memfd:lunsweep-live-1", folder);
	if (mount("none", folder, "tmpfs", 0, NULL) == 0) {
		if (mkfifo(path, 0600) == 0)
			fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		(void)unlink(path);
		(void)umount2(folder, MNT_DETACH);
	}
	(void)rmdir(folder);
	return fd;
}

/* Nobody waits for the other end of a FIFO that a process holds in place of the memory. */
static void a_fifo_is_not_waited_for(void **state)
{
	struct live_state heard;
	int status = 0;
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		(void)alarm(5);
		if (hold_fifo() < 0)
			_exit(CANNOT);
		_exit(live_ask(getpid(), &heard) != LIVE_SILENT);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT)
		skip();
	assert_int_equal(status, 0);
}

struct talker {
	struct live *live;
	atomic_bool stop;
};

/* All members of a state have one value, so that a mixture of two is seen. */
static void *talk(void *arg)
{
	struct talker *t = arg;

	for (uint32_t i = 1; !atomic_load(&t->stop); i++) {
		struct live_state s = {.run_id = i, .seq = i, .begin_ns = i};

		s.silent_ns = i;
		live_tell(t->live, &s);
	}
	return NULL;
}

static void no_state_is_a_mixture_of_two(void **state)
{
	struct talker t = {.live = live_open()};
	pthread_t thread;
	unsigned nr = 0;

	(void)state;
	assert_non_null(t.live);
	assert_int_equal(pthread_create(&thread, NULL, talk, &t), 0);
	for (int i = 0; i < 2000; i++) {
		struct live_state s;

		if (live_ask(getpid(), &s) != LIVE_TOLD)
			continue;
		nr++;
		assert_int_equal(s.seq, s.run_id);
		assert_int_equal(s.begin_ns, s.run_id);
		assert_int_equal(s.silent_ns, s.run_id);
	}
	atomic_store(&t.stop, true);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(nr > 0);
	live_close(t.live);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_told_last_is_what_is_heard),
		cmocka_unit_test(a_process_that_is_gone_says_nothing),
		cmocka_unit_test(other_memory_is_not_taken_for_ours),
		cmocka_unit_test(a_fifo_is_not_waited_for),
		cmocka_unit_test(no_state_is_a_mixture_of_two),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
