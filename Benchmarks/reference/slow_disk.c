/* LD_PRELOAD: each fsync and fdatasync takes MILLISECONDS longer (5 without it): a slow disk. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static void wait_for_disk(void) {
    static long milliseconds = -1;
    if (milliseconds < 0) milliseconds = getenv("MILLISECONDS") ? atol(getenv("MILLISECONDS")) : 5;
    struct timespec t = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&t, NULL);
}
int fsync(int fd) {
    wait_for_disk();
    return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(fd);
}
int fdatasync(int fd) {
    wait_for_disk();
    return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(fd);
}
