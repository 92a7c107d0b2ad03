/* SPDX-License-Identifier: MIT */
#include "cmd/signals.h"

#include <stddef.h>
#include <string.h>

volatile sig_atomic_t signals_nr;
static volatile sig_atomic_t first;

static const int caught[] = {SIGINT, SIGTERM, SIGHUP};

static void on_signal(int sig)
{
	if (!signals_nr)
		first = sig;
	signals_nr = signals_nr + 1;
	/* The second is answered by the runner; whoever asks a third time wants the default. */
	if (signals_nr >= 2)
		for (size_t i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
			(void)signal(caught[i], SIG_DFL);
}

void signals_catch(void)
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = on_signal;
	(void)sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < sizeof(caught) / sizeof(caught[0]); i++) {
		struct sigaction old;

		/* nohup has SIGHUP ignored, and means it. */
		if (!sigaction(caught[i], NULL, &old) && old.sa_handler == SIG_IGN)
			continue;
		(void)sigaction(caught[i], &sa, NULL);
	}
}

int signals_first(void)
{
	return (int)first;
}
