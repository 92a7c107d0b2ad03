/* SPDX-License-Identifier: MIT */
/*
 * The whole of 'run' with an engine that measures the same on every machine and at every time: killed
 * at random moments, with a database that another process locks for random times, it ends with the
 * points that an undisturbed run has, byte for byte; and whatever it had promised to keep is found
 * after each kill, in the database or in a spool (D43).
 *
 * WRAP: runner_measure progress_end_point
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/rng.h"
#include "cmd/cmd.h"
#include "cmd/progress.h"
#include "ledger.h"
#include "run/runner.h"
#include "sqlite_ask.h"
#include "store/spool.h"
#include "store_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define NR_KILLS       60
#define NR_POINTS      24
#define NR_WORKERS     2
#define NR_INTERVALS   30
#define FAILED_EVERY   9
#define LOCKED_MS      10
#define LONG_LOCKED_MS 150

/* By number: the run has said that it is kept. Shared with the process that is killed. */
static volatile bool *promised;

/* ---- the engine ---- */

static void fill_dir(struct measurement *m, struct rng *rng, enum dir d)
{
	m->lat[d] = xmalloc(sizeof(*m->lat[d]));
	hist_init(m->lat[d]);
	for (unsigned i = 0; i < 3000; i++) {
		uint64_t ns = 50000 + rng_below(rng, 400000);
		struct worker_result *w = &m->worker[i % NR_WORKERS];

		hist_add(m->lat[d], ns);
		w->dir[d].ios++;
		w->dir[d].bytes += m->spec.bs_bytes;
		w->dir[d].lat_ns += ns;
		w->lat_sq_ns2[d] += (double)ns * (double)ns;
		m->series[i % NR_INTERVALS].ios[d]++;
		m->series[i % NR_INTERVALS].lat_ns[d] += ns;
	}
}

static void fill(struct measurement *m, struct rng *rng)
{
	m->status = POINT_OK;
	m->window_ns = 3000000000 + rng_below(rng, 1000);
	m->interval_ns = 100000000;
	m->nr_intervals = NR_INTERVALS;
	m->series = xcalloc(NR_INTERVALS, sizeof(*m->series));
	m->worker = xcalloc(NR_WORKERS, sizeof(*m->worker));
	m->depth_mean = m->spec.iodepth - 0.01;
	m->depth_max = m->spec.iodepth;
	m->little_rel = 1e-9 * (double)rng_below(rng, 100);
	fill_dir(m, rng, DIR_READ);
	m->before = (struct dev_counters){true, 1, 2, 3, 4, 5, 6, 7, 8, rng_below(rng, 1000)};
	m->after = (struct dev_counters){true, 101, 102, 103, 104, 105, 106, 0, 2508, 1109};
	m->nr_cpus = 1;
	m->cpu = xcalloc(1, sizeof(*m->cpu));
	m->cpu[0] = (struct cpu_times){0, rng_below(rng, 500), 1000, 250, 50, 200, 3000};
	if (rng_below(rng, 2))
		measurement_flag(m, FLAG_QUEUE_LIMITED, "asked %u", m->spec.iodepth);
}

void __wrap_runner_measure(struct runner *r, const struct point_spec *spec, uint32_t seq,
			   struct measurement *m);
void __wrap_runner_measure(struct runner *r, const struct point_spec *spec, uint32_t seq,
			   struct measurement *m)
{
	struct rng rng;

	(void)r;
	clock_sleep_ns(NS_PER_MS);
	assert_int_equal(spec->workers, NR_WORKERS);
	rng_seed(&rng, 1000 + seq);
	m->seed = 7;
	m->start_wall_ns = 1700000000000000000 + (int64_t)seq * 5000000000;
	m->end_wall_ns = m->start_wall_ns + 4000000000;
	m->ramp_ns = 1000000000;
	if (seq % FAILED_EVERY) {
		fill(m, &rng);
		return;
	}
	m->status = POINT_FAILED;
	m->reason = xasprintf("an I/O failed at offset %u", seq);
	m->err_errno = EIO;
	m->err_offset = 4096ULL * seq;
	m->nr_errors = 1;
	measurement_flag(m, FLAG_IO_ERROR, "1 error");
}

/* What the run says when a point is kept. */
void __wrap_progress_end_point(struct progress *p, const struct measurement *m);
void __wrap_progress_end_point(struct progress *p, const struct measurement *m)
{
	(void)p;
	promised[m->seq] = true;
}

/* ---- processes ---- */

struct place {
	char *dir, *target, *db;
};

