/* SPDX-License-Identifier: MIT */
/*
 * A simulated storage array: a target whose ceiling, saturation depth and latency are known.
 *
 *   array MOUNTPOINT [key=value ...]
 *
 * mounts a FUSE file system with three files:
 *   lun     the target: open it with O_DIRECT, or attach a loop device to it
 *   ctl     write commands to it, one a line; a bad one fails with EINVAL
 *   stats   what the array itself saw, as "name value" lines
 *
 * Keys: those of model.h, and
 *   size=4T            size of the lun
 *   data=pattern       what reads return: pattern (each 512-byte sector begins with its offset, as
 *                      a 64-bit integer of the host), zero, or the path of a file, which keeps writes too
 *   log=FILE           one line for each request: R or W, offset, length in bytes
 *   realtime=0         1: SCHED_FIFO, for accuracy on a busy machine (root)
 *   early_us=0         answer that much before time, to make up for the way back to the host
 *   spin_us=0          wait actively when the next event is that near
 *   max_background=1024  requests that the kernel sends at a time (its own default is 12)
 *   speed=1            virtual milliseconds per real one
 *   seed=1             of the random numbers
 *
 * Commands:
 *   set KEY=VALUE      change the model for requests that come from now on
 *   eio_read P         each read fails with EIO with probability P; eio_write likewise
 *   eio_at OFFSET LENGTH   requests that touch these bytes fail with EIO; length 0 ends that
 *   short P            a read returns half of its length with probability P
 *   corrupt P          a read returns one wrong byte with probability P
 *   hang, unhang       complete nothing; complete what was held
 *   stall MS           complete nothing for so long (real time)
 *   die                end at once, as a crash
 *   reset              forget the statistics and empty the log
 *
 * One thread waits in ppoll for the kernel and for the next event of the model. The model runs in
 * virtual time, so being late once does not make anything later.
 */
#include "control.h"
#include "lun.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"

#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#define BATCH 64 /* requests taken before looking at the time again */

enum { INODE_ROOT = FUSE_ROOT_ID, INODE_LUN, INODE_CTL, INODE_STATS };

static const char *const file_names[] = {
	[INODE_LUN] = "lun", [INODE_CTL] = "ctl", [INODE_STATS] = "stats"};

struct server {
	struct lun lun;
	struct fuse_session *session;
	double realtime, early_us, spin_us, max_background, seed;
};

static struct lun *lun_of(fuse_req_t req)
{
	struct server *s = fuse_req_userdata(req);

	return &s->lun;
}

/* ---- FUSE operations ---- */

static void fill_stat(const struct lun *l, fuse_ino_t ino, struct stat *st)
{
	*st = (struct stat){.st_ino = ino, .st_nlink = 1, .st_blksize = 4096};
	if (ino == INODE_ROOT) {
		st->st_mode = S_IFDIR | 0755;
		st->st_nlink = 2;
		return;
	}
	st->st_mode = S_IFREG | 0644;
	if (ino == INODE_LUN)
		st->st_size = (off_t)l->size_bytes;
	st->st_blocks = st->st_size / LUN_SECTOR_BYTES;
}

/* Without these settings O_DIRECT libaio would be served one request at a time. */
static void op_init(void *userdata, struct fuse_conn_info *conn)
{
	const struct server *s = userdata;

	conn->max_background = conn->congestion_threshold = (unsigned)s->max_background;
	conn->max_write = conn->max_read = LUN_MAX_REQUEST_BYTES;
	conn->max_readahead = 0;
	conn->want |= conn->capable & FUSE_CAP_ASYNC_DIO;
	conn->want &=
		~(unsigned)(FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE | FUSE_CAP_SPLICE_MOVE);
}

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct fuse_entry_param entry = {.attr_timeout = 3600, .entry_timeout = 3600};

	for (fuse_ino_t ino = INODE_LUN; parent == INODE_ROOT && ino < NR(file_names); ino++)
		if (!strcmp(name, file_names[ino]))
			entry.ino = ino;
	if (!entry.ino) {
		fuse_reply_err(req, ENOENT);
		return;
	}
	fill_stat(lun_of(req), entry.ino, &entry.attr);
	fuse_reply_entry(req, &entry);
}

static void op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct stat st;

	(void)fi;
	fill_stat(lun_of(req), ino, &st);
	fuse_reply_attr(req, &st, 3600);
}

/* truncate on the lun changes its size, as an array that shrinks under its host. */
static void op_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *attr, int to_set,
		       struct fuse_file_info *fi)
{
	struct lun *l = lun_of(req);
	struct stat st;

	(void)fi;
	if (ino == INODE_LUN && (to_set & FUSE_SET_ATTR_SIZE) && attr->st_size > 0)
		l->size_bytes = (uint64_t)attr->st_size;
	fill_stat(l, ino, &st);
	fuse_reply_attr(req, &st, 0);
}

static void op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset,
		       struct fuse_file_info *fi)
{
	char entries[512];
	size_t len = 0;

