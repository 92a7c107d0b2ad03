/* SPDX-License-Identifier: MIT */
#include "model/facts.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct fact *find(const struct facts *f, const char *name)
{
	for (size_t i = 0; i < f->nr; i++)
		if (!strcmp(f->v[i].name, name))
			return &f->v[i];
	return NULL;
}

void facts_set(struct facts *f, const char *name, const char *value)
{
	struct fact *old = find(f, name);

	if (!value)
		return;
	if (old) {
		char *copy = xstrdup(value); /* value may be part of the old one */

		free(old->value);
		old->value = copy;
		return;
	}
	VEC_GROW(f->v, f->nr, f->cap);
	f->v[f->nr++] = (struct fact){xstrdup(name), xstrdup(value)};
}

void facts_setf(struct facts *f, const char *name, const char *fmt, ...)
{
	va_list ap;
	char *value = NULL;

	va_start(ap, fmt);
	if (vasprintf(&value, fmt, ap) < 0)
		value = NULL;
	va_end(ap);
	facts_set(f, name, value);
	free(value);
}

const char *facts_get(const struct facts *f, const char *name)
{
	const struct fact *fact = find(f, name);

	return fact ? fact->value : NULL;
}

void facts_release(struct facts *f)
{
	for (size_t i = 0; i < f->nr; i++) {
		free(f->v[i].name);
		free(f->v[i].value);
	}
	free(f->v);
	*f = (struct facts)FACTS_INIT;
}
