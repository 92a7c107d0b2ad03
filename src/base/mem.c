/* SPDX-License-Identifier: MIT */
#include "base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE ((uintptr_t)2 << 20)
#define LARGE	  ((size_t)8 << 20)

static void *or_die(void *p)
{
	if (!p) {
		/* Without a buffer that would have to be allocated. */
		(void)fputs("lunsweep: out of memory; free some or raise its limit (ulimit -v), "
			    "then start the same command again\n",
			    stderr);
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

/* What grows so large is an array of points, and touching it for the first time costs a page fault
 * for each 4 KiB unless the kernel may take huge pages. Where it has none nothing is lost. */
static void prefer_huge(void *p, size_t size)
{
	uintptr_t begin = ((uintptr_t)p + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
	uintptr_t end = ((uintptr_t)p + size) & ~(HUGE_PAGE - 1);

	if (end > begin)
		(void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}

void *xreallocarray(void *p, size_t nr, size_t size)
{
	void *grown = or_die(reallocarray(p, nr ? nr : 1, size ? size : 1));

	if (nr * size >= LARGE)
		prefer_huge(grown, nr * size);
	return grown;
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