	(void)fi;
	if (ino != INODE_ROOT) {
		fuse_reply_err(req, ENOTDIR);
		return;
	}
	for (fuse_ino_t i = INODE_LUN; offset == 0 && i < NR(file_names); i++) {
		struct stat st;

		fill_stat(lun_of(req), i, &st);
		len += fuse_add_direntry(req, entries + len, sizeof(entries) - len, file_names[i],
					 &st, (off_t)i);
	}
	fuse_reply_buf(req, entries, len < size ? len : size);
}

static void op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	fi->direct_io = ino != INODE_LUN; /* the size of the others is not known beforehand */
	fuse_reply_open(req, fi);
}

static void reply_stats(fuse_req_t fuse, const struct lun *l, size_t size, size_t offset)
{
	struct buf b = BUF_INIT;

	lun_add_stats(l, &b);
	if (offset >= b.len)
		fuse_reply_buf(fuse, NULL, 0);
	else
		fuse_reply_buf(fuse, b.text + offset,
			       size < b.len - offset ? size : b.len - offset);
	buf_release(&b);
}

static void op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset,
		    struct fuse_file_info *fi)
{
	(void)fi;
	if (ino == INODE_LUN)
		lun_submit(lun_of(req), req, false, (uint64_t)offset, size, NULL);
	else if (ino == INODE_STATS)
		reply_stats(req, lun_of(req), size, (size_t)offset);
	else
		fuse_reply_buf(req, NULL, 0);
}

static void reply_commands(fuse_req_t req, struct lun *l, const char *text, size_t size)
{
	struct err e = {0};

	if (control_run(l, text, size, &e)) {
		fprintf(stderr, "array: %s\n", e.msg);
		fuse_reply_err(req, EINVAL);
	} else {
		fuse_reply_write(req, size);
	}
}

static void op_write(fuse_req_t req, fuse_ino_t ino, const char *data, size_t size, off_t offset,
		     struct fuse_file_info *fi)
{
	struct lun *l = lun_of(req);

	(void)fi;
	if (ino == INODE_STATS)
		fuse_reply_err(req, EACCES);
	else if (ino == INODE_CTL)
		reply_commands(req, l, data, size);
	else if ((uint64_t)offset + size > l->size_bytes)
		fuse_reply_err(req, ENOSPC);
	else
		lun_submit(lun_of(req), req, true, (uint64_t)offset, size, data);
}

static void op_fsync(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi)
{
	(void)ino;
	(void)datasync;
	(void)fi;
	fuse_reply_err(req, 0);
}

static void op_fallocate(fuse_req_t req, fuse_ino_t ino, int mode, off_t offset, off_t length,
			 struct fuse_file_info *fi)
{
	(void)ino;
	(void)mode;
	(void)offset;
	(void)length;
	(void)fi;
	fuse_reply_err(req, EOPNOTSUPP);
}

static const struct fuse_lowlevel_ops operations = {
	.init = op_init,
	.lookup = op_lookup,
	.getattr = op_getattr,
	.setattr = op_setattr,
	.readdir = op_readdir,
	.open = op_open,
	.read = op_read,
	.write = op_write,
	.fsync = op_fsync,
	.fallocate = op_fallocate,
};

/* ---- the loop ---- */

/* Take what the kernel has for us, at most a batch: how much that was. */
static int take_requests(struct server *s, struct fuse_buf *fb)
{
	int nr = 0;

	for (int i = 0; i < BATCH; i++) {
		int rc = fuse_session_receive_buf(s->session, fb);

		if (rc == -EINTR)
			continue;
		if (rc == -EAGAIN)
			break;
		if (rc <= 0) {
			fuse_session_exit(s->session);
			break;
		}
		fuse_session_process_buf(s->session, fb);
		nr++;
		model_run(&s->lun.model, lun_now_ms(&s->lun) + s->early_us / 1e3 * s->lun.speed);
	}
	return nr;
}

/* Real microseconds until due_ms. */
static double us_until(const struct server *s, double due_ms)
{
	return fmax(0, (due_ms - lun_now_ms(&s->lun)) / s->lun.speed * 1e3);
}

/* How long to sleep: HUGE_VAL when only the kernel can wake us. */
static double sleep_us(const struct server *s)
{
	double due_ms, us = HUGE_VAL;

	if (model_next(&s->lun.model, &due_ms))
		us = fmax(0, us_until(s, due_ms) - s->early_us - s->spin_us);
	if (s->lun.held && !s->lun.faults.hang)
		us = fmin(us, us_until(s, s->lun.faults.stalled_until_ms));
	return us;
}

static void wait_for_kernel(const struct server *s, double us)
{
	struct pollfd pollfd = {.fd = fuse_session_fd(s->session), .events = POLLIN};
	struct timespec timeout = {0};

	if (us <= 0)
		return;
	if (isfinite(us)) {
		timeout.tv_sec = (time_t)(us / 1e6);
		timeout.tv_nsec = (long)(fmod(us, 1e6) * 1e3);
	}
	ppoll(&pollfd, 1, isfinite(us) ? &timeout : NULL, NULL);
}

