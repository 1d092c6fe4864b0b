/* Shifts the clocks of one process, preloaded: a file of two 64-bit numbers, read on each call, says by how many
   seconds the wall clock and the boot-time clock are ahead. The monotonic clock stays as it is, as in suspend. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long long ahead(int which) {
    static volatile long long nothing[2];
    static volatile long long *by;
    if (!by) {
        const char *path = getenv("TEST_CLOCKS");
        int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
        void *mapped = file < 0 ? MAP_FAILED : mmap(0, 16, PROT_READ, MAP_SHARED, file, 0);
        if (file >= 0) close(file);
        by = mapped == MAP_FAILED ? nothing : (volatile long long *)mapped;
    }
    return by[which];
}

int clock_gettime(clockid_t id, struct timespec *at) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int failed = real(id, at);
    if (!failed && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) at->tv_sec += ahead(0);
    if (!failed && id == CLOCK_BOOTTIME) at->tv_sec += ahead(1);
    return failed;
}

int gettimeofday(struct timeval *at, void *zone) {
    struct timespec now;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
    at->tv_sec = now.tv_sec;
    at->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *at) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at) *at = now.tv_sec;
    return now.tv_sec;
}
