/* chip KIND NAME VID:PID:RELEASE SERIAL BACK ACTION...
 *
 * A USB device made of the kernel's own gadget side (dummy_hcd, configfs), to which the real driver of KIND binds: a bridge chip
 * with a cuff's serial line at BACK (a tty), a HID cuff that uses /dev/uhid messages at BACK (a Unix socket of
 * SOCK_SEQPACKET, which this program makes), a CDC device without functional descriptors, which cdc_acm refuses and usbfs
 * reads, or the kernel's own CDC-ACM function. It moves bytes and knows no cuff.
 *
 * KIND: ftdi cp210x pl2303 ch341 acm hid bulk. SERIAL: `-` for none, as CH340 has none.
 *
 * Actions, performed in order:
 *   plug=UDC               into that socket, e.g. dummy_udc.0
 *   unplug
 *   sleep=MILLISECONDS
 *   await=COUNT,WHERE      until `readings` of $DATABASE has COUNT rows; prints the time since the last byte
 *   asks=1                 from now on prints every request that sets something
 *   quiet=MILLISECONDS     until the cuff has sent nothing for that time
 *   cut=BYTES,UDC          plugs, and unplugs as soon as that many bytes went to the host
 *   cuts=COUNT,BYTES,UDC,… as many cuts, spread evenly over so many bytes, from socket to socket
 * Each prints a line, NAME first. Exit 1 on a time-out; every limit is multiplied by $SCALE, an integer,
 * for slow machines.
 *
 * Vendor requests are those that the kernel's drivers make (drivers/usb/serial/{ftdi_sio,cp210x,pl2303,ch341}.c).
 */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/uhid.h>
#include <linux/usb/ch9.h>
#include <linux/usb/functionfs.h>
#include <poll.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum kind { FTDI, CP210X, PL2303, CH341, ACM, HID, BULK };
static const char *const kinds[] = {"ftdi", "cp210x", "pl2303", "ch341", "acm", "hid", "bulk"};
static enum kind kind;
static const char *name, *back_path;
static char gadget[200];
static int control = -1, to_host = -1, from_host = -1;
static unsigned char report_descriptor[HID_MAX_DESCRIPTOR_SIZE];
static int report_descriptor_length;

/* Whether bytes pass, how many went to the host since plugging in, after how many to pull the plug, and when the last
 * one went. */
static atomic_int plugged, enabled, back = -1;
static atomic_int tells;
static atomic_long passed, cut_at = -1, last_byte;
static pthread_mutex_t back_lock = PTHREAD_MUTEX_INITIALIZER, plug_lock = PTHREAD_MUTEX_INITIALIZER;

static long milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void wait_a_little(int ms) { usleep(ms * 1000); }

/* The limit of a wait that takes so long at most on a quiet machine. */
static long until(long ms) {
    const char *text = getenv("SCALE");
    long scale = text ? atol(text) : 1;
    return milliseconds() + ms * (scale < 1 ? 1 : scale > 100 ? 100 : scale);
}

static void tell(const char *format, ...) {
    char line[400];
    int length = snprintf(line, sizeof line, "%s ", name);
    va_list arguments;
    va_start(arguments, format);
    length += vsnprintf(line + length, sizeof line - length - 1, format, arguments);
    va_end(arguments);
    line[length++] = '\n';
    if (write(1, line, length) < 0) exit(1);
}

static void fail(const char *what) {
    tell("FAILED %s (%s)", what, strerror(errno));
    exit(1);
}

static void put(const char *file, const char *text) {
    char path[400];
    snprintf(path, sizeof path, "%s/%s", gadget, file);
    int descriptor = open(path, O_WRONLY);
    if (descriptor < 0 || write(descriptor, text, strlen(text)) < 0) fail(path);
    close(descriptor);
}

static void make(const char *folder) {
    char path[400];
    snprintf(path, sizeof path, "%s/%s", gadget, folder);
    if (mkdir(path, 0755) < 0 && errno != EEXIST) fail(path);
}

