#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/input.h>
#include <linux/uhid.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

const int clinux_uhid_size = sizeof(struct uhid_event);

int clinux_uhid_open(const char *path) {
    struct stat status;
    if (stat(path, &status) < 0) return -errno;
    if (!S_ISSOCK(status.st_mode)) {
        int descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
        return descriptor < 0 ? -errno : descriptor;
    }
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) return -ENAMETOOLONG;
    strcpy(address.sun_path, path);
    int descriptor = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0) return -errno;
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
    int error = errno;
    close(descriptor);
    return -error;
}

/* The kernel fills what a short message leaves out with zeros; a socket's other end needs it whole. */
static int say(int descriptor, const struct uhid_event *event) {
    return write(descriptor, event, sizeof *event) < 0 ? -errno : 0;
}

int clinux_uhid_create(
    int descriptor, const char *name, const char *serial, uint16_t vendor, uint16_t product, uint16_t release,
    const uint8_t *report_descriptor, int length) {
    struct uhid_event event = {.type = UHID_CREATE2};
    if (length < 0 || length > (int)sizeof event.u.create2.rd_data) return -EMSGSIZE;
    strncpy((char *)event.u.create2.name, name, sizeof event.u.create2.name - 1);
    strncpy((char *)event.u.create2.uniq, serial, sizeof event.u.create2.uniq - 1);
    event.u.create2.bus = BUS_USB;
    event.u.create2.vendor = vendor;
    event.u.create2.product = product;
    event.u.create2.version = release;
    event.u.create2.rd_size = (uint16_t)length;
    memcpy(event.u.create2.rd_data, report_descriptor, (size_t)length);
    return say(descriptor, &event);
}

int clinux_uhid_input(int descriptor, const uint8_t *report, int length) {
    struct uhid_event event = {.type = UHID_INPUT2};
    if (length < 0 || length > (int)sizeof event.u.input2.data) return -EMSGSIZE;
    event.u.input2.size = (uint16_t)length;
    memcpy(event.u.input2.data, report, (size_t)length);
    int result = say(descriptor, &event);
    return result < 0 ? result : length;
}

struct clinux_uhid_message clinux_uhid_take(const uint8_t *bytes, int length) {
    struct clinux_uhid_message message = {.kind = clinux_uhid_other};
    struct uhid_event event = {0};
    if (length < (int)sizeof event.type) return message;
    memcpy(&event, bytes, length < (int)sizeof event ? (size_t)length : sizeof event);
    const uint8_t *report = NULL;
    int size = 0;
    switch (event.type) {
    case UHID_OPEN: message.kind = clinux_uhid_opened; break;
    case UHID_CLOSE: case UHID_STOP: message.kind = clinux_uhid_closed; break;
    case UHID_OUTPUT:
        message.kind = clinux_uhid_output;
        report = bytes + offsetof(struct uhid_event, u.output.data);
        size = event.u.output.size;
        break;
    case UHID_SET_REPORT:
        message.kind = event.u.set_report.rtype == UHID_FEATURE_REPORT ? clinux_uhid_feature : clinux_uhid_output;
        message.request = event.u.set_report.id;
        report = bytes + offsetof(struct uhid_event, u.set_report.data);
        size = event.u.set_report.size;
        break;
    }
    if (!report) return message;
    if (report + size > bytes + length) return (struct clinux_uhid_message){.kind = clinux_uhid_other};
    message.report = report;
    message.length = size;
    return message;
}

int clinux_uhid_confirm(int descriptor, uint32_t request) {
    struct uhid_event event = {.type = UHID_SET_REPORT_REPLY};
    event.u.set_report_reply.id = request;
    return say(descriptor, &event);
}
