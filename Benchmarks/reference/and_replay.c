/* The plain C measure for `cuff replay` of a text capture of and-std: time, mark and hex of each line, checked; answers to a
   question are from memory.  Usage: and_replay < capture > lines */
#include "and.h"

static uint8_t nibble[256], data[1 << 18];

static void fault(long line, const char *why) { flush(); fprintf(stderr, "line %ld: %s\n", line, why); exit(65); }

int main(void) {
    static uint8_t in[(1 << 16) + (1 << 19)];
    size_t have = 0, kept = 0;
    ssize_t n;
    long number = 0;
    int asked = 0;
    memset(nibble, 0xFF, sizeof nibble);
    for (int i = 0; i < 10; i++) nibble['0' + i] = i;
    for (int i = 0; i < 6; i++) nibble['a' + i] = nibble['A' + i] = 10 + i;
    start_seed();
    while ((n = read(0, in + have, 1 << 16)) > 0) {
        const uint8_t *p = in, *end = in + have + n, *newline;
        while ((newline = memchr(p, '\n', end - p))) {
            const uint8_t *q = p, *stop = newline;
            number++;
            p = newline + 1;
            while (stop > q && (stop[-1] == '\r' || stop[-1] == ' ')) stop--;
            if (q == stop || *q == '#' || *q == '=') continue;
            uint64_t seconds = 0, micro = 0, scale = 100000;
            while (q < stop && *q - '0' < 10u) seconds = seconds * 10 + *q++ - '0';
            if (q < stop && *q == '.') for (q++; q < stop && *q - '0' < 10u; q++) { micro += (*q - '0') * scale; scale /= 10; }
            (void)seconds; (void)micro;
            while (q < stop && (*q == ' ' || *q == '\t')) q++;
            if (q == stop) fault(number, "a time stands alone");
            uint8_t mark = *q++;
            if (mark == '!') continue;
            if (mark != '<' && mark != '>') fault(number, "no mark");
            uint8_t *d = data + kept, high = 0;
            int odd = 0;
            while (q < stop) {
                if (!odd && stop - q >= 3 && q[0] == ' ' && (nibble[q[1]] | nibble[q[2]]) < 16) {
                    *d++ = nibble[q[1]] << 4 | nibble[q[2]];
                    q += 3;
                    continue;
                }
                uint8_t c = *q++, v = nibble[c];
                if (v < 16) { if (odd) *d++ = high << 4 | v; else high = v; odd = !odd; }
                else if (c != ' ' && c != '\t') fault(number, "not a hexadecimal digit");
            }
            if (odd) fault(number, "the line ends within a byte");
            if (mark == '>') {
                const uint8_t *w = data + kept;
                if (d - w >= 8 && w[5] == 2 && w[6] == 'R' && w[7] == 'B') asked = 1;
                continue;
            }
            const uint8_t *f = data, *last = d;
            EACH_RESULT(f, last, {
                room();
                o_end = asked ? line(o_end, &r, "memory", 6) : line(o_end, &r, "push", 4);
                asked = 0;
            })
            kept = last - f;
            memmove(data, f, kept);
        }
        have = end - p;
        if (have > 1 << 19) fault(number + 1, "the line is too long");
        memmove(in, p, have);
    }
    flush();
    return 0;
}
