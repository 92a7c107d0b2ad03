/* SPDX-License-Identifier: MIT */
/* Output as a whole: compared with a file of tests/golden, which LUNSWEEP_GOLDEN_UPDATE=1 rewrites instead,
 * and its width. */
#ifndef GOLDEN_H
#define GOLDEN_H

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static inline void assert_golden(const char *name, const struct buf *got)
{
	char *path = xasprintf("%s/../golden/%s", getenv("TEST_DATA"), name);
	const char *update = getenv("LUNSWEEP_GOLDEN_UPDATE");
	struct buf want = BUF_INIT;
	struct err e = {0};

	if (update && *update == '1') {
		assert_int_equal(file_write(path, buf_text(got), got->len, &e), 0);
	} else {
		assert_int_equal(file_read(path, 1 << 22, &want, &e), 0);
		assert_string_equal(buf_text(got), buf_text(&want));
	}
	buf_release(&want);
	free(path);
}

/* In columns of a terminal. */
static inline size_t widest_line(const struct buf *b)
{
	size_t widest = 0;
	char *copy = xstrdup(buf_text(b)), *save = NULL;

	for (char *s = strtok_r(copy, "\n", &save); s; s = strtok_r(NULL, "\n", &save))
		widest = text_width(s) > widest ? text_width(s) : widest;
	free(copy);
	return widest;
}

#endif
