/* SPDX-License-Identifier: MIT */
/*
 * The store when the power fails (D43). A VFS of SQLite records each write, truncation, deletion and
 * sync of the database and its journal while a run is stored. Then the power fails behind every one of
 * them: what was synced is on the disk, what was not is lost, kept, or kept in part and torn between
 * sectors. Whatever the store had returned 0 for must be there, whole, and nothing by halves.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "ledger.h"
#include "sqlite_ask.h"
#include "store_fixture.h"

#include <fcntl.h>
#include <sqlite3.h>

#define SECTOR_BYTES 512
#define NR_POINTS    4
#define TEARS	     3 /* of each kind at each moment */

/* The files that make up a database on the disk. */
static const char *const ends[] = {"", "-wal", "-journal"};

/* A name is durable when its directory was synced, whatever was synced of the file. */
enum op_kind { OP_WRITE, OP_TRUNCATE, OP_SYNC, OP_CREATE, OP_DELETE, OP_SYNC_DIR };

struct op {
	enum op_kind kind;
	size_t file; /* index of ends */
	uint64_t offset_bytes;
	size_t len; /* the length that is left, of a truncation */
	void *data; /* owned */
};

static struct {
	struct op *v;
	size_t nr, cap;
} ops;

static void add_op(enum op_kind kind, size_t file, uint64_t offset_bytes, size_t len,
		   const void *data)
{
	struct op *op;

	VEC_GROW(ops.v, ops.nr, ops.cap);
	op = &ops.v[ops.nr++];
	*op = (struct op){kind, file, offset_bytes, len, NULL};
	if (data) {
		op->data = xmalloc(len);
		memcpy(op->data, data, len);
	}
}

/* The recording VFS. */

static sqlite3_vfs *disk, recorder;

struct recorded {
	sqlite3_file base;
	size_t file;
	bool is_new;	    /* the VFS of SQLite syncs the directory of a new journal with it */
	sqlite3_file *real; /* behind this struct */
};

static sqlite3_file *real_of(sqlite3_file *f)
{
	return ((struct recorded *)f)->real;
}

/* NR(ends) for temporary files, which nobody misses after a power loss. */
static size_t file_of(const char *name)
{
	if (!name)
		return NR(ends);
	for (size_t i = NR(ends) - 1; i > 0; i--)
		if (strlen(name) > strlen(ends[i]) &&
		    !strcmp(name + strlen(name) - strlen(ends[i]), ends[i]))
			return i;
	return 0;
}

static int rec_close(sqlite3_file *f)
{
	return real_of(f)->pMethods->xClose(real_of(f));
}

static int rec_read(sqlite3_file *f, void *data, int len, sqlite3_int64 at)
{
	return real_of(f)->pMethods->xRead(real_of(f), data, len, at);
}

static int rec_write(sqlite3_file *f, const void *data, int len, sqlite3_int64 at)
{
	add_op(OP_WRITE, ((struct recorded *)f)->file, (uint64_t)at, (size_t)len, data);
	return real_of(f)->pMethods->xWrite(real_of(f), data, len, at);
}

static int rec_truncate(sqlite3_file *f, sqlite3_int64 size)
{
	add_op(OP_TRUNCATE, ((struct recorded *)f)->file, 0, (size_t)size, NULL);
	return real_of(f)->pMethods->xTruncate(real_of(f), size);
}

/* Recorded when it has returned: a power failure inside it may leave anything. */
static int rec_sync(sqlite3_file *f, int flags)
{
	struct recorded *r = (struct recorded *)f;
	int rc = r->real->pMethods->xSync(r->real, flags);

	add_op(OP_SYNC, r->file, 0, 0, NULL);
	if (r->is_new)
		add_op(OP_SYNC_DIR, r->file, 0, 0, NULL);
	r->is_new = false;
	return rc;
}

static int rec_size(sqlite3_file *f, sqlite3_int64 *size)
{
	return real_of(f)->pMethods->xFileSize(real_of(f), size);
}

static int rec_lock(sqlite3_file *f, int level)
{
	return real_of(f)->pMethods->xLock(real_of(f), level);
}

static int rec_unlock(sqlite3_file *f, int level)
{
	return real_of(f)->pMethods->xUnlock(real_of(f), level);
}

