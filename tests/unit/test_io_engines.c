/* SPDX-License-Identifier: MIT */
/*
 * The engines on a small file, and against kernels that refuse, interrupt and take less than they
 * were given.
 * WRAP: io_setup syscall io_getevents io_uring_submit
 */
#include "io/engine.h"

#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <libaio.h>
#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BS	4096
#define BLOCKS	64
#define DEPTH	8
#define WAIT_NS 5000000000U

/* What the wrapped calls do instead, and what was seen of them. */
static struct {
	int setup_error, submit_error, getevents_error; /* -errno; 0 for the real call */
	long take_at_most;				/* of one submit; 0 for all */
	bool hide_ring; /* give the engine a context whose ring is of no known layout */
	unsigned nr_getevents;
} fake;

int __real_io_setup(int maxevents, io_context_t *ctx);
long __real_syscall(long number, ...);
int __real_io_getevents(io_context_t ctx, long min_nr, long nr, struct io_event *events,
			struct timespec *timeout);
int __wrap_io_setup(int maxevents, io_context_t *ctx);
long __wrap_syscall(long number, ...);
int __wrap_io_getevents(io_context_t ctx, long min_nr, long nr, struct io_event *events,
			struct timespec *timeout);

/* The word of the ring that says how it is laid out; the kernel itself does not look at it. */
static unsigned *incompat_features(io_context_t ctx)
{
	return (unsigned *)(void *)ctx + 6;
}

int __wrap_io_setup(int maxevents, io_context_t *ctx)
{
	int rc = fake.setup_error ? fake.setup_error : __real_io_setup(maxevents, ctx);

	if (!rc && fake.hide_ring)
		*incompat_features(*ctx) = 1;
	return rc;
}

/* io_submit is the only one that the engine calls by its number. */
long __wrap_syscall(long number, ...)
{
	struct iocb **cbs;
	io_context_t ctx;
	va_list ap;
	long nr;

	assert_int_equal(number, SYS_io_submit);
	va_start(ap, number);
	ctx = va_arg(ap, io_context_t);
	nr = va_arg(ap, long);
	cbs = va_arg(ap, struct iocb **);
	va_end(ap);
	if (fake.submit_error) {
		errno = -fake.submit_error;
		return -1;
	}
	if (fake.take_at_most && nr > fake.take_at_most)
		nr = fake.take_at_most;
	return __real_syscall(number, ctx, nr, cbs);
}

int __wrap_io_getevents(io_context_t ctx, long min_nr, long nr, struct io_event *events,
			struct timespec *timeout)
{
	fake.nr_getevents++;
	if (fake.getevents_error)
		return fake.getevents_error;
	return __real_io_getevents(ctx, min_nr, nr, events, timeout);
}

int __real_io_uring_submit(struct io_uring *ring);
int __wrap_io_uring_submit(struct io_uring *ring);

int __wrap_io_uring_submit(struct io_uring *ring)
{
	return fake.submit_error ? fake.submit_error : __real_io_uring_submit(ring);
}

struct bench {
	const char *name;
	struct engine *engine;
	unsigned char *data; /* one block a slot */
	struct engine_io ios[DEPTH];
	char path[64];
	int fd;
};

static void fill_block(unsigned char *data, unsigned block)
{
	for (unsigned i = 0; i < BS; i++)
		data[i] = (unsigned char)(block * 31 + i % 251);
}

static int set_up(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));
	unsigned char block[BS];

	assert_non_null(b);
	memset(&fake, 0, sizeof(fake));
	b->name = "libaio";
	strcpy(b->path, "/tmp/lunsweep-aio-XXXXXX");
	b->fd = mkstemp(b->path);
	assert_true(b->fd >= 0);
	for (unsigned i = 0; i < BLOCKS; i++) {
		fill_block(block, i);
		assert_int_equal(write(b->fd, block, BS), BS);
	}
	assert_int_equal(posix_memalign((void **)&b->data, BS, DEPTH * BS), 0);
	*state = b;
	return 0;
}

static int set_up_uring(void **state)
{
	int rc = set_up(state);

	((struct bench *)*state)->name = "io_uring";
	return rc;
}

static int tear_down(void **state)
{
	struct bench *b = *state;

	engine_close(b->engine);
	free(b->data);
	(void)close(b->fd);
	(void)unlink(b->path);
	free(b);
	return 0;
}

static void open_engine(struct bench *b)
{
	assert_int_equal(engine_open(b->name, DEPTH, &b->engine), 0);
	assert_int_equal(b->engine->depth, DEPTH);
}

static unsigned char *data_of(struct bench *b, uint32_t slot)
{
	return b->data + slot * BS;
}

