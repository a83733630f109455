#pragma once
#include <sqlite3.h>
// SQLITE_TRANSIENT is a cast, and sqlite3_config and sqlite3_db_config are variadic: Swift can use none of them.
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 length, int copies) {
    return sqlite3_bind_text64(statement, index, text, length, copies ? SQLITE_TRANSIENT : SQLITE_STATIC, SQLITE_UTF8);
}
static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 length, int copies) {
    return sqlite3_bind_blob64(statement, index, bytes, length, copies ? SQLITE_TRANSIENT : SQLITE_STATIC);
}
// Before the first connection; has no effect later.
static inline int csqlite_count_no_memory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
static inline int csqlite_db_config(sqlite3 *connection, int option, int value) {
    return sqlite3_db_config(connection, option, value, (int *)0);
}
