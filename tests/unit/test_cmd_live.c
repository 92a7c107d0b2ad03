/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmd/live.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
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
		cmocka_unit_test(no_state_is_a_mixture_of_two),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
