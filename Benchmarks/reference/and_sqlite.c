/* The plain C measure for the SQLite sink: the same frames, table, statement, journal mode and batches through SQLite's own API.
   Usage: and_sqlite DATABASE < frames */
#include "and.h"
#include <sqlite3.h>

#define BATCH 1024
static const char schema[] =
    "PRAGMA secure_delete = OFF; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4096;"
    "CREATE TABLE source (number INTEGER PRIMARY KEY, driver TEXT NOT NULL, device TEXT NOT NULL,"
    " manufacturer TEXT, model TEXT, serial TEXT, firmware TEXT, UNIQUE (driver, device));"
    "INSERT INTO source (driver, device, manufacturer, model) VALUES ('and-std', '', 'A&D', 'TM2655');"
    "CREATE TABLE reading (id TEXT NOT NULL PRIMARY KEY, revision INTEGER NOT NULL, pending INTEGER NOT NULL, type TEXT NOT NULL,"
    " source INTEGER NOT NULL, systolic_mmHg NUMERIC, diastolic_mmHg NUMERIC, mean_mmHg NUMERIC, pulse_per_min NUMERIC,"
    " user INTEGER, flags TEXT, device_time TEXT, measured TEXT, clock TEXT, received TEXT, origin TEXT NOT NULL, trigger TEXT,"
    " sequence INTEGER, raw BLOB NOT NULL, systolic_kPa NUMERIC, diastolic_kPa NUMERIC, mean_kPa NUMERIC, mean_absent TEXT,"
    " pulse_absent TEXT, reason TEXT, code TEXT, mdc INTEGER, component INTEGER, value TEXT, value_absent TEXT, bits INTEGER,"
    " unit TEXT) WITHOUT ROWID;";
static const char *columns[] = {"id", "revision", "pending", "type", "source", "systolic_mmHg", "diastolic_mmHg", "mean_mmHg",
    "pulse_per_min", "user", "flags", "device_time", "measured", "clock", "received", "origin", "trigger", "sequence", "raw",
    "systolic_kPa", "diastolic_kPa", "mean_kPa", "mean_absent", "pulse_absent", "reason", "code", "mdc", "component", "value",
    "value_absent", "bits", "unit"};
#define COLUMNS (sizeof columns / sizeof *columns)

static sqlite3 *db;
static sqlite3_stmt *insert;
static void check(int result) {
    if (result == SQLITE_OK || result == SQLITE_DONE || result == SQLITE_ROW) return;
    fprintf(stderr, "%s\n", sqlite3_errmsg(db));
    exit(1);
}
static void say(const char *sql) { check(sqlite3_exec(db, sql, 0, 0, 0)); }
static void text(int column, const char *s, int n) { sqlite3_bind_text(insert, column, s, n, SQLITE_STATIC); }

static void prepare(void) {
    static char sql[4096];
    char *p = sql;
    p += sprintf(p, "INSERT INTO reading (");
    for (size_t i = 0; i < COLUMNS; i++) p += sprintf(p, "%s%s", i ? "," : "", columns[i]);
    p += sprintf(p, ") VALUES (");
    for (size_t i = 0; i < COLUMNS; i++) p += sprintf(p, "%s?%zu", i ? "," : "", i + 1);
    p += sprintf(p, ") ON CONFLICT (id) DO UPDATE SET ");
    for (size_t i = 1; i < COLUMNS; i++) p += sprintf(p, "%s%s=excluded.%s", i > 1 ? "," : "", columns[i], columns[i]);
    p += sprintf(p, " WHERE excluded.revision > reading.revision OR excluded.revision = reading.revision AND reading.pending AND NOT excluded.pending");
    check(sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &insert, 0));
}

static void store(const struct result *r, const uint8_t *frame) {
    char id[32], time[16], *o = id;
    sqlite3_clear_bindings(insert);
    if (r->clock == TIME) {
        o = two(o, r->year / 100); o = two(o, r->year % 100); o = two(o, r->month); o = two(o, r->day); *o++ = 'T';
        o = two(o, r->hour); o = two(o, r->minute); PUT("00-");
    } else PUT("00000000T000000-");
    hex64(o, r->hash);
    text(1, id, 32);
    sqlite3_bind_int64(insert, 2, 0);
    sqlite3_bind_int64(insert, 3, 0);
    sqlite3_bind_int64(insert, 5, 1);
    char code[3] = "E";
    if (r->is_failure) {
        text(4, "measurement", 11);
        const char *w = r->error < 0 ? "unknown" : reason(r->error);
        text(25, w, strlen(w));
        if (r->error >= 0) { two(code + 1, r->error); text(26, code, 3); }
    } else {
        text(4, "blood_pressure", 14);
        sqlite3_bind_int64(insert, 6, r->systolic);
        sqlite3_bind_int64(insert, 7, r->diastolic);
        if (r->mean) sqlite3_bind_int64(insert, 8, r->mean);
        if (r->pulse) sqlite3_bind_int64(insert, 9, r->pulse); else text(24, "not_measured", 12);
        if (r->systolic <= r->diastolic || r->systolic > 300 || (r->pulse && (r->pulse < 20 || r->pulse > 300))) text(11, "implausible", 11);
    }
    if (r->clock == TIME || r->clock == IMPOSSIBLE) { time_text(time, r); text(12, time, 16); }
    if (r->clock == IMPOSSIBLE || r->clock == UNREADABLE) text(14, "unset", 5);
    text(16, "push", 4);
    sqlite3_bind_blob64(insert, 19, frame, 64, SQLITE_STATIC);
    check(sqlite3_step(insert));
    sqlite3_reset(insert);
}

int main(int argc, char **argv) {
    static uint8_t in[65536 + 1024];
    size_t have = 0;
    ssize_t n;
    int rows = 0;
    if (argc != 2) return 64;
    check(sqlite3_open_v2(argv[1], &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, 0));
    say(schema);
    prepare();
    start_seed();
    while ((n = read(0, in + have, 65536)) > 0) {
        const uint8_t *p = in, *end = in + have + n;
        EACH_RESULT(p, end, {
            if (rows == 0) say("BEGIN IMMEDIATE");
            store(&r, p);
            if (++rows == BATCH) { say("COMMIT"); rows = 0; }
        })
        have = end - p;
        memmove(in, p, have);
    }
    if (rows) say("COMMIT");
    sqlite3_finalize(insert);
    sqlite3_close(db);
    return 0;
}
