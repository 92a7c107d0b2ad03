/* SPDX-License-Identifier: MIT */
#include "lun.h"

#include "base/clock.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A request of the kernel while it is in the model. */
struct lun_io {
	struct model_request request; /* first, so that the model's pointer is ours */
	fuse_req_t fuse;
	void *write_data; /* kept only when it goes to a file */
	struct lun_io *next_held;
};

double lun_now_ms(const struct lun *l)
{
	return (double)(clock_now_ns() - l->start_ns) / 1e6 * l->speed;
}

/* ---- completing requests ---- */

static bool happens(struct lun *l, double probability)
{
	return probability > 0 && model_random(&l->model) < probability;
}

static bool must_fail(struct lun *l, const struct model_request *r)
{
	const struct lun_faults *f = &l->faults;

	if (happens(l, f->eio_probability[r->is_write]))
		return true;
	return r->offset_bytes < f->bad_offset + f->bad_length &&
	       r->offset_bytes + r->length_bytes > f->bad_offset;
}

static void answer_write(struct lun *l, const struct lun_io *io)
{
	const struct model_request *r = &io->request;

	if (io->write_data && pwrite(l->data_fd, io->write_data, r->length_bytes,
				     (off_t)r->offset_bytes) != (ssize_t)r->length_bytes)
		fuse_reply_err(io->fuse, EIO);
	else
		fuse_reply_write(io->fuse, r->length_bytes);
}

/* Put the lun's bytes into l->answer. */
static int load_data(struct lun *l, uint64_t offset, size_t length)
{
	if (l->data_fd >= 0) {
		ssize_t n = pread(l->data_fd, l->answer, length, (off_t)offset);

		if (n < 0)
			return -1;
		/* The file may be shorter than the lun. */
		memset(l->answer + n, 0, length - (size_t)n);
	} else if (l->is_pattern) {
		for (size_t at = 0; at < length; at += LUN_SECTOR_BYTES) {
			uint64_t sector_offset = offset + at;

			memcpy(l->answer + at, &sector_offset, sizeof(sector_offset));
		}
	}
	return 0;
}

static void answer_read(struct lun *l, const struct lun_io *io)
{
	uint64_t offset = io->request.offset_bytes;
	uint64_t left = offset < l->size_bytes ? l->size_bytes - offset : 0;
	size_t length = io->request.length_bytes < left ? io->request.length_bytes : (size_t)left;
	unsigned char *middle;
	bool is_corrupt;

	if (load_data(l, offset, length)) {
		fuse_reply_err(io->fuse, EIO);
		return;
	}
	if (happens(l, l->faults.short_probability))
		length /= 2;
	is_corrupt = length > 0 && happens(l, l->faults.corrupt_probability);
	middle = l->answer + length / 2;
	*middle ^= is_corrupt ? 0x5a : 0;
	fuse_reply_buf(io->fuse, (const char *)l->answer, length);
	*middle ^= is_corrupt ? 0x5a : 0;
}

static void answer(struct lun *l, struct lun_io *io)
{
	if (must_fail(l, &io->request))
		fuse_reply_err(io->fuse, EIO);
	else if (io->request.is_write)
		answer_write(l, io);
	else
		answer_read(l, io);
	free(io->write_data);
	free(io);
}

bool lun_is_held_up(const struct lun *l)
{
	return l->faults.hang || lun_now_ms(l) < l->faults.stalled_until_ms;
}

/* The model calls this when a request is done. */
static void request_done(void *ctx, struct model_request *request)
{
	struct lun *l = ctx;
	struct lun_io *io = (struct lun_io *)request;
	double late_ms = (lun_now_ms(l) - l->model.now_ms) / l->speed;

	if (lun_is_held_up(l)) {
		io->next_held = NULL;
		*l->held_end = io;
		l->held_end = &io->next_held;
		return;
	}
	l->lateness.nr++;
	l->lateness.sum_ms += late_ms;
	l->lateness.max_ms = fmax(l->lateness.max_ms, late_ms);
	answer(l, io);
}

void lun_answer_held(struct lun *l)
{
	struct lun_io *io = l->held;

	l->held = NULL;
	l->held_end = &l->held;
	while (io) {
		struct lun_io *next = io->next_held;

		answer(l, io);
		io = next;
	}
}

static void note_touched(struct lun_touched *t, uint64_t offset, uint64_t length)
{
	if (t->end == 0 || offset < t->lowest)
		t->lowest = offset;
	if (offset + length > t->end)
		t->end = offset + length;
}

