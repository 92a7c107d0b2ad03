/* SPDX-License-Identifier: MIT */
/*
 * The load loop under an offered load, against servers of known service time in virtual time: the
 * clock stands still but for what is told to take time, so that queueing theory holds to the
 * microsecond on any machine.
 *
 * WRAP: clock_now_ns clock_sleep_ns
 */
#include "run/load.h"

#include "base/clock.h"
#include "base/mem.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#define BS	    4096
#define MAX_DEPTH   256
#define MAX_SERVERS 16
#define SEED	    42
/* A call of the clock: looking at the ring takes time, or a loop that waits for an instant would
 * wait for ever. */
#define LOOK_NS 400
/* A truth may be missed by a few looks. */
#define CLOSE_US 2.0

uint64_t __wrap_clock_now_ns(void);
void __wrap_clock_sleep_ns(uint64_t dur_ns);

static uint64_t virtual_ns;

uint64_t __wrap_clock_now_ns(void)
{
	virtual_ns += LOOK_NS;
	return virtual_ns;
}

void __wrap_clock_sleep_ns(uint64_t dur_ns)
{
	virtual_ns += dur_ns;
}

/* Servers of a constant service time behind one queue; nothing completes in a stall. */
struct array {
	struct engine base;
	unsigned nr_servers;
	uint64_t svc_ns, stall_from_ns, stall_to_ns;
	unsigned take_at_most; /* of one submit; 0 for all */
	unsigned refuse_every; /* every n-th submit takes nothing */
	uint64_t free_ns[MAX_SERVERS];
	struct {
		struct engine_io *io;
		uint64_t done_ns;
	} queue[MAX_DEPTH]; /* in the order of completion, which is that of arrival */
	unsigned head, nr, max_in_flight;
	uint64_t nr_submits, nr_submitted, first_submit_ns;
	uint64_t nr_early; /* submitted in the first ms */
};

static struct array *to_array(struct engine *en)
{
	return (struct array *)(void *)en;
}

static void array_bind(struct engine *en, unsigned index, struct engine_io *io, int fd, void *data,
		       uint32_t len)
{
	(void)en;
	(void)index;
	(void)fd;
	(void)data;
	assert_int_equal(len, BS);
	(void)io;
}

static uint64_t serve(struct array *a)
{
	uint64_t *server = &a->free_ns[0], start;

	for (unsigned i = 1; i < a->nr_servers; i++)
		server = a->free_ns[i] < *server ? &a->free_ns[i] : server;
	start = *server > virtual_ns ? *server : virtual_ns;
	*server = start + a->svc_ns;
	if (*server > a->stall_from_ns && *server < a->stall_to_ns)
		*server = a->stall_to_ns;
	return *server;
}

static int array_submit(struct engine *en, struct engine_io *const *ios, unsigned nr)
{
	struct array *a = to_array(en);

	if (a->refuse_every && ++a->nr_submits % a->refuse_every == 0)
		return 0;
	if (a->take_at_most && nr > a->take_at_most)
		nr = a->take_at_most;
	if (!a->nr_submitted)
		a->first_submit_ns = virtual_ns;
	for (unsigned i = 0; i < nr; i++) {
		unsigned at = (a->head + a->nr++) % MAX_DEPTH;

		a->queue[at].io = ios[i];
		a->queue[at].done_ns = serve(a);
	}
	a->nr_submitted += nr;
	a->nr_early += virtual_ns < a->first_submit_ns + NS_PER_MS ? nr : 0;
	a->max_in_flight = a->nr > a->max_in_flight ? a->nr : a->max_in_flight;
	return (int)nr;
}

static int array_reap(struct engine *en, struct engine_done *done, unsigned max, uint64_t wait_ns)
{
	struct array *a = to_array(en);
	uint64_t until = virtual_ns + wait_ns;
	unsigned n = 0;

	if (!a->nr || a->queue[a->head].done_ns > until)
		virtual_ns = until;
	else if (a->queue[a->head].done_ns > virtual_ns)
		virtual_ns = a->queue[a->head].done_ns;
	for (; n < max && a->nr && a->queue[a->head].done_ns <= virtual_ns; n++) {
		done[n] = (struct engine_done){a->queue[a->head].io, BS};
		a->head = (a->head + 1) % MAX_DEPTH;
		a->nr--;
	}
	return (int)n;
}

