#include "CFaultyDisk.h"
#include <malloc.h>

long heap_in_use(void) {
    struct mallinfo2 heap = mallinfo2();
    return (long)(heap.uordblks + heap.hblkhd);
}