void lun_submit(struct lun *l, fuse_req_t fuse, bool is_write, uint64_t offset, size_t length,
		const void *data)
{
	struct lun_io *io = xcalloc(1, sizeof(*io));

	io->fuse = fuse;
	io->request.offset_bytes = offset;
	io->request.length_bytes = (uint32_t)length;
	io->request.is_write = is_write;
	if (is_write && l->data_fd >= 0) {
		io->write_data = xmalloc(length);
		memcpy(io->write_data, data, length);
	}
	note_touched(&l->touched[is_write], offset, length);
	if (l->log)
		fprintf(l->log, "%c %llu %zu\n", is_write ? 'W' : 'R', (unsigned long long)offset,
			length);
	model_submit(&l->model, lun_now_ms(l), &io->request);
}

static void add_direction(struct buf *b, const struct lun *l, int direction)
{
	static const char *const names[] = {[LUN_READ] = "read", [LUN_WRITE] = "write"};
	const struct model_totals *t = &l->model.totals;
	const struct lun_touched *touched = &l->touched[direction];
	const char *name = names[direction];
	double nr = (double)t->nr[direction];

	buf_addf(b, "%ss %.0f\n", name, nr);
	buf_addf(b, "%s_mean_ms %.5f\n", name, nr > 0 ? t->latency_sum_ms[direction] / nr : 0);
	if (touched->end == 0) {
		buf_addf(b, "%s_lowest_byte none\n%s_highest_byte none\n", name, name);
		return;
	}
	buf_addf(b, "%s_lowest_byte %llu\n", name, (unsigned long long)touched->lowest);
	buf_addf(b, "%s_highest_byte %llu\n", name, (unsigned long long)touched->end - 1);
}

void lun_add_stats(const struct lun *l, struct buf *b)
{
	const struct model_totals *t = &l->model.totals;
	const struct lun_lateness *late = &l->lateness;
	double now = lun_now_ms(l);

	if (l->log)
		fflush(l->log); /* whoever reads the statistics may read the log next */
	buf_addf(b, "virtual_ms %.3f\n", now - t->since_ms);
	add_direction(b, l, LUN_READ);
	add_direction(b, l, LUN_WRITE);
	buf_addf(b, "destaged %llu\n", (unsigned long long)t->nr_destaged);
	buf_addf(b, "inflight %d\nmax_inflight %d\n", t->inflight, t->max_inflight);
	buf_addf(b, "mean_inflight %.4f\n", model_mean_inflight(&l->model, now));
	buf_addf(b, "late_mean_us %.2f\n",
		 late->nr > 0 ? 1e3 * late->sum_ms / (double)late->nr : 0);
	buf_addf(b, "late_max_us %.2f\n", 1e3 * late->max_ms);
}

int lun_reset_stats(struct lun *l, struct err *e)
{
	model_reset_totals(&l->model);
	l->lateness = (struct lun_lateness){0};
	l->touched[LUN_READ] = l->touched[LUN_WRITE] = (struct lun_touched){0};
	if (l->log && (fflush(l->log) != 0 || ftruncate(fileno(l->log), 0) != 0))
		return err_sys(e, ERR_OUTPUT, errno, "cannot empty '%s'", l->log_path);
	return 0;
}

void lun_init(struct lun *l)
{
	*l = (struct lun){.size_bytes = 4ULL << 40, .data = "pattern", .speed = 1, .data_fd = -1};
	l->held_end = &l->held;
	model_init(&l->model, request_done, l);
}

static int open_data(struct lun *l, struct err *e)
{
	l->is_pattern = !strcmp(l->data, "pattern");
	if (l->is_pattern || !strcmp(l->data, "zero"))
		return 0;
	l->data_fd = open(l->data, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (l->data_fd < 0)
		return err_sys(e, ERR_TARGET, errno, "cannot open '%s'", l->data);
	return 0;
}

static int open_log(struct lun *l, struct err *e)
{
	if (!l->log_path)
		return 0;
	l->log = fopen(l->log_path, "we");
	/* Appending, so that emptying the file is enough to begin again. */
	if (l->log)
		l->log = freopen(l->log_path, "ae", l->log);
	if (!l->log)
		return err_sys(e, ERR_OUTPUT, errno, "cannot open '%s'", l->log_path);
	return 0;
}

int lun_open(struct lun *l, struct err *e)
{
	if (open_data(l, e) || open_log(l, e))
		return -1;
	/* A byte more, for the middle of nothing. */
	l->answer = xcalloc(1, LUN_MAX_REQUEST_BYTES + 1);
	l->start_ns = clock_now_ns();
	return 0;
}

int lun_close(struct lun *l, struct err *e)
{
	int rc = 0;

	l->faults = (struct lun_faults){0};
	model_release(&l->model);
	lun_answer_held(l);
	if (l->log && fclose(l->log) != 0)
		rc = err_sys(e, ERR_OUTPUT, errno, "cannot write '%s'", l->log_path);
	if (l->data_fd >= 0 && close(l->data_fd) != 0)
		rc = err_sys(e, ERR_OUTPUT, errno, "cannot write '%s'", l->data);
	free(l->answer);
	return rc;
}
