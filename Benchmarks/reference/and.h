/* A&D STD frames: judged, decoded and printed as the driver `and-std` does for the 64-byte form. Other whole frames (longer
   text with tags, commands) are recognised and passed over; the inputs of the benchmarks hold none. */
#include "reading.h"

/* The length of the frame at `p`; 0 where none starts; -1 where more bytes are needed. */
static inline int frame_length(const uint8_t *p, const uint8_t *end) {
    long n = end - p;
    if (p[0] != 0x16) return 0;
    if (n < 6) return (n > 1 && p[1] != 0x16) || (n > 2 && p[2] != 1) ? 0 : -1;
    if (p[1] != 0x16 || p[2] != 1) return 0;
    if (p[5] == 6 || p[5] == 0x15) return 6;
    if (p[5] != 2) return 0;
    const uint64_t high = 0x8080808080808080ULL, ones = 0x0101010101010101ULL;
    long limit = n < 1023 ? n : 1023, i = 6;
    uint64_t x = 0;
    for (;;) {
        if (i + 8 > limit) {
            for (; i < limit && ((p[i] >= 0x20 && p[i] < 0x7F) || p[i] == 0x1E); i++) x ^= p[i];
            break;
        }
        uint64_t w = load64(p + i), low = w & ~high;
        uint64_t text = (low + 0x60 * ones) & ~(low + ones), rs = ~((low ^ 0x1E * ones) + ~high);
        uint64_t other = (~(text | rs) | w) & high;
        if (other) {
            int k = __builtin_ctzll(other) / 8;
            x ^= w & ~(~0ULL << 8 * k);
            i += k;
            break;
        }
        x ^= w;
        i += 8;
    }
    if (i == limit) return limit < n ? 0 : -1;
    if (p[i] != 3) return 0;
    if (i + 1 >= n) return -1;
    x ^= x >> 32; x ^= x >> 16; x ^= x >> 8;
    return p[i + 1] == (uint8_t)(x ^ 1 ^ p[3] ^ p[4] ^ 2 ^ 3) ? i + 2 : 0;
}

static inline int digits(const uint8_t *p, int n) {
    int v = 0;
    for (int i = 0; i < n; i++) {
        unsigned d = p[i] - '0';
        if (d > 9) return -1;
        v = v * 10 + d;
    }
    return v;
}
/* Parses four two-digit numbers at once: a byte each, lowest first; -1 if a character is not a digit. */
static inline int64_t digit_pairs(const uint8_t *p) {
    uint64_t d = load64(p) ^ 0x3030303030303030ULL;
    if (((d + 0x7676767676767676ULL) | d) & 0x8080808080808080ULL) return -1;
    return (d * 10 + (d >> 8)) & 0x00FF00FF00FF00FFULL;
}
static inline int padded(const uint8_t *p) {
    int i = 0;
    while (i < 3 && p[i] == ' ') i++;
    return i == 3 ? -1 : digits(p + i, 3 - i);
}

static const char *reason(int code) {
    switch (code) {
    case 0: return "no_value";
    case 11: case 15: return "no_inflation";
    case 12: case 42: return "insufficient_pressure";
    case 13: return "inflation_too_fast";
    case 21: return "deflation_too_slow";
    case 22: return "deflation_too_fast";
    case 23: return "over_pressure";
    case 24: return "timeout";
    case 43: return "no_pulse";
    case 44: return "movement";
    case 45: return "diastolic_not_found";
    case 46: return "mean_not_found";
    case 48: return "systolic_not_found";
    case 61: return "pulse_not_found";
    case 63: return "out_of_range";
    default: return "unknown";
    }
}

struct result {
    int systolic, diastolic, mean, pulse;  /* 0 if there is no such value */
    int is_failure, error;                 /* error -1: unreadable */
    int year, month, day, hour, minute;
    enum { ABSENT, UNREADABLE, IMPOSSIBLE, TIME } clock;
    uint64_t hash;
};

static uint64_t seed, ordinal;
static inline void start_seed(void) { seed = xxh64((const uint8_t *)"and-std\0", 8, 0); }

