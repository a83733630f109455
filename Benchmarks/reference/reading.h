/* What the plain C programs share: names, duplicates and lines exactly as `cuff` makes them. Written to be fast: one pass, one
   reused output buffer, eight bytes at a time where that helps, no allocation. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline uint64_t load64(const uint8_t *p) { uint64_t v; memcpy(&v, p, 8); return v; }
static inline void store64(char *p, uint64_t v) { memcpy(p, &v, 8); }

/* xxHash, 64 bits */
#define P1 0x9E3779B185EBCA87ULL
#define P2 0xC2B2AE3D27D4EB4FULL
#define P3 0x165667B19E3779F9ULL
#define P4 0x85EBCA77C2B2AE63ULL
#define P5 0x27D4EB2F165667C5ULL
static inline uint64_t rol(uint64_t x, int n) { return x << n | x >> (64 - n); }
static inline uint64_t mix(uint64_t a, uint64_t v) { return rol(a + v * P2, 31) * P1; }
static inline uint64_t merge(uint64_t a, uint64_t v) { return (a ^ mix(0, v)) * P1 + P4; }
static inline uint64_t xxh64(const uint8_t *p, size_t n, uint64_t seed) {
    const uint8_t *end = p + n;
    uint64_t h;
    if (n >= 32) {
        uint64_t v1 = seed + P1 + P2, v2 = seed + P2, v3 = seed, v4 = seed - P1;
        for (; end - p >= 32; p += 32) {
            v1 = mix(v1, load64(p)); v2 = mix(v2, load64(p + 8)); v3 = mix(v3, load64(p + 16)); v4 = mix(v4, load64(p + 24));
        }
        h = rol(v1, 1) + rol(v2, 7) + rol(v3, 12) + rol(v4, 18);
        h = merge(h, v1); h = merge(h, v2); h = merge(h, v3); h = merge(h, v4);
    } else h = seed + P5;
    h += n;
    for (; end - p >= 8; p += 8) h = rol(h ^ mix(0, load64(p)), 27) * P1 + P4;
    if (end - p >= 4) { uint32_t v; memcpy(&v, p, 4); h = rol(h ^ (uint64_t)v * P1, 23) * P2 + P3; p += 4; }
    for (; p < end; p++) h = rol(h ^ *p * P5, 11) * P1;
    h ^= h >> 33; h *= P2; h ^= h >> 29; h *= P3;
    return h ^ h >> 32;
}

/* The last ids: two generations of 2048, so that a record sent twice is printed once. */
#define SLOTS 8192
static uint64_t table_a[SLOTS], table_b[SLOTS], *young = table_a, *old = table_b;
static int held;
static inline int fresh(uint64_t h) {
    if (!h) h = 1;
    for (size_t s = h & (SLOTS - 1); old[s]; s = (s + 1) & (SLOTS - 1)) if (old[s] == h) return 0;
    size_t s = h & (SLOTS - 1);
    for (; young[s]; s = (s + 1) & (SLOTS - 1)) if (young[s] == h) return 0;
    young[s] = h;
    if (++held == 2048) { uint64_t *t = young; young = old; old = t; memset(young, 0, sizeof table_a); held = 0; }
    return 1;
}

static const char pairs[] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";
static inline char *put(char *o, const char *s, size_t n) { memcpy(o, s, n); return o + n; }
#define PUT(s) o = put(o, s, sizeof s - 1)
static inline char *two(char *o, unsigned v) { return put(o, pairs + 2 * v, 2); }
static inline char *decimal(char *o, unsigned v) {  /* below 1000 */
    if (v >= 100) { *o++ = '0' + v / 100; return two(o, v % 100); }
    if (v >= 10) return two(o, v);
    *o++ = '0' + v;
    return o;
}
static inline uint64_t eight_digits(uint32_t v) {
    uint64_t n = v;
    n = (n | n << 16) & 0x0000FFFF0000FFFFULL;
    n = (n | n << 8) & 0x00FF00FF00FF00FFULL;
    n = (n | n << 4) & 0x0F0F0F0F0F0F0F0FULL;
    uint64_t letters = (n + 0x0606060606060606ULL) >> 4 & 0x0101010101010101ULL;
    return __builtin_bswap64(n + 0x3030303030303030ULL + letters * 0x27);
}
static inline char *hex64(char *o, uint64_t v) {
    store64(o, eight_digits(v >> 32));
    store64(o + 8, eight_digits(v));
    return o + 16;
}

static inline int days_in(int month, int year) {
    if (month == 2) return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/* The output: whole lines, written when a quarter megabyte is full. */
#define OUT (1 << 18)
#define LINE 1024
static char out[OUT + LINE];
static char *o_end = out;
static inline void room(void) {
    if (o_end - out > OUT - LINE) { if (write(1, out, o_end - out) < 0) exit(1); o_end = out; }
}
static inline void flush(void) { if (o_end > out && write(1, out, o_end - out) < 0) exit(1); o_end = out; }