static void run_and_exit(const struct place *p)
{
	char *line =
		xasprintf("--target %s --db %s --rw randread,read --bs 4k,8k,16k --iodepth 2,4 "
			  "--workers 2 --repeats 2 --seed 7 --runtime 1s --ramp-time 0 "
			  "--anchors never --allow-ram --quiet --yes",
			  p->target, p->db);
	char *argv[32];
	int argc = 0;
	int null = open("/dev/null", O_WRONLY);

	(void)dup2(null, STDOUT_FILENO);
	(void)dup2(null, STDERR_FILENO);
	for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	_exit(cmd_run.run(argc, argv));
}

/* Its exit status, or -1 when it was killed after ms. */
static int run_for(const struct place *p, uint64_t ms)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid)
		run_and_exit(p);
	if (ms) {
		clock_sleep_ns(ms * NS_PER_MS);
		(void)kill(pid, SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		return -1;
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Locks the database for random times until it is killed. */
static pid_t start_locker(const struct place *p, uint64_t seed)
{
	struct rng rng;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid)
		return pid;
	rng_seed(&rng, seed);
	for (;;) {
		sqlite3 *db = NULL;

		if (sqlite3_open_v2(p->db, &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
		    sqlite3_busy_timeout(db, LOCKED_MS) == SQLITE_OK &&
		    sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL) == SQLITE_OK) {
			/* Most are waited for, and some are not. */
			clock_sleep_ns(
				rng_below(&rng, rng_below(&rng, 3) ? LOCKED_MS : LONG_LOCKED_MS) *
				NS_PER_MS);
			(void)sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
		}
		(void)sqlite3_close(db);
		clock_sleep_ns(rng_below(&rng, LOCKED_MS) * NS_PER_MS);
	}
}

static void stop(pid_t pid)
{
	(void)kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* ---- what is stored ---- */

static void dump_rows(sqlite3 *db, const char *sql, struct buf *b)
{
	sqlite3_stmt *st = NULL;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK);
	while (sqlite3_step(st) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(st); i++) {
			const void *data = sqlite3_column_blob(st, i);
			size_t len = (size_t)sqlite3_column_bytes(st, i);

			buf_addf(b, "%d:%016llx ", sqlite3_column_type(st, i),
				 (unsigned long long)hash_bytes(HASH_INIT, data ? data : "", len));
		}
		buf_addstr(b, "\n");
	}
	assert_int_equal(sqlite3_finalize(st), SQLITE_OK);
}

/* Every column of every point, but for the numbers that the database gives. */
static char *dump(const char *path)
{
	static const char *const sql[] = {
		"SELECT * FROM point ORDER BY seq",
		"SELECT * FROM point_dir ORDER BY 1, 2",
		"SELECT * FROM point_flag ORDER BY 1, 2",
		"SELECT * FROM point_worker ORDER BY 1, 2",
		"SELECT * FROM point_series ORDER BY 1, 2",
		"SELECT * FROM point_counter ORDER BY 1, 2, 3",
		"SELECT * FROM point_cpu ORDER BY 1, 2",
		"SELECT id, state, origin, key, seed, engine, sweep_text FROM run"};
	struct buf b = BUF_INIT;
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	for (size_t i = 0; i < NR(sql); i++)
		dump_rows(db, sql[i], &b);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	return buf_detach(&b);
}