/* The I/O of that slot, for block. */
static struct engine_io *io_of(struct bench *b, uint32_t slot, unsigned block, bool is_write)
{
	struct engine_io *io = &b->ios[slot];

	engine_bind(b->engine, slot, io, b->fd, data_of(b, slot), BS);
	io->offset_bytes = (uint64_t)block * BS;
	io->is_write = is_write;
	return io;
}

static struct engine_io *read_of(struct bench *b, uint32_t slot, unsigned block)
{
	return io_of(b, slot, block, false);
}

/* Reap nr completions, each slot once and with res. */
static void reap_all(struct bench *b, unsigned nr, int64_t res)
{
	struct engine_done done[DEPTH];
	bool seen[DEPTH] = {false};
	unsigned n = 0;

	while (n < nr) {
		int got = engine_reap(b->engine, done, DEPTH, WAIT_NS);

		assert_true(got > 0);
		for (int i = 0; i < got; i++) {
			size_t slot = (size_t)(done[i].io - b->ios);

			assert_true(slot < DEPTH);
			assert_false(seen[slot]);
			assert_int_equal(done[i].res, res);
			seen[slot] = true;
		}
		n += (unsigned)got;
	}
	assert_int_equal(n, nr);
}

/* Read blocks first .. first + DEPTH - 1, the slots in reverse order, and compare. */
static void read_and_compare(struct bench *b, unsigned first)
{
	struct engine_io *ios[DEPTH];
	unsigned char want[BS];

	for (uint32_t i = 0; i < DEPTH; i++)
		ios[i] = read_of(b, DEPTH - 1 - i, first + DEPTH - 1 - i);
	assert_int_equal(engine_submit(b->engine, ios, DEPTH), DEPTH);
	reap_all(b, DEPTH, BS);
	for (unsigned i = 0; i < DEPTH; i++) {
		fill_block(want, first + i);
		assert_memory_equal(data_of(b, i), want, BS);
	}
}

static void reads_what_the_file_holds(void **state)
{
	struct bench *b = *state;

	open_engine(b);
	for (unsigned first = 0; first < BLOCKS; first += DEPTH)
		read_and_compare(b, first);
}

static void writes_what_it_is_given(void **state)
{
	struct bench *b = *state;
	unsigned char got[BS];
	uint32_t slot = 3;
	struct engine_io *io;

	open_engine(b);
	fill_block(data_of(b, slot), 200);
	io = io_of(b, slot, 5, true);
	assert_int_equal(engine_submit(b->engine, &io, 1), 1);
	reap_all(b, 1, BS);
	assert_int_equal(pread(b->fd, got, BS, 5 * BS), BS);
	assert_memory_equal(got, data_of(b, slot), BS);
	assert_int_equal(pread(b->fd, got, BS, 6 * BS), BS);
	assert_int_equal(got[1], (6 * 31 + 1) % 256);
}

static void ring_and_system_call_give_the_same(void **state)
{
	struct bench *b = *state;
	unsigned with_ring;

	open_engine(b);
	read_and_compare(b, 8);
	with_ring = fake.nr_getevents;
	engine_close(b->engine);
	fake.hide_ring = true;
	fake.nr_getevents = 0;
	open_engine(b);
	read_and_compare(b, 8);
	/* A buffered read is complete when io_submit returns: the ring has it without a call. */
	assert_int_equal(with_ring, 0);
	assert_true(fake.nr_getevents > 0);
}

static void ring_wraps_around(void **state)
{
	struct bench *b = *state;

	open_engine(b);
	/* The kernel makes the ring larger than asked for, but not by 5000 entries. */
	for (unsigned i = 0; i < 1000; i++)
		read_and_compare(b, i % (BLOCKS - DEPTH));
	assert_int_equal(fake.nr_getevents, 0);
}

static void reap_takes_no_more_than_asked(void **state)
{
	struct bench *b = *state;
	struct engine_io *ios[5];
	struct engine_done done[DEPTH];

	open_engine(b);
	for (uint32_t i = 0; i < 5; i++)
		ios[i] = read_of(b, i, i);
	assert_int_equal(engine_submit(b->engine, ios, 5), 5);
	assert_int_equal(engine_reap(b->engine, done, 3, WAIT_NS), 3);
	assert_int_equal(engine_reap(b->engine, done, 3, WAIT_NS), 2);
	assert_int_equal(engine_reap(b->engine, done, 3, 0), 0);
}

