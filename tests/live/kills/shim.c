/* Loaded before libc (LD_PRELOAD): a wall clock that is off, a disk that is slow or refuses, an end at some change.
 *
 * What is off is read from one mapped page (SHIM_PAGE), so it changes while the process runs: nanoseconds that the
 * wall clock is ahead, microseconds that a write to the disk and an fsync take longer, the errno with which writes
 * below SHIM_FOLDER end. The monotonic clock is left alone: Python hangs without it. A process kills itself where one of
 * the counts comes to nothing: of names made, changed or removed there, of writes, of what is sent through sockets.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

struct page {
    int64_t ahead_ns, fsync_us, write_us, refuse, names, writes, sends;
};

static volatile struct page *page;
static const char *folder;

#define REAL(name) ((void)(real_##name || (real_##name = dlsym(RTLD_NEXT, #name))), real_##name)

static int (*real_clock_gettime)(clockid_t, struct timespec *);
static int (*real_gettimeofday)(struct timeval *, void *);
static int (*real_open)(const char *, int, ...);
static int (*real_openat)(int, const char *, int, ...);
static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_writev)(int, const struct iovec *, int);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_pwritev)(int, const struct iovec *, int, off_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_ftruncate)(int, off_t);
static int (*real_rename)(const char *, const char *);
static int (*real_unlink)(const char *);
static ssize_t (*real_send)(int, const void *, size_t, int);

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("SHIM_PAGE");
    int file = path ? REAL(open)(path, O_RDWR | O_CLOEXEC) : -1;
    folder = getenv("SHIM_FOLDER");
    if (file < 0) return;
    void *found = mmap(NULL, sizeof(struct page), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (found != MAP_FAILED) page = found;
}

int clock_gettime(clockid_t clock, struct timespec *at) {
    int done = REAL(clock_gettime)(clock, at);
    if (done == 0 && page && page->ahead_ns && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        int64_t all = (int64_t)at->tv_sec * 1000000000 + at->tv_nsec + page->ahead_ns;
        at->tv_sec = all / 1000000000, at->tv_nsec = all % 1000000000;
    }
    return done;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
    int done = REAL(gettimeofday)(at, zone);
    if (done == 0 && page && page->ahead_ns) {
        int64_t all = (int64_t)at->tv_sec * 1000000 + at->tv_usec + page->ahead_ns / 1000;
        at->tv_sec = all / 1000000, at->tv_usec = all % 1000000;
    }
    return done;
}

time_t time(time_t *to) {
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    if (to) *to = at.tv_sec;
    return at.tv_sec;
}

static void wait_us(int64_t us) {
    struct timespec left = {us / 1000000, us % 1000000 * 1000};
    while (us > 0 && nanosleep(&left, &left)) {}
}

static int below(const char *path) { return folder && strncmp(path, folder, strlen(folder)) == 0; }

static int ours(int file) {
    char link[40], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return below(path);
}

/* One less is left until the end; it is over before the last one is done. */
static void count(volatile int64_t *left) {
    if (*left && __atomic_sub_fetch(left, 1, __ATOMIC_SEQ_CST) == 0) kill(getpid(), SIGKILL);
}

static void count_name(const char *path) {
    if (page && page->names && below(path)) count(&page->names);
}

/* Whether a write to this file is refused (errno says why); it takes as long as writes take now. */
static int refused(int file) {
    if (!page || !(page->refuse || page->write_us || page->writes)) return 0;
    int before = errno, mine = ours(file);
    errno = before;
    if (!mine) return 0;
    count(&page->writes);
    wait_us(page->write_us);
    if (page->refuse) errno = (int)page->refuse;
    return page->refuse != 0;
}

static int refused_path(const char *path) {
    if (!page || !page->refuse || !below(path)) return 0;
    errno = (int)page->refuse;
    return 1;
}

static int changes(int flags) { return flags & (O_CREAT | O_TRUNC) || (flags & O_ACCMODE) != O_RDONLY; }

/* A full disk opens files that are there, a read-only one opens none for writing. */
static int refuses_open(const char *path, int flags) {
    if (flags & O_CREAT && page && page->names && access(path, F_OK) != 0) count_name(path);
    if (!changes(flags) || (page && page->refuse == ENOSPC && access(path, F_OK) == 0)) return 0;
    return refused_path(path);
}

int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    return refuses_open(path, flags) ? -1 : REAL(open)(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    return refuses_open(path, flags) ? -1 : REAL(open)(path, flags | O_LARGEFILE, mode);
}

int openat(int at, const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    return refuses_open(path, flags) ? -1 : REAL(openat)(at, path, flags, mode);
}

int openat64(int at, const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    return refuses_open(path, flags) ? -1 : REAL(openat)(at, path, flags | O_LARGEFILE, mode);
}

ssize_t write(int file, const void *data, size_t size) { return refused(file) ? -1 : REAL(write)(file, data, size); }

ssize_t writev(int file, const struct iovec *parts, int count) {
    return refused(file) ? -1 : REAL(writev)(file, parts, count);
}

ssize_t pwrite(int file, const void *data, size_t size, off_t at) {
    return refused(file) ? -1 : REAL(pwrite)(file, data, size, at);
}

ssize_t pwrite64(int file, const void *data, size_t size, off64_t at) { return pwrite(file, data, size, at); }

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t at) {
    return refused(file) ? -1 : REAL(pwritev)(file, parts, count, at);
}

ssize_t pwritev64(int file, const struct iovec *parts, int count, off64_t at) {
    return pwritev(file, parts, count, at);
}

static int refused_sync(int file) {
    if (page && page->fsync_us && ours(file)) wait_us(page->fsync_us);
    return refused(file);
}

int fsync(int file) { return refused_sync(file) ? -1 : REAL(fsync)(file); }

int fdatasync(int file) { return refused_sync(file) ? -1 : REAL(fdatasync)(file); }

int ftruncate(int file, off_t size) { return refused(file) ? -1 : REAL(ftruncate)(file, size); }

int ftruncate64(int file, off64_t size) { return ftruncate(file, size); }

int rename(const char *from, const char *to) {
    count_name(to);
    return refused_path(to) ? -1 : REAL(rename)(from, to);
}

int unlink(const char *path) {
    count_name(path);
    return page && page->refuse != ENOSPC && refused_path(path) ? -1 : REAL(unlink)(path);
}

ssize_t send(int file, const void *data, size_t size, int flags) {
    if (page && page->sends) count(&page->sends);
    return REAL(send)(file, data, size, flags);
}
