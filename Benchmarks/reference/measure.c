/* Runs two commands in turn and compares their cost.
   Usage: measure [-n ROUNDS] [-i INPUT] [-I INPUT] NAME MUST AIM 'REFERENCE COMMAND' 'CUFF COMMAND'
   Commands are split at blanks, run without a shell, with INPUT on standard input where -i (reference) or -I (cuff) says so,
   and /dev/null on standard output. Prints one row: medians, least and most of the CPU time of both, ratios of rates by CPU
   and by wall-clock time (1.00 is as fast as the reference), and the largest memory of cuff. */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;
#define ROUNDS 101
struct cost { double cpu[ROUNDS], wall[ROUNDS]; long memory; };

static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }
static double seconds(struct timeval t) { return t.tv_sec + t.tv_usec / 1e6; }
static int ascending(const void *a, const void *b) { double x = *(double *)a, y = *(double *)b; return x < y ? -1 : x > y; }

static void run(char *command, const char *input, struct cost *cost, int round) {
    char copy[4096], *words[64], *rest = copy;
    int count = 0;
    snprintf(copy, sizeof copy, "%s", command);
    while (count < 63 && (words[count] = strsep(&rest, " "))) if (*words[count]) count++;
    words[count] = 0;
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, input ? input : "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    double start = now();
    pid_t child;
    int status;
    struct rusage usage;
    if (posix_spawnp(&child, words[0], &files, 0, words, environ)) { fprintf(stderr, "measure: cannot run %s\n", words[0]); exit(1); }
    wait4(child, &status, 0, &usage);
    if (!WIFEXITED(status) || WEXITSTATUS(status)) { fprintf(stderr, "measure: `%s` ended with %d\n", command, status); exit(1); }
    cost->wall[round] = now() - start;
    cost->cpu[round] = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    if (usage.ru_maxrss > cost->memory) cost->memory = usage.ru_maxrss;
    posix_spawn_file_actions_destroy(&files);
}

int main(int argc, char **argv) {
    int rounds = 9, option;
    const char *inputs[2] = {0, 0};
    while ((option = getopt(argc, argv, "n:i:I:")) != -1) {
        if (option == 'n') rounds = atoi(optarg);
        else if (option == 'i') inputs[0] = optarg;
        else if (option == 'I') inputs[1] = optarg;
        else return 64;
    }
    if (argc - optind != 5 || rounds < 1 || rounds > ROUNDS) return 64;
    char *name = argv[optind], *must = argv[optind + 1], *aim = argv[optind + 2], **commands = argv + optind + 3;
    static struct cost costs[2];
    for (int i = 0; i < 2; i++) { static struct cost warm; run(commands[i], inputs[i], &warm, 0); }
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < 2; i++) run(commands[(i + round) % 2], inputs[(i + round) % 2], &costs[(i + round) % 2], round);
    for (int i = 0; i < 2; i++) {
        qsort(costs[i].cpu, rounds, sizeof(double), ascending);
        qsort(costs[i].wall, rounds, sizeof(double), ascending);
    }
    int middle = rounds / 2;
    printf("| %s | %.1f (%.1f-%.1f) | %.1f (%.1f-%.1f) | %.2f | %.2f | %s | %s | %.1f |\n", name, costs[0].cpu[middle] * 1e3,
           costs[0].cpu[0] * 1e3, costs[0].cpu[rounds - 1] * 1e3, costs[1].cpu[middle] * 1e3, costs[1].cpu[0] * 1e3,
           costs[1].cpu[rounds - 1] * 1e3, costs[0].cpu[middle] / costs[1].cpu[middle], costs[0].wall[middle] / costs[1].wall[middle],
           must, aim, costs[1].memory / 1024.0);
    return 0;
}