static int rec_check_lock(sqlite3_file *f, int *out)
{
	return real_of(f)->pMethods->xCheckReservedLock(real_of(f), out);
}

static int rec_control(sqlite3_file *f, int op, void *arg)
{
	return real_of(f)->pMethods->xFileControl(real_of(f), op, arg);
}

static int rec_sector(sqlite3_file *f)
{
	return real_of(f)->pMethods->xSectorSize(real_of(f));
}

static int rec_characteristics(sqlite3_file *f)
{
	return real_of(f)->pMethods->xDeviceCharacteristics(real_of(f));
}

static int rec_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **out)
{
	return real_of(f)->pMethods->xShmMap(real_of(f), page, size, extend, out);
}

static int rec_shm_lock(sqlite3_file *f, int offset, int n, int flags)
{
	return real_of(f)->pMethods->xShmLock(real_of(f), offset, n, flags);
}

static void rec_shm_barrier(sqlite3_file *f)
{
	real_of(f)->pMethods->xShmBarrier(real_of(f));
}

static int rec_shm_unmap(sqlite3_file *f, int remove)
{
	return real_of(f)->pMethods->xShmUnmap(real_of(f), remove);
}

/* Version 2 has no memory maps, so all goes through the functions above. */
static const sqlite3_io_methods methods = {
	.iVersion = 2,
	.xClose = rec_close,
	.xRead = rec_read,
	.xWrite = rec_write,
	.xTruncate = rec_truncate,
	.xSync = rec_sync,
	.xFileSize = rec_size,
	.xLock = rec_lock,
	.xUnlock = rec_unlock,
	.xCheckReservedLock = rec_check_lock,
	.xFileControl = rec_control,
	.xSectorSize = rec_sector,
	.xDeviceCharacteristics = rec_characteristics,
	.xShmMap = rec_shm_map,
	.xShmLock = rec_shm_lock,
	.xShmBarrier = rec_shm_barrier,
	.xShmUnmap = rec_shm_unmap,
};

static int rec_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *out_flags)
{
	struct recorded *r = (struct recorded *)f;
	int rc, is_there = 1;

	(void)vfs;
	r->base.pMethods = NULL;
	r->file = file_of(name);
	r->real = (sqlite3_file *)&r[1];
	r->is_new = false;
	if (r->file < NR(ends))
		(void)disk->xAccess(disk, name, SQLITE_ACCESS_EXISTS, &is_there);
	rc = disk->xOpen(disk, name, r->real, flags, out_flags);
	if (r->real->pMethods)
		r->base.pMethods = &methods;
	if (rc == SQLITE_OK && !is_there) {
		r->is_new = true;
		add_op(OP_CREATE, r->file, 0, 0, NULL);
	}
	return rc;
}

static int rec_delete(sqlite3_vfs *vfs, const char *name, int sync_dir)
{
	(void)vfs;
	add_op(OP_DELETE, file_of(name), 0, 0, NULL);
	if (sync_dir)
		add_op(OP_SYNC_DIR, file_of(name), 0, 0, NULL);
	return disk->xDelete(disk, name, sync_dir);
}

static void begin_recording(void)
{
	disk = sqlite3_vfs_find(NULL);
	recorder = *disk;
	recorder.zName = "recorder";
	recorder.szOsFile = (int)sizeof(struct recorded) + disk->szOsFile;
	recorder.xOpen = rec_open;
	recorder.xDelete = rec_delete;
	assert_int_equal(sqlite3_vfs_register(&recorder, 1), SQLITE_OK);
}

static void end_recording(void)
{
	assert_int_equal(sqlite3_vfs_unregister(&recorder), SQLITE_OK);
	assert_int_equal(sqlite3_vfs_register(disk, 1), SQLITE_OK);
}

/* What had been promised when so many operations were done. */
static struct {
	size_t run, point[NR_POINTS];
} promised;

