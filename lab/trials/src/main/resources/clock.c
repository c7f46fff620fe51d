/* Moves the wall clock of the process that preloads this library, by the nanoseconds in a file. The monotonic clock is not changed. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *offset;

__attribute__((constructor)) static void open_offset(void) {
    const char *path = getenv("CHAOS_CLOCK");
    int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        void *mapped = mmap(NULL, sizeof *offset, PROT_READ, MAP_SHARED, file, 0);
        offset = mapped == MAP_FAILED ? NULL : mapped;
        close(file);
    }
}

int clock_gettime(clockid_t id, struct timespec *now) {
    int failed = syscall(SYS_clock_gettime, id, now);
    if (!failed && offset != NULL && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) {
        int64_t nanos = now->tv_nsec + *offset % 1000000000;
        now->tv_sec += *offset / 1000000000;
        if (nanos < 0) {
            nanos += 1000000000;
            now->tv_sec--;
        } else if (nanos >= 1000000000) {
            nanos -= 1000000000;
            now->tv_sec++;
        }
        now->tv_nsec = nanos;
    }
    return failed;
}

int gettimeofday(struct timeval *now, void *zone) {
    struct timespec precise;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &precise);
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *seconds) {
    struct timespec precise;
    clock_gettime(CLOCK_REALTIME, &precise);
    if (seconds != NULL) {
        *seconds = precise.tv_sec;
    }
    return precise.tv_sec;
}
