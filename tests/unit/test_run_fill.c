/* SPDX-License-Identifier: MIT */
/* WRAP: engine_open engine_close target_open_worker fdatasync clock_now_ns */
#include "unit.h"

#include "base/clock.h"
#include "io/engine.h"
#include "ledger.h"
#include "run/fill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MIB ((uint64_t)1 << 20)

/* A device that completes the newest first, and remembers all. */
static struct {
	struct engine base;
	struct io {
		uint64_t offset, len;
		bool is_done;
	} ios[64];
	_Atomic unsigned nr; /* a thread that was given up may still submit */
	unsigned nr_reaps;
	struct engine_io *io_of[64];
	uint64_t len_of[64]; /* bound, by index */
	uint64_t fail_at;    /* the offset that fails */
	int fail_sync;	     /* errno of fdatasync */
	int64_t fail_res;
	/* The call of fdatasync sees what has completed: all below is on the medium. */
	uint64_t synced;
	_Atomic uint64_t late_ns;
	uint64_t reap_ns,
		sync_ns; /* how long they take: reap by the clock of the test, sync by ours */
	_Atomic bool is_hung;
	unsigned wrong_from; /* the n-th bind: the place is spoiled ... */
	uint64_t wrong_by;   /* ... by so much */
	unsigned nr_binds;
	_Atomic unsigned nr_syncs; /* that have ended */
} dev;

static volatile sig_atomic_t nr_signals;

static void fake_bind(struct engine *en, unsigned index, struct engine_io *io, int fd, void *data,
		      uint32_t len)
{
	(void)en;
	(void)fd;
	(void)data;
	assert_in_range(index, 0, 63);
	io->prepared = &dev.len_of[index];
	dev.len_of[index] = len;
	if (dev.wrong_by && ++dev.nr_binds >= dev.wrong_from)
		io->offset_bytes += dev.wrong_by;
}

static int fake_submit(struct engine *en, struct engine_io *const *ios, unsigned nr)
{
	(void)en;
	assert_int_equal(nr, 1);
	assert_true(ios[0]->is_write);
	dev.io_of[dev.nr] = ios[0];
	dev.ios[dev.nr++] =
		(struct io){.offset = ios[0]->offset_bytes, .len = *(uint64_t *)ios[0]->prepared};
	return 1;
}

static int fake_reap(struct engine *en, struct engine_done *done, unsigned max, uint64_t wait_ns)
{
	(void)en;
	(void)max;
	(void)wait_ns;
	while (atomic_load(&dev.is_hung))
		clock_sleep_ns(NS_PER_MS);
	atomic_fetch_add(&dev.late_ns, dev.reap_ns);
	dev.nr_reaps++;
	for (unsigned i = dev.nr; i-- > 0;) {
		struct io *io = &dev.ios[i];

		if (io->is_done)
			continue;
		io->is_done = true;
		done->io = dev.io_of[i];
		done->res = io->offset == dev.fail_at ? dev.fail_res : (int64_t)io->len;
		return 1;
	}
	return 0;
}

static const struct engine_ops fake_ops = {
	.name = "fake", .bind = fake_bind, .submit = fake_submit, .reap = fake_reap};

int __wrap_engine_open(const char *name, unsigned depth, struct engine **out);
void __wrap_engine_close(struct engine *en);
int __wrap_target_open_worker(const struct target *t, bool for_write, struct err *e);
int __wrap_fdatasync(int fd);
uint64_t __wrap_clock_now_ns(void);
uint64_t __real_clock_now_ns(void);

int __wrap_engine_open(const char *name, unsigned depth, struct engine **out)
{
	(void)name;
	dev.base.ops = &fake_ops;
	dev.base.depth = depth;
	*out = &dev.base;
	return 0;
}

void __wrap_engine_close(struct engine *en)
{
	(void)en;
}

int __wrap_target_open_worker(const struct target *t, bool for_write, struct err *e)
{
	(void)t;
	(void)for_write;
	(void)e;
	return open("/dev/null", O_RDWR);
}

/* What is on the medium then: everything up to the first that has not completed well. */
int __wrap_fdatasync(int fd)
{
	uint64_t low = UINT64_MAX, end = 0;

	(void)fd;
	clock_sleep_ns(dev.sync_ns);
	for (unsigned i = 0; i < dev.nr; i++) {
		const struct io *io = &dev.ios[i];

		if ((!io->is_done || io->offset == dev.fail_at) && io->offset < low)
			low = io->offset;
		end = io->offset + io->len > end ? io->offset + io->len : end;
	}
	dev.synced = low < end ? low : end;
	atomic_fetch_add(&dev.nr_syncs, 1);
	errno = dev.fail_sync;
	return dev.fail_sync ? -1 : 0;
}

uint64_t __wrap_clock_now_ns(void)
{
	return __real_clock_now_ns() + atomic_load(&dev.late_ns);
}

static struct {
	uint64_t last;
	unsigned nr;
	bool is_refused;
} saved;

