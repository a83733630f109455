#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/hidraw.h>
#include <linux/serial.h>
#include <linux/tty_flags.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <termios.h>

const uint32_t clinux_epoll_in = EPOLLIN, clinux_epoll_out = EPOLLOUT, clinux_epoll_err = EPOLLERR,
               clinux_epoll_hup = EPOLLHUP, clinux_epoll_oneshot = EPOLLONESHOT, clinux_epoll_edge = EPOLLET;

static int outcome(int result) { return result < 0 ? -errno : result; }

int clinux_epoll_create(void) { return outcome(epoll_create1(EPOLL_CLOEXEC)); }

static int control(int epoll, int operation, int descriptor, uint32_t events, uint64_t token) {
    struct epoll_event event = {.events = events, .data = {.u64 = token}};
    return outcome(epoll_ctl(epoll, operation, descriptor, &event));
}

int clinux_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t token) {
    return control(epoll, EPOLL_CTL_ADD, descriptor, events, token);
}

int clinux_epoll_rearm(int epoll, int descriptor, uint32_t events, uint64_t token) {
    return control(epoll, EPOLL_CTL_MOD, descriptor, events, token);
}

int clinux_epoll_remove(int epoll, int descriptor) { return control(epoll, EPOLL_CTL_DEL, descriptor, 0, 0); }

int clinux_epoll_take(int epoll, uint32_t *events, uint64_t *tokens, int capacity, int milliseconds) {
    struct epoll_event found[64];
    int count = epoll_wait(epoll, found, capacity < 64 ? capacity : 64, milliseconds);
    if (count < 0) return -errno;
    for (int index = 0; index < count; index++) {
        events[index] = found[index].events;
        tokens[index] = found[index].data.u64;
    }
    return count;
}

long clinux_write_now(int descriptor, const void *bytes, unsigned long count) {
    struct iovec piece = {.iov_base = (void *)bytes, .iov_len = count};
    ssize_t written = pwritev2(descriptor, &piece, 1, -1, RWF_NOWAIT);
    return written < 0 ? -errno : written;
}

int clinux_eventfd(void) { return outcome(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }

int clinux_low_latency(int descriptor) {
    struct serial_struct serial;
    if (ioctl(descriptor, TIOCGSERIAL, &serial) < 0) return -errno;
    serial.flags |= ASYNC_LOW_LATENCY;
    return outcome(ioctl(descriptor, TIOCSSERIAL, &serial));
}

int clinux_line_errors(int descriptor, struct clinux_line_errors *errors) {
    struct serial_icounter_struct counts;
    if (ioctl(descriptor, TIOCGICOUNT, &counts) < 0) return -errno;
    errors->framing = counts.frame;
    errors->parity = counts.parity;
    errors->overrun = counts.overrun;
    errors->lost = counts.buf_overrun;
    errors->line_break = counts.brk;
    return 0;
}

int clinux_open_pty(char *path, int capacity) {
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (master < 0) return -errno;
    int error = 0;
    if (grantpt(master) < 0 || unlockpt(master) < 0) error = errno;
    else error = ptsname_r(master, path, (size_t)capacity);
    if (error == 0) return master;
    extern int close(int);
    close(master);
    return -error;
}

int clinux_hid_set_feature(int descriptor, const uint8_t *report, int length) {
    return outcome(ioctl(descriptor, HIDIOCSFEATURE((unsigned)length), report));
}

int clinux_hid_get_feature(int descriptor, uint8_t *report, int length) {
    return outcome(ioctl(descriptor, HIDIOCGFEATURE((unsigned)length), report));
}

/* Majors 136-143 are the slaves of Unix98 pseudo terminals (Documentation/admin-guide/devices.txt). */
int clinux_is_pty(int descriptor) {
    struct stat status;
    if (fstat(descriptor, &status) < 0) return 0;
    unsigned number = major(status.st_rdev);
    return S_ISCHR(status.st_mode) && number >= 136 && number <= 143;
}

/* Major 166 are CDC-ACM ports (Documentation/admin-guide/devices.txt). */
int clinux_is_acm(int descriptor) {
    struct stat status;
    return fstat(descriptor, &status) == 0 && S_ISCHR(status.st_mode) && major(status.st_rdev) == 166;
}

const void *clinux_find(const void *text, unsigned long length, const void *word, unsigned long word_length) {
    return memmem(text, length, word, word_length);
}
