/* SPDX-License-Identifier: MIT */
/* Memory for bookkeeping: small, and never worth going on without, so these end the program. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

/* Like their libc namesakes, but they never return NULL: out of memory ends the program
 * with status 1, by exit(), so that what is registered with atexit() is done.
 * Memory whose size a user chooses (I/O buffers) is not taken from here. */
void *xmalloc(size_t size);
void *xcalloc(size_t nr, size_t size);
void *xreallocarray(void *p, size_t nr, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t len);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Room for one more element in the array *p of *nr elements; doubles *cap as needed. */
#define VEC_GROW(p, nr, cap) \
	do { \
		if ((nr) >= (cap)) { \
			(cap) = (cap) ? (cap)*2 : 8; \
			(p) = xreallocarray((p), (cap), sizeof(*(p))); \
		} \
	} while (0)

/* Number of elements of a true array. */
#define NR(a) (sizeof(a) / sizeof((a)[0]))

#endif
