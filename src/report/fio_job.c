/* SPDX-License-Identifier: MIT */
#include "report/fio_job.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The share of one worker. */
struct share {
	uint64_t offset_bytes, size_bytes;
	uint32_t iodepth;
	uint32_t rate_iops[2]; /* by enum dir; 0: none */
};

static uint64_t part(uint64_t total, uint32_t workers, uint32_t index)
{
	return total / workers + (index < total % workers);
}

/*
 * Where worker index of a sequential pattern goes (run/pattern.h): a slice of its own, as long as there
 * is a block for each.
 */
static void share_span(const struct point_spec *s, uint32_t index, struct share *out)
{
	uint64_t blocks = s->span_bytes / s->bs_bytes, first, behind;

	out->offset_bytes = s->offset_bytes;
	out->size_bytes = s->span_bytes;
	if (rw_is_random(s->rw) || blocks < s->workers)
		return;
	first = blocks * index / s->workers;
	behind = blocks * (index + 1) / s->workers;
	out->offset_bytes += first * s->bs_bytes;
	out->size_bytes = (behind - first) * s->bs_bytes;
}

static void rates_of(const struct fio_point *p, uint64_t rate[2])
{
	uint64_t total = isnan(p->rate_iops) ? 0 : (uint64_t)llround(p->rate_iops);

	rate[DIR_READ] = (total * p->spec->rwmixread_pct + 50) / 100;
	rate[DIR_WRITE] = total - rate[DIR_READ];
}

static struct share share_of(const struct fio_point *p, uint32_t index)
{
	const struct point_spec *s = p->spec;
	struct share out = {.iodepth = (uint32_t)part(s->iodepth, s->workers, index)};
	uint64_t rate[2];

	share_span(s, index, &out);
	rates_of(p, rate);
	for (int d = DIR_READ; d <= DIR_WRITE; d++)
		out.rate_iops[d] = (uint32_t)part(rate[d], s->workers, index);
	return out;
}

static bool same_share(const struct share *a, const struct share *b)
{
	return a->iodepth == b->iodepth && a->offset_bytes == b->offset_bytes &&
	       a->size_bytes == b->size_bytes && a->rate_iops[DIR_READ] == b->rate_iops[DIR_READ] &&
	       a->rate_iops[DIR_WRITE] == b->rate_iops[DIR_WRITE];
}

/* Shares fall with the index where they differ, and slices move: first and last tell. */
static bool workers_are_alike(const struct fio_point *p)
{
	struct share first = share_of(p, 0), last = share_of(p, p->spec->workers - 1);

	return same_share(&first, &last);
}

/* Why fio cannot do this point, or NULL. A rate of 0 would mean none to fio. */
static const char *impossible(const struct fio_point *p)
{
	const struct point_spec *s = p->spec;
	uint64_t rate[2];

	if (p->left_out)
		return p->left_out;
	if (!point_is_open(s))
		return NULL;
	if (isnan(p->rate_iops))
		return "its rate is known only when the maximum has been measured";
	rates_of(p, rate);
	if ((point_reads(s) && rate[DIR_READ] < s->workers) ||
	    (point_writes(s) && rate[DIR_WRITE] < s->workers))
		return "fio takes at least 1 IOPS for each job and direction";
	if (rate[DIR_READ] > INT32_MAX || rate[DIR_WRITE] > INT32_MAX)
		return "its rate is more than fio takes";
	return NULL;
}

static bool any(const struct fio_point *points, size_t nr, bool (*is)(const struct point_spec *))
{
	for (size_t i = 0; i < nr; i++)
		if (!impossible(&points[i]) && is(points[i].spec))
			return true;
	return false;
}

static bool is_job(const struct point_spec *s)
{
	(void)s;
	return true;
}

static bool has_workers(const struct point_spec *s)
{
	return s->workers > 1;
}

static bool is_sequential(const struct point_spec *s)
{
	return !rw_is_random(s->rw);
}

static bool is_partly_random(const struct point_spec *s)
{
	return rw_is_random(s->rw) && s->random_pct < 100;
}

/* One line of a comment; what would end it becomes a question mark. */
static void add_comment(struct buf *b, const char *label, const char *text)
{
	buf_addf(b, "# %s", label);
	for (; *text; text++)
		buf_addch(b, (unsigned char)*text < ' ' ? '?' : *text);
	buf_addch(b, '\n');
}

