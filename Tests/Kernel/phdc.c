/* phdc NAME SERIAL BACK [cut=BYTES] [damaged] [status=STRING]
 *
 * A USB device of the Personal Healthcare Device Class, made of the kernel's GadgetFS (/dev/gadget), with a simulated agent's line at
 * BACK (a tty). Descriptors are exact: class 0F, IEEE 11073-20601 with metadata, blood pressure. One message of the agent is one
 * transfer, without an empty packet behind whole ones, as many devices send them. It moves bytes and knows no agent.
 *
 * cut=BYTES   ends at once when so many bytes went to the host: for it, the device was pulled out.
 * damaged     puts metadata before each message, every second of which breaks the rules of the class.
 * scale       claims to be a weighing scale.
 * Exits when BACK closes. Prints one line on exit: NAME, bytes to the host, and the number of status requests.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/usb/ch9.h>
#include <linux/usb/gadgetfs.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum { LONGEST = 65536 };
static const char *name, *serial;
static int control = -1, in = -1, out = -1, back = -1, damaged, is_scale, asked;
static long passed, cut;

static void end(const char *why) {
    printf("%s sent %ld bytes, asked %d times for its status%s%s\n", name, passed, asked, *why ? ": " : "", why);
    fflush(stdout);
    _exit(*why ? 1 : 0);
}

static int configuration(unsigned char *to, int packet) {
    unsigned char d[] = {9, 2, 0, 0, 1, 1, 0, 0xC0, 50, 9, 4, 0, 0, 2, 0x0F, 0, 0, 0,
                         4, 0x20, 0x02, 0x01, 6, 0x30, 0, 1, is_scale ? 0x0F : 0x07, 0x10,
                         7, 5, 0x81, 2, packet & 255, packet >> 8, 0, 4, 0x21, 1, 0x18,
                         7, 5, 0x02, 2, packet & 255, packet >> 8, 0, 4, 0x21, 1, 0x08};
    d[2] = sizeof d;
    memcpy(to, d, sizeof d);
    return sizeof d;
}

static int endpoint(const char *pattern, unsigned char address) {
    glob_t found;
    if (glob(pattern, 0, 0, &found)) return -1;
    int file = open(found.gl_pathv[0], O_RDWR);
    unsigned char b[18] = {1, 0, 0, 0, 7, 5, address, 2, 64, 0, 0, 7, 5, address, 2, 0, 2, 0};
    return file >= 0 && write(file, b, sizeof b) == sizeof b ? file : -1;
}

/* One transfer to the host. */
static void give(const unsigned char *bytes, long count) {
    if (cut && passed + count > cut) count = cut > passed ? cut - passed : 0;
    if (count > 0 && write(in, bytes, count) != count) end(errno == ESHUTDOWN || errno == ECONNRESET ? "" : strerror(errno));
    passed += count;
    if (cut && passed >= cut) end("");
}

static void metadata(int number) {
    unsigned char p[20] = "PhdcQoSSignature";
    p[16] = 1, p[17] = 1, p[18] = 0x08, p[19] = 0;
    if (number & 1) p[16] = 0;
    give(p, sizeof p);
}

static int take(unsigned char *to, long count) {
    for (long at = 0; at < count;) {
        long got = read(back, to + at, count - at);
        if (got <= 0) return 0;
        at += got;
    }
    return 1;
}

/* The agent's messages, each as one transfer. */
static void *to_host(void *unused) {
    static unsigned char b[LONGEST + 4];
    (void)unused;
    for (int number = 0; take(b, 4); number++) {
        long length = b[2] << 8 | b[3];
        if (!take(b + 4, length)) break;
        if (damaged) metadata(number);
        give(b, length + 4);
    }
    end("");
    return 0;
}

