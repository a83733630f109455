/* The plain C measure for `cuff replay` of a pcapng of LINKTYPE_RTAC_SERIAL with and-std: each block and packet is checked,
   and a reading carries the time at which its packet came.  Usage: and_pcapng < file > lines */
#include "and.h"

static uint32_t u32(const uint8_t *p) { uint32_t v; memcpy(&v, p, 4); return v; }

/* "received":"2026-05-05T05:40:00.120Z" */
static char *received(char *o, uint64_t ms) {
    static uint64_t known_day = ~0ULL;
    static char date[11];
    uint64_t day = ms / 86400000, rest = ms % 86400000;
    if (day != known_day) {
        long z = day + 719468, era = z / 146097, doe = z - era * 146097;
        long yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365, doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
        long mp = (5 * doy + 2) / 153, m = mp < 10 ? mp + 3 : mp - 9, y = yoe + era * 400 + (m <= 2);
        char *d = two(date, y / 100); d = two(d, y % 100); *d++ = '-'; d = two(d, m); *d++ = '-'; two(d, doy - (153 * mp + 2) / 5 + 1);
        known_day = day;
    }
    PUT(",\"received\":\"");
    o = put(o, date, 10); *o++ = 'T';
    o = two(o, rest / 3600000); *o++ = ':'; o = two(o, rest / 60000 % 60); *o++ = ':'; o = two(o, rest / 1000 % 60); *o++ = '.';
    unsigned milli = rest % 1000;
    *o++ = '0' + milli / 100; o = two(o, milli % 100); PUT("Z\"");
    return o;
}

int main(void) {
    /* Each chunk is read to the same place, the rest of the last one in front of it: at offsets of 1 to 31 in a page, read(2) of a
       cached file takes three times as long on AMD. */
    static uint8_t in[(1 << 18) + (1 << 16)] __attribute__((aligned(4096))), data[1 << 17];
    uint8_t *chunk = in + (1 << 18);
    size_t have = 0, kept = 0;
    ssize_t n;
    int asked = 0;
    uint64_t start = 0;
    start_seed();
    while ((n = read(0, chunk, 1 << 16)) > 0) {
        const uint8_t *p = chunk - have, *end = chunk + n;
        while (end - p >= 12) {
            uint32_t kind = u32(p), length = u32(p + 4);
            if (length < 12 || length % 4 || length > 1 << 18) return 65;
            if (end - p < length) break;
            const uint8_t *b = p;
            p += length;
            if (u32(p - 4) != length) return 65;
            if (kind == 1 && (b[8] | b[9] << 8) != 250) return 65;
            if (kind != 6) continue;
            uint32_t captured = u32(b + 20);
            if (captured + 32 > length || captured < 12) return 65;
            uint64_t time = (uint64_t)u32(b + 12) << 32 | u32(b + 16);
            if (!start) start = time;
            const uint8_t *d = b + 40;
            unsigned count = captured - 12;
            if (b[36] == 1 || b[36] == 3) { if (count >= 8 && d[5] == 2 && d[6] == 'R' && d[7] == 'B') asked = 1; continue; }
            if (b[36] != 2 && b[36] != 4) continue;
            if (kept + count > sizeof data) return 65;
            memcpy(data + kept, d, count);
            const uint8_t *f = data, *last = data + kept + count;
            uint64_t ms = start / 1000 + (time - start) / 1000;
            EACH_RESULT(f, last, {
                room();
                /* the receive time comes before the origin */
                char *e = line(o_end, &r, "", 0) - 14;
                e = received(e, ms);
                e = put(e, ",\"origin\":\"", 11);
                e = asked ? put(e, "memory\"}\n", 9) : put(e, "push\"}\n", 7);
                o_end = e;
                asked = 0;
            })
            kept = last - f;
            memmove(data, f, kept);
        }
        have = end - p;
        memmove(chunk - have, p, have);
    }
    flush();
    return 0;
}