static int save(void *arg, uint64_t durable_bytes, struct err *e)
{
	const struct fill_config *c = arg;

	assert_true(durable_bytes > saved.last);
	assert_true(c->offset_bytes + durable_bytes <= dev.synced);
	saved.last = durable_bytes;
	saved.nr++;
	return saved.is_refused ? err_set(e, ERR_DB, "no") : 0;
}

static char name[] = "dev";
static struct target_info info = {
	.given = name, .is_block = true, .logical_block_bytes = 512, .size_bytes = 1024 * MIB};

static uint64_t drain_timeout_ns;

static int run_or_hang(uint64_t offset, uint64_t span, uint64_t from, bool *is_stuck, struct err *e)
{
	struct fill_config c = {.info = &info,
				.engine = "fake",
				.offset_bytes = offset,
				.span_bytes = span,
				.seed = 1,
				.drain_timeout_ns = drain_timeout_ns,
				.nr_signals = &nr_signals,
				.save = save};

	c.arg = &c;
	saved.last = from;
	return fill_pass(&c, from, is_stuck, e);
}

static int run(uint64_t offset, uint64_t span, uint64_t from, struct err *e)
{
	bool is_stuck;
	int rc = run_or_hang(offset, span, from, &is_stuck, e);

	assert_false(is_stuck);
	return rc;
}

static int setup(void **state)
{
	(void)state;
	memset(&dev, 0, sizeof(dev));
	memset(&saved, 0, sizeof(saved));
	dev.fail_at = UINT64_MAX;
	dev.fail_res = -EIO;
	/* So that the fill flushes in between. */
	dev.reap_ns = 3 * NS_PER_S;
	drain_timeout_ns = 3600 * NS_PER_S;
	nr_signals = 0;
	return 0;
}

/* Every byte of [first, end) once, and none elsewhere. */
static void check_covered(uint64_t first, uint64_t end)
{
	uint64_t at = first;

	for (unsigned i = 0; i < dev.nr; i++) {
		assert_int_equal(dev.ios[i].offset, at);
		assert_true(dev.ios[i].len <= MIB);
		at += dev.ios[i].len;
	}
	assert_int_equal(at, end);
}

static void test_each_block_once(void **state)
{
	(void)state;
	assert_int_equal(run(1536, 20 * MIB + 512, 0, NULL), 0);
	check_covered(1536, 1536 + 20 * MIB + 512);
	assert_int_equal(dev.nr, 21);
	assert_int_equal(saved.last, 20 * MIB + 512);
}

static void test_less_than_a_block(void **state)
{
	(void)state;
	assert_int_equal(run(4096, 512, 0, NULL), 0);
	check_covered(4096, 4608);
}

static void test_goes_on(void **state)
{
	(void)state;
	assert_int_equal(run(512, 10 * MIB, 7 * MIB, NULL), 0);
	check_covered(512 + 7 * MIB, 512 + 10 * MIB);
	assert_int_equal(saved.last, 10 * MIB);
}

static void test_error(void **state)
{
	struct err e = {0};

	(void)state;
	dev.fail_at = 512 + 9 * MIB;
	assert_int_equal(run(512, 30 * MIB, 0, &e), -1);
	assert_int_equal(e.code, ERR_IO);
	assert_string_equal(e.msg, "cannot write 'dev' at offset 9437696: Input/output error");
	/* Nothing new after it, and nothing claimed from it on. */
	assert_in_range(dev.nr, 10, 17);
	assert_int_equal(saved.last, 9 * MIB);
}

/* Whatever made the place wrong: nothing is submitted with it, and nothing after it. */
static void test_astray(void **state)
{
	const uint64_t wrong[] = {30 * MIB,	  27 * MIB + 512, 512,		 1,
				  -(uint64_t)512, -(4 * MIB),	  UINT64_MAX / 2};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct err e = {0};

		setup(state);
		dev.wrong_by = wrong[i];
		dev.wrong_from = 4;
		assert_int_equal(run(4096, 30 * MIB, 0, &e), -1);
		assert_int_equal(e.code, ERR_IO);
		assert_non_null(strstr(e.msg,
				       "is no part of the span from 4096 to 31461376; it was not "
				       "submitted, nor was anything after it"));
		check_covered(4096, 4096 + 3 * MIB);
		assert_int_equal(saved.last, 3 * MIB);
		ledger("faults", 1);
	}
}

static void test_span_beyond_target(void **state)
{
	const struct {
		uint64_t offset, span;
	} spans[] = {{0, 1024 * MIB + 512},
		     {1024 * MIB, 512},
		     {512, UINT64_MAX - 511},
		     {UINT64_MAX - 511, 1024},
		     {100, 512},
		     {0, 0},
		     {512, 700}};

	for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
		struct err e = {0};

		setup(state);
		assert_int_equal(run(spans[i].offset, spans[i].span, 0, &e), -1);
		assert_non_null(strstr(e.msg,
				       "is none of 'dev', which has 1073741824 bytes; nothing "
				       "was written"));
		assert_int_equal(dev.nr, 0);
		ledger("bad_inputs", 1);
	}
}

