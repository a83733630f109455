#include <sqlite3.h>

#include "CLinux.h"

int clinux_sqlite_defend(void *connection) {
    sqlite3 *database = connection;
    /* An older library does not know an option, and says so (SQLITE_ERROR): what it knows is set. */
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)0);
    sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
    return sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}