/* fio separates files by ':', ends a line at '#' and ';', and puts in variables for '$'. */
static int add_path(struct buf *b, const char *path, struct err *e)
{
	size_t len = strlen(path);

	for (const char *s = path; *s; s++)
		if (strchr("$#;", *s) || (unsigned char)*s < ' ')
			return err_set(
				e, ERR_USAGE,
				"a fio job cannot name '%s', since it holds a '$', '#', ';' or "
				"control character",
				path);
	if (!len || path[len - 1] == ' ')
		return err_set(e, ERR_USAGE, "a fio job cannot name '%s', which ends with a blank",
			       path);
	for (; *path; path++) {
		if (*path == ':')
			buf_addch(b, '\\');
		buf_addch(b, *path);
	}
	return 0;
}

static void add_consent(struct buf *b, const struct fio_job *job, bool writes, const char *filename)
{
	if (!writes) {
		buf_addstr(b, "# These jobs only read. fio --readonly makes sure of it:\n"
			      "#   fio --readonly FILE\n#\n");
		return;
	}
	add_comment(b, "DESTROYS DATA: these jobs write to ", job->path);
	buf_addstr(
		b,
		"# To keep that from happening by accident, fio must be told where:\n#   " FIO_CONSENT
		"=");
	buf_shell_str(b, filename);
	buf_addstr(b, " fio FILE\n#\n");
}

static void add_differences(struct buf *b, const struct fio_job *job,
			    const struct fio_point *points, size_t nr)
{
	buf_addstr(b, "#\n# What fio does otherwise:\n"
		      "# - It takes no account of caches, foreign load or a client that is too "
		      "slow.\n");
	if (job->stop_rule) {
		add_comment(b, "- It has no stopping rule, and lunsweep measures ", job->stop_rule);
		buf_addstr(
			b,
			"#   A job takes as long as its point took, or else the longest time.\n");
	}
	if (any(points, nr, has_workers))
		buf_addstr(b, "# - iodepth counts for each job; for lunsweep it is the total.\n");
	if (any(points, nr, point_is_open))
		buf_addstr(b, "# - Latency counts from the submission, not from the instant at "
			      "which an I/O was due,\n"
			      "#   so it hides what waits behind a slow I/O.\n");
	if (any(points, nr, is_sequential))
		buf_addstr(b, "# - Sequential jobs begin at the start of their part, reads and "
			      "writes alike.\n");
	if (any(points, nr, is_partly_random))
		buf_addstr(b, "# - The sequential part of partly random I/O is not shared out "
			      "among workers.\n");
	if (job->spin)
		buf_addstr(b, "# - It sleeps while it waits; lunsweep polled.\n");
}

static void add_head(struct buf *b, const struct fio_job *job, const struct fio_point *points,
		     size_t nr, bool writes, const char *filename)
{
	add_consent(b, job, writes, filename);
	buf_addf(b, "# The points of %s of lunsweep as jobs for fio\n", job->origin);
	add_comment(b, "sweep     ", job->name);
	if (job->question)
		add_comment(b, "question  ", job->question);
	add_comment(b, "target    ", job->path);
	if (job->identity)
		add_comment(b, "identity  ", job->identity);
	add_differences(b, job, points, nr);
}

static void add_global(struct buf *b, const struct fio_job *job, bool writes, const char *filename)
{
	buf_addf(b,
		 "\n[global]\nfilename=%s\nallow_file_create=0\n%sdirect=1\nioengine=%s\nthread=1\n"
		 "time_based=1\nnorandommap=1\nrandseed=%" PRIu64 "\ngroup_reporting=1\n"
		 "lat_percentiles=1\npercentile_list=50:90:95:99:99.9\n",
		 writes ? "${" FIO_CONSENT "}" : filename, writes ? "allow_mounted_write=0\n" : "",
		 job->engine, job->seed & (UINT64_MAX >> 1));
	if (!writes)
		return;
	buf_addstr(b, "refill_buffers=1\n");
	/* As much of each 4 KiB as we would leave zeros in. */
	if (job->compress_pct)
		buf_addf(b, "buffer_compress_percentage=%" PRIu32 "\nbuffer_compress_chunk=4k\n",
			 job->compress_pct);
}

/* A mixed mode that reads or writes only says so, for --readonly too. */
static enum rw_mode mode_of(const struct point_spec *s)
{
	if (!point_writes(s))
		return rw_is_random(s->rw) ? RW_RANDREAD : RW_READ;
	if (!point_reads(s))
		return rw_is_random(s->rw) ? RW_RANDWRITE : RW_WRITE;
	return s->rw;
}

