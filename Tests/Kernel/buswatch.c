/* buswatch FILE: everything on all USB buses as a pcapng capture of LINKTYPE_USB_LINUX_MMAPPED, until SIGTERM. The kernel's own
 * usbmon makes the packets (Documentation/usb/usbmon.rst); its header of 64 bytes is that of the link type. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct header {
    uint64_t id;
    unsigned char type, transfer, endpoint, device;
    uint16_t bus;
    char flag_setup, flag_data;
    int64_t seconds;
    int32_t microseconds, status;
    uint32_t length, captured;
    unsigned char setup[8];
    int32_t interval, start_frame;
    uint32_t flags, descriptors;
};
struct get {
    struct header *header;
    void *data;
    size_t size;
};
#define MON_IOCX_GETX _IOW(0x92, 10, struct get)
#define MON_IOCT_RING_SIZE _IO(0x92, 4)

static volatile sig_atomic_t ended;
static void end(int number) {
    (void)number;
    ended = 1;
}

static void block(FILE *file, uint32_t kind, const void *body, uint32_t length) {
    static const char zeros[4];
    uint32_t whole = 12 + ((length + 3) & ~3u);
    fwrite(&kind, 4, 1, file);
    fwrite(&whole, 4, 1, file);
    fwrite(body, length, 1, file);
    fwrite(zeros, whole - 12 - length, 1, file);
    fwrite(&whole, 4, 1, file);
}

int main(int count, char **words) {
    if (count != 2) return 64;
    int bus = open("/dev/usbmon0", O_RDONLY | O_NONBLOCK);
    FILE *file = fopen(words[1], "w");
    if (bus < 0 || !file) return perror("buswatch"), 1;
    ioctl(bus, MON_IOCT_RING_SIZE, 1 << 20);
    struct sigaction action = {.sa_handler = end};
    sigaction(SIGTERM, &action, NULL);
    const uint32_t section[4] = {0x1A2B3C4D, 1, 0xFFFFFFFF, 0xFFFFFFFF}, interface[2] = {220, 0};
    block(file, 0x0A0D0D0A, section, sizeof section);
    block(file, 1, interface, sizeof interface);
    /* The first word keeps the header where its eight-byte fields must lie; it is not written. */
    static struct { uint32_t unused, head[5]; struct header header; unsigned char data[1 << 16]; } packet;
    for (;;) {
        struct get get = {&packet.header, packet.data, sizeof packet.data};
        if (ioctl(bus, MON_IOCX_GETX, &get) < 0) {
            struct pollfd entry = {.fd = bus, .events = POLLIN};
            if (ended) break;
            poll(&entry, 1, 100);
            continue;
        }
        uint64_t time = (uint64_t)packet.header.seconds * 1000000 + (uint64_t)packet.header.microseconds;
        uint32_t length = sizeof(struct header) + packet.header.captured;
        packet.head[0] = 0;
        packet.head[1] = (uint32_t)(time >> 32);
        packet.head[2] = (uint32_t)time;
        packet.head[3] = packet.head[4] = length;
        block(file, 6, packet.head, sizeof packet.head + length);
    }
    return fclose(file) == 0 ? 0 : 1;
}
