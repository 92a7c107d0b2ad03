/* SPDX-License-Identifier: MIT */
#include "base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Such an array holds a huge page of 2 MiB wherever it begins. */
#define LARGE ((size_t)4 << 20)

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

/* What is so large is an array of points or a report of them, and touching it for the first time costs a page
 * fault for each 4 KiB unless the kernel may take huge pages. Where it has none nothing is lost. All its
 * pages are advised, so that it stays one mapping, which can grow without being copied. */
static void *prefer_huge(void *p, size_t size)
{
	uintptr_t page, begin, end;

	if (size < LARGE)
		return p;
	page = (uintptr_t)sysconf(_SC_PAGESIZE);
	begin = (uintptr_t)p & ~(page - 1);
	end = ((uintptr_t)p + size + page - 1) & ~(page - 1);
	(void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
	return p;
}

void *xcalloc(size_t nr, size_t size)
{
	return prefer_huge(or_die(calloc(nr ? nr : 1, size ? size : 1)), nr * size);
}

void *xreallocarray(void *p, size_t nr, size_t size)
{
	return prefer_huge(or_die(reallocarray(p, nr ? nr : 1, size ? size : 1)), nr * size);
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
