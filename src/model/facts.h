/* SPDX-License-Identifier: MIT */
/* What is known about a run's set-up, as names and texts: kernel, scheduler, firmware, consent.
 * A list rather than a struct, so that a new fact needs no migration and two runs can be
 * compared fact by fact. */
#ifndef MODEL_FACTS_H
#define MODEL_FACTS_H

#include <stddef.h>

struct fact {
	char *name, *value;
};

struct facts {
	struct fact *v;
	size_t nr, cap;
};

#define FACTS_INIT \
	{ \
		NULL, 0, 0 \
	}

/* Copies both; a fact of that name is replaced. value NULL adds nothing. */
void facts_set(struct facts *f, const char *name, const char *value);
void facts_setf(struct facts *f, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* NULL where it is not known; owned by f. */
const char *facts_get(const struct facts *f, const char *name);
void facts_release(struct facts *f);

#endif
