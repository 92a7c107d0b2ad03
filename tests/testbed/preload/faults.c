/* SPDX-License-Identifier: MIT */
/*
 * A library for LD_PRELOAD that makes one call of a program fail.
 *
 *   FAULT_CALL   what fails: a name of the table below
 *   FAULT_AT     the first call of it that fails, from 1; 0 or more than there are: none
 *   FAULT_COUNT  how many fail from there on (1)
 *   FAULT_ERRNO  the errno, as a number; "short": half of it is done, where the call can do that
 *   FAULT_STATE  a file of struct state below, which tells whoever waits for the program how many calls of each
 *                name there were, how many failed, and from where the first of those was called
 *
 * Processes that the program starts are left alone. A call that fails does nothing, but that close closes, as it does
 * in Linux. Names stand for what a program can reach by several functions, such as open64 and fopen.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <libaio.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* clang-format off */
#define NAMES(X) \
	X(alloc) \
	X(open) \
	X(mkdir) \
	X(mktemp) \
	X(opendir) \
	X(read) X(write) X(print) X(fsync) X(ftruncate) X(fchmod) X(close) X(rename) X(unlink) \
		X(rmdir) X(stat) X(fcntl) X(flock) X(ioctl) X(mmap) X(memfd) X(thread) X(pipe) \
			X(spawn) X(wait) X(poll) X(io_setup) X(io_submit) X(io_getevents) \
				X(io_destroy)
/* clang-format on */

#define ENUM(name) CALL_##name,
#define TEXT(name) #name,

enum call { NAMES(ENUM) NR_CALLS };
static const char *const names[] = {NAMES(TEXT)};

#define NR_FRAMES 12
#define SHORT	  (-1)

struct counter {
	char name[16];
	_Atomic uint64_t nr;
};

struct state {
	_Atomic uint64_t failed;
	uint64_t frame[NR_FRAMES]; /* addresses in the program; 0 for those elsewhere */
	struct counter calls[NR_CALLS];
};

/* Until the constructor is through nothing is counted: that is the loader's work, and not the program's. */
static struct state nowhere, *state = &nowhere;
static int chosen = -1;
static uint64_t at, count = 1;
static int fault_errno = EIO;
static uintptr_t begin, end;

static int find_program(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	begin = info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD)
			end = begin + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
	return 1;
}

static uint64_t number(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : otherwise;
}

__attribute__((constructor)) static void begin_counting(void)
{
	const char *call = getenv("FAULT_CALL"), *path = getenv("FAULT_STATE");
	const char *errnum = getenv("FAULT_ERRNO");
	int fd = path ? open(path, O_RDWR) : -1;
	void *frame[1], *page = MAP_FAILED;

	(void)unsetenv("LD_PRELOAD");
	(void)dl_iterate_phdr(find_program, NULL);
	(void)backtrace(frame, 1); /* which allocates for the first time */
	at = number("FAULT_AT", 0);
	count = number("FAULT_COUNT", 1);
	fault_errno = errnum && !strcmp(errnum, "short") ? SHORT : (int)number("FAULT_ERRNO", EIO);
	if (fd >= 0 && !ftruncate(fd, sizeof(*state)))
		page = mmap(NULL, sizeof(*state), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		(void)close(fd);
	if (page == MAP_FAILED) {
		(void)fputs("faults: FAULT_STATE names no file\n", stderr);
		abort();
	}
	for (int i = 0; call && i < NR_CALLS; i++)
		if (!strcmp(names[i], call))
			chosen = i;
	state = page;
	memset(page, 0, sizeof(*state));
	for (int i = 0; i < NR_CALLS; i++)
		(void)snprintf(state->calls[i].name, sizeof(state->calls[i].name), "%s", names[i]);
}

static void tell_where(void)
{
	void *frame[NR_FRAMES + 2];
	int nr = backtrace(frame, NR_FRAMES + 2);

	for (int i = 2; i < nr; i++)
		if ((uintptr_t)frame[i] >= begin && (uintptr_t)frame[i] < end)
			state->frame[i - 2] = (uintptr_t)frame[i] - begin;
}

/* Whether this call is one that fails; errno is set then. */
static bool fails(enum call call)
{
	uint64_t nr;

	if (state == &nowhere)
		return false;
	nr = atomic_fetch_add(&state->calls[call].nr, 1) + 1;
	if ((int)call != chosen || !at || nr < at || nr - at >= count)
		return false;
	if (atomic_fetch_add(&state->failed, 1) == 0)
		tell_where();
	errno = fault_errno;
	return true;
}

/* The function that this one stands before. */
#define REAL(name) \
	static __typeof__(&name) real; \
	if (!real) \
	real = (__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name)

/* ---- memory ---- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t nr, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
	return fails(CALL_alloc) ? NULL : __libc_malloc(size);
}

void *calloc(size_t nr, size_t size)
{
	return fails(CALL_alloc) ? NULL : __libc_calloc(nr, size);
}

void *realloc(void *p, size_t size)
{
	return fails(CALL_alloc) ? NULL : __libc_realloc(p, size);
}

int posix_memalign(void **p, size_t alignment, size_t size)
{
	if (fails(CALL_alloc))
		return errno;
	*p = __libc_memalign(alignment, size);
	return *p ? 0 : ENOMEM;
}

#define MMAP(name) \
	void *name(void *addr, size_t len, int prot, int flags, int fd, off64_t offset) \
	{ \
		REAL(name); \
		return fails(CALL_mmap) ? MAP_FAILED : real(addr, len, prot, flags, fd, offset); \
	}
MMAP(mmap)
MMAP(mmap64)

int memfd_create(const char *name, unsigned flags)
{
	REAL(memfd_create);
	return fails(CALL_memfd) ? -1 : real(name, flags);
}

/* ---- files ---- */

int __open64_2(const char *path, int flags);
static mode_t mode_of(int flags, va_list ap)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
}

