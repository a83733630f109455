/* From the last byte of a frame on a pseudo terminal to its line on a pipe, one frame a millisecond.
   Usage: latency FRAMES-FILE COUNT PROGRAM [ARGUMENTS… with @ for the terminal]   prints p50 and p99 in microseconds */
#define _GNU_SOURCE
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

static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1e6 + t.tv_nsec / 1e3; }
static int ascending(const void *a, const void *b) { double x = *(double *)a, y = *(double *)b; return x < y ? -1 : x > y; }

int main(int argc, char **argv) {
    if (argc < 4) return 64;
    int count = atoi(argv[2]), warm = 200, out[2];
    FILE *file = fopen(argv[1], "rb");
    int cuff = posix_openpt(O_RDWR | O_NOCTTY);
    if (!file || cuff < 0 || grantpt(cuff) || unlockpt(cuff) || pipe(out)) return 66;
    struct termios raw;
    tcgetattr(cuff, &raw); cfmakeraw(&raw); tcsetattr(cuff, TCSANOW, &raw);
    for (int i = 3; i < argc; i++) if (!strcmp(argv[i], "@")) argv[i] = strdup(ptsname(cuff));
    int keep = open(ptsname(cuff), O_RDWR | O_NOCTTY);  /* so that the terminal does not hang up before the program opens it */
    pid_t child = fork();
    if (!child) { dup2(out[1], 1); close(out[0]); close(cuff); close(keep); execvp(argv[3], argv + 3); _exit(127); }
    close(out[1]);
    usleep(700000);
    double *took = calloc(count, sizeof *took), next = now();
    char frame[64], line[4096];
    struct pollfd wait = {out[0], POLLIN, 0};
    for (int i = -warm; i < count; i++) {
        if (fread(frame, 1, 64, file) != 64) return 65;
        next += 1000;
        while (now() < next) { double left = next - now(); if (left > 150) usleep(left - 100); }
        double start = now();
        if (write(cuff, frame, 64) != 64) return 1;
        if (poll(&wait, 1, 2000) <= 0) { fprintf(stderr, "latency: no line came\n"); kill(child, SIGTERM); return 1; }
        if (read(out[0], line, sizeof line) <= 0) return 1;
        if (i >= 0) took[i] = now() - start;
    }
    kill(child, SIGTERM);
    waitpid(child, 0, 0);
    qsort(took, count, sizeof *took, ascending);
    printf("%.0f %.0f\n", took[count / 2], took[count - count / 100 - 1]);
    return 0;
}
