/* From a byte to its acknowledgement: N pseudo terminals, on each an IEEE 11073 cuff that sends confirmed reports and reads the answers.
   Usage: acks N SECONDS EACH PROGRAM [ARGUMENTS… with @ for all assignments]
   Each cuff sends EACH reports a second, all of them at even distances. It does not wait for an answer before the next report.
   `acks answer` is a program that such a sink sends to.
   Prints the reports sent, those acknowledged, and of the time from the last byte to the end of the answer the median, the 99th
   percentile and the longest, in ms; then the program's CPU in % of one core and its largest resident size in KiB. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { most = 256, longest = 1 << 12 };
static struct { int fd, is_ready; unsigned sent; size_t count; unsigned char text[longest]; } cuffs[most];
static double *sent_at;
static float *took;
static long sent, answered;

static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }
static int order(const void *a, const void *b) { float x = *(const float *)a, y = *(const float *)b; return x < y ? -1 : x > y; }

/* IEEE 11073: the association request, the answer to the question for the MDS, and a confirmed event report. */
static const unsigned char request[] = {0xe2,0,0,0x32,0x80,0,0,0,0,1,0,0x2a,0x50,0x79,0,0x26,0x80,0,0,0,0xa0,0,0x80,0,0,0,0,0,0,0,0,0x80,0,0,0,8,
    0,9,0x1f,0xff,0xfe,0,1,1,0x02,0xbc,0,1,1,0,0,0,0,0};
static unsigned char mds[] = {0xe7,0,0,0x20,0,0x1e,0,1,2,3,0,0x18,0,0,0,1,0,0x12,9,0x28,0,0xe,0,4,'c','u','f','f',0,6,'t','e','s','t',' ',' '};
static unsigned char report[66] = {0xe7,0,0,0x3e,0,0x3c,0,0,1,1,0,0x36,0,0,0xff,0xff,0xff,0xff,0x0d,0x1d,0,0x2c,0xf0,0,0,0,0,2,0,0x24,0,1,0,0x12,0,3,0,6};
static void big16(unsigned char *p, unsigned v) { p[0] = v >> 8; p[1] = v; }
static void stamp(unsigned char *p, long number) {
    time_t seconds = 1750000000 + number;
    struct tm t;
    gmtime_r(&seconds, &t);
    int fields[7] = {20, t.tm_year % 100, t.tm_mon + 1, t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec};
    for (int i = 0; i < 7; i++) p[i] = fields[i] / 10 << 4 | fields[i] % 10;
    p[7] = 0;
}
/* Report `number` of cuff `i`, with a time of its own; the answer repeats the number in bytes 6 and 7. */
static void send_report(int i, long number) {
    unsigned of_cuff = cuffs[i].sent++;
    big16(report + 6, of_cuff + 2); big16(report + 24, of_cuff);
    big16(report + 38, 110 + number % 50); big16(report + 40, 60 + number % 40); big16(report + 42, 80 + number % 40);
    big16(report + 52, 2); big16(report + 54, 10); big16(report + 56, 55 + number % 60);
    stamp(report + 44, of_cuff); stamp(report + 58, of_cuff);
    took[number] = -1;
    sent_at[number] = now();
    if (write(cuffs[i].fd, report, sizeof report) != sizeof report) { fprintf(stderr, "acks: a cuff could not send\n"); exit(1); }
}

static void answers(int i, int n) {
    for (;;) {
        ssize_t count = read(cuffs[i].fd, cuffs[i].text + cuffs[i].count, longest - cuffs[i].count);
        if (count <= 0) return;
        double at = now();
        cuffs[i].count += count;
        size_t start = 0, length;
        while (start + 4 <= cuffs[i].count && start + (length = 4 + (cuffs[i].text[start + 2] << 8 | cuffs[i].text[start + 3])) <= cuffs[i].count) {
            const unsigned char *apdu = cuffs[i].text + start;
            start += length;
            if (apdu[0] != 0xe7 || length < 10) continue;
            unsigned invoke = apdu[6] << 8 | apdu[7], choice = apdu[8] << 8 | apdu[9];
            if (choice == 0x0103) {  /* the question for the MDS */
                big16(mds + 6, invoke);
                if (write(cuffs[i].fd, mds, sizeof mds) != sizeof mds) exit(1);
                cuffs[i].is_ready = 1;
            } else if (choice == 0x0201) {
                long number = (long)((unsigned short)(invoke - 2)) * n + i;
                if (number < sent && took[number] < 0) { took[number] = (at - sent_at[number]) * 1e3; answered++; }
            }
        }
        memmove(cuffs[i].text, cuffs[i].text + start, cuffs[i].count -= start);
        if (cuffs[i].count == longest) exit(1);
    }
}

