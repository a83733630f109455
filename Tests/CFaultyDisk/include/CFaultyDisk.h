/* For tests: a disk that fails on command (SQLite's own file layer, with EIO where it is asked for), and the heap's own count. */
#pragma once

/* Puts the layer in front of SQLite's default one; files whose name does not contain `.faulty` pass untouched. */
int faulty_disk_install(void);
/* From now on every write and sync of such files fails (1), or none (0). */
void faulty_disk_fail(int fails);
/* How often it has failed. */
int faulty_disk_failures(void);

/* Bytes of the heap that are in use, in all of the allocator's arenas. */
long heap_in_use(void);

/// A nameless file in memory; from `faulty_file_grows_only` on it can no longer be made shorter. Both answer -1 on failure.
int faulty_file(void);
int faulty_file_grows_only(int descriptor);