/* Whether the 64 bytes are a result in the fixed form that was not there before. */
static inline int decode(struct result *r, const uint8_t *f) {
    if (f[33] != 'S' || f[38] != 'M' || f[43] != 'D' || f[48] != 'P') return 0;
    int s = padded(f + 34), m = padded(f + 39), d = padded(f + 44), p = padded(f + 49);
    r->error = f[29] == 'E' ? digits(f + 30, 2) : 0;
    r->is_failure = !(s > 0 && d > 0 && r->error == 0);
    r->systolic = s; r->diastolic = d; r->mean = m > 0 ? m : 0; r->pulse = p > 0 ? p : 0;
    int64_t date = digit_pairs(f + 13);
    int y = date & 0xFF, mo = date >> 16 & 0xFF, da = date >> 32 & 0xFF, h = date >> 48 & 0xFF, mi = digits(f + 21, 2);
    r->year = 2000 + y; r->month = mo; r->day = da; r->hour = h; r->minute = mi;
    if (date < 0 || mi < 0) r->clock = UNREADABLE;
    else if (mo == 0 && da == 0) r->clock = ABSENT;
    else if (mo < 1 || mo > 12 || da < 1 || (da > 28 && da > days_in(mo, 2000 + y)) || h > 23 || mi > 59) r->clock = IMPOSSIBLE;
    else r->clock = TIME;
    ordinal++;
    r->hash = xxh64(f, 64, r->clock == TIME ? seed : seed + ordinal * 0xC2B2AE3D27D4EB4FULL);
    return fresh(r->hash);
}

static inline char *time_text(char *o, const struct result *r) {
    o = two(o, r->year / 100); o = two(o, r->year % 100); *o++ = '-'; o = two(o, r->month); *o++ = '-'; o = two(o, r->day);
    *o++ = 'T'; o = two(o, r->hour); *o++ = ':';
    return two(o, r->minute);
}

static inline char *line(char *o, const struct result *r, const char *origin, size_t origin_length) {
    if (r->is_failure) PUT("{\"type\":\"measurement\",\"schema\":1,\"id\":\"");
    else PUT("{\"type\":\"blood_pressure\",\"schema\":1,\"id\":\"");
    if (r->clock == TIME) {
        o = two(o, r->year / 100); o = two(o, r->year % 100); o = two(o, r->month); o = two(o, r->day); *o++ = 'T';
        o = two(o, r->hour); o = two(o, r->minute); PUT("00-");
    } else PUT("00000000T000000-");
    o = hex64(o, r->hash);
    PUT("\",\"driver\":\"and-std\"");
    if (r->is_failure) {
        PUT(",\"event\":\"failed\",\"reason\":\"");
        const char *w = r->error < 0 ? "unknown" : reason(r->error);
        o = put(o, w, strlen(w)); *o++ = '"';
        if (r->error >= 0) { PUT(",\"code\":\"E"); o = two(o, r->error); *o++ = '"'; }
    } else {
        PUT(",\"systolic_mmHg\":"); o = decimal(o, r->systolic);
        PUT(",\"diastolic_mmHg\":"); o = decimal(o, r->diastolic);
        if (r->mean) { PUT(",\"mean_mmHg\":"); o = decimal(o, r->mean); }
        if (r->pulse) { PUT(",\"pulse_per_min\":"); o = decimal(o, r->pulse); }
        else PUT(",\"pulse_absent\":\"not_measured\"");
        if (r->systolic <= r->diastolic || r->systolic > 300 || (r->pulse && (r->pulse < 20 || r->pulse > 300)))
            PUT(",\"flags\":[\"implausible\"]");
    }
    if (r->clock == TIME) { PUT(",\"device_time\":\""); o = time_text(o, r); *o++ = '"'; }
    else if (r->clock == IMPOSSIBLE) { PUT(",\"device_time_text\":\""); o = time_text(o, r); PUT("\",\"clock\":\"unset\""); }
    else if (r->clock == UNREADABLE) PUT(",\"clock\":\"unset\"");
    PUT(",\"origin\":\"");
    o = put(o, origin, origin_length);
    PUT("\"}\n");
    return o;
}

/* Takes frames off the front of `p`, hands each result to `use`, and answers where an unfinished rest begins. */
#define EACH_RESULT(p, end, use)                                                              \
    while (p < end) {                                                                         \
        int length = frame_length(p, end);                                                    \
        if (length < 0) break;                                                                \
        if (length == 0) { p = memchr(p + 1, 0x16, end - p - 1); if (!p) p = end; continue; } \
        struct result r;                                                                      \
        if (length == 64 && decode(&r, p)) { use; }                                           \
        p += length;                                                                          \
    }