/* MARK: what the chip answers */

/* Fills `data` for a question of the driver; answers how many bytes, or -1 to refuse it. */
static int answer(const struct usb_ctrlrequest *request, unsigned char *data) {
    int length = le16toh(request->wLength), value = le16toh(request->wValue);
    switch (kind) {
    case FTDI:
        if (request->bRequest == 0x0A) data[0] = 16;                      /* latency timer, milliseconds */
        if (request->bRequest == 0x05) data[0] = 0x01, data[1] = 0x60;    /* modem status */
        break;
    case CP210X:
        if (request->bRequest == 0xFF && value == 0x370B) data[0] = 0x02; /* part number: CP2102 */
        if (request->bRequest == 0x08) data[0] = 0x30;                    /* modem status: CTS, DSR */
        break;
    case CH341:
        if (request->bRequest == 0x5F) data[0] = 0x31;                    /* version */
        if (request->bRequest == 0x95) data[0] = 0xFF, data[1] = 0xEE;    /* modem status, inverted */
        break;
    case HID:
        if (request->bRequest == USB_REQ_GET_DESCRIPTOR && value >> 8 == 0x22) {
            memcpy(data, report_descriptor, report_descriptor_length);
            return report_descriptor_length < length ? report_descriptor_length : length;
        }
        if (request->bRequestType == 0xA1 && request->bRequest == 0x01) return -1; /* GET_REPORT: these cuffs have none */
        break;
    case PL2303: case ACM: case BULK: break;
    }
    return length;
}

/* One message of /dev/uhid's protocol to the simulated cuff. */
static void say(const struct uhid_event *event) {
    pthread_mutex_lock(&back_lock);
    if (back >= 0 && send(back, event, sizeof *event, MSG_NOSIGNAL) < 0) tell("note: the cuff does not listen");
    pthread_mutex_unlock(&back_lock);
}

static void say_report(int type, const unsigned char *bytes, int length) {
    struct uhid_event event = {0};
    if (type == UHID_FEATURE_REPORT) {
        event.type = UHID_SET_REPORT;
        event.u.set_report.rtype = UHID_FEATURE_REPORT;
        event.u.set_report.size = length;
        memcpy(event.u.set_report.data, bytes, length);
    } else {
        event.type = UHID_OUTPUT;
        event.u.output.rtype = UHID_OUTPUT_REPORT;
        event.u.output.size = length;
        memcpy(event.u.output.data, bytes, length);
    }
    say(&event);
}

static _Noreturn void *serve_control(void *unused) {
    (void)unused;
    struct usb_functionfs_event event;
    for (;;) {
        if (read(control, &event, sizeof event) != sizeof event) {
            /* A request cancelled by the host returns EIDRM; wait for the next one. */
            if (errno == EIDRM || errno == EINTR) continue;
            fail("the control endpoint");
        }
        if (event.type == FUNCTIONFS_ENABLE) enabled = 1;
        if (event.type == FUNCTIONFS_DISABLE || event.type == FUNCTIONFS_UNBIND) enabled = 0;
        if (event.type != FUNCTIONFS_SETUP) continue;
        const struct usb_ctrlrequest *request = &event.u.setup;
        unsigned char data[4096] = {0};
        int length = le16toh(request->wLength);
        if (length > (int)sizeof data) length = sizeof data;
        if (request->bRequestType & USB_DIR_IN) {
            int count = answer(request, data);
            /* The wrong direction refuses. */
            if ((count < 0 ? read(control, data, 0) : write(control, data, count)) < 0 && count >= 0)
                tell("note: the answer to %02x went nowhere: %s", request->bRequest, strerror(errno));
        } else {
            int count = read(control, data, length);
            if (tells)
                tell("asked %02x value %04x index %04x", request->bRequest, le16toh(request->wValue), le16toh(request->wIndex));
            if (kind == HID && request->bRequestType == 0x21 && request->bRequest == 0x09 && count > 0)
                say_report(le16toh(request->wValue) >> 8 == 3 ? UHID_FEATURE_REPORT : UHID_OUTPUT_REPORT, data, count);
        }
    }
}

