/* Many cuffs at once: N pseudo terminals, read by one program.
   Usage: cuffs N SECONDS FRAMES-FILE PROGRAM [ARGUMENTS… with @ for all assignments]
   Each cuff sends ten A&D STD results of the file a second, one cuff after the other at even distances; with `-` instead of a
   file each sends fifty cuff pressures a second (PM6750 packets), all at once.
   Prints, of the time while they sent: the program's CPU in % of one core, the lines it printed, what was sent, the voluntary
   context switches of its threads, and at the end of that time the number of these and the largest resident size in KiB. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }
static long ticks(pid_t p) {
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", p);
    FILE *f = fopen(path, "r");
    if (!f) return 0;
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = 0;
    char *at = strrchr(text, ')');
    long user = 0, kernel = 0;
    if (at) sscanf(at + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &user, &kernel);
    return user + kernel;
}
/* The largest resident size so far, in KiB. */
static long memory(pid_t p) {
    char path[64], line[256];
    long size = 0;
    snprintf(path, sizeof path, "/proc/%d/status", p);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f)) if (sscanf(line, "VmHWM: %ld", &size) == 1) break;
    if (f) fclose(f);
    return size;
}
static long switches(pid_t p, int *threads) {
    char path[64], line[256];
    long sum = 0;
    snprintf(path, sizeof path, "/proc/%d/task", p);
    DIR *folder = opendir(path);
    *threads = 0;
    for (struct dirent *e; folder && (e = readdir(folder));) {
        if (e->d_name[0] == '.') continue;
        char status[400];
        snprintf(status, sizeof status, "%s/%s/status", path, e->d_name);
        FILE *f = fopen(status, "r");
        if (!f) continue;
        long count;
        while (fgets(line, sizeof line, f)) if (sscanf(line, "voluntary_ctxt_switches: %ld", &count) == 1) sum += count;
        fclose(f);
        ++*threads;
    }
    if (folder) closedir(folder);
    return sum;
}
static long lines;
static void drain(int fd) {
    static char text[1 << 16];
    ssize_t n;
    while ((n = read(fd, text, sizeof text)) > 0) for (ssize_t i = 0; i < n; i++) lines += text[i] == '\n';
}

int main(int argc, char **argv) {
    if (argc < 5) return 64;
    int n = atoi(argv[1]), seconds = atoi(argv[2]), out[2], cuffs[256], count = 0, threads;
    FILE *file = strcmp(argv[3], "-") ? fopen(argv[3], "rb") : NULL;
    if (n < 1 || n > 256 || pipe2(out, O_CLOEXEC) || (!file && strcmp(argv[3], "-"))) return 66;
    char **arguments = calloc(argc + 2 * n + 2, sizeof *arguments);
    for (int i = 4; i < argc; i++) if (strcmp(argv[i], "@")) arguments[count++] = argv[i];
    for (int i = 0; i < n; i++) {
        struct termios raw;
        cuffs[i] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
        if (cuffs[i] < 0 || grantpt(cuffs[i]) || unlockpt(cuffs[i])) return 66;
        tcgetattr(cuffs[i], &raw); cfmakeraw(&raw); tcsetattr(cuffs[i], TCSANOW, &raw);
        if (open(ptsname(cuffs[i]), O_RDWR | O_NOCTTY | O_CLOEXEC) < 0) return 66;  /* keeps the terminal up */
        char *name = malloc(96);
        snprintf(name, 96, "%s=%s", ptsname(cuffs[i]), file ? "and-std" : "berry-pm6750");
        arguments[count++] = "--assign";
        arguments[count++] = name;
    }
    pid_t child = fork();
    if (!child) { dup2(out[1], 1); execvp(arguments[0], arguments); _exit(127); }
    close(out[1]);
    fcntl(out[0], F_SETFL, O_NONBLOCK);
    sleep(3);
    drain(out[0]);
    long before = ticks(child), sent = 0, waits = switches(child, &threads);
    lines = 0;
    double start = now(), next = start;
    for (int step = 0; step < (file ? seconds * 10 * n : seconds * 50); step++) {
        next += file ? 0.1 / n : 0.02;
        char frame[64];
        if (file && fread(frame, 1, 64, file) != 64) return 65;
        if (file) sent += write(cuffs[step % n], frame, 64) == 64;
        else for (int i = 0; i < n; i++) {
            unsigned char pressure = (step + i) % 120, p[10] = {0x55, 0xAA, 8, 3, 4, pressure, 0, 0, 0, (unsigned char)~(8 + 3 + 4 + pressure)};
            sent += write(cuffs[i], p, 10) == 10;
        }
        for (double left; (left = next - now()) > 0; drain(out[0])) {
            struct pollfd w = {out[0], POLLIN, 0};
            struct timespec t = {0, left * 1e9};
            ppoll(&w, 1, &t, NULL);
        }
    }
    double took = now() - start;
    long after = ticks(child);
    waits = switches(child, &threads) - waits;
    sleep(1);
    drain(out[0]);
    printf("%.2f %ld %ld %ld %d %ld\n", 100.0 * (after - before) / sysconf(_SC_CLK_TCK) / took, lines, sent, waits, threads, memory(child));
    kill(child, SIGTERM);
    waitpid(child, 0, 0);
    return 0;
}
