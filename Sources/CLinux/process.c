#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/sockios.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/timex.h>
#include <unistd.h>

extern char **environ;

long clinux_write(int descriptor, const void *bytes, long count) {
    sigset_t fatal, before;
    sigemptyset(&fatal);
    sigaddset(&fatal, SIGPIPE);
    sigaddset(&fatal, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &fatal, &before);
    int blocks_pipe = sigismember(&before, SIGPIPE), blocks_size = sigismember(&before, SIGXFSZ);
    /* Only a signal that was blocked before can be pending; that one is the caller's and stays. */
    if (blocks_pipe || blocks_size) {
        sigset_t pending;
        sigpending(&pending);
        if (sigismember(&pending, SIGPIPE)) sigdelset(&fatal, SIGPIPE);
        if (sigismember(&pending, SIGXFSZ)) sigdelset(&fatal, SIGXFSZ);
    }
    long written = write(descriptor, bytes, count);
    int error = errno;
    if (written < 0 && (error == EPIPE || error == EFBIG)) {
        struct timespec none = {0, 0};
        while (sigtimedwait(&fatal, NULL, &none) < 0 && errno == EINTR) {}
    }
    if (!blocks_pipe || !blocks_size) pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return written;
}

static void close_pair(const int *pair) {
    if (pair[0] >= 0) close(pair[0]);
    if (pair[1] >= 0) close(pair[1]);
}

/* The environment with one more setting, which stands first and so wins over an inherited one; to be freed. */
static char **environment_with(const char *setting) {
    size_t count = 0;
    while (environ && environ[count]) count++;
    char **own = calloc(count + 2, sizeof *own);
    if (!own) return NULL;
    own[0] = (char *)setting;
    for (size_t i = 0; i < count; i++) own[i + 1] = environ[i];
    return own;
}

int clinux_spawn(char *const *arguments, const char *setting, int *input, int *output) {
    int to[2] = {-1, -1}, from[2] = {-1, -1};
    if (pipe2(to, O_CLOEXEC) < 0) return -errno;
    if (output && pipe2(from, O_CLOEXEC) < 0) {
        int error = errno;
        close_pair(to);
        return -error;
    }
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, to[0], 0);
    posix_spawn_file_actions_adddup2(&actions, output ? from[1] : 2, 1);
    /* What this program inherited itself, e.g. from a shell. */
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    pid_t process;
    char **own = setting ? environment_with(setting) : NULL;
    int error = posix_spawnp(&process, arguments[0], &actions, &attributes, arguments, own ? own : environ);
    free(own);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (error) {
        close_pair(to);
        close_pair(from);
        return -error;
    }
    close(to[0]);
    fcntl(to[1], F_SETFL, O_NONBLOCK);
    *input = to[1];
    if (output) {
        close(from[1]);
        fcntl(from[0], F_SETFL, O_NONBLOCK);
        *output = from[0];
    }
    return process;
}

static int asked(int descriptor, unsigned long question) {
    int bytes = 0;
    return ioctl(descriptor, question, &bytes) < 0 ? -errno : bytes;
}

int clinux_pipe_untaken(int descriptor) { return asked(descriptor, FIONREAD); }
int clinux_socket_untaken(int descriptor) { return asked(descriptor, SIOCOUTQ); }

int clinux_user_timeout(int descriptor, unsigned milliseconds) {
    return setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds) < 0 ? -errno : 0;
}

int clinux_clock_unsynchronised(void) {
    struct timex state = {.modes = 0};
    int result = adjtimex(&state);
    if (result < 0) return -errno;
    return result == TIME_ERROR || (state.status & STA_UNSYNC) != 0;
}

void clinux_set_heaps(int count, int spare) {
    mallopt(M_ARENA_MAX, count);
    mallopt(M_TRIM_THRESHOLD, spare);
    mallopt(M_MMAP_THRESHOLD, spare);
}

static int release(struct dl_phdr_info *object, size_t size, void *context) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || segment->p_flags & PF_W) continue;
        uintptr_t start = (object->dlpi_addr + segment->p_vaddr) & ~(page - 1);
        madvise((void *)start, object->dlpi_addr + segment->p_vaddr + segment->p_memsz - start, MADV_DONTNEED);
    }
    return 0;
}

void clinux_release_code(void) { dl_iterate_phdr(release, NULL); }
