#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <linux/usbdevice_fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

struct clinux_usb_request {
    int capacity;
    /* Behind this struct, in the same allocation. */
    uint8_t *bytes;
    /* Last, because the kernel's struct ends in an array of its own. */
    struct usbdevfs_urb urb;
};

static int outcome(int result) { return result < 0 ? -errno : result; }

struct clinux_usb_request *clinux_usb_request(int capacity) {
    struct clinux_usb_request *request = calloc(1, sizeof *request + (size_t)(capacity < 0 ? 0 : capacity));
    if (!request) return 0;
    request->capacity = capacity < 0 ? 0 : capacity;
    request->bytes = (uint8_t *)(request + 1);
    return request;
}

void clinux_usb_free(struct clinux_usb_request *request) { free(request); }

int clinux_usb_submit(
    int descriptor, struct clinux_usb_request *request, uint8_t endpoint, const uint8_t *bytes, int length, int zero_packet) {
    if (length < 0 || length > request->capacity) return -EINVAL;
    memset(&request->urb, 0, sizeof request->urb);
    if (!(endpoint & 0x80) && length > 0) memcpy(request->bytes, bytes, (size_t)length);
    request->urb.type = USBDEVFS_URB_TYPE_BULK;
    request->urb.endpoint = endpoint;
    request->urb.flags = zero_packet ? USBDEVFS_URB_ZERO_PACKET : 0;
    request->urb.buffer = request->bytes;
    request->urb.buffer_length = length;
    request->urb.usercontext = request;
    return outcome(ioctl(descriptor, USBDEVFS_SUBMITURB, &request->urb));
}

int clinux_usb_discard(int descriptor, struct clinux_usb_request *request) {
    return outcome(ioctl(descriptor, USBDEVFS_DISCARDURB, &request->urb));
}

int clinux_usb_reap(int descriptor, struct clinux_usb_request **request, int *status, const uint8_t **bytes, int *length) {
    struct usbdevfs_urb *urb = 0;
    int result = outcome(ioctl(descriptor, USBDEVFS_REAPURBNDELAY, &urb));
    if (result < 0) return result;
    struct clinux_usb_request *done = urb->usercontext;
    *request = done;
    *status = urb->status;
    *bytes = done->bytes;
    *length = urb->actual_length < 0 ? 0 : urb->actual_length > done->capacity ? done->capacity : urb->actual_length;
    return 0;
}

int clinux_usb_claim(int descriptor, unsigned interface) { return outcome(ioctl(descriptor, USBDEVFS_CLAIMINTERFACE, &interface)); }

int clinux_usb_clear_halt(int descriptor, unsigned endpoint) { return outcome(ioctl(descriptor, USBDEVFS_CLEAR_HALT, &endpoint)); }

int clinux_usb_control(
    int descriptor, uint8_t type, uint8_t request, uint16_t value, uint16_t index, uint8_t *bytes, uint16_t length, unsigned milliseconds) {
    struct usbdevfs_ctrltransfer transfer = {
        .bRequestType = type, .bRequest = request, .wValue = value, .wIndex = index, .wLength = length, .timeout = milliseconds, .data = bytes};
    return outcome(ioctl(descriptor, USBDEVFS_CONTROL, &transfer));
}