int open64(const char *path, int flags, ...)
{
	REAL(open64);
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = mode_of(flags, ap);
	va_end(ap);
	return fails(CALL_open) ? -1 : real(path, flags, mode);
}

int __open64_2(const char *path, int flags)
{
	return open64(path, flags);
}

FILE *fopen64(const char *path, const char *mode)
{
	REAL(fopen64);
	return fails(CALL_open) ? NULL : real(path, mode);
}

int mkdir(const char *path, mode_t mode)
{
	REAL(mkdir);
	return fails(CALL_mkdir) ? -1 : real(path, mode);
}

char *mkdtemp(char *template)
{
	REAL(mkdtemp);
	return fails(CALL_mktemp) ? NULL : real(template);
}

int mkostemp64(char *template, int flags)
{
	REAL(mkostemp64);
	return fails(CALL_mktemp) ? -1 : real(template, flags);
}

static size_t half(size_t len)
{
	return len > 1 ? len / 2 : len;
}

/* What a transfer of len bytes comes to when it fails: -1, or the first half of it. */
#define TRANSFER(call, whole, part) \
	do { \
		if (!fails(call)) \
			return whole; \
		return fault_errno == SHORT ? part : -1; \
	} while (0)

ssize_t read(int fd, void *data, size_t len)
{
	REAL(read);
	TRANSFER(CALL_read, real(fd, data, len), real(fd, data, half(len)));
}

ssize_t pread64(int fd, void *data, size_t len, off64_t offset)
{
	REAL(pread64);
	TRANSFER(CALL_read, real(fd, data, len, offset), real(fd, data, half(len), offset));
}

ssize_t write(int fd, const void *data, size_t len)
{
	REAL(write);
	TRANSFER(CALL_write, real(fd, data, len), real(fd, data, half(len)));
}

ssize_t pwrite64(int fd, const void *data, size_t len, off64_t offset)
{
	REAL(pwrite64);
	TRANSFER(CALL_write, real(fd, data, len, offset), real(fd, data, half(len), offset));
}

/* What is printed is written inside libc, where nothing can stand before it. */
size_t fwrite(const void *data, size_t size, size_t nr, FILE *f)
{
	REAL(fwrite);
	if (f == stderr || !fails(CALL_print))
		return real(data, size, nr, f);
	return fault_errno == SHORT ? real(data, size, half(nr), f) : 0;
}

int fflush(FILE *f)
{
	REAL(fflush);
	return f != stderr && fails(CALL_print) ? EOF : real(f);
}

/* Nothing is flushed: that would take most of the time, and no power fails here. */
int fsync(int fd)
{
	(void)fd;
	return fails(CALL_fsync) ? -1 : 0;
}

int fdatasync(int fd)
{
	return fsync(fd);
}

int ftruncate64(int fd, off64_t size)
{
	REAL(ftruncate64);
	return fails(CALL_ftruncate) ? -1 : real(fd, size);
}