static void store_a_run(const char *path)
{
	struct planned_point points[NR_POINTS];
	struct run_info r = fixture_run();
	struct store *s = NULL;
	struct err e = {0};

	for (uint32_t i = 0; i < NR_POINTS; i++)
		points[i] = (struct planned_point){fixture_spec(1U << i), i + 1, NULL};
	assert_int_equal(store_open(&s, path, STORE_WRITE, &e), 0);
	assert_int_equal(store_add_run(s, &r, points, NR_POINTS, &e), 0);
	promised.run = ops.nr;
	for (uint32_t i = 0; i < NR_POINTS; i++) {
		struct measurement m;

		fixture_measurement(&m, points[i].spec.iodepth, points[i].seq);
		assert_int_equal(store_point_started(s, r.id, &m.spec, 1, &e), 0);
		assert_int_equal(store_point_finished(s, r.id, &m, &e), 0);
		promised.point[i] = ops.nr;
		measurement_release(&m);
	}
	assert_int_equal(store_set_run_state(s, r.id, RUN_FINISHED, &e), 0);
	/* Closing moves all from the log into the database. */
	store_close(s);
}

/* A file as the disk has it. */
struct image {
	uint8_t *data;
	size_t len, cap;
	bool is_there;
};

static void image_resize(struct image *f, size_t len)
{
	if (len > f->cap) {
		f->data = xreallocarray(f->data, len, 1);
		f->cap = len;
	}
	if (len > f->len)
		memset(f->data + f->len, 0, len - f->len);
	f->len = len;
}

/* Of a write, the bytes [from, to). */
static void apply(struct image *f, const struct op *op, size_t from, size_t to)
{
	switch (op->kind) {
	case OP_WRITE:
		if (from >= to)
			break;
		if (op->offset_bytes + to > f->len)
			image_resize(f, op->offset_bytes + to);
		memcpy(f->data + op->offset_bytes + from, (const uint8_t *)op->data + from,
		       to - from);
		break;
	case OP_TRUNCATE:
		image_resize(f, op->len);
		break;
	case OP_CREATE:
	case OP_DELETE:
		image_resize(f, 0);
		f->is_there = op->kind == OP_CREATE;
		break;
	case OP_SYNC:
	case OP_SYNC_DIR:
		break;
	}
}

enum fate { FATE_LOST, FATE_KEPT, FATE_TORN };

/* What was not synced: lost, kept, or of each one of three: lost, kept, or torn between sectors. */
static void apply_unsynced(struct image *f, const struct op *op, enum fate fate, struct rng *rng)
{
	uint64_t which = fate == FATE_TORN ? rng_below(rng, 3) : fate == FATE_KEPT ? 1 : 0;
	size_t at = op->len / SECTOR_BYTES
			    ? (size_t)rng_below(rng, op->len / SECTOR_BYTES + 1) * SECTOR_BYTES
			    : 0;

	if (which == 1)
		apply(f, op, 0, op->len);
	else if (which == 2 && op->kind == OP_WRITE)
		rng_below(rng, 2) ? apply(f, op, 0, at) : apply(f, op, at, op->len);
}

/* One behind the last of the first nr operations that made those of this kind durable. */
static size_t durable_until(size_t nr, enum op_kind kind, size_t file)
{
	bool is_name = kind == OP_CREATE || kind == OP_DELETE;
	size_t until = 0;

	for (size_t i = 0; i < nr; i++)
		if (is_name ? ops.v[i].kind == OP_SYNC_DIR
			    : ops.v[i].kind == OP_SYNC && ops.v[i].file == file)
			until = i + 1;
	return until;
}

/* The disk behind the first nr operations. */
static void fail_power(size_t nr, enum fate fate, struct rng *rng, struct image image[NR(ends)])
{
	for (size_t file = 0; file < NR(ends); file++) {
		size_t data = durable_until(nr, OP_WRITE, file),
		       name = durable_until(nr, OP_CREATE, file);

		/* The store makes the database itself, durably, before SQLite opens it. */
		image[file] = (struct image){.is_there = file == 0};
		for (size_t i = 0; i < nr; i++) {
			const struct op *op = &ops.v[i];
			bool is_name = op->kind == OP_CREATE || op->kind == OP_DELETE;

			if (op->file != file)
				continue;
			if (i < (is_name ? name : data))
				apply(&image[file], op, 0, op->len);
			else
				apply_unsynced(&image[file], op, fate, rng);
		}
	}
}

static void write_image(const char *name, const struct image *f)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, f->data, f->len), f->len);
	assert_int_equal(close(fd), 0);
}

