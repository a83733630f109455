/* The plain C measure for `cuff decode --driver and-std`.  Usage: and_decode < frames > lines */
#include "and.h"

int main(void) {
    static uint8_t in[65536 + 1024];
    size_t have = 0;
    ssize_t n;
    start_seed();
    while ((n = read(0, in + have, 65536)) > 0) {
        const uint8_t *p = in, *end = in + have + n;
        EACH_RESULT(p, end, { room(); o_end = line(o_end, &r, "push", 4); })
        have = end - p;
        memmove(in, p, have);
    }
    flush();
    return 0;
}
