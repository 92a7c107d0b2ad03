/* SPDX-License-Identifier: MIT */
#include "run/alive.h"

#include "base/clock.h"
#include "base/mem.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

struct alive {
	struct target_info id; /* its own copy of what target_ask takes */
	enum target_answer answer;
	struct err why;
	sem_t ended;
	bool is_there; /* of the asker: the semaphore was taken */
	/* The asker and the thread: whoever is last frees. */
	_Atomic unsigned nr_users;
};

static void drop(struct alive *a)
{
	if (atomic_fetch_sub(&a->nr_users, 1) > 1)
		return;
	(void)sem_destroy(&a->ended);
	target_info_release(&a->id);
	free(a);
}

static void *ask_thread(void *p)
{
	struct alive *a = p;

	a->answer = target_ask(&a->id, &a->why);
	(void)sem_post(&a->ended);
	drop(a);
	return NULL;
}

static int start(struct alive *a)
{
	pthread_attr_t attr;
	sigset_t all, old;
	pthread_t id;
	int rc;

	(void)pthread_attr_init(&attr);
	(void)pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	/* Signals are the main thread's. */
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&id, &attr, ask_thread, a);
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	(void)pthread_attr_destroy(&attr);
	return rc;
}

struct alive *alive_ask(const struct target_info *info)
{
	struct alive *a = xcalloc(1, sizeof(*a));

	a->id.given = xstrdup(info->given);
	a->id.resolved = xstrdup(info->resolved);
	a->id.identity = xstrdup(info->identity);
	a->id.size_bytes = info->size_bytes;
	(void)sem_init(&a->ended, 0, 0);
	atomic_init(&a->nr_users, 2);
	if (!start(a))
		return a;
	drop(a);
	drop(a);
	return NULL;
}

bool alive_wait(struct alive *a, uint64_t until_ns, enum target_answer *answer, struct err *e)
{
	struct timespec ts = {(time_t)(until_ns / NS_PER_S), (long)(until_ns % NS_PER_S)};

	a->is_there = a->is_there || !sem_clockwait(&a->ended, CLOCK_MONOTONIC, &ts);
	if (!a->is_there)
		return false;
	*answer = a->answer;
	if (a->answer != TARGET_ANSWERS)
		(void)err_set(e, a->why.code, "%s", a->why.msg);
	return true;
}

void alive_release(struct alive *a)
{
	if (a)
		drop(a);
}