/* MARK: bytes */

static void unplug(void) {
    pthread_mutex_lock(&plug_lock);
    if (atomic_exchange(&plugged, 0)) put("UDC", "\n");
    pthread_mutex_unlock(&plug_lock);
}

/* To the host, until the cut. FTDI: status bytes before each packet. */
static void send_to_host(const unsigned char *bytes, int count) {
    long limit = cut_at;
    int is_cut = limit >= 0 && passed + count >= limit;
    if (is_cut) count = limit - passed;
    unsigned char packet[64] = {0x01, 0x60};
    int head = kind == FTDI ? 2 : 0;
    for (int sent = 0; sent < count && plugged;) {
        int part = count - sent > 64 - head ? 64 - head : count - sent;
        memcpy(packet + head, bytes + sent, part);
        if (write(to_host, packet, part + head) < 0) {
            if (errno == EINTR) continue;
            return; /* not plugged in, or no longer */
        }
        sent += part;
        passed += part;
        /* The kernel's gadget tty buffers output; count only what the host has read. */
        if (kind == ACM) tcdrain(to_host);
        last_byte = milliseconds();
    }
    if (is_cut && plugged) {
        cut_at = -1;
        unplug();
    }
}

static _Noreturn void *carry_to_host(void *unused) {
    (void)unused;
    for (;;) {
        int descriptor = back;
        struct pollfd entry = {.fd = descriptor, .events = POLLIN};
        if (descriptor < 0 || poll(&entry, 1, 20) <= 0) {
            if (descriptor < 0) wait_a_little(2);
            continue;
        }
        if (kind == HID) {
            struct uhid_event event;
            ssize_t count = recv(descriptor, &event, sizeof event, MSG_DONTWAIT);
            if (count == 0) {
                pthread_mutex_lock(&back_lock);
                close(descriptor);
                back = -1;
                pthread_mutex_unlock(&back_lock);
            }
            if (count > 0 && event.type == UHID_INPUT2 && plugged) send_to_host(event.u.input2.data, event.u.input2.size);
            continue;
        }
        unsigned char bytes[62];
        pthread_mutex_lock(&back_lock);
        int count = back == descriptor ? read(descriptor, bytes, sizeof bytes) : 0;
        pthread_mutex_unlock(&back_lock);
        if (count > 0 && plugged) send_to_host(bytes, count);
        if (count <= 0) wait_a_little(2);
    }
}

static _Noreturn void *carry_from_host(void *unused) {
    (void)unused;
    for (;;) {
        unsigned char bytes[512];
        int count = read(from_host, bytes, sizeof bytes);
        if (count <= 0) {
            wait_a_little(2);
            continue;
        }
        if (kind == HID) {
            say_report(UHID_OUTPUT_REPORT, bytes, count);
            continue;
        }
        pthread_mutex_lock(&back_lock);
        if (back >= 0 && write(back, bytes, count) < 0) tell("note: the cuff does not listen");
        pthread_mutex_unlock(&back_lock);
    }
}

/* MARK: the gadget */

static int add_endpoint(unsigned char *to, int address, int type, int size) {
    struct usb_endpoint_descriptor_no_audio endpoint = {7, USB_DT_ENDPOINT, address, type, htole16(size), type == 3 ? 1 : 0};
    memcpy(to, &endpoint, 7);
    return 7;
}

