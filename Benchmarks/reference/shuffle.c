/* The 64-byte frames of standard input in random order, the same each time. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    size_t room = 1 << 20, count = 0;
    char (*frames)[64] = malloc(room * 64), one[64];
    uint64_t state = 1;
    while (frames && fread(frames[count], 64, 1, stdin) == 1)
        if (++count == room) frames = realloc(frames, (room *= 2) * 64);
    if (!frames) return 70;
    for (size_t i = count; i > 1; i--) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        size_t other = (state >> 33) % i;
        memcpy(one, frames[other], 64);
        memcpy(frames[other], frames[i - 1], 64);
        memcpy(frames[i - 1], one, 64);
    }
    return fwrite(frames, 64, count, stdout) == count ? 0 : 74;
}