/* Also where the ring begins anew. */
static void ready_says_what_a_reap_would_find(void **state)
{
	struct bench *b = *state;
	struct engine_done done[DEPTH];
	struct engine_io *ios[3];

	open_engine(b);
	assert_int_equal(engine_ready(b->engine), 0);
	for (unsigned i = 0; i < 1000; i++) {
		for (uint32_t k = 0; k < 3; k++)
			ios[k] = read_of(b, k, k);
		assert_int_equal(engine_submit(b->engine, ios, 3), 3);
		assert_int_equal(engine_ready(b->engine), 3);
		assert_int_equal(engine_reap(b->engine, done, 1, 0), 1);
		assert_int_equal(engine_ready(b->engine), 2);
		assert_int_equal(engine_reap(b->engine, done, DEPTH, 0), 2);
		assert_int_equal(engine_ready(b->engine), 0);
	}
}

static void reap_waits_no_longer_than_asked(void **state)
{
	struct bench *b = *state;
	struct engine_done done;

	open_engine(b);
	assert_int_equal(engine_reap(b->engine, &done, 1, 1000000), 0);
	assert_int_equal(fake.nr_getevents, 1);
	/* Without a wait there is no reason for a system call. */
	assert_int_equal(engine_reap(b->engine, &done, 1, 0), 0);
	assert_int_equal(fake.nr_getevents, 1);
}

static void a_full_aio_limit_is_told(void **state)
{
	struct bench *b = *state;

	fake.setup_error = -EAGAIN;
	assert_int_equal(engine_open("libaio", DEPTH, &b->engine), -EAGAIN);
	assert_null(b->engine);
}

static void an_interrupted_wait_reaps_nothing(void **state)
{
	struct bench *b = *state;
	struct engine_done done;

	open_engine(b);
	fake.getevents_error = -EINTR;
	assert_int_equal(engine_reap(b->engine, &done, 1, WAIT_NS), 0);
	fake.getevents_error = -EINVAL;
	assert_int_equal(engine_reap(b->engine, &done, 1, WAIT_NS), -EINVAL);
}

static void a_partial_submit_says_how_many(void **state)
{
	struct bench *b = *state;
	struct engine_io *ios[4];

	open_engine(b);
	for (unsigned i = 0; i < 4; i++)
		ios[i] = read_of(b, 4 + i, i);
	fake.take_at_most = 3;
	assert_int_equal(engine_submit(b->engine, ios, 4), 3);
	reap_all(b, 3, BS);
	assert_int_equal(engine_submit(b->engine, ios + 3, 1), 1);
	reap_all(b, 1, BS);
}

static void no_room_takes_none_and_an_error_is_told(void **state)
{
	struct bench *b = *state;
	struct engine_io *io;

	open_engine(b);
	io = read_of(b, 0, 0);
	fake.submit_error = -EAGAIN;
	assert_int_equal(engine_submit(b->engine, &io, 1), 0);
	fake.submit_error = -EINTR;
	assert_int_equal(engine_submit(b->engine, &io, 1), 0);
	fake.submit_error = 0;
	engine_bind(b->engine, 0, io, -1, data_of(b, 0), BS);
	assert_int_equal(engine_submit(b->engine, &io, 1), -EBADF);
}

static void a_short_read_has_its_length_as_result(void **state)
{
	struct bench *b = *state;
	struct engine_io *ios[2];
	struct engine_done done[2];

	open_engine(b);
	assert_int_equal(ftruncate(b->fd, BLOCKS * BS - 1024), 0);
	ios[0] = read_of(b, 0, BLOCKS - 1);
	ios[1] = read_of(b, 1, BLOCKS);
	assert_int_equal(engine_submit(b->engine, ios, 2), 2);
	assert_int_equal(engine_reap(b->engine, done, 2, WAIT_NS), 2);
	assert_int_equal(done[0].res, BS - 1024);
	assert_int_equal(done[1].res, 0);
}

static void errors_of_the_device_are_negative(void **state)
{
	struct bench *b = *state;
	struct engine_done done;
	uint32_t slot = 2;
	struct engine_io *io = &b->ios[slot];

	open_engine(b);
	/* Memory that is not there. */
	engine_bind(b->engine, slot, io, b->fd, NULL, BS);
	assert_int_equal(engine_submit(b->engine, &io, 1), 1);
	assert_int_equal(engine_reap(b->engine, &done, 1, WAIT_NS), 1);
	assert_ptr_equal(done.io, io);
	assert_int_equal(done.res, -EFAULT);
}

/* Some hosts forbid it: sysctl kernel.io_uring_disabled, seccomp. */
static bool has_uring(void)
{
	struct engine *engine;

	if (engine_open("io_uring", 1, &engine))
		return false;
	engine_close(engine);
	return true;
}

static void uring_reads_what_the_file_holds(void **state)
{
	if (!has_uring())
		skip();
	reads_what_the_file_holds(state);
}

