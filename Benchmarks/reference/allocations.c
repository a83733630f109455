/* Preloaded: counts allocations and says how many at the end. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
static unsigned long count;
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);
void *malloc(size_t n) { __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED); return __libc_malloc(n); }
void *calloc(size_t n, size_t m) { __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED); return __libc_calloc(n, m); }
void *realloc(void *p, size_t n) { __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED); return __libc_realloc(p, n); }
int posix_memalign(void **p, size_t a, size_t n) { __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED); return (*p = __libc_memalign(a, n)) ? 0 : 12; }
void *aligned_alloc(size_t a, size_t n) { __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED); return __libc_memalign(a, n); }
__attribute__((destructor)) static void tell(void) { fprintf(stderr, "allocations %lu\n", count); }
