/* SPDX-License-Identifier: MIT */
/* Every file that fuzzing found worth keeping, and every shipped sweep, through the harness,
 * which aborts on a broken promise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../fuzz/fuzz_sweep.c"
#include "base/file.h"
#include "base/mem.h"
#include "plan/yaml_file.h"

#include <glob.h>

static size_t replay(const char *pattern)
{
	const char *data = getenv("TEST_DATA");
	char *full;
	glob_t g;
	size_t nr;

	assert_non_null(data);
	/* Beside the folder of data, which this test does not need. */
	full = xasprintf("%.*s/%s", (int)(strrchr(data, '/') - data), data, pattern);
	assert_int_equal(glob(full, 0, NULL, &g), 0);
	nr = g.gl_pathc;
	for (size_t i = 0; i < nr; i++) {
		struct buf b = BUF_INIT;
		struct err e = {0};

		if (file_read(g.gl_pathv[i], YAML_FILE_MAX_BYTES, &b, &e))
			fail_msg("%s", e.msg);
		assert_int_equal(LLVMFuzzerTestOneInput((const uint8_t *)buf_text(&b), b.len), 0);
		buf_release(&b);
	}
	globfree(&g);
	free(full);
	return nr;
}

static void the_corpus_keeps_every_promise(void **state)
{
	(void)state;
	assert_true(replay("fuzz/corpus/sweep/*") >= 10);
}

static void the_shipped_sweeps_keep_every_promise(void **state)
{
	(void)state;
	assert_true(replay("../sweeps/*.yaml") >= 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_corpus_keeps_every_promise),
		cmocka_unit_test(the_shipped_sweeps_keep_every_promise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