static void test_short_write(void **state)
{
	struct err e = {0};

	(void)state;
	dev.fail_at = 2 * MIB;
	dev.fail_res = 4096;
	assert_int_equal(run(0, 3 * MIB, 0, &e), -1);
	assert_non_null(strstr(e.msg, "at offset 2097152: Input/output error"));
	setup(state);
	dev.fail_at = 2 * MIB;
	dev.fail_res = 4096;
	info.is_block = false;
	assert_int_equal(run(0, 3 * MIB, 0, &e), -1);
	info.is_block = true;
	assert_non_null(strstr(e.msg, "no room for it: No space left on device"));
}

static void test_flush_fails(void **state)
{
	struct err e = {0};

	(void)state;
	dev.fail_sync = EIO;
	assert_int_equal(run(0, 30 * MIB, 0, &e), -1);
	assert_non_null(strstr(e.msg, "cannot flush 'dev'"));
	assert_int_equal(saved.nr, 0);
}

static void test_store_fails(void **state)
{
	struct err e = {0};

	(void)state;
	saved.is_refused = true;
	assert_int_equal(run(0, 3 * MIB, 0, &e), -1);
	assert_int_equal(e.code, ERR_DB);
}

static void test_signal(void **state)
{
	struct err e = {0};

	(void)state;
	nr_signals = 1;
	assert_int_equal(run(0, 3 * MIB, 0, &e), -1);
	assert_int_equal(e.code, ERR_INTR);
}

/* The last thing that a thread does which was given up: it still uses what the next test begins
 * anew. */
static void wait_for_sync(unsigned nr_before)
{
	for (int i = 0; i < 10000 && atomic_load(&dev.nr_syncs) == nr_before; i++)
		clock_sleep_ns(NS_PER_MS);
	assert_true(atomic_load(&dev.nr_syncs) > nr_before);
	clock_sleep_ns(50 * NS_PER_MS);
}

static void test_hang_writes_no_more(void **state)
{
	struct err e = {0};
	bool is_stuck;
	unsigned nr, nr_syncs;

	(void)state;
	dev.reap_ns = 0;
	drain_timeout_ns = NS_PER_S / 5;
	atomic_store(&dev.is_hung, true);
	assert_int_equal(run_or_hang(0, 30 * MIB, 0, &is_stuck, &e), -1);
	assert_true(is_stuck);
	assert_non_null(strstr(e.msg, "'dev' hangs: nothing has completed for 0 s"));
	nr = dev.nr;
	assert_in_range(nr, 1, 8);
	/* The thread that was given up goes on, and must not take up anything new. */
	nr_syncs = atomic_load(&dev.nr_syncs);
	atomic_store(&dev.is_hung, false);
	wait_for_sync(nr_syncs);
	assert_int_equal(dev.nr, nr);
}

static void test_long_flush(void **state)
{
	(void)state;
	dev.reap_ns = 0;
	drain_timeout_ns = NS_PER_S / 5;
	dev.sync_ns = NS_PER_S;
	assert_int_equal(run(0, 3 * MIB, 0, NULL), 0);
	assert_int_equal(saved.last, 3 * MIB);
}

static void test_endless_flush(void **state)
{
	struct err e = {0};
	bool is_stuck;

	(void)state;
	dev.reap_ns = 0;
	drain_timeout_ns = NS_PER_S / 10;
	dev.sync_ns = 2 * NS_PER_S;
	assert_int_equal(run_or_hang(0, 3 * MIB, 0, &is_stuck, &e), -1);
	assert_true(is_stuck);
	assert_string_equal(e.msg, "'dev' hangs: a flush has not ended for 1 s; this program ends "
				   "when the kernel gives the I/Os back");
	assert_int_equal(saved.nr, 0);
	wait_for_sync(0);
}

#define TEST(title, f) \
	{ \
		(title), (f), setup, NULL, NULL \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST("each byte of the span is written once, in order", test_each_block_once),
		TEST("a span below one block is written too", test_less_than_a_block),
		TEST("a fill goes on where it was told to", test_goes_on),
		TEST("an error ends it, and nothing from its offset on is claimed", test_error),
		TEST("a part of a block is an error: room on a file, else the device",
		     test_short_write),
		TEST("a place outside the span or across blocks is never submitted, and is told",
		     test_astray),
		TEST("a span that is not on the target is not begun", test_span_beyond_target),
		TEST("without a flush nothing is claimed", test_flush_fails),
		TEST("a store that fails ends it", test_store_fails),
		TEST("a signal ends it", test_signal),
		TEST("given up, it writes nothing when the device answers again",
		     test_hang_writes_no_more),
		TEST("a flush that takes longer than an I/O may is no hang", test_long_flush),
		TEST("a flush that does not end is a hang", test_endless_flush),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
