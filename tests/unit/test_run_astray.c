/* SPDX-License-Identifier: MIT */
/*
 * What the user is told when a point would have left its span, from the pattern to the reason that is
 * stored.
 *
 * WRAP: pattern_init engine_open engine_close target_open_worker target_find_unwritten
 */
#include "run/runner.h"

#include "base/clock.h"
#include "io/engine.h"
#include "run/pattern.h"
#include "unit.h"

#include "ledger.h"
#include "target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define SPAN  ((uint64_t)1 << 20)
#define WRONG ((uint64_t)1 << 40)

static struct engine engines[2];
static unsigned nr_opened, nr_submits;
static bool is_spoiled;

void __real_pattern_init(struct pattern *p, const struct point_spec *spec, unsigned worker,
			 uint64_t seed);
void __wrap_pattern_init(struct pattern *p, const struct point_spec *spec, unsigned worker,
			 uint64_t seed);
int __wrap_engine_open(const char *name, unsigned depth, struct engine **out);
void __wrap_engine_close(struct engine *en);
int __wrap_target_open_worker(const struct target *t, bool for_write, struct err *e);
void __wrap_target_find_unwritten(const struct target_info *info, uint64_t offset, uint64_t len,
				  struct target_extents *found);

void __wrap_pattern_init(struct pattern *p, const struct point_spec *spec, unsigned worker,
			 uint64_t seed)
{
	__real_pattern_init(p, spec, worker, seed);
	if (!is_spoiled)
		return;
	p->slice = WRONG / p->bs_bytes;
	p->slice_blocks = 1;
	p->next[DIR_READ] = p->next[DIR_WRITE] = 0;
}

static void null_bind(struct engine *en, unsigned index, struct engine_io *io, int fd, void *data,
		      uint32_t len)
{
	(void)en;
	(void)index;
	(void)io;
	(void)fd;
	(void)data;
	(void)len;
}

static int null_submit(struct engine *en, struct engine_io *const *ios, unsigned nr)
{
	(void)en;
	(void)ios;
	(void)nr;
	nr_submits++;
	return 0;
}

static int null_reap(struct engine *en, struct engine_done *done, unsigned max, uint64_t wait_ns)
{
	(void)en;
	(void)done;
	(void)max;
	clock_sleep_ns(wait_ns);
	return 0;
}

static const struct engine_ops null_ops = {
	.name = "null", .bind = null_bind, .submit = null_submit, .reap = null_reap};

int __wrap_engine_open(const char *name, unsigned depth, struct engine **out)
{
	struct engine *en = &engines[nr_opened++ % 2];

	(void)name;
	*en = (struct engine){.ops = &null_ops, .depth = depth};
	*out = en;
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
	return open("/dev/null", O_RDWR | O_CLOEXEC);
}

void __wrap_target_find_unwritten(const struct target_info *info, uint64_t offset, uint64_t len,
				  struct target_extents *found)
{
	(void)info;
	(void)offset;
	(void)len;
	found->is_known = true;
}

static char given[] = "dev";

static void measure(const struct point_spec *spec, struct measurement *m)
{
	static volatile sig_atomic_t nr_signals;
	struct target_info info = {.given = given,
				   .is_block = true,
				   .size_bytes = 64 * SPAN,
				   .logical_block_bytes = 4096};
	const struct runner_config cfg = {.info = &info,
					  .engine = "null",
					  .seed = 1,
					  .runtime_ns = 20 * NS_PER_MS,
					  .drain_timeout_ns = NS_PER_S,
					  .max_depth_per_worker = 8,
					  .max_workers = 2,
					  .nr_signals = &nr_signals};
	struct runner *r = runner_new(&cfg);

	nr_submits = 0;
	measurement_init(m, spec);
	runner_measure(r, spec, 1, m);
	assert_false(runner_is_stuck(r));
	runner_free(r);
}

static struct point_spec writes(uint64_t offset, uint64_t span)
{
	return (struct point_spec){.rw = RW_WRITE,
				   .iodepth = 4,
				   .workers = 2,
				   .bs_bytes = 4096,
				   .span_bytes = span,
				   .offset_bytes = offset,
				   .repeat = 1};
}

static void a_point_that_would_leave_its_span_fails_with_the_place(void **state)
{
	struct point_spec spec = writes(SPAN, SPAN);
	struct measurement m;

	(void)state;
	is_spoiled = true;
	measure(&spec, &m);
	assert_int_equal(m.status, POINT_FAILED);
	assert_int_equal(m.err_errno, ERANGE);
	assert_int_equal(m.err_offset, SPAN + WRONG);
	assert_string_equal(
		m.reason, "a mistake in this program: an I/O of 4096 bytes at offset 1099512676352 "
			  "is no block of the span from 1048576 to 2097152; it was not submitted, "
			  "nor was anything after it; please report this");
	assert_int_equal(nr_submits, 0);
	ledger("faults", 1);
	measurement_release(&m);
	/* The same without the mistake does submit. */
	is_spoiled = false;
	measure(&spec, &m);
	assert_int_equal(m.status, POINT_NO_IO);
	assert_true(nr_submits > 0);
	measurement_release(&m);
}

static void a_span_that_is_not_on_the_target_is_not_begun(void **state)
{
	const struct point_spec wrong[] = {
		writes(0, 64 * SPAN + 4096),
		writes(64 * SPAN, 4096),
		writes(4096, UINT64_MAX - 4095),
		writes(UINT64_MAX - 4095, 8192),
		writes(512, SPAN),
		writes(0, SPAN + 512),
		writes(63 * SPAN + 4096, SPAN),
	};

	(void)state;
	is_spoiled = false;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct measurement m;

		measure(&wrong[i], &m);
		assert_int_equal(m.status, POINT_FAILED);
		assert_int_equal(m.err_errno, ERANGE);
		assert_non_null(strstr(m.reason,
				       "is none of 'dev', which has 67108864 bytes; nothing "
				       "was submitted"));
		assert_int_equal(nr_submits, 0);
		ledger("bad_inputs", 1);
		measurement_release(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("O-05: a point that would leave its span fails with the place",
			    a_point_that_would_leave_its_span_fails_with_the_place),
		titled_test("O-05: a span that is not on the target is not begun",
			    a_span_that_is_not_on_the_target_is_not_begun),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