/* To the ms, as fio takes it. */
static void add_time(struct buf *b, const char *name, uint64_t ns)
{
	buf_addf(b, "%s=", name);
	buf_add_duration(b, (ns + NS_PER_MS / 2) / NS_PER_MS * NS_PER_MS);
	buf_addch(b, '\n');
}

static void add_size(struct buf *b, const char *name, uint64_t bytes)
{
	buf_addf(b, "%s=", name);
	buf_add_size(b, bytes);
	buf_addch(b, '\n');
}

static void add_rate(struct buf *b, const struct share *w, enum arrivals arrivals)
{
	buf_addstr(b, "rate_iops=");
	if (w->rate_iops[DIR_READ])
		buf_addf(b, "%" PRIu32, w->rate_iops[DIR_READ]);
	if (w->rate_iops[DIR_WRITE])
		buf_addf(b, ",%" PRIu32, w->rate_iops[DIR_WRITE]);
	buf_addf(b, "\nrate_process=%s\n", arrivals == ARRIVALS_POISSON ? "poisson" : "linear");
}

static void add_section(struct buf *b, const struct fio_job *job, const struct fio_point *p,
			const struct share *w, uint32_t numjobs)
{
	const struct point_spec *s = p->spec;
	enum rw_mode rw = mode_of(s);

	buf_addf(b, "rw=%s\n", rw_name(rw));
	if (rw_is_mixed(rw))
		buf_addf(b, "rwmixread=%" PRIu32 "\n", s->rwmixread_pct);
	if (is_partly_random(s))
		buf_addf(b, "percentage_random=%" PRIu32 "\n", s->random_pct);
	add_size(b, "bs", s->bs_bytes);
	buf_addf(b, "iodepth=%" PRIu32 "\n", w->iodepth);
	if (numjobs > 1)
		buf_addf(b, "numjobs=%" PRIu32 "\n", numjobs);
	add_size(b, "offset", w->offset_bytes);
	add_size(b, "size", w->size_bytes);
	if (point_is_open(s))
		add_rate(b, w, job->arrivals);
	if (p->ramp_ns)
		add_time(b, "ramp_time", p->ramp_ns);
	add_time(b, "runtime", p->runtime_ns);
}

static void add_point(struct buf *b, const struct fio_job *job, const struct fio_point *p)
{
	bool alike = workers_are_alike(p);

	for (uint32_t i = 0; i < (alike ? 1 : p->spec->workers); i++) {
		struct share w = share_of(p, i);

		buf_addf(b, "\n[point-%" PRIu32, p->seq);
		if (!alike)
			buf_addf(b, "-worker-%" PRIu32, i + 1);
		/* The sections of a point run together, and points after each other. */
		buf_addf(b, "]\n%sdescription=", i ? "" : "stonewall\n");
		buf_add_point(b, p->spec);
		buf_addch(b, '\n');
		add_section(b, job, p, &w, alike ? p->spec->workers : 1);
	}
}

static void add_left_out(struct buf *b, const struct fio_point *p, const char *why)
{
	struct buf name = BUF_INIT;

	buf_addf(&name, "point %" PRIu32 " is left out, ", p->seq);
	buf_add_point(&name, p->spec);
	buf_addf(&name, ": %s", why);
	buf_addch(b, '\n');
	add_comment(b, "", buf_text(&name));
	buf_release(&name);
}

int buf_add_fio_jobs(struct buf *b, const struct fio_job *job, const struct fio_point *points,
		     size_t nr, struct err *e)
{
	bool writes = any(points, nr, point_writes);
	struct buf filename = BUF_INIT;

	if (!any(points, nr, is_job))
		return err_set(e, ERR_DATA, "there is no point that fio could do%s%s",
			       nr == 1 ? ": " : "", nr == 1 ? impossible(&points[0]) : "");
	if (add_path(&filename, job->path, e)) {
		buf_release(&filename);
		return -1;
	}
	add_head(b, job, points, nr, writes, buf_text(&filename));
	add_global(b, job, writes, buf_text(&filename));
	buf_release(&filename);
	for (size_t i = 0; i < nr; i++) {
		const char *why = impossible(&points[i]);

		if (why)
			add_left_out(b, &points[i], why);
		else
			add_point(b, job, &points[i]);
	}
	return 0;
}