static const struct engine_ops array_ops = {
	.name = "array", .bind = array_bind, .submit = array_submit, .reap = array_reap};

struct bench {
	struct array array;
	struct load_control control;
	struct load_worker worker;
	struct point_spec spec;
	unsigned char *buffers, *random;
	double rate;
	enum arrivals arrivals;
	unsigned depth;
	uint64_t ramp_ms, window_ms, late_ms;
};

static void start(struct bench *b)
{
	uint64_t ramp_ms = b->ramp_ms ? b->ramp_ms : 1000;

	virtual_ns = 1000 * NS_PER_S;
	b->array.base.ops = &array_ops;
	b->spec = (struct point_spec){.rw = RW_RANDREAD,
				      .iodepth = b->depth ? b->depth : MAX_DEPTH,
				      .workers = 1,
				      .rwmixread_pct = 100,
				      .random_pct = 100,
				      .bs_bytes = BS,
				      .span_bytes = 100 * BS,
				      .repeat = 1};
	b->buffers = xcalloc(b->spec.iodepth, BS);
	b->random = xcalloc(1, 1 << 20);
	b->control.give_up_ns = UINT64_MAX;
	b->control.drain_timeout_ns = 60 * NS_PER_S;
	b->control.interval_ns = 100 * NS_PER_MS;
	b->control.max_intervals = b->window_ms / 100 + 1;
	b->control.rate_iops = b->rate;
	b->control.arrivals = b->arrivals;
	b->control.begin_ns = virtual_ns;
	b->control.window_start_ns = virtual_ns + ramp_ms * NS_PER_MS;
	b->control.window_end_ns = b->control.window_start_ns + b->window_ms * NS_PER_MS;
	assert_int_equal(load_worker_init(&b->worker, &b->control, &b->spec, 0, &b->array.base, -1,
					  b->buffers, b->random, 1 << 20, SEED),
			 0);
	virtual_ns += b->late_ms * NS_PER_MS;
	load_worker_run(&b->worker);
	assert_int_equal(b->worker.err_errno, 0);
	assert_false(b->worker.is_stuck);
}

static void finish(struct bench *b)
{
	load_worker_release(&b->worker);
	free(b->buffers);
	free(b->random);
}

static const struct hist *lat(const struct bench *b)
{
	return b->worker.lat[DIR_READ];
}

static double mean_us(const struct bench *b)
{
	return hist_mean(lat(b)) / 1000;
}

/* D9, over what was in flight. */
static void assert_little(const struct bench *b)
{
	const struct load_worker *w = &b->worker;
	double sum = (double)w->open->service_ns - (double)w->age_start_ns + (double)w->age_end_ns;

	assert_close(sum, (double)w->area_ns, 1e-9);
}

/* The mean response time of what completes inside the window, by the recursion of Kiefer and
 * Wolfowitz over the same intended starts. */
static double theory_us(const struct bench *b)
{
	uint64_t free_ns[MAX_SERVERS] = {0}, begin = b->control.window_start_ns;
	struct arrival a;
	double sum = 0, nr = 0;

	arrival_init(&a, b->arrivals, b->rate, 1, 0, SEED, b->control.begin_ns);
	for (; a.next_ns < b->control.window_end_ns; arrival_advance(&a)) {
		uint64_t *server = &free_ns[0];

		for (unsigned i = 1; i < b->array.nr_servers; i++)
			server = free_ns[i] < *server ? &free_ns[i] : server;
		*server = (*server > a.next_ns ? *server : a.next_ns) + b->array.svc_ns;
		if (*server <= begin || *server > b->control.window_end_ns)
			continue;
		sum += (double)(*server - a.next_ns);
		nr++;
	}
	return sum / nr / 1000;
}

