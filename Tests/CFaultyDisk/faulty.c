#define _GNU_SOURCE
#include "CFaultyDisk.h"
#include <sqlite3.h>
#include <stdatomic.h>
#include <string.h>
#include <fcntl.h>
#include <sys/mman.h>

static atomic_int failing, failures;
static sqlite3_vfs *real_vfs;
static sqlite3_vfs shim;
static sqlite3_io_methods methods;

typedef struct {
    sqlite3_file base;
    int is_faulty;
} file;

static sqlite3_file *behind(sqlite3_file *f) { return (sqlite3_file *)((file *)f + 1); }

static int fails(sqlite3_file *f) {
    if (!((file *)f)->is_faulty || !atomic_load(&failing)) return 0;
    atomic_fetch_add(&failures, 1);
    return 1;
}

#define PASS(name, parameters, arguments) \
    static int name parameters { sqlite3_file *r = behind(f); return r->pMethods->name arguments; }
static int xClose(sqlite3_file *f) { sqlite3_file *r = behind(f); return r->pMethods ? r->pMethods->xClose(r) : SQLITE_OK; }
PASS(xRead, (sqlite3_file *f, void *p, int n, sqlite3_int64 o), (r, p, n, o))
static int xWrite(sqlite3_file *f, const void *p, int n, sqlite3_int64 o) {
    sqlite3_file *r = behind(f);
    return fails(f) ? SQLITE_IOERR_WRITE : r->pMethods->xWrite(r, p, n, o);
}
PASS(xTruncate, (sqlite3_file *f, sqlite3_int64 n), (r, n))
static int xSync(sqlite3_file *f, int flags) {
    sqlite3_file *r = behind(f);
    return fails(f) ? SQLITE_IOERR_FSYNC : r->pMethods->xSync(r, flags);
}
PASS(xFileSize, (sqlite3_file *f, sqlite3_int64 *n), (r, n))
PASS(xLock, (sqlite3_file *f, int l), (r, l))
PASS(xUnlock, (sqlite3_file *f, int l), (r, l))
PASS(xCheckReservedLock, (sqlite3_file *f, int *o), (r, o))
PASS(xFileControl, (sqlite3_file *f, int o, void *a), (r, o, a))
PASS(xSectorSize, (sqlite3_file *f), (r))
PASS(xDeviceCharacteristics, (sqlite3_file *f), (r))
PASS(xShmMap, (sqlite3_file *f, int p, int s, int e, void volatile **o), (r, p, s, e, o))
PASS(xShmLock, (sqlite3_file *f, int o, int n, int flags), (r, o, n, flags))
static void xShmBarrier(sqlite3_file *f) { sqlite3_file *r = behind(f); r->pMethods->xShmBarrier(r); }
PASS(xShmUnmap, (sqlite3_file *f, int d), (r, d))
PASS(xFetch, (sqlite3_file *f, sqlite3_int64 o, int n, void **p), (r, o, n, p))
PASS(xUnfetch, (sqlite3_file *f, sqlite3_int64 o, void *p), (r, o, p))

static int xOpen(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *f, int flags, int *out) {
    (void)vfs;
    file *own = (file *)f;
    memset(own, 0, sizeof *own);
    own->is_faulty = name && strstr(name, ".faulty");
    sqlite3_file *r = behind(f);
    r->pMethods = NULL;
    int result = real_vfs->xOpen(real_vfs, name, r, flags, out);
    own->base.pMethods = r->pMethods ? &methods : NULL;
    return result;
}

int faulty_disk_install(void) {
    if (real_vfs) return SQLITE_OK;
    sqlite3_initialize();
    real_vfs = sqlite3_vfs_find(NULL);
    shim = *real_vfs;
    shim.zName = "faulty";
    shim.szOsFile = (int)sizeof(file) + real_vfs->szOsFile;
    shim.xOpen = xOpen;
    methods = (sqlite3_io_methods){
        3, xClose, xRead, xWrite, xTruncate, xSync, xFileSize, xLock, xUnlock, xCheckReservedLock, xFileControl, xSectorSize,
        xDeviceCharacteristics, xShmMap, xShmLock, xShmBarrier, xShmUnmap, xFetch, xUnfetch};
    return sqlite3_vfs_register(&shim, 1);
}

void faulty_disk_fail(int on) { atomic_store(&failing, on); }
int faulty_disk_failures(void) { return atomic_load(&failures); }

int faulty_file(void) { return memfd_create("faulty", MFD_CLOEXEC | MFD_ALLOW_SEALING); }
int faulty_file_grows_only(int descriptor) { return fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK); }
