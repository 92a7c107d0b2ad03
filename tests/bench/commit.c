/* SPDX-License-Identifier: MIT */
/*
 * commit DATABASE [POINTS]: what it takes to store a finished point, with 30 s of intervals and a
 * histogram, as a run does it: one durable transaction each. Prints median, least and most in ms,
 * and bytes of the database per point.
 */
#include "store_fixture.h"

#include "base/clock.h"
#include "base/err.h"

#include <sys/stat.h>

#define NR_INTERVALS 300
#define MAX_POINTS   10000

static int die(const struct err *e)
{
	(void)fprintf(stderr, "commit: %s\n", e->msg);
	return 1;
}

/* The fixture's, but as long as a usual point. */
static void fill(struct measurement *m, uint32_t seq)
{
	fixture_measurement(m, seq, seq);
	m->series = xreallocarray(m->series, NR_INTERVALS, sizeof(*m->series));
	for (size_t i = FIXTURE_INTERVALS; i < NR_INTERVALS; i++)
		m->series[i] = m->series[i % FIXTURE_INTERVALS];
	m->nr_intervals = NR_INTERVALS;
	m->window_ns = NR_INTERVALS * m->interval_ns;
}

static int add_run(struct store *s, struct run_info *run, size_t nr, struct err *e)
{
	struct planned_point *points = xcalloc(nr, sizeof(*points));
	int rc;

	for (size_t i = 0; i < nr; i++) {
		points[i].spec = fixture_spec((uint32_t)i + 1);
		points[i].seq = (uint32_t)i + 1;
	}
	rc = store_add_run(s, run, points, nr, e);
	free(points);
	return rc;
}

/* As between two points of a run; *took_ns is what the second transaction took. */
static int store_one(struct store *s, int64_t run_id, uint32_t seq, uint64_t *took_ns,
		     struct err *e)
{
	struct measurement m;
	int rc;

	fill(&m, seq);
	rc = store_point_started(s, run_id, &m.spec, m.start_wall_ns, e);
	*took_ns = clock_now_ns();
	rc = rc || store_point_finished(s, run_id, &m, e);
	*took_ns = clock_now_ns() - *took_ns;
	measurement_release(&m);
	return rc ? -1 : 0;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static off_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_size;
}

static int measure(const char *path, struct store *s, size_t nr, struct err *e)
{
	uint64_t *took_ns = xcalloc(nr, sizeof(*took_ns));
	struct run_info run = fixture_run();
	off_t begin;

	if (add_run(s, &run, nr, e))
		return -1;
	store_close(s);
	begin = size_of(path);
	if (store_open(&s, path, STORE_WRITE, e))
		return -1;
	for (size_t i = 0; i < nr; i++)
		if (store_one(s, run.id, (uint32_t)i + 1, &took_ns[i], e))
			return -1;
	store_close(s);
	qsort(took_ns, nr, sizeof(*took_ns), compare);
	printf("%.3f %.3f %.3f %lld\n", (double)took_ns[nr / 2] / NS_PER_MS,
	       (double)took_ns[0] / NS_PER_MS, (double)took_ns[nr - 1] / NS_PER_MS,
	       (long long)(size_of(path) - begin) / (long long)nr);
	free(took_ns);
	return 0;
}

int main(int argc, char **argv)
{
	size_t nr = argc == 3 ? strtoul(argv[2], NULL, 10) : 100;
	struct err e = {0};
	struct store *s;

	if (argc < 2 || argc > 3 || nr < 1 || nr > MAX_POINTS) {
		(void)fprintf(stderr, "usage: commit DATABASE [POINTS]\n");
		return 2;
	}
	if (store_open(&s, argv[1], STORE_WRITE, &e) || measure(argv[1], s, nr, &e))
		return die(&e);
	return 0;
}
