/* SPDX-License-Identifier: MIT */
#include "target/guard.h"

#include "base/buf.h"
#include "base/clock.h"
#include "target/signature.h"
#include "target/sys.h"
#include "target/uses.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* What a check of an open target found. */
struct look {
	const struct target_info *info;
	int fd;
	bool is_claimed;
	struct stat st;
	struct buf use, on_it, pool;
	bool is_held; /* by a program that shows in no list */
};

const char *guard_consent_text(const struct target_info *info)
{
	return info->is_block ? info->identity : info->resolved;
}

int guard_check_consent(const struct target_info *info, const struct str_list *list, struct err *e)
{
	const char *text = guard_consent_text(info);

	for (size_t i = 0; i < list->nr; i++)
		if (!strcmp(list->v[i], text))
			return 0;
	if (list->nr)
		return err_set(e, ERR_USAGE,
			       "this writes to '%s' and destroys what is on it, and no --write-to "
			       "names it; if it is the target that you mean, add --write-to '%s'",
			       info->given, text);
	return err_set(e, ERR_USAGE,
		       "this writes to '%s' and destroys what is on it; to allow that, "
		       "add --write-to '%s'",
		       info->given, text);
}

static int look_begin(struct look *l, const struct target *t, struct err *e)
{
	*l = (struct look){
		.info = target_info_of(t), .fd = target_fd(t), .is_claimed = target_is_claimed(t)};
	return fstat(l->fd, &l->st) < 0
		       ? err_sys(e, ERR_TARGET, errno, "cannot look at '%s'", l->info->given)
		       : 0;
}

static void look_end(struct look *l)
{
	buf_release(&l->use);
	buf_release(&l->on_it);
	buf_release(&l->pool);
}

/* ---- the four questions ---- */

/* Opening a device to write succeeds where it is read-only, and each write then fails. */
static int check_read_only(const struct look *l, struct err *e)
{
	char path[64];
	int value = 0;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", l->fd);
	if (l->info->is_block && ioctl(l->fd, BLKROGET, &value) < 0)
		return err_sys(e, ERR_TARGET, errno, "cannot ask whether '%s' is read-only",
			       l->info->given);
	if (!l->info->is_block && ioctl(l->fd, FS_IOC_GETFLAGS, &value) < 0)
		value = 0;
	if (!l->info->is_block && value & (FS_IMMUTABLE_FL | FS_APPEND_FL))
		return err_set(e, ERR_TARGET,
			       "'%s' may not be written: it is %s; chattr -%c allows it",
			       l->info->given,
			       value & FS_IMMUTABLE_FL ? "immutable" : "for appending only",
			       value & FS_IMMUTABLE_FL ? 'i' : 'a');
	if (l->info->is_block ? value : access(path, W_OK) != 0)
		return err_set(e, ERR_TARGET, "'%s' is read-only and cannot be written",
			       l->info->given);
	return 0;
}

static void add_use(struct buf *use, const char *what)
{
	buf_addf(use, "%s%s", use->len ? ", " : "", what);
}

/* Programs that keep the disks of virtual machines lock what they use. */
static void find_lock(struct look *l)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	if (fcntl(l->fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK)
		add_use(&l->use, "another program has a lock on it");
}

/* The pool is imported where the module shows it; a pool of the same name cannot be told apart. */
static void find_pool(struct look *l)
{
	char *dir = l->pool.len && !strchr(buf_text(&l->pool), '/')
			    ? sys_path("/proc/spl/kstat/zfs/%s", buf_text(&l->pool))
			    : NULL;

	if (dir && access(dir, F_OK) == 0) {
		add_use(&l->use, "a member of the imported ZFS pool ");
		buf_addstr(&l->use, buf_text(&l->pool));
	}
	free(dir);
}

/* D29: a claim fails wherever it is in use, also by what this process cannot see. */
static void try_claim(struct look *l)
{
	char path[64];
	int fd;

	if (l->is_claimed || !l->info->is_block)
		return;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", l->fd);
	fd = open(path, O_RDONLY | O_EXCL | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0)
		(void)close(fd);
	l->is_held = fd < 0 && errno == EBUSY;
}

static void find_use(struct look *l)
{
	uses_find(&l->st, &l->use);
	find_lock(l);
}

static int find_signature(struct look *l, struct err *e)
{
	if (!l->info->is_block || signature_find(l->fd, l->info->size_bytes, &l->on_it, &l->pool))
		return 0;
	return err_set(e, ERR_TARGET, "cannot tell what is on '%s', so it is not written",
		       l->info->given);
}

/* ---- the decision ---- */