static void write_images(const char *path, const struct image image[NR(ends)])
{
	for (size_t file = 0; file < NR(ends); file++) {
		char *name = xasprintf("%s%s", path, ends[file]);

		if (image[file].is_there)
			write_image(name, &image[file]);
		free(name);
	}
}

static void remove_images(const char *path)
{
	char *shm = xasprintf("%s-shm", path);

	(void)unlink(shm);
	free(shm);
	for (size_t file = 0; file < NR(ends); file++) {
		char *name = xasprintf("%s%s", path, ends[file]);

		(void)unlink(name);
		free(name);
	}
}

static void release_images(struct image image[NR(ends)])
{
	for (size_t file = 0; file < NR(ends); file++)
		free(image[file].data);
}

static int64_t points_promised(size_t nr_ops)
{
	int64_t nr = 0;

	for (size_t i = 0; i < NR_POINTS; i++)
		nr += promised.point[i] <= nr_ops;
	return nr;
}

static void assert_whole(const char *path, size_t nr_ops)
{
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(ask(db, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
	assert_int_equal(ask(db, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
	if (ask(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'point'")) {
		int64_t stored = ask(db, "SELECT count(*) FROM point WHERE status = 'ok'");

		ledger("points_checked", points_promised(nr_ops));
		ledger("points_lost",
		       stored < points_promised(nr_ops) ? points_promised(nr_ops) - stored : 0);
		assert_true(stored >= points_promised(nr_ops));
		assert_int_equal(ask(db, "SELECT count(*) FROM point_series"),
				 stored * FIXTURE_INTERVALS);
		assert_int_equal(ask(db, "SELECT count(*) FROM point_dir"), stored * 3);
		if (nr_ops >= promised.run)
			assert_int_equal(ask(db, "SELECT count(*) FROM point"), NR_POINTS);
	} else {
		assert_true(nr_ops < promised.run);
	}
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* The next start of the program finds a database that it can go on with. */
static void assert_goes_on(const char *path)
{
	struct store *s = NULL;
	struct err e = {0};

	if (store_open(&s, path, STORE_WRITE, &e))
		fail_msg("%s", e.msg);
	store_close(s);
}

/* Which moment it is, should a check fail. */
static size_t at_op, at_fate;
static bool is_done;

static int say_moment(void **state)
{
	(void)state;
	if (!is_done)
		print_message("power failed behind operation %zu of %zu, fate %zu\n", at_op, ops.nr,
			      at_fate);
	return 0;
}

static void try_moment(const char *path, size_t nr_ops, enum fate fate, struct rng *rng)
{
	struct image image[NR(ends)];

	at_op = nr_ops;
	at_fate = fate;
	fail_power(nr_ops, fate, rng, image);
	remove_images(path);
	write_images(path, image);
	release_images(image);
	assert_whole(path, nr_ops);
	assert_goes_on(path);
}

static char *fast_dir(void)
{
	if (access("/dev/shm", W_OK) == 0)
		(void)setenv("TMPDIR", "/dev/shm", 0);
	return fixture_dir();
}

static void no_power_loss_takes_what_was_promised(void **state)
{
	char *dir = fast_dir(), *path = xasprintf("%s/db", dir),
	     *after = xasprintf("%s/other", dir);
	struct rng rng;
	size_t tried = 0;

	(void)state;
	begin_recording();
	store_a_run(path);
	end_recording();
	rng_seed(&rng, 1);
	for (size_t nr = 0; nr <= ops.nr; nr++) {
		try_moment(after, nr, FATE_LOST, &rng);
		try_moment(after, nr, FATE_KEPT, &rng);
		for (size_t i = 0; i < TEARS; i++)
			try_moment(after, nr, FATE_TORN, &rng);
		tried += 2 + TEARS;
	}
	is_done = true;
	ledger("power_failures", (long long)tried);
	print_message("power losses survived: %zu, behind %zu operations\n", tried, ops.nr);
	for (size_t i = 0; i < ops.nr; i++)
		free(ops.v[i].data);
	free(ops.v);
	remove_images(after);
	free(path);
	free(after);
	fixture_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(no_power_loss_takes_what_was_promised, say_moment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