static void serve(struct server *s)
{
	struct fuse_buf fb = {0};

	while (!fuse_session_exited(s->session)) {
		int nr_taken = take_requests(s, &fb);

		model_run(&s->lun.model, lun_now_ms(&s->lun) + s->early_us / 1e3 * s->lun.speed);
		if (s->lun.held && !lun_is_held_up(&s->lun))
			lun_answer_held(&s->lun);
		if (nr_taken == 0)
			wait_for_kernel(s, sleep_us(s));
	}
	free(fb.mem);
}

/* ---- starting and ending ---- */

static const struct real_option {
	const char *key;
	size_t offset;
	double max;
} real_options[] = {
	{"realtime", offsetof(struct server, realtime), 1},
	{"early_us", offsetof(struct server, early_us), 1e6},
	{"spin_us", offsetof(struct server, spin_us), 1e6},
	{"max_background", offsetof(struct server, max_background), 65535},
	{"speed", offsetof(struct server, lun.speed), 1000},
	{"seed", offsetof(struct server, seed), 0x1p53},
};

/* The value in "key=value", or NULL if the option has another key. */
static const char *value_of(const char *arg, const char *key)
{
	size_t len = strlen(key);

	return !strncmp(arg, key, len) && arg[len] == '=' ? arg + len + 1 : NULL;
}

static int parse_option(struct server *s, const char *arg, struct err *e)
{
	const char *value;

	for (size_t i = 0; i < NR(real_options); i++) {
		const struct real_option *o = &real_options[i];

		if ((value = value_of(arg, o->key)))
			return control_real(value, o->max, (double *)((char *)s + o->offset), e)
				       ? err_wrap(e, "%s", o->key)
				       : 0;
	}
	if ((value = value_of(arg, "size")))
		return units_parse_size(value, &s->lun.size_bytes, e);
	if ((value = value_of(arg, "data"))) {
		s->lun.data = value;
		return 0;
	}
	if ((value = value_of(arg, "log"))) {
		s->lun.log_path = value;
		return 0;
	}
	return control_set_model(&s->lun.model, arg, false, e);
}

static int check_options(const struct server *s, struct err *e)
{
	uint64_t size_bytes = s->lun.size_bytes;

	if (s->lun.speed <= 0)
		return err_set(e, ERR_USAGE, "speed must be above 0");
	if (s->max_background < 1)
		return err_set(e, ERR_USAGE, "max_background must be 1 or more");
	if (size_bytes == 0 || size_bytes % 4096 != 0)
		return err_set(e, ERR_USAGE, "size must be a multiple of 4096 bytes, and not 0");
	return 0;
}

static int mount_at(struct server *s, const char *mountpoint, struct err *e)
{
	char name[] = "array", mount_options[] = "-oallow_other,fsname=array,max_read=1048576";
	char *argv[] = {name, mount_options, NULL};
	struct fuse_args args = FUSE_ARGS_INIT(2, argv);
	int fd;

	s->session = fuse_session_new(&args, &operations, sizeof(operations), s);
	fuse_opt_free_args(&args);
	if (!s->session)
		return err_set(e, ERR_SYSTEM, "cannot make a FUSE session");
	if (fuse_set_signal_handlers(s->session) || fuse_session_mount(s->session, mountpoint))
		return err_set(e, ERR_SYSTEM, "cannot mount on '%s'", mountpoint);
	fd = fuse_session_fd(s->session);
	if (fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK))
		return err_sys(e, ERR_SYSTEM, errno, "cannot set up the FUSE device");
	return 0;
}

/* What makes the answers punctual; it works without, only less so. */
static void become_punctual(const struct server *s)
{
	/* Above any load, however urgent that is made. */
	struct sched_param param = {.sched_priority = 40};

	if (prctl(PR_SET_TIMERSLACK, 1UL))
		perror("array: timer slack");
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		perror("array: mlockall");
	if (s->realtime > 0 && sched_setscheduler(0, SCHED_FIFO, &param))
		perror("array: SCHED_FIFO");
}

static int start(struct server *s, int argc, char **argv, struct err *e)
{
	if (argc < 2)
		return err_set(e, ERR_USAGE, "usage: array MOUNTPOINT [key=value ...]");
	for (int i = 2; i < argc; i++)
		if (parse_option(s, argv[i], e))
			return -1;
	model_seed(&s->lun.model, (uint64_t)s->seed);
	return check_options(s, e) || lun_open(&s->lun, e) || mount_at(s, argv[1], e) ? -1 : 0;
}

/* What is still in flight is answered to a file system that is gone, which frees its memory. */
static int stop(struct server *s, struct err *e)
{
	int rc;

	if (s->session)
		fuse_session_unmount(s->session);
	rc = lun_close(&s->lun, e);
	if (s->session)
		fuse_session_destroy(s->session);
	return rc;
}

int main(int argc, char **argv)
{
	static struct server server = {.max_background = 1024, .seed = 1};
	struct server *s = &server;
	struct err e = {0};

	lun_init(&s->lun);
	if (!start(s, argc, argv, &e)) {
		become_punctual(s);
		serve(s);
	}
	stop(s, e.code ? NULL : &e);
	if (e.code)
		fprintf(stderr, "array: %s\n", e.msg);
	return e.code ? err_exit_status(e.code) : 0;
}