/* The bits of the numbers of finished points in a database that nobody has open. */
static uint32_t finished_in(const char *path)
{
	uint32_t found = 0;
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	if (ask(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'point'"))
		found = (uint32_t)ask(db, "SELECT ifnull(sum(1 << seq), 0) FROM point "
					  "WHERE status IN ('ok', 'failed')");
	assert_int_equal(ask(db, "SELECT count(*) FROM pragma_integrity_check WHERE "
				 "integrity_check <> 'ok'"),
			 0);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	return found;
}

static struct {
	unsigned kills, with_spool, runs, refused;
} seen;

/* Twice what a run takes that nobody disturbs, on this machine as it is. */
static uint64_t latest_kill_ms;

static bool is_finished(const struct place *p)
{
	sqlite3 *db = NULL;
	bool is;

	assert_int_equal(sqlite3_open(p->db, &db), SQLITE_OK);
	is = ask(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'run'") &&
	     ask(db, "SELECT count(*) FROM run WHERE state = 'finished'") == 1;
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	return is;
}

/* Everything that was promised is somewhere. */
static void look_for_points(const struct place *p, bool was_killed)
{
	struct spool *v;
	size_t nr;
	uint32_t found = finished_in(p->db);
	unsigned nr_promised = 0, nr_lost = 0;

	spool_list(p->db, &v, &nr);
	seen.with_spool += was_killed && nr > 0;
	/* A kill may leave one that its journal makes whole when it is opened. */
	for (size_t i = 0; i < nr; i++)
		found |= finished_in(v[i].path);
	spool_free_list(v, nr);
	for (unsigned seq = 1; seq <= NR_POINTS; seq++) {
		nr_promised += promised[seq];
		nr_lost += promised[seq] && !(found & 1U << seq);
	}
	ledger("points_checked", nr_promised);
	ledger("points_lost", nr_lost);
	assert_int_equal(nr_lost, 0);
}

static void begin_anew(const struct place *p)
{
	static const char *const ends[] = {"", "-wal", "-shm", "-journal"};

	for (size_t i = 0; i < NR(ends); i++) {
		char *name = xasprintf("%s%s", p->db, ends[i]);

		(void)unlink(name);
		free(name);
	}
	memset((void *)(uintptr_t)promised, 0, NR_POINTS + 1);
}

static void tidy(const struct place *p)
{
	struct store *s = NULL;
	struct err e = {0};

	assert_int_equal(store_open(&s, p->db, STORE_WRITE, &e), 0);
	assert_int_equal(spool_tidy(s, &e), 0);
	store_close(s);
}

static void check_finished(const struct place *p, const char *expected)
{
	char *is = dump(p->db);
	struct spool *v;
	size_t nr;

	assert_string_equal(is, expected);
	free(is);
	/* A kill between the commit and the removal of a spool leaves it. */
	tidy(p);
	is = dump(p->db);
	assert_string_equal(is, expected);
	free(is);
	spool_list(p->db, &v, &nr);
	assert_int_equal(nr, 0);
	spool_free_list(v, nr);
	seen.runs++;
}

static char *run_undisturbed(const struct place *p)
{
	uint64_t begin = clock_now_ns();
	char *text;

	/* Some points fail, as they shall. */
	assert_int_equal(run_for(p, 0), 3);
	latest_kill_ms = 2 * (clock_now_ns() - begin) / NS_PER_MS + 1;
	for (unsigned seq = 1; seq <= NR_POINTS; seq++)
		assert_true(promised[seq]);
	text = dump(p->db);
	begin_anew(p);
	return text;
}

static void kill_once(const struct place *p, struct rng *rng, const char *expected)
{
	pid_t locker = start_locker(p, rng_below(rng, 1U << 30));
	int status = run_for(p, 1 + rng_below(rng, latest_kill_ms));

	stop(locker);
	seen.kills += status < 0;
	seen.refused += status == 1;
	assert_true(status < 0 || status == 0 || status == 1 || status == 3);
	if (access(p->db, F_OK) < 0)
		return;
	look_for_points(p, status < 0);
	if (!is_finished(p))
		return;
	check_finished(p, expected);
	begin_anew(p);
}

static struct place make_place(void)
{
	struct place p;
	int fd;

	/* A kill takes nothing from memory, and there are no other programs' disks to wait for. */
	if (access("/dev/shm", W_OK) == 0)
		(void)setenv("TMPDIR", "/dev/shm", 0);
	p.dir = fixture_dir();

	p.target = xasprintf("%s/other", p.dir);
	p.db = xasprintf("%s/db", p.dir);
	fd = open(p.target, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(posix_fallocate(fd, 0, 8 << 20), 0);
	assert_int_equal(close(fd), 0);
	return p;
}

static void killed_at_any_moment_it_ends_as_undisturbed(void **state)
{
	struct place p = make_place();
	struct rng rng;
	uint64_t seed = rng_draw_seed();
	char *expected;

	(void)state;
	print_message("seed of the kills: %llu\n", (unsigned long long)seed);
	rng_seed(&rng, seed);
	promised = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal((void *)(uintptr_t)promised, MAP_FAILED);
	/* Short, so that locks of the database are longer than it is waited for. */
	assert_int_equal(setenv("LUNSWEEP_BUSY_TIMEOUT", "5ms", 1), 0);
	expected = run_undisturbed(&p);
	while (seen.kills < NR_KILLS)
		kill_once(&p, &rng, expected);
	/* The last one comes to its end. */
	if (run_for(&p, 0) == 3)
		check_finished(&p, expected);
	ledger("kills", seen.kills);
	print_message("latest kill after %llu ms\n", (unsigned long long)latest_kill_ms);
	print_message("%u kills survived, %u with a spool; %u runs ended as undisturbed; %u could "
		      "not begin for a lock\n",
		      seen.kills, seen.with_spool, seen.runs, seen.refused);
	assert_true(seen.with_spool >= 5);
	assert_true(seen.runs >= 2);
	begin_anew(&p);
	free(expected);
	free(p.target);
	free(p.db);
	fixture_remove(p.dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(killed_at_any_moment_it_ends_as_undisturbed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
