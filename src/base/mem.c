/* SPDX-License-Identifier: MIT */
#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *or_die(void *p)
{
	if (!p) {
		(void)fputs("lunsweep: out of memory\n", stderr);
		exit(1);
	}
	return p;
}

void *xmalloc(size_t size)
{
	return or_die(malloc(size ? size : 1));
}

void *xcalloc(size_t nr, size_t size)
{
	return or_die(calloc(nr ? nr : 1, size ? size : 1));
}

void *xreallocarray(void *p, size_t nr, size_t size)
{
	return or_die(reallocarray(p, nr ? nr : 1, size ? size : 1));
}

char *xstrdup(const char *s)
{
	return or_die(strdup(s));
}

char *xstrndup(const char *s, size_t len)
{
	return or_die(strndup(s, len));
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s = NULL;
	int rc;

	va_start(ap, fmt);
	rc = vasprintf(&s, fmt, ap);
	va_end(ap);
	return or_die(rc < 0 ? NULL : s);
}
