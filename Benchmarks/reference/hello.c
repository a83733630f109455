/* Start-up measured against: a C program that links what `cuff` links and says one line. */
#include <stdio.h>
extern const char *sqlite3_libversion(void);
struct udev;
extern struct udev *udev_new(void);
extern struct udev *udev_unref(struct udev *);
int main(int argc, char **argv) {
    (void)argv;
    printf("%s\n", argc > 99 ? sqlite3_libversion() : "0.2.0");
    if (argc > 99) udev_unref(udev_new());
    return 0;
}