static void uring_writes_what_it_is_given(void **state)
{
	if (!has_uring())
		skip();
	writes_what_it_is_given(state);
}

static void uring_ready_says_what_a_reap_would_find(void **state)
{
	if (!has_uring())
		skip();
	ready_says_what_a_reap_would_find(state);
}

static void uring_waits_no_longer_than_asked(void **state)
{
	struct bench *b = *state;
	struct engine_done done;

	if (!has_uring())
		skip();
	open_engine(b);
	assert_int_equal(engine_reap(b->engine, &done, 1, 1000000), 0);
	assert_int_equal(engine_reap(b->engine, &done, 1, 0), 0);
}

/* What the kernel refused is not done by the next submit on its own: it would be done twice. */
static void uring_forgets_what_was_not_taken(void **state)
{
	struct bench *b = *state;
	struct engine_io *ios[3];
	struct engine_done done;

	if (!has_uring())
		skip();
	open_engine(b);
	for (uint32_t i = 0; i < 3; i++)
		ios[i] = read_of(b, i, i);
	for (int i = 0; i < 3 * DEPTH; i++) {
		fake.submit_error = i % 2 ? -EAGAIN : -EBUSY;
		assert_int_equal(engine_submit(b->engine, ios, 3), 0);
	}
	fake.submit_error = -EBADR;
	assert_int_equal(engine_submit(b->engine, ios, 3), -EBADR);
	fake.submit_error = 0;
	assert_int_equal(engine_submit(b->engine, ios, 2), 2);
	reap_all(b, 2, BS);
	assert_int_equal(engine_reap(b->engine, &done, 1, 10000000), 0);
	read_and_compare(b, 8);
}

static void uring_tells_short_reads_and_errors(void **state)
{
	struct bench *b = *state;
	struct engine_io *io;
	struct engine_done done;

	if (!has_uring())
		skip();
	open_engine(b);
	assert_int_equal(ftruncate(b->fd, BLOCKS * BS - 1024), 0);
	io = read_of(b, 0, BLOCKS - 1);
	assert_int_equal(engine_submit(b->engine, &io, 1), 1);
	assert_int_equal(engine_reap(b->engine, &done, 1, WAIT_NS), 1);
	assert_int_equal(done.res, BS - 1024);
	engine_bind(b->engine, 1, &b->ios[1], b->fd, NULL, BS);
	io = &b->ios[1];
	assert_int_equal(engine_submit(b->engine, &io, 1), 1);
	assert_int_equal(engine_reap(b->engine, &done, 1, WAIT_NS), 1);
	assert_ptr_equal(done.io, io);
	assert_int_equal(done.res, -EFAULT);
}

#define uring_test(title, function) \
	{ \
		"io_uring: " title, (function), set_up_uring, tear_down, NULL \
	}

#define aio_test(title, function) \
	{ \
		(title), (function), set_up, tear_down, NULL \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		aio_test("reads return what the file holds, in the slot asked for",
			 reads_what_the_file_holds),
		aio_test("writes put what they are given at their place only",
			 writes_what_it_is_given),
		aio_test("completions of the ring and of io_getevents are the same",
			 ring_and_system_call_give_the_same),
		aio_test("the ring goes round many times without a system call", ring_wraps_around),
		aio_test("a reap takes no more than it was asked for",
			 reap_takes_no_more_than_asked),
		aio_test("what is ready is what a reap would find",
			 ready_says_what_a_reap_would_find),
		aio_test("a reap waits only when asked to, and comes back",
			 reap_waits_no_longer_than_asked),
		aio_test("a full AIO limit of the host is told as EAGAIN",
			 a_full_aio_limit_is_told),
		aio_test("an interrupted wait reaps nothing, other errors are told",
			 an_interrupted_wait_reaps_nothing),
		aio_test("a partial submit says how many were taken",
			 a_partial_submit_says_how_many),
		aio_test("no room takes none, and a submit that never can is an error",
			 no_room_takes_none_and_an_error_is_told),
		aio_test("a short read has its length as result",
			 a_short_read_has_its_length_as_result),
		aio_test("an I/O that fails has the negative errno as result",
			 errors_of_the_device_are_negative),
		uring_test("reads return what the file holds", uring_reads_what_the_file_holds),
		uring_test("writes put what they are given at their place only",
			   uring_writes_what_it_is_given),
		uring_test("what is ready is what a reap would find",
			   uring_ready_says_what_a_reap_would_find),
		uring_test("a reap waits only when asked to, and comes back",
			   uring_waits_no_longer_than_asked),
		uring_test("what was not taken is not done later",
			   uring_forgets_what_was_not_taken),
		uring_test("short reads and errors are told", uring_tells_short_reads_and_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
