/* SPDX-License-Identifier: MIT */
/*
 * The corpora of tests/fuzz, and what is shipped, through the harnesses, which abort on a broken
 * promise: each file as it is and MUTANTS changed copies of it, the same in every run. Bytes are
 * changed, left out, doubled, and taken from the file before.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "ledger.h"
#include <cmocka.h>

typedef int harness_fn(const uint8_t *data, size_t size);
harness_fn fuzz_sweep, fuzz_yaml, fuzz_text, fuzz_options, fuzz_import, fuzz_hist, fuzz_store;

#define LLVMFuzzerTestOneInput fuzz_sweep
#include "../fuzz/fuzz_sweep.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_yaml
#include "../fuzz/fuzz_yaml.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_text
#include "../fuzz/fuzz_text.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_options
#include "../fuzz/fuzz_options.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_import
#include "../fuzz/fuzz_import.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_hist
#include "../fuzz/fuzz_hist.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_store
#include "../fuzz/fuzz_store.c"
#undef LLVMFuzzerTestOneInput

#include "base/file.h"
#include "base/rng.h"

#include <glob.h>

#define MAX_FILE_BYTES (1 << 22)

struct corpus {
	const char *pattern; /* below tests/ */
	harness_fn *harness;
	size_t least;	  /* files that are there */
	unsigned mutants; /* of each */
};

static size_t below(struct rng *rng, size_t n)
{
	return n ? (size_t)rng_below(rng, n) : 0;
}

/* A few changes of one kind or another. */
static void mutate(struct buf *b, const struct buf *other, struct rng *rng)
{
	for (size_t n = 1 + below(rng, 4); n && b->len; n--) {
		size_t at = below(rng, b->len), len = 1 + below(rng, b->len - at);
		struct buf copy = BUF_INIT;

		switch (below(rng, 5)) {
		case 0:
			b->text[at] = (char)below(rng, 256);
			break;
		case 1:
			b->text[at] ^= (char)(1U << below(rng, 8));
			break;
		case 2: /* a part left out */
			len = len > 64 ? 1 + below(rng, 64) : len;
			buf_add(&copy, b->text, at);
			buf_add(&copy, b->text + at + len, b->len - at - len);
			break;
		case 3: /* a part doubled */
			len = len > 64 ? 1 + below(rng, 64) : len;
			buf_add(&copy, b->text, at + len);
			buf_add(&copy, b->text + at, b->len - at);
			break;
		default: /* the end of another one */
			if (!other->len)
				break;
			buf_add(&copy, b->text, at);
			at = below(rng, other->len);
			buf_add(&copy, other->text + at, other->len - at);
		}
		if (copy.len) {
			buf_reset(b);
			buf_add(b, copy.text, copy.len);
		}
		buf_release(&copy);
	}
}

static void run(const struct corpus *c, const struct buf *b)
{
	assert_int_equal(c->harness((const uint8_t *)buf_text(b), b->len), 0);
}

static size_t run_mutants(const struct corpus *c, const struct buf *b, const struct buf *other,
			  struct rng *rng)
{
	for (unsigned i = 0; i < c->mutants; i++) {
		struct buf copy = BUF_INIT;

		buf_add(&copy, buf_text(b), b->len);
		mutate(&copy, other, rng);
		run(c, &copy);
		buf_release(&copy);
	}
	return c->mutants;
}

static size_t replay_files(const struct corpus *c, char *const *path, size_t nr)
{
	struct buf last = BUF_INIT;
	struct rng rng;
	size_t done = 0;

	rng_seed(&rng, 1);
	for (size_t i = 0; i < nr; i++) {
		struct buf b = BUF_INIT;
		struct err e = {0};

		if (file_read(path[i], MAX_FILE_BYTES, &b, &e))
			fail_msg("%s", e.msg);
		run(c, &b);
		done += 1 + run_mutants(c, &b, &last, &rng);
		buf_release(&last);
		last = b;
	}
	buf_release(&last);
	return done;
}

static void replay(const struct corpus *c)
{
	const char *data = getenv("TEST_DATA");
	size_t done;
	char *full;
	glob_t g;

	assert_non_null(data);
	/* Beside the folder of data. */
	full = xasprintf("%.*s/%s", (int)(strrchr(data, '/') - data), data, c->pattern);
	assert_int_equal(glob(full, 0, NULL, &g), 0);
	assert_true(g.gl_pathc >= c->least);
	done = replay_files(c, g.gl_pathv, g.gl_pathc);
	ledger("fuzzed", (long long)done);
	print_message("inputs tried: %zu of %s\n", done, c->pattern);
	globfree(&g);
	free(full);
}

static const struct corpus sweeps = {"fuzz/corpus/sweep/*", fuzz_sweep, 10, 200};
static const struct corpus shipped = {"../sweeps/*.yaml", fuzz_sweep, 8, 200};
static const struct corpus yaml = {"fuzz/corpus/yaml/*", fuzz_yaml, 3, 1000};
static const struct corpus text = {"fuzz/corpus/text/*", fuzz_text, 10, 2000};
static const struct corpus options = {"fuzz/corpus/options/*", fuzz_options, 6, 300};
static const struct corpus tables = {"fuzz/corpus/import/*", fuzz_import, 6, 300};
static const struct corpus seeds = {"data/seeds/*.csv", fuzz_import, 4, 20};
static const struct corpus hists = {"fuzz/corpus/hist/*", fuzz_hist, 3, 1000};
static const struct corpus databases = {"fuzz/corpus/store/*", fuzz_store, 3, 100};

static void every_promise_is_kept(void **state)
{
	replay(*state);
}

#define REPLAY(c) \
	{ \
#c, every_promise_is_kept, NULL, NULL, (void *)(uintptr_t) & (c) \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		REPLAY(sweeps), REPLAY(shipped), REPLAY(yaml),	REPLAY(text),	   REPLAY(options),
		REPLAY(tables), REPLAY(seeds),	 REPLAY(hists), REPLAY(databases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
