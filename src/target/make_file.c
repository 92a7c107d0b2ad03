/* SPDX-License-Identifier: MIT */
#include "target/make_file.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/units.h"
#include "target/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK_BYTES ((size_t)1 << 20)
/* A file system that is filled to the brim hurts everybody else on it. */
#define SPARE_BYTES ((uint64_t)64 << 20)

/* The folder that the file would be in, links resolved; NULL and e when there is none. */
static char *folder_of(const char *path, struct err *e)
{
	const char *slash = strrchr(path, '/');
	char *given = slash ? xstrndup(path, (size_t)(slash - path) + 1) : xstrdup(".");
	char *real = realpath(given, NULL);

	if (!real)
		(void)err_sys(e, ERR_TARGET, errno, "cannot make '%s' in '%s'", path, given);
	free(given);
	return real;
}

static int check_folder(const char *path, const char *folder, uint64_t size_bytes, struct err *e)
{
	uint64_t free_bytes = fs_free_bytes(folder);
	struct buf b = BUF_INIT;
	bool is_memory = false;
	int fd;

	if (!strcmp(folder, "/dev") || !strncmp(folder, "/dev/", 5))
		return err_set(e, ERR_USAGE,
			       "'%s' is below /dev, where files are made in memory; choose a disk",
			       path);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, ERR_TARGET, errno, "cannot open '%s'", folder);
	(void)fs_type(fd, &is_memory);
	(void)close(fd);
	if (is_memory)
		return err_set(e, ERR_USAGE,
			       "'%s' is on a file system in memory, not on storage; choose a disk",
			       path);
	if (free_bytes >= SPARE_BYTES && size_bytes <= free_bytes - SPARE_BYTES)
		return 0;
	buf_add_size_human(&b, free_bytes);
	(void)err_set(e, ERR_TARGET, "'%s' does not fit: only %s are free in '%s'", path,
		      buf_text(&b), folder);
	buf_release(&b);
	return -1;
}

static int fill(int fd, uint64_t size_bytes, uint64_t seed, const volatile sig_atomic_t *nr_signals)
{
	/* Running out of memory must not end the program: half a file would be left. */
	char *data = malloc(CHUNK_BYTES);
	struct rng rng;
	int rc = 0;

	if (!data)
		return -ENOMEM;
	rng_seed(&rng, seed);
	while (!rc && size_bytes) {
		size_t n = size_bytes < CHUNK_BYTES ? (size_t)size_bytes : CHUNK_BYTES;

		rng_fill(&rng, data, n);
		rc = *nr_signals ? -EINTR : file_write_fd(fd, data, n);
		size_bytes -= n;
	}
	free(data);
	if (!rc && fsync(fd) < 0)
		rc = -errno;
	return rc;
}

int target_make_file(const char *path, uint64_t size_bytes, uint64_t seed,
		     const volatile sig_atomic_t *nr_signals, struct err *e)
{
	char *folder;
	int fd, rc;

	if (!size_bytes || size_bytes % 4096)
		return err_set(e, ERR_USAGE,
			       "the size of a scratch file must be a multiple of 4096 bytes");
	if (file_check_links(path, e))
		return -1;
	folder = folder_of(path, e);
	rc = folder ? check_folder(path, folder, size_bytes, e) : -1;
	free(folder);
	if (rc)
		return -1;
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 && errno == EEXIST)
		return err_set(e, ERR_USAGE, "'%s' is there already and is left alone", path);
	if (fd < 0)
		return err_sys(e, ERR_TARGET, errno, "cannot make '%s'", path);
	rc = fill(fd, size_bytes, seed, nr_signals);
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	if (close(fd) < 0 && !rc)
		rc = -errno;
	if (!rc)
		return 0;
	(void)unlink(path);
	if (rc == -EINTR)
		return err_set(e, ERR_INTR, "making '%s' was interrupted; it is removed", path);
	return err_sys(e, ERR_TARGET, -rc, "cannot fill '%s', it is removed", path);
}
