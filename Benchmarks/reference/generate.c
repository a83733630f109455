/* The inputs of the benchmarks, the same for the same seed.
   Usage: generate KIND COUNT [SEED] > file
     and       A&D STD results, one per 64-byte frame, times rising
     noise     the same with noise before every 20th frame and a damaged byte in every 20th
     phd       an 11073 association with standard configuration 700, then fixed event reports of pressures and pulse
     capture   a text capture of the driver and-std: COUNT times a question and its answer
     pcapng    the same conversation as LINKTYPE_RTAC_SERIAL */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;
static uint64_t next(void) {
    uint64_t z = state += 0x9E3779B97F4A7C15ULL;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ z >> 27) * 0x94D049BB133111EBULL;
    return z ^ z >> 31;
}
static unsigned below(unsigned limit) { return next() % limit; }

struct measurement { int systolic, diastolic, mean, pulse, year, month, day, hour, minute, second; };
static long minutes;  /* since 2005-01-01 00:00 */
static int days_in(int m, int y) { return m == 2 ? (y % 4 ? 28 : 29) : m == 4 || m == 6 || m == 9 || m == 11 ? 30 : 31; }
static struct measurement draw(void) {
    struct measurement m;
    m.diastolic = 55 + below(45);
    m.systolic = m.diastolic + 25 + below(60);
    m.mean = m.diastolic + (m.systolic - m.diastolic) / 3;
    m.pulse = 50 + below(70);
    minutes += 1 + below(9);
    long d = minutes / 1440;
    m.year = 2005; m.month = 1;
    while (d >= (m.year % 4 ? 365 : 366)) d -= m.year++ % 4 ? 365 : 366;
    while (d >= days_in(m.month, m.year)) d -= days_in(m.month++, m.year);
    m.day = d + 1; m.hour = minutes / 60 % 24; m.minute = minutes % 60; m.second = below(60);
    return m;
}

static void frame(uint8_t *f) {
    struct measurement m = draw();
    char text[80];
    int failed = below(200) == 0, codes[] = {11, 12, 23, 24, 43, 44, 45, 61};
    int code = failed ? codes[below(8)] : 0;
    snprintf(text, sizeof text, "TM2655\x1e%02d%02d%02d%02d%02d\x1eRB\x1eM\x1e" "E%02d\x1eS%3d\x1eM%3d\x1e" "D%3d\x1eP%3d\x1eI17\x1eL139\x1e",
             m.year % 100, m.month, m.day, m.hour, m.minute, code, failed ? 0 : m.systolic, failed ? 0 : m.mean,
             failed ? 0 : m.diastolic, failed ? 0 : m.pulse);
    memcpy(f, "\x16\x16\x01" "00\x02", 6);
    memcpy(f + 6, text, 56);
    f[62] = 3;
    f[63] = 0;
    for (int i = 2; i < 63; i++) f[63] ^= f[i];
}

static void put(const void *p, size_t n) { fwrite(p, 1, n, stdout); }

static void u32(uint8_t *p, uint32_t v) { memcpy(p, &v, 4); }
static void big32(uint8_t *p, uint32_t v) { p[0] = v >> 24; p[1] = v >> 16; p[2] = v >> 8; p[3] = v; }
static void packet(uint64_t time, int event, const uint8_t *data, unsigned n) {
    static uint8_t b[256];
    unsigned length = 12 + n, padded = (length + 3) & ~3u, total = 28 + padded + 12 + 4;
    memset(b, 0, total);
    u32(b, 6); u32(b + 4, total); u32(b + 12, time >> 32); u32(b + 16, time); u32(b + 20, length); u32(b + 24, length);
    big32(b + 28, time / 1000000); big32(b + 32, time % 1000000); b[36] = event;
    memcpy(b + 40, data, n);
    uint8_t *o = b + 28 + padded;
    o[0] = 2; o[2] = 4; o[4] = event == 1 ? 2 : 1;  /* epb_flags: the direction */
    u32(b + total - 4, total);
    put(b, total);
}

static const uint8_t aarq[] = {0xe2,0,0,0x32,0x80,0,0,0,0,1,0,0x2a,0x50,0x79,0,0x26,0x80,0,0,0,0xa0,0,0x80,0,0,0,0,0,0,0,0,0x80,0,0,0,8,
    0,9,0x1f,0xff,0xfe,0,1,1,0x02,0xbc,0,1,1,0,0,0,0,0};