static void describe(void) {
    unsigned char bytes[256];
    int length = sizeof(struct usb_functionfs_descs_head_v2) + 4, type = kind == HID ? 3 : 2;
    int has_interrupt = kind == PL2303 || kind == CH341, has_descriptor = kind == HID;
    unsigned count = htole32(3 + has_interrupt + has_descriptor + (kind == BULK));
    memcpy(bytes + length - 4, &count, 4);
    if (kind == BULK) {
        struct usb_interface_descriptor communications = {9, USB_DT_INTERFACE, 0, 0, 0, USB_CLASS_COMM, 2, 1, 1};
        memcpy(bytes + length, &communications, 9);
        length += 9;
    }
    int class = kind == HID ? USB_CLASS_HID : kind == BULK ? USB_CLASS_CDC_DATA : USB_CLASS_VENDOR_SPEC;
    struct usb_interface_descriptor interface = {9, USB_DT_INTERFACE, kind == BULK, 0, 2 + has_interrupt, class, 0, 0, 1};
    memcpy(bytes + length, &interface, 9);
    length += 9;
    if (has_descriptor) {
        const unsigned char hid[9] = {9, 0x21, 0x11, 0x01, 0, 1, 0x22, report_descriptor_length & 0xFF, report_descriptor_length >> 8};
        memcpy(bytes + length, hid, 9);
        length += 9;
    }
    length += add_endpoint(bytes + length, 0x81, type, 64);
    length += add_endpoint(bytes + length, 0x02, type, 64);
    if (has_interrupt) length += add_endpoint(bytes + length, 0x83, 3, 10);
    /* Full speed only, as these chips are. */
    struct usb_functionfs_descs_head_v2 head = {
        htole32(FUNCTIONFS_DESCRIPTORS_MAGIC_V2), htole32(length), htole32(FUNCTIONFS_HAS_FS_DESC | FUNCTIONFS_ALL_CTRL_RECIP)};
    memcpy(bytes, &head, sizeof head);
    if (write(control, bytes, length) != length) fail("the descriptors");
    struct __attribute__((packed)) {
        struct usb_functionfs_strings_head head;
        __le16 language;
        char text[5];
    } strings = {{htole32(FUNCTIONFS_STRINGS_MAGIC), htole32(sizeof strings), htole32(1), htole32(1)}, htole16(0x409), "Cuff"};
    if (write(control, &strings, sizeof strings) != sizeof strings) fail("the strings");
}

static void make_gadget(const char *ids, const char *serial) {
    unsigned vendor, product, release;
    char text[800], path[1100];
    if (sscanf(ids, "%x:%x:%x", &vendor, &product, &release) != 3) fail("VID:PID:RELEASE");
    snprintf(gadget, sizeof gadget, "/sys/kernel/config/usb_gadget/%s", name);
    make("");
    snprintf(text, sizeof text, "0x%04x", vendor), put("idVendor", text);
    snprintf(text, sizeof text, "0x%04x", product), put("idProduct", text);
    snprintf(text, sizeof text, "0x%04x", release), put("bcdDevice", text);
    put("bMaxPacketSize0", "64");
    make("strings/0x409");
    put("strings/0x409/manufacturer", "Maker");
    put("strings/0x409/product", "Simulated cuff");
    if (strcmp(serial, "-") != 0) put("strings/0x409/serialnumber", serial);
    make("configs/c.1");
    snprintf(text, sizeof text, "functions/%s.%s", kind == ACM ? "acm" : "ffs", name);
    make(text);
    snprintf(path, sizeof path, "%s/%s", gadget, text);
    char link[1900];
    snprintf(link, sizeof link, "%s/configs/c.1/%s", gadget, text + 10);
    if (symlink(path, link) < 0) fail(link);
    if (kind == ACM) return;
    snprintf(path, sizeof path, "/dev/ffs.%s", name);
    mkdir(path, 0755);
    if (mount(name, path, "functionfs", 0, NULL) < 0) fail("mount");
    snprintf(text, sizeof text, "%s/ep0", path);
    if ((control = open(text, O_RDWR)) < 0) fail(text);
    describe();
    snprintf(text, sizeof text, "%s/ep1", path);
    /* Non-blocking: output while unplugged is lost, not buffered. */
    if ((to_host = open(text, O_RDWR | O_NONBLOCK)) < 0) fail(text);
    snprintf(text, sizeof text, "%s/ep2", path);
    if ((from_host = open(text, O_RDWR)) < 0) fail(text);
}

