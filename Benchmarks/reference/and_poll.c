/* The plain C measure for latency: reads a terminal in a poll loop and prints each reading at once.  Usage: and_poll TTY */
#include "and.h"
#include <poll.h>
#include <termios.h>

int main(int argc, char **argv) {
    static uint8_t in[8192];
    size_t have = 0;
    struct termios raw;
    if (argc != 2) return 64;
    int tty = open(argv[1], O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (tty < 0 || tcgetattr(tty, &raw)) return 66;
    cfmakeraw(&raw);
    tcsetattr(tty, TCSANOW, &raw);
    start_seed();
    struct pollfd wait = {tty, POLLIN, 0};
    while (poll(&wait, 1, -1) > 0) {
        ssize_t n = read(tty, in + have, 4096);
        if (n <= 0) break;
        const uint8_t *p = in, *end = in + have + n;
        EACH_RESULT(p, end, { o_end = line(o_end, &r, "push", 4); flush(); })
        have = end - p;
        memmove(in, p, have);
    }
    return 0;
}