static const uint8_t mds[] = {0xe7,0,0,0x20,0,0x1e,0,1,2,3,0,0x18,0,0,0,1,0,0x12,9,0x28,0,0xe,0,4,'c','u','f','f',0,6,'t','e','s','t',' ',' '};
static uint8_t report[66] = {0xe7,0,0,0x3e,0,0x3c,0,0,1,1,0,0x36,0,0,0xff,0xff,0xff,0xff,0x0d,0x1d,0,0x2c,0xf0,0,0,0,0,2,0,0x24,0,1,0,0x12,0,3,0,6};
static uint8_t bcd(int v) { return v / 10 << 4 | v % 10; }
static void time_stamp(uint8_t *p, const struct measurement *m) {
    p[0] = bcd(m->year / 100); p[1] = bcd(m->year % 100); p[2] = bcd(m->month); p[3] = bcd(m->day);
    p[4] = bcd(m->hour); p[5] = bcd(m->minute); p[6] = bcd(m->second); p[7] = 0;
}
static void big16(uint8_t *p, unsigned v) { p[0] = v >> 8; p[1] = v; }

int main(int argc, char **argv) {
    if (argc < 3) { fprintf(stderr, "usage: generate KIND COUNT [SEED]\n"); return 64; }
    const char *kind = argv[1];
    long count = atol(argv[2]);
    state = argc > 3 ? strtoull(argv[3], 0, 10) : 1;
    static uint8_t f[64];
    static const uint8_t question[] = {0x16,0x16,1,'0','0',2,'R','B',3,0x10};
    if (!strcmp(kind, "and") || !strcmp(kind, "noise")) {
        int noisy = kind[0] == 'n';
        for (long i = 0; i < count; i++) {
            frame(f);
            if (noisy && below(20) == 0) { uint8_t n[40]; unsigned k = 1 + below(40); for (unsigned j = 0; j < k; j++) n[j] = next(); put(n, k); }
            if (noisy && below(20) == 0) f[below(64)] ^= 1 + below(255);
            put(f, 64);
        }
    } else if (!strcmp(kind, "phd")) {
        put(aarq, sizeof aarq);
        put(mds, sizeof mds);
        for (long i = 0; i < count; i++) {
            struct measurement m = draw();
            int tenth = below(10) == 0;  /* F xxx: one decimal */
            big16(report + 6, i + 1); big16(report + 24, i);
            big16(report + 38, tenth ? 0xF000 | (m.systolic * 10) : m.systolic);
            big16(report + 40, m.diastolic); big16(report + 42, m.mean);
            time_stamp(report + 44, &m);
            big16(report + 52, 2); big16(report + 54, 10);
            big16(report + 56, m.pulse);
            time_stamp(report + 58, &m);
            put(report, 66);
        }
    } else if (!strcmp(kind, "capture")) {
        printf("# driver: and-std\n# cuff: A&D TM-2655P\n# origin: synthetic\n# by: Benchmarks/reference/generate.c\n");
        for (long i = 0; i < count; i++) {
            printf("%ld.%06u >", i, below(1000));
            for (unsigned j = 0; j < sizeof question; j++) printf(" %02x", question[j]);
            frame(f);
            printf("\n%ld.%06u <", i, 200000 + below(1000));
            for (int j = 0; j < 64; j++) printf(" %02x", f[j]);
            printf("\n");
        }
    } else if (!strcmp(kind, "pcapng")) {
        static uint8_t section[52], interface[32];
        u32(section, 0x0A0D0D0A); u32(section + 4, 52); u32(section + 8, 0x1A2B3C4D); section[12] = 1;
        memset(section + 16, 0xFF, 8);
        section[24] = 1; section[26] = 15; memcpy(section + 28, "driver: and-std", 15); u32(section + 48, 52);
        u32(interface, 1); u32(interface + 4, 32); interface[8] = 250;
        interface[16] = 9; interface[18] = 1; interface[20] = 6; u32(interface + 28, 32);
        put(section, 52);
        put(interface, 32);
        uint64_t time = 1777966270ULL * 1000000;
        for (long i = 0; i < count; i++) {
            packet(time += 800000 + below(1000), 1, question, sizeof question);
            frame(f);
            packet(time += 200000 + below(1000), 2, f, 64);
        }
    } else { fprintf(stderr, "generate: no kind `%s`\n", kind); return 64; }
    return 0;
}