/* The copying threads use the descriptor's number, so it must stay the same and must not be reused. */
static void replace(int *place, int descriptor) {
    if (*place < 0) {
        *place = descriptor;
        return;
    }
    if (dup2(descriptor, *place) < 0) fail("dup2");
    close(descriptor);
}

/* The CDC-ACM function is the kernel's own; its bytes are at a tty of the gadget's side. */
static void open_gadget_tty(void) {
    static char number[8];
    char path[300];
    int descriptor;
    if (!number[0]) {
        snprintf(path, sizeof path, "%s/functions/acm.%s/port_num", gadget, name);
        descriptor = open(path, O_RDONLY);
        if (descriptor < 0 || read(descriptor, number, sizeof number - 1) <= 0) fail(path);
        close(descriptor);
    }
    snprintf(path, sizeof path, "/dev/ttyGS%d", atoi(number));
    long limit = until(5000);
    while ((descriptor = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK)) < 0 && milliseconds() < limit) wait_a_little(10);
    if (descriptor < 0) fail(path);
    struct termios line;
    tcgetattr(descriptor, &line);
    cfmakeraw(&line);
    tcsetattr(descriptor, TCSANOW, &line);
    fcntl(descriptor, F_SETFL, O_RDWR);
    int other = open(path, O_RDWR | O_NOCTTY);
    if (other < 0) fail(path);
    replace(&from_host, descriptor);
    replace(&to_host, other);
}

/* Reopens the line to the cuff, as after plugging in a cable. HID keeps its socket and gets an event. */
static void open_back(void) {
    struct uhid_event event = {.type = UHID_OPEN};
    if (kind == HID) return say(&event);
    int descriptor = open(back_path, O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (descriptor < 0) fail(back_path);
    struct termios line;
    tcgetattr(descriptor, &line);
    cfmakeraw(&line);
    tcsetattr(descriptor, TCSANOW, &line);
    tcflush(descriptor, TCIOFLUSH);
    back = descriptor;
}

static void close_back(void) {
    struct uhid_event event = {.type = UHID_CLOSE};
    if (kind == HID) return say(&event);
    pthread_mutex_lock(&back_lock);
    if (back >= 0) close(back);
    back = -1;
    pthread_mutex_unlock(&back_lock);
}

static void plug(const char *udc) {
    passed = 0;
    last_byte = milliseconds();
    pthread_mutex_lock(&plug_lock);
    /* The last unplugging hung the gadget's tty up. */
    if (kind == ACM) open_gadget_tty();
    if (kind != ACM) open_back();
    plugged = 1;
    put("UDC", udc);
    pthread_mutex_unlock(&plug_lock);
    /* A cuff with a built-in USB port sends once it has started. Bytes before the host has set the tty to raw mode are lost. */
    if (kind == ACM) wait_a_little(until(800) - milliseconds()), open_back();
}

static void pull(void) {
    unplug();
    close_back();
}

/* MARK: what happens */

static void wait_quiet(int ms) {
    long limit = until(30000);
    while (milliseconds() - last_byte < ms) {
        if (milliseconds() > limit) fail("the cuff never falls silent");
        wait_a_little(10);
    }
}

static long count_readings(const char *where) {
    static sqlite3 *database;
    if (!database && sqlite3_open_v2(getenv("DATABASE"), &database, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK) {
        sqlite3_close(database);
        database = NULL;
        return -1;
    }
    sqlite3_stmt *query;
    char text[600];
    sqlite3_busy_timeout(database, 1000);
    snprintf(text, sizeof text, "SELECT count(*) FROM readings WHERE %s", where);
    if (sqlite3_prepare_v2(database, text, -1, &query, NULL) != SQLITE_OK) return -1;
    long count = sqlite3_step(query) == SQLITE_ROW ? sqlite3_column_int64(query, 0) : -1;
    sqlite3_finalize(query);
    return count;
}

/* Prints the delay from the last byte on the line to the last reading in the database. */
static void await(long wanted, const char *where) {
    long limit = until(30000), count;
    while ((count = count_readings(where)) < wanted) {
        if (milliseconds() > limit) {
            tell("FAILED %ld of %ld readings in the time allowed", count, wanted);
            exit(1);
        }
        wait_a_little(20);
    }
    long stored = milliseconds();
    wait_quiet(700);
    long late = stored - last_byte;
    tell("stored %ld bytes %ld late %ld", count_readings(where), passed, late > 0 ? late : 0);
}

/* Answers after how many bytes the plug was out. */
static long cut(long bytes, const char *udc) {
    cut_at = bytes;
    plug(udc);
    long limit = until(20000);
    long silence = until(2500) - milliseconds();
    /* A cuff that has less to say is pulled out in its silence. */
    while (plugged && milliseconds() < limit && !(passed > 0 && milliseconds() - last_byte > silence)) wait_a_little(2);
    if (plugged && passed == 0) fail("no request to the cuff within the time limit");
    cut_at = -1;
    long done = passed;
    pull();
    return done;
}

static void cuts(char *text) {
    char *sockets[8];
    int count = atoi(strsep(&text, ",")), number = 0;
    long bytes = atol(strsep(&text, ",")), reached = 0, silences = 0;
    while (text && number < 8) sockets[number++] = strsep(&text, ",");
    for (int index = 0; index < count; index++) {
        long wanted = bytes * (2 * index + 1) / (2 * count), at = cut(wanted, sockets[index % number]);
        if (at == wanted) reached++; else silences++;
        wait_a_little(150);
    }
    tell("cuts %d within %ld bytes: %ld in the midst, %ld in silence", count, bytes, reached, silences);
}

static void accept_cuff(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, back_path, sizeof address.sun_path - 1);
    unlink(back_path);
    int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener, 1) < 0) fail(back_path);
    struct pollfd entry = {.fd = listener, .events = POLLIN};
    if (poll(&entry, 1, until(10000) - milliseconds()) <= 0) fail("no cuff came to the socket");
    int descriptor = accept(listener, NULL, NULL);
    struct uhid_event event;
    if (recv(descriptor, &event, sizeof event, 0) <= 0 || event.type != UHID_CREATE2) fail("the cuff did not create itself");
    report_descriptor_length = event.u.create2.rd_size;
    memcpy(report_descriptor, event.u.create2.rd_data, report_descriptor_length);
    back = descriptor;
}

