/* Memories of a placed design, marked and filled.
 *   fill_tool mark DEVICE FOLDER MEMORY ...                     writes marks
 *   fill_tool fill DEVICE PLACED MARKED WANTED OUT MEMORY ...   PLACED with the memories of the folder WANTED in the
 *                                                               place of the marks of MARKED
 * MEMORY is FILE:WIDTH:LINES. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board/fill.h"
#include "support/file/file.h"

static bool add(weir_fill_memories *memories, char *memory) {
    char *width = strchr(memory, ':'), *lines = width == NULL ? NULL : strchr(width + 1, ':');
    if (lines == NULL) return false;
    *width = '\0';
    weir_fill_add(memories, memory, atoll(width + 1), atoll(lines + 1));
    return true;
}

static bool fill(const weir_device *device, const weir_fill_memories *memories, char **argv) {
    size_t size;
    char *placed = weir_file_read(argv[3], &size);
    const bool fine = placed != NULL && weir_fill(device, memories, placed, argv[4], argv[5]) &&
                      weir_file_write(argv[6], placed, size);
    free(placed);
    return fine;
}

int main(int argc, char **argv) {
    const bool marks = argc > 4 && strcmp(argv[1], "mark") == 0, fills = argc > 7 && strcmp(argv[1], "fill") == 0;
    weir_fill_memories memories = {NULL, 0, 0};
    int status;
    weir_device *device = marks || fills ? weir_device_read(argv[2], &status) : NULL;
    bool fine = device != NULL;
    for (int i = marks ? 4 : 7; fine && i < argc; i++) fine = add(&memories, argv[i]);
    if (fine) fine = marks ? weir_fill_mark(device, &memories, argv[3]) : fill(device, &memories, argv);
    weir_fill_free(&memories);
    weir_device_free(device);
    return fine ? 0 : 1;
}