static void test_d_d_c(void **state)
{
	static const double loads[] = {0.1, 0.5, 0.9, 0.99};

	(void)state;
	for (size_t i = 0; i < NR(loads); i++) {
		struct bench b = {.array = {.nr_servers = 4, .svc_ns = 2 * NS_PER_MS},
				  .rate = 2000 * loads[i],
				  .arrivals = ARRIVALS_CONSTANT,
				  .window_ms = 20000};

		start(&b);
		assert_within(mean_us(&b), 2000, CLOSE_US);
		assert_within((double)lat(&b)->max / 1000, 2000, CLOSE_US);
		assert_within((double)lat(&b)->count, b.rate * 20, 1);
		assert_within((double)b.worker.open->nr_arrivals, b.rate * 20, 1);
		assert_true(b.worker.open->nr_backlog <= 1);
		assert_true(b.worker.open->late.max < 2000);
		assert_little(&b);
		finish(&b);
	}
}

/* Pollaczek and Khinchine: the mean wait is rho x service / 2 (1 - rho). */
static void test_m_d_1(void **state)
{
	static const struct {
		double rho, tolerance;
	} m[] = {{0.3, 0.02}, {0.6, 0.02}, {0.8, 0.03}, {0.9, 0.08}};

	(void)state;
	for (size_t i = 0; i < NR(m); i++) {
		struct bench b = {.array = {.nr_servers = 1, .svc_ns = NS_PER_MS},
				  .rate = 1000 * m[i].rho,
				  .window_ms = 400000};

		start(&b);
		assert_close(mean_us(&b) - 1000, m[i].rho * 1000 / (2 * (1 - m[i].rho)),
			     m[i].tolerance);
		assert_within(mean_us(&b), theory_us(&b), CLOSE_US);
		assert_close((double)lat(&b)->count / 400, b.rate, 0.01);
		assert_little(&b);
		finish(&b);
	}
}

static void test_m_d_c(void **state)
{
	static const unsigned servers[] = {2, 4, 8, 16};

	(void)state;
	for (size_t i = 0; i < NR(servers); i++) {
		struct bench b = {.array = {.nr_servers = servers[i], .svc_ns = 2 * NS_PER_MS},
				  .rate = 500.0 * servers[i] * 0.9,
				  .window_ms = 50000};

		start(&b);
		assert_true(theory_us(&b) > 2050);
		assert_within(mean_us(&b), theory_us(&b), CLOSE_US);
		assert_little(&b);
		finish(&b);
	}
}

/* Half again of what 4 servers do: a third of what is due stays behind, and what is measured is the
 * age of a queue that grows. */
static void test_overload(void **state)
{
	struct bench b = {.array = {.nr_servers = 4, .svc_ns = 2 * NS_PER_MS},
			  .rate = 3000,
			  .arrivals = ARRIVALS_CONSTANT,
			  .depth = 64,
			  .window_ms = 9000};
	const struct load_open *o;

	(void)state;
	start(&b);
	o = b.worker.open;
	assert_int_equal(b.array.max_in_flight, 64);
	assert_close((double)lat(&b)->count, 2000 * 9, 0.001);
	assert_int_equal(o->nr_arrivals, 3000 * 9);
	/* A second of ramp and 9 of window: in the array, or left. */
	assert_within((double)o->nr_backlog, 10 * 1000 - 64, 8);
	/* At t behind the beginning an I/O completes that was due at 2/3 t. */
	assert_close(hist_mean(lat(&b)) / 1e9, 5.5 / 3, 0.001);
	assert_close((double)lat(&b)->max / 1e9, 10.0 / 3, 0.001);
	/* That it waited for the limit is no lateness of the host. */
	assert_true(o->late.max < 2000);
	assert_close((double)b.worker.area_ns / 9e9, 64, 0.001);
	assert_little(&b);
	finish(&b);
}

/* 200 ms without a completion in 10 s. What was due x behind the beginning of the stall waits for its
 * end, and then x / 4 for what was due before it, since 8 servers do 4 I/Os a ms: so one in a
 * hundred took 200 - 0.75 x 100 + 2 ms or more. A closed loop of depth 1 has one I/O that saw the
 * stall, of 5000. */
