/* Linked into the program for tests: a disk that fails.

   While the file $FAULT_ARMED exists, $FAULT_CALL ("sync" or "write") on files whose names end in
   $FAULT_FILE, or hold it where it ends in "*", fails with $FAULT_ERRNO, from the $FAULT_AFTER-th such call on. What the program writes to
   try the disk fails as well. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int calls;

static int ends_in(const char *name, size_t length, const char *end) {
    size_t size = strlen(end);
    return length >= size && memcmp(name + length - size, end, size) == 0;
}

static int holds(const char *name, size_t length, const char *part) {
    size_t size = strlen(part) - 1;
    return memmem(name, length, part, size) != NULL;
}

static int is_meant(const char *name, size_t length) {
    const char *file = getenv("FAULT_FILE");
    return ends_in(file, strlen(file), "*") ? holds(name, length, file) : ends_in(name, length, file);
}

static int fails(const char *call, int fd) {
    const char *wanted = getenv("FAULT_CALL"), *armed = getenv("FAULT_ARMED");
    if (!wanted || !armed || strcmp(wanted, call) != 0 || access(armed, F_OK) != 0) return 0;
    char link[64], name[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, name, sizeof name);
    if (length < 0) return 0;
    if (!ends_in(name, length, "/tmp/probe")) {
        if (!is_meant(name, length)) return 0;
        if (atomic_fetch_add(&calls, 1) < atoi(getenv("FAULT_AFTER"))) return 0;
    }
    errno = atoi(getenv("FAULT_ERRNO"));
    return 1;
}

int fdatasync(int fd) { return fails("sync", fd) ? -1 : (int)syscall(SYS_fdatasync, fd); }

int fsync(int fd) { return fails("sync", fd) ? -1 : (int)syscall(SYS_fsync, fd); }

ssize_t write(int fd, const void *bytes, size_t size) {
    return fails("write", fd) ? -1 : (ssize_t)syscall(SYS_write, fd, bytes, size);
}

#ifndef pwrite64
ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at) {
    return fails("write", fd) ? -1 : (ssize_t)syscall(SYS_pwrite64, fd, bytes, size, at);
}
#endif

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) {
    return fails("write", fd) ? -1 : (ssize_t)syscall(SYS_pwrite64, fd, bytes, size, at);
}
