/* SPDX-License-Identifier: MIT */
/* Any bytes as a database: refused with a message, or read in full without harm. The file lies in
 * memory, and is the same before and after. */
#include "fuzz.h"

#include "store/store.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static void read_points(struct store *s, int64_t run_id)
{
	struct point *points;
	struct err e = {0};
	size_t nr;

	if (store_load_points(s, run_id, &points, &nr, &e))
		return;
	for (size_t i = 0; i < nr; i++) {
		struct measurement m;

		if (!store_load_measurement(s, run_id, points[i].seq, &m, &e))
			measurement_release(&m);
	}
	store_free_points(points, nr);
	if (!store_load_seeds(s, run_id, &points, &nr, &e))
		store_free_points(points, nr);
}

static void read_all(struct store *s)
{
	struct run_summary *list;
	struct err e = {0};
	size_t nr;

	if (store_list_runs(s, &list, &nr, &e)) {
		require(e.msg[0] != '\0');
		return;
	}
	for (size_t i = 0; i < nr; i++) {
		struct run_info run;

		if (!store_load_run(s, list[i].info.id, &run, &e))
			run_info_release(&run);
		read_points(s, list[i].info.id);
	}
	store_free_list(list, nr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz.db", 0);
	struct store *s = NULL;
	struct err e = {0};
	char path[64];

	require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (store_open(&s, path, STORE_READ, &e))
		require(e.msg[0] != '\0');
	else
		read_all(s);
	store_close(s);
	(void)close(fd);
	return 0;
}