int fchmod(int fd, mode_t mode)
{
	REAL(fchmod);
	return fails(CALL_fchmod) ? -1 : real(fd, mode);
}

int close(int fd)
{
	REAL(close);
	bool has_failed = fails(CALL_close);
	int rc = real(fd);

	if (!has_failed)
		return rc;
	errno = fault_errno;
	return -1;
}

int rename(const char *from, const char *to)
{
	REAL(rename);
	return fails(CALL_rename) ? -1 : real(from, to);
}

int unlink(const char *path)
{
	REAL(unlink);
	return fails(CALL_unlink) ? -1 : real(path);
}

int unlinkat(int fd, const char *path, int flags)
{
	REAL(unlinkat);
	return fails(CALL_unlink) ? -1 : real(fd, path, flags);
}

int rmdir(const char *path)
{
	REAL(rmdir);
	return fails(CALL_rmdir) ? -1 : real(path);
}

#define STAT(name) \
	int name(const char *path, struct stat64 *st) \
	{ \
		REAL(name); \
		return fails(CALL_stat) ? -1 : real(path, st); \
	}
STAT(stat64)
STAT(lstat64)

int fstat64(int fd, struct stat64 *st)
{
	REAL(fstat64);
	return fails(CALL_stat) ? -1 : real(fd, st);
}

int fcntl64(int fd, int cmd, ...)
{
	REAL(fcntl64);
	va_list ap;
	void *arg;

	va_start(ap, cmd);
	arg = va_arg(ap, void *);
	va_end(ap);
	/* Giving a lock back does not fail in Linux. */
	if ((cmd == F_SETLK || cmd == F_SETLKW) && ((struct flock *)arg)->l_type == F_UNLCK)
		return real(fd, cmd, arg);
	return fails(CALL_fcntl) ? -1 : real(fd, cmd, arg);
}

int flock(int fd, int operation)
{
	REAL(flock);
	return fails(CALL_flock) ? -1 : real(fd, operation);
}

int ioctl(int fd, unsigned long request, ...)
{
	REAL(ioctl);
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	return fails(CALL_ioctl) ? -1 : real(fd, request, arg);
}

DIR *opendir(const char *name)
{
	REAL(opendir);
	return fails(CALL_opendir) ? NULL : real(name);
}

/* ---- processes and threads ---- */

int pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
	REAL(pthread_create);
	return fails(CALL_thread) ? fault_errno : real(id, attr, run, arg);
}

int pipe2(int fd[2], int flags)
{
	REAL(pipe2);
	return fails(CALL_pipe) ? -1 : real(fd, flags);
}

int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
		 const posix_spawnattr_t *attr, char *const argv[], char *const env[])
{
	REAL(posix_spawnp);
	return fails(CALL_spawn) ? fault_errno : real(pid, file, actions, attr, argv, env);
}

pid_t waitpid(pid_t pid, int *status, int options)
{
	REAL(waitpid);
	return fails(CALL_wait) ? -1 : real(pid, status, options);
}

int poll(struct pollfd *fds, nfds_t nr, int timeout)
{
	REAL(poll);
	return fails(CALL_poll) ? -1 : real(fds, nr, timeout);
}

/* ---- asynchronous I/O: these return -errno, but for the plain system call ---- */

int io_setup(int nr, io_context_t *ctx)
{
	REAL(io_setup);
	return fails(CALL_io_setup) ? -fault_errno : real(nr, ctx);
}

int io_destroy(io_context_t ctx)
{
	REAL(io_destroy);
	return fails(CALL_io_destroy) ? -fault_errno : real(ctx);
}

int io_getevents(io_context_t ctx, long least, long most, struct io_event *events,
		 struct timespec *timeout)
{
	REAL(io_getevents);
	return fails(CALL_io_getevents) ? -fault_errno : real(ctx, least, most, events, timeout);
}

long syscall(long nr, ...)
{
	REAL(syscall);
	long arg[6];
	va_list ap;

	va_start(ap, nr);
	for (int i = 0; i < 6; i++)
		arg[i] = va_arg(ap, long);
	va_end(ap);
	if (nr == SYS_io_submit && fails(CALL_io_submit)) {
		if (fault_errno != SHORT)
			return -1;
		arg[1] = (long)half((size_t)arg[1]);
	}
	return real(nr, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}
