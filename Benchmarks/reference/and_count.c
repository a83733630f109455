/* The plain C measure for the core alone: bytes to readings, nothing printed but how many.  Usage: and_count < frames */
#include "and.h"

int main(void) {
    static uint8_t in[65536 + 1024];
    static struct result results[2048];
    size_t have = 0, kept = 0;
    unsigned long count = 0, sum = 0;
    ssize_t n;
    start_seed();
    while ((n = read(0, in + have, 65536)) > 0) {
        const uint8_t *p = in, *end = in + have + n;
        kept = 0;
        EACH_RESULT(p, end, { results[kept++] = r; })
        for (size_t i = 0; i < kept; i++) sum += results[i].systolic;
        count += kept;
        have = end - p;
        memmove(in, p, have);
    }
    printf("%lu readings, systolic sum %lu\n", count, sum);
    return 0;
}