static void wait_until(double time, int n) {
    static struct pollfd waits[most];
    for (int i = 0; i < n; i++) waits[i] = (struct pollfd){cuffs[i].fd, POLLIN, 0};
    for (double left; (left = time - now()) > 0;) {
        struct timespec t = {left, (left - (long)left) * 1e9};
        if (ppoll(waits, n, &t, NULL) > 0) for (int i = 0; i < n; i++) if (waits[i].revents) answers(i, n);
    }
}

/* `acks answer`: a program for `exec+ack:` that accepts every reading. */
static int answer(void) {
    static char line[1 << 16];
    puts("ready 1");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        char *id = strstr(line, "\"id\":\"");
        if (!id) return 65;
        id += 6;
        printf("ok %.*s 0\n", (int)strcspn(id, "\""), id);
        fflush(stdout);
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "answer")) return answer();
    if (argc < 5) return 64;
    int n = atoi(argv[1]), seconds = atoi(argv[2]), each = atoi(argv[3]), count = 0;
    if (n < 1 || n > most || seconds < 1 || each < 1 || seconds * each > 60000) return 64;
    long all = (long)n * seconds * each;
    sent_at = calloc(all, sizeof *sent_at);
    took = calloc(all, sizeof *took);
    char **arguments = calloc(argc + 2 * n + 2, sizeof *arguments);
    for (int i = 4; i < argc; i++) if (strcmp(argv[i], "@")) arguments[count++] = argv[i];
    for (int i = 0; i < n; i++) {
        struct termios raw;
        int fd = cuffs[i].fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
        if (fd < 0 || grantpt(fd) || unlockpt(fd)) return 66;
        tcgetattr(fd, &raw); cfmakeraw(&raw); tcsetattr(fd, TCSANOW, &raw);
        if (open(ptsname(fd), O_RDWR | O_NOCTTY | O_CLOEXEC) < 0) return 66;  /* keeps the terminal up */
        fcntl(fd, F_SETFL, O_NONBLOCK);
        char *name = malloc(96);
        snprintf(name, 96, "%s=phd", ptsname(fd));
        arguments[count++] = "--assign";
        arguments[count++] = name;
    }
    /* The slow disk is the program's alone. */
    pid_t child = fork();
    if (!child) {
        if (getenv("SLOW_DISK")) setenv("LD_PRELOAD", getenv("SLOW_DISK"), 1);
        execvp(arguments[0], arguments);
        _exit(127);
    }
    wait_until(now() + 3, n);
    for (int i = 0; i < n; i++) if (write(cuffs[i].fd, request, sizeof request) != sizeof request) return 1;
    wait_until(now() + 3, n);
    for (int i = 0; i < n; i++) if (!cuffs[i].is_ready) { fprintf(stderr, "acks: cuff %d was not asked for its MDS\n", i); return 1; }
    double next = now();
    for (long number = 0; number < all; number++) {
        wait_until(next += 1.0 / n / each, n);
        sent = number + 1;
        send_report(number % n, number);
    }
    for (int i = 0; i < 100 && answered < sent; i++) wait_until(now() + 0.1, n);
    kill(child, SIGTERM);
    struct rusage use;
    wait4(child, NULL, 0, &use);
    double cpu = use.ru_utime.tv_sec + use.ru_stime.tv_sec + (use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
    for (long i = 0; i < sent; i++) if (took[i] < 0) took[i] = 1e9;
    qsort(took, sent, sizeof *took, order);
    printf("%ld %ld %.1f %.1f %.1f %.1f %ld\n", sent, answered, took[sent / 2], took[sent * 99 / 100], took[sent - 1], 100 * cpu / seconds,
        use.ru_maxrss);
    return 0;
}
