/* SPDX-License-Identifier: MIT */
#ifndef CMD_SIGNALS_H
#define CMD_SIGNALS_H

#include <signal.h>

/* Count SIGINT, SIGTERM and SIGHUP instead of dying of them; the third ends the process. */
void signals_catch(void);

/* How many came, and the first of them (0 for none). */
extern volatile sig_atomic_t signals_nr;
int signals_first(void);

#endif