static int refuse_use(const struct look *l, struct err *e)
{
	return err_set(e, ERR_TARGET,
		       "'%s' is in use and is not written: %s; no option allows it, only the end "
		       "of that use",
		       l->info->given, buf_text(&l->use));
}

static int decide(struct look *l, bool overwrite_signature, struct err *e)
{
	if (check_read_only(l, e))
		return -1;
	find_use(l);
	if (l->use.len)
		return refuse_use(l, e);
	if (find_signature(l, e))
		return -1;
	find_pool(l);
	if (l->use.len)
		return refuse_use(l, e);
	try_claim(l);
	if (l->is_held)
		return err_set(e, ERR_TARGET,
			       "'%s' is in use: another program holds it exclusively; no option "
			       "allows to write it, only the end of that use",
			       l->info->given);
	if (l->on_it.len && !overwrite_signature)
		return err_set(e, ERR_TARGET,
			       "'%s' carries data (%s) and is not written; if that may be "
			       "destroyed, add --overwrite-signature",
			       l->info->given, buf_text(&l->on_it));
	return 0;
}

int guard_check_idle(const struct target_info *info, bool overwrite_signature, struct err *e)
{
	struct target *t;
	struct look l;
	int rc;

	if (target_open(info, false, &t, e))
		return -1;
	rc = look_begin(&l, t, e) ? -1 : decide(&l, overwrite_signature, e);
	look_end(&l);
	target_close(t);
	return rc;
}

void guard_add_decision(struct facts *found, const char *detail, const char *decision)
{
	struct buf name = BUF_INIT;

	buf_addstr(&name, FACT_GUARD_AT);
	buf_add_utc(&name, clock_wall_ns());
	if (detail)
		buf_addf(&name, " %s", detail);
	facts_set(found, buf_text(&name), decision);
	buf_release(&name);
}

static void add_facts(const struct look *l, bool overwrite_signature, const char *refusal,
		      struct facts *found)
{
	struct buf b = BUF_INIT;

	buf_add_utc(&b, clock_wall_ns());
	facts_set(found, FACT_GUARD_TIME, buf_text(&b));
	buf_reset(&b);
	if (l->info->is_block)
		buf_addf(&b, "device %u:%u", major(l->st.st_rdev), minor(l->st.st_rdev));
	else
		buf_addf(&b, "inode %" PRIu64 " on device %u:%u", (uint64_t)l->st.st_ino,
			 major(l->st.st_dev), minor(l->st.st_dev));
	buf_addf(&b, " of %" PRIu64 " bytes, through descriptor %d%s", l->info->size_bytes, l->fd,
		 l->is_claimed ? ", claimed exclusively" : "");
	facts_set(found, FACT_GUARD_TARGET, buf_text(&b));
	facts_set(found, FACT_GUARD_IN_USE,
		  l->use.len   ? buf_text(&l->use)
		  : l->is_held ? "by another program"
			       : "no");
	facts_set(found, FACT_GUARD_ON_IT,
		  l->on_it.len	      ? buf_text(&l->on_it)
		  : l->info->is_block ? "nothing"
				      : "not looked for in a file");
	buf_reset(&b);
	if (refusal)
		buf_addf(&b, "refused: %s", refusal);
	else
		buf_addf(&b, "allowed by --write-to %s%s", guard_consent_text(l->info),
			 overwrite_signature ? " and --overwrite-signature" : "");
	facts_set(found, FACT_GUARD_DECISION, buf_text(&b));
	guard_add_decision(found, NULL, buf_text(&b));
	buf_release(&b);
}

int guard_check_target(const struct target *t, bool overwrite_signature, struct facts *found,
		       struct err *e)
{
	struct err refusal = {0};
	struct look l;
	int rc;

	rc = look_begin(&l, t, &refusal) ? -1 : decide(&l, overwrite_signature, &refusal);
	add_facts(&l, overwrite_signature, rc ? refusal.msg : NULL, found);
	look_end(&l);
	if (rc && e)
		*e = refusal;
	return rc;
}

int guard_check_point(const struct target *t, bool writes, struct err *e)
{
	struct look l;
	int rc;

	if (target_check_medium(t, e))
		return -1;
	if (!writes)
		return 0;
	rc = look_begin(&l, t, e) || target_check_names(t, e) || check_read_only(&l, e) ? -1 : 0;
	if (!rc)
		find_use(&l);
	if (l.use.len)
		rc = err_set(e, ERR_TARGET, "'%s' came into use: %s", l.info->given,
			     buf_text(&l.use));
	look_end(&l);
	return rc;
}