static void test_coordinated_omission(void **state)
{
	struct bench b = {.array = {.nr_servers = 8, .svc_ns = 2 * NS_PER_MS},
			  .rate = 1000,
			  .arrivals = ARRIVALS_CONSTANT,
			  .window_ms = 10000};
	struct bench closed = b;

	(void)state;
	b.array.stall_from_ns = closed.array.stall_from_ns = 1005 * NS_PER_S;
	b.array.stall_to_ns = closed.array.stall_to_ns = 1005 * NS_PER_S + 200 * NS_PER_MS;
	closed.rate = 0;
	closed.depth = 1;
	start(&b);
	assert_close(hist_quantile(lat(&b), 0.99) / 1e6, 127, 0.02);
	assert_within((double)lat(&b)->count, 10000, 20);
	finish(&b);
	start(&closed);
	assert_close(hist_quantile(lat(&closed), 0.99) / 1e6, 2, 0.01);
	assert_true(lat(&closed)->max > 190 * NS_PER_MS);
	finish(&closed);
}

/* The same stall that the limit of I/Os in flight hides from the device. */
static void test_limit_hides_nothing(void **state)
{
	struct bench b = {.array = {.nr_servers = 8,
				    .svc_ns = 2 * NS_PER_MS,
				    .stall_from_ns = 1005 * NS_PER_S,
				    .stall_to_ns = 1005 * NS_PER_S + 200 * NS_PER_MS},
			  .rate = 1000,
			  .arrivals = ARRIVALS_CONSTANT,
			  .depth = 8,
			  .window_ms = 10000};

	(void)state;
	start(&b);
	assert_int_equal(b.array.max_in_flight, 8);
	assert_true(hist_quantile(lat(&b), 0.99) > 70e6);
	assert_true(b.worker.open->late.max < 2000);
	assert_int_equal(b.worker.open->nr_arrivals, 10000);
	assert_little(&b);
	finish(&b);
}

static void test_no_burst(void **state)
{
	struct bench b = {.array = {.nr_servers = 8, .svc_ns = NS_PER_MS},
			  .rate = 2000,
			  .arrivals = ARRIVALS_CONSTANT,
			  .ramp_ms = 1000,
			  .window_ms = 2000,
			  .late_ms = 400};

	(void)state;
	start(&b);
	/* 800 were due before the worker began. */
	assert_true(b.array.nr_early <= 3);
	assert_true(b.array.max_in_flight <= 3);
	assert_within((double)b.array.nr_submitted, 2000 * 2.6, 2);
	finish(&b);
}

/* What the kernel does not take is late, but is not lost and keeps its intended start. */
static void test_refusals(void **state)
{
	struct bench b = {.array = {.nr_servers = 16,
				    .svc_ns = NS_PER_MS,
				    .take_at_most = 1,
				    .refuse_every = 3},
			  .rate = 3000,
			  .window_ms = 10000};

	(void)state;
	start(&b);
	assert_within((double)b.worker.open->nr_arrivals, 30000, 700);
	assert_within((double)(lat(&b)->count + b.worker.open->nr_backlog),
		      (double)b.worker.open->nr_arrivals, 30);
	assert_true(b.worker.open->late.max > 100 * NS_PER_US);
	assert_little(&b);
	finish(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		titled_test("D/D/c: below the ceiling every I/O takes the service time",
			    test_d_d_c),
		titled_test("M/D/1: the mean wait is that of Pollaczek and Khinchine", test_m_d_1),
		titled_test("M/D/c: the mean is that of the recursion over the same starts",
			    test_m_d_c),
		titled_test("overload: the backlog grows, and its age is the latency",
			    test_overload),
		titled_test(
			"a stall of 200 ms in 10 s is in the p99 of an offered load, and not in "
			"that of a closed loop",
			test_coordinated_omission),
		titled_test("a small limit in flight does not hide the stall",
			    test_limit_hides_nothing),
		titled_test("a worker that begins late does not catch up in a burst",
			    test_no_burst),
		titled_test("what the kernel does not take keeps its intended start",
			    test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