static void *from_host(void *unused) {
    static unsigned char b[LONGEST];
    (void)unused;
    for (long count; (count = read(out, b, sizeof b)) > 0;)
        if (!(damaged && count >= 16 && !memcmp(b, "PhdcQoSSignature", 16)))
            for (long at = 0, wrote; at < count; at += wrote)
                if ((wrote = write(back, b + at, count - at)) <= 0) end("");
    end("");
    return 0;
}

static void start(void) {
    in = endpoint("/dev/gadget/ep1in*", 0x81), out = endpoint("/dev/gadget/ep2out*", 0x02);
    if (in < 0) in = endpoint("/dev/gadget/ep-a*", 0x81);
    if (out < 0) out = endpoint("/dev/gadget/ep-b*", 0x02);
    if (in < 0 || out < 0) end("there are no endpoints");
    pthread_t thread;
    pthread_create(&thread, 0, to_host, 0);
    pthread_create(&thread, 0, from_host, 0);
}

static void text(int number, unsigned char *b, int limit) {
    const char *texts[] = {0, "A&D Medical", "UA-767PHDC", serial};
    memset(b, 0, 128);
    b[0] = 4, b[1] = 3, b[2] = 9, b[3] = 4;
    if (number && number < 4) {
        int length = strlen(texts[number]);
        b[0] = 2 + 2 * length;
        for (int k = 0; k < length && k < 60; k++) b[2 + 2 * k] = texts[number][k], b[3 + 2 * k] = 0;
    }
    if (write(control, b, b[0] < limit ? b[0] : limit) < 0) perror("string");
}

int main(int count, char **words) {
    if (count < 4) return 2;
    name = words[1], serial = words[2];
    for (int k = 4; k < count; k++) {
        if (!strncmp(words[k], "cut=", 4)) cut = atol(words[k] + 4);
        if (!strcmp(words[k], "damaged")) damaged = 1;
        if (!strcmp(words[k], "scale")) is_scale = 1;
    }
    if ((back = open(words[3], O_RDWR | O_NOCTTY)) < 0) end("the agent's line does not open");
    struct termios raw;
    tcgetattr(back, &raw), cfmakeraw(&raw), tcsetattr(back, TCSANOW, &raw);
    glob_t found;
    if (glob("/dev/gadget/dummy_udc*", 0, 0, &found)) end("there is no controller in /dev/gadget");
    control = open(found.gl_pathv[0], O_RDWR);
    unsigned char b[512] = {0};
    int length = 4;
    length += configuration(b + length, 64);
    length += configuration(b + length, 512);
    unsigned char device[] = {18, 1, 0, 2, 0, 0, 0, 64, 0xFE, 0xCA, 0x0F, 0x0F, 0, 1, 1, 2, 3, 1};
    memcpy(b + length, device, sizeof device);
    length += sizeof device;
    if (write(control, b, length) != length) end("the descriptors were refused");
    for (;;) {
        struct usb_gadgetfs_event event;
        if (read(control, &event, sizeof event) < 0) end(strerror(errno));
        /* A disconnection is also what the reset of a port looks like. */
        if (event.type != GADGETFS_SETUP) continue;
        struct usb_ctrlrequest *request = &event.u.setup;
        int kind = request->bRequestType << 8 | request->bRequest, value = request->wValue;
        if (kind == USB_REQ_SET_CONFIGURATION) {
            if (in < 0) start();
            if (read(control, b, 0) < 0) end(strerror(errno));
        } else if (kind == 0xA100) {
            unsigned char status[2] = {0x02, 0};
            asked++;
            if (write(control, status, 2) < 0) perror("status");
        } else if (kind == 0x2103 || kind == 0x2101) {
            if (read(control, b, 0) < 0) perror("feature");
        } else if (kind == 0x8006 && value >> 8 == 3) {
            text(value & 255, b, request->wLength);
        } else if (request->bRequestType & 0x80) { /* refused by moving the wrong way */
            if (read(control, b, 0) < 0) {}
        } else if (write(control, b, 0) < 0) {}
    }
}
