/* On its own: asm/termbits.h and termios.h define the same names differently. */
#include "CLinux.h"
#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <errno.h>

extern int ioctl(int, unsigned long, ...);

int clinux_set_rate(int descriptor, uint32_t rate) {
    struct termios2 line;
    if (ioctl(descriptor, TCGETS2, &line) < 0) return -errno;
    line.c_cflag &= ~(CBAUD | (CBAUD << IBSHIFT));
    line.c_cflag |= BOTHER | (BOTHER << IBSHIFT);
    line.c_ispeed = rate;
    line.c_ospeed = rate;
    return ioctl(descriptor, TCSETS2, &line) < 0 ? -errno : 0;
}

int clinux_get_rate(int descriptor, uint32_t *rate) {
    struct termios2 line;
    if (ioctl(descriptor, TCGETS2, &line) < 0) return -errno;
    *rate = line.c_ospeed;
    return 0;
}