int main(int count, char **words) {
    if (count < 6) return 64;
    name = words[2];
    back_path = words[5];
    for (kind = FTDI; kind < BULK && strcmp(words[1], kinds[kind]) != 0;) kind++;
    if (kind == HID) accept_cuff();
    make_gadget(words[3], words[4]);
    pthread_t thread;
    if (kind != ACM) {
        pthread_create(&thread, NULL, serve_control, NULL);
        /* A chip answers at once; pl2303 waits for a tenth of a second. */
        struct sched_param urgent = {.sched_priority = 10};
        pthread_setschedparam(thread, SCHED_FIFO, &urgent);
    }
    pthread_create(&thread, NULL, carry_to_host, NULL);
    pthread_create(&thread, NULL, carry_from_host, NULL);
    for (int index = 6; index < count; index++) {
        char *value = words[index], *action = strsep(&value, "=");
        if (strcmp(action, "plug") == 0) plug(value);
        else if (strcmp(action, "unplug") == 0) pull();
        else if (strcmp(action, "sleep") == 0) wait_a_little(until(atol(value)) - milliseconds());
        else if (strcmp(action, "asks") == 0) tells = atoi(value);
        else if (strcmp(action, "quiet") == 0) wait_quiet(atoi(value));
        else if (strcmp(action, "cuts") == 0) cuts(value);
        else if (strcmp(action, "cut") == 0) {
            long bytes = atol(strsep(&value, ","));
            tell("cut %ld", cut(bytes, value));
        } else if (strcmp(action, "await") == 0) {
            long wanted = atol(strsep(&value, ","));
            await(wanted, value);
        } else return 64;
    }
    pull();
    return 0;
}
