/* What Glibc's module map does not show to Swift: epoll, termios2, line counters, pseudo terminals, hidraw. */
#pragma once
#include <stdint.h>

/* epoll, with the packed event taken apart. Every call answers -errno on failure. */
int clinux_epoll_create(void);
int clinux_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t token);
int clinux_epoll_rearm(int epoll, int descriptor, uint32_t events, uint64_t token);
int clinux_epoll_remove(int epoll, int descriptor);
/* Waits until there is something to tell, at most so many milliseconds (-1: without limit). Fills both arrays, at most
 * `capacity` (64 at most). */
int clinux_epoll_take(int epoll, uint32_t *events, uint64_t *tokens, int capacity, int milliseconds);
extern const uint32_t clinux_epoll_in, clinux_epoll_out, clinux_epoll_err, clinux_epoll_hup, clinux_epoll_oneshot, clinux_epoll_edge;

/* Writes what can be written without waiting, whatever the descriptor's own flags say. */
long clinux_write_now(int descriptor, const void *bytes, unsigned long count);
int clinux_eventfd(void);

/* Any rate in bit/s, both directions; termios' own constants cover only some. */
int clinux_set_rate(int descriptor, uint32_t rate);
int clinux_get_rate(int descriptor, uint32_t *rate);

/* Asks the driver to hand bytes over at once (ASYNC_LOW_LATENCY). */
int clinux_low_latency(int descriptor);

struct clinux_line_errors { uint32_t framing, parity, overrun, lost, line_break; };
int clinux_line_errors(int descriptor, struct clinux_line_errors *errors);

/* Opens a pseudo terminal's master, non-blocking, and writes the path of its slave. */
int clinux_open_pty(char *path, int capacity);

/* HIDIOCSFEATURE: the first byte is the report number. */
int clinux_hid_set_feature(int descriptor, const uint8_t *report, int length);
/* HIDIOCGFEATURE: the same; returns how many bytes the device gave. */
int clinux_hid_get_feature(int descriptor, uint8_t *report, int length);

int clinux_is_pty(int descriptor);
int clinux_is_acm(int descriptor);

/* memmem, a GNU extension. */
const void *clinux_find(const void *text, unsigned long length, const void *word, unsigned long word_length);

/* /dev/uhid (Documentation/hid/uhid.rst): a HID device of this machine whose other end is this process. `path` may also be a
 * Unix socket of SOCK_SEQPACKET that speaks the same messages. Every call answers -errno on failure. */
int clinux_uhid_open(const char *path);
int clinux_uhid_create(
    int descriptor, const char *name, const char *serial, uint16_t vendor, uint16_t product, uint16_t release,
    const uint8_t *report_descriptor, int length);
/* One input report; answers its length. */
int clinux_uhid_input(int descriptor, const uint8_t *report, int length);
enum clinux_uhid_kind { clinux_uhid_other, clinux_uhid_opened, clinux_uhid_closed, clinux_uhid_output, clinux_uhid_feature };
struct clinux_uhid_message { int32_t kind; uint32_t request; const uint8_t *report; int32_t length; };
/* Takes one message apart; the report lies within `bytes`. */
struct clinux_uhid_message clinux_uhid_take(const uint8_t *bytes, int length);
/* Says that a feature report was taken. */
int clinux_uhid_confirm(int descriptor, uint32_t request);
/* The largest message. */
extern const int clinux_uhid_size;

/* write(2) that answers with EPIPE or EFBIG where the kernel would also end the process (SIGPIPE, SIGXFSZ), whatever the
   process has decided about these signals: they are blocked in this thread meanwhile, and taken back. */
long clinux_write(int descriptor, const void *bytes, long count);

/* Starts a command without a shell, in a process group of its own, with default signals and nothing inherited but the three
   standard descriptors. `input` becomes our end of a pipe to its standard input; `output` our end of one from its standard
   output, or, where it is null, the command's output goes to our standard error. `setting`, NAME=VALUE, is put into its
   environment; null for none. Answers the process id. */
int clinux_spawn(char *const *arguments, const char *setting, int *input, int *output);

/* How many bytes were written and not taken by the other side: of a pipe, or of a stream socket. */
int clinux_pipe_untaken(int descriptor);
int clinux_socket_untaken(int descriptor);

/* Ends a TCP connection whose peer acknowledges nothing for so long (TCP_USER_TIMEOUT). */
int clinux_user_timeout(int descriptor, unsigned milliseconds);

/* 1 when the kernel takes its clock for unsynchronised (adjtimex, STA_UNSYNC), 0 when not. */
int clinux_clock_unsynchronised(void);

/* At most so many heaps for all threads, each of which keeps so many free bytes, and takes pieces of up to as many, before the
   kernel is asked (mallopt: M_ARENA_MAX, M_TRIM_THRESHOLD, M_MMAP_THRESHOLD). To be called before there are threads. */
void clinux_set_heaps(int count, int spare);

/* Unmaps the pages of all read-only segments of the program and its libraries (MADV_DONTNEED); an access maps them again. */
void clinux_release_code(void);

/* usbfs (linux/usbdevice_fs.h): transfers to a USB device that no kernel driver has. Every call answers -errno on failure. */
struct clinux_usb_request;
/* A transfer of at most `capacity` bytes; null where there is no memory. It must outlive its submission. */
struct clinux_usb_request *clinux_usb_request(int capacity);
void clinux_usb_free(struct clinux_usb_request *request);
/* Bulk. Towards the device (endpoint below 0x80) `bytes` are copied; `zero_packet` ends a transfer of whole packets. */
int clinux_usb_submit(
    int descriptor, struct clinux_usb_request *request, uint8_t endpoint, const uint8_t *bytes, int length, int zero_packet);
int clinux_usb_discard(int descriptor, struct clinux_usb_request *request);
/* The next transfer that has ended, with 0 or -errno and its bytes; -EAGAIN if no transfer has ended, -ENODEV once the device is gone. */
int clinux_usb_reap(int descriptor, struct clinux_usb_request **request, int *status, const uint8_t **bytes, int *length);
int clinux_usb_claim(int descriptor, unsigned interface);
int clinux_usb_clear_halt(int descriptor, unsigned endpoint);
/* Waits for the answer, at most so long; answers its length. */
int clinux_usb_control(
    int descriptor, uint8_t type, uint8_t request, uint16_t value, uint16_t index, uint8_t *bytes, uint16_t length, unsigned milliseconds);
