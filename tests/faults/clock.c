/* Linked into the program for tests: a clock that is so many seconds ahead as the file $CLOCK_AHEAD says, or that stands
   still at a second of the epoch, written `=1790000000`. Clocks that only measure how long something takes are left
   alone. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = (int)syscall(SYS_clock_gettime, clock, now);
    const char *name = clock == CLOCK_REALTIME ? getenv("CLOCK_AHEAD") : NULL;
    int fd = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        char text[32] = "";
        if (read(fd, text, sizeof text - 1) > 0) {
            if (text[0] == '=') *now = (struct timespec){.tv_sec = atol(text + 1)};
            else now->tv_sec += atol(text);
        }
        close(fd);
    }
    return result;
}
